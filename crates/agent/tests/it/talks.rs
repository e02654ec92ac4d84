//! What a conversation shows, costs and sends beside text.

use agent::{Budget, Event, Price, Reason};
use fault::Cancel;
use toolkit::Policy;
use toolkit::testing::Place;

use crate::server::{Reply, Say, Server};
use crate::{Settings, play, play_in, remote, settings};

#[test]
fn output_is_told_while_its_program_runs() {
    let call = r#"{"command": "echo one; echo two >&2; sleep 0.3; echo three"}"#;
    let server = Server::start(
        "openai",
        vec![Reply::Says(vec![Say::Call("c", "bash", call)]), Reply::Says(vec![Say::Text("Ran.")])],
    );
    let model = remote("openai", &server.url).unwrap();
    let path = ("PATH".into(), "/usr/bin:/bin".into());
    let place = Place::with(&[], |settings| settings.programs.env = vec![path]);
    let (ended, events, record) = play(&place, &model, settings(), &Cancel::default());
    assert_eq!(ended.reason, Reason::Success);
    let printed: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::Output { id, stream, text } => Some((id.as_str(), &**stream, text.as_str())),
            _ => None,
        })
        .collect();
    assert!(printed.len() >= 3, "piece by piece: {printed:?}");
    assert!(printed.contains(&("c", "stdout", "one\n")), "{printed:?}");
    assert!(printed.contains(&("c", "stderr", "two\n")), "{printed:?}");
    let kinds: Vec<_> = events.iter().map(std::mem::discriminant).collect();
    let at = |wanted: &dyn Fn(&Event) -> bool| events.iter().position(wanted).unwrap();
    let result = at(&|event| matches!(event, Event::Result { .. }));
    assert!(at(&|event| matches!(event, Event::Output { .. })) < result, "{kinds:?}");
    // The model gets it all the same, and the record has it once.
    let second = server.asked()[1].body.to_string();
    assert!(second.contains("one\\\\nthree") || second.contains("one\\nthree"), "{second}");
    assert!(!record.contains(r#""type":"output""#), "{record}");
    assert_eq!(record.matches("three").count(), 3, "twice in the call, and in the result");
}

#[test]
fn money_ends_a_session_and_is_recorded() {
    let looks = vec![Reply::Says(vec![Say::Call("c", "read", r#"{"path": "a.txt"}"#)])];
    let server = Server::start("openai", looks);
    let model = remote("openai", &server.url).unwrap();
    // 40 new tokens, 60 cached, 10 of the answer: 40 + 6 + 100 dollars a million.
    let price = Price { input: 1.0, output: 10.0, cache_read: Some(0.1), cache_write: None };
    let limits = |budget, price| Settings { budget, price, ..settings() };
    let place = Place::new(&[("a.txt", "x\n")]);
    let dollars = Some(Budget::Dollars(0.000_200));
    let (ended, _, record) = play(&place, &model, limits(dollars, Some(price)), &Cancel::default());
    assert_eq!((ended.reason, ended.turns), (Reason::Budget, 2));
    assert!((ended.usd.unwrap() - 0.000_292).abs() < 1e-9, "{:?}", ended.usd);
    assert_eq!(record.matches(r#""usd":0.000146"#).count(), 2, "{record}");
    let (ended, ..) = play(&place, &model, limits(None, None), &Cancel::default());
    assert_eq!((ended.reason, ended.usd), (Reason::Loop, None), "an unknown price stays unknown");
}

#[test]
fn pictures_go_to_a_model_that_takes_them() {
    for provider in ["openai", "openai-responses", "anthropic", "gemini"] {
        for takes in [true, false] {
            let server = Server::start(
                provider,
                vec![
                    Reply::Says(vec![Say::Call("c", "look", "{}")]),
                    Reply::Says(vec![Say::Text("Seen.")]),
                ],
            );
            let model = crate::remote_with(provider, &server.url, takes).unwrap();
            let place = Place::new(&[]);
            let mut toolset = toolkit::Toolset::new("pictures", "");
            toolset.register::<Look>().unwrap();
            let session = place.session(toolset, Policy::Trust);
            let (ended, _, record) =
                play_in(session, &place, &model, settings(), &Cancel::default());
            assert_eq!(ended.reason, Reason::Success, "{record}");
            let body = server.asked()[1].body.to_string();
            let (picture, left) = ("cG5nISE", "the picture is left out");
            assert_eq!((body.contains(picture), body.contains(left)), (takes, !takes), "{body}");
            assert!(record.contains(picture), "the record has it: {record}");
            let form = match provider {
                "anthropic" => r#""media_type":"image/png""#,
                "gemini" => r#""inlineData":{"mimeType":"image/png""#,
                "openai" => r#""image_url":{"url":"data:image/png;base64,"#,
                _ => r#""image_url":"data:image/png;base64,"#,
            };
            assert_eq!(body.contains(form), takes, "{body}");
        }
    }
}

/// Look at a picture.
#[derive(toolkit::serde::Deserialize, toolkit::schemars::JsonSchema)]
#[serde(crate = "toolkit::serde")]
#[schemars(crate = "toolkit::schemars")]
struct Look {}

#[derive(toolkit::serde::Serialize, toolkit::schemars::JsonSchema)]
#[serde(crate = "toolkit::serde")]
#[schemars(crate = "toolkit::schemars")]
struct Seen {
    picture: toolkit::Shown,
}

impl toolkit::Tool for Look {
    type Output = Seen;

    const SPEC: toolkit::Spec = toolkit::Spec {
        pictures: true,
        ..toolkit::Spec::new("look", "Look", toolkit::Category::Files)
    };

    fn run(self, cx: &toolkit::Cx<'_>) -> fault::Result<Seen> {
        Ok(Seen { picture: cx.show(b"png!!") })
    }
}
