//! Floyd `search_codebase`.

use index::{Answer, Hit, Search};

use crate::prelude::*;

/// Most hits of an answer that does not say.
pub(crate) const MOST: usize = 20;
/// Most hits of any answer.
pub(crate) const MOST_OF_ALL: usize = 200;

/// Search code by words or meaning, best first. For exact text use grep_search.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SearchCodebase {
    /// Words, names or a question
    query: String,
    /// Tests too (default: no)
    #[serde(default)]
    include_tests: bool,
    /// Documentation too (default: no)
    #[serde(default)]
    include_docs: bool,
    #[schemars(skip)]
    path: Option<String>,
    #[schemars(skip)]
    max_results: Option<usize>,
}

/// Where the code says something about the query.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
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
    pub(crate) fn of(answer: Answer) -> Result<Success<Self>> {
        let place = |hit: Hit| {
            let (line, content) = hit.best.into_iter().next().unwrap_or_default();
            Place { file: hit.shown, score: score(hit.score), line, content, context: hit.snippet }
        };
        let left_out =
            [(answer.tests, "tests (includeTests)"), (answer.docs, "documentation (includeDocs)")];
        let left_out = left_out.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| {
            let s = if count == 1 { "" } else { "s" };
            format!("not searched: {count} file{s} of {what}")
        });
        let notes: Vec<String> = answer.note.into_iter().chain(left_out).collect();
        success(Self {
            results: answer.hits.into_iter().map(place).collect(),
            total_results: answer.total,
            note: joined(&notes),
        })
    }
}

/// Three places are all that says something.
pub(crate) fn score(score: f32) -> f64 {
    (f64::from(score) * 1000.0).round() / 1000.0
}

impl Tool for SearchCodebase {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("search_codebase", "Search the codebase", Category::Search)
        .aliases(&["codebase_search"])
        .errors(&[LISTING, &[Code::QueryTooShort, Code::IndexNotBuilt]])
        .examples(&[
            Example::of("A question that has no word in common with the code")
                .given(&[
                    ("src/area.py", "def area(width, height):\n    return width * height\n"),
                    (
                        "src/net.py",
                        "def connect(host, timeout):\n    retry(host, timeout)\n\n\ndef retry(host, seconds):\n    pass\n",
                    ),
                ])
                .call(r#"{"query": "try again when the server does not answer"}"#)
                .gives(r#"{"success": true, "results": [{"file": "src/net.py", "score": "[..]", "line": 5, "content": "def retry(host, seconds):", "context": "def retry(host, seconds):\n    pass"}, "[..]"], "totalResults": 2}"#),
            Example::of("Tests are searched when asked for")
                .given(&[
                    ("src/cart.js", "export function total(items) {\n  return items.length;\n}\n"),
                    ("tests/cart.test.js", "test('total of a cart', () => {\n  total([]);\n});\n"),
                ])
                .call(r#"{"query": "cart total", "includeTests": false}"#)
                .gives(r#"{"success": true, "results": [{"file": "src/cart.js", "score": "[..]", "line": 1, "content": "export function total(items) {", "context": "[..]"}], "totalResults": 1, "note": "not searched: 1 file of tests (includeTests)"}"#),
            Example::of("Two letters are in every file")
                .given(&[("a.py", "ab = 1\n")])
                .call(r#"{"query": "ab"}"#)
                .fails(Code::QueryTooShort, r#"{"error": "query: [..]"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let search = Search {
            query: &self.query,
            dir: self.path.as_deref().unwrap_or("."),
            tests: self.include_tests,
            docs: self.include_docs,
            max: self.max_results.unwrap_or(MOST).min(MOST_OF_ALL),
        };
        Output::of(cx.index().search(cx.workspace(), &search, cx.cancel())?)
    }
}
