//! Floyd `search_files`.

use files::search;

use crate::prelude::*;

/// Most paths of one answer.
const MOST: usize = 500;

/// Find files by path pattern, such as **/*.ts. Skips what .gitignore names.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SearchFiles {
    /// Pattern of the path below the directory; without a slash, of the name at any depth
    pattern: String,
    /// Directory (default: project)
    path: Option<String>,
    /// Patterns of what is left out
    #[serde(default)]
    exclude_patterns: Vec<String>,
}

/// The files.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// Paths, by name
    files: Vec<String>,
    /// How many are listed
    total_files: usize,
    /// What is missing
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Tool for SearchFiles {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("search_files", "Find files", Category::Files)
        .errors(&[LISTING, &[Code::InvalidGlob]])
        .examples(&[
            Example::of("All but the generated ones")
                .given(&[("src/a.ts", ""), ("src/gen/b.ts", ""), ("c.ts", ""), ("d.js", "")])
                .call(r#"{"pattern": "**/*.ts", "excludePatterns": ["**/gen/**"]}"#)
                .gives(r#"{"success": true, "files": ["c.ts", "src/a.ts"], "totalFiles": 2}"#),
            Example::of("A name at any depth, and why nothing may be found")
                .given(&[(".gitignore", "out\n"), ("out/app.js", "")])
                .call(r#"{"pattern": "app.js"}"#)
                .gives(
                    r#"{"success": true, "files": [], "totalFiles": 0, "note": "[..]ignored[..]"}"#,
                ),
            Example::of("A directory that does not exist")
                .given(&[("src/a.ts", "")])
                .call(r#"{"pattern": "*.ts", "path": "scr"}"#)
                .fails(Code::DirectoryNotFound, r#"{"error": "scr: no such directory; [..]"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let dir = self.path.as_deref().unwrap_or(".");
        let files = search::Find::files(&self.pattern, dir, MOST);
        let find = search::Find { exclude: &self.exclude_patterns, ..files };
        let found = search::find(cx.workspace(), &find, cx.cancel())?;
        let note = found.note();
        let files: Vec<String> = found.spots.into_iter().map(|spot| spot.shown).collect();
        success(Output { total_files: files.len(), files, note })
    }
}
