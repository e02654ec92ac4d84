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
    let one_by_one = |first: &[String], second: &[String]| -> Result<(Tree, bool, bool)> {
        place.restore()?;
        let (first, second) = (place.run(first)?.ok(), place.run(second)?.ok());
        Ok((place.tree()?, first, second))
    };
    let (tree, one, two) = one_by_one(&setup.words, &second)?;
    let this_first = Left { tree, first: one, second: two };
    let (tree, two, one) = one_by_one(&second, &setup.words)?;
    let that_first = Left { tree, first: one, second: two };
    place.restore()?;
    let counted = trace::run(place.command(&setup.words), &place.program, |_| Act::Go);
    let points = counted.map_err(said)?.points;
    for index in round.dice.sample(points, round.points) {
        place.restore()?;
        let (first, other, at) = together(&place, &setup.words, &second, index)?;
        let left = Left { tree: place.tree()?, first: first.ok(), second: other.ok() };
        let came = judge(&place, &setup, &left, [&this_first, &that_first]);
        let came =
            came.map_err(|lost| format!("{lost}; said {} and {}", first.text(), other.text()));
        let (op, kind) = (name(round.op), name((kind, Turn::Call)));
        round.case(|| format!("{op}, {kind} at call {index} of {points} ({at})"), came);
    }
    Ok(())
}

fn together(
    place: &Place,
    first: &[String],
    second: &[String],
    index: usize,
) -> Result<(Ran, Ran, String)> {
    let (mut other, mut at) = (None, String::new());
    let ended = trace::run(place.command(first), &place.program, |point| {
        if point.index == index {
            let shown = point.path.strip_prefix(place.dir()).unwrap_or(&point.path);
            at = format!("{} {}", point.name, shown.display());
            let mut command = place.command(second);
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
            // Waited for on another thread, since this one waits for the first.
            other = Some(std::thread::spawn(move || command.output().map(Ran::of)));
            std::thread::sleep(AHEAD);
        }
        Act::Go
    });
    let first = ended.map_err(said)?.ran;
    let other = other.ok_or("the second call did not begin")?;
    let other = other.join().map_err(|_| "panicked")?.map_err(said)?;
    Ok((first, other, at))
}

fn judge(place: &Place, setup: &Setup, left: &Left, orders: [&Left; 2]) -> Result {
    // One of both may also have been refused, with the other done whole.
    let alone = |done: bool, tree: &Tree| left.tree == *tree && done;
    let refused = !left.second && alone(left.first, setup.after())
        || !left.first && left.second && orders.iter().any(|order| left.tree == order.tree);
    if !orders.contains(&left) && !refused {
        let far = orders.map(|order| difference(&left.tree, &order.tree));
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
