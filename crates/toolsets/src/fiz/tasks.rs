//! The subtasks that a session keeps in mind.

use std::sync::{Mutex, MutexGuard, PoisonError};

use fault::{Error, Result};

/// How far a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Not begun.
    Pending,
    /// Begun.
    InProgress,
    /// Done.
    Completed,
}

/// One subtask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Task {
    /// `task-1`, `task-2`, …
    pub(crate) id: String,
    /// What is to be done, one line.
    pub(crate) title: String,
    /// More about it.
    pub(crate) description: Option<String>,
    /// How far it is.
    pub(crate) status: Status,
    /// Its place in the list, from 1.
    pub(crate) order: usize,
}

/// The tasks of one session, in memory.
#[derive(Debug, Default)]
pub(crate) struct Tasks(Mutex<Vec<Task>>);

impl Tasks {
    fn lock(&self) -> MutexGuard<'_, Vec<Task>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a pending task at the end.
    pub(crate) fn create(&self, title: &str, description: Option<&str>) -> Task {
        let mut tasks = self.lock();
        let order = tasks.len() + 1;
        let task = Task {
            id: format!("task-{order}"),
            title: title.to_owned(),
            description: description.map(str::to_owned),
            status: Status::Pending,
            order,
        };
        tasks.push(task.clone());
        task
    }

    /// Sets how far a task is.
    ///
    /// # Errors
    /// `TaskNotFound`.
    pub(crate) fn set_status(&self, id: &str, status: Status) -> Result<Task> {
        let mut tasks = self.lock();
        let count = tasks.len();
        let task = tasks
            .iter_mut()
            .find(|t| t.id == id)
            .ok_or_else(|| Error::task_not_found(id, count))?;
        task.status = status;
        Ok(task.clone())
    }

    /// The task of this id.
    ///
    /// # Errors
    /// `TaskNotFound`.
    pub(crate) fn get(&self, id: &str) -> Result<Task> {
        let tasks = self.lock();
        let found = tasks.iter().find(|t| t.id == id).cloned();
        found.ok_or_else(|| Error::task_not_found(id, tasks.len()))
    }

    /// All tasks in their order.
    pub(crate) fn list(&self) -> Vec<Task> {
        self.lock().clone()
    }
}
