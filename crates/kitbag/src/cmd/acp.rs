//! `kitbag acp`: a model with the tools for editors, by the Agent Client Protocol. Its messages are
//! lines of JSON-RPC; the few that are needed are here, what an editor is shown is in [`update`].

mod diff;
mod update;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use agent::{Conversation, Ended, Reason, record};
use fault::{Cancel, Error, Result};
use tokio::io::AsyncBufReadExt as _;
use tokio::sync::{Mutex, MutexGuard, oneshot};
use tokio::task::{AbortHandle, LocalSet, spawn_local};
use toolkit::Project;
use toolkit::serde_json::{self, Value, json};

use self::update::{Updates, answer_questions};
use crate::compose::{self, Agent};
use crate::config::Common;
use crate::config::model::Asked;
use crate::config::servers::Servers;
use crate::exit::Exit;
use crate::terminal;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    asked: Asked,
}

/// The version of the protocol.
const VERSION: u32 = 1;

/// Most sessions that are open at once; of more, the one that was idle longest rests until its next
/// prompt. An editor that closes none would fill the memory otherwise.
const OPEN: usize = 16;

/// What is spoken with the editor.
#[derive(Default)]
struct Editor {
    projects: RefCell<Vec<(PathBuf, Arc<Project>)>>,
    sessions: RefCell<HashMap<String, Rc<Talk>>>,
    /// What the sessions that rest are opened with again.
    resting: RefCell<HashMap<String, Value>>,
    /// Of each prompt that came and is not over, with its session.
    cancels: RefCell<Vec<(String, Cancel)>>,
    line: Line,
}

/// The way out, and the answers that are waited for.
#[derive(Clone, Default)]
struct Line {
    waiting: Rc<RefCell<HashMap<u64, oneshot::Sender<Value>>>>,
    asked: Rc<Cell<u64>>,
}

/// A session of the editor.
struct Talk {
    conversation: Mutex<Conversation<'static>>,
    root: PathBuf,
    /// What it was opened with.
    params: Value,
    used: Cell<Instant>,
    /// Puts its questions to the editor.
    questions: AbortHandle,
}

impl Drop for Talk {
    fn drop(&mut self) {
        self.questions.abort();
    }
}

pub(super) fn run(args: &Args) -> Result<Exit> {
    args.asked.model()?; // told when the editor starts it, and not with the first prompt
    crate::log::start(args.common.place.state()?, args.common.log());
    let editor = Rc::new(Editor::default());
    let runtime = compose::runtime()?;
    let ended = LocalSet::new().block_on(&runtime, serve(&editor));
    editor.cancels.borrow().iter().for_each(|(_, cancel)| cancel.cancel());
    editor.projects.borrow().iter().for_each(|(_, project)| project.end());
    runtime.shutdown_background();
    ended.map(|()| Exit::Success)
}

/// Reads the messages of the editor until it closes its end.
async fn serve(editor: &Rc<Editor>) -> Result<()> {
    let mut input = tokio::io::BufReader::new(tokio::io::stdin());
    let mut text = Vec::new();
    loop {
        text.clear();
        let read = input.read_until(b'\n', &mut text).await;
        if read.map_err(|e| Error::io("standard input", &e))? == 0 {
            return Ok(());
        }
        let Ok(message) = serde_json::from_slice::<Value>(&text) else {
            if !text.trim_ascii().is_empty() {
                editor.line.refuse(&Value::Null, -32700, "not JSON");
            }
            continue;
        };
        match (message["method"].as_str(), message.get("id")) {
            (Some(method), Some(_)) => {
                let (editor, cancel) = (Rc::clone(editor), Cancel::default());
                // Known before the next message, which may be the one that cancels it.
                if method == "session/prompt" {
                    let id = session_of(&message["params"]).to_owned();
                    editor.cancels.borrow_mut().push((id, cancel.clone()));
                }
                spawn_local(async move { editor.answer(message, &cancel).await });
            }
            (Some("session/cancel"), None) => {
                editor.cancel(session_of(&message["params"]));
            }
            (Some(_), None) => {} // a notification of a newer editor
            (None, id) => {
                let number = id.and_then(Value::as_u64).unwrap_or(0);
                let waiting = editor.line.waiting.borrow_mut().remove(&number);
                // One that was withdrawn meanwhile is not waited for.
                let _ = waiting.map(|waiting| waiting.send(message));
            }
        }
    }
}

impl Line {
    fn send(&self, message: &Value) {
        // An editor that went away is seen at the end of the input.
        let _ = terminal::print_exact(format!("{message}\n").as_bytes());
    }

    fn refuse(&self, id: &Value, code: i32, why: &str) {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": why}}));
    }

    fn update(&self, session: &str, update: &Value) {
        let params = json!({"sessionId": session, "update": update});
        self.send(&json!({"jsonrpc": "2.0", "method": "session/update", "params": params}));
    }

