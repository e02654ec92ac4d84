//! Floyd 0.1.0 `semantic_search`.

use index::Search;

use crate::floyd::search_codebase::score;
use crate::prelude::*;

/// Most places that are brought together by file.
const MOST: usize = 30;

/// Search the code by meaning, file by file, best first.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct SemanticSearch {
    /// A question or a description
    query: String,
}

/// The files that answer.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// The best first
    results: Vec<File>,
    /// Files
    total_results: usize,
    /// What was not searched
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// A file that answers.
#[derive(Serialize, JsonSchema)]
struct File {
    /// Its path
    file: String,
    /// How well its best place fits, from 0 to 1
    score: f64,
    /// The lines that say most, the best first
    matches: Vec<Match>,
}

/// A line.
#[derive(Serialize, JsonSchema)]
struct Match {
    /// Its number, from 1
    line: usize,
    /// The line
    content: String,
}

impl Tool for SemanticSearch {
    type Output = Output;

    const FAILED: &'static str = r#"{"results": [], "totalResults": 0}"#;

    const SPEC: Spec = Spec::new("semantic_search", "Search by meaning", Category::Search)
        .errors(&[&[Code::QueryTooShort, Code::IndexNotBuilt]])
        .examples(&[
            Example::of("The words of the question need not be those of the code")
                .given(&[
                    (
                        "src/area.go",
                        "package geometry\n\nfunc Area(width, height int) int {\n\treturn width * height\n}\n",
                    ),
                    (
                        "src/store.go",
                        "package store\n\nfunc deleteFile(path string) error {\n\treturn os.Remove(path)\n}\n",
                    ),
                ])
                .call(r#"{"query": "erase a document from disk"}"#)
                .gives(r#"{"results": [{"file": "src/store.go", "score": "[..]", "matches": [{"line": 3, "content": "func deleteFile(path string) error {"}]}], "totalResults": 1}"#),
            Example::of("A question needs some letters")
                .given(&[("a.py", "ab = 1\n")])
                .call(r#"{"query": " "}"#)
                .fails(Code::QueryTooShort, r#"{"results": [], "totalResults": 0, "error": "query: [..]", "code": "QueryTooShort"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let search = Search { query: &self.query, dir: ".", tests: true, docs: true, max: MOST };
        let answer = cx.index().search(cx.workspace(), &search, cx.cancel())?;
        let mut results: Vec<File> = Vec::new();
        for hit in answer.hits {
            let matches = hit.best.into_iter().map(|(line, content)| Match { line, content });
            match results.iter_mut().find(|file| file.file == hit.shown) {
                Some(file) => file.matches.extend(matches),
                None => results.push(File {
                    file: hit.shown,
                    score: score(hit.score),
                    matches: matches.collect(),
                }),
            }
        }
        Ok(Output { total_results: results.len(), results, note: answer.note })
    }
}
