//! LocalCliTool `list_directory`.

use files::workspace::Kind;

use crate::prelude::*;

/// List what is in a directory. Names that begin with a dot are left out.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct ListDirectory {
    /// Path of the directory, relative to the base directory
    path: String,
}

/// The directory.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// What is in it, by name
    entries: Vec<Entry>,
}

/// One entry.
#[derive(Serialize, JsonSchema)]
struct Entry {
    /// The name alone
    name: String,
    /// What it is
    r#type: Type,
}

/// What an entry is.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Type {
    File,
    Directory,
    Other,
}

impl Tool for ListDirectory {
    type Output = Output;

    const FAILED: &'static str = r#"{"entries": []}"#;

    const SPEC: Spec = Spec::new("list_directory", "List a directory", Category::Files)
        .errors(&[LISTING])
        .examples(&[
            Example::of("Files and directories, hidden ones left out")
                .given(&[("projects/b.txt", ""), ("projects/a/x", ""), ("projects/.env", "")])
                .call(r#"{"path": "projects"}"#)
                .gives(r#"{"entries": [{"name": "a", "type": "directory"}, {"name": "b.txt", "type": "file"}]}"#),
            Example::of("A directory that does not exist")
                .call(r#"{"path": "nowhere"}"#)
                .fails(Code::DirectoryNotFound, r#"{"entries": [], "error": "nowhere: no such directory; [..]", "code": "DirectoryNotFound"}"#),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let entries = cx.workspace().list(&self.path)?.into_iter();
        let shown =
            entries.filter(|e| !e.name.trim_start_matches('"').starts_with('.')).map(|e| Entry {
                name: e.name,
                r#type: match e.kind {
                    Kind::File => Type::File,
                    Kind::Directory => Type::Directory,
                    Kind::Link | Kind::Special => Type::Other,
                },
            });
        Ok(Output { entries: shown.collect() })
    }
}