    /// Asks the editor; nothing if it gave no result.
    async fn ask(&self, method: &str, params: Value) -> Option<Value> {
        let id = self.asked.get() + 1;
        self.asked.set(id);
        let (answer, answered) = oneshot::channel();
        self.waiting.borrow_mut().insert(id, answer);
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let answer = answered.await.ok()?;
        answer.get("result").cloned()
    }
}

impl Editor {
    /// Stops every prompt of a session.
    fn cancel(&self, id: &str) {
        let cancels = self.cancels.borrow();
        cancels.iter().filter(|(of, _)| of == id).for_each(|(_, cancel)| cancel.cancel());
    }

    async fn answer(self: Rc<Self>, message: Value, cancel: &Cancel) {
        let (id, params) = (&message["id"], &message["params"]);
        let known = Some(session_of(params));
        let result = match message["method"].as_str().unwrap_or_default() {
            "initialize" => Ok(json!({
                "protocolVersion": VERSION,
                "agentInfo": {"name": "kitbag", "version": env!("CARGO_PKG_VERSION")},
                "agentCapabilities": {
                    "loadSession": true,
                    "promptCapabilities": {"image": false, "audio": false, "embeddedContext": true},
                    "mcpCapabilities": {"http": true, "sse": false},
                    "sessionCapabilities": {"close": {}, "resume": {}},
                },
                "authMethods": [],
            })),
            "authenticate" => Ok(json!({})),
            "session/new" => {
                let opened = self.open(params, None, false).await;
                opened.map(|id| json!({"sessionId": id}))
            }
            "session/load" => self.open(params, known, true).await.map(|_| Value::Null),
            "session/resume" => self.open(params, known, false).await.map(|_| json!({})),
            "session/close" => self.close(session_of(params)).await.map(|()| json!({})),
            "session/prompt" => {
                let ended = self.prompt(params, cancel).await;
                cancel.cancel(); // it is over
                self.cancels.borrow_mut().retain(|(_, cancel)| !cancel.is_cancelled());
                ended
            }
            other => {
                return self.line.refuse(id, -32601, &format!("no method `{other}`"));
            }
        };
        match result {
            Ok(result) => self.line.send(&json!({"jsonrpc": "2.0", "id": id, "result": result})),
            Err(error) => {
                let code = if Exit::of(&error) == Exit::Usage { -32602 } else { -32603 };
                self.line.refuse(id, code, &error.message);
            }
        }
    }

    /// Opens a session in the directory of the editor, a new one or the one it names, with the settings
    /// that hold there. `tells` says whether the editor is told what was said before.
    async fn open(
        self: &Rc<Self>,
        params: &Value,
        resume: Option<&str>,
        tells: bool,
    ) -> Result<String> {
        let cwd = params["cwd"].as_str().map(Path::new).filter(|path| path.is_absolute());
        let cwd = cwd.ok_or_else(|| Error::invalid_input("cwd", "must be an absolute path"))?;
        let Args { mut common, mut asked } = super::acp_in(cwd)?;
        common.place.root = Some(cwd.to_owned());
        asked.add_servers(Servers::of_editor(&params["mcpServers"])?);
        if let Some(id) = resume {
            self.end(id).await; // its record is taken over
            self.resting.borrow_mut().remove(id);
        }
        self.make_room();
        let project = self.project(cwd, &common).map_err(|error| {
            // An editor knows no flags.
            let of_editor = error.message.strip_prefix("--root: ").map(|why| format!("cwd: {why}"));
            of_editor.map_or(error.clone(), |why| error.worded(why))
        })?;
        let agent = Agent::of(&project, &common, &asked, resume).await;
        let agent = agent.inspect_err(|_| self.leave(cwd))?;
        let session = Arc::clone(&agent.session);
        let (id, line) = (agent.id(), self.line.clone());
        let updates = Rc::new(Updates::new(&session));
        let told = Rc::clone(&updates);
        let name = id.clone();
        if tells {
            for past in record::lines(&common.place.state()?, &id)? {
                updates.past(&past?.event, |update| line.update(&id, &update));
            }
        }
        let conversation =
            agent.begin(move |event| told.of(event, |update| line.update(&name, &update)))?;
        let asking = answer_questions(session, id.clone(), updates, self.line.clone());
        let talk = Talk {
            conversation: Mutex::new(conversation),
            root: cwd.to_owned(),
            params: params.clone(),
            used: Cell::new(Instant::now()),
            questions: spawn_local(asking).abort_handle(),
        };
        self.sessions.borrow_mut().insert(id.clone(), Rc::new(talk));
        Ok(id)
    }

