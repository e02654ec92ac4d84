//! The same task over every wire format, what servers do wrong, and what stops the loop.

use std::rc::Rc;
use std::time::{Duration, Instant};

use agent::{Budget, Event, Lines, Model, Reason, Replay};
use fault::Cancel;
use serde_json::Value;
use toolkit::testing::Place;

use crate::server::{Reply, Say, Server};
use crate::{play, remote, settings, shown};

const ALL: [&str; 4] = ["openai", "openai-responses", "anthropic", "gemini"];

fn files() -> Place {
    Place::new(&[("a.txt", "one\n"), ("b.txt", "two\n")])
}

/// Two looks at once, arguments that cannot be read, an edit and a new file one after the other.
fn task() -> Vec<Reply> {
    vec![
        Reply::Says(vec![
            Say::Text("I look – é.\n"),
            Say::Call("c1", "read", r#"{"path": "a.txt"}"#),
            Say::Call("c2", "read", r#"{"path": "b.txt"}"#),
        ]),
        Reply::Says(vec![Say::Call("c3", "write", r#"{"path": "c.txt", "cont"#)]),
        Reply::Says(vec![
            Say::Call(
                "c4",
                "edit",
                r#"{"path": "a.txt", "edits": [{"oldText": "one", "newText": "eins"}]}"#,
            ),
            Say::Call("c5", "write", r#"{"path": "c.txt", "content": "drei\n"}"#),
        ]),
        Reply::Says(vec![Say::Text("Done.")]),
    ]
}

/// The strings in a request, in order: where each format puts them is its own affair.
fn strings(value: &Value, all: &mut Vec<String>) {
    match value {
        Value::String(text) => all.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| strings(item, all)),
        Value::Object(fields) => fields.values().for_each(|field| strings(field, all)),
        _ => {}
    }
}

fn does_the_task(provider: &'static str) {
    let server = Server::start(provider, task());
    let place = files();
    let model = remote(provider, &server.url).unwrap();
    let (ended, events, record) = play(&place, &model, settings(), &Cancel::default());
    assert_eq!((ended.reason, ended.error), (Reason::Success, None), "{provider}");
    assert_eq!((ended.text.as_str(), ended.turns), ("Done.", 4), "{provider}");
    assert_eq!(shown(&events), "I look – é.\nDone.");
    assert_eq!((place.read("a.txt").as_str(), place.read("b.txt").as_str()), ("eins\n", "two\n"));
    assert_eq!(place.read("c.txt"), "drei\n");
    // The looks run at once, the others one after the other.
    let order: String = events
        .iter()
        .filter_map(|event| match event {
            Event::Call { .. } => Some('c'),
            Event::Result { .. } => Some('r'),
            Event::Reply { .. } => Some('-'),
            _ => None,
        })
        .collect();
    assert_eq!(order, "-ccrr-cr-crcr-", "{provider}");
    // Four answers of 40 new and 60 cached tokens, and 10 tokens each.
    let usage = ended.usage;
    assert_eq!((usage.input, usage.output, usage.cache_read), (Some(160), Some(40), Some(240)));

    let asked = server.asked();
    assert_eq!(asked.len(), 4, "{provider}");
    let path = match provider {
        "openai" => "/base/chat/completions",
        "openai-responses" => "/base/responses",
        "anthropic" => "/base/messages",
        _ => "/base/models/test-model:streamGenerateContent?alt=sse",
    };
    for request in &asked {
        assert_eq!(request.line, format!("POST {path} HTTP/1.1"));
        assert!(request.headers.iter().any(|h| h == "x-tenant: kit"), "{request:?}");
        assert!(request.headers.iter().any(|h| h.contains("the-secret-key")), "{request:?}");
    }
    // Both results, in the order of their calls, after both calls.
    let mut second = Vec::new();
    strings(&asked[1].body, &mut second);
    let at = |text: &str| second.iter().position(|s| s.trim_end() == text).unwrap();
    assert!(at("one") < at("two"), "{second:?}");
    if provider != "gemini" {
        let ids = |id: &str| second.iter().filter(|s| *s == id).count();
        assert_eq!((ids("c1"), ids("c2")), (2, 2), "each id with its call and its result");
        let places = (at("one"), second.iter().rposition(|s| s == "c1").unwrap());
        assert!(places.0.abs_diff(places.1) <= 2, "{second:?}");
    } else {
        assert!(second.iter().any(|s| s == "signature of c2"), "{second:?}");
    }
    let mut third = Vec::new();
    strings(&asked[2].body, &mut third);
    let told = third.iter().rfind(|s| s.starts_with("error: ")).unwrap();
    assert!(told.contains("one object of this schema: {") && told.contains("content"), "{told}");
    assert!(!record.contains("the-secret-key"));

    // The recorded answers, against files as they were, end with the same files.
    let again = files();
    let replay: Rc<dyn Model> =
        Rc::new(Replay::new(Lines::new("record", record.as_bytes())).unwrap());
    let (ended, ..) = play(&again, &replay, settings(), &Cancel::default());
    assert_eq!((ended.reason, ended.turns), (Reason::Success, 4));
    for name in ["a.txt", "b.txt", "c.txt"] {
        assert_eq!(again.read(name), place.read(name), "{provider}: {name}");
    }
}

#[test]
fn the_same_task_over_chat_completions() {
    does_the_task("openai");
}

#[test]
fn the_same_task_over_responses() {
    does_the_task("openai-responses");
}

#[test]
fn the_same_task_over_messages() {
    does_the_task("anthropic");
}

#[test]
fn the_same_task_over_generated_content() {
    does_the_task("gemini");
}

/// Whatever goes wrong before a word was shown is tried again; a half call is not made.
#[test]
fn trouble_before_any_text_is_repeated() {
    let half = vec![Say::Call("c1", "write", r#"{"path": "half.txt", "content": "x"}"#)];
    for provider in ALL {
        let server = Server::start(
            provider,
            vec![
                Reply::Cut(half.clone()),
                Reply::Breaks(half.clone()),
                Reply::Status(429, "retry-after: 1\r\n", r#"{"error": {"message": "slowly"}}"#),
                Reply::Status(529, "retry-after: 0\r\n", "overloaded"),
                Reply::Says(vec![Say::Text("Here.")]),
            ],
        );
        let place = files();
        let model = remote(provider, &server.url).unwrap();
        let (ended, events, record) = play(&place, &model, settings(), &Cancel::default());
        assert_eq!((ended.reason, shown(&events).as_str()), (Reason::Success, "Here."));
        let waits: Vec<_> = events
            .iter()
            .filter_map(|event| match event {
                Event::Retry { wait_ms, why, .. } => Some((*wait_ms, why.clone())),
                _ => None,
            })
            .collect();
        assert_eq!((server.asked().len(), waits.len()), (5, 4), "{provider}: {waits:?}");
        assert!(waits[1].1.contains("Overloaded"), "{waits:?}");
        assert_eq!(waits[2], (1000, "the server answered 429: slowly".to_owned()));
        assert_eq!(waits[3].0, 0, "{waits:?}");
        assert_eq!(record.matches(r#""type":"retry""#).count(), 4, "{record}");
        assert_eq!(place.read("half.txt"), "");
    }
}

#[test]
fn text_that_was_shown_is_never_repeated() {
    for provider in ALL {
        for broken in [Reply::Cut, Reply::Ends, Reply::Breaks, Reply::Stalls] {
            let says = vec![Say::Text("The answer is")];
            let server = Server::start(provider, vec![broken(says)]);
            let model = remote(provider, &server.url).unwrap();
            let (ended, events, record) = play(&files(), &model, settings(), &Cancel::default());
            assert!(record.contains(r#""type":"partial","turn":1,"text":"The answer is""#));
            assert_eq!(ended.reason, Reason::Error, "{provider}");
            let error = ended.error.unwrap().message;
            assert!(error.contains(&server.url) && error.contains("broke off"), "{error}");
            assert_eq!(shown(&events), "The answer is", "{provider}");
            assert_eq!(server.asked().len(), 1, "{provider}");
        }
    }
}

#[test]
fn a_whole_answer_waits_for_no_end_of_the_connection() {
    for provider in ALL {
        let server = Server::start(provider, vec![Reply::Lingers(vec![Say::Text("All.")])]);
        let model = remote(provider, &server.url).unwrap();
        let (ended, ..) = play(&files(), &model, settings(), &Cancel::default());
        assert_eq!((ended.reason, ended.usage.output), (Reason::Success, Some(10)), "{provider}");
        assert_eq!(server.asked().len(), 1);
    }
}

#[test]
fn a_server_that_cannot_be_used_is_named_at_once() {
    let began = Instant::now();
    let unused = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{unused}/v1");
    let model = remote("openai", &url).unwrap();
    let (ended, ..) = play(&files(), &model, settings(), &Cancel::default());
    let error = ended.error.unwrap().message;
    assert!(error.starts_with(&format!("{url}: ")) && error.contains("--base-url"), "{error}");

    for (status, header, advice) in [
        (401, "", "--key-env"),
        (404, "", "--model"),
        (302, "location: http://127.0.0.1:1/\r\n", "redirects are not followed"),
        (429, "retry-after: 3600\r\n", "takes the next request in 3600 s"),
        (429, "x-why: insufficient_quota\r\n", "insufficient_quota"),
        (400, "x-why: the-secret-key\r\n", "Bearer [the key]"),
        (200, "content-type: text/html\r\n", "not a stream of events: "),
    ] {
        // A server that quotes what it was sent.
        let said = if header.contains("x-why") { header } else { "no" };
        let said: &'static str = if status == 400 { "no Bearer the-secret-key" } else { said };
        let server = Server::start("openai", vec![Reply::Status(status, header, said)]);
        let model = remote("openai", &server.url).unwrap();
        let (ended, ..) = play(&files(), &model, settings(), &Cancel::default());
        let error = ended.error.unwrap().message;
        assert!(error.starts_with(&server.url) && error.contains(advice), "{error}");
        assert!(!error.contains("the-secret-key"), "{error}");
        assert_eq!(server.asked().len(), 1, "{status} is not repeated");
    }
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert!(remote("openai", "ftp://x").is_err());
}

#[test]
fn a_server_that_says_nothing_is_asked_once() {
    for provider in ALL {
        let server = Server::start(provider, vec![Reply::Stalls(vec![Say::Text("")])]);
        let model = remote(provider, &server.url).unwrap();
        let (ended, ..) = play(&files(), &model, settings(), &Cancel::default());
        let error = ended.error.unwrap().message;
        assert!(error.contains("no answer in 1.5 s") && error.contains("--timeout"), "{error}");
        assert_eq!(server.asked().len(), 1, "{provider}");
    }
}

#[test]
fn the_last_call_of_an_answer_that_was_cut_is_not_made() {
    for provider in ["openai", "anthropic", "gemini"] {
        let write = |id, arguments| Say::Call(id, "write", arguments);
        let says = vec![
            write("c1", r#"{"path": "whole.txt", "content": "1"}"#),
            write("c2", r#"{"path": "cut.txt", "content": "1"}"#),
        ];
        let last = Reply::Says(vec![Say::Text("So.")]);
        let server = Server::start(provider, vec![Reply::Full(says), last]);
        let (place, model) = (files(), remote(provider, &server.url).unwrap());
        let (ended, ..) = play(&place, &model, settings(), &Cancel::default());
        assert_eq!(ended.reason, Reason::Success, "{provider}: {:?}", ended.error);
        let files = (place.read("whole.txt"), place.read("cut.txt"));
        assert_eq!(files, ("1".to_owned(), String::new()), "{provider}");
        let told = server.asked()[1].body.to_string();
        assert!(told.contains("cut at the limit of its length"), "{provider}: {told}");
    }
}

#[test]
fn the_loop_ends_where_it_must() {
    let call = |path: &'static str| Reply::Says(vec![Say::Call("c", "read", path)]);
    let same = Server::start("openai", vec![call(r#"{"path": "a.txt"}"#)]);
    let model = remote("openai", &same.url).unwrap();
    let (ended, ..) = play(&files(), &model, settings(), &Cancel::default());
    assert_eq!((ended.reason, ended.turns, same.asked().len()), (Reason::Loop, 3, 3));

    let limits = crate::Settings { max_turns: 2, ..settings() };
    let (ended, ..) = play(&files(), &model, limits, &Cancel::default());
    assert_eq!((ended.reason, ended.turns), (Reason::TurnLimit, 2));

    let limits = crate::Settings { budget: Some(Budget::Tokens(150)), ..settings() };
    let (ended, ..) = play(&files(), &model, limits, &Cancel::default());
    assert_eq!((ended.reason, ended.turns), (Reason::Budget, 2), "110 tokens an answer");
}

#[test]
fn a_cancelled_answer_ends_the_loop_and_leaves_a_record() {
    let server = Server::start("anthropic", vec![Reply::Stalls(vec![Say::Text("I think")])]);
    let cancel = Cancel::default();
    let model = remote("anthropic", &server.url).unwrap();
    let (later, began) = (cancel.clone(), Instant::now());
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(400));
        later.cancel();
    });
    let (ended, events, record) = play(&files(), &model, settings(), &cancel);
    thread.join().unwrap();
    assert_eq!((ended.reason, shown(&events).as_str()), (Reason::Cancelled, "I think"));
    assert!(began.elapsed() < Duration::from_millis(1400), "{:?}", began.elapsed());
    assert!(record.contains(r#""type":"partial","turn":1,"text":"I think""#), "{record}");
    assert!(record.trim_end().lines().last().unwrap().contains(r#""reason":"cancelled""#));
}
