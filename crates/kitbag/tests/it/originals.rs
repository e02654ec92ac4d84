//! What prompts and models know of the original tools, as their documents and programs have it.

use serde_json::json;

use crate::place::{Place, alive, mark, wait_until};

fn bash(place: &Place, script: &str) -> String {
    place.serve("fiz", "trust").call("bash", &json!({"command": script})).ok().to_owned()
}

#[test]
fn bash_answers_with_its_four_headings() {
    let place = Place::new();
    let said = bash(&place, "echo out; echo err >&2; exit 7");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "Exit code: 7");
    let wall = lines[1].strip_prefix("Wall time: ").and_then(|w| w.strip_suffix('s')).unwrap();
    assert!(
        wall.parse::<f64>().is_ok() && wall.split('.').nth(1).is_some_and(|d| d.len() == 2),
        "{wall}"
    );
    assert_eq!(&lines[2..], ["Output:", "out", "", "Stderr:", "err"]);
    assert!(bash(&place, "true").ends_with("Output:\n(no output)\n"));
    assert!(bash(&place, "cat; echo done").contains("done"), "the input is closed");
    assert!(
        bash(&place, "printf '\\033[31mred\\033[0m \\033]0;title\\007x'")
            .contains("Output:\nred x")
    );
}

#[test]
fn long_output_keeps_its_end_and_says_what_is_missing() {
    let place = Place::new();
    let said = bash(&place, "seq 1 5000");
    assert!(said.contains("[Truncated: 3000 lines omitted]\n"), "{}", &said[..200]);
    assert!(
        said.contains("\n3001\n")
            && said.trim_end().ends_with("5000")
            && !said.contains("\n3000\n")
    );
    let said = bash(&place, "yes 0123456789 | head -c 3000000");
    assert!(said.len() < 60_000, "{} bytes", said.len());
    let said = bash(&place, "head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last");
    assert!(said.trim_end().ends_with("last") && said.len() < 60_000, "{} bytes", said.len());
    let said = bash(&place, "head -c 300000 /dev/zero | tr '\\0' x");
    assert!(said.contains("xxxx") && said.contains("Truncated"), "one long line is shown in part");
}

#[test]
fn a_timeout_keeps_the_output_and_ends_grandchildren() {
    let place = Place::new();
    let mut fiz = place.serve("fiz", "trust");
    let sleeper = mark();
    let script = format!(
        "echo begun; echo wrong >&2; (setsid sh -c 'sleep {sleeper}' &); trap '' TERM; sleep {sleeper}"
    );
    let answer = fiz.call("bash", &json!({"command": script, "timeout_ms": 700}));
    let said = answer.fails("Timeout");
    assert!(
        said.contains("timed out") && said.contains("begun") && said.contains("wrong"),
        "{said}"
    );
    wait_until("grandchildren end", || alive(&sleeper).is_empty());
    // A grandchild that keeps the pipe open holds up nothing.
    let began = std::time::Instant::now();
    let said = fiz.call("bash", &json!({"command": format!("sleep {sleeper} & echo now")}));
    assert!(said.ok().contains("now") && began.elapsed().as_secs() < 20, "{said:?}");
    wait_until("it is ended", || alive(&sleeper).is_empty());
}

#[test]
fn read_cuts_at_two_thousand_lines_or_fifty_kilobytes() {
    let place = Place::new();
    let lines: String = (1..=3000).map(|n| format!("{n}\n")).collect();
    place.write("lines", lines);
    place.write("wide", format!("{}\n", "x".repeat(99)).repeat(1000));
    place.write("one", "y".repeat(70_000));
    place.write("crlf", "a\r\nb\r\n");
    let mut fiz = place.serve("fiz", "trust");
    let said = fiz.call("read", &json!({"path": "lines"})).ok().to_owned();
    assert!(said.starts_with("1\n2\n") && said.contains("\n2000\n") && !said.contains("\n2001\n"));
    assert!(said.contains("[Truncated: 1000 lines omitted]"), "{}", &said[said.len() - 200..]);
    let said = fiz.call("read", &json!({"path": "lines", "offset": 2000})).ok().to_owned();
    assert!(said.starts_with("2001\n") && said.contains("3000"));
    let said = fiz.call("read", &json!({"path": "wide"})).ok().to_owned();
    assert!(said.contains("[Truncated: 488 lines omitted]"), "{}", &said[said.len() - 200..]);
    let said = fiz.call("read", &json!({"path": "one"})).ok().to_owned();
    assert!(said.starts_with("yyyy") && said.contains("omitted") && said.len() < 60_000);
    assert_eq!(fiz.call("read", &json!({"path": "crlf"})).ok(), "a\r\nb\r\n");
    assert_eq!(fiz.call("read", &json!({"path": "lines", "offset": 5000})).ok(), "");
}

