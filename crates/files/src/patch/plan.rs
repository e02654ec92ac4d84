//! A diff worked out over all its files before the first of them is touched.

use std::collections::HashSet;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use fault::{Error, Result};

use super::fit::{Placed, fit};
use super::hunk::{Hunk, Sign};
use super::names::Pair;
use super::tree::{Read, Tree, shown};
use super::{Body, FilePatch, Kind, PatchSet};
use crate::workspace::{FileMode, Node};

/// The directory that the paths of a diff start at.
#[derive(Clone, Debug)]
pub struct Base {
    path: PathBuf,
    spellings: Vec<PathBuf>,
}

/// What a diff does, worked out in memory.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What it does with each file, in the order of the diff.
    pub files: Vec<FileChange>,
    /// What is to be done, in this order.
    pub(super) changes: Vec<Change>,
}

/// One path that is changed.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) path: PathBuf,
    pub(super) before: Option<Node>,
    pub(super) after: Option<Node>,
    /// What it was renamed or copied from.
    pub(super) source: Option<Node>,
    /// What the contents do not show.
    pub(super) note: String,
}

/// What a diff did with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// Its path beneath the base, quoted as git does where it could be misread; the old one of a
    /// file that was deleted, else the new one.
    pub path: String,
    /// Where it was renamed or copied from.
    pub from: Option<String>,
    /// What was done.
    pub what: What,
    /// Where its hunks were applied.
    pub hunks: Vec<Placed>,
    /// Lines that came.
    pub added: usize,
    /// Lines that went.
    pub removed: usize,
    /// Whether its content was changed as binary.
    pub binary: bool,
    /// Whether it can be run now, if that changed.
    pub executable: Option<bool>,
}

/// What is done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// It is new.
    Created,
    /// Its content or mode changed.
    Modified,
    /// It is gone.
    Deleted,
    /// It has another path, and maybe another content.
    Renamed,
    /// It is new, made from another file.
    Copied,
}

impl Base {
    /// The directory at the real path `path`; absolute paths in a diff may also start with one of
    /// the other `spellings` of it.
    pub fn new(path: &Path, spellings: &[PathBuf]) -> Self {
        Self { path: path.to_owned(), spellings: spellings.to_vec() }
    }

    pub(super) fn beneath<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        let mut all = std::iter::once(&self.path).chain(&self.spellings);
        all.find_map(|base| path.strip_prefix(base).ok())
    }

    pub(super) fn shown(&self) -> String {
        shown(&self.path)
    }
}

/// Works a diff out: `read` says what is at a path beneath `base`, links not followed, and
/// fails where a link leads to the path. `strip` parts are taken off the names; without it the
/// prefixes of git are found by themselves.
///
/// # Errors
/// For all files that do not fit, joined: `PatchFailed` with the hunk and the nearest place,
/// `FileNotFound`, `FileExists`, `BinaryFile` without its data, `PathOutsideWorkspace`.
pub fn plan(set: &PatchSet, strip: Option<usize>, base: &Base, read: Read<'_>) -> Result<Plan> {
    let mut tree = Tree::new(read);
    let mut errors = Vec::new();
    let mut pairs: Vec<(&FilePatch, Pair)> = Vec::new();
    let mut made = HashSet::new();
    for file in &set.files {
        match choose(file, strip, base, &mut tree, &made) {
            Ok(pair) => {
                made.extend(pair.1.clone());
                pairs.push((file, pair));
            }
            Err(e) => errors.push(e),
        }
    }
    for (file, (old, _)) in &pairs {
        if let (Kind::Delete | Kind::Rename, Some(old)) = (file.kind, old) {
            tree.will_leave(old);
        }
    }
    let mut files = Vec::new();
    for (file, pair) in &pairs {
        match one(file, pair, &mut tree) {
            Ok(change) => files.push(change),
            Err(e) => errors.push(e),
        }
    }
    if !errors.is_empty() {
        return Err(Error::all_of(errors));
    }
    Ok(Plan { files, changes: tree.finish()? })
}

