//! `find_tool` and `call` of kit: tools of other toolsets, through the one door.

use std::fs;
use std::sync::Arc;

use fault::Code;
use toolkit::serde_json::{Value, json};
use toolkit::testing::{Place, run, run_with};
use toolkit::{Answer, Entry, Outside, Policy, Session};

use crate::kit_run::Kit;
use crate::place;

fn call(tool: &str, arguments: Value) -> Value {
    json!({"tool": tool, "arguments": arguments})
}

fn restricted(at: &Place, keep: &[&str]) -> Arc<Session> {
    let mut toolset = toolsets::toolset("kit").unwrap();
    toolset.retain(|entry| keep.contains(&entry.spec.name));
    at.session(toolset, Policy::Trust)
}

/// The lines of the audit log: toolset, tool and decision of each.
fn audited(at: &Place) -> Vec<(String, String, String)> {
    let text = fs::read_to_string(at.state("audit.jsonl")).unwrap();
    let line = |line: &str| -> (String, String, String) {
        let line: Value = toolkit::serde_json::from_str(line).unwrap();
        let field = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
        (field("toolset"), field("tool"), field("decision"))
    };
    text.lines().map(line).collect()
}

#[test]
fn the_question_the_journal_and_the_log_are_about_the_tool_that_is_called() {
    let at = place(&[("a.txt", "old\n")], |_| {});
    let session = crate::open(&at, "kit", Policy::Ask);
    let input = call("stack.write", json!({"path": "a.txt", "content": "new\n"}));
    let mut asked = Vec::new();
    let refused = run_with(&session, "call", input.clone(), |question| {
        asked.push(question.clone());
        Some(Answer::No)
    });
    assert!(refused.refused && at.read("a.txt") == "old\n");
    assert_eq!(asked[0].tool, "write");
    assert!(asked[0].shown.contains("-old") && asked[0].shown.contains("+new"), "{asked:?}");
    let done = run_with(&session, "call", input, |_| Some(Answer::Yes));
    assert_eq!(done.error, None);
    assert_eq!(at.read("a.txt"), "new\n");
    let step = at.project.journal().step(session.workspace(), done.step.unwrap()).unwrap();
    assert_eq!(step.unwrap().tool, "write");
    drop(session);
    let write = |decision: &str| ("stack".to_owned(), "write".to_owned(), decision.to_owned());
    assert_eq!(audited(&at), [write("asked"), write("asked")]);
}

#[test]
fn what_the_policy_refuses_is_refused_under_every_name() {
    let at = place(&[("a.txt", "old\n")], |_| {});
    let session = crate::open(&at, "kit", Policy::ReadOnly);
    for (tool, arguments) in [
        ("local.write_file", json!({"path": "a.txt", "content": "x"})),
        ("fiz.bash", json!({"command": "echo x > a.txt"})),
        ("floyd.cache_clear", json!({})),
        ("stack.fetch", json!({"url": "http://site.example/"})),
    ] {
        for (tool, input) in [("call", call(tool, arguments.clone())), (tool, arguments)] {
            let done = run(&session, tool, input);
            assert!(done.refused, "{tool}: {:?}", done.body);
        }
    }
    let done = run(&session, "call", call("fiz.read", json!({"path": "a.txt"})));
    assert!(done.error.is_none() && done.body.to_text().contains("old"), "{:?}", done.body);
    assert_eq!(at.read("a.txt"), "old\n");
}

#[test]
fn a_yes_for_the_session_to_one_tool_is_none_for_another_of_the_same_name() {
    let at = place(&[], |_| {});
    let session = crate::open(&at, "kit", Policy::Ask);
    let write = |path: &str| json!({"path": path, "content": "x\n"});
    let stack = run_with(&session, "call", call("stack.write", write("a")), |_| {
        Some(Answer::YesForSession)
    });
    assert_eq!(stack.error, None);
    let again = run(&session, "call", call("stack.write", write("b")));
    assert_eq!(again.error, None, "it was allowed for the session");
    let other = run(&session, "call", call("fiz.write", write("c")));
    assert_eq!(other.error.unwrap().code, Code::ApprovalRequired);
    assert_eq!((at.read("b").as_str(), at.path("c").exists()), ("x\n", false));
}

