//! Changes of files, brought into one step of the journal.

use std::collections::BTreeMap;
use std::path::PathBuf;

use files::patch::{FileChange, What};
use files::search::{Find, Spot, find};
use files::workspace::Kind;

use super::change::{Change, text_of};
use super::changed::{File, rewritten};
use super::misfits::Misfits;
use super::parts::{change_parts, text_of as decoded_text};
use super::sent::{Sent, digests};
use crate::prelude::*;

/// Files of a directory that are judged when it goes: enough for a module, and parsed in a second.
const INSIDE: usize = 500;

/// Makes the one change of a call.
pub(super) fn apply(cx: &Cx<'_>, change: Change) -> Result<Vec<File>> {
    let change = change.settled(cx)?;
    change.check("")?;
    let mut misfits = Misfits::default();
    let file = apply_to(cx, &change.path, &[&change], &mut misfits);
    misfits.told()?;
    Ok(vec![file?])
}

/// Makes all changes, those of one file together.
pub(super) fn apply_all(cx: &Cx<'_>, changes: Vec<Change>) -> Result<Vec<File>> {
    if changes.is_empty() {
        return Err(Error::invalid_input("changes", "empty; give at least one change"));
    }
    let mut misfits = Misfits::default();
    let mut groups: Vec<(PathBuf, Vec<Change>)> = Vec::new();
    let targets: Vec<String> = changes.iter().filter_map(|change| change.move_to.clone()).collect();
    for (at, change) in changes.into_iter().enumerate() {
        // What comes there by a change before is no empty file.
        let empty =
            change.old.clone().filter(|old| old.is_empty() && targets.contains(&change.path));
        let fitting = Change { at, ..change }.settled(cx).and_then(|change| {
            let change = Change { old: change.old.clone().or(empty), ..change };
            change.check(&format!("changes[{at}]."))?;
            // One file has many spellings.
            Ok((cx.workspace().real(&change.path)?, change))
        });
        let Some((real, change)) = misfits.or(at, fitting) else { continue };
        match groups.iter_mut().find(|(path, _)| *path == real) {
            Some((_, group)) => group.push(change),
            None => groups.push((real, vec![change])),
        }
    }
    let mut files = Vec::new();
    for (_, group) in &groups {
        let group: Vec<&Change> = group.iter().collect();
        let made = apply_to(cx, &group[0].path, &group, &mut misfits);
        files.extend(misfits.or(group[0].at, made));
    }
    misfits.told()?;
    Ok(files)
}

/// Makes the changes of one file; what of its parts does not fit is noted.
fn apply_to(cx: &Cx<'_>, path: &str, changes: &[&Change], misfits: &mut Misfits) -> Result<File> {
    let (step, workspace) = (cx.step()?, cx.workspace());
    let removes = |change: &&&Change| change.remove == Some(true);
    let count = |is: &dyn Fn(&&&Change) -> bool| changes.iter().filter(is).count();
    let (moved, whole) = (count(&|c| c.move_to.is_some()), count(&|c| c.is_whole()));
    let parts = count(&|c| c.new.is_some()) - whole;
    if moved > 1 || whole > 1 || whole * parts > 0 || count(&removes) > 0 && changes.len() > 1 {
        let problem = "its changes contradict each other; give one of them";
        return Err(Error::useless_edit(path, None, problem));
    }
    if changes.iter().rev().skip(1).any(|change| change.move_to.is_some()) {
        let problem = "put `move_to` last; later changes would no longer find this path";
        return Err(Error::useless_edit(path, None, problem));
    }
    let mut file = File { path: workspace.show(&workspace.real(path)?), ..File::default() };
    // A link is removed or moved itself, and what it leads to stays.
    if whole + parts == 0 && workspace.link(path).is_some() {
        path.clone_into(&mut file.path);
    } else {
        file.before = text_of(cx, path);
    }
    if changes.iter().any(|change| removes(&change)) {
        if workspace.kind(path)? == Some(Kind::Directory) {
            (file.inner, file.unjudged) = inside(cx, path, None);
            file.told = "directory removed".to_owned();
            step.remove_directory(path)?;
        } else {
            file.told = "removed".to_owned();
            step.remove_file(path)?;
        }
        return Ok(file);
    }
    file.after.clone_from(&file.before);
    let names =
        workspace.info(path).ok().filter(|is| is.kind == Kind::File).map_or(1, |is| is.names);
    if let Some(new) = changes.iter().find(|change| change.is_whole()).and_then(|c| c.new.as_ref())
    {
        write_whole(cx, path, new, &mut file)?;
    } else if parts > 0 {
        change_parts(cx, path, changes, (&mut file, misfits))?;
    }
    if names > 1 && whole + parts > 0 {
        file.notes.push(split_link(names));
    }
    file.told = file.difference();
    if let Some(to) = changes.iter().find_map(|change| change.move_to.as_ref()) {
        relocate(cx, path, to, &mut file)?;
    }
    Ok(file)
}

