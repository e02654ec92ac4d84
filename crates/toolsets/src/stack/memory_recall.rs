//! Stack `memory_recall`.

use crate::memory::{self, Entry, Recalled};

use crate::prelude::*;

/// Find the memory files (MEMORY.md and memory/) that fit a query, best first.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct MemoryRecall {
    /// What to look for
    query: String,
    /// Most files (default 5)
    max_results: Option<usize>,
}

/// What was found.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The query
    query: String,
    /// Paths, best first
    matches: Vec<String>,
    /// Files that fit, also those left out
    count: usize,
    /// The best entries of these files
    entries: Vec<Found>,
    /// What could not be read
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// One entry.
#[derive(Serialize, JsonSchema)]
struct Found {
    /// Its file
    file: String,
    /// The line of its title, from 1; 0 for what is above all titles
    line: usize,
    /// Its title
    title: String,
    /// Its beginning
    content_preview: String,
}

impl From<&Entry> for Found {
    fn from(entry: &Entry) -> Self {
        Self {
            file: entry.file.clone(),
            line: entry.line,
            title: super::preview(&entry.title),
            content_preview: super::preview(&entry.content),
        }
    }
}

impl Tool for MemoryRecall {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("memory_recall", "Search memories", Category::Memory)
        .errors(&[&[Code::QueryTooShort]])
        .examples(&[
            Example::of("The file, and the entry in it")
                .given(&[
                    ("MEMORY.md", "# Memory\n\n### Client\n_2026-01-31 09:30_\nAlpha pays late\n"),
                    ("memory/a.md", "nothing of the kind\n"),
                ])
                .call(r#"{"query": "alpha"}"#)
                .gives(r##"{"success": true, "query": "alpha", "matches": ["MEMORY.md"], "count": 1, "entries": [{"file": "MEMORY.md", "line": 3, "title": "Client", "content_preview": "Alpha pays late"}]}"##),
            Example::of("What could not be read is named")
                .given(&[("memory/a.md", "no heading, but alpha\n"), ("memory/b.md", "\0")])
                .call(r#"{"query": "alpha"}"#)
                .gives(r##"{"success": true, "query": "alpha", "matches": ["memory/a.md"], "count": 1, "entries": [{"file": "memory/a.md", "line": 0, "title": "memory/a.md", "content_preview": "no heading, but alpha"}], "note": "not read: memory/b.md: a binary file[..]"}"##),
            Example::of("A query must say something")
                .call(r#"{"query": " "}"#)
                .fails(Code::QueryTooShort, r##"{"success": false, "error": "query: empty; [..]", "code": "QueryTooShort"}"##),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        if self.query.trim().is_empty() {
            return Err(Error::query_too_short(1));
        }
        let (mut found, unread) = memory::recall(cx.workspace(), &self.query, cx.cancel())?;
        let count = found.len();
        found.truncate(self.max_results.unwrap_or(5));
        let best =
            |file: &Recalled| file.entries.iter().take(3).map(Found::from).collect::<Vec<_>>();
        let entries = found.iter().flat_map(best).collect();
        let matches = found.into_iter().map(|file| file.file).collect();
        let note = super::not_read(&unread);
        success(Output { query: self.query, matches, count, entries, note })
    }
}
