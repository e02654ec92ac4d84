//! fiz `task`.

use crate::fiz::tasks::{self, Status, Tasks};

use crate::prelude::*;

/// Track the subtasks of a plan.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Task {
    /// What to do
    operation: Operation,
    /// Such as task-1; for update and get
    id: Option<String>,
    /// For create
    title: Option<String>,
    /// More about it
    description: Option<String>,
    /// For update
    status: Option<Stage>,
}

/// What to do.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Operation {
    Create,
    Update,
    Get,
    List,
}

/// How far a task is.
#[derive(Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Stage {
    Pending,
    InProgress,
    Completed,
}

/// A task as the model sees it.
#[derive(Serialize)]
struct Shown {
    id: String,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    status: Stage,
    order: usize,
}

impl From<tasks::Task> for Shown {
    fn from(task: tasks::Task) -> Self {
        let status = match task.status {
            Status::Pending => Stage::Pending,
            Status::InProgress => Stage::InProgress,
            Status::Completed => Stage::Completed,
        };
        Self {
            id: task.id,
            title: task.title,
            description: task.description,
            status,
            order: task.order,
        }
    }
}

impl Tool for Task {
    type Output = String;

    const SPEC: Spec = Spec::new("task", "Track subtasks", Category::Tasks)
        .effect(Effect::REMEMBERS, Permission::None)
        .errors(&[&[Code::TaskNotFound]])
        .examples(&[
            Example::of("A new task")
                .call(r#"{"operation": "create", "title": "write the test"}"#)
                .gives("{\n  \"id\": \"task-1\",\n  \"title\": \"write the test\",\n  \"status\": \"pending\",\n  \"order\": 1\n}"),
            Example::of("No tasks yet")
                .call(r#"{"operation": "list"}"#)
                .gives("[]"),
            Example::of("An id that does not exist")
                .call(r#"{"operation": "update", "id": "task-7", "status": "completed"}"#)
                .fails(Code::TaskNotFound, "error: task task-7 not found; [..]"),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<String> {
        let tasks = cx.kept::<Tasks>();
        let task = match self.operation {
            Operation::List => {
                let all: Vec<Shown> = tasks.list().into_iter().map(Shown::from).collect();
                return indented(&all);
            }
            Operation::Create => {
                let title = self.title.filter(|t| !t.trim().is_empty());
                let title = title.ok_or_else(|| missing("task create", "title"))?;
                tasks.create(&title, self.description.as_deref())
            }
            Operation::Update => {
                let id = self.id.ok_or_else(|| missing("task update", "id"))?;
                let status = match self.status.ok_or_else(|| missing("task update", "status"))? {
                    Stage::Pending => Status::Pending,
                    Stage::InProgress => Status::InProgress,
                    Stage::Completed => Status::Completed,
                };
                tasks.set_status(&id, status)?
            }
            Operation::Get => tasks.get(&self.id.ok_or_else(|| missing("task get", "id"))?)?,
        };
        indented(&Shown::from(task))
    }
}

fn missing(what: &str, field: &'static str) -> Error {
    Error::invalid_input("", format!("{what}: {field} is required")).with("parameter", field)
}

fn indented(value: &impl Serialize) -> Result<String> {
    serde_json::to_string_pretty(value).map_err(Error::internal)
}
