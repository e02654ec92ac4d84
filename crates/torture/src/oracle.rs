//! What must be true after something happened to a command.

use crate::Result;
use crate::calls::{Setup, Turn, same};
use crate::place::{Place, Tree, difference};

/// How a command ended for whoever gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// It said that it is done.
    Done,
    /// It said that it failed.
    Failed,
    /// It said nothing.
    None,
}

impl Answer {
    pub(crate) fn of(code: Option<i32>) -> Self {
        match code {
            Some(0) => Self::Done,
            Some(_) => Self::Failed,
            None => Self::None,
        }
    }
}

/// Whether a file has the name of one that Kitbag is about to put in place.
pub(crate) fn is_temporary(path: &std::path::Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".kit"))
}

/// Each file is what it was before or what it is after, also before anybody set things right.
pub(crate) fn no_half_file(now: &Tree, setup: &Setup) -> Result {
    for (path, entry) in now {
        let temporary = is_temporary(path);
        let folder = matches!(entry, crate::place::Entry::Folder(_));
        let known = setup.states.iter().any(|state| state.get(path) == Some(entry));
        if !(known || temporary || folder) {
            let one = |entry| Tree::from([(path.clone(), entry)]);
            let should = setup.after().get(path).or_else(|| setup.before().get(path));
            let should = should.cloned().map(one).unwrap_or_default();
            return Err(format!("half a file, {}", difference(&one(entry.clone()), &should)));
        }
    }
    Ok(())
}

/// The whole project is what it was before the command or what it is after it, as the answer said,
/// and the journal leads from there to the beginning and back.
pub(crate) fn whole_and_reversible(place: &Place, setup: &Setup, answer: Answer) -> Result {
    place.must(&["log"])?;
    let now = place.tree()?;
    let mut top = if setup.turn == Turn::Call { setup.from } else { setup.states.len() - 1 };
    let now = match answer {
        // What stopped half way leads on and back, as it says, when the cause is gone.
        Answer::Failed | Answer::None if finish(place, now.len() % 2 == 0)? => place.tree()?,
        _ => now,
    };
    let stopped = setup.is_program() && answer != Answer::Done;
    let is_noted = !stopped || offered(place)?.is_none();
    let at = if now == *setup.after() && is_noted {
        top = top.max(setup.to);
        setup.to
    } else if now == *setup.before() {
        setup.from
    } else if stopped {
        // What a program did until it was stopped is a call of its own, or, where nobody can tell
        // that it was the program, offered to be put back.
        match offered(place)? {
            Some(step) => place.must(&["redo", &step])?,
            None => place.must(&["undo"])?,
        };
        same(&place.tree()?, setup.before(), "after undo of what a stopped program did")?;
        setup.from
    } else {
        let (after, before) = (difference(&now, setup.after()), difference(&now, setup.before()));
        let far = format!("to be done, {after}; to be as before, {before}");
        return Err(format!("{answer:?}, and neither done nor as before: {far}"));
    };
    match answer {
        Answer::Done if at != setup.to => Err("answered as done, and it is not".into()),
        Answer::Failed if at != setup.from && setup.turn == Turn::Call && !setup.is_program() => {
            Err("answered as failed, and it is done".into())
        }
        _ => walk(place, &setup.states, at, top),
    }
}

/// Goes on with what stopped half way, or takes it back, by the command that the journal names for
/// it; gives whether there was such a thing.
pub(crate) fn finish(place: &Place, forward: bool) -> Result<bool> {
    let log = place.log()?;
    let mut trouble = log.iter().filter_map(|step| step["trouble"].as_str());
    let Some(half) = trouble.find(|text| text.contains("goes on with it")) else {
        return Ok(false);
    };
    let command = half.split('`').filter_map(|word| word.strip_prefix("kitbag "));
    let commands: Vec<_> = command.collect();
    let command = if forward { commands.first() } else { commands.last() };
    let words = command.ok_or_else(|| format!("no command in `{half}`"))?;
    place.must(&words.split(' ').collect::<Vec<_>>())?;
    Ok(true)
}

/// The number of the step that puts back what changed while a program ran.
fn offered(place: &Place) -> Result<Option<String>> {
    let log = place.log()?;
    let of = |step: &&serde_json::Value| {
        step["about"].as_str().is_some_and(|about| about.starts_with("put back what"))
    };
    Ok(log.iter().find(of).map(|step| step["call"].to_string()))
}

/// Undo leads step by step to the beginning and no further, redo back up to `top`.
pub(crate) fn walk(place: &Place, states: &[Tree], at: usize, top: usize) -> Result {
    for n in (0..at).rev() {
        place.must(&["undo"])?;
        same(&place.tree()?, &states[n], "after undo")?;
    }
    if place.run(&["undo"])?.ok() {
        return Err("undo found a step that nobody was told of".into());
    }
    same(&place.tree()?, &states[0], "after an undo too many")?;
    for state in &states[1..=top] {
        place.must(&["redo"])?;
        same(&place.tree()?, state, "after redo")?;
    }
    Ok(())
}
