//! Conversations that get too long: the summary that takes the place of the older part, what is
//! never torn apart, and that memory does not grow with the record.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use agent::{
    Answer, Conversation, Event, Hear, History, Line, Lines, Message, Model, Reason, Record, Reply,
    Request, ToolCall, Usage,
};
use fault::{Cancel, Result};
use toolkit::Policy;
use toolkit::files::State;
use toolkit::testing::{Place, block_on};

use crate::server::{self, Say, Server};
use crate::{Settings, play, remote, settings};

/// The lines of a record.
fn lines(text: &str) -> Vec<Result<Line>> {
    Lines::new("record", text.as_bytes()).collect()
}

/// A model that makes one call after the other and writes summaries of one line.
#[derive(Default)]
struct Busy {
    calls: u32,
    asked: Cell<u32>,
    summaries: RefCell<Vec<String>>,
    /// What it says in the place of a summary.
    summary: Option<String>,
}

impl Model for Busy {
    fn ask<'a>(&'a self, request: &'a Request<'a>, _: Hear<'a>) -> Answer<'a> {
        whole(request.messages);
        let reply = if request.toolset.entries().is_empty() {
            let Message::User(text) = &request.messages[0] else { panic!() };
            self.summaries.borrow_mut().push(text.clone());
            let text = self.summary.clone();
            Reply { text: text.unwrap_or("## Task\nGo on.".to_owned()), ..Reply::default() }
        } else if self.asked.get() == self.calls {
            Reply { text: "Done.".to_owned(), ..Reply::default() }
        } else {
            self.asked.set(self.asked.get() + 1);
            let number = self.asked.get();
            let arguments = format!(r#"{{"path": "long.txt", "limit": {}}}"#, number % 50 + 1);
            let (id, name) = (format!("call_{number}"), "read".to_owned());
            let call = ToolCall { id, name, arguments, signature: None };
            Reply { calls: vec![call], ..Reply::default() }
        };
        Box::pin(async { Ok(reply) })
    }
}

/// Each call has its result right after it, and no result is without its call.
fn whole(messages: &[Message]) {
    let mut open: Vec<String> = Vec::new();
    for message in messages {
        match message {
            Message::Results(results) => {
                let ids: Vec<_> = results.iter().map(|result| result.id.clone()).collect();
                assert_eq!(ids, open);
                open.clear();
            }
            Message::User(_) => assert_eq!(open, [""; 0]),
            Message::Reply(reply) => {
                assert_eq!(open, [""; 0]);
                open = reply.calls.iter().map(|call| call.id.clone()).collect();
            }
        }
    }
    assert_eq!(open, [""; 0]);
}

fn long() -> Place {
    Place::new(&[(
        "long.txt",
        "a line of the file that is read again and again\n".repeat(60).as_str(),
    )])
}

#[test]
fn five_thousand_turns_keep_no_more_messages_than_fit() {
    let busy = Rc::new(Busy { calls: 5000, ..Busy::default() });
    let model: Rc<dyn Model> = Rc::clone(&busy) as _;
    let limits = Settings { max_turns: 20_000, window: 20_000, ..settings() };
    let (ended, events, _) = play(&long(), &model, limits, &Cancel::default());
    assert_eq!((ended.reason, ended.text.as_str()), (Reason::Success, "Done."));
    let counts: Vec<usize> = events
        .iter()
        .filter_map(|event| match event {
            Event::Request { messages, .. } => Some(*messages),
            _ => None,
        })
        .collect();
    let most = *counts.iter().max().unwrap();
    assert!(counts.len() > 5000 && most < 200, "{} requests, at most {most}", counts.len());
    // The first summary has the prompt, each later one the summary before it.
    let summaries = busy.summaries.borrow();
    assert!(summaries.len() > 20 && summaries[0].contains("Do it."), "{}", summaries.len());
    assert!(summaries[1..].iter().all(|text| text.contains("## Task\nGo on.")));
    assert!(summaries.iter().all(|text| text.len() < 20_000 * 3));
}

#[test]
fn a_summary_that_does_not_help_ends_the_session() {
    for (summary, window) in [("word ".repeat(20_000), 20_000), (String::new(), 20_000)] {
        let is_empty = summary.is_empty();
        let busy = Busy { calls: 5000, summary: Some(summary), ..Busy::default() };
        let busy = Rc::new(busy);
        let model: Rc<dyn Model> = Rc::clone(&busy) as _;
        let limits = Settings { max_turns: 20_000, window, ..settings() };
        let (ended, events, record) = play(&long(), &model, limits, &Cancel::default());
        assert_eq!(ended.reason, Reason::Context);
        let error = ended.error.unwrap().message;
        assert!(error.contains("--context-window"), "{error}");
        let compacted = events.iter().filter(|event| matches!(event, Event::Compaction { .. }));
        assert_eq!((compacted.count(), busy.summaries.borrow().len()), (1, 1));
        // What its record tells is what the model was told: the task is there.
        let lines = lines(&record);
        let asks = |event: &&Event| matches!(event, Event::Prompt { text } if text == "Do it.");
        assert_eq!(lines.iter().map(|line| &line.as_ref().unwrap().event).filter(asks).count(), 1);
        let history = format!("{:?}", History::of(lines).unwrap());
        assert_eq!(history.contains("Do it."), is_empty, "{}", history.len());
    }
    // A prompt alone that is too long cannot be summarised.
    let model: Rc<dyn Model> = Rc::new(Busy::default());
    let limits = Settings { window: 1000, ..settings() };
    let (ended, ..) = play(&long(), &model, limits, &Cancel::default());
    assert_eq!((ended.reason, ended.turns), (Reason::Context, 0));
}

/// What servers say when a request is too long.
const TOO_LONG: [(&str, u16, &str); 5] = [
    (
        "openai",
        400,
        r#"{"error": {"message": "This model's maximum context length is 8192 tokens.", "code": "context_length_exceeded"}}"#,
    ),
    ("openai", 400, r#"{"error": {"message": "the request exceeds the available context size"}}"#),
    (
        "openai-responses",
        400,
        r#"{"error": {"message": "Your input exceeds the context window of this model."}}"#,
    ),
    (
        "anthropic",
        400,
        r#"{"error": {"message": "prompt is too long: 210000 tokens > 200000 maximum"}}"#,
    ),
    (
        "gemini",
        400,
        r#"{"error": {"message": "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."}}"#,
    ),
];

#[test]
fn a_server_that_takes_less_gets_a_summary_once() {
    let read = |id, limit| Say::Call(id, "read", limit);
    for (provider, status, body) in TOO_LONG {
        let refuses = server::Reply::Status(status, "", body);
        let says = |say| server::Reply::Says(vec![say]);
        let mut replies = vec![
            says(read("c1", r#"{"path": "long.txt", "limit": 40}"#)),
            says(read("c2", r#"{"path": "long.txt", "limit": 2}"#)),
            refuses.clone(),
            says(Say::Text("## Task\nRead it.")),
            says(Say::Text("Read.")),
        ];
        let server = Server::start(provider, replies.clone());
        let model = remote(provider, &server.url).unwrap();
        let (ended, events, record) = play(&long(), &model, settings(), &Cancel::default());
        assert_eq!((ended.reason, ended.text.as_str()), (Reason::Success, "Read."), "{record}");
        let asked = server.asked();
        assert_eq!(asked.len(), 5, "{provider}");
        let (summary, last) = (asked[3].body.to_string(), asked[4].body.to_string());
        assert!(summary.contains("Do it.") && summary.contains("> read"), "{summary}");
        assert!(!summary.contains("\"parameters\"") && !summary.contains("input_schema"));
        assert!(last.contains("## Task") && last.len() < asked[2].body.to_string().len(), "{last}");
        assert_eq!(crate::shown(&events), "Read.", "the summary is not shown as an answer");
        assert!(record.contains(r#""type":"compaction","turn":4,"#), "{record}");
        assert_eq!(ended.usage.output, Some(40), "the summary is counted");

        // It is not tried again and again.
        replies[4] = refuses.clone();
        let server = Server::start(provider, replies);
        let model = remote(provider, &server.url).unwrap();
        let (ended, ..) = play(&long(), &model, settings(), &Cancel::default());
        assert_eq!((ended.reason, server.asked().len()), (Reason::Context, 5), "{provider}");
    }
}

#[test]
fn a_session_goes_on_where_its_record_ends() {
    let (place, busy) = (long(), Rc::new(Busy { calls: 300, ..Busy::default() }));
    let model: Rc<dyn Model> = Rc::clone(&busy) as _;
    let limits = || Settings { max_turns: 150, window: 20_000, ..settings() };
    let state = State::new(place.state(""));
    let session = || place.session(toolsets::toolset("fiz").unwrap(), Policy::Trust);
    let begin = |record, history| {
        Conversation::begin(session(), Rc::clone(&model), limits(), record, history, |_| {})
            .unwrap()
    };
    let record = Record::begin(&state, session().id()).unwrap();
    let mut talk = begin(record, History::default());
    let ended = block_on(talk.prompt("Do it.".to_owned(), &Cancel::default()));
    assert_eq!((ended.reason, ended.turns), (Reason::TurnLimit, 150));
    let id = talk.id();
    let busy_still = Record::resume(&state, &id).unwrap_err().message;
    assert!(busy_still.contains("in use by another process"), "{busy_still}");
    drop(talk);

    // A kill in the middle of a call: its line and that of its result are missing.
    let path = place.state("").join(format!("sessions/{id}.jsonl"));
    let text = std::fs::read_to_string(&path).unwrap();
    let last = text.rfind(r#""type":"result""#).unwrap();
    std::fs::write(&path, &text[..last + 20]).unwrap();
    let (record, history) = Record::resume(&state, &id).unwrap();
    let mut talk = begin(record, history);
    let ended = block_on(talk.prompt("Go on.".to_owned(), &Cancel::default()));
    assert_eq!((ended.reason, ended.turns), (Reason::TurnLimit, 300));
    drop(talk);
    let text = std::fs::read_to_string(&path).unwrap();
    let is_start =
        |line: &Result<Line>| matches!(line.as_ref().unwrap().event, Event::Start { .. });
    let starts = lines(&text).iter().filter(|line| is_start(line)).count();
    assert_eq!(starts, 2, "one record of both");
    let (record, history) = Record::resume(&state, &id).unwrap();
    let mut talk = begin(record, history);
    let ended = block_on(talk.prompt("Go on.".to_owned(), &Cancel::default()));
    assert_eq!((ended.reason, ended.text.as_str()), (Reason::Success, "Done."));
    assert_eq!(ended.usage, Usage::default(), "what no answer told is unknown");
}
