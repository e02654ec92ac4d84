//! What failures of kit end with: a call that works, which is made here.

use fault::Code;
use toolkit::serde_json::{self, Value, json};

use crate::kit_run::Kit;

const FILES: &[(&str, &str)] = &[
    ("src/main.rs", "fn main() {\n    answer();\n}\n\nfn answer() -> u8 {\n    42\n}\n"),
    ("a.txt", "one\ntwo two\nthree\n"),
    ("odd \"name\".txt", "x\n"),
];

/// A call that fails, and what its failure ends with.
const FAILURES: &[(&str, &str, &str)] = &[
    // Parameters.
    ("search", r#"{"qery": "answer"}"#, r#"search {"query":"answer"}"#),
    ("read", r#"{"pth": "a.txt"}"#, r#"read {"path":"a.txt"}"#),
    ("run", r#"{"comand": "true"}"#, r#"run {"command":"true"}"#),
    ("search", r#"{"query": "x", "mode": "symbol"}"#, r#"search {"query":"x","mode":"symbols"}"#),
    // Words of other tools.
    ("read", r#"{"path": "a.txt", "offset": 2, "limit": 2}"#, r#"read {"path":"a.txt:2-3"}"#),
    ("read", r#"{"file_path": "a.txt", "lines": "2-"}"#, r#"read {"file_path":"a.txt:2-"}"#),
    ("read", r#"{"path": "a.txt", "start_line": "2"}"#, r#"read {"path":"a.txt:2-"}"#),
    ("read", r#"{"paths": "a.txt"}"#, r#"read {"paths":["a.txt"]}"#),
    ("read", r#"{"path": ["a.txt", "src"]}"#, r#"read {"paths":["a.txt","src"]}"#),
    (
        "edit",
        r#"{"path": "a.txt", "old": "one", "new": "1", "line": 1}"#,
        r#"edit {"path":"a.txt","old":"one","new":"1","lines":"1"}"#,
    ),
    ("search", r#"{"query": "a.s", "regex": true}"#, r#"search {"query":"a.s","mode":"regex"}"#),
    ("search", r#"{"query": "x", "-i": true}"#, r#"search {"query":"x"}"#),
    ("search", r#"{"query": "x", "ignore_case": false}"#, r#"search {"query":"x","case":true}"#),
    ("search", r#"{"query": "fn", "file_type": "rs"}"#, r#"search {"query":"fn","glob":"*.rs"}"#),
    (
        "search",
        r#"{"query": "fn", "glob": ["*.rs", "*.py"]}"#,
        r#"search {"query":"fn","glob":"{*.rs,*.py}"}"#,
    ),
    ("search", r#"{"glob": "*.rs"}"#, r#"search {"query":"*.rs","mode":"files"}"#),
    (
        "search",
        r#"{"query": "answer", "mode": "references"}"#,
        r#"search {"query":"answer","mode":"refs"}"#,
    ),
    ("run", r#"{"command": ["echo", "a b"]}"#, r#"run {"command":"echo 'a b'"}"#),
    ("run", r#"{"command": "echo", "args": ["a b"]}"#, r#"run {"command":"echo 'a b'"}"#),
    ("run", r#"{"command": "true", "timeout_ms": 1500}"#, r#"run {"command":"true","timeout":2}"#),
    (
        "run",
        r#"{"command": "echo $A", "env": {"A": "1"}, "workdir": "src"}"#,
        r#"run {"command":"cd -- src && export A=1; echo $A"}"#,
    ),
    ("run", r#"{"list": true}"#, "run {}"),
    ("undo", r#"{"path": "a.txt"}"#, r#"undo {"list":true}"#),
    ("read", r#"{"path": "a.txt", "view_range": [2, 3]}"#, r#"read {"path":"a.txt:2-3"}"#),
    ("read", r#"{"path": "a.txt", "view_range": [2, -1]}"#, r#"read {"path":"a.txt:2-"}"#),
    ("read", r#"{"path": "a.txt:2..3"}"#, r#"read {"path":"a.txt:2-3"}"#),
    (
        "read",
        r#"{"path": "src/main.rs", "symbol": "answer"}"#,
        r#"read {"path":"src/main.rs#answer"}"#,
    ),
    ("read", r#"{"command": "view", "path": "a.txt"}"#, r#"read {"path":"a.txt"}"#),
    (
        "edit",
        r#"{"path": "a.txt", "old": "one", "new": "1", "count": 1}"#,
        r#"edit {"path":"a.txt","old":"one","new":"1"}"#,
    ),
    (
        "edit",
        r#"{"command": "str_replace", "path": "a.txt", "old_str": "one", "new_str": "1"}"#,
        r#"edit {"path":"a.txt","old_str":"one","new_str":"1"}"#,
    ),
    (
        "edit",
        r#"{"path": "a.txt", "old": "two two", "new": "2", "lines": "1:2"}"#,
        r#"edit {"path":"a.txt","old":"two two","new":"2","lines":"1-2"}"#,
    ),
    (
        "edit",
        r#"{"path": "a.txt", "changes": [{"old": "one", "new": "1", "count": 1, "lines": [1, 2]}]}"#,
        r#"edit {"path":"a.txt","changes":[{"old":"one","new":"1","lines":"1-2"}]}"#,
    ),
    // The whole file is not what an empty text means.
    ("edit", r#"{"path": "a.txt", "old": null, "new": "x"}"#, r#"read {"path":"a.txt"}"#),
    (
        "edit",
        r#"{"path": "a.txt", "old_string": "", "new": "x", "remove": "false"}"#,
        r#"read {"path":"a.txt"}"#,
    ),
    (
        "edit",
        r#"{"path": "a.txt", "old": null, "new": "x", "all": "False"}"#,
        r#"read {"path":"a.txt"}"#,
    ),
    (
        "edit",
        r#"{"changes": [{"path": "a.txt", "old": null, "new": "x"}]}"#,
        r#"read {"path":"a.txt"}"#,
    ),
    (
        "search",
        r#"{"query": ["a.b", "answer"]}"#,
        r#"search {"query":"a\\.b|answer","mode":"regex"}"#,
    ),
    (
        "search",
        r#"{"pattern": "answer", "-n": true, "-A": 2}"#,
        r#"search {"pattern":"answer","context":2}"#,
    ),
    ("search", r#"{"query": "fn", "include": ["*.rs"]}"#, r#"search {"query":"fn","glob":"*.rs"}"#),
    ("run", r#"{"cmd": ["echo", "a b"]}"#, r#"run {"command":"echo 'a b'"}"#),
    ("run", r#"{"command": "true", "timeout": "2m"}"#, r#"run {"command":"true","timeout":120}"#),
    ("run", r#"{"command": "true", "shell": "bash"}"#, r#"run {"command":"true"}"#),
    ("undo", r#"{"steps": 2}"#, r#"undo {"list":true}"#),
    (
        "call",
        r#"{"name": "local.read_file", "args": "{\"path\": \"a.txt\"}", "x": 1}"#,
        r#"call {"name":"local.read_file","args":{"path":"a.txt","x":1}}"#,
    ),
    ("remember", r#"{"in": "memory"}"#, r#"remember {"in":"notes"}"#),
    (
        "call",
        r#"{"tool": "local.list_directory", "path": "."}"#,
        r#"call {"tool":"local.list_directory","arguments":{"path":"."}}"#,
    ),
    ("call", r#"{"tool": "stack.git_add"}"#, r#"find_tool {"need":"git add"}"#),
    // Paths.
    ("read", r#"{"path": "src/mian.rs"}"#, r#"read {"path":"src/main.rs"}"#),
    ("read", r#"{"path": "src/mian.rs:1-2"}"#, r#"read {"path":"src/main.rs:1-2"}"#),
    ("read", r#"{"paths": ["src/mian.rs", "scr"]}"#, r#"read {"paths":["src/main.rs","scr"]}"#),
    ("read", r#"{"path": "lib/main.rs"}"#, r#"search {"query":"main.rs","mode":"files"}"#),
    ("read", r#"{"path": "odd \"nam\".txt"}"#, r#"read {"path":"odd \"name\".txt"}"#),
    ("search", r#"{"query": "x", "path": "scr"}"#, r#"search {"query":"x","path":"src"}"#),
    ("edit", r#"{"path": "aa.txt", "old": "one", "new": "1"}"#, r#"read {"path":"a.txt"}"#),
    ("run", r#"{"command": "ls", "cwd": "src"}"#, r#"run {"command":"cd -- src && ls"}"#),
    // Places.
    ("read", r##"{"path": "src/main.rs#answe"}"##, r##"read {"path":"src/main.rs#answer"}"##),
    ("read", r##"{"path": "#answe"}"##, r##"read {"path":"#answer"}"##),
    ("read", r#"{"path": "a.txt:90-"}"#, r#"read {"path":"a.txt:1-"}"#),
    ("edit", r#"{"path": "a.txt", "lines": "9", "new": "x"}"#, r#"read {"path":"a.txt:1-"}"#),
    ("read", r#"{"path": "src:1-2"}"#, r#"read {"path":"src"}"#),
    ("read", r##"{"path": "src/main.rs#anwser"}"##, r##"read {"path":"src/main.rs#answer"}"##),
    ("read", r##"{"path": "#zzz"}"##, r#"search {"query":"zzz"}"#),
    // Edits.
    (
        "edit",
        r#"{"path": "src/main.rs", "old": "fn main() {\n  answer();", "new": "fn main() {\n    print();"}"#,
        r#"edit {"path":"src/main.rs","old":"fn main() {\n    answer();","new":"fn main() {\n    print();"}"#,
    ),
    (
        "edit",
        r#"{"changes": [{"path": "src/main.rs", "old": "fn answer() {\n42", "new": "x"}]}"#,
        r#"read {"path":"src/main.rs:5-25"}"#,
    ),
    (
        "edit",
        r#"{"file_path": "a.txt", "old_string": "one\n  two two", "new_string": "x"}"#,
        r#"edit {"file_path":"a.txt","old_string":"one\ntwo two","new_string":"x"}"#,
    ),
    ("edit", r#"{"path": "a.txt", "old": "qqqq", "new": "x"}"#, r#"read {"path":"a.txt"}"#),
    (
        "edit",
        r#"{"changes": [{"path": "a.txt", "old": "two", "new": "2"}]}"#,
        r#"read {"path":"a.txt:2-2"}"#,
    ),
    (
        "edit",
        r#"{"path": "src/main.rs", "old": "answer()", "new": "question()"}"#,
        r#"read {"path":"src/main.rs:2-5"}"#,
    ),
    (
        "edit",
        r#"{"path": "a.txt", "lines": "1", "old": "three", "new": "x"}"#,
        r#"edit {"path":"a.txt","lines":"3","old":"three","new":"x"}"#,
    ),
    (
        "edit",
        r#"{"path": "a.txt", "lines": "2", "old": "tow two", "new": "two two"}"#,
        r#"read {"path":"a.txt:2"}"#,
    ),
    (
        "edit",
        r#"{"path": "src/main.rs", "old": "let x = 7;", "new": "fn answer() -> u8 {\n    42"}"#,
        r#"read {"path":"src/main.rs:5-6"}"#,
    ),
    (
        "edit",
        r##"{"path": "src/main.rs#answer", "new": "fn answer() {}"}"##,
        r#"edit {"path":"src/main.rs:5-7","new":"fn answer() {}"}"#,
    ),
    (
        "edit",
        r#"{"patch": "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-uno\n+1\n"}"#,
        r#"read {"path":"a.txt"}"#,
    ),
    // Patterns.
    ("search", r#"{"query": "f(", "mode": "regex"}"#, r#"search {"query":"f("}"#),
    (
        "search",
        r#"{"query": "\\bf(", "mode": "regex"}"#,
        r#"search {"query":"\\bf\\(","mode":"regex"}"#,
    ),
    (
        "search",
        r#"{"query": "let.*[b{2", "mode": "regex"}"#,
        r#"search {"query":"let.*\\[b\\{2","mode":"regex"}"#,
    ),
    // Programs.
    ("run", r#"{"id": 7, "grep": "x"}"#, "run {}"),
    ("run", r#"{"stop": true}"#, "run {}"),
    // The rest.
    ("undo", r#"{"call": 7}"#, r#"undo {"list":true}"#),
    ("remember", r#"{"key": "x", "remove": true}"#, "remember {}"),
    ("browse", r#"{"tab": "3"}"#, r#"browse {"tab":"list"}"#),
    (
        "call",
        r#"{"tool": "stack.git_staus", "arguments": {}}"#,
        r#"call {"tool":"stack.git_status","arguments":{}}"#,
    ),
];

/// The call that a failure ends with.
fn next(text: &str) -> Option<(&str, Value)> {
    let (tool, call) = text.lines().last()?.strip_prefix("next: ")?.split_once(' ')?;
    Some((tool, serde_json::from_str(call).ok()?))
}

#[test]
fn a_failure_ends_with_a_call_that_works() {
    for (tool, input, ends) in FAILURES {
        let kit = Kit::new(FILES);
        kit.at.write("MEMORY.md", "### y\nnote\n");
        let (text, code) = kit.call(tool, serde_json::from_str(input).unwrap());
        assert!(code.is_some() && text.ends_with(&format!("\nnext: {ends}")), "{input}: {text}");
        let (tool, call) = next(&text).unwrap();
        if tool == "call" {
            continue; // the directory has no repository
        }
        kit.ok(tool, call);
    }
}

#[test]
fn what_moved_or_ended_is_shown_or_started_again() {
    let kit = Kit::new(FILES);
    kit.ok("read", json!({"path": "a.txt"}));
    kit.ok("edit", json!({"path": "a.txt", "lines": "1", "new": "1\n1.5"}));
    let stale = json!({"path": "a.txt", "lines": "3", "new": "x"});
    let (text, _) = kit.call("edit", stale.clone());
    assert!(text.contains("; now\n3\ttwo two\n") && next(&text).is_none(), "{text}");
    kit.ok("edit", stale);
    kit.ok("run", json!({"command": "true"}));
    let (text, _) = kit.call("run", json!({"id": 1, "input": "x\n"}));
    let (tool, call) = next(&text).unwrap();
    assert_eq!(call, json!({"command": "true", "background": true}), "{text}");
    kit.ok(tool, call);
}

#[test]
fn a_long_call_is_not_written_out_and_what_cannot_be_meant_is_not_made_up() {
    let kit = Kit::new(&[("a.txt", "two two\n"), ("b.txt", "x\n")]);
    let long = "x".repeat(1000);
    let (text, _) = kit.call("edit", json!({"path": "b.tx", "old": "x", "new": long}));
    assert_eq!(next(&text).map(|(tool, _)| tool), Some("read"), "{text}");
    for (tool, input) in [
        ("undo", json!({})),
        ("search", json!({"query": "x", "paths": ["a.txt", "b.txt"]})),
        ("edit", json!({"path": "a.txt", "insert": "x", "line": 1})),
        ("edit", json!({"path": "a.txt", "old": "two"})),
        ("search", json!({"nonsense": 1})),
        ("read", json!({"path": "/etc/passwd"})),
        ("web", json!({})),
        ("call", json!({"tool": "kit.call"})),
        (
            "call",
            json!({"tool": "local.read_file", "arguments": {"path": "a.txt"}, "path": "b.txt"}),
        ),
        ("edit", json!({"path": "a.txt", "new": "x", "lines": -3})),
        ("read", json!({"path": "a.txt", "offset": -3})),
        ("search", json!({"query": "x", "type": "python"})),
    ] {
        let (text, code) = kit.call(tool, input.clone());
        assert!(code.is_some() && !text.contains("next: "), "{input}: {text}");
    }
}

#[test]
fn what_has_no_text_to_replace_is_written() {
    let kit = Kit::new(&[("empty.txt", "")]);
    for path in ["empty.txt", "new.txt"] {
        kit.ok("edit", json!({"path": path, "old_string": "", "new_string": "x\n"}));
        assert_eq!(kit.at.read(path), "x\n");
    }
    kit.ok("edit", json!({"changes": [{"path": "b.txt", "old": null, "new": "y\n"}]}));
    assert_eq!(kit.at.read("b.txt"), "y\n");
    let lines = json!({"path": "b.txt", "old": "", "new": "z", "lines": "1"});
    let (text, _) = kit.call("edit", lines);
    assert!(text.ends_with(r#"next: edit {"path":"b.txt","new":"z","lines":"1"}"#), "{text}");
    let moved =
        json!([{"path": "b.txt", "move_to": "c.txt"}, {"path": "c.txt", "old": "", "new": "z"}]);
    let (text, code) = kit.call("edit", json!({"changes": moved}));
    assert_eq!((code, kit.at.read("b.txt").as_str()), (Some(Code::InvalidInput), "y\n"), "{text}");
    // Beside a value that has to be read another way, null is not left out either.
    for change in [json!({"old": null, "new": "z"}), json!({"old": null, "new": "z", "all": "0"})] {
        let mut change = change;
        change["path"] = "b.txt".into();
        let (text, code) = kit.call("edit", change);
        assert_eq!(
            (code, kit.at.read("b.txt").as_str()),
            (Some(Code::InvalidInput), "y\n"),
            "{text}"
        );
    }
}

#[test]
fn changes_have_the_names_and_values_that_one_change_has() {
    for name in ["old", "find", "old_str", "old_string", "oldText", "search"] {
        let kit = Kit::new(FILES);
        let change =
            json!({"file_path": "a.txt", name: "two", "replacement": "2", "replace_all": "True"});
        kit.ok("edit", json!({"changes": [change.clone()]}));
        assert_eq!(kit.at.read("a.txt"), "one\n2 2\nthree\n");
        kit.at.write("a.txt", "two two\n");
        kit.ok("edit", change);
        assert_eq!(kit.at.read("a.txt"), "2 2\n");
    }
}

#[test]
fn all_changes_that_do_not_fit_are_told() {
    let kit = Kit::new(&[("a.txt", "one\ntwo\nthree three\n"), ("b.txt", "four\n")]);
    let change = |path: &str, old: &str| json!({"path": path, "old": old, "new": "x"});
    let (text, code) = kit.call(
        "edit",
        json!({"changes": [
            change("a.txt", "three"),
            change("b.txt", "four"),
            change("b.txt", "fuor!"),
            {"path": "a.txt", "lines": "9", "new": "x"},
            change("c.txt", "x"),
            {"path": "a.txt", "old": "one"},
            change("a.txt", "tw"),
            change("a.txt", "one two"),
            {"path": "a.txt", "lines": "1-2", "new": "x"},
        ]}),
    );
    assert_eq!(code, Some(Code::MultipleMatches), "{text}");
    let told: Vec<&str> = text.lines().filter(|line| line.starts_with("changes[")).collect();
    let of = [
        "changes[0]: a.txt: the text to find occurs 2 times",
        "changes[2]: b.txt: the text to find is not there",
        "changes[3]: a.txt: line 9 is past the end",
        "changes[4]: c.txt: no such file",
        "changes[5].new: missing",
        "changes[7]: a.txt: the text to find is not there",
        "changes[8]: a.txt: lines 1-2: not read yet",
    ];
    assert!(text.starts_with("error: 7 changes do not fit, none was made:\n"), "{text}");
    assert_eq!(told.len(), of.len(), "{text}");
    told.iter().zip(of).for_each(|(told, of)| assert!(told.starts_with(of), "{told}"));
    assert_eq!(kit.at.read("b.txt"), "four\n");
    // As much as an answer holds.
    let many: Vec<Value> = (0..500).map(|n| change("b.txt", &format!("not there {n}"))).collect();
    let (text, _) = kit.call("edit", json!({"changes": many}));
    assert!(text.len() < 8000 && text.contains("\nand ") && text.ends_with(" more"), "{text}");
}

#[test]
fn calls_in_the_words_of_other_tools_are_made() {
    let kit = Kit::new(FILES);
    let root = kit.at.root().display().to_string();
    for (tool, input, says) in [
        ("read", json!({"path": format!("{root}/a.txt:2")}), "2\ttwo two"),
        ("read", json!({"path": "./a.txt:1:7"}), "1\tone"),
        ("read", json!({"path": "src/main.rs#L2-L3"}), "2\t    answer();\n3\t}"),
        ("read", json!({"paths": "[\"a.txt\", \"src\"]"}), "== src\nmain.rs"),
        ("edit", json!({"path": "a.txt", "old_str": "one", "new_str": "1"}), "line 1 changed"),
        ("edit", json!({"path": "a.txt", "find": "1", "with": "one"}), "line 1 changed"),
        (
            "edit",
            json!({"path": "a.txt", "lines": "3-", "old": "three", "new": "3"}),
            "line 3 changed",
        ),
        (
            "edit",
            json!({"path": "a.txt", "diff": "@@ -1,2 +1,2 @@\n-one\n+1\n two two\n"}),
            "a.txt: line 1 changed",
        ),
        ("edit", json!({"path": "b.txt", "text": "x\n", "overwrite": true}), "created, 1 line"),
        ("edit", json!({"path": "b.txt", "rename": "c.txt"}), "moved"),
        ("search", json!({"q": "answer", "limit": "1"}), "src/main.rs\n2:"),
        ("run", json!({"script": "echo hi", "run_in_background": "false"}), "hi"),
        ("undo", json!({"list": "true"}), "edit: "),
        ("remember", json!({"title": "port", "text": "8080"}), "notes: port = 8080"),
        ("remember", json!({"query": "port"}), "notes: port = 8080"),
        ("find_tool", json!({"query": "commit what is staged"}), "floyd.git_commit {"),
        ("call", json!({"name": "kit.read", "args": {"path": "c.txt"}}), "1\tx"),
    ] {
        let text = kit.ok(tool, input.clone());
        assert!(text.contains(says), "{tool} {input}: {text}");
    }
    let (text, code) = kit.call(
        "edit",
        json!({"path": "b.txt", "patch": "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-1\n+one\n"}),
    );
    assert_eq!(code, Some(Code::InvalidInput), "{text}");
}
