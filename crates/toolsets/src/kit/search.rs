//! kit `search`.

use super::found::Line;
use super::parts::text_of;
use super::sent::{Sent, digests};
use super::try_next;
use crate::prelude::*;

/// Places of an answer that does not say, and most of any.
const LIMIT: usize = 50;
const MOST: usize = 1000;
/// Places of a search by meaning, whose order says most.
const MEANT: usize = 10;

/// Search, best first. symbols: definitions of a name; refs: its uses in code; meaning: a question
/// in words; files: fuzzy names or a glob.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Search {
    pub(super) query: String,
    #[serde(default)]
    pub(super) mode: Mode,
    pub(super) path: Option<String>,
    /// `*.rs`
    pub(super) glob: Option<String>,
    #[serde(default)]
    #[schemars(with = "Option<i64>")]
    pub(super) context: usize,
    #[schemars(with = "Option<i64>")]
    offset: Option<usize>,
    #[schemars(with = "Option<i64>")]
    limit: Option<usize>,
    /// Per file
    #[serde(default)]
    count: bool,
    /// Exact
    #[serde(default)]
    pub(super) case: bool,
}

// What is looked for; a doc comment would be read by the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Mode {
    #[default]
    Text,
    Regex,
    Multiline,
    Files,
    Symbols,
    Refs,
    Meaning,
}

impl Tool for Search {
    type Output = String;

    const SPEC: Spec = Spec::new("search", "Search", Category::Search)
        .errors(&[
            LISTING,
            &[Code::FileNotFound, Code::NotAFile, Code::InvalidRegex, Code::InvalidGlob],
            &[Code::QueryTooShort, Code::IndexNotBuilt],
        ])
        .examples(&[
            Example::of("Text, grouped by file: code, then tests, then documentation")
                .given(&[
                    ("README.md", "call load()\n"),
                    ("src/z.py", "def load(p):\n    return p\n\nload(1)\nx = Load\n"),
                    ("tests/test_z.py", "load(2)\n\nload(2)\n"),
                ])
                .call(r#"{"query": "load"}"#)
                .gives("src/z.py\n1: def load(p):\n4: load(1)\n5: x = Load\ntests/test_z.py\n1,3: load(2)\nREADME.md\n1: call load()"),
            Example::of("A regular expression with the lines around, one page")
                .given(&[("a.txt", "one\ntwo\nthree\nfour\n")])
                .call(r#"{"query": "^t", "mode": "regex", "context": 1, "limit": 1}"#)
                .gives("a.txt\n1- one\n2: two\n3- three\n[1 of 2; next: {\"offset\": 2}]"),
            Example::of("A regular expression over lines")
                .given(&[("a.rs", "#[test]\nfn a() {}\n\nfn b() {}\n"), ("b.rs", "fn c() {}\n")])
                .call(r#"{"query": "test\\]\\s+fn \\w+", "mode": "multiline"}"#)
                .gives("a.rs\n1: #[test]\n2: fn a() {}"),
            Example::of("How many, in each file")
                .given(&[("a.txt", "x\nx\n"), ("b.txt", "x\n")])
                .call(r#"{"query": "x", "count": true}"#)
                .gives("a.txt: 2\nb.txt: 1\n3 in 2 files"),
            Example::of("In one directory, in files of a kind, with upper and lower case as given, from the second on")
                .given(&[("a/x.py", "Load\nload\nload\n"), ("a/x.js", "load\n"), ("b/x.py", "load\n")])
                .call(r#"{"query": "load", "path": "a", "glob": "*.py", "case": true, "offset": 2}"#)
                .gives("a/x.py\n3: load"),
            Example::of("Files by parts of their names")
                .given(&[("src/stack/memory.rs", ""), ("src/main.rs", "")])
                .call(r#"{"query": "stmem", "mode": "files"}"#)
                .gives("src/stack/memory.rs"),
            Example::of("A definition, not its uses")
                .given(&[("a.ts", "new Engine();\nexport class Engine {\n  start() {}\n}\n")])
                .call(r#"{"query": "Engine", "mode": "symbols"}"#)
                .gives("a.ts\n2-4: export class Engine"),
            Example::of("Uses in code, not in comments")
                .given(&[("a.py", "def load(path):  # load\n    pass\n\n# load\nload('x')\n")])
                .call(r#"{"query": "load", "mode": "refs"}"#)
                .gives("a.py\n1: def load(path):  # load [definition]\n5: load('x')"),
            Example::of("A question that has no word in common with the code")
                .given(&[
                    ("area.py", "def area(width, height):\n    return width * height\n"),
                    ("net.py", "def connect(host):\n    retry(host)\n\n\ndef retry(host, seconds):\n    pass\n"),
                ])
                .call(r#"{"query": "try again when the server does not answer", "mode": "meaning", "limit": 1}"#)
                .gives("net.py\n5-6: def retry(host, seconds):\n[1 of 2; next: {\"offset\": 2}]"),
            Example::of("Nothing, and the mode that finds something")
                .given(&[("a.py", "aab = 1\n")])
                .call(r#"{"query": "a+b"}"#)
                .gives("no line has `a+b`; {\"mode\": \"regex\"} finds 1"),
            Example::of("An invalid regular expression")
                .given(&[("a.go", "f(\n")])
                .call(r#"{"query": "f(", "mode": "regex"}"#)
                .fails(Code::InvalidRegex, "error: pattern f(: invalid regular expression[..]"),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<String> {
        if self.query.trim().is_empty() && self.mode != Mode::Files {
            return Err(Error::invalid_input("query", "empty; say what to look for"));
        }
        let mut found = match self.mode {
            Mode::Text | Mode::Regex | Mode::Multiline => self.lines(cx)?,
            Mode::Files => self.files(cx)?,
            Mode::Symbols => self.symbols(cx)?,
            Mode::Refs => self.uses(cx)?,
            Mode::Meaning => self.meaning(cx)?,
        };
        if found.is_empty() {
            return try_next::nothing(&self, &found.notes, cx);
        }
        if self.mode != Mode::Files && self.mode != Mode::Meaning {
            found.sort();
        }
        if self.count {
            return Ok(found.counts());
        }
        let usual = if self.mode == Mode::Meaning { MEANT } else { LIMIT };
        let offset = self.offset.unwrap_or(1).max(1);
        let limit = self.limit.unwrap_or(usual).clamp(1, MOST);
        let of_lines = matches!(self.mode, Mode::Text | Mode::Regex | Mode::Multiline);
        Ok(found.page(offset, limit, cx.result_bytes(), |path, lines| {
            if of_lines {
                note(path, lines, cx);
            }
        }))
    }
}

/// Remembers the lines that were sent, where the file still has them: an edit may name them by
/// number.
fn note(path: &str, lines: &[Line], cx: &Cx<'_>) {
    let Ok(contents) = cx.workspace().look(path) else { return };
    let sent = cx.kept::<Sent>();
    let Ok(text) = text_of(&sent, &contents.path, path, &contents.bytes) else { return };
    let now: Vec<&str> = text.as_str().lines().collect();
    let is_there = |line: &&Line| {
        line.first == line.last && now.get(line.first - 1).is_some_and(|now| *now == line.text)
    };
    let there = lines.iter().filter(is_there).map(|line| (line.first, line.first));
    let (there, digests) = (there.collect::<Vec<_>>(), digests(now.iter().copied()));
    let real = contents.path.clone();
    if !there.is_empty() {
        cx.when_kept(move || sent.note(&real, &digests, &there));
    }
}
