//! Floyd `git_diff`.

use programs::git::{self, FileDiff, Kind};

use crate::git::{GIT, REPOSITORY};
use crate::prelude::*;

/// Show changed lines: files against the index, or staged ones against the last commit.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GitDiff {
    /// Directory of the repository (default: project)
    repo_path: Option<String>,
    /// Paths from the top of the repository (default: all)
    #[serde(default)]
    files: Vec<String>,
    /// What is staged
    #[serde(default)]
    staged: bool,
    /// The same as staged
    #[serde(default)]
    cached: bool,
}

/// What differs.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// File by file
    files: Vec<File>,
    /// The diff as git prints it; absent if it is too long beside the chunks
    #[serde(skip_serializing_if = "Option::is_none")]
    raw: Option<String>,
    /// What is missing
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// What differs in one file.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct File {
    /// Relative to the top of the repository
    file: String,
    /// What happened to it
    status: Status,
    /// Where it was before
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    /// It holds no text
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    binary: bool,
    /// Both sides of a merge changed it
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    conflict: bool,
    /// The places that differ
    chunks: Vec<Chunk>,
}

/// What happened to a file.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    Modified,
    Added,
    Deleted,
    Renamed,
}

/// One place; lines count from 1.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Chunk {
    old_start: u64,
    old_lines: u64,
    new_start: u64,
    new_lines: u64,
    /// The lines behind their signs
    content: String,
}

impl From<FileDiff> for File {
    fn from(diff: FileDiff) -> Self {
        let status = match diff.kind {
            Kind::Modified => Status::Modified,
            Kind::Added | Kind::Copied => Status::Added,
            Kind::Deleted => Status::Deleted,
            Kind::Renamed => Status::Renamed,
        };
        let chunk = |c: git::Chunk| Chunk {
            old_start: c.old_start,
            old_lines: c.old_lines,
            new_start: c.new_start,
            new_lines: c.new_lines,
            content: c.content,
        };
        let FileDiff { path: file, from, binary, conflict, .. } = diff;
        let chunks = diff.chunks.into_iter().map(chunk).collect();
        Self { file, status, from, binary, conflict, chunks }
    }
}

impl Tool for GitDiff {
    type Output = Output;

    const SPEC: Spec = Spec::new("git_diff", "Git diff", Category::Git)
        .errors(&[GIT, &[Code::FileNotFound]])
        .examples(&[
            Example::of("Nothing that git knows was changed")
                .given(&[
                    (".git/HEAD", "ref: refs/heads/main\n"),
                    (".git/objects/", ""),
                    (".git/refs/", ""),
                    ("a.txt", "new\n"),
                ])
                .call(r#"{"files": ["a.txt"]}"#)
                .gives(r#"{"files": [], "raw": ""}"#),
            Example::of("A file that does not exist")
                .given(REPOSITORY)
                .call(r#"{"files": ["b.txt"], "staged": true}"#)
                .fails(Code::FileNotFound, r#"{"files": [], "error": "b.txt: no such file; [..]", "code": "FileNotFound"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let repository = cx.repository(self.repo_path.as_deref().unwrap_or("."))?;
        let diff = repository.diff(&self.files, self.staged || self.cached)?;
        let mut notes: Vec<String> = repository.note().into_iter().collect();
        let mut room = cx.result_bytes();
        let raw = (diff.raw.len() * 2 <= room && diff.omitted_bytes == 0).then_some(diff.raw);
        let (mut files, mut left_out) = (Vec::new(), 0);
        for mut file in diff.files {
            let before = file.chunks.len();
            file.chunks.retain(|chunk| {
                let fits = chunk.content.len() <= room;
                room -= if fits { chunk.content.len() } else { room.min(1) };
                fits
            });
            left_out += before - file.chunks.len();
            files.push(File::from(file));
        }
        if left_out > 0 {
            let chunks = fault::count(left_out, "chunk");
            notes.push(format!("{chunks} left out; name files to see all"));
        }
        if files.len() > cx.limits().result_lines {
            let most = cx.limits().result_lines;
            notes.push(format!("only {most} of {} files are listed", files.len()));
            files.truncate(cx.limits().result_lines);
        }
        if diff.omitted_bytes > 0 {
            notes.push(format!("the last {} bytes of the diff were not read", diff.omitted_bytes));
        }
        let note = joined(&notes);
        Ok(Output { files, raw, note })
    }
}
