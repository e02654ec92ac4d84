//! Two servers and a command line change one project at once.

use std::time::Instant;

use serde_json::{Value, json};

use crate::calls::{same, words};
use crate::dice::Dice;
use crate::place::{Entry, Place, Tree};
use crate::server;
use crate::{Result, Round};

/// A change that somebody asked for, and when.
#[derive(Debug)]
struct Done {
    what: What,
    begun: Instant,
    ended: Instant,
    answered: bool,
}

#[derive(Debug)]
enum What {
    /// The token of a line of the file that all edit.
    Line(String),
    /// A file that nobody else touches, and its content.
    Own(String, String),
    /// The file that all replace and remove: its content.
    Contested(Option<String>),
}

const LINES: usize = 60;

pub(crate) fn round(round: &mut Round<'_>) -> Result {
    all_at_once(round, false)
}

/// All replace and remove one file.
pub(crate) fn fight(round: &mut Round<'_>) -> Result {
    all_at_once(round, true)
}

fn all_at_once(round: &mut Round<'_>, fight: bool) -> Result {
    let place = Place::new(round.program)?;
    let lines: String = (0..LINES).map(|n| format!("line {n}: old\n")).collect();
    place.write("shared.txt", lines)?;
    place.write("contested.txt", "at first\n")?;
    place.write("own/first.txt", "at first\n")?;
    let first = place.tree()?;
    let each = round.points * 2;
    let dice = [(); 3].map(|()| Dice::new(round.dice.next()));
    let all = std::thread::scope(|scope| {
        let place = &place;
        let workers: Vec<_> = dice
            .into_iter()
            .enumerate()
            .map(|(who, dice)| scope.spawn(move || work(place, who, dice, each, fight)))
            .collect();
        let ended = workers.into_iter().map(|w| w.join().unwrap_or(Err("panicked".into())));
        ended.collect::<Result<Vec<_>>>()
    })?;
    let all: Vec<Done> = all.into_iter().flatten().collect();
    round.case(|| format!("what {} calls left", all.len()), kept(&place.tree()?, &all));
    round.case(|| format!("all {} calls undone", all.len()), undone(&place, &first));
    Ok(())
}

/// Some calls, one after another; the third worker is a command line.
fn work(place: &Place, who: usize, mut dice: Dice, most: usize, fight: bool) -> Result<Vec<Done>> {
    let own = if fight { "local" } else { "fiz" };
    let mut server = if who < 2 { Some(server::start(place, own)?) } else { None };
    let mut done = Vec::new();
    for n in 0..most {
        let (what, toolset, tool, input) =
            if fight { contested(&mut dice) } else { random(who, n, &mut dice) };
        let begun = Instant::now();
        let answered = match &mut server {
            Some(server) if toolset == own => server::call(server, tool, &input)?,
            _ => place.run(&words(toolset, tool, &input))?.ok(),
        };
        done.push(Done { what, begun, ended: Instant::now(), answered });
    }
    Ok(done)
}

/// What is to be done, and by which tool of which toolset.
type Task = (What, &'static str, &'static str, Value);

/// Replaces or removes the file that all want.
fn contested(dice: &mut Dice) -> Task {
    let token = dice.token();
    let path = "contested.txt";
    if dice.once_in(2) {
        return (What::Contested(None), "local", "delete_file", json!({"path": path}));
    }
    let input = json!({"path": path, "content": token});
    (What::Contested(Some(token)), "local", "write_file", input)
}

fn random(who: usize, n: usize, dice: &mut Dice) -> Task {
    let token = dice.token();
    let own = format!("own/{who}-{n}.txt");
    match dice.below(5) {
        // Each worker has lines of its own, each used once.
        0 | 1 if n * 3 + who < LINES => {
            let line = n * 3 + who;
            let (old, new) = (format!("line {line}: old\n"), format!("line {line}: {token}\n"));
            let input = json!({"path": "shared.txt", "edits": [{"oldText": old, "newText": new}]});
            (What::Line(token), "fiz", "edit", input)
        }
        2 => {
            let script = format!("echo {token} > {own}");
            let what = What::Own(own, format!("{token}\n"));
            (what, "fiz", "bash", json!({"command": script}))
        }
        3 if who == 2 => contested(dice),
        _ => {
            let input = json!({"path": own, "content": token});
            (What::Own(own, token), "fiz", "write", input)
        }
    }
}

/// Whether each answered change is there, unless a later one replaced it.
fn kept(tree: &Tree, all: &[Done]) -> Result {
    let text = |path: &str| match tree.get(std::path::Path::new(path)) {
        Some(Entry::File(_, bytes)) => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    };
    let shared = text("shared.txt").unwrap_or_default();
    for done in all {
        match &done.what {
            What::Line(token) if shared.contains(token) != done.answered => {
                return Err(format!("answered: {}, the line is not so: {token}", done.answered));
            }
            What::Own(path, content) if done.answered && text(path).as_ref() != Some(content) => {
                return Err(format!("{path} was answered and is {:?}", text(path)));
            }
            _ => {}
        }
    }
    let now = text("contested.txt");
    let contested = || {
        all.iter().filter_map(|done| match &done.what {
            What::Contested(content) => Some((done, content)),
            _ => None,
        })
    };
    // Who left the file so, and after whom nobody else began.
    let last =
        |done: &Done| contested().all(|(other, _)| !other.answered || other.begun <= done.ended);
    let explained =
        contested().any(|(done, content)| done.answered && *content == now && last(done));
    let untouched = !contested().any(|(done, _)| done.answered);
    if explained || untouched {
        return Ok(());
    }
    Err(format!("contested.txt is {now:?}, which no last call explains"))
}

/// Undo, newest first, leads to the beginning.
fn undone(place: &Place, first: &Tree) -> Result {
    let steps = place.log()?.len();
    for left in (0..steps).rev() {
        place.must(&["undo"]).map_err(|e| format!("with {left} more to undo: {e}"))?;
    }
    same(&place.tree()?, first, "after undo of everything")
}
