//! A tree of directories drawn in lines, as much of it as an answer holds.
//!
//! What is not drawn is counted where it would stand: below the last level, beyond the bound of a
//! directory, and by name what is ignored.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use fault::{Cancel, Result};
use ignore::WalkState;

use super::Skipped;
use super::unreadable::Unreadable;
use super::walk::Walk;
use crate::workspace::{Folder, Kind, Workspace, quote};

/// Entries that are looked at; more are said to be there.
const ENTRIES: usize = 500_000;

/// Entries of one directory that are drawn, fewer where even one level would not fit.
const IN_FOLDER: &[usize] = &[200, 50, 10, 1];

/// Ignored names that are told for a directory.
const IGNORED: usize = 6;

/// A drawn tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    /// Lines with `|--` and `` `-- ``; directories end in `/`, links in `@`.
    pub tree: String,
    /// The levels that are drawn, fewer than were asked for if they would not fit.
    pub depth: usize,
    /// What else should be known.
    pub note: Option<String>,
}

#[derive(Default)]
struct Seen {
    /// What is not ignored, by directory, down to the level that was asked for.
    folders: BTreeMap<PathBuf, BTreeMap<OsString, Kind>>,
    /// Files and directories below that level, by the directory on it that they are in.
    deeper: BTreeMap<PathBuf, Count>,
    count: usize,
    unreadable: Unreadable,
}

#[derive(Clone, Copy, Default)]
struct Count {
    files: usize,
    folders: usize,
}

impl Count {
    fn add(&mut self, kind: Kind) {
        match kind {
            Kind::Directory => self.folders += 1,
            _ => self.files += 1,
        }
    }

    fn words(self) -> String {
        let word = |count, one: &str, many: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            n => Some(format!("{n} {many}")),
        };
        let words =
            [word(self.files, "file", "files"), word(self.folders, "directory", "directories")];
        words.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// Draws the directory `dir` down to `depth` levels, at least one. Honours `.gitignore`.
///
/// # Errors
/// `DirectoryNotFound`, `NotADirectory`, `PathOutsideWorkspace`, `Cancelled`.
pub fn map(workspace: &Workspace, dir: &str, depth: usize, cancel: &Cancel) -> Result<Map> {
    let depth = depth.max(1);
    let folder = workspace.folder(dir)?;
    let tree = Walk::new(&folder, cancel);
    let seen = Mutex::new(Seen::default());
    tree.walk(|| {
        |entry| {
            let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
            match entry {
                Ok(item) => seen.add(item.rel, item.kind, item.depth(), depth),
                Err(error) => seen.unreadable.add_error(error),
            }
            if seen.count > ENTRIES { WalkState::Quit } else { WalkState::Continue }
        }
    });
    cancel.check()?;
    let seen = seen.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut skipped = Skipped::default();
    seen.unreadable.tell(workspace, &mut skipped);
    let mut notes: Vec<String> = skipped.note().into_iter().collect();
    if seen.count > ENTRIES {
        notes.push(format!("more than {ENTRIES} entries, the counts are of the first ones"));
    }
    let levels = (1..=depth).rev().map(|level| (level, IN_FOLDER[0]));
    let tries = levels.chain(IN_FOLDER[1..].iter().map(|most| (1, *most)));
    for (level, most) in tries {
        let drawing = Drawing { workspace, folder: &folder, seen: &seen, depth: level, most };
        if let Some(tree) = drawing.draw() {
            if level < depth && seen.goes_below(level) {
                notes.push(format!("{level} of {depth} levels are shown, more would not fit"));
            }
            let note = (!notes.is_empty()).then(|| notes.join("; "));
            return Ok(Map { tree, depth: level, note });
        }
    }
    let note = Some("not even one level fits into an answer".to_owned());
    Ok(Map { tree: String::new(), depth: 0, note })
}

impl Seen {
    fn add(&mut self, rel: &Path, kind: Kind, level: usize, depth: usize) {
        self.count += 1;
        let Some((above, name)) = rel.parent().zip(rel.file_name()) else { return };
        if level <= depth {
            self.folders.entry(above.to_owned()).or_default().insert(name.to_owned(), kind);
        } else {
            let on_it: PathBuf = rel.components().take(depth).collect();
            self.deeper.entry(on_it).or_default().add(kind);
        }
    }

