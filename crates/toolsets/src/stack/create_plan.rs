//! Stack `create_plan`.

use crate::stack::tasks::{self, Record};
use toolkit::serde_json::json;

use super::records::{PLANS, RECORDS, now};
use crate::prelude::*;

/// Keep a plan of ordered steps.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct CreatePlan {
    /// What it is for
    goal: String,
    /// The steps in their order
    steps: Vec<String>,
}

/// What was done.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The plan
    plan: Record,
}

impl Tool for CreatePlan {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("create_plan", "Create a plan", Category::Tasks)
        .effect(Effect::WRITES, Permission::Moderate)
        .errors(&[RECORDS])
        .examples(&[
            Example::of("Two steps")
                .call(r#"{"goal": "Deploy", "steps": ["Build", "Push"]}"#)
                .gives(r##"{"success": true, "plan": {"id": "[..]", "goal": "Deploy", "steps": ["Build", "Push"], "status": "pending", "created": "20[..]Z"}}"##),
            Example::of("A plan has steps")
                .call(r#"{"goal": "Deploy", "steps": []}"#)
                .fails(Code::InvalidInput, r##"{"success": false, "error": "steps: empty; give at least one", "code": "InvalidInput"}"##)
                .leaves(&[(".plans.json", GONE)]),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![PLANS.to_owned()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        if self.goal.trim().is_empty() {
            return Err(Error::invalid_input("goal", "empty; say what is to be reached"));
        }
        if self.steps.is_empty() {
            return Err(Error::invalid_input("steps", "empty; give at least one"));
        }
        let plan = tasks::change(cx.step()?, PLANS, |plans| {
            let mut plan = Record::new();
            plan.insert("id".into(), tasks::new_id(plans, &self.goal).into());
            plan.insert("goal".into(), json!(self.goal));
            plan.insert("steps".into(), json!(self.steps));
            plan.insert("status".into(), json!("pending"));
            plan.insert("created".into(), now());
            plans.push(plan.clone());
            Ok(plan)
        })?;
        success(Output { plan })
    }
}
