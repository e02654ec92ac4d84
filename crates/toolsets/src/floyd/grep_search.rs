//! Floyd `grep_search`.

use files::search::{self, Hit};

use crate::prelude::*;

/// Most hits of one answer.
const MOST: usize = 200;

/// Search file contents for a regular expression. Skips what .gitignore names.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GrepSearch {
    /// Regular expression
    pub(crate) pattern: String,
    /// Directory or file (default: project)
    pub(crate) path: Option<String>,
    /// Only files such as *.ts or src/**/*.ts
    pub(crate) file_pattern: Option<String>,
    /// Ignore case
    #[serde(default)]
    pub(crate) case_insensitive: bool,
    /// Lines before and after each hit, at most 20
    #[serde(default)]
    pub(crate) context_lines: usize,
    #[serde(default)]
    #[schemars(skip)]
    pub(crate) output_mode: OutputMode,
}

/// How much of the hits is wanted.
#[derive(Clone, Copy, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OutputMode {
    /// Every hit
    #[default]
    Content,
    /// The first hit of each file
    FilesWithMatches,
    /// The numbers alone
    Count,
}

/// The lines that match.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// By file, then by line
    matches: Vec<Match>,
    /// Lines that match
    total_matches: usize,
    /// Files with such a line
    files_with_matches: usize,
    /// What is missing
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// One line.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Match {
    /// Its file
    file: String,
    /// Its number, from 1
    line: u64,
    /// The line
    content: String,
    /// Characters of content before the match
    match_start: usize,
    /// Characters of content up to the end of the match
    match_end: usize,
    /// Lines before it
    #[serde(skip_serializing_if = "Vec::is_empty")]
    before: Vec<String>,
    /// Lines after it
    #[serde(skip_serializing_if = "Vec::is_empty")]
    after: Vec<String>,
}

impl From<Hit> for Match {
    fn from(hit: Hit) -> Self {
        let chars = |bytes| hit.text[..bytes].chars().count();
        Self {
            file: hit.shown.to_string(),
            line: hit.line,
            match_start: chars(hit.span.start),
            match_end: chars(hit.span.end),
            content: hit.text,
            before: hit.before,
            after: hit.after,
        }
    }
}

impl Output {
    /// Searches; of hits that are not shown only the number is given.
    fn search(cx: &Cx<'_>, grep: &search::Grep<'_>, mode: OutputMode) -> Result<Success<Self>> {
        let counted = search::Grep { max_hits: 100 * MOST, ..*grep };
        let found = search::grep(cx.workspace(), &counted, cx.cancel())?;
        let total_matches = found.hits.len();
        let mut files: Vec<_> = found.hits.iter().map(|hit| hit.shown.clone()).collect();
        files.dedup();
        let mut hits = found.hits;
        match mode {
            OutputMode::Content => {}
            OutputMode::FilesWithMatches => hits.dedup_by(|a, b| a.path == b.path),
            OutputMode::Count => hits.clear(),
        }
        let wanted = hits.len();
        hits.truncate(MOST);
        let note = match (found.more, wanted > MOST) {
            (true, true) => Some(format!(
                "the search stopped at {total_matches} matches, of which the first {MOST} are \
                 shown; there are more, narrow it"
            )),
            (true, false) => Some(format!(
                "the search stopped at {total_matches} matches; there are more, narrow it"
            )),
            (_, true) => Some(format!("only the first {MOST} are shown; narrow the search")),
            _ => found.skipped.beside(total_matches > 0),
        };
        let matches = hits.into_iter().map(Match::from).collect();
        success(Self { matches, total_matches, files_with_matches: files.len(), note })
    }
}

impl Tool for GrepSearch {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("grep_search", "Search in files", Category::Search)
        .aliases(&["grep"])
        .errors(&[
            LISTING,
            &[Code::FileNotFound, Code::NotAFile, Code::InvalidRegex, Code::InvalidGlob],
        ])
        .examples(&[
            Example::of("A hit with the lines around it")
                .given(&[
                    ("src/a.ts", "// über\nfunction go() {\n  run();\n}\n"),
                    ("b.js", "go()\n"),
                ])
                .call(r#"{"pattern": "\\bgo\\b", "filePattern": "*.ts", "contextLines": 1}"#)
                .gives(r#"{"success": true, "matches": [{"file": "src/a.ts", "line": 2, "content": "function go() {", "matchStart": 9, "matchEnd": 11, "before": ["// über"], "after": ["  run();"]}], "totalMatches": 1, "filesWithMatches": 1}"#),
            Example::of("An invalid regular expression")
                .call(r#"{"pattern": "go("}"#)
                .fails(Code::InvalidRegex, r#"{"error": "pattern go(: invalid regular expression[..]"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let grep = search::Grep {
            ignore_case: self.case_insensitive,
            glob: self.file_pattern.as_deref(),
            context: self.context_lines,
            ..search::Grep::new(&self.pattern, self.path.as_deref().unwrap_or("."), 0)
        };
        Output::search(cx, &grep, self.output_mode)
    }
}
