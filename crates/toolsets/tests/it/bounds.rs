//! Every result has a bound, and one that was cut says so.

use toolkit::serde_json::{Value, json};
use toolkit::testing::{block_on, run};
use toolkit::{Call, Policy, call};

use crate::{open, place};

/// Text of so many bytes, in lines that are all found by `needle`, with what JSON has to escape.
fn large(bytes: usize) -> String {
    (0..)
        .map(|n| format!("needle \"{n}\"\t\\\n"))
        .scan(0, |size, line| {
            *size += line.len();
            (*size < bytes).then_some(line)
        })
        .collect()
}

/// Reads, searches and lists of all toolsets that meet a file of 6 MB, 5,000 files, a long diff or a
/// program that prints.
fn calls() -> Vec<(&'static str, &'static str, Value)> {
    let print = "cat large.txt";
    vec![
        ("fiz", "read", json!({"path": "large.txt"})),
        ("fiz", "grep", json!({"pattern": "needle"})),
        ("fiz", "find", json!({"pattern": "**/*"})),
        ("fiz", "ls", json!({"path": "many"})),
        ("fiz", "bash", json!({"command": print})),
        ("local", "read_file", json!({"path": "large.txt"})),
        ("local", "list_directory", json!({"path": "many"})),
        ("local", "search_codebase", json!({"query": "needle"})),
        ("local", "find_files", json!({"pattern": "**/*"})),
        ("stack", "read", json!({"path": "large.txt"})),
        ("stack", "grep", json!({"path": ".", "pattern": "needle"})),
        ("stack", "search", json!({"path": ".", "pattern": "**/*"})),
        ("stack", "run", json!({"command": print})),
        ("floyd", "read_file", json!({"filePath": "large.txt"})),
        ("floyd", "list_directory", json!({"path": "many"})),
        ("floyd", "grep_search", json!({"pattern": "needle"})),
        ("floyd", "search_files", json!({"pattern": "**/*"})),
        ("floyd", "run", json!({"command": "cat", "args": ["large.txt"]})),
        ("floyd", "assess_patch_risk", json!({"diff": patch()})),
        ("floyd-0.1.0", "read_file", json!({"filePath": "large.txt"})),
        ("floyd-0.1.0", "grep", json!({"pattern": "needle"})),
    ]
}

/// A diff of very many files.
fn patch() -> String {
    (0..20_000).map(|n| format!("--- a/f{n}\n+++ b/f{n}\n@@ -1 +1 @@\n-a\n+b\n")).collect()
}

#[test]
fn results_are_bounded_and_say_what_was_cut() {
    let place = place(&[("large.txt", &large(6 << 20)), ("many/", "")], |_| {});
    for n in 0..5000 {
        std::fs::write(place.path(&format!("many/a file with quite a long name {n}")), "").unwrap();
    }
    let limit = place.project.workspace().limits().body_bytes;
    for (toolset, tool, input) in calls() {
        let session = open(&place, toolset, Policy::Trust);
        let done = run(&session, tool, input);
        let (what, text) = (format!("{toolset} {tool}"), done.body.to_text());
        assert_eq!(done.error, None, "{what}");
        assert!(text.len() < limit + 1000, "{what}: {} bytes", text.len());
        let told = ["left out", "runcated", "only the first", "omitted", "more"];
        let told = told.iter().any(|word| text.contains(word));
        assert!(
            told || text.len() < 1000,
            "{what}: {}",
            fault::cut(&text[text.len() - 300..], 300)
        );
    }
}

#[test]
fn a_long_file_is_read_to_its_end_in_parts() {
    let text = large(200_000);
    let place = place(&[("large.txt", &text)], |_| {});
    for (toolset, tool, path) in [
        ("local", "read_file", "path"),
        ("stack", "read", "path"),
        ("floyd", "read_file", "filePath"),
    ] {
        let session = open(&place, toolset, Policy::Trust);
        let (mut whole, mut offset, mut parts) = (String::new(), 0, 0);
        loop {
            let done = run(&session, tool, json!({path: "large.txt", "offset": offset}));
            let body: Value = toolkit::serde_json::from_str(&done.body.to_text()).unwrap();
            let body = if body["data"].is_object() { &body["data"] } else { &body };
            whole += body["content"].as_str().unwrap();
            parts += 1;
            let Some(note) = body["note"].as_str() else { break };
            whole.push('\n'); // a part ends where its last line does
            let (_, next) = note.split_once("with offset ").unwrap();
            offset = next.split(';').next().unwrap().parse::<usize>().unwrap();
        }
        assert!(parts > 3, "{toolset}");
        assert_eq!(whole, text, "{toolset}");
    }
}

#[test]
fn one_who_can_take_the_whole_gets_the_whole() {
    let text = large(1 << 20);
    let place = place(&[("large.txt", &text)], |_| {});
    let session = open(&place, "local", Policy::Trust);
    let mut all = Call::new("read_file", json!({"path": "large.txt"}));
    all.result_bytes = Some(usize::MAX);
    let done = block_on(call(&session, all)).done().unwrap();
    assert_eq!(done.body.to_text(), json!({"content": text}).to_string());
}
