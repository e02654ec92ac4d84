//! Every line that matches a pattern, and no other, is found in a tree that changes meanwhile: the
//! same lines as ripgrep's, before the index of words stands, with it, and after SIGKILL.

mod generate;

pub(crate) use generate::at_random;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::answers::Servers;
use crate::changes::{self, Changes};
use crate::place::Place;
use crate::texts;
use crate::{Result, Round, said};

/// Files at the beginning: with fewer there is no index.
const FILES: usize = 1300;
/// Patterns at random, and of the list, for each point of the round: with twelve all of the list.
const QUESTIONS: usize = 125;
const OF_LIST: usize = 50;
/// From one SIGKILL to the next.
const KILL_AFTER: usize = 100;
/// From a start on, as many questions do not wait for the index.
const AT_ONCE: usize = 40;
/// The longest time until the index is on the disk.
const PATIENCE: Duration = Duration::from_secs(60);

/// Asks the patterns of the list, and some at random for each point.
pub(crate) fn round(round: &mut Round<'_>) -> Result {
    let place = Place::new(round.program)?;
    let long = round.dice.once_in(2);
    plant(&place, long, round)?;
    let changes = Changes {
        root: place.root(),
        text: &|_, dice| texts::text(dice).into_bytes(),
        hard: &|_, dice| Some(texts::hard(dice.below(texts::KINDS), long, dice)),
    };
    let mut questions = generate::by_hand();
    round.dice.shuffle(&mut questions);
    questions.truncate(OF_LIST * round.points);
    questions.resize_with(questions.len() + QUESTIONS * round.points, || {
        at_random(&place.root(), &mut round.dice)
    });
    // Those of the list are spread over all states of the index too.
    round.dice.shuffle(&mut questions);
    let mut servers = Servers::start(&place, round.rg)?;
    let (mut last, mut lines) = (String::new(), 0);
    for (number, asked) in questions.iter().enumerate() {
        // The first questions come while the index is made, the others when it was written.
        match number % KILL_AFTER {
            0 if number > 0 => {
                servers.kill()?;
                round.kills += 1;
                if round.dice.once_in(3) {
                    fs::remove_dir_all(place.state()).map_err(said)?;
                    fs::create_dir(place.state()).map_err(said)?;
                }
                last = changes.change(&mut round.dice);
                servers = Servers::start(&place, round.rg)?;
            }
            AT_ONCE => await_index(&place)?,
            _ if round.dice.once_in(3) => last = changes.change(&mut round.dice),
            _ => {}
        }
        let agreed = servers.agree(asked);
        lines += agreed.as_ref().copied().unwrap_or(0);
        round.case(|| format!("question {number} after {last}"), agreed.map(drop));
    }
    round.notes.push(format!("{} patterns, {lines} lines compared", questions.len()));
    if lines < questions.len() {
        return Err(format!("only {lines} lines were found by {} patterns", questions.len()));
    }
    Ok(())
}

/// The tree at the beginning.
fn plant(place: &Place, long: bool, round: &mut Round<'_>) -> Result {
    for number in 0..FILES {
        let path = place.root().join(format!("d{}/f{number}.txt", number % 20));
        let path =
            if number % 3 == 0 { path } else { changes::new_path(&place.root(), &mut round.dice) };
        changes::put(&path, texts::text(&mut round.dice).as_bytes()).map_err(said)?;
    }
    for kind in 0..texts::KINDS {
        let path = place.path(format!("hard/k{kind}.txt"));
        changes::put(&path, &texts::hard(kind, long, &mut round.dice)).map_err(said)?;
    }
    Ok(())
}

/// Until a segment of the index of words was written.
pub(crate) fn await_index(place: &Place) -> Result {
    let until = Instant::now() + PATIENCE;
    while !has_segment(&place.state()) {
        if Instant::now() > until {
            return Err("no index of words was written".to_owned());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

fn has_segment(dir: &Path) -> bool {
    let Ok(entries) = fs::read_dir(dir) else { return false };
    let mut entries = entries.flatten().map(|entry| entry.path());
    entries.any(|path: PathBuf| match path.is_dir() {
        true => has_segment(&path),
        false => {
            path.iter().any(|part| part == "words") && path.metadata().is_ok_and(|m| m.len() > 0)
        }
    })
}
