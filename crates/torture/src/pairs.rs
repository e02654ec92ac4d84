//! A second call, of another process, that begins when the first is about to change something: it
//! must look as if one had come after the other.

use std::process::Stdio;

use crate::calls::{Kind, Setup, Turn, call, name, same};
use crate::place::{Place, Ran, Tree, difference};
use crate::trace::{self, Act};
use crate::{Result, Round, said};

/// How long the second call has to get as far as it can before the first goes on.
const AHEAD: std::time::Duration = std::time::Duration::from_millis(25);

const OTHERS: &[Kind] = &[
    Kind::Write,
    Kind::Edit,
    Kind::MoveFile,
    Kind::MoveFolder,
    Kind::DeleteFile,
    Kind::DeleteFolder,
];

/// What both calls left.
#[derive(PartialEq, Eq)]
struct Left {
    tree: Tree,
    first: bool,
    second: bool,
}

pub(crate) fn round(round: &mut Round<'_>) -> Result {
    let place = Place::new(round.program)?;
    let setup = Setup::new(&place, round.op, &mut round.dice)?;
    if setup.kind == Kind::Program || setup.turn != Turn::Call {
        // What a program does while another call works cannot be put in an order.
        return Ok(());
    }
    let kind = *round.dice.pick(OTHERS);
    let second = call(kind, setup.before(), &mut round.dice)?;
    let after = |calls: [Option<&[String]>; 2]| -> Result<Left> {
        place.restore()?;
        let mut done = [false; 2];
        for (done, call) in done.iter_mut().zip(calls) {
            *done = call.is_some_and(|call| place.run(call).is_ok_and(|ran| ran.ok()));
        }
        Ok(Left { tree: place.tree()?, first: done[0], second: done[1] })
    };
    let (one, two) = (Some(&setup.words[..]), Some(&second[..]));
    let swapped = |left: Left| Left { first: left.second, second: left.first, ..left };
    // One after the other, or one alone because the other was refused.
    let orders =
        [after([one, two])?, swapped(after([two, one])?), after([one, None])?, after([None, two])?];
    place.restore()?;
    let counted = trace::run(place.command(&setup.words), &place.program, |_| Act::Go);
    let points = counted.map_err(said)?.points;
    for index in round.dice.sample(points, round.points) {
        place.restore()?;
        let Some((first, other, at)) = together(&place, &setup.words, &second, index)? else {
            continue;
        };
        let left = Left { tree: place.tree()?, first: first.ok(), second: other.ok() };
        let came = judge(&place, &setup, &left, &orders);
        let came =
            came.map_err(|lost| format!("{lost}; said {} and {}", first.text(), other.text()));
        let (op, kind) = (name(round.op), name((kind, Turn::Call)));
        round.case(|| format!("{op}, {kind} at call {index} of {points} ({at})"), came);
    }
    Ok(())
}

/// How both ended; `None` if the first made fewer calls this time.
fn together(
    place: &Place,
    first: &[String],
    second: &[String],
    index: usize,
) -> Result<Option<(Ran, Ran, String)>> {
    let (mut other, mut at) = (None, String::new());
    let ended = trace::run(place.command(first), &place.program, |point| {
        if point.index == index {
            at = point.about(place);
            let mut command = place.command(second);
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
            // Waited for on another thread, since this one waits for the first.
            other = Some(std::thread::spawn(move || command.output().map(Ran::of)));
            std::thread::sleep(AHEAD);
        }
        Act::Go
    });
    let first = ended.map_err(said)?.ran;
    let Some(other) = other else { return Ok(None) };
    let other = other.join().map_err(|_| "panicked")?.map_err(said)?;
    Ok(Some((first, other, at)))
}

fn judge(place: &Place, setup: &Setup, left: &Left, orders: &[Left]) -> Result {
    if !orders.contains(left) {
        let far: Vec<_> = orders.iter().map(|o| difference(&left.tree, &o.tree)).collect();
        return Err(format!(
            "it is as in no order: answered {} and {}; to this, {}; to that, {}",
            left.first, left.second, far[0], far[1]
        ));
    }
    for _ in 0..usize::from(left.first) + usize::from(left.second) {
        place.must(&["undo"])?;
    }
    same(&place.tree()?, setup.before(), "after undo of both")
}