    fn goes_below(&self, level: usize) -> bool {
        self.folders.keys().any(|folder| folder.components().count() >= level)
    }

    /// What is anywhere below a directory.
    fn below(&self, folder: &Path) -> Count {
        let mut count = Count::default();
        let from = self.folders.range(folder.to_owned()..);
        for (_, entries) in from.take_while(|(path, _)| path.starts_with(folder)) {
            entries.values().for_each(|kind| count.add(*kind));
        }
        let from = self.deeper.range(folder.to_owned()..);
        for (_, deeper) in from.take_while(|(path, _)| path.starts_with(folder)) {
            count.files += deeper.files;
            count.folders += deeper.folders;
        }
        count
    }
}

struct Drawing<'a> {
    workspace: &'a Workspace,
    folder: &'a Folder,
    seen: &'a Seen,
    depth: usize,
    most: usize,
}

impl Drawing<'_> {
    /// The tree, or `None` if it does not fit.
    fn draw(&self) -> Option<String> {
        let name = self.folder.path().file_name().map_or("".to_owned(), quote);
        let mut tree = format!("{name}/");
        self.below(Path::new(""), "", 1, &mut tree)?;
        Some(tree)
    }

    fn below(&self, folder: &Path, indent: &str, level: usize, tree: &mut String) -> Option<()> {
        let none = BTreeMap::new();
        let entries = self.seen.folders.get(folder).unwrap_or(&none);
        *tree += &self.ignored(folder, entries);
        tree.push('\n');
        let mut rest = Count::default();
        entries.values().skip(self.most).for_each(|kind| rest.add(*kind));
        let cut = entries.len() > self.most;
        for (at, (name, kind)) in entries.iter().take(self.most).enumerate() {
            let last = at + 1 == entries.len();
            let (branch, stem) = if last { ("`-- ", "    ") } else { ("|-- ", "|   ") };
            let _ = write!(tree, "{indent}{branch}{}", quote(name));
            match kind {
                Kind::Directory => {
                    tree.push('/');
                    let path = folder.join(name);
                    if level < self.depth {
                        self.below(&path, &format!("{indent}{stem}"), level + 1, tree)?;
                        continue;
                    }
                    let words = self.seen.below(&path).words();
                    if !words.is_empty() {
                        let _ = write!(tree, "  ({words})");
                    }
                }
                Kind::Link => tree.push('@'),
                Kind::File | Kind::Special => {}
            }
            tree.push('\n');
        }
        if cut {
            let _ = writeln!(tree, "{indent}`-- ... {} more", rest.words());
        }
        let limits = self.workspace.limits();
        let lines = memchr::memchr_iter(b'\n', tree.as_bytes()).count();
        (tree.len() <= limits.result_bytes && lines <= limits.result_lines).then_some(())
    }

    /// The names in a directory that are there and were passed over.
    fn ignored(&self, folder: &Path, entries: &BTreeMap<OsString, Kind>) -> String {
        let path = self.workspace.show(&self.folder.path().join(folder));
        let listed = self.workspace.list(&path).unwrap_or_default();
        let known: HashSet<_> = entries.keys().map(|name| quote(name)).collect();
        let slash = |kind| if kind == Kind::Directory { "/" } else { "" };
        let ignored: Vec<_> = listed
            .into_iter()
            .filter(|entry| !known.contains(&entry.name))
            .map(|entry| format!("{}{}", entry.name, slash(entry.kind)))
            .collect();
        if ignored.is_empty() {
            return String::new();
        }
        let more = ignored.len().saturating_sub(IGNORED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("  [ignored: {}{more}]", ignored[..ignored.len().min(IGNORED)].join(", "))
    }
}
