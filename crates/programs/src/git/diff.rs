//! The lines that differ, file by file.

use fault::Result;
use files::workspace::unquote;

use super::paths::args;
use super::{Repository, shown, text};

/// What differs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// File by file, in the order of git.
    pub files: Vec<FileDiff>,
    /// The diff itself; what is not UTF-8 in it is replaced.
    pub raw: String,
    /// Bytes of it that were left out, since it is too long; the last file is then not whole.
    pub omitted_bytes: u64,
}

/// What differs in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDiff {
    /// Relative to the top of the work tree; where it was, if it is gone.
    pub path: String,
    /// Where it was before, if it was renamed or copied.
    pub from: Option<String>,
    /// What happened to it.
    pub kind: Kind,
    /// It holds no text, so there are no chunks.
    pub binary: bool,
    /// Both sides of a merge changed it; chunks show both.
    pub conflict: bool,
    /// The places that differ.
    pub chunks: Vec<Chunk>,
}

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Its content or its mode changed.
    Modified,
    /// It is new.
    Added,
    /// It is gone.
    Deleted,
    /// It is elsewhere, and may have changed.
    Renamed,
    /// It is a changed copy of another.
    Copied,
}

/// One place that differs. Lines are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The first line before.
    pub old_start: u64,
    /// How many lines before.
    pub old_lines: u64,
    /// The first line after.
    pub new_start: u64,
    /// How many lines after.
    pub new_lines: u64,
    /// The lines, each behind its sign.
    pub content: String,
}

/// Everything that a configuration could change about the form of a diff, or run for it.
const FORM: &[&str] = &[
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-relative",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--submodule=short",
    "--ignore-submodules=dirty",
    "--find-renames",
    "--unified=3",
    "--inter-hunk-context=0",
    "-O/dev/null",
    "--patch",
];

impl Repository<'_> {
    /// The files against the index, or with `staged` the index against the last commit; all of it,
    /// or that of `files`.
    ///
    /// # Errors
    /// `FileNotFound` for a file that is neither in the work tree nor known to git;
    /// `NotAGitRepository` if there is no work tree; `GitFailed`, `Timeout`.
    pub fn diff(&self, files: &[String], staged: bool) -> Result<Diff> {
        self.must_have_files()?;
        self.must_know(files)?;
        let specs = self.specs(files)?;
        let mut command = FORM.to_vec();
        command.extend(staged.then_some("--cached"));
        let said = self.look(&args(&command, &specs))?;
        Ok(Diff { files: parse(&said.out), raw: text(&said.out), omitted_bytes: said.omitted })
    }
}

/// Reads a diff as git prints it. A line of content begins with a sign, so `diff ` begins a file.
fn parse(diff: &[u8]) -> Vec<FileDiff> {
    let mut files: Vec<FileDiff> = Vec::new();
    let mut in_chunks = false;
    for line in diff.split_inclusive(|b| *b == b'\n') {
        if let Some(path) = line.strip_prefix(b"* Unmerged path ") {
            files.push(FileDiff { conflict: true, ..FileDiff::new(name(path)) });
            in_chunks = false;
        } else if let Some(file) = header(line) {
            files.push(file);
            in_chunks = false;
        } else if let Some(file) = files.last_mut() {
            if line.starts_with(b"@@") {
                in_chunks = true;
                file.chunks.extend(chunk(line));
            } else if in_chunks {
                if let Some(chunk) = file.chunks.last_mut() {
                    chunk.content.push_str(&text(line));
                }
            } else {
                file.note(line);
            }
        }
    }
    files
}

/// `diff --git a/x b/x`, `diff --cc x`. Where the names differ other lines say so.
fn header(line: &[u8]) -> Option<FileDiff> {
    if let Some(path) = line.strip_prefix(b"diff --cc ") {
        return Some(FileDiff { conflict: true, ..FileDiff::new(name(path)) });
    }
    let names = line.strip_prefix(b"diff --git ")?;
    let names = names.strip_suffix(b"\n").unwrap_or(names);
    let half = names.len() / 2;
    let same = names.get(half + 1..).unwrap_or_default();
    Some(FileDiff::new(side(same)))
}

impl FileDiff {
    fn new(path: String) -> Self {
        let (kind, chunks) = (Kind::Modified, Vec::new());
        Self { path, from: None, kind, binary: false, conflict: false, chunks }
    }

    /// A line between the header and the chunks.
    fn note(&mut self, line: &[u8]) {
        let after = |start: &str| line.strip_prefix(start.as_bytes());
        if after("new file mode ").is_some() {
            self.kind = Kind::Added;
        } else if after("deleted file mode ").is_some() {
            self.kind = Kind::Deleted;
        } else if let Some(from) = after("rename from ") {
            (self.kind, self.from) = (Kind::Renamed, Some(name(from)));
        } else if let Some(from) = after("copy from ") {
            (self.kind, self.from) = (Kind::Copied, Some(name(from)));
        } else if let Some(to) = after("rename to ").or_else(|| after("copy to ")) {
            self.path = name(to);
        } else if after("Binary files ").is_some() {
            self.binary = true;
        }
    }
}

/// A name as git writes it: quoted if it must be.
fn name(written: &[u8]) -> String {
    use std::os::unix::ffi::OsStrExt as _;
    let written = written.strip_suffix(b"\n").unwrap_or(written);
    let quoted = std::str::from_utf8(written).ok().and_then(unquote);
    quoted.map_or_else(|| shown(written), |name| shown(name.as_bytes()))
}

/// The same behind its prefix `b/`.
fn side(written: &[u8]) -> String {
    if let Some(quoted) = written.strip_prefix(b"\"b/") {
        return name(&[b"\"", quoted].concat());
    }
    name(written.strip_prefix(b"b/").unwrap_or(written))
}

/// `@@ -1,2 +3,4 @@`; of a merge, which has a range for each side, the first side's.
fn chunk(line: &[u8]) -> Option<Chunk> {
    let line = text(line);
    let mut old = None;
    for word in line.split(' ').skip(1) {
        let range = word.get(1..)?;
        let (start, lines) = range.split_once(',').unwrap_or((range, "1"));
        let range = (start.parse().ok()?, lines.parse().ok()?);
        match word.as_bytes().first()? {
            b'-' => old = old.or(Some(range)),
            b'+' => {
                let ((old_start, old_lines), (new_start, new_lines)) = (old?, range);
                let content = String::new();
                return Some(Chunk { old_start, old_lines, new_start, new_lines, content });
            }
            _ => return None,
        }
    }
    None
}
