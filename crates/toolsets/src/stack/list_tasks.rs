//! Stack `list_tasks`.

use crate::stack::tasks::{self, Record};
use toolkit::serde_json::Value;

use super::records::{ONE_TASK, RECORDS, TASKS, priority, status};
use crate::prelude::*;

/// List the tasks of the project.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct ListTasks {
    /// Only of this status: pending, in_progress, done or blocked
    status: Option<String>,
    /// Only of this priority: low, medium, high or critical
    priority: Option<String>,
}

/// The tasks.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The tasks, oldest first
    tasks: Vec<Record>,
    /// How many
    count: usize,
}

impl Tool for ListTasks {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("list_tasks", "List tasks", Category::Tasks)
        .errors(&[RECORDS])
        .examples(&[
            Example::of("Those of one status")
                .given(ONE_TASK)
                .call(r#"{"status": "pending"}"#)
                .gives(r##"{"success": true, "tasks": [{"id": "a1b2c3d4", "title": "Fix it", "status": "pending", "priority": "high", "mine": 1}], "count": 1}"##),
            Example::of("A file that holds something else")
                .given(&[(".tasks.json", "{oops")])
                .fails(Code::InvalidJSON, r##"{"success": false, "error": ".tasks.json: not a JSON list of objects [..]", "code": "InvalidJSON"}"##)
                .leaves(&[(".tasks.json", "{oops")]),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let wanted = [
            ("status", self.status.as_deref().map(status).transpose()?),
            ("priority", self.priority.as_deref().map(priority).transpose()?),
        ];
        let mut tasks = tasks::read(cx.workspace(), TASKS)?;
        for (field, value) in wanted {
            let Some(value) = value else { continue };
            tasks.retain(|task| {
                let has = task.get(field).and_then(Value::as_str);
                has.map(|it| if it == "completed" { "done" } else { it }) == Some(&value)
            });
        }
        success(Output { count: tasks.len(), tasks })
    }
}
