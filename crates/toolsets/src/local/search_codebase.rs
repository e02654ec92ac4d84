//! LocalCliTool `search_codebase`.

use files::search;

use crate::prelude::*;

/// Most hits of one answer.
const MOST: usize = 200;

/// Search the files below the base directory for a text, ignoring case. What .gitignore leaves out
/// is not searched.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct SearchCodebase {
    /// Text to find, taken literally
    query: String,
    /// Search subdirectories too; true if absent
    recursive: Option<bool>,
}

/// What was found.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The lines that hold the text, by file and line
    results: Vec<Hit>,
    /// What the results leave out, if they leave out anything
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// One line.
#[derive(Serialize, JsonSchema)]
struct Hit {
    /// Path relative to the base directory
    file: String,
    /// Line, counted from 1
    line_number: u64,
    /// The line
    line_content: String,
}

impl Tool for SearchCodebase {
    type Output = Output;

    const FAILED: &'static str = r#"{"results": []}"#;

    const SPEC: Spec = Spec::new("search_codebase", "Search in files", Category::Search)
        .examples(&[
            Example::of("The query is a text, not an expression")
                .given(&[
                    ("a.js", "x\nFUNCTION main() {}\n"),
                    ("b/c.js", "  function main(a)\n"),
                    ("d", "function  main\n"),
                ])
                .call(r#"{"query": "function main(", "recursive": true}"#)
                .gives(r#"{"results": [{"file": "a.js", "line_number": 2, "line_content": "FUNCTION main() {}"}, {"file": "b/c.js", "line_number": 1, "line_content": "  function main(a)"}]}"#),
            Example::of("Only the base directory itself")
                .given(&[("a.txt", "needle\n"), ("sub/b.txt", "needle\n")])
                .call(r#"{"query": "needle", "recursive": false}"#)
                .gives(r#"{"results": [{"file": "a.txt", "line_number": 1, "line_content": "needle"}]}"#),
            Example::of("An empty query would match everything")
                .given(&[("a.txt", "x\n")])
                .call(r#"{"query": ""}"#)
                .fails(Code::InvalidInput, r#"{"results": [], "error": "query: [..]", "code": "InvalidInput"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        if self.query.is_empty() {
            return Err(Error::invalid_input("query", "empty; give the text to find"));
        }
        let grep = search::Grep {
            literal: true,
            ignore_case: true,
            recursive: self.recursive.unwrap_or(true),
            ..search::Grep::new(&self.query, ".", MOST)
        };
        let found = search::grep(cx.workspace(), &grep, cx.cancel())?;
        let note = if found.more {
            Some(format!("only the first {MOST} results; search for a rarer text"))
        } else {
            found.skipped.beside(!found.hits.is_empty())
        };
        let hit = |h: search::Hit| Hit {
            file: h.shown.to_string(),
            line_number: h.line,
            line_content: h.text,
        };
        Ok(Output { results: found.hits.into_iter().map(hit).collect(), note })
    }
}
