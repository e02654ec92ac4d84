//! Floyd `list_directory`.

use files::search;
use files::workspace::Kind;

use crate::prelude::*;

/// Most entries of one answer.
const MOST: usize = 1000;

/// List a directory, or all below it but what .gitignore names.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListDirectory {
    /// Directory (default: project)
    path: Option<String>,
    /// List the directories in it too
    #[serde(default)]
    recursive: bool,
    /// List names that begin with a dot too
    #[serde(default)]
    include_hidden: bool,
}

/// The directory.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// The directory as given
    path: String,
    /// What is in it, by path
    entries: Vec<Entry>,
    /// How many are listed
    total_entries: usize,
    /// What is missing
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// One entry.
#[derive(Serialize, JsonSchema)]
struct Entry {
    /// Its path below the directory
    name: String,
    /// What it is
    r#type: Type,
    /// Bytes of a file
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
}

/// What an entry is.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Type {
    File,
    Directory,
    Link,
    Other,
}

impl Tool for ListDirectory {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("list_directory", "List a directory", Category::Files)
        .errors(&[LISTING])
        .examples(&[
            Example::of("One directory")
                .given(&[("src/a.ts", "let a;\n"), ("src/lib/b.ts", ""), ("src/.env", "")])
                .call(r#"{"path": "src"}"#)
                .gives(r#"{"success": true, "path": "src", "entries": [{"name": "a.ts", "type": "file", "size": 7}, {"name": "lib", "type": "directory"}], "totalEntries": 2, "note": "1 hidden; includeHidden shows them"}"#),
            Example::of("All below it")
                .given(&[("src/a.ts", ""), ("src/lib/b.ts", "b\n"), ("node_modules/x.js", "")])
                .call(r#"{"recursive": true}"#)
                .gives(r#"{"success": true, "path": ".", "entries": [{"name": "node_modules", "type": "directory"}, {"name": "src", "type": "directory"}, {"name": "src/a.ts", "type": "file", "size": 0}, {"name": "src/lib", "type": "directory"}, {"name": "src/lib/b.ts", "type": "file", "size": 2}], "totalEntries": 5, "note": "skipped 1 directory (node_modules; name one to look into it)"}"#),
            Example::of("A file is no directory")
                .given(&[("a.ts", "")])
                .call(r#"{"path": "a.ts"}"#)
                .fails(Code::NotADirectory, r#"{"error": "a.ts: [..]"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let path = self.path.as_deref().unwrap_or(".");
        let (mut found, mut note) =
            if self.recursive { below(cx, path)? } else { (within(cx, path)?, Vec::new()) };
        if !self.include_hidden {
            let all = found.len();
            found.retain(|(name, _)| {
                !name.split('/').any(|part| part.trim_start_matches('"').starts_with('.'))
            });
            let hidden = all - found.len();
            if hidden > 0 {
                note.push(format!("{hidden} hidden; includeHidden shows them"));
            }
        }
        if found.len() > MOST {
            note.push(format!("only the first {MOST} of {}; list a directory below", found.len()));
            found.truncate(MOST);
        }
        let entry = |(name, kind)| Entry {
            size: (kind == Kind::File)
                .then(|| cx.workspace().glance(&format!("{path}/{name}")).map(|g| g.size))
                .flatten(),
            name,
            r#type: match kind {
                Kind::File => Type::File,
                Kind::Directory => Type::Directory,
                Kind::Link => Type::Link,
                Kind::Special => Type::Other,
            },
        };
        let entries: Vec<Entry> = found.into_iter().map(entry).collect();
        let total_entries = entries.len();
        let note = (!note.is_empty()).then(|| note.join("; "));
        success(Output { path: path.to_owned(), entries, total_entries, note })
    }
}

/// Names with what they are.
type Names = Vec<(String, Kind)>;

fn within(cx: &Cx<'_>, path: &str) -> Result<Names> {
    Ok(cx.workspace().list(path)?.into_iter().map(|entry| (entry.name, entry.kind)).collect())
}

fn below(cx: &Cx<'_>, path: &str) -> Result<(Names, Vec<String>)> {
    let all = search::Find::files("**", path, 10 * MOST);
    let find = search::Find { kinds: search::Kinds::All, names: false, ..all };
    let found = search::find(cx.workspace(), &find, cx.cancel())?;
    let workspace = cx.workspace();
    let top = workspace.glance(path).map(|top| top.path).unwrap_or_default();
    let name = |spot: &search::Spot| {
        let parts = spot.path.strip_prefix(&top).unwrap_or(&spot.path).iter();
        parts.map(files::workspace::quote).collect::<Vec<_>>().join("/")
    };
    let mut entries: Names = found.spots.iter().map(|spot| (name(spot), spot.kind)).collect();
    // What no ignore file names is there, even if it is not looked into.
    let own = format!("{}/", workspace.show(&top));
    let passed = found.skipped.passed_over.iter();
    let passed = passed.map(|p| p.strip_prefix(&own).unwrap_or(p).to_owned());
    let internals = within(cx, path)?.into_iter().map(|(name, _)| name);
    let internals = internals.filter(|name| search::INTERNALS.contains(&name.as_str()));
    entries.extend(passed.chain(internals).map(|name| (name, Kind::Directory)));
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    let mut notes: Vec<String> = found.skipped.beside(true).into_iter().collect();
    if found.more {
        notes.push("more than can be listed; list a directory below".to_owned());
    }
    Ok((entries, notes))
}