/// Writes a whole file, new or in place of one.
fn write_whole(cx: &Cx<'_>, path: &str, new: &str, file: &mut File) -> Result<()> {
    let (step, workspace, sent) = (cx.step()?, cx.workspace(), cx.kept::<Sent>());
    let real = workspace.real(path)?;
    if workspace.kind(path)? == Some(Kind::File) {
        file.was_there = true;
        file.after = step.edit(path, |old| {
            let bytes = files::text::rewritten(old, new).bytes;
            let before = decoded_text(&sent, &real, path, old).ok();
            let after = files::text::decode(path, &bytes).ok();
            if let (Some(before), Some(after)) = (&before, &after) {
                file.notes = rewritten(before, after);
            }
            file.before = before.map(|text| text.into_str().into_owned());
            let after = after.map(|text| text.into_str().into_owned());
            Ok((bytes, after))
        })?;
    } else {
        step.write(path, new.as_bytes(), Parents::Create)?;
        (file.before, file.after) = (None, Some(new.to_owned()));
    }
    let now = digests(file.after.as_deref().unwrap_or_default().lines());
    cx.when_kept(move || sent.note(&real, &now, &[(1, now.len())]));
    Ok(())
}

/// Moves a file or directory, changed or not.
fn relocate(cx: &Cx<'_>, path: &str, to: &str, file: &mut File) -> Result<()> {
    let (workspace, sent) = (cx.workspace(), cx.kept::<Sent>());
    if workspace.kind(path)? == Some(Kind::Directory) {
        (file.inner, file.unjudged) = inside(cx, path, Some(to));
    }
    let from = workspace.real(path)?;
    let is_link = workspace.link(path).is_some();
    let moved = cx.step()?.relocate(path, to)?;
    if !is_link {
        let to = workspace.real(&moved.to)?;
        cx.when_kept(move || sent.relocate(&from, &to));
    }
    let changed =
        if file.before == file.after { String::new() } else { format!("{}, ", file.told) };
    let to = if moved.to == to { String::new() } else { format!(" to {}", moved.to) };
    file.told = format!("{changed}moved{to}");
    file.moved_to = Some(moved.to);
    Ok(())
}

/// Refuses a path beside a patch that changes others only.
pub(super) fn refuse_other(cx: &Cx<'_>, patch: &str, path: &str) -> Result<()> {
    let (workspace, set) = (cx.workspace(), files::patch::parse(patch)?);
    let real = workspace.real(path)?;
    let touched = set.touches(workspace, ".", None)?;
    match touched.iter().any(|one| workspace.real(one).is_ok_and(|one| one == real)) {
        true => Ok(()),
        false => Err(Error::invalid_input("path", "the patch does not change it; leave it out")),
    }
}

/// Applies a patch to all its files.
pub(super) fn apply_patch(cx: &Cx<'_>, patch: &str) -> Result<Vec<File>> {
    let set = files::patch::parse(patch)?;
    let workspace = cx.workspace();
    let touched = set.touches(workspace, ".", None)?;
    let known = |path: String| {
        let names = workspace.info(&path).map_or(1, |is| is.names);
        (path.clone(), (text_of(cx, &path), names, workspace.real(&path).ok()))
    };
    let before: BTreeMap<String, (Option<String>, u32, Option<PathBuf>)> =
        touched.into_iter().map(known).collect();
    let changes = set.apply(cx.step()?, ".", None)?;
    let file = |change: FileChange| {
        let path = change.path;
        let from = change.from.filter(|_| change.what == What::Renamed);
        let (text, names, real) =
            before.get(from.as_ref().unwrap_or(&path)).cloned().unwrap_or((None, 1, None));
        let mut file = File {
            before: text,
            after: text_of(cx, &path),
            path: from.clone().unwrap_or_else(|| path.clone()),
            ..File::default()
        };
        if names > 1 && file.after.is_some() && file.before != file.after {
            file.notes.push(split_link(names));
        }
        if let (Some(_), Some(old), Ok(new)) = (&from, real, workspace.real(&path)) {
            let sent = cx.kept::<Sent>();
            cx.when_kept(move || sent.relocate(&old, &new));
        }
        file.told = match (&from, change.what) {
            (Some(_), _) if file.before == file.after => format!("moved to {path}"),
            (Some(_), _) => format!("{}, moved to {path}", file.difference()),
            (None, What::Deleted) => "removed".to_owned(),
            (None, _) => file.difference(),
        };
        for hunk in change.hunks.iter().filter(|hunk| hunk.offset != 0) {
            file.told += &format!(
                ", a hunk at line {}, not {}",
                hunk.line,
                hunk.line as isize - hunk.offset
            );
        }
        file.moved_to = from.map(|_| path);
        file
    };
    Ok(changes.into_iter().map(file).collect())
}

/// What is said of a file that had several names: it is put in the place of one.
fn split_link(names: u32) -> String {
    format!("it had {names} names (hard links); the others keep the old text")
}

/// The texts in a directory that is to be moved or removed, and whether there are more.
fn inside(cx: &Cx<'_>, dir: &str, to: Option<&str>) -> (Vec<File>, bool) {
    let Ok(found) = find(cx.workspace(), &Find::files("*", dir, INSIDE), cx.cancel()) else {
        return Default::default(); // the move or removal tells its own errors
    };
    let root = cx.workspace().real(dir).unwrap_or_default();
    let more = found.more;
    let file = |spot: Spot| {
        let before = text_of(cx, &spot.shown);
        let rest = spot.path.strip_prefix(&root).ok()?.to_str()?.to_owned();
        let moved_to = to.map(|to| format!("{}/{rest}", to.trim_end_matches('/')));
        let after = moved_to.as_ref().and(before.clone());
        Some(File { path: spot.shown, before, after, moved_to, ..File::default() })
    };
    (found.spots.into_iter().filter_map(file).collect(), more)
}