#[test]
fn searches_stop_where_they_say() {
    let place = Place::new();
    for n in 0..520 {
        place.write(&format!("d{}/f{n}.txt", n % 9), "needle\n");
    }
    place.write(".hidden", "needle hidden\n");
    let mut fiz = place.serve("fiz", "trust");
    let said = fiz.call("find", &json!({"pattern": "**/*.txt"})).ok().to_owned();
    let marker = "(results truncated at 500 matches)";
    assert!(said.contains(marker), "{}", &said[said.len() - 100..]);
    assert_eq!(said.lines().filter(|l| l.ends_with(".txt")).count(), 500);
    let said = fiz.call("grep", &json!({"pattern": "needle"})).ok().to_owned();
    assert!(said.contains("(results truncated at 200 matches)"), "{}", &said[said.len() - 100..]);
    assert_eq!(said.lines().filter(|l| l.contains(":1:needle")).count(), 200);
    let said = fiz.call("grep", &json!({"pattern": "nothing like it"})).ok().to_owned();
    assert!(said.starts_with("(no matches)"), "{said}");
    let said = fiz.call("find", &json!({"pattern": "*.none"})).ok().to_owned();
    assert!(said.starts_with("(no matches)"), "{said}");
    let said = fiz.call("ls", &json!({"path": "."})).ok().to_owned();
    assert!(said.contains("\nd0/\n") && said.contains(".hidden"), "{said}");
    std::fs::create_dir(place.path("void")).unwrap();
    assert_eq!(fiz.call("ls", &json!({"path": "void"})).ok(), "void/\n(empty directory)");
}

#[test]
fn edit_and_patch_speak_as_the_original() {
    let place = Place::with(&[("f", "a\nb\na\n"), ("g", "x")]);
    let mut fiz = place.serve("fiz", "trust");
    let said = fiz.call("edit", &json!({"path": "f", "edits": [{"oldText": "q", "newText": ""}]}));
    assert!(
        said.fails("StringNotFound").contains("edit: edits[0].oldText not found in f"),
        "{said:?}"
    );
    let said = fiz.call("edit", &json!({"path": "f", "edits": [{"oldText": "a", "newText": ""}]}));
    assert!(
        said.fails("MultipleMatches").contains("edits[0].oldText appears 2 times in f"),
        "{said:?}"
    );
    let edits = json!([{"oldText": "b\na", "newText": ""}, {"oldText": "a\nb", "newText": ""}]);
    let said = fiz.call("edit", &json!({"path": "f", "edits": edits}));
    assert!(said.fails("OverlappingEdits").contains("overlap"), "{said:?}");
    assert_eq!(
        fiz.call("edit", &json!({"path": "f", "old_string": "b", "new_string": "B"})).ok(),
        "Replaced 1 occurrence in f"
    );
    for (operation, expected) in [("Replace All", "z\nB\nz\n"), ("replace-all", "a\nB\na\n")] {
        let (search, content) = if expected.starts_with('z') { ("a", "z") } else { ("z", "a") };
        let patch =
            json!({"path": "f", "search": search, "content": content, "operation": operation});
        assert_eq!(fiz.call("patch", &patch).ok(), "Replaced 2 occurrences in f");
        assert_eq!(place.read("f"), expected);
    }
    fiz.call("patch", &json!({"path": "g", "content": "y", "operation": "append"})).ok();
    assert_eq!(place.read("g"), "x\ny");
    fiz.call("patch", &json!({"path": "none", "content": "y", "operation": "append"}))
        .fails("FileNotFound");
    fiz.call("patch", &json!({"path": "g", "content": "y"})).fails("InvalidInput");
    let wrote = fiz.call("write", &json!({"path": "h/i", "content": "héllo"}));
    assert!(wrote.ok().starts_with("Wrote 6 bytes to "), "{wrote:?}");
}