#[test]
fn what_was_taken_away_does_not_come_back_under_another_name() {
    let at = place(&[("a.txt", "old\n")], |_| {});
    let session = restricted(&at, &["read", "search", "find_tool", "call"]); // without run
    let done = run(&session, "call", call("fiz.bash", json!({"command": "echo x > a.txt"})));
    let error = done.error.unwrap();
    assert_eq!(error.code, Code::PermissionDenied);
    assert!(error.message.contains("`run` was left out"), "{error}");
    let direct = run(&session, "fiz.bash", json!({"command": "echo x > a.txt"}));
    assert_eq!(direct.error.unwrap().code, Code::PermissionDenied);
    let found = run(&session, "find_tool", json!({"need": "run a shell command"})).body.to_text();
    assert!(!found.contains("fiz.bash") && found.contains("out of reach"), "{found}");
    assert_eq!(at.read("a.txt"), "old\n");
    // No advice names what is out of reach.
    let done = run(&session, "call", call("run", json!({"command": "true"})));
    let error = done.error.unwrap();
    assert_eq!(error.code, Code::PermissionDenied, "{error}");
    assert!(error.message.contains("`run` was left out"), "{error}");
    let text = run(&session, "call", call("run_test", json!({}))).body.to_text();
    assert!(!text.contains("run_tests") && !text.contains(".run"), "{text}");
    let session = restricted(&at, &["read", "search", "run"]); // without call
    let done = run(&session, "fiz.read", json!({"path": "a.txt"}));
    assert_eq!(done.error.unwrap().code, Code::UnknownTool);
}

#[test]
fn a_tool_of_another_server_is_found_and_called_as_itself() {
    let at = place(&[], |_| {});
    let mut toolset = toolsets::toolset("kit").unwrap();
    let input =
        json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    let outside = Outside {
        name: "weather_forecast".to_owned(),
        description: "Forecast the weather of a city.".to_owned(),
        input: input.as_object().unwrap().clone(),
        allowed: false,
        ask: Arc::new(|given, _| Ok(json!(format!("rain in {}", given["city"].as_str().unwrap())))),
    };
    toolset.add(vec![Entry::outside(outside)]).unwrap();
    let session = at.session(toolset, Policy::Ask);
    let found = run(&session, "find_tool", json!({"need": "weather tomorrow"})).body.to_text();
    assert_eq!(found, "weather_forecast {city: string}: Forecast the weather of a city.");
    let input = call("weather_forecast", json!({"city": "Bonn"}));
    assert!(run(&session, "call", input.clone()).refused, "no one can be asked");
    let mut asked = String::new();
    let done = run_with(&session, "call", input, |question| {
        asked.clone_from(&question.tool);
        Some(Answer::Yes)
    });
    assert_eq!(
        (asked.as_str(), done.body.to_text().as_str()),
        ("weather_forecast", "rain in Bonn")
    );
}

#[test]
fn its_own_tools_are_called_too_and_itself_is_not() {
    let kit = Kit::new(&[("a.txt", "word\n")]);
    let text = kit.ok("call", call("search", json!({"query": "word"})));
    assert_eq!(text, "a.txt\n1: word");
    let (text, code) = kit.call("call", call("call", json!({})));
    assert!(code == Some(Code::InvalidInput) && text.contains("cannot call itself"), "{text}");
    let text = kit.ok("call", call("detect_project", json!({})));
    assert!(text.starts_with('{'), "a bare name that only one has: {text}");
}

#[test]
fn tools_are_found_by_what_they_do() {
    let kit = Kit::new(&[]);
    for (need, name) in [
        ("download a file from the web", "stack.download"),
        ("which branch am I on, create a branch", "floyd.git_branch"),
        ("format the code", "floyd.format"),
        ("remember a text for a week in the cache", "floyd.cache_store"),
        ("push commits to the remote", "stack.git_push"),
        ("install dependencies", "stack.install"),
        ("ask the user a question", "floyd.ask_user"),
        ("assess the risk of a patch", "floyd.assess_patch_risk"),
    ] {
        let text = kit.ok("find_tool", json!({"need": need}));
        let first: Vec<&str> = text.lines().take(3).collect();
        assert!(first.iter().any(|line| line.starts_with(&format!("{name} {{"))), "{need}: {text}");
        assert!(text.lines().count() <= 8, "{text}");
    }
}
