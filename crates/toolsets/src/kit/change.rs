//! Changes of files as callers write them, brought into one step of the journal.

use std::collections::BTreeMap;
use std::path::PathBuf;

use files::patch::{FileChange, What};
use files::search::{Find, Spot, find};
use files::workspace::Kind;
use index::Named;

use super::changed::{File, rewritten};
use super::parts::{change_parts, show, text_of as decoded_text};
use super::place::{Part, Place, lines as range};
use super::sent::{Sent, digests};
use crate::prelude::*;

/// Files of a directory that are judged when it goes.
const INSIDE: usize = 500;

/// What happens to one file, or to one place in it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `path` and what to change there")]
pub(crate) struct Change {
    #[serde(default, alias = "file", alias = "file_path")]
    pub(super) path: String,
    #[serde(alias = "old_string", alias = "old_str", alias = "old_text", alias = "oldText")]
    pub(super) old: Option<String>,
    #[serde(
        alias = "new_string",
        alias = "new_str",
        alias = "new_text",
        alias = "newText",
        alias = "content"
    )]
    pub(super) new: Option<String>,
    #[serde(alias = "replace_all")]
    pub(super) all: Option<bool>,
    pub(super) lines: Option<String>,
    pub(super) move_to: Option<String>,
    pub(super) remove: Option<bool>,
}

