//! Stack `update_task`.

use crate::stack::tasks::{self, Record};
use toolkit::serde_json::{Map, Value};

use super::records::{ONE_TASK, RECORDS, TASKS, now, priority, status};
use crate::prelude::*;

/// Change a task: its status, or any other field of it.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct UpdateTask {
    /// Its id
    task_id: String,
    /// pending, in_progress, done or blocked
    status: Option<String>,
    #[serde(flatten)]
    others: Map<String, Value>,
}

/// A word as it is kept, if it is a known one.
type Known = fn(&str) -> Result<String>;

/// What was done.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Its id
    task_id: String,
    /// True
    updated: bool,
    /// The task now
    task: Record,
}

impl Tool for UpdateTask {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("update_task", "Update a task", Category::Tasks)
        .effect(Effect::WRITES, Permission::Moderate)
        .errors(&[RECORDS, &[Code::TaskNotFound]])
        .examples(&[
            Example::of("Begun, and a field of one's own")
                .given(ONE_TASK)
                .call(r#"{"task_id": "a1b2c3d4", "status": "in_progress", "owner": "me"}"#)
                .gives(r##"{"success": true, "task_id": "a1b2c3d4", "updated": true, "task": {"id": "a1b2c3d4", "title": "Fix it", "status": "in_progress", "priority": "high", "mine": 1, "owner": "me", "updated": "20[..]Z"}}"##),
            Example::of("Further fields as the document calls them")
                .given(&[(".tasks.json", "[{\"id\": \"a1b2c3d4\", \"title\": \"Fix it\"}]")])
                .call(r#"{"task_id": "a1b2c3d4", "kwargs": {"priority": "low", "owner": "me"}}"#)
                .gives(r##"{"success": true, "task_id": "a1b2c3d4", "updated": true, "task": {"id": "a1b2c3d4", "title": "Fix it", "priority": "low", "owner": "me", "updated": "20[..]Z"}}"##),
            Example::of("The id stays")
                .given(ONE_TASK)
                .call(r#"{"task_id": "a1b2c3d4", "id": "b"}"#)
                .fails(Code::InvalidInput, r##"{"success": false, "error": "id: cannot be changed; [..]", "code": "InvalidInput"}"##)
                .leaves(ONE_TASK),
            Example::of("A task that is not there")
                .given(ONE_TASK)
                .call(r#"{"task_id": "b", "status": "done"}"#)
                .fails(Code::TaskNotFound, r##"{"success": false, "error": "task b: no such id; the last ones are a1b2c3d4", "code": "TaskNotFound"}"##),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![TASKS.to_owned()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let mut fields = self.others;
        for name in ["kwargs", "**kwargs"] {
            // The document has its further fields under this name.
            if let Some(Value::Object(more)) = fields.shift_remove(name) {
                fields.extend(more);
            }
        }
        if fields.contains_key("id") {
            return Err(Error::invalid_input("id", "cannot be changed; create another task"));
        }
        if let Some(given) = self.status {
            fields.insert("status".into(), given.into());
        }
        for (name, known) in [("status", status as Known), ("priority", priority)] {
            if let Some(given) = fields.get_mut(name) {
                *given = known(given.as_str().unwrap_or_default())?.into();
            }
        }
        if fields.is_empty() {
            return Err(Error::invalid_input("status", "nothing to change; give a field"));
        }
        let task = tasks::change(cx.step()?, TASKS, |tasks| {
            let task = tasks::find(tasks, "task", &self.task_id)?;
            task.extend(fields);
            task.insert("updated".into(), now());
            Ok(task.clone())
        })?;
        success(Output { task_id: self.task_id, updated: true, task })
    }
}
