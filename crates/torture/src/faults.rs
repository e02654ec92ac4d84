//! System calls of Kitbag's own that fail: once, or from some point on.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::calls::{Setup, Turn, name, same};
use crate::dice::Dice;
use crate::oracle::{Answer, is_temporary, whole_and_reversible};
use crate::place::{Place, Ran};
use crate::trace::{self, Act, Point};
use crate::{Result, Round, person, said};

const ERRORS: &[(i32, &str)] = &[
    (libc::EIO, "EIO"),
    (libc::ENOMEM, "ENOMEM"),
    (libc::ENOSPC, "ENOSPC"),
    (libc::EDQUOT, "EDQUOT"),
    (libc::EROFS, "EROFS"),
    (libc::EACCES, "EACCES"),
];

/// Whether a file system gives this error for this call.
fn is_likely(errno: i32, point: &Point) -> bool {
    let frees = ["unlink", "rmdir", "fchmod", "fchown", "chmod", "chown", "ftruncate", "sync"];
    match errno {
        libc::ENOSPC | libc::EDQUOT => !frees.iter().any(|name| point.name.contains(name)),
        libc::EROFS | libc::EACCES => point.file.is_none(),
        _ => true,
    }
}

/// Only what Kitbag does with files can fail for these reasons, not its answer.
fn can_fail(point: &Point) -> bool {
    point.ours && point.path.is_absolute()
}

fn failing_points(place: &Place, setup: &Setup) -> Result<usize> {
    let mut points = 0;
    let counted = trace::run(place.command(&setup.words), &place.program, |point| {
        points += usize::from(can_fail(point));
        Act::Go
    });
    let ran = counted.map_err(said)?.ran;
    if ran.ok() { Ok(points) } else { Err(format!("fails under ptrace, {}", ran.text())) }
}

pub(crate) fn round(round: &mut Round<'_>) -> Result {
    let place = Place::new(round.program)?;
    let setup = Setup::new(&place, round.op, &mut round.dice)?;
    setup.restore(&place)?;
    let points = failing_points(&place, &setup)?;
    for index in round.dice.sample(points, round.points) {
        let mut dice = Dice::new(round.dice.next());
        let (mut errno, mut error) = *dice.pick(ERRORS);
        let lasting = dice.once_in(3);
        setup.restore(&place)?;
        let (mut seen, mut at) = (0, String::new());
        let ended = trace::run(place.command(&setup.words), &place.program, |point| {
            if !can_fail(point) {
                return Act::Go;
            }
            seen += 1;
            if seen == index {
                at = point.about(&place);
                if !is_likely(errno, point) {
                    (errno, error) = ERRORS[0];
                }
            }
            let fails = seen == index || lasting && seen > index && is_likely(errno, point);
            if fails { Act::Fail(errno) } else { Act::Go }
        });
        let ran = ended.map_err(said)?.ran;
        let came = judge(&place, &setup, &ran, lasting, &mut dice);
        let came = came.map_err(|lost| format!("{lost}; it had said {}", ran.text()));
        let (op, from) = (name(round.op), if lasting { " and ever since" } else { "" });
        round.case(|| format!("{op}, {error} at call {index} of {points}{from} ({at})"), came);
    }
    Ok(())
}

/// What must be true when the fault is over.
pub(crate) fn judge(
    place: &Place,
    setup: &Setup,
    ran: &Ran,
    lasting: bool,
    dice: &mut Dice,
) -> Result {
    // A call that failed and says that its changes are still there left both ways open.
    let answer = match ran.err.contains("could not be taken back") {
        true => Answer::None,
        false => Answer::of(ran.code),
    };
    let claims_nothing = ran.err.contains("nothing was changed");
    if answer == Answer::Failed && (!lasting || claims_nothing) && !setup.is_program() {
        let now = place.tree()?;
        // An undo that is half done may say so.
        if setup.turn == Turn::Call || claims_nothing {
            same(&now, setup.before(), "after it had failed")?;
        }
    }
    if answer != Answer::Done && dice.once_in(2) {
        let saves = person::edit_all(place, &setup.touched(), dice)?;
        return person::keeps_all(place, &saves, setup.moves())
            .map_err(|lost| format!("a person edited the files, then {lost}"));
    }
    whole_and_reversible(place, setup, answer)
}

/// A directory of the project becomes read-only while an ordinary user's call is under way.
pub(crate) fn read_only(round: &mut Round<'_>) -> Result {
    let mut place = Place::new(round.program)?;
    place.give_away()?;
    let setup = Setup::new(&place, round.op, &mut round.dice)?;
    if setup.is_program() {
        // What a program makes of it is its own affair.
        return Ok(());
    }
    setup.restore(&place)?;
    let points = failing_points(&place, &setup)?;
    for index in round.dice.sample(points, round.points) {
        let mut dice = Dice::new(round.dice.next());
        setup.restore(&place)?;
        let folder = place.path(dice.pick(&["", "dir", "dir/sub", "made", "moved"]));
        let mode = |mode| fs::set_permissions(&folder, fs::Permissions::from_mode(mode));
        let (mut seen, mut locked) = (0, None);
        let ended = trace::run(place.command(&setup.words), &place.program, |point| {
            seen += usize::from(can_fail(point));
            if seen == index && locked.is_none() {
                let old = folder.symlink_metadata().map(|m| m.permissions().mode());
                locked = Some(old.ok().filter(|_| mode(0o555).is_ok()));
            }
            Act::Go
        });
        let ran = ended.map_err(said)?.ran;
        let Some(old) = locked.flatten() else { continue };
        // It may be elsewhere by now, in the trash too.
        unlock(place.dir(), old)?;
        remove_copies(&place, &setup)?;
        let came = judge(&place, &setup, &ran, true, &mut dice);
        let came = came.map_err(|lost| format!("{lost}; it had said {}", ran.text()));
        let (op, shown) = (name(round.op), folder.strip_prefix(place.dir()).unwrap_or(&folder));
        let shown = shown.display().to_string();
        round.case(|| format!("{op}, {shown} read-only at call {index} of {points}"), came);
    }
    Ok(())
}

/// Removes what stayed under a temporary name because its directory was closed at that moment, if
/// it is only a second copy of what the project holds or held.
fn remove_copies(place: &Place, setup: &Setup) -> Result {
    for (path, entry) in place.tree()? {
        let is_copy = || setup.states.iter().any(|s| s.values().any(|known| *known == entry));
        if is_temporary(&path) && is_copy() {
            fs::remove_file(place.path(&path)).map_err(said)?;
        }
    }
    Ok(())
}

fn unlock(dir: &Path, old: u32) -> Result {
    for entry in fs::read_dir(dir).map_err(said)?.flatten() {
        let meta = entry.metadata().map_err(said)?;
        if meta.is_dir() {
            if meta.permissions().mode() & 0o7777 == 0o555 {
                fs::set_permissions(entry.path(), fs::Permissions::from_mode(old)).map_err(said)?;
            }
            unlock(&entry.path(), old)?;
        }
    }
    Ok(())
}