    /// Closes a session for good; its record stays, and can be loaded.
    async fn close(&self, id: &str) -> Result<()> {
        let rested = self.resting.borrow_mut().remove(id).is_some();
        match self.end(id).await || rested {
            true => Ok(()),
            false => Err(not_open(id)),
        }
    }

    /// Ends a session, if it is open, and its project with its last; what it does is stopped first.
    async fn end(&self, id: &str) -> bool {
        let open = self.sessions.borrow().get(id).cloned();
        let Some(open) = open else { return false };
        self.cancel(id);
        drop(open.conversation.lock().await);
        self.sessions.borrow_mut().remove(id);
        self.leave(&open.root);
        true
    }

    /// Ends a project of which no session is open.
    fn leave(&self, root: &Path) {
        if self.sessions.borrow().values().all(|talk| talk.root != root) {
            let mut projects = self.projects.borrow_mut();
            projects.iter().filter(|(of, _)| of == root).for_each(|(_, project)| project.end());
            projects.retain(|(of, _)| of != root);
        }
    }

    /// Lets the session rest that was idle longest, if there are too many.
    fn make_room(&self) {
        let mut sessions = self.sessions.borrow_mut();
        if sessions.len() < OPEN {
            return;
        }
        let idle = sessions.iter().filter(|(_, talk)| talk.conversation.try_lock().is_ok());
        let longest = idle.min_by_key(|(_, talk)| talk.used.get()).map(|(id, _)| id.clone());
        let Some((id, talk)) = longest.and_then(|id| sessions.remove_entry(&id)) else { return };
        drop(sessions);
        self.leave(&talk.root);
        self.resting.borrow_mut().insert(id, talk.params.clone());
    }

    /// The project of a directory; sessions in one directory share it.
    fn project(&self, root: &Path, common: &Common) -> Result<Arc<Project>> {
        let mut projects = self.projects.borrow_mut();
        if let Some((_, project)) = projects.iter().find(|(known, _)| known == root) {
            return Ok(Arc::clone(project));
        }
        let project = Project::open(common.settings()?)?;
        projects.push((root.to_owned(), Arc::clone(&project)));
        Ok(project)
    }

    /// An open session, or one that rested, opened again.
    async fn talk(self: &Rc<Self>, id: &str) -> Result<Rc<Talk>> {
        let rested = self.resting.borrow_mut().remove(id);
        if let Some(params) = rested {
            let opened = self.open(&params, Some(id), false).await;
            opened
                .inspect_err(|_| drop(self.resting.borrow_mut().insert(id.to_owned(), params)))?;
        }
        self.sessions.borrow().get(id).cloned().ok_or_else(|| not_open(id))
    }

    async fn prompt(self: &Rc<Self>, params: &Value, cancel: &Cancel) -> Result<Value> {
        let id = session_of(params);
        let talk = self.talk(id).await?;
        talk.used.set(Instant::now());
        let busy = |_| Error::invalid_input("sessionId", "the session still answers a prompt");
        let conversation = talk.conversation.try_lock().map_err(busy)?;
        let ended = self.converse(conversation, params, cancel).await;
        talk.used.set(Instant::now());
        self.ended(id, ended)
    }

    async fn converse(
        &self,
        mut conversation: MutexGuard<'_, Conversation<'static>>,
        params: &Value,
        cancel: &Cancel,
    ) -> Ended {
        let blocks = params["prompt"].as_array().map(Vec::as_slice).unwrap_or_default();
        let text: Vec<_> = blocks.iter().map(update::text).collect();
        conversation.prompt(text.join("\n"), cancel).await
    }

    /// How a prompt ended, in the words of the protocol; what it has none for is said as text.
    fn ended(&self, session: &str, ended: Ended) -> Result<Value> {
        let (stop, said) = match (ended.reason, ended.error) {
            (Reason::Success, _) => ("end_turn", None),
            (Reason::Cancelled, _) => ("cancelled", None),
            (Reason::TurnLimit, _) => ("max_turn_requests", None),
            (Reason::Budget, _) => ("max_turn_requests", Some("the budget is used up".to_owned())),
            (Reason::Loop, _) => {
                let said = "the same calls were made again and again";
                ("max_turn_requests", Some(said.to_owned()))
            }
            (Reason::Context, error) => ("max_tokens", error.map(|error| error.message)),
            (Reason::Error, Some(error)) => return Err(error),
            (Reason::Error, None) => return Err(Error::internal("the session ended")),
        };
        if let Some(said) = said {
            self.line.update(session, &update::message("agent", &format!("\n[{said}]\n")));
        }
        Ok(json!({"stopReason": stop}))
    }
}

/// The session that a message is about.
fn session_of(params: &Value) -> &str {
    params["sessionId"].as_str().unwrap_or_default()
}

fn not_open(id: &str) -> Error {
    Error::invalid_input("sessionId", format!("`{id}` is not open; load or begin a session"))
}