/// Which of the paths that it may mean: the first that is there.
fn choose(
    file: &FilePatch,
    strip: Option<usize>,
    base: &Base,
    tree: &mut Tree<'_>,
    made: &HashSet<PathBuf>,
) -> Result<Pair> {
    let all: Vec<Pair> =
        file.candidates(base, strip)?.into_iter().map(|pair| settle(file, pair)).collect();
    let first = all.first().cloned().unwrap_or_default();
    if all.len() < 2 || file.kind == Kind::Create {
        return Ok(first);
    }
    let is_there = |(old, _): &Pair| {
        let Some(path) = old else { return false };
        made.contains(path) || matches!(tree.before(path), Ok(Some(_)))
    };
    Ok(all.into_iter().find(is_there).unwrap_or(first))
}

/// An edit has one path: the shorter one where the other goes on (`x.orig`), else the new one.
fn settle(file: &FilePatch, (old, new): Pair) -> Pair {
    match (file.kind, &old, &new) {
        (Kind::Edit, Some(a), Some(b)) => {
            let (long, short) = (b.as_os_str().as_bytes(), a.as_os_str().as_bytes());
            let path = if long.starts_with(short) { old } else { new };
            (path.clone(), path)
        }
        _ => (old, new),
    }
}

fn one(file: &FilePatch, (old, new): &Pair, tree: &mut Tree<'_>) -> Result<FileChange> {
    let old_path = old.as_deref().unwrap_or(Path::new(""));
    let path = new.as_deref().unwrap_or(old_path);
    let mut kind = file.kind;
    let source = match kind {
        Kind::Create => None,
        Kind::Edit | Kind::Delete => tree.now(path)?,
        Kind::Rename | Kind::Copy => tree.before(old_path)?.cloned(),
    };
    if kind == Kind::Edit && source.is_none() && begins_a_file(file) {
        kind = Kind::Create;
    }
    if matches!(kind, Kind::Create | Kind::Rename | Kind::Copy) {
        tree.refuse_taken(path)?;
    }
    if source.is_none() && kind != Kind::Create {
        return Err(Error::file_not_found(&shown(old_path), &[]));
    }
    let named = shown(if kind == Kind::Create { path } else { old_path });
    refuse_kind(file, &named, source.as_ref())?;
    let before = source.as_ref().map(content);
    let (after, hunks) = new_content(file, &named, before)?;
    let (was, mode) = modes(file, source.as_ref());
    let from = matches!(kind, Kind::Rename | Kind::Copy).then_some(old_path);
    match kind {
        Kind::Delete if !after.is_empty() => {
            let why = "the diff deletes it but does not have all its lines; make the diff from the \
                       file as it is";
            return Err(Error::patch_failed(&named, why));
        }
        Kind::Delete => tree.remove(path, kind)?,
        _ => tree.put(path, node(file, &named, source.as_ref(), after, mode)?, kind, from),
    }
    if kind == Kind::Rename {
        tree.remove(old_path, kind)?;
    }
    let count = |sign| match &file.body {
        Body::Hunks(hunks) => hunks.iter().map(|hunk| hunk.count(sign)).sum(),
        _ => 0,
    };
    let what = if kind == Kind::Create { What::Created } else { file.what() };
    let runs = mode.bits() & 0o111 != 0;
    let executable = (kind != Kind::Delete && was.unwrap_or(false) != runs).then_some(runs);
    Ok(FileChange {
        path: shown(path),
        from: from.map(shown),
        what,
        hunks,
        added: count(Sign::New),
        removed: count(Sign::Old),
        binary: file.is_binary(),
        executable,
    })
}

/// Whether a file that is not there may be made by this: one hunk, and nothing before it.
fn begins_a_file(file: &FilePatch) -> bool {
    matches!(&file.body, Body::Hunks(hunks)
        if matches!(&hunks[..], [hunk] if hunk.old_start == 0 && hunk.before().next().is_none()))
}

