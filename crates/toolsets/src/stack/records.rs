//! What the tools of tasks and plans share: their files, times and the words for status and
//! priority.

use toolkit::serde_json::Value;

use crate::prelude::*;

/// The file of the tasks.
pub(crate) const TASKS: &str = ".tasks.json";
/// The file of the plans.
pub(crate) const PLANS: &str = ".plans.json";

/// One task, for examples.
pub(crate) const ONE_TASK: &[(&str, &str)] = &[(
    TASKS,
    "[{\"id\": \"a1b2c3d4\", \"title\": \"Fix it\", \"status\": \"pending\", \"priority\": \"high\", \"mine\": 1}]",
)];
/// One plan, for examples.
pub(crate) const ONE_PLAN: &[(&str, &str)] = &[(
    PLANS,
    "[{\"id\": \"p1\", \"goal\": \"Deploy\", \"steps\": [\"Build\", \"Push\"], \"status\": \"pending\"}]",
)];

/// How these files fail beside the ways of all files.
pub(crate) const RECORDS: &[Code] = &[
    Code::InvalidJSON,
    Code::FileNotFound,
    Code::IsDirectory,
    Code::NotADirectory,
    Code::NotAFile,
    Code::FileTooLarge,
    Code::FileChanged,
];

const PRIORITIES: &[&str] = &["low", "medium", "high", "critical"];
const STATUSES: &[&str] = &["pending", "in_progress", "done", "blocked"];

/// A priority that there is.
pub(crate) fn priority(given: &str) -> Result<String> {
    one_of("priority", given, PRIORITIES)
}

/// A status that there is; `completed` is another word for done.
pub(crate) fn status(given: &str) -> Result<String> {
    one_of("status", if given == "completed" { "done" } else { given }, STATUSES)
}

fn one_of(field: &str, given: &str, known: &[&str]) -> Result<String> {
    if known.contains(&given) {
        return Ok(given.to_owned());
    }
    Err(Error::invalid_input(field, format!("unknown value `{given}`; use {}", known.join(", "))))
}

/// Now, as it is written into records, ISO 8601.
pub(crate) fn now() -> Value {
    jiff::Timestamp::now().to_string().into()
}
