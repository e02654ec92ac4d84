//! Stack `create_task`.

use crate::stack::tasks::{self, Record};
use toolkit::serde_json::json;

use super::records::{RECORDS, TASKS, now, priority};
use crate::prelude::*;

/// Add a task to the project's list.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct CreateTask {
    /// What is to be done
    title: String,
    /// More about it
    #[serde(default)]
    description: String,
    /// low, medium (default), high or critical
    priority: Option<String>,
}

/// What was done.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The task
    task: Record,
}

impl Tool for CreateTask {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("create_task", "Create a task", Category::Tasks)
        .effect(Effect::WRITES, Permission::Moderate)
        .errors(&[RECORDS])
        .examples(&[
            Example::of("A task")
                .call(r#"{"title": "Fix login bug", "priority": "high"}"#)
                .gives(r##"{"success": true, "task": {"id": "[..]", "title": "Fix login bug", "description": "", "priority": "high", "status": "pending", "created": "20[..]Z"}}"##),
            Example::of("An unknown priority")
                .call(r#"{"title": "Fix", "priority": "urgent"}"#)
                .fails(Code::InvalidInput, r##"{"success": false, "error": "priority: unknown value `urgent`; use low, medium, high, critical", "code": "InvalidInput"}"##)
                .leaves(&[(".tasks.json", GONE)]),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![TASKS.to_owned()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let priority = priority(self.priority.as_deref().unwrap_or("medium"))?;
        if self.title.trim().is_empty() {
            return Err(Error::invalid_input("title", "empty; say what is to be done"));
        }
        let task = tasks::change(cx.step()?, TASKS, |tasks| {
            let mut task = Record::new();
            task.insert("id".into(), tasks::new_id(tasks, &self.title).into());
            task.insert("title".into(), json!(self.title));
            task.insert("description".into(), json!(self.description));
            task.insert("priority".into(), json!(priority));
            task.insert("status".into(), json!("pending"));
            task.insert("created".into(), now());
            tasks.push(task.clone());
            Ok(task)
        })?;
        success(Output { task })
    }
}
