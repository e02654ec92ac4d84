//! Failures of the tasks that a session keeps.

use super::{Code, Error};

impl Error {
    /// No task of this id; `count` is how many there are.
    pub fn task_not_found(id: &str, count: usize) -> Self {
        let known = match count {
            0 => "there are no tasks yet; create one".to_owned(),
            1 => "there is only task-1".to_owned(),
            n => format!("there are task-1 to task-{n}"),
        };
        Self::new(Code::TaskNotFound, format!("task {id} not found; {known}"))
    }
}