impl Change {
    /// The same, of this path and in all places, if it does not say otherwise.
    pub(super) fn or_of(self, path: &str, all: Option<bool>) -> Self {
        let path = if self.path.is_empty() { path.to_owned() } else { self.path };
        Self { path, all: self.all.or(all), ..self }
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = String> {
        let path = Place::written(&self.path).path;
        std::iter::once(path).chain(self.move_to.as_deref()).map(str::to_owned)
    }

    /// The same with the lines that came as part of the path. A definition is not replaced by its
    /// name: the answer says which lines it is.
    fn settled(self, cx: &Cx<'_>) -> Result<Self> {
        let Place { path, part } = Place::of(&self.path, cx.workspace());
        match part {
            // A new file may have any name, but not that of a place by mistake.
            Part::Lines(..) if cx.workspace().glance(&self.path).is_none() => {
                cx.workspace().open_file(path)?;
            }
            _ if cx.workspace().glance(path).is_none() => return Ok(self),
            _ => {}
        }
        match part {
            Part::Whole => Ok(self.closed(cx)),
            Part::Lines(..) if self.lines.is_some() => {
                Err(Error::invalid_input("lines", "`path` has lines too; give one of them"))
            }
            Part::Lines(first, last) => {
                let last = last.map_or(String::new(), |last| last.to_string());
                let lines = Some(format!("{first}-{last}"));
                Ok(Self { path: path.to_owned(), lines, ..self }.closed(cx))
            }
            Part::Symbol(name) => {
                let named = Named { name, dir: path, family: None, max: 1 };
                let found = cx.index().find_symbol(cx.workspace(), &named, cx.cancel())?.found;
                let Some(found) = found.first().map(|found| &found.what) else {
                    return Err(Error::undefined(path, name, &[]));
                };
                let lines = format!("{}-{}", found.start_line, found.end_line);
                let mut problem = format!("a definition; name its lines, {path}:{lines}");
                if let Some(shown) = shown(cx, path, (found.start_line, found.end_line)) {
                    problem += &format!("; now\n{shown}");
                }
                let error = Error::invalid_input("path", problem).with("path", &self.path);
                Err(error.with("near", format!("{path}:{lines}")))
            }
        }
    }

    /// The same with the last line of the file in a range that has no end.
    fn closed(self, cx: &Cx<'_>) -> Self {
        let Some((first, None)) = self.lines.as_deref().and_then(range) else { return self };
        let last = text_of(cx, &self.path).map_or(0, |text| text.lines().count()).max(first);
        Self { lines: Some(fault::range(first, last)), ..self }
    }

    /// Refuses what says nothing or contradicts itself; `at` is where it is in the call.
    fn check(&self, at: &str) -> Result<()> {
        let Self { old, new, lines, move_to, remove, all, .. } = self;
        let removes = *remove == Some(true);
        let changes = old.is_some() || new.is_some() || lines.is_some();
        let (field, problem) = match () {
            () if self.path.is_empty() => ("path", "empty; give a path"),
            () if removes && (changes || move_to.is_some()) => {
                ("remove", "a file that is removed is not changed or moved; leave the rest out")
            }
            () if removes => return Ok(()),
            () if old.as_deref() == Some("") => {
                ("old", "empty; leave it out to write the whole file, or give the text to replace")
            }
            // A call that was cut short has none; taking that for "" would remove the text.
            () if (old.is_some() || lines.is_some()) && new.is_none() => {
                ("new", r#"missing; give "" to remove the text"#)
            }
            () if !changes && move_to.is_none() => {
                ("new", "missing; give `old` and `new`, `new` alone, `move_to` or `remove`")
            }
            () if *all == Some(true) && old.is_none() => {
                ("all", "it is about every `old`; give that, or leave it out")
            }
            () if lines.is_some() && self.range().is_none() => {
                ("lines", "not a range of lines such as `10-20`, `10-` or `10`")
            }
            () => return Ok(()),
        };
        Err(Error::invalid_input(&format!("{at}{field}"), problem))
    }

    /// The lines that it replaces, or in which `old` is, from 1, both included.
    pub(super) fn range(&self) -> Option<(usize, usize)> {
        let (first, last) = range(self.lines.as_deref()?)?;
        Some((first, last?))
    }

    /// Whether it could change the number of lines.
    pub(super) fn moves_lines(&self) -> bool {
        let breaks =
            |text: &Option<String>| text.iter().flat_map(|text| text.matches('\n')).count();
        match (&self.old, self.range(), self.new.as_deref()) {
            (None, Some((first, last)), Some(new)) => new.lines().count() != last + 1 - first,
            _ => breaks(&self.old) != breaks(&self.new),
        }
    }

    /// Whether it writes the whole file.
    fn is_whole(&self) -> bool {
        self.new.is_some() && self.old.is_none() && self.lines.is_none()
    }
}

/// Makes the one change of a call.
pub(super) fn apply(cx: &Cx<'_>, change: Change) -> Result<Vec<File>> {
    let change = change.settled(cx)?;
    change.check("")?;
    Ok(vec![apply_to(cx, &change.path, &[&change])?])
}

/// Makes all changes, those of one file together.
pub(super) fn apply_all(cx: &Cx<'_>, changes: Vec<Change>) -> Result<Vec<File>> {
    let settled = changes.into_iter().map(|change| change.settled(cx));
    let changes: Vec<Change> = settled.collect::<Result<_>>()?;
    let mut groups: Vec<(PathBuf, Vec<&Change>)> = Vec::new();
    for (at, change) in changes.iter().enumerate() {
        change.check(&format!("changes[{at}]."))?;
        // One file has many spellings.
        let real = cx.workspace().real(&change.path)?;
        match groups.iter_mut().find(|(path, _)| *path == real) {
            Some((_, group)) => group.push(change),
            None => groups.push((real, vec![change])),
        }
    }
    if groups.is_empty() {
        return Err(Error::invalid_input("changes", "empty; give at least one change"));
    }
    groups.into_iter().map(|(_, group)| apply_to(cx, &group[0].path, &group)).collect()
}

/// Makes the changes of one file.
fn apply_to(cx: &Cx<'_>, path: &str, changes: &[&Change]) -> Result<File> {
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
        change_parts(cx, path, changes, &mut file)?;
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

/// Lines that the session has not seen.
fn shown(cx: &Cx<'_>, path: &str, lines: (usize, usize)) -> Option<String> {
    let (sent, text) = (cx.kept::<Sent>(), text_of(cx, path)?);
    let (real, now) = (cx.workspace().real(path).ok()?, digests(text.lines()));
    if sent.has(&real, &now, lines) {
        return None;
    }
    show(&sent, &real, (&text, &now), &[lines])
}

/// What is said of a file that had several names: it is put in the place of one.
fn split_link(names: u32) -> String {
    format!("it had {names} names (hard links); the others keep the old text")
}

/// The text of a file that is there.
fn text_of(cx: &Cx<'_>, path: &str) -> Option<String> {
    let contents = cx.workspace().look(path).ok()?;
    let text = decoded_text(&cx.kept::<Sent>(), &contents.path, path, &contents.bytes).ok()?;
    Some(text.into_str().into_owned())
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