const TYPE: u32 = 0o170_000;
const LINK: u32 = 0o120_000;
const MODULE: u32 = 0o160_000;

/// Refuses what is no file or link, and what is one where the diff means the other.
fn refuse_kind(file: &FilePatch, named: &str, source: Option<&Node>) -> Result<()> {
    let kinds = [file.old_mode, file.new_mode].map(|mode| mode.map(|mode| mode & TYPE));
    let fail = |why| Err(Error::patch_failed(named, why));
    if kinds.contains(&Some(MODULE)) {
        return fail("a submodule, which a diff cannot change; use git");
    }
    if let (Some(old), Some(new)) = (file.old_mode, file.new_mode)
        && old & TYPE != new & TYPE
    {
        return fail(
            "the diff makes a link of a file or a file of a link in one part; delete and create it",
        );
    }
    match (source, kinds[0]) {
        (Some(Node::Folder { .. }), _) => Err(Error::is_directory(named)),
        (Some(Node::File { .. }), Some(LINK)) => fail("the diff expects a link, and it is a file"),
        (Some(Node::Link { .. }), Some(kind)) if kind != LINK => {
            fail("the diff expects a file, and it is a link")
        }
        _ => Ok(()),
    }
}

fn content(node: &Node) -> &[u8] {
    match node {
        Node::File { bytes, .. } => bytes,
        Node::Link { target } => target.as_bytes(),
        Node::Folder { .. } => &[],
    }
}

fn new_content(
    file: &FilePatch,
    named: &str,
    before: Option<&[u8]>,
) -> Result<(Vec<u8>, Vec<Placed>)> {
    match &file.body {
        Body::Unknown => Err(Error::binary_without_data(named)),
        Body::Gone => Ok((Vec::new(), Vec::new())),
        Body::Binary(binary) => match binary.apply(before) {
            Ok(after) => Ok((after, Vec::new())),
            Err(why) => Err(Error::patch_failed(named, why)),
        },
        Body::Hunks(hunks) => fit(before.unwrap_or_default(), hunks).map_err(|mismatch| {
            let line = hunks.get(mismatch.hunk).map_or(file.line, |hunk: &Hunk| hunk.line);
            Error::hunk_failed(named, mismatch.hunk + 1, hunks.len(), line, mismatch.why)
        }),
    }
}

/// Whether the file could be run, and its mode after the diff.
fn modes(file: &FilePatch, source: Option<&Node>) -> (Option<bool>, FileMode) {
    let wanted = file.new_mode.map(|mode| mode & 0o111 != 0);
    let Some(Node::File { mode, .. }) = source else {
        return (None, FileMode::New { executable: wanted.unwrap_or(false) });
    };
    let was = mode.bits() & 0o111 != 0;
    let mode = match (*mode, wanted) {
        (FileMode::New { executable }, _) => {
            FileMode::New { executable: wanted.unwrap_or(executable) }
        }
        // Who may read it may run it.
        (FileMode::Exact(bits), Some(true)) if !was => FileMode::Exact(bits | (bits & 0o444) >> 2),
        (FileMode::Exact(bits), Some(false)) => FileMode::Exact(bits & !0o111),
        (mode, _) => mode,
    };
    (Some(was), mode)
}

fn node(
    file: &FilePatch,
    named: &str,
    source: Option<&Node>,
    bytes: Vec<u8>,
    mode: FileMode,
) -> Result<Node> {
    let is_link = match source {
        Some(source) => matches!(source, Node::Link { .. }),
        None => file.new_mode.is_some_and(|mode| mode & TYPE == LINK),
    };
    if !is_link {
        return Ok(Node::File { bytes, mode });
    }
    if bytes.is_empty() || bytes.contains(&0) {
        return Err(Error::patch_failed(named, "a link must lead somewhere"));
    }
    Ok(Node::Link { target: OsString::from_vec(bytes) })
}
