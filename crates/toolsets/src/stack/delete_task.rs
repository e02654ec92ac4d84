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

    const SPEC: Spec = Spec::new("delete_task", "Delete a task", Category::Tasks)
        .effect(Effect::WRITES, Permission::Moderate)
        .errors(&[RECORDS, &[Code::TaskNotFound]])
        .examples(&[
            Example::of("The only one")
                .given(&[(
                    ".tasks.json",
                    "[{\"id\": \"a1b2c3d4\", \"title\": \"Fix it\", \"status\": \"pending\", \"priority\": \"high\", \"mine\": 1}]",
                )])
                .call(r#"{"task_id": "a1b2c3d4"}"#)
                .gives(r##"{"success": true, "task_id": "a1b2c3d4", "deleted": true}"##)
                .leaves(&[(".tasks.json", "[]\n")]),
            Example::of("A task that is not there")
                .given(&[(
                    ".tasks.json",
                    "[{\"id\": \"a1b2c3d4\", \"title\": \"Fix it\", \"status\": \"pending\", \"priority\": \"high\", \"mine\": 1}]",
                )])
                .call(r#"{"task_id": "b"}"#)
                .fails(Code::TaskNotFound, r##"{"success": false, "error": "task b: no such id; [..]", "code": "TaskNotFound"}"##)
                .leaves(&[(
                    ".tasks.json",
                    "[{\"id\": \"a1b2c3d4\", \"title\": \"Fix it\", \"status\": \"pending\", \"priority\": \"high\", \"mine\": 1}]",
                )]),
        ]);

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
