//! Every parameter counts: one that a tool does not know is refused, by every tool.

use fault::Code;
use toolkit::Policy;
use toolkit::serde_json::{self, Value, json};
use toolkit::testing::run;

use crate::{open, place};

/// Keeps whatever fields it is given.
const OPEN: &[(&str, &str)] = &[("stack", "update_task")];

#[test]
fn every_tool_refuses_a_parameter_that_it_does_not_know() {
    let mut tools = 0;
    for toolset in toolsets::NAMES {
        let place = place(&[("a.txt", "one\n")], |_| {});
        let session = open(&place, toolset, Policy::Trust);
        for entry in session.toolset().entries() {
            let name = entry.spec.name;
            let mut input: Value = serde_json::from_str(entry.spec.examples[0].call).unwrap();
            input["quite_unknown"] = json!(1);
            if OPEN.contains(&(toolset, name)) {
                continue;
            }
            let error = run(&session, name, input).error.expect(name);
            assert_eq!(error.code, Code::InvalidInput, "{toolset} {name}: {error}");
            assert_eq!(error.detail("field"), Some("quite_unknown"), "{toolset} {name}: {error}");
            assert!(error.message.contains("no such parameter; "), "{toolset} {name}: {error}");
            tools += 1;
        }
        assert_eq!(place.read("a.txt"), "one\n");
    }
    assert!(tools > 100, "{tools}");
}

#[test]
fn a_refusal_names_the_parameter_that_was_meant() {
    for (toolset, tool, input, said) in [
        (
            "fiz",
            "grep",
            json!({"pattern": "x", "path": "tests"}),
            "path: no such parameter; did you mean `dir`?",
        ),
        ("fiz", "grep", json!({"pattern": "x", "-i": true}), "-i: no such parameter; "),
        ("fiz", "find", json!({"pattern": "*", "path": "a"}), "did you mean `dir`?"),
        ("fiz", "ls", json!({"dir": "a"}), "did you mean `path`?"),
        ("fiz", "read", json!({"path": "a", "start_line": 3}), "did you mean `offset`?"),
        (
            "fiz",
            "bash",
            json!({"command": "true", "cwd": "/"}),
            "the tool takes `command`, `timeout_ms`",
        ),
        ("floyd", "git_log", json!({"limit": 1}), "did you mean `maxCount`?"),
        ("floyd", "grep_search", json!({"pattern": "x", "glob": "*.js"}), "did you mean `"),
        ("local", "read_file", json!({"path": "a", "limit": 3}), "the tool takes `path`"),
        (
            "fiz",
            "edit",
            json!({"path": "a", "oldText": "x", "newText": "y"}),
            r#"did you mean `"edits": [{"oldText":"x","newText":"y"}]`?"#,
        ),
        (
            "fiz",
            "edit",
            json!({"path": "a", "edits": [], "old_text": "x", "new_text": "y"}),
            r#"did you mean `"edits": [{"oldText":"x","newText":"y"}]`?"#,
        ),
        (
            "fiz",
            "edit",
            json!({"path": "a", "edits": [{"oldText": "a", "newText": "b"}], "old_string": "x"}),
            "old_string: `edits` is given too; put all replacements into `edits`",
        ),
        ("floyd", "git_stage", json!({"files": "a.txt"}), r#"did you mean `"files": ["a.txt"]`?"#),
        (
            "stack",
            "update_task",
            json!({"task_id": "a", "statsu": "done"}),
            "did you mean `status`?",
        ),
    ] {
        let place = place(&[], |_| {});
        let session = open(&place, toolset, Policy::Trust);
        let error = run(&session, tool, input.clone()).error.expect(tool);
        assert_eq!(error.code, Code::InvalidInput, "{tool} {input}: {error}");
        assert!(error.message.contains(said), "{tool} {input}: {error}");
    }
}

#[test]
fn one_object_is_taken_for_the_list_of_it() {
    let place = place(&[("a.txt", "one\n")], |_| {});
    let session = open(&place, "fiz", Policy::Trust);
    for edits in [
        json!({"oldText": "one", "newText": "two"}),
        json!(r#"{"oldText": "two", "newText": "one"}"#),
    ] {
        let done = run(&session, "edit", json!({"path": "a.txt", "edits": edits}));
        assert_eq!(done.body.to_text(), "Replaced 1 occurrence in a.txt");
    }
    assert_eq!(place.read("a.txt"), "one\n");
}

#[test]
fn parameters_that_no_schema_lists_are_taken() {
    let place = place(&[("a.txt", "one\ntwo\n")], |_| {});
    let session = open(&place, "local", Policy::Trust);
    for offset in [json!(1), json!("1")] {
        let done = run(&session, "read_file", json!({"path": "a.txt", "offset": offset}));
        assert_eq!(done.body.to_text(), r#"{"content":"two\n"}"#);
    }
    let session = open(&place, "floyd-0.1.0", Policy::Trust);
    let input = json!({"file_path": "a.txt", "offset": "1", "limit": "1"});
    assert!(run(&session, "read_file", input).body.to_text().contains(r#""content":"two\n""#));
}

#[test]
fn a_parameter_is_taken_in_the_spelling_of_the_other_version() {
    for (toolset, tool, input) in [
        (
            "floyd",
            "edit_range",
            json!({"path": "a.txt", "startLine": 0, "endLine": 0, "content": "1"}),
        ),
        ("floyd", "edit_file", json!({"path": "a.txt", "oldString": "one", "new_string": "1"})),
        ("floyd-0.1.0", "edit_file", json!({"path": "a.txt", "oldStr": "one", "newStr": "1"})),
        (
            "floyd-0.1.0",
            "search_replace",
            json!({"path": "a.txt", "oldString": "one", "newString": "1", "all": true}),
        ),
    ] {
        let place = place(&[("a.txt", "one\n")], |_| {});
        let session = open(&place, toolset, Policy::Trust);
        let done = run(&session, tool, input);
        assert_eq!(done.error, None, "{toolset} {tool}");
        assert_eq!(place.read("a.txt"), "1\n", "{toolset} {tool}");
    }
}

#[test]
fn each_other_spelling_stands_for_a_parameter_of_a_tool() {
    for name in toolsets::NAMES {
        let toolset = toolsets::toolset(name).unwrap();
        for (other, meant) in toolset.spellings {
            let has = |entry: &toolkit::Entry, parameter: &str| {
                entry.definition().input["properties"].get(parameter).is_some()
            };
            if meant.is_empty() {
                let is_one = |entry: &toolkit::Entry| has(entry, other);
                assert!(!toolset.entries().iter().any(is_one), "{name}: {other} is passed over");
                continue;
            }
            let takes = toolset.entries().iter().any(|e| has(e, meant) && !has(e, other));
            let hidden = (*name, *meant) == ("floyd-0.1.0", "all");
            assert!(takes || hidden, "{name}: {other} for {meant} is of no use");
        }
    }
}
