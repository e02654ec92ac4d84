//! Stack `search`.

use files::search;

use crate::prelude::*;

/// Find files by pattern, such as *.py or **/*.md. Skips what .gitignore names.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Search {
    /// Directory
    path: String,
    /// Pattern; without a slash, of the name at any depth
    pattern: String,
    /// Patterns of what is left out
    #[serde(default)]
    exclude: Vec<String>,
}

/// Most paths of one answer.
const MOST: usize = 500;

/// What was done.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Paths, by name
    matches: Vec<String>,
    /// How many
    count: usize,
    /// What is missing
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Tool for Search {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("search", "Find files", Category::Files)
        .errors(&[LISTING, &[Code::InvalidGlob]])
        .examples(&[
            Example::of("All but the tests")
                .given(&[("a.py", ""), ("pkg/b.py", ""), ("tests/c.py", "")])
                .call(r#"{"path": ".", "pattern": "*.py", "exclude": ["tests/**"]}"#)
                .gives(r#"{"success": true, "matches": ["a.py", "pkg/b.py"], "count": 2}"#),
            Example::of("A directory that does not exist")
                .call(r#"{"path": "src", "pattern": "*"}"#)
                .fails(Code::DirectoryNotFound, r#"{"success": false, "error": "src: no such directory; [..]", "code": "DirectoryNotFound"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let files = search::Find::files(&self.pattern, &self.path, MOST);
        let find = search::Find { exclude: &self.exclude, ..files };
        let found = search::find(cx.workspace(), &find, cx.cancel())?;
        let note = found.note();
        let matches: Vec<String> = found.spots.into_iter().map(|spot| spot.shown).collect();
        success(Output { count: matches.len(), matches, note })
    }
}
