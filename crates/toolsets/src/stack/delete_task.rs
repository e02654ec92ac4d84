//! Stack `delete_task`.

use crate::stack::tasks;

use super::records::{RECORDS, TASKS};
use crate::prelude::*;

/// Delete a task.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct DeleteTask {
    /// Its id
    task_id: String,
}

/// What was done.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// True
    success: bool,
    /// Its id
    task_id: String,
    /// True
    deleted: bool,
}

impl Tool for DeleteTask {
    type Output = Output;

    const SPEC: Spec = Spec {
        name: "delete_task",
        aliases: &[],
        title: "Delete a task",
        category: Category::Tasks,
        effect: Effect::WRITES,
        permission: Permission::Moderate,
        errors: &[RECORDS, &[Code::TaskNotFound]],
        examples: &[
            Example {
                about: "The only one",
                given: &[(
                    ".tasks.json",
                    "[{\"id\": \"a1b2c3d4\", \"title\": \"Fix it\", \"status\": \"pending\", \"priority\": \"high\", \"mine\": 1}]",
                )],
                call: r#"{"task_id": "a1b2c3d4"}"#,
                gives: r##"{"success": true, "task_id": "a1b2c3d4", "deleted": true}"##,
                leaves: &[(".tasks.json", "[]\n")],
                fails: None,
            },
            Example {
                about: "A task that is not there",
                given: &[(
                    ".tasks.json",
                    "[{\"id\": \"a1b2c3d4\", \"title\": \"Fix it\", \"status\": \"pending\", \"priority\": \"high\", \"mine\": 1}]",
                )],
                call: r#"{"task_id": "b"}"#,
                gives: r##"{"success": false, "error": "task b: there is none of this id; [..]", "code": "TaskNotFound"}"##,
                leaves: &[(
                    ".tasks.json",
                    "[{\"id\": \"a1b2c3d4\", \"title\": \"Fix it\", \"status\": \"pending\", \"priority\": \"high\", \"mine\": 1}]",
                )],
                fails: Some(Code::TaskNotFound),
            },
        ],
    };

    fn paths(&self) -> Vec<String> {
        vec![TASKS.to_owned()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        tasks::change(cx.step()?, TASKS, |tasks| {
            tasks::find(tasks, "task", &self.task_id)?;
            tasks.retain(|task| tasks::id_of(task) != Some(&self.task_id));
            Ok(())
        })?;
        Ok(Output { success: true, task_id: self.task_id, deleted: true })
    }
}
