//! `kitbag run`.

use std::fmt::Write as _;
use std::io::Read as _;
use std::sync::Arc;

use agent::{Conversation, Ended, Event, Record, Usage};
use fault::{Cancel, Error, Result};
use toolkit::{Session, serde_json};

use crate::config::model::Asked;
use crate::config::{self, Common};
use crate::exit::Exit;
use crate::{compose, terminal};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What is to be done: text, @FILE, or - for standard input
    prompt: String,
    /// Everything that happens as JSON, a line an event
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    asked: Asked,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(args: &Args) -> Result<Exit> {
    let prompt = prompt(&args.prompt)?;
    let (model, name) = args.asked.model()?;
    let session = compose::session(&args.common)?;
    let system = agent::system(&session, args.asked.system());
    let settings = args.asked.settings(name, system);
    let record = Record::begin(&args.common.place.state()?, session.id())?;
    let cancel = Cancel::default();
    let mut screen = Screen::new(Arc::clone(&session));
    let mut hear = |event: &Event| match args.json {
        true => tell_json(event),
        false => screen.show(event),
    };
    let runtime = compose::runtime()?;
    let ended = runtime.block_on(async {
        if terminal::is_attended() {
            tokio::spawn(terminal::answer(session.sit(), true));
        }
        let stop = cancel.clone();
        tokio::spawn(async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                stop.cancel();
            }
        });
        let own = Arc::clone(&session);
        let mut talk = Conversation::begin(own, model.as_ref(), settings, record, &mut hear)?;
        Ok::<_, Error>(talk.prompt(prompt, &cancel).await)
    });
    session.project().end();
    runtime.shutdown_background();
    let ended = ended?;
    if !args.json {
        terminal::tell(&last_line(&ended, session.id()));
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
        return Err(Error::invalid_input("prompt", "empty; say what is to be done"));
    }
    Ok(text)
}

/// Standard output that went away is no reason to stop in the middle of a change.
fn tell_json(event: &Event) {
    if let Ok(line) = serde_json::to_string(event) {
        let _ = terminal::print(&format!("{line}\n"));
    }
}

/// Most lines of a diff that are shown.
const DIFF_LINES: usize = 200;
/// Most characters of the arguments of a call that are shown.
const ARGUMENTS: usize = 160;

/// What a person sees of a session: the text of the model on standard output, and what goes on on
/// standard error.
struct Screen {
    session: Arc<Session>,
    /// Whether the text that was shown last has no end of its line yet.
    in_line: bool,
}

impl Screen {
    fn new(session: Arc<Session>) -> Self {
        Self { session, in_line: false }
    }

    fn show(&mut self, event: &Event) {
        match event {
            Event::Text { text } => {
                self.in_line = !text.ends_with('\n');
                let _ = terminal::print(&terminal::shown(text));
            }
            Event::Reply { .. } | Event::End { .. } if self.in_line => {
                self.in_line = false;
                let _ = terminal::print("\n");
            }
            Event::Retry { wait_ms, why, .. } => {
                terminal::say(&format!("{why}; asked again in {} s", seconds(*wait_ms as f64)));
            }
            Event::Call { tool, arguments, .. } => {
                let arguments = arguments.split_whitespace().collect::<Vec<_>>().join(" ");
                let short = toolkit::escape(&fault::cut(&arguments, ARGUMENTS));
                terminal::tell(&format!("\u{1b}[36m> {}\u{1b}[0m {short}", toolkit::escape(tool)));
            }
            Event::Result { tool, text, error, call, ms, .. } => {
                terminal::tell(&self.result(tool, text, error.as_deref(), *call, *ms));
            }
            _ => {}
        }
    }

    fn result(
        &self,
        tool: &str,
        text: &str,
        error: Option<&str>,
        call: Option<i64>,
        ms: f64,
    ) -> String {
        let mut line = format!("  {}: {ms:.0} ms", toolkit::escape(tool));
        if let Some(code) = error {
            let first = text.lines().next().unwrap_or_default();
            let first = toolkit::escape(&fault::cut(first, 300));
            let _ = write!(line, ", \u{1b}[31m{code}\u{1b}[0m\n  {first}");
        }
        let Some(call) = call else { return line };
        let _ = write!(line, ", call {call}");
        let project = self.session.project();
        if let Ok(diff) = project.journal().diff(project.workspace(), call) {
            let all = diff.lines().count();
            let some: String = diff.split_inclusive('\n').take(DIFF_LINES).collect();
            let diff = terminal::coloured(&toolkit::escape(&some));
            let _ = write!(line, "\n{}", diff.trim_end_matches('\n'));
            if all > DIFF_LINES {
                let more = all - DIFF_LINES;
                let _ = write!(line, "\n  {more} lines more; `kitbag diff {call}` shows all");
            }
        }
        line
    }
}

fn seconds(ms: f64) -> f64 {
    (ms / 100.0).round() / 10.0
}

fn last_line(ended: &Ended, session: &str) -> String {
    let (reason, turns) = (ended.reason.as_str(), ended.turns);
    let tokens = tokens(&ended.usage);
    format!("\u{1b}[2m[{reason}] requests: {turns}, tokens: {tokens}, session {session}\u{1b}[0m")
}

/// The streams of tokens; what is not known is not shown as 0.
pub(super) fn tokens(usage: &Usage) -> String {
    let streams = [
        (usage.input, "in"),
        (usage.cache_read, "from the cache"),
        (usage.cache_write, "to the cache"),
        (usage.output, "out"),
    ];
    let known = streams.iter().filter_map(|(count, name)| Some(format!("{} {name}", (*count)?)));
    let known: Vec<_> = known.collect();
    if known.is_empty() { "unknown".to_owned() } else { known.join(", ") }
}
