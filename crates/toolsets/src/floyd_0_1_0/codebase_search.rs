//! Floyd 0.1.0 `codebase_search`.

use index::{Answer, Hit, Search};

use crate::prelude::*;

/// Most hits of an answer that does not say.
pub(crate) const MOST: usize = 20;
/// Most hits of any answer.
pub(crate) const MOST_OF_ALL: usize = 200;

/// Search the code by words or meaning, best first.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CodebaseSearch {
    /// Words, names or a question
    query: String,
    /// Folder (default: project)
    path: Option<String>,
    /// Most results (default: 20)
    #[schemars(with = "Option<f64>")]
    max_results: Option<usize>,
}

/// Where the code says something about the query.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// True
    success: bool,
    /// The best first
    results: Vec<Place>,
    /// How many there are, also beyond these
    total_results: usize,
    /// What was not searched
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// A place in the code.
#[derive(Serialize, JsonSchema)]
struct Place {
    /// Its file
    file: String,
    /// How well it fits, from 0 to 1
    score: f64,
    /// The line that says most, from 1
    line: usize,
    /// That line
    content: String,
    /// The lines around it
    context: String,
}

impl Output {
    pub(crate) fn of(answer: Answer) -> Result<Self> {
        let place = |hit: Hit| {
            let (line, content) = hit.best.into_iter().next().unwrap_or_default();
            Place { file: hit.shown, score: score(hit.score), line, content, context: hit.snippet }
        };
        Ok(Self {
            success: true,
            results: answer.hits.into_iter().map(place).collect(),
            total_results: answer.total,
            note: answer.note,
        })
    }
}

/// Three places are all that says something.
pub(crate) fn score(score: f32) -> f64 {
    (f64::from(score) * 1000.0).round() / 1000.0
}

impl Tool for CodebaseSearch {
    type Output = Output;

    const FAILED: &'static str = r#"{"results": [], "totalResults": 0}"#;

    const SPEC: Spec = Spec {
        name: "codebase_search",
        aliases: &["search_codebase"],
        title: "Search the codebase",
        category: Category::Search,
        effect: Effect::READS,
        permission: Permission::None,
        errors: &[LISTING, &[Code::QueryTooShort, Code::IndexNotBuilt]],
        examples: &[
            Example {
                about: "Names are found by their parts",
                given: &[
                    ("src/client.ts", "class GLMClient {\n  connect() {}\n}\n"),
                    ("src/area.ts", "function area(w, h) {\n  return w * h;\n}\n"),
                ],
                call: r#"{"query": "glm client", "path": "src", "maxResults": 1}"#,
                gives: r#"{"success": true, "results": [{"file": "src/client.ts", "score": "[..]", "line": 1, "content": "class GLMClient {", "context": "class GLMClient {\n  connect() {}\n}"}], "totalResults": 1}"#,
                leaves: &[],
                fails: None,
            },
            Example {
                about: "Two letters are in every file",
                given: &[("a.py", "ab = 1\n")],
                call: r#"{"query": "ab"}"#,
                gives: r#"{"success": false, "results": [], "totalResults": 0, "error": "query: [..]", "code": "QueryTooShort"}"#,
                leaves: &[],
                fails: Some(Code::QueryTooShort),
            },
        ],
    };

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
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
