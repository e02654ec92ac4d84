//! Floyd 0.1.0 `codebase_search`.

use index::Search;

use crate::floyd::search_codebase::{MOST, MOST_OF_ALL, Output};
use crate::prelude::*;

/// Search the code by words or meaning, best first.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CodebaseSearch {
    /// Words, names or a question
    query: String,
    /// Directory (default: project)
    path: Option<String>,
    /// Most results (default: 20)
    #[schemars(with = "Option<f64>")]
    max_results: Option<usize>,
}

impl Tool for CodebaseSearch {
    type Output = Success<Output>;

    const FAILED: &'static str = r#"{"results": [], "totalResults": 0}"#;

    const SPEC: Spec = Spec::new("codebase_search", "Search the codebase", Category::Search)
        .aliases(&["search_codebase"])
        .errors(&[LISTING, &[Code::QueryTooShort, Code::IndexNotBuilt]])
        .examples(&[
            Example::of("Names are found by their parts")
                .given(&[
                    ("src/client.ts", "class GLMClient {\n  connect() {}\n}\n"),
                    ("src/area.ts", "function area(w, h) {\n  return w * h;\n}\n"),
                ])
                .call(r#"{"query": "glm client", "path": "src", "maxResults": 1}"#)
                .gives(r#"{"success": true, "results": [{"file": "src/client.ts", "score": "[..]", "line": 1, "content": "class GLMClient {", "context": "class GLMClient {\n  connect() {}\n}"}], "totalResults": 1}"#),
            Example::of("Two letters are in every file")
                .given(&[("a.py", "ab = 1\n")])
                .call(r#"{"query": "ab"}"#)
                .fails(Code::QueryTooShort, r#"{"success": false, "results": [], "totalResults": 0, "error": "query: [..]", "code": "QueryTooShort"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let search = Search {
            query: &self.query,
            dir: self.path.as_deref().unwrap_or("."),
            tests: true,
            docs: true,
            max: self.max_results.unwrap_or(MOST).min(MOST_OF_ALL),
        };
        Output::of(cx.index().search(cx.workspace(), &search, cx.cancel())?)
    }
}
