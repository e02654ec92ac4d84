//! `kitbag acp`: a model with the tools for editors, by the Agent Client Protocol. Its messages are
//! lines of JSON-RPC; the few that are needed are here, what an editor is shown is in [`update`].

mod diff;
mod update;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use agent::{Conversation, Ended, Reason, record};
use fault::{Cancel, Error, Result};
use tokio::io::AsyncBufReadExt as _;
use tokio::sync::{Mutex, MutexGuard, oneshot};
use tokio::task::{LocalSet, spawn_local};
use toolkit::serde_json::{self, Value, json};
use toolkit::{Answer, Pending, Project, Session};

use self::update::Updates;
use crate::compose::{self, Agent};
use crate::config::Common;
use crate::config::model::Asked;
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

/// What is spoken with the editor.
struct Editor {
    common: Common,
    asked: Asked,
    projects: RefCell<Vec<(PathBuf, Arc<Project>)>>,
    sessions: RefCell<HashMap<String, Rc<Talk>>>,
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
    /// Of each prompt that came and is not over.
    cancels: RefCell<Vec<Cancel>>,
}

pub(super) fn run(args: Args) -> Result<Exit> {
    args.asked.model()?; // told when the editor starts it, and not with the first prompt
    crate::log::start(args.common.place.state()?, args.common.log());
    let editor = Rc::new(Editor {
        common: args.common,
        asked: args.asked,
        projects: RefCell::default(),
        sessions: RefCell::default(),
        line: Line::default(),
    });
    let runtime = compose::runtime()?;
    let ended = LocalSet::new().block_on(&runtime, serve(&editor));
    editor.sessions.borrow().values().for_each(|talk| talk.cancel());
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
                if method == "session/prompt"
                    && let Ok(talk) = editor.talk(&message["params"])
                {
                    talk.cancels.borrow_mut().push(cancel.clone());
                }
                spawn_local(async move { editor.answer(message, &cancel).await });
            }
            (Some("session/cancel"), None) => {
                editor.talk(&message["params"]).iter().for_each(|talk| talk.cancel());
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
        let _ = terminal::print(&format!("{message}\n"));
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

impl Talk {
    /// Stops every prompt.
    fn cancel(&self) {
        self.cancels.borrow().iter().for_each(Cancel::cancel);
    }
}

impl Editor {
    async fn answer(self: Rc<Self>, message: Value, cancel: &Cancel) {
        let (id, params) = (&message["id"], &message["params"]);
        let result = match message["method"].as_str().unwrap_or_default() {
            "initialize" => Ok(json!({
                "protocolVersion": VERSION,
                "agentInfo": {"name": "kitbag", "version": env!("CARGO_PKG_VERSION")},
                "agentCapabilities": {
                    "loadSession": true,
                    "promptCapabilities": {"image": false, "audio": false, "embeddedContext": true},
                },
                "authMethods": [],
            })),
            "authenticate" => Ok(json!({})),
            "session/new" => self.open(params, None).await.map(|id| json!({"sessionId": id})),
            "session/load" => {
                let known = params["sessionId"].as_str().unwrap_or_default();
                self.open(params, Some(known)).await.map(|_| Value::Null)
            }
            "session/prompt" => self.prompt(params, cancel).await,
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

    /// Opens a session in the directory of the editor, a new one or the one it names.
    async fn open(self: &Rc<Self>, params: &Value, resume: Option<&str>) -> Result<String> {
        let cwd = params["cwd"].as_str().map(Path::new).filter(|path| path.is_absolute());
        let cwd = cwd.ok_or_else(|| Error::invalid_input("cwd", "must be an absolute path"))?;
        let mut common = self.common.clone();
        common.place.root = Some(cwd.to_owned());
        let project = self.project(cwd, &common).map_err(|error| {
            // An editor knows no flags.
            let of_editor = error.message.strip_prefix("--root: ").map(|why| format!("cwd: {why}"));
            of_editor.map_or(error.clone(), |why| error.worded(why))
        })?;
        if let Some(id) = resume {
            self.close(id).await; // its record is taken over
        }
        let past = match resume {
            Some(id) => {
                let state = common.place.state()?;
                let id = record::find(&state, id)?;
                record::lines(&state, &id)?.collect::<Result<_>>()?
            }
            None => Vec::new(),
        };
        let agent = Agent::of(&project, &common, &self.asked, resume).await?;
        let session = Arc::clone(&agent.session);
        let (id, line) = (agent.id(), self.line.clone());
        let updates = Rc::new(Updates::new(&session));
        let told = Rc::clone(&updates);
        let name = id.clone();
        past.iter().for_each(|past| updates.past(&past.event, |update| line.update(&id, &update)));
        let conversation =
            agent.begin(move |event| told.of(event, |update| line.update(&name, &update)))?;
        let (conversation, cancels) = (Mutex::new(conversation), RefCell::default());
        spawn_local(answer_questions(session, id.clone(), updates, self.line.clone()));
        self.sessions.borrow_mut().insert(id.clone(), Rc::new(Talk { conversation, cancels }));
        Ok(id)
    }

    /// Closes a session, if it is open; what it does is stopped first.
    async fn close(&self, id: &str) {
        let open = self.sessions.borrow().get(id).cloned();
        if let Some(open) = open {
            open.cancel();
            drop(open.conversation.lock().await);
            self.sessions.borrow_mut().remove(id);
        }
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

    fn talk(&self, params: &Value) -> Result<Rc<Talk>> {
        let id = params["sessionId"].as_str().unwrap_or_default();
        let found = self.sessions.borrow().get(id).cloned();
        found.ok_or_else(|| {
            Error::invalid_input(
                "sessionId",
                format!("`{id}` is not open; load or begin a session"),
            )
        })
    }

    async fn prompt(&self, params: &Value, cancel: &Cancel) -> Result<Value> {
        let talk = self.talk(params)?;
        let busy = |_| Error::invalid_input("sessionId", "the session still answers a prompt");
        let ended = match talk.conversation.try_lock().map_err(busy) {
            Ok(conversation) => Ok(self.converse(conversation, params, cancel).await),
            Err(error) => Err(error),
        };
        cancel.cancel(); // it is over
        talk.cancels.borrow_mut().retain(|cancel| !cancel.is_cancelled());
        self.ended(params["sessionId"].as_str().unwrap_or_default(), ended?)
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

/// Puts the questions of a session to the editor.
async fn answer_questions(session: Arc<Session>, id: String, updates: Rc<Updates>, line: Line) {
    let mut seat = session.sit();
    drop(session);
    while let Some(mut pending) = seat.next().await {
        let Some(params) = updates.permission(&id, &pending.question) else {
            pending.answer(Answer::Nobody);
            continue;
        };
        let answer = tokio::select! {
            answer = line.ask("session/request_permission", params) => answer,
            () = pending.settled() => continue,
        };
        settle(pending, answer.as_ref());
    }
}

fn settle(pending: Pending, answer: Option<&Value>) {
    let option = answer.and_then(|answer| answer.pointer("/outcome/optionId"));
    pending.answer(match option.and_then(Value::as_str) {
        Some("yes") => Answer::Yes,
        Some("session") => Answer::YesForSession,
        _ => Answer::No,
    });
}
