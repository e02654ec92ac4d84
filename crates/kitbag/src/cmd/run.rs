//! `kitbag run`.

use std::io::Read as _;
use std::sync::Arc;

use agent::Event;
use fault::{Cancel, Error, Result};
use toolkit::serde_json;

use crate::compose::{self, Agent};
use crate::config::model::Asked;
use crate::config::{self, Common};
use crate::exit::Exit;
use crate::screen::{Screen, ending};
use crate::terminal;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The task: text, @FILE, or - for standard input
    prompt: String,
    /// Go on with a session: the beginning of its name, or `last`
    #[arg(long = "continue", value_name = "SESSION")]
    resume: Option<String>,
    /// Print events as JSON, one per line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    asked: Asked,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(args: &Args) -> Result<Exit> {
    let prompt = prompt(&args.prompt)?;
    let runtime = compose::runtime()?;
    let opening = Agent::open(&args.common, &args.asked, args.resume.as_deref());
    let agent = runtime.block_on(opening)?;
    let session = Arc::clone(&agent.session);
    let cancel = Cancel::default();
    let mut screen = Screen::new(Arc::clone(&session));
    let hear = |event: &Event| match args.json {
        true => tell_json(event),
        false => screen.show(event),
    };
    let ended = runtime.block_on(async {
        if terminal::is_attended() {
            tokio::spawn(terminal::answer(session.sit(), true, <_>::default()));
        }
        let stop = cancel.clone();
        terminal::on_ctrl_c(move || stop.cancel());
        let mut talk = agent.begin(hear)?;
        Ok::<_, Error>((talk.prompt(prompt, &cancel).await, talk.id()))
    });
    session.project().end();
    runtime.shutdown_background();
    let (ended, id) = ended?;
    if !args.json {
        terminal::tell(&ending(&ended, &id));
        ended.error.iter().for_each(terminal::complain);
    }
    Ok(Exit::from(&ended))
}

fn prompt(given: &str) -> Result<String> {
    let text = if given == "-" {
        let mut text = String::new();
        let read = std::io::stdin().read_to_string(&mut text);
        read.map_err(|e| Error::io("standard input", &e))?;
        text
    } else if let Some(path) = given.strip_prefix('@') {
        config::contents(path)?
    } else {
        given.to_owned()
    };
    if text.trim().is_empty() {
        return Err(Error::invalid_input("prompt", "empty; give the task"));
    }
    Ok(text)
}

/// Standard output that went away is no reason to stop in the middle of a change.
fn tell_json(event: &Event) {
    if let Ok(line) = serde_json::to_string(event) {
        let _ = terminal::print_exact(format!("{line}\n").as_bytes());
    }
}
