//! Stack `delete_task`.

use crate::stack::tasks;

use super::records::{ONE_TASK, RECORDS, TASKS};
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
    /// Its id
    task_id: String,
    /// True
    deleted: bool,
}

impl Tool for DeleteTask {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("delete_task", "Delete a task", Category::Tasks)
        .effect(Effect::WRITES, Permission::Moderate)
        .errors(&[RECORDS, &[Code::TaskNotFound]])
        .examples(&[
            Example::of("The only one")
                .given(ONE_TASK)
                .call(r#"{"task_id": "a1b2c3d4"}"#)
                .gives(r##"{"success": true, "task_id": "a1b2c3d4", "deleted": true}"##)
                .leaves(&[(".tasks.json", "[]\n")]),
            Example::of("A task that is not there")
                .given(ONE_TASK)
                .call(r#"{"task_id": "b"}"#)
                .fails(Code::TaskNotFound, r##"{"success": false, "error": "task b: no such id; [..]", "code": "TaskNotFound"}"##)
                .leaves(ONE_TASK),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![TASKS.to_owned()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        tasks::change(cx.step()?, TASKS, |tasks| {
            tasks::find(tasks, "task", &self.task_id)?;
            tasks.retain(|task| tasks::id_of(task) != Some(&self.task_id));
            Ok(())
        })?;
        success(Output { task_id: self.task_id, deleted: true })
    }
}
