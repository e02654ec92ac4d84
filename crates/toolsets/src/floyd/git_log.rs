//! Floyd `git_log`.

use programs::git::Wanted;

use crate::git::{GIT, REPOSITORY};
use crate::prelude::*;

/// List commits, the newest first.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GitLog {
    /// Directory of the repository (default: project)
    repo_path: Option<String>,
    /// Most commits (default 20)
    max_count: Option<u64>,
    /// Date, such as 2026-01-31 or "1 week ago"
    since: Option<String>,
    /// Date
    until: Option<String>,
    /// Part of the author's name or address
    author: Option<String>,
    /// Only commits that changed this path
    file: Option<String>,
}

/// The commits.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The newest first
    commits: Vec<Commit>,
    /// What is missing
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// One commit.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Commit {
    hash: String,
    /// The whole message
    message: String,
    author: String,
    /// When it was written, ISO 8601
    date: String,
}

impl Tool for GitLog {
    type Output = Output;

    const SPEC: Spec = Spec::new("git_log", "Git log", Category::Git)
        .errors(&[GIT, &[Code::InvalidDateRange, Code::FileNotFound]])
        .examples(&[
            Example::of("A repository without a commit")
                .given(REPOSITORY)
                .call(r#"{"maxCount": 5, "since": "1 week ago"}"#)
                .gives(r#"{"commits": []}"#),
            Example::of("A date that git would take for today")
                .given(REPOSITORY)
                .call(r#"{"since": "a week ago"}"#)
                .fails(Code::InvalidDateRange, r#"{"commits": [], "error": "since: `a week ago` is no date (`a` means nothing to git); [..]", "code": "InvalidDateRange"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        if self.max_count == Some(0) {
            return Err(Error::invalid_input("maxCount", "0; give at least 1, or leave it out"));
        }
        let wanted = Wanted {
            count: self.max_count.unwrap_or(20),
            since: self.since.as_deref(),
            until: self.until.as_deref(),
            author: self.author.as_deref(),
            file: self.file.as_deref(),
        };
        let repository = cx.repository(self.repo_path.as_deref().unwrap_or("."))?;
        let (entries, omitted) = repository.log(&wanted)?;
        let (mut room, total) = (cx.result_bytes(), entries.len());
        let mut commits = Vec::new();
        for entry in entries {
            let size = entry.message.len() + 150;
            if size > room && !commits.is_empty() {
                break;
            }
            room = room.saturating_sub(size);
            let (message, author) = (fault::cut(&entry.message, 20_000).into_owned(), entry.author);
            commits.push(Commit { hash: entry.hash, message, author, date: entry.date });
        }
        let cut = total - commits.len();
        let note = (cut > 0 || omitted > 0).then(|| {
            let at_least = if omitted > 0 { "at least " } else { "" };
            let last = commits.last().map(|c| c.date.as_str()).unwrap_or_default();
            format!("{at_least}{cut} older commits are left out; until {last} gives them")
        });
        Ok(Output { commits, note })
    }
}
