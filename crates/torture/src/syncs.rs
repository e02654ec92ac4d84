//! What a power cut would take: files that an answered call wrote and did not bring to the disk, and
//! contents before a change that come to the disk after it.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::calls::{Setup, name};
use crate::place::Place;
use crate::trace::{self, Act, Point};
use crate::{Result, Round, said};

/// Files of Kitbag's own that may be lost.
const MAY_GO: &[&str] =
    &["audit.jsonl", "-shm", ".lock", "/owners/", "/locks/", "/spill/", "/cache/"];

/// A file by its device and inode.
type Id = (u64, u64);

pub(crate) fn round(round: &mut Round<'_>) -> Result {
    let place = Place::new(round.program)?;
    let setup = Setup::new(&place, round.op, &mut round.dice)?;
    setup.restore(&place)?;
    let mut dirty = HashMap::new();
    let (mut first, mut answered) = (None, None);
    let ended = trace::run(place.command(&setup.words), &place.program, |point| {
        if !point.ours {
            return Act::Go;
        }
        note(point, &mut dirty);
        let gets_name = matches!(point.name, "rename" | "renameat" | "renameat2" | "linkat");
        if gets_name && point.path.starts_with(place.root()) && first.is_none() {
            let early = unsafe_files(&place, &dirty, &place.state());
            first = early.first().map(|file| (point.path.clone(), file.clone()));
        }
        if point.path == Path::new("(the answer)") && answered.is_none() {
            answered = Some(unsafe_files(&place, &dirty, place.dir()));
        }
        Act::Go
    });
    let ran = ended.map_err(said)?.ran;
    if !ran.ok() {
        return Err(format!("{}: fails under ptrace, {}", name(round.op), ran.text()));
    }
    let shown =
        |path: &PathBuf| path.strip_prefix(place.dir()).unwrap_or(path).display().to_string();
    let lost: Vec<String> = answered.unwrap_or_default().iter().map(shown).collect();
    let op = name(round.op);
    let came = match lost.is_empty() {
        true => Ok(()),
        false => Err(format!("answered before these are on the disk: {}", lost.join(", "))),
    };
    round.case(|| format!("{op}, power cut after the answer"), came);
    let came = first.map_or(Ok(()), |(path, file)| {
        Err(format!("{} is replaced before {} is on the disk", shown(&path), shown(&file)))
    });
    round.case(|| format!("{op}, power cut in the middle"), came);
    Ok(())
}

/// Notes what is written, and what is brought to the disk.
fn note(point: &Point, dirty: &mut HashMap<Id, ()>) {
    let Some(meta) = point.file.as_ref().and_then(|file| fs::metadata(file).ok()) else { return };
    let id = (meta.dev(), meta.ino());
    match point.name {
        "fsync" | "fdatasync" => drop(dirty.remove(&id)),
        "syncfs" => dirty.retain(|other, ()| other.0 != id.0),
        "fchmod" | "fchown" | "fsetxattr" => {}
        _ if meta.is_file() => drop(dirty.insert(id, ())),
        _ => {}
    }
}

/// The files below `dir` that are written and not on the disk.
fn unsafe_files(place: &Place, dirty: &HashMap<Id, ()>, dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![dir.to_owned()];
    while let Some(dir) = waiting.pop() {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            let Ok(meta) = entry.metadata() else { continue };
            let path = entry.path();
            let shown = path.strip_prefix(place.dir()).unwrap_or(&path).display().to_string();
            if meta.is_dir() {
                waiting.push(path);
            } else if dirty.contains_key(&(meta.dev(), meta.ino()))
                && !MAY_GO.iter().any(|name| shown.contains(name))
            {
                found.push(path);
            }
        }
    }
    found
}
