//! SIGKILL before the n-th system call that changes something, and in the recovery too.

use crate::calls::{Setup, name};
use crate::dice::Dice;
use crate::oracle::{Answer, no_half_file, whole_and_reversible};
use crate::place::Place;
use crate::trace::{self, Act};
use crate::{Result, Round, person, said};

pub(crate) fn round(round: &mut Round<'_>) -> Result {
    let place = Place::new(round.program)?;
    let setup = Setup::new(&place, round.op, &mut round.dice)?;
    setup.restore(&place)?;
    let counted = trace::run(place.command(&setup.words), &place.program, |_| Act::Go);
    let counted = counted.map_err(said)?;
    if !counted.ran.ok() {
        return Err(format!("{}: fails under ptrace, {}", name(round.op), counted.ran.text()));
    }
    for index in round.dice.sample(counted.points, round.points) {
        let mut dice = Dice::new(round.dice.next());
        let mut at = String::new();
        setup.restore(&place)?;
        let came = case(&place, &setup, index, &mut dice, &mut at, &mut round.kills);
        let op = name(round.op);
        round.case(
            || format!("{op}, killed before call {index} of {} ({at})", counted.points),
            came,
        );
    }
    Ok(())
}

/// One kill; `at` becomes what was about to happen.
fn case(
    place: &Place,
    setup: &Setup,
    index: usize,
    dice: &mut Dice,
    at: &mut String,
    kills: &mut usize,
) -> Result {
    let act = if dice.once_in(3) { Act::KillAll } else { Act::Kill };
    let ended = killed(place, &setup.words, index, act, at)?;
    *kills += usize::from(ended.ran.code.is_none());
    if !setup.is_program() {
        no_half_file(&place.tree()?, setup)?;
    }
    let saves = match dice.once_in(3) {
        true => person::edit_all(place, &setup.touched(), dice)?,
        false => Vec::new(),
    };
    if dice.once_in(2) {
        // A recovery makes some 10 such calls, and 100 where files come back.
        let most = if dice.once_in(2) { 15 } else { 150 };
        let index = 1 + dice.below(most);
        let mut when = String::new();
        let ended = killed(place, &["log".to_owned()], index, Act::Kill, &mut when)?;
        if ended.ran.code.is_none() {
            *kills += 1;
            *at += &format!(", and the recovery before {when}");
        }
    }
    if saves.is_empty() {
        return whole_and_reversible(place, setup, Answer::of(ended.ran.code));
    }
    *at += ", then a person edited the files";
    person::keeps_all(place, &saves, setup.moves())
}

fn killed(
    place: &Place,
    words: &[String],
    index: usize,
    act: Act,
    at: &mut String,
) -> Result<trace::Ended> {
    trace::run(place.command(words), &place.program, |point| {
        if point.index != index {
            return Act::Go;
        }
        *at = point.about(place);
        act
    })
    .map_err(said)
}
