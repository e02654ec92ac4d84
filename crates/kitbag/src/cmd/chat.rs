//! `kitbag chat`.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use agent::Conversation;
use fault::{Cancel, Error, Result};
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;
use tokio::runtime::Runtime;
use toolkit::{Session, escape};

use super::journal::take_back;
use crate::compose::{self, Agent};
use crate::config::Common;
use crate::config::model::Asked;
use crate::exit::Exit;
use crate::screen::{Screen, cost, ending, tokens};
use crate::terminal::{self, Keyboard};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Go on with a session: the beginning of its name, or the newest of this directory
    #[arg(long = "continue", value_name = "SESSION", num_args = 0..=1)]
    #[arg(default_missing_value = compose::LAST)]
    resume: Option<String>,
    #[command(flatten)]
    asked: Asked,
    #[command(flatten)]
    common: Common,
}

const HELP: &str = "\
/undo   undo the last change of this session, and tell the model
/tools  the tools that the model has
/cost   what the session took so far
/help   show this list
/quit   end; so does Ctrl-D
Ctrl-C stops the model and its tools; the session goes on.
";

/// Where the lines that were typed are kept, in the state directory.
const HISTORY: &str = "chat-history";

pub(super) fn run(args: &Args) -> Result<Exit> {
    let runtime = compose::runtime()?;
    let opening = Agent::open(&args.common, &args.asked, args.resume.as_deref());
    let agent = runtime.block_on(opening)?;
    let session = Arc::clone(&agent.session);
    let mut screen = Screen::new(Arc::clone(&session));
    let keyboard = Keyboard::default();
    if terminal::is_attended() {
        runtime.spawn(terminal::answer(session.sit(), true, Arc::clone(&keyboard)));
    }
    let history = args.common.place.state()?.folder("")?.join(HISTORY);
    let talk = agent.begin(|event| screen.show(event))?;
    let id = talk.id();
    let mut editor = DefaultEditor::new().map_err(unreadable)?;
    let _ = editor.load_history(&history); // there is none the first time
    let ended = chat(editor, &history, &runtime, &keyboard, &session, talk);
    session.project().end();
    runtime.shutdown_background();
    ended?;
    terminal::tell(&format!("Resume with: kitbag chat --continue {id}"));
    Ok(Exit::Success)
}

fn unreadable(error: ReadlineError) -> Error {
    Error::io("terminal", &std::io::Error::other(error))
}

/// The next line, while the runtime goes on with what it has to do, such as the pings of servers.
async fn typed(mut editor: DefaultEditor) -> Result<(DefaultEditor, rustyline::Result<String>)> {
    let reading = tokio::task::spawn_blocking(move || {
        let line = editor.readline("> ");
        (editor, line)
    });
    reading.await.map_err(Error::internal)
}

fn chat(
    mut editor: DefaultEditor,
    history: &Path,
    runtime: &Runtime,
    keyboard: &Keyboard,
    session: &Arc<Session>,
    mut talk: Conversation<'_>,
) -> Result<()> {
    // What the model does not know of yet.
    let mut news = String::new();
    loop {
        let (back, line) = runtime.block_on(typed(editor))?;
        editor = back;
        let line = match line {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) => {
                terminal::tell("/quit or Ctrl-D ends the session");
                continue;
            }
            Err(ReadlineError::Eof) => return Ok(()),
            Err(e) => return Err(unreadable(e)),
        };
        let line = line.trim();
        if !line.is_empty() {
            editor.add_history_entry(line).map_err(unreadable)?;
            // Of two that chat at once, neither loses the lines of the other.
            editor.append_history(history).map_err(unreadable)?;
        }
        match line {
            "" => {}
            "/quit" | "/exit" => return Ok(()),
            "/help" => terminal::print(HELP)?,
            "/tools" => terminal::print(&tools(session))?,
            "/cost" => {
                let spent = talk.spent();
                let tokens = spent.usage.as_ref().map_or("none".to_owned(), tokens);
                let cost = cost(spent.usd().or((spent.requests == 0).then_some(0.0)));
                terminal::print(&format!(
                    "requests: {}, tokens: {tokens}, cost: {cost}\n",
                    spent.requests
                ))?;
            }
            "/undo" => {
                let project = session.project();
                match take_back(project.workspace(), project.journal(), session.id()) {
                    Ok((record, told)) => {
                        let _ = writeln!(
                            news,
                            "[The user took back your call of {} ({}): its files are as they were \
                             before it.]",
                            record.tool, record.about
                        );
                        terminal::print(&told)?;
                    }
                    Err(error) => terminal::complain(&error),
                }
            }
            other if other.starts_with('/') && !other.contains(char::is_whitespace) => {
                terminal::tell(&format!("no command {}; /help lists them", escape(other)));
            }
            prompt => {
                let prompt = std::mem::take(&mut news) + prompt;
                let cancel = Cancel::default();
                let ended = runtime.block_on(async {
                    let stop = cancel.clone();
                    let key = terminal::on_ctrl_c(move || stop.cancel());
                    let ended = talk.prompt(prompt, &cancel).await;
                    key.abort();
                    // A question that was withdrawn does not take the next line.
                    drop(keyboard.lock().await);
                    ended
                });
                terminal::tell(&ending(&ended, &talk.id()));
                ended.error.iter().for_each(terminal::complain);
            }
        }
    }
}

/// The tools, a line each.
fn tools(session: &Session) -> String {
    let mut text = String::new();
    for entry in session.toolset().entries() {
        let about = entry.definition().description.lines().next().unwrap_or_default();
        let _ = writeln!(text, "{:20} {}", entry.spec.name, escape(&fault::cut(about, 100)));
    }
    text
}
