//! What those who watch a project are told.

use fault::Code;
use toolkit::serde_json::json;
use toolkit::testing::{block_on, run, run_with};
use toolkit::{Answer, Event, Happening, Heard, Policy, Stream};

use crate::{place, session};

/// Everything that is there to be heard.
fn heard(stream: &mut Stream) -> Vec<Heard> {
    let mut all = Vec::new();
    block_on(async {
        loop {
            tokio::select! {
                biased;
                next = stream.next() => all.extend(next),
                () = tokio::task::yield_now() => return,
            }
        }
    });
    all
}

fn events(heard: Vec<Heard>) -> Vec<Event> {
    let event = |heard| match heard {
        Heard::Event(event) => event,
        Heard::Missed(many) => panic!("{many} missed"),
    };
    heard.into_iter().map(event).collect()
}

#[test]
fn a_call_is_told_from_its_beginning_to_its_end() {
    let place = place();
    let session = session(&place, Policy::Ask);
    run(&session, "take", json!({"count": 1}));
    let mut stream = place.project.events();
    let input = json!({"path": "a", "text": "x"});
    let done = run_with(&session, "put", input.clone(), |_| Some(Answer::Yes));
    let told = events(heard(&mut stream));
    assert!(told.iter().all(|event| event.call == 2 && event.session == *session.id()));
    let told: Vec<_> = told.into_iter().map(|event| event.what).collect();
    let [began, asked, answered, changed, ended] = told.try_into().unwrap();
    assert!(
        matches!(began, Happening::Began { tool, input: given } if tool == "put" && *given == input)
    );
    assert!(matches!(asked, Happening::Asked(question) if question.shown.contains("+x")));
    assert!(matches!(answered, Happening::Answered(Answer::Yes)));
    let Happening::Changed { step, changes, count } = changed else { panic!("{changed:?}") };
    assert_eq!((Some(step), count, &*changes[0].path), (done.step, 1, "a"));
    assert!(matches!(ended, Happening::Ended { code: None, .. }));
}

#[test]
fn a_call_that_fails_or_that_nobody_waits_for_has_an_end_too() {
    let place = place();
    let session = session(&place, Policy::Ask);
    let mut stream = place.project.events();
    run(&session, "no such tool", json!({}));
    let _seat = session.sit();
    block_on(async {
        let asked = toolkit::Call::new("put", json!({"path": "a", "text": "x"}));
        let calling = toolkit::call(&session, asked);
        let time = std::time::Duration::from_millis(200);
        assert!(tokio::time::timeout(time, calling).await.is_err(), "it waits for an answer");
    });
    let codes: Vec<_> = events(heard(&mut stream))
        .into_iter()
        .filter_map(|event| match event.what {
            Happening::Ended { code, .. } => Some(code),
            _ => None,
        })
        .collect();
    assert_eq!(codes, [Some(Code::UnknownTool), Some(Code::Cancelled)]);
}

#[test]
fn whoever_reads_slowly_is_told_how_much_was_missed() {
    let place = place();
    let session = session(&place, Policy::Trust);
    let mut slow = place.project.events();
    for _ in 0..300 {
        run(&session, "take", json!({"count": 1}));
    }
    let heard = heard(&mut slow);
    let Some(Heard::Missed(missed)) = heard.first() else { panic!("{:?}", heard.first()) };
    assert_eq!(*missed as usize + heard.len() - 1, 600, "each call has two events");
    assert!(heard.len() <= 257, "{} are kept", heard.len());
    assert!(matches!(heard.last(), Some(Heard::Event(event)) if event.call == 300));
}
