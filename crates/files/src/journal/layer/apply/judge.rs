//! What of a layer may be brought in.

use std::path::{Path, PathBuf};

use super::{Coming, Reason, Sorted};
use crate::journal::layer::git;
use crate::journal::layer::ignores::read_text;
use crate::journal::layer::look::{Item, What};
use crate::journal::layer::repository::{REPOSITORY, gives_orders};
use crate::journal::store::Staged;

impl Coming<'_> {
    /// Parts what is brought in from what is not, with the reason.
    pub(super) fn sort(&self, items: Vec<Item>, own: bool) -> Sorted {
        let (mut taken, mut kept_back): (Vec<Item>, Vec<(Item, Reason)>) = Default::default();
        // The new directory that is kept back, with all in it, which follows it in the list.
        let mut within: Option<(PathBuf, Reason)> = None;
        for item in items {
            within = within.filter(|(above, _)| item.path.starts_with(above));
            let reason = match &within {
                Some((_, reason)) => Some(*reason),
                None => self.objection(&item, own),
            };
            let Some(reason) = reason else {
                taken.push(item);
                continue;
            };
            if within.is_none() && matches!(item.what, What::Directory { .. }) {
                within = Some((item.path.clone(), reason));
            }
            kept_back.push((item, reason));
        }
        // A linked work tree is made whole or not at all.
        let halves = half_made(&kept_back, &taken);
        let is_half = |item: &mut Item| halves.iter().any(|half| item.path.starts_with(half));
        kept_back.extend(taken.extract_if(.., is_half).map(|item| (item, Reason::Protected)));
        // A commit stays with the index that it was made from.
        let of_index: Vec<_> = kept_back
            .iter()
            .filter(|(item, reason)| git::is_index(&item.path) && *reason == Reason::Conflict)
            .filter_map(|(item, _)| item.repository.clone())
            .collect();
        let goes_along = |item: &mut Item| {
            let is_of = item.repository.as_ref().is_some_and(|of| of_index.contains(of));
            is_of && !git::is_bookkeeping(&item.path)
        };
        kept_back.extend(taken.extract_if(.., goes_along).map(|item| (item, Reason::Conflict)));
        // An index is of the commit that it was written for.
        let without: Vec<_> = kept_back
            .iter()
            .filter_map(|(item, reason)| Some((item, item.repository.as_ref()?, *reason)))
            .filter(|(item, of, _)| item.path.strip_prefix(of).is_ok_and(git::says_which_commit))
            .map(|(_, of, reason)| (std::rc::Rc::clone(of), reason))
            .collect();
        for item in taken.extract_if(.., |item| git::is_index(&item.path)).collect::<Vec<_>>() {
            let kept = without.iter().find(|(of, _)| Some(of) == item.repository.as_ref());
            match kept {
                Some((_, reason)) => kept_back.push((item, *reason)),
                None => taken.push(item),
            }
        }
        kept_back.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
        Sorted { taken, kept_back }
    }

    fn objection(&self, item: &Item, own: bool) -> Option<Reason> {
        let repository = item.repository.as_ref();
        let rest = repository.and_then(|directory| item.path.strip_prefix(directory).ok());
        if !own {
            let protected = match rest {
                // A link in there leads git elsewhere, and a pipe makes it wait.
                Some(_) if matches!(item.what, What::Link { .. } | What::Whole) => true,
                Some(rest) if git::obeys(rest) => !self.is_harmless(item, rest),
                // What makes a repository of a directory whose orders no repository had before.
                Some(rest) => {
                    item.lower.is_none()
                        && REPOSITORY.iter().any(|name| rest == Path::new(name))
                        && repository.is_some_and(|it| gives_orders(&self.layer.root.join(it)))
                }
                None => {
                    let folder = matches!(item.what, What::Directory { .. });
                    let real = self.layer.root.join(&item.path);
                    self.step.journal.is_own(&real)
                        || item.protected
                            && !self.step.journal.is_allowed(self.workspace, &real, folder)
                }
            };
            if protected {
                return Some(Reason::Protected);
            }
        }
        // Git writes its index also to look: if the two stage the same, one is as good.
        let is_same = || {
            rest == Some(Path::new("index")) && {
                let Staged { before, after } = self.staged(&item.path);
                after.is_some() && before == after
            }
        };
        (item.conflict && !is_same()).then_some(Reason::Conflict)
    }

    /// What git obeys, but what can do no harm: configuration without orders, the directory itself,
    /// a link from a work tree to a repository of the same root. `rest` is the path in the git
    /// directory.
    fn is_harmless(&self, item: &Item, rest: &Path) -> bool {
        // What cannot be read, or is too long, may say anything.
        let Some(text) = read_text(&self.layer.upper.join(&item.path)) else {
            return matches!(item.what, What::Directory { .. }) && item.lower.is_none();
        };
        match &item.what {
            What::File { .. } if rest.as_os_str().is_empty() => {
                let target = text.strip_prefix("gitdir:").map(str::trim).unwrap_or("/");
                let target = Path::new(target);
                let above = item.path.parent().unwrap_or(Path::new(""));
                item.lower.is_none() && stays_inside(above, target)
            }
            What::File { .. }
                if rest.file_name().is_some_and(|n| n == "config" || n == "config.worktree") =>
            {
                let before = read_text(&self.layer.root.join(&item.path));
                git::is_harmless(&before.unwrap_or_default(), &text)
            }
            What::File { .. } if rest.file_name().is_some_and(is_todo) => git::runs_nothing(&text),
            _ => false,
        }
    }
}

/// The new directories of linked work trees, and those that git keeps for them, of which what leads
/// from one to the other is kept back.
fn half_made(kept_back: &[(Item, Reason)], taken: &[Item]) -> Vec<PathBuf> {
    let is_new = |directory: &Path| {
        let mut all = taken.iter().filter(|item| item.path == directory);
        all.any(|item| item.lower.is_none() && matches!(item.what, What::Directory { .. }))
    };
    let links = kept_back.iter().filter(|(item, reason)| {
        *reason == Reason::Protected && matches!(item.what, What::File { .. })
    });
    let links = links.map(|(item, _)| item.path.as_path());
    let links = links.filter(|path| path.ends_with(".git") || path.ends_with("gitdir"));
    links.filter_map(Path::parent).filter(|above| is_new(above)).map(Path::to_owned).collect()
}

fn is_todo(name: &std::ffi::OsStr) -> bool {
    name.to_str().is_some_and(git::is_todo)
}

/// Whether a path from a directory of the root leads to a place in it, by its spelling.
fn stays_inside(from: &Path, target: &Path) -> bool {
    let mut depth = from.components().count();
    for part in target.components() {
        match part {
            std::path::Component::Normal(_) => depth += 1,
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir if depth > 0 => depth -= 1,
            _ => return false,
        }
    }
    true
}
