//! LocalCliTool: eight file tools with one field or list each.

mod create_directory;
mod delete_directory;
mod delete_file;
mod find_files;
mod list_directory;
mod read_file;
mod search_codebase;
mod write_file;

use toolkit::engine::Error;
use toolkit::serde_json::{Map, Value, json};
use toolkit::{Body, Entry, Toolset};

/// The toolset in the order of its document.
pub(crate) fn toolset() -> Toolset {
    let mut toolset = Toolset::new("local", "LocalCliTool: eight file tools below one folder");
    toolset.instructions = "Paths are relative to the base folder; nothing outside of it can be \
        reached. Every change can be undone by the user.";
    toolset.envelope = envelope;
    toolset.with(vec![
        Entry::of::<create_directory::CreateDirectory>(),
        Entry::of::<write_file::WriteFile>(),
        Entry::of::<read_file::ReadFile>(),
        Entry::of::<delete_file::DeleteFile>(),
        Entry::of::<delete_directory::DeleteDirectory>(),
        Entry::of::<list_directory::ListDirectory>(),
        Entry::of::<search_codebase::SearchCodebase>(),
        Entry::of::<find_files::FindFiles>(),
    ])
}

/// A failure has the fields of a success, empty (`success: false`, `content: ""`, no entries), as
/// the document promises, and beside them the reason.
fn envelope(entry: &Entry, result: Result<Value, &Error>) -> Body {
    let error = match result {
        Ok(value) => return Body::Json(value),
        Err(error) => error,
    };
    let mut fields = Map::new();
    let output = entry.definition().output.as_ref();
    let properties = output.and_then(|o| o.get("properties")).and_then(Value::as_object);
    for (name, schema) in properties.into_iter().flatten() {
        let required = output.and_then(|o| o.get("required")).and_then(Value::as_array);
        if !required.is_some_and(|r| r.iter().any(|n| n == name)) {
            continue;
        }
        let empty = match schema.get("type").and_then(Value::as_str) {
            Some("boolean") => json!(false),
            Some("string") => json!(""),
            _ => json!([]),
        };
        fields.insert(name.clone(), empty);
    }
    fields.insert("error".into(), json!(error.message));
    fields.insert("code".into(), json!(error.code.as_str()));
    Body::Json(Value::Object(fields))
}
