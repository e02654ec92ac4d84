//! A person who edits files in the project while Kitbag works there.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;

use crate::calls::words;
use crate::dice::Dice;
use crate::place::{Entry, Place, Tree};
use crate::{Result, Round};

/// What a person saved.
#[derive(Clone, Debug)]
pub(crate) struct Save {
    pub(crate) path: PathBuf,
    /// In what was saved and nowhere else.
    pub(crate) token: String,
}

/// Saves a file as editors do: a new one over the old, or the old one written anew. `None` if there
/// is no directory for it.
pub(crate) fn save(place: &Place, path: &Path, dice: &mut Dice) -> Result<Option<Save>> {
    let real = place.path(path);
    let token = format!("person {}", dice.token());
    let mut content = fs::read(&real).unwrap_or_default();
    content.extend_from_slice(format!("{token}\n").as_bytes());
    let done = if dice.once_in(2) {
        fs::write(&real, content)
    } else {
        let new = real.with_file_name(format!("#{}#", dice.token()));
        fs::write(&new, content).and_then(|()| {
            if let Ok(meta) = real.symlink_metadata() {
                fs::set_permissions(&new, meta.permissions())?;
            }
            fs::rename(&new, &real).inspect_err(|_| drop(fs::remove_file(&new)))
        })
    };
    match done {
        Ok(()) => Ok(Some(Save { path: path.to_owned(), token })),
        Err(e) if matches!(e.raw_os_error(), Some(libc::ENOENT | libc::ENOTDIR)) => Ok(None),
        Err(e) => Err(format!("{}: {e}", real.display())),
    }
}

/// Saves each of these that is a file now.
pub(crate) fn edit_all(place: &Place, paths: &[PathBuf], dice: &mut Dice) -> Result<Vec<Save>> {
    let tree = place.tree()?;
    let files = paths.iter().filter(|p| matches!(tree.get(*p), Some(Entry::File(..))));
    let saves = files.map(|path| save(place, path, dice));
    Ok(saves.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}

/// Where in the tree the token is.
pub(crate) fn place_of<'a>(tree: &'a Tree, token: &str) -> Option<&'a PathBuf> {
    let has = |bytes: &[u8]| bytes.windows(token.len()).any(|w| w == token.as_bytes());
    tree.iter()
        .find(|(_, entry)| matches!(entry, Entry::File(_, b) if has(b)))
        .map(|(path, _)| path)
}

/// What was saved when nothing ran stays where it is, whatever is set right or undone afterwards.
/// With `moves`, what is turned moves files with all that is in them.
pub(crate) fn keeps_all(place: &Place, saves: &[Save], moves: bool) -> Result {
    for command in ["all that ran", "log", "undo", "log", "redo"] {
        match command {
            "all that ran" => {}
            "log" => drop(place.must(&[command])?),
            _ => drop(place.run(&[command])?),
        }
        let tree = place.tree()?;
        let is_kept = |save: &&Save| match place_of(&tree, &save.token) {
            Some(path) => moves || *path == save.path,
            None => false,
        };
        let lost: Vec<_> = saves.iter().filter(|save| !is_kept(save)).collect();
        if let Some(save) = lost.first() {
            return Err(format!(
                "{} of {} saves of a person are gone after {command}, first {} ({})",
                lost.len(),
                saves.len(),
                save.path.display(),
                whereabouts(place, &tree, save),
            ));
        }
    }
    Ok(())
}

/// Where a save is that is not in its place, for a message.
pub(crate) fn whereabouts(place: &Place, tree: &Tree, save: &Save) -> String {
    if let Some(path) = place_of(tree, &save.token) {
        return format!("it is at {}", path.display());
    }
    match place.keeps(save.token.as_bytes()) {
        Some(file) => {
            format!("a copy is in {}", file.strip_prefix(place.dir()).unwrap_or(&file).display())
        }
        None => "it is nowhere".into(),
    }
}

/// Saves at random while programs run and are undone.
pub(crate) fn round(round: &mut Round<'_>) -> Result {
    let place = Place::new(round.program)?;
    for n in 0..8 {
        place.write(format!("p/{n}.txt"), format!("{n} {}\n", round.dice.token()))?;
    }
    for turn in 0..round.points.div_ceil(4) {
        let stop = AtomicBool::new(false);
        let mut dice = Dice::new(round.dice.next());
        let token = round.dice.token();
        let script = format!(
            "for i in 1 2 3 4 5 6; do echo {token} > made$i; sleep 0.05; done; echo {token} > p/new"
        );
        let (mut ran, mut saves) = (Vec::new(), Ok(Vec::new()));
        std::thread::scope(|scope| {
            let person = scope.spawn(|| at_random(&place, &stop, &mut dice));
            ran.push(place.run(&words("fiz", "bash", &json!({"command": script}))));
            ran.push(place.run(&["undo"]));
            ran.push(place.run(&["log"]));
            stop.store(true, Ordering::Relaxed);
            saves = person.join().unwrap_or_else(|_| Err("the person panicked".into()));
        });
        let came = (|| {
            let ran = ran.into_iter().collect::<Result<Vec<_>>>()?;
            if !ran[0].ok() || !ran[2].ok() {
                return Err(format!("{}; {}", ran[0].text(), ran[2].text()));
            }
            keeps_all(&place, &saves?, false)
        })();
        round.case(|| format!("program and undo number {turn}"), came);
    }
    Ok(())
}

/// Saves and deletes in `p` until it is to stop; gives the last save of each file that is left.
fn at_random(place: &Place, stop: &AtomicBool, dice: &mut Dice) -> Result<Vec<Save>> {
    let mut last: std::collections::BTreeMap<PathBuf, Save> = Default::default();
    while !stop.load(Ordering::Relaxed) {
        let path = PathBuf::from(format!("p/{}.txt", dice.below(8)));
        match dice.below(6) {
            0 => {
                let _ = fs::remove_file(place.path(&path));
                last.remove(&path);
            }
            1 => {
                let to = PathBuf::from(format!("p/{}.txt", dice.below(8)));
                if fs::rename(place.path(&path), place.path(&to)).is_ok() && to != path {
                    last.remove(&to);
                    if let Some(mut save) = last.remove(&path) {
                        save.path.clone_from(&to);
                        last.insert(to, save);
                    }
                }
            }
            _ => {
                let saved = save(place, &path, dice)?.ok_or("the directory p is gone")?;
                last.insert(path, saved);
            }
        }
        std::thread::sleep(Duration::from_micros(dice.below(8_000) as u64));
    }
    Ok(last.into_values().collect())
}