#[test]
fn tasks_count_from_one_in_each_session() {
    let place = Place::new();
    for _ in 0..2 {
        let mut fiz = place.serve("fiz", "trust");
        let mut task = |arguments: serde_json::Value| fiz.call("task", &arguments);
        assert_eq!(task(json!({"operation": "list"})).ok().trim(), "[]");
        let made = task(json!({"operation": "create", "title": "first"})).fields();
        assert_eq!((&made["id"], &made["status"]), (&json!("task-1"), &json!("pending")));
        let said = task(json!({"operation": "create"})).fails("InvalidInput");
        assert!(said.contains("title"), "{said}");
        let done =
            task(json!({"operation": "update", "id": "task-1", "status": "completed"})).fields();
        assert_eq!(done["status"], "completed");
        assert!(task(json!({"operation": "update", "id": "task-1", "status": "flying"})).failed());
        let missing = task(json!({"operation": "get", "id": "task-9"}));
        assert!(missing.failed() && missing.text().contains("task-9"), "{missing:?}");
    }
}

#[test]
fn local_keeps_its_fields_in_success_and_failure() {
    let place = Place::with(&[
        ("a.txt", "One (two)\n"),
        ("d/b.txt", "one\n"),
        ("d/.c", "one\n"),
        (".h", "x\n"),
    ]);
    let mut local = place.serve("local", "trust");
    let mut fields = |tool: &str, arguments: serde_json::Value| {
        let answer = local.call(tool, &arguments);
        serde_json::from_str::<serde_json::Value>(answer.text())
            .unwrap_or_else(|e| panic!("{e}: {answer:?}"))
    };
    assert_eq!(fields("read_file", json!({"path": "a.txt"})), json!({"content": "One (two)\n"}));
    let missing = fields("read_file", json!({"path": "no"}));
    assert_eq!((&missing["content"], missing["error"].is_string()), (&json!(""), true));
    assert_eq!(
        fields("list_directory", json!({"path": "."}))["entries"],
        json!([
        {"name": "a.txt", "type": "file"}, {"name": "d", "type": "directory"}])
    );
    assert_eq!(fields("list_directory", json!({"path": "no"}))["entries"], json!([]));
    let hits = fields("search_codebase", json!({"query": "ONE ("}));
    assert_eq!(
        hits["results"],
        json!([{"file": "a.txt", "line_number": 1, "line_content": "One (two)"}])
    );
    assert_eq!(
        fields("search_codebase", json!({"query": "one"}))["results"].as_array().unwrap().len(),
        3
    );
    assert_eq!(
        fields("find_files", json!({"pattern": "*.txt"}))["files"],
        json!(["a.txt", "d/b.txt"])
    );
    assert_eq!(
        fields("find_files", json!({"pattern": "*.txt", "recursive": false}))["files"],
        json!(["a.txt"])
    );
    assert_eq!(fields("create_directory", json!({"path": "d"}))["success"], true);
    assert_eq!(fields("delete_file", json!({"path": "no"}))["success"], false);
    for root in [".", "./", "d/..", place.root().to_str().unwrap()] {
        assert_eq!(fields("delete_directory", json!({"path": root}))["success"], false, "{root}");
    }
    assert_eq!(fields("delete_directory", json!({"path": "d"}))["success"], true);
    assert!(place.has("a.txt") && !place.has("d"));
    let outside = fields("write_file", json!({"path": "/etc/x", "content": ""}));
    assert_eq!(
        (&outside["success"], &outside["code"]),
        (&json!(false), &json!("PathOutsideWorkspace"))
    );
}
