//! What an editor is shown of a session: text, calls with their output and diffs, questions.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use agent::Event;
use toolkit::serde_json::{self, Value, json};
use toolkit::{Answer, Category, Effect, Pending, Question, Session, Wants};

use super::Line;
use super::diff::{Hunk, hunks};

/// Most bytes of the output of a running program that are shown, its end.
const OUTPUT: usize = 8 << 10;

/// From events to updates.
pub(super) struct Updates {
    session: Arc<Session>,
    calls: RefCell<Calls>,
}

#[derive(Default)]
struct Calls {
    count: u64,
    /// The ids of the model, which may come again, with ours and what was printed so far.
    open: Vec<(String, String, String)>,
}

impl Updates {
    pub(super) fn new(session: &Arc<Session>) -> Self {
        Self { session: Arc::clone(session), calls: RefCell::default() }
    }

    /// An event of a record.
    pub(super) fn past(&self, event: &Event, tell: impl Fn(Value)) {
        match event {
            Event::Prompt { text } => tell(message("user", text)),
            Event::Reply { reply, .. } if !reply.text.is_empty() => {
                tell(message("agent", &reply.text));
            }
            Event::Partial { text, .. } => tell(message("agent", text)),
            event => self.of(event, tell),
        }
    }

    /// An event that happens now.
    pub(super) fn of(&self, event: &Event, tell: impl Fn(Value)) {
        match event {
            Event::Text { text } => tell(message("agent", text)),
            Event::Call { id, tool, arguments } => tell(self.begun(id, tool, arguments)),
            Event::Output { id, text, .. } => {
                let mut calls = self.calls.borrow_mut();
                let found = calls.open.iter_mut().find(|(theirs, ..)| theirs == id);
                if let Some((_, own, printed)) = found {
                    *printed += text;
                    let from = printed.ceil_char_boundary(printed.len().saturating_sub(OUTPUT));
                    printed.drain(..from);
                    tell(json!({
                        "sessionUpdate": "tool_call_update",
                        "toolCallId": own,
                        "content": [content(printed)],
                    }));
                }
            }
            Event::Result { id, text, error, call, .. } => {
                let mut calls = self.calls.borrow_mut();
                let at = calls.open.iter().position(|(theirs, ..)| theirs == id);
                let Some((_, own, _)) = at.map(|at| calls.open.remove(at)) else { return };
                let mut all = vec![content(text)];
                all.extend(call.map(|call| self.diffs(call)).unwrap_or_default());
                tell(json!({
                    "sessionUpdate": "tool_call_update",
                    "toolCallId": own,
                    "status": if error.is_some() { "failed" } else { "completed" },
                    "content": all,
                }));
            }
            _ => {}
        }
    }

    fn begun(&self, id: &str, tool: &str, arguments: &str) -> Value {
        let mut calls = self.calls.borrow_mut();
        calls.count += 1;
        let own = format!("call-{}", calls.count);
        calls.open.push((id.to_owned(), own.clone(), String::new()));
        let input: Value = serde_json::from_str(arguments).unwrap_or_default();
        let names = ["path", "filePath", "file_path", "command", "pattern", "url", "query"];
        let about = names.iter().find_map(|name| input[name].as_str()).unwrap_or_default();
        let title = format!("{tool} {}", fault::cut(about, 120));
        let path = names[..3].iter().find_map(|name| input[name].as_str());
        let path = path.map(|path| self.session.workspace().root().join(path));
        let locations: Vec<_> = path.iter().map(|path| json!({"path": path})).collect();
        json!({
            "sessionUpdate": "tool_call",
            "toolCallId": own,
            "title": title.trim_end(),
            "kind": self.kind(tool),
            "status": "in_progress",
            "locations": locations,
            "rawInput": input,
        })
    }

    fn kind(&self, tool: &str) -> &'static str {
        let Ok(entry) = self.session.toolset().find(tool) else { return "other" };
        match (entry.spec.effect, entry.spec.category) {
            (effect, Category::Search) if effect.only_reads() => "search",
            (effect, _) if effect.only_reads() => "read",
            (effect, _) if effect.has(Effect::RUNS) => "execute",
            (effect, _) if effect.has(Effect::CONNECTS) => "fetch",
            (effect, _) if effect.has(Effect::WRITES) => "edit",
            _ => "other",
        }
    }

    /// What a call changed, hunk by hunk.
    fn diffs(&self, call: i64) -> Vec<Value> {
        let project = self.session.project();
        let diff = project.journal().diff(project.workspace(), call).unwrap_or_default();
        let root = project.workspace().root();
        let shown = |hunk: Hunk<'_>| {
            let path = root.join(hunk.path);
            json!({"type": "diff", "path": path, "oldText": hunk.old, "newText": hunk.new})
        };
        hunks(&diff).into_iter().map(shown).collect()
    }

    /// A question as the editor puts it to its user; nothing if it wants words.
    pub(super) fn permission(&self, session: &str, question: &Question) -> Option<Value> {
        let Wants::Decision { may_last } = question.wants else { return None };
        let calls = self.calls.borrow();
        let call = calls.open.last().map(|(_, own, _)| own.as_str()).unwrap_or_default();
        let option =
            |id: &str, name: &str, kind: &str| json!({"optionId": id, "name": name, "kind": kind});
        let mut options = vec![option("yes", "Allow", "allow_once")];
        if may_last {
            options.push(option("session", "Allow for this session", "allow_always"));
        }
        options.push(option("no", "Refuse", "reject_once"));
        let said = format!("{}\n\n{}", question.reason, question.shown);
        Some(json!({
            "sessionId": session,
            "toolCall": {"toolCallId": call, "status": "pending", "content": [content(&said)]},
            "options": options,
        }))
    }
}

/// A piece of what the user or the agent said.
pub(super) fn message(who: &str, text: &str) -> Value {
    let content = json!({"type": "text", "text": text});
    json!({"sessionUpdate": format!("{who}_message_chunk"), "content": content})
}

fn content(text: &str) -> Value {
    json!({"type": "content", "content": {"type": "text", "text": text}})
}

/// A block of a prompt as text.
pub(super) fn text(block: &Value) -> String {
    let at = |place: &str| block.pointer(place).and_then(Value::as_str).unwrap_or_default();
    match at("/type") {
        "text" => at("/text").to_owned(),
        "resource_link" => format!("[{}]({})", at("/name"), at("/uri")),
        "resource" => format!("{}:\n\n{}", at("/resource/uri"), at("/resource/text")),
        other => format!("[{other} left out]"),
    }
}

/// Puts the questions of a session to the editor.
pub(super) async fn answer_questions(
    session: Arc<Session>,
    id: String,
    updates: Rc<Updates>,
    line: Line,
) {
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
