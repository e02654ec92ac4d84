//! Tasks and plans that a project keeps: a list of JSON objects in a file that people read too.
//!
//! Several processes change it at once, so each change reads the file under its lock. Fields that
//! are not known here stay.

use fault::{Code, Error, Result};
use files::journal::Step;
use files::workspace::Workspace;
use serde_json::{Map, Value};

/// One task or plan.
pub(crate) type Record = Map<String, Value>;

/// The records in the file at `path`; none if there is no file.
///
/// # Errors
/// `InvalidJSON` if it holds something else; else as for reading.
pub(crate) fn read(workspace: &Workspace, path: &str) -> Result<Vec<Record>> {
    match workspace.read(path) {
        Err(e) if e.code == Code::FileNotFound => Ok(Vec::new()),
        contents => parse(path, &contents?.bytes),
    }
}

/// Changes the records in the file at `path`, or makes it; nothing is written if `change` fails.
///
/// # Errors
/// `InvalidJSON`, and what `change` fails with; else as for [`Step::edit_or_create`].
pub(crate) fn change<T>(
    step: &Step<'_>,
    path: &str,
    change: impl FnOnce(&mut Vec<Record>) -> Result<T>,
) -> Result<T> {
    step.edit_or_create(path, |bytes| {
        let mut records = parse(path, bytes)?;
        let value = change(&mut records)?;
        let records = Value::from(records.into_iter().map(Value::Object).collect::<Vec<_>>());
        let mut text = serde_json::to_vec_pretty(&records)
            .map_err(|e| Error::internal(format!("records that are no JSON: {e}")))?;
        text.push(b'\n');
        Ok((text, value))
    })
}

/// The record with this id.
///
/// # Errors
/// `TaskNotFound` with the ids there are.
pub(crate) fn find<'r>(records: &'r mut [Record], kind: &str, id: &str) -> Result<&'r mut Record> {
    let ids: Vec<String> = records.iter().filter_map(id_of).map(str::to_owned).collect();
    let found = records.iter_mut().find(|record| id_of(record) == Some(id));
    found.ok_or_else(|| Error::no_record(kind, id, &ids))
}

/// The id of a record.
pub(crate) fn id_of(record: &Record) -> Option<&str> {
    record.get("id").and_then(Value::as_str)
}

/// Eight hexadecimal digits that no record has as its id yet.
pub(crate) fn new_id(records: &[Record], title: &str) -> String {
    let ids = (0..).map(|n: u32| {
        let seed = [title, &files::journal::new_id(), &n.to_string()];
        files::journal::digest(&seed).chars().take(8).collect::<String>()
    });
    let mut ids = ids.filter(|id| !records.iter().any(|record| id_of(record) == Some(id)));
    ids.next().unwrap_or_default() // the sequence does not end
}

fn parse(path: &str, bytes: &[u8]) -> Result<Vec<Record>> {
    if bytes.trim_ascii().is_empty() {
        return Ok(Vec::new());
    }
    serde_json::from_slice(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes))
        .map_err(|e| Error::broken_records(path, &e))
}
