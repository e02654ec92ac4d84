//! A person saves a file exactly when a call is about to change something.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::calls::{Kind, Setup, Turn, name};
use crate::dice::Dice;
use crate::oracle::finish;
use crate::person::{Save, place_of, save, whereabouts};
use crate::place::{Entry, Place, Ran, Tree, difference};
use crate::trace::{self, Act};
use crate::{Result, Round, said};

pub(crate) fn round(round: &mut Round<'_>) -> Result {
    let place = Place::new(round.program)?;
    let setup = Setup::new(&place, round.op, &mut round.dice)?;
    setup.restore(&place)?;
    let counted = trace::run(place.command(&setup.words), &place.program, |_| Act::Go);
    let points = counted.map_err(said)?.points;
    for index in round.dice.sample(points, round.points) {
        let mut dice = Dice::new(round.dice.next());
        let path = target(&setup, &mut dice);
        setup.restore(&place)?;
        let (mut saved, mut at, mut begun) = (Ok(None), String::new(), false);
        let ended = trace::run(place.command(&setup.words), &place.program, |point| {
            begun |= !point.ours && point.index <= index;
            if point.index == index {
                saved = save(&place, &path, &mut dice);
                at = point.about(&place);
            }
            Act::Go
        });
        let ran = ended.map_err(said)?.ran;
        // Where there is no directory any more, nobody can save.
        let Some(saved) = saved? else { continue };
        let came = judge(&place, &setup, &ran, &saved, begun);
        let came = came.map_err(|lost| format!("{lost}; it had said {}", ran.text()));
        let (op, shown) = (name(round.op), path.display().to_string());
        round.case(|| format!("{op}, {shown} saved at call {index} of {points} ({at})"), came);
    }
    Ok(())
}

/// What the person saves: a file that the call changes, a new one beside it, or another one.
fn target(setup: &Setup, dice: &mut Dice) -> PathBuf {
    let file = |path: &&PathBuf| {
        [setup.before(), setup.after()]
            .iter()
            .any(|t| matches!(t.get(*path), Some(Entry::File(..))))
    };
    let touched = setup.touched();
    let files: Vec<_> = touched.iter().filter(file).collect();
    match dice.below(6) {
        0 => files[dice.below(files.len())].with_file_name("a person's.txt"),
        1 => PathBuf::from(dice.pick(&[".envrc", ".mcp.json", "notes/kept.txt", "b.txt"])),
        _ => files[dice.below(files.len())].clone(),
    }
}

/// The call is one that replaces or removes what is there, whatever it is. So does a program with
/// what was saved before it had `begun`: it saw that.
fn overwrites(setup: &Setup, begun: bool) -> bool {
    match setup.kind {
        Kind::Program => setup.is_program() && !begun,
        Kind::Write | Kind::Create => setup.turn == Turn::Call,
        Kind::DeleteFile | Kind::DeleteFolder => setup.turn != Turn::Undo,
        _ => false,
    }
}

fn judge(place: &Place, setup: &Setup, ran: &Ran, saved: &Save, begun: bool) -> Result {
    let tree = place.tree()?;
    let there = place_of(&tree, &saved.token).is_some();
    if !there && !overwrites(setup, begun) {
        let found = whereabouts(place, &tree, saved);
        if is_told(ran, &saved.path) && place.keeps(saved.token.as_bytes()).is_some() {
            return Ok(());
        }
        return Err(format!("the save is gone and nothing is said of it; {found}"));
    }
    let tree = match !ran.ok() && finish(place, false)? {
        true => place.tree()?,
        false => tree,
    };
    let should = if ran.ok() { setup.after() } else { setup.before() };
    let (is, should) = others(&tree, should, saved);
    if is != should && !setup.is_program() {
        let far = difference(&is, &should);
        return Err(format!("beside the save, exit {:?}, {far}", ran.code));
    }
    place.must(&["log"])?;
    let back = if setup.turn == Turn::Undo { "redo" } else { "undo" };
    let turned = place.run(&[back])?;
    let tree = place.tree()?;
    if place_of(&tree, &saved.token).is_none() {
        let found = whereabouts(place, &tree, saved);
        return Err(format!("after `{back}` the save is gone; {found}; {}", turned.text()));
    }
    Ok(())
}

/// Whether the answer says that the path was somebody else's.
fn is_told(ran: &Ran, path: &Path) -> bool {
    let path = path.to_string_lossy();
    let told = |line: &str| {
        line.contains(&*path)
            && ["conflict", "changed since", "kept", "meanwhile"].iter().any(|w| line.contains(w))
    };
    ran.err.lines().chain(ran.out.lines()).any(told)
}

/// The files of both trees that have nothing to do with the save, which is judged by itself.
fn others(is: &Tree, should: &Tree, saved: &Save) -> (Tree, Tree) {
    let token = saved.token.as_bytes();
    let has = |bytes: &[u8]| bytes.windows(token.len()).any(|w| w == token);
    let own: BTreeSet<_> = is
        .iter()
        .filter(|(_, entry)| matches!(entry, Entry::File(_, bytes) if has(bytes)))
        .map(|(path, _)| path)
        .collect();
    // A file that was moved or copied before it was saved is known by its name.
    let about = |path: &Path| {
        path.file_name() == saved.path.file_name()
            || path == Path::new("moved/here.txt")
            || own.contains(&path.to_owned())
    };
    let rest = |tree: &Tree| -> Tree {
        let files =
            tree.iter().filter(|(path, entry)| !matches!(entry, Entry::Folder(_)) && !about(path));
        files.map(|(path, entry)| (path.clone(), entry.clone())).collect()
    };
    (rest(is), rest(should))
}
