//! Floyd 0.1.0 `grep`.

use crate::floyd::grep_search::{GrepSearch, Output, OutputMode};
use crate::prelude::*;

/// Search file contents for a regular expression. Skips what .gitignore names.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Grep {
    /// Regular expression
    pattern: String,
    /// Directory or file (default: project)
    path: Option<String>,
    /// Only files such as *.ts or src/**/*.ts
    file_pattern: Option<String>,
    /// Ignore case
    #[serde(default)]
    case_insensitive: bool,
    /// Every hit (default), the first of each file, or the numbers alone
    #[serde(default)]
    output_mode: OutputMode,
    #[serde(default)]
    #[schemars(skip)]
    context_lines: usize,
}

impl Tool for Grep {
    type Output = Success<Output>;

    const FAILED: &'static str = r#"{"matches": [], "totalMatches": 0, "filesWithMatches": 0}"#;

    const SPEC: Spec = Spec::new("grep", "Search in files", Category::Search)
        .aliases(&["grep_search"])
        .errors(&[
            LISTING,
            &[Code::FileNotFound, Code::NotAFile, Code::InvalidRegex, Code::InvalidGlob],
        ])
        .examples(&[
            Example::of("Which files have it")
                .given(&[("a.ts", "go();\nGo();\n"), ("b.ts", "// GO\n"), ("c.ts", "stop();\n")])
                .call(r#"{"pattern": "go", "caseInsensitive": true, "outputMode": "files_with_matches"}"#)
                .gives(r#"{"success": true, "matches": [{"file": "a.ts", "line": 1, "content": "go();", "matchStart": 0, "matchEnd": 2}, {"file": "b.ts", "line": 1, "content": "// GO", "matchStart": 3, "matchEnd": 5}], "totalMatches": 3, "filesWithMatches": 2}"#),
            Example::of("How often it is there")
                .given(&[("a.ts", "go();\nGo();\n"), ("b.ts", "go();\n")])
                .call(r#"{"pattern": "^go", "outputMode": "count"}"#)
                .gives(r#"{"success": true, "matches": [], "totalMatches": 2, "filesWithMatches": 2}"#),
            Example::of("A directory that does not exist")
                .given(&[("a.ts", "")])
                .call(r#"{"pattern": "go", "path": "src"}"#)
                .fails(Code::DirectoryNotFound, r#"{"success": false, "matches": [], "totalMatches": 0, "filesWithMatches": 0, "error": "src: no such directory; [..]", "code": "DirectoryNotFound"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let Self { pattern, path, file_pattern, case_insensitive, output_mode, context_lines } =
            self;
        GrepSearch { pattern, path, file_pattern, case_insensitive, output_mode, context_lines }
            .run(cx)
    }
}
