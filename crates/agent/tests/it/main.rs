//! The loop against model servers on loopback, in the wire format of every provider.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests serve on loopback and look at the real files"
)]

mod length;
mod server;
mod talks;
mod wires;

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use agent::{Conversation, Ended, Event, History, Model, Provider, Record, Remote, Settings};
use fault::{Cancel, Result};
use toolkit::testing::{Place, block_on};
use toolkit::{Policy, Session, files::State};

/// A model behind the server at `url`.
fn remote(provider: &str, url: &str) -> Result<Rc<dyn Model>> {
    remote_with(provider, url, true)
}

/// The same, which takes pictures or does not.
fn remote_with(provider: &str, url: &str, pictures: bool) -> Result<Rc<dyn Model>> {
    let server = agent::Server {
        provider: Provider::named(provider).unwrap(),
        model: "test-model".to_owned(),
        base_url: url.to_owned(),
        headers: vec![("x-tenant".to_owned(), "kit".to_owned())],
        silence: Duration::from_millis(1500),
        max_output: None,
        pictures,
    };
    Ok(Rc::new(Remote::new(server, Some("the-secret-key"))?))
}

fn settings() -> Settings {
    Settings {
        system: "Be brief.".to_owned(),
        model: "test-model".to_owned(),
        sources: Vec::new(),
        max_turns: 10,
        budget: None,
        price: None,
        window: 100_000,
        max_output: None,
        same_calls: 3,
    }
}

/// Plays one prompt to its end; gives also what happened and the record.
fn play(
    place: &Place,
    model: &Rc<dyn Model>,
    settings: Settings,
    cancel: &Cancel,
) -> (Ended, Vec<Event>, String) {
    play_in(
        place.session(toolsets::toolset("fiz").unwrap(), Policy::Trust),
        place,
        model,
        settings,
        cancel,
    )
}

/// The same in a session.
fn play_in(
    session: Arc<Session>,
    place: &Place,
    model: &Rc<dyn Model>,
    settings: Settings,
    cancel: &Cancel,
) -> (Ended, Vec<Event>, String) {
    let record = Record::begin(&State::new(place.state("")), session.id()).unwrap();
    let path = record.path().to_owned();
    let mut events = Vec::new();
    let ended = block_on(async {
        let (model, history) = (Rc::clone(model), History::default());
        let hear = |event: &Event| events.push(event.clone());
        let mut talk =
            Conversation::begin(session, model, settings, record, history, hear).unwrap();
        talk.prompt("Do it.".to_owned(), cancel).await
    });
    (ended, events, std::fs::read_to_string(path).unwrap())
}

/// The text that was shown, piece by piece.
fn shown(events: &[Event]) -> String {
    let texts = events.iter().filter_map(|event| match event {
        Event::Text { text } => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}
