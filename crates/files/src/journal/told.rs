//! What a call did, as people and models are told of it: of a git repository branches, tags, the stash
//! and what is checked out, not the files git keeps them in.

use std::collections::{HashMap, HashSet};

use super::refs::{PACKED, called, in_git, is_alone};
use super::{Change, ChangeKind, Direction};
use crate::workspace::{Kind, Workspace, protected};

/// A change as it is told.
#[derive(Debug)]
pub struct Told {
    /// What it is called: a path, or as git calls what is in the file.
    pub name: String,
    /// What was done to it.
    pub what: ChangeKind,
    /// Where a branch or the like is now; empty for what is none.
    pub at: String,
    path: String,
    empty: bool,
}

impl Told {
    /// What it will be once it is turned, in a few words.
    pub fn would(&self, direction: Direction) -> &'static str {
        match direction {
            Direction::Undo if self.empty => "brought back, empty",
            _ => self.what.turned(direction),
        }
    }

    /// What it is now that it was turned.
    pub fn turned(&self, workspace: &Workspace, direction: Direction) -> &'static str {
        let gone = match direction {
            Direction::Undo => ChangeKind::Created,
            Direction::Redo => ChangeKind::Removed,
        };
        // A directory stays if somebody else has put something into it.
        match self.what == gone && matches!(workspace.kind(&self.path), Ok(Some(Kind::Directory))) {
            true => "kept: not empty",
            false => self.would(direction),
        }
    }
}

/// The changes that are told, those of repositories and of protected files first, and how many others
/// are of git's own files.
pub fn sorted(workspace: &Workspace, changes: &[Change]) -> (Vec<Told>, usize) {
    let all: HashSet<&str> = changes.iter().map(|change| &*change.path).collect();
    let mut packed = HashMap::new();
    let told = changes.iter().filter_map(|change| told(workspace, change, &all, &mut packed));
    let mut told: Vec<_> = told.collect();
    let more = changes.len() - told.len();
    // Several programs of one call may have written a file.
    let mut seen = HashSet::new();
    told.retain(|one| one.what != ChangeKind::Changed || seen.insert(one.path.clone()));
    fold(&mut told);
    // What decides what a repository or a program does next is not lost among many files.
    told.sort_by_key(|one| in_git(&one.path).is_none() && protected(one.path.as_ref()).is_none());
    (told, more)
}

/// Of directories that were made or removed with many files in them, only they themselves are told.
fn fold(told: &mut Vec<Told>) {
    const MANY: usize = 20;
    let tops: HashMap<String, ChangeKind> =
        told.iter().map(|one| (one.path.clone(), one.what)).collect();
    let top = |one: &Told| {
        let mut above = one.path.match_indices('/').map(|(at, _)| &one.path[..at]);
        let is_whole = matches!(one.what, ChangeKind::Created | ChangeKind::Removed);
        above.find(|above| is_whole && tops.get(*above) == Some(&one.what)).map(str::to_owned)
    };
    let mut inside: HashMap<String, usize> = HashMap::new();
    told.iter().filter_map(top).for_each(|top| *inside.entry(top).or_default() += 1);
    inside.retain(|_, count| *count > MANY);
    told.retain(|one| top(one).is_none_or(|top| !inside.contains_key(&top)));
    for one in told {
        if let Some(count) = inside.get(&one.path) {
            one.name = format!("{} with {count} in it", one.name);
        }
    }
}

/// `packed` has the common files of refs that were read.
fn told(
    workspace: &Workspace,
    change: &Change,
    all: &HashSet<&str>,
    packed: &mut HashMap<String, String>,
) -> Option<Told> {
    let path = change.path.clone();
    let Some((above, file)) = in_git(&path) else {
        let (name, what, empty) = (change.to_string(), change.what, change.empty);
        return Some(Told { name, what, at: String::new(), path, empty });
    };
    let name = called(file).filter(|_| change.what != ChangeKind::Moved)?;
    let mut what = change.what;
    if is_alone(file) && what != ChangeKind::Changed {
        let common = format!("{above}.git/{PACKED}");
        // It may have gone from its own file into the common one, or back.
        if all.contains(&*common) {
            return None;
        }
        let listed = packed.entry(common).or_insert_with_key(|common| read(workspace, common));
        // Its own file is newer than the common one, and counts.
        if listed.lines().any(|line| line.split_once(' ').is_some_and(|(_, name)| name == file)) {
            what = ChangeKind::Changed;
        }
    }
    let at = at(&read(workspace, &path));
    Some(Told { name, what, at, path, empty: false })
}

fn at(text: &str) -> String {
    let is_commit = text.len() >= 40 && text.bytes().all(|b| b.is_ascii_hexdigit());
    match text.strip_prefix("ref: refs/heads/") {
        Some(branch) => format!(", on branch {branch}"),
        None if is_commit => format!(", at commit {}", &text[..7]),
        None => String::new(),
    }
}

fn read(workspace: &Workspace, path: &str) -> String {
    let contents = workspace.read(path).ok();
    let text = contents.and_then(|contents| String::from_utf8(contents.bytes.to_vec()).ok());
    text.unwrap_or_default().trim_end().to_owned()
}
