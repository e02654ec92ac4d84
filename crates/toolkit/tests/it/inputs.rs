//! What the chain makes of arguments, and of tools that misbehave.

use fault::Code;
use toolkit::serde_json::json;
use toolkit::testing::run;
use toolkit::{Body, Policy};

use crate::{place, session};

#[test]
fn numbers_switches_and_lists_that_came_as_text_are_understood() {
    let place = place();
    let session = session(&place, Policy::Trust);
    let input =
        json!({"count": "3", "all": "true", "parts": "[{\"oldText\": \"a\"}]", "name": null});
    let outcome = run(&session, "grab", input);
    let wanted = json!({"count": 3, "all": true, "parts": ["a"], "name": null, "filler": ""});
    assert_eq!(outcome.body, Body::Json(wanted), "{:?}", outcome.error);
    let outcome = run(&session, "take", json!({"count": 3.0, "name": 7}));
    assert_eq!(outcome.error, None);
}

#[test]
fn wrong_arguments_name_the_path_of_the_field() {
    let place = place();
    let session = session(&place, Policy::Trust);
    for (input, field) in [
        (json!({"count": "many"}), "count"),
        (json!({"count": -1}), "count"),
        (json!({"count": 1, "parts": [{"oldText": "a"}, {"oldText": []}]}), "parts[1].oldText"),
        (json!({"count": 1, "parts": [{}]}), "parts[0].oldText"),
        (json!({"count": 1, "parts": [{"oldText": "a", "x": 1}]}), "parts[0].x"),
        (json!({}), "count"),
        (json!({"count": 1, "nmae": "x"}), "nmae"),
        (json!([1]), ""),
    ] {
        let outcome = run(&session, "take", input.clone());
        let error = outcome.error.unwrap();
        assert_eq!(error.code, Code::InvalidInput, "{input}");
        assert_eq!(error.detail("field"), Some(field), "{input}: {error}");
        assert!(error.message.starts_with(field), "{input}: {error}");
        for jargon in ["u32", "sequence", "type: map"] {
            assert!(!error.message.contains(jargon), "{error}");
        }
    }
}

#[test]
fn an_unknown_tool_lists_near_names() {
    let place = place();
    let session = session(&place, Policy::Trust);
    let error = run(&session, "tkae", json!({})).error.unwrap();
    assert_eq!((error.code, error.detail("near")), (Code::UnknownTool, Some("take")));
}

#[test]
fn a_panic_is_an_error_and_the_session_lives_on() {
    let place = place();
    let session = session(&place, Policy::Trust);
    let error = run(&session, "panic", json!({})).error.unwrap();
    assert_eq!(error.code, Code::Internal);
    assert!(error.message.contains("on purpose"), "{error}");
    assert_eq!(run(&session, "take", json!({"count": 1})).error, None);
}

#[test]
fn a_code_that_is_not_declared_is_a_defect() {
    let place = place();
    let session = session(&place, Policy::Trust);
    assert_eq!(run(&session, "undeclared", json!({})).error.unwrap().code, Code::Internal);
}

#[test]
fn a_result_over_the_bound_is_cut_and_says_so() {
    let place = place();
    let session = session(&place, Policy::Trust);
    let outcome = run(&session, "take", json!({"count": 1, "size": 50_000}));
    let Body::Json(body) = &outcome.body else { panic!("{:?}", outcome.body) };
    assert!(outcome.body.size() < 11_000);
    assert_eq!(body["count"], 1);
    assert!(
        body["truncated"].as_str().unwrap().contains("over the limit of 10000"),
        "{}",
        body["truncated"]
    );
}
