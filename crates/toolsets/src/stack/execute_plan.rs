//! Stack `execute_plan`.

use crate::stack::tasks;
use toolkit::serde_json::{Value, json};

use super::records::{ONE_PLAN, PLANS, RECORDS, now};
use crate::prelude::*;

/// Mark a plan as begun and give its steps, to be carried out one after the other.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct ExecutePlan {
    /// Its id
    plan_id: String,
}

/// What was done.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Its id
    plan_id: String,
    /// executing
    status: &'static str,
    /// What is to be done, in this order
    steps: Vec<Value>,
}

impl Tool for ExecutePlan {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("execute_plan", "Execute a plan", Category::Tasks)
        .effect(Effect::WRITES, Permission::Moderate)
        .errors(&[RECORDS, &[Code::TaskNotFound]])
        .examples(&[
            Example::of("Its steps")
                .given(ONE_PLAN)
                .call(r#"{"plan_id": "p1"}"#)
                .gives(r##"{"success": true, "plan_id": "p1", "status": "executing", "steps": ["Build", "Push"]}"##),
            Example::of("A plan that is not there")
                .given(ONE_PLAN)
                .call(r#"{"plan_id": "p2"}"#)
                .fails(Code::TaskNotFound, r##"{"success": false, "error": "plan p2: no such id; the last ones are p1", "code": "TaskNotFound"}"##)
                .leaves(ONE_PLAN),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![PLANS.to_owned()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let steps = tasks::change(cx.step()?, PLANS, |plans| {
            let plan = tasks::find(plans, "plan", &self.plan_id)?;
            plan.insert("status".into(), json!("in_progress"));
            plan.insert("started".into(), now());
            Ok(plan.get("steps").and_then(Value::as_array).cloned().unwrap_or_default())
        })?;
        success(Output { plan_id: self.plan_id, status: "executing", steps })
    }
}
