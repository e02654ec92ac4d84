//! Stack `grep`.

use files::search::{self, Hit};

use crate::prelude::*;

/// Search file contents for a regular expression. Skips what .gitignore names.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Grep {
    /// Directory or file
    path: String,
    /// Regular expression
    pattern: String,
    /// Lines before and after each hit, at most 20
    #[serde(default)]
    context: usize,
}

/// Most hits of one answer.
const MOST: usize = 200;

/// What was done.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// By file, then by line
    matches: Vec<Match>,
    /// How many
    count: usize,
    /// What is missing
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// One line that matches.
#[derive(Serialize, JsonSchema)]
struct Match {
    /// Its file
    file: String,
    /// Its number, from 1
    line: u64,
    /// The line
    content: String,
    /// The lines before it, itself and those after it
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<Vec<String>>,
}

impl Match {
    fn of(hit: Hit, around: bool) -> Self {
        let Hit { before, text, after, .. } = hit;
        let lines = before.into_iter().chain([text.clone()]).chain(after);
        let context = around.then(|| lines.collect());
        Self { file: hit.shown.to_string(), line: hit.line, content: text, context }
    }
}

impl Tool for Grep {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("grep", "Search in files", Category::Files)
        .errors(&[LISTING, &[Code::FileNotFound, Code::NotAFile, Code::InvalidRegex]])
        .examples(&[
            Example::of("A hit with a line around it")
                .given(&[("a.py", "import os\n\ndef main():\n    pass\n")])
                .call(r#"{"path": ".", "pattern": "def \\w+", "context": 1}"#)
                .gives(r#"{"success": true, "matches": [{"file": "a.py", "line": 3, "content": "def main():", "context": ["", "def main():", "    pass"]}], "count": 1}"#),
            Example::of("An invalid regular expression")
                .call(r#"{"path": ".", "pattern": "("}"#)
                .fails(Code::InvalidRegex, r#"{"success": false, "error": "pattern (: invalid regular expression[..]", "code": "InvalidRegex"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let lines = search::Grep::new(&self.pattern, &self.path, MOST);
        let grep = search::Grep { context: self.context, ..lines };
        let found = search::grep(cx.workspace(), &grep, cx.cancel())?;
        let note = if found.more {
            Some(format!("only the first {MOST} matches; narrow the search"))
        } else {
            found.skipped.beside(!found.hits.is_empty())
        };
        let around = self.context > 0;
        let matches: Vec<Match> =
            found.hits.into_iter().map(|hit| Match::of(hit, around)).collect();
        success(Output { count: matches.len(), matches, note })
    }
}
