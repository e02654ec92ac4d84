//! What the tools of the dialects leave out, change or refuse, and say of it.

use fault::Code;
use toolkit::serde_json::{Value, json};
use toolkit::testing::{Place, run};
use toolkit::{Done, Policy};

use crate::{open, place};

fn call(place: &Place, toolset: &str, tool: &str, input: Value) -> Done {
    run(&open(place, toolset, Policy::Trust), tool, input)
}

/// The answer of a tool whose answers are objects.
fn object(place: &Place, toolset: &str, tool: &str, input: Value) -> Value {
    toolkit::serde_json::from_str(&text(place, toolset, tool, input)).unwrap()
}

fn text(place: &Place, toolset: &str, tool: &str, input: Value) -> String {
    call(place, toolset, tool, input).body.to_text()
}

const FRENCH: &[u8] = b"une pr\xe9f\xe9rence, la fa\xe7on de l'\xe9t\xe9\n";

/// The text searches of every dialect.
const SEARCHES: [(&str, &str, &str); 5] = [
    ("floyd", "grep_search", r#"{"pattern": "?"}"#),
    ("floyd-0.1.0", "grep", r#"{"pattern": "?"}"#),
    ("stack", "grep", r#"{"path": ".", "pattern": "?"}"#),
    ("local", "search_codebase", r#"{"query": "?"}"#),
    ("fiz", "grep", r#"{"pattern": "?"}"#),
];

fn search(place: &Place, (toolset, tool, input): (&str, &str, &str), query: &str) -> String {
    text(place, toolset, tool, toolkit::serde_json::from_str(&input.replace('?', query)).unwrap())
}

#[test]
fn searches_find_what_reads_show() {
    let place = place(&[], |_| {});
    std::fs::write(place.path("a.txt"), FRENCH).unwrap();
    for asked in SEARCHES {
        let said = search(&place, asked, "préférence");
        assert!(said.contains("une préférence, la façon de l'été"), "{asked:?}: {said}");
    }
}

#[test]
fn searches_say_which_directories_they_pass_over() {
    let files = [
        ("a.ts", "export function needle() {}\n"),
        ("vendor/b.ts", "export function needle() {}\n"),
        ("ignored/node_modules/c.ts", "needle()\n"),
        ("ignored/.gitignore", "node_modules\n"),
    ];
    let place = place(&files, |_| {});
    let note = "1 directory (vendor; name one to look into it)";
    for asked in SEARCHES {
        for query in ["needle", "none_such"] {
            let said = search(&place, asked, query);
            assert!(said.contains("1 directory (vendor; name one"), "{asked:?}: {said}");
            assert!(!said.contains("node_modules"), "{asked:?}: {said}");
        }
    }
    for (tool, input) in [
        ("find_references", json!({"symbol": "needle"})),
        ("find_symbol", json!({"symbol": "needle"})),
        ("project_map", json!({})),
        ("search_files", json!({"pattern": "*.ts"})),
        ("list_directory", json!({"recursive": true})),
    ] {
        let said = text(&place, "floyd", tool, input);
        assert!(said.contains(note), "{tool}: {said}");
    }
    let said = text(&place, "fiz", "find", json!({"pattern": "**/*.ts"}));
    assert!(said.starts_with("a.ts\n(skipped 1 directory (vendor; "), "{said}");
    // Who names it looks into it.
    let said = text(&place, "floyd", "grep_search", json!({"pattern": "needle", "path": "vendor"}));
    assert!(said.contains("vendor/b.ts") && !said.contains("note"), "{said}");
}

#[test]
fn a_list_of_all_has_the_names_of_what_it_passes_over() {
    let files = [(".git/HEAD", ""), ("vendor/a.txt", ""), (".hidden/b.txt", ""), ("c.txt", "")];
    let place = place(&files, |_| {});
    let input = json!({"recursive": true, "includeHidden": true});
    let said = object(&place, "floyd", "list_directory", input);
    let entries = said["data"]["entries"].as_array().unwrap();
    let names: Vec<_> = entries.iter().map(|entry| entry["name"].as_str().unwrap()).collect();
    assert_eq!(names, [".git", ".hidden", ".hidden/b.txt", "c.txt", "vendor"]);
}

#[test]
fn a_whole_file_is_written_as_it_was() {
    for (toolset, tool, path) in [
        ("floyd", "write_file", "filePath"),
        ("floyd-0.1.0", "write", "filePath"),
        ("stack", "write", "path"),
        ("local", "write_file", "path"),
        ("fiz", "write", "path"),
    ] {
        let place = place(&[("dos.txt", "a\r\nb\r\n"), ("plain.txt", "a\n")], |_| {});
        let wide = |text: &str| -> Vec<u8> {
            let units = "\u{feff}".encode_utf16().chain(text.encode_utf16());
            units.flat_map(u16::to_le_bytes).collect()
        };
        std::fs::write(place.path("wide.txt"), wide("alt\r\n")).unwrap();
        let write =
            |name: &str| text(&place, toolset, tool, json!({path: name, "content": "neu\n"}));
        let said = write("wide.txt");
        let kept =
            "kept the encoding, UTF-16LE with a byte order mark; kept the line endings, CRLF";
        assert!(said.contains(kept), "{toolset}: {said}");
        assert_eq!(std::fs::read(place.path("wide.txt")).unwrap(), wide("neu\r\n"), "{toolset}");
        assert!(write("dos.txt").contains("kept the line endings, CRLF"), "{toolset}");
        assert_eq!(place.read("dos.txt"), "neu\r\n", "{toolset}");
        for silent in ["plain.txt", "new.txt"] {
            assert!(!write(silent).contains("kept"), "{toolset}");
            assert_eq!(place.read(silent), "neu\n", "{toolset}");
        }
    }
}

#[test]
fn line_tools_know_the_line_breaks_of_an_old_mac() {
    let place = place(&[("mac.txt", "one\rtwo\rthree\r")], |_| {});
    let insert = json!({"filePath": "mac.txt", "lineNumber": 1, "content": "new\n"});
    assert_eq!(call(&place, "floyd", "insert_at", insert).error, None);
    assert_eq!(place.read("mac.txt"), "one\rnew\rtwo\rthree\r");
    let edit = json!({"filePath": "mac.txt", "startLine": 2, "endLine": 2, "content": "2"});
    assert_eq!(call(&place, "floyd", "edit_range", edit).error, None);
    assert_eq!(place.read("mac.txt"), "one\rnew\r2\rthree\r");
}

#[test]
fn what_no_answer_could_give_back_is_not_stored() {
    let place = place(&[], |_| {});
    let large = "\u{1}".repeat(60_000);
    let stored = call(&place, "floyd", "cache_store", json!({"key": "k", "value": large}));
    assert!(stored.error.unwrap().message.starts_with("value: 360"), "as JSON it is longer");
    let frame = json!({"frame_id": "f", "cog_steps": [{"step": 1, "thought": large}]});
    let stored = call(&place, "floyd-0.1.0", "cache_store_reasoning", json!({"frame": frame}));
    assert_eq!(stored.error.unwrap().code, Code::InvalidInput);
    let fits = "x".repeat(250_000);
    assert_eq!(
        call(&place, "floyd", "cache_store", json!({"key": "k", "value": fits})).error,
        None
    );
    let back = text(&place, "floyd", "cache_retrieve", json!({"key": "k"}));
    assert!(back.contains(&fits) && !back.contains("truncated"));
    let title = "t".repeat(5000);
    let saved = call(&place, "stack", "memory_save", json!({"key": title, "value": "v"}));
    assert!(saved.error.unwrap().message.starts_with("key: 5000 bytes, the limit is 1000"));
    place.write(
        "MEMORY.md",
        &format!("### one\n1\n\n### {}\n2\n\n### three\n3\n", "t".repeat(300_000)),
    );
    let listed = text(&place, "stack", "memory_list", json!({}));
    assert!(listed.contains("\"count\":3") && listed.contains("\"three\""), "{listed}");
    assert!(!listed.contains("truncated"), "{listed}");
}

/// What a call gave is told by the name that it gave it.
#[test]
fn errors_name_the_parameter_that_was_given() {
    let place = place(&[("a.txt", "one\n")], |_| {});
    let mut git = std::process::Command::new("git");
    assert!(git.args(["init", "-q"]).current_dir(place.root()).status().unwrap().success());
    let long = "x".repeat(200_000);
    for (toolset, tool, input, said) in [
        ("stack", "git_branch", json!({"create": "-D"}), "create: "),
        ("floyd", "list_symbols", json!({"filePath": ""}), "filePath: "),
        ("floyd", "grep_search", json!({"pattern": "x", "filePattern": "["}), "filePattern [: "),
        ("floyd", "run", json!({"command": "true", "args": [long]}), "args: longer than "),
        ("fiz", "bash", json!({"command": long}), "command: longer than "),
        ("fiz", "grep", json!({"pattern": "("}), "pattern (: "),
        (
            "fiz",
            "task",
            json!({"operation": {}}),
            "operation: invalid value: object, expected one of `create`, `update`, ",
        ),
        (
            "fiz",
            "task",
            json!({"operation": 1}),
            "operation: unknown value `1`; it takes `create`, `update`, ",
        ),
        (
            "fiz",
            "write",
            json!({"path": true, "content": "x"}),
            "path: invalid type: boolean `true`, expected a string",
        ),
        ("stack", "read", json!({"path": 7}), "path: invalid type: integer `7`, expected a string"),
        ("stack", "memory_recall", json!({"query": ""}), "query: empty; "),
    ] {
        let error = call(&place, toolset, tool, input).error.unwrap();
        assert!(error.message.starts_with(said), "{tool}: {error}");
    }
    // A number that is a text has one spelling.
    assert_eq!(call(&place, "fiz", "write", json!({"path": "n", "content": 1})).error, None);
    assert_eq!(place.read("n"), "1");
}

#[test]
fn output_that_is_not_utf_8_is_told() {
    let place = place(&[], |_| {});
    for (toolset, tool) in [("floyd", "run"), ("stack", "run"), ("fiz", "bash")] {
        let print = |what: &str| text(&place, toolset, tool, json!({"command": what}));
        let said = print(r"printf 'caf\351\n'");
        let note = "standard output: has bytes that are not UTF-8, shown as U+FFFD";
        assert!(said.contains(note), "{toolset}: {said}");
        assert!(!print(r"printf 'caf\303\251 \357\277\275\n'").contains("UTF-8"), "{toolset}");
    }
}

#[test]
fn documented_fields_are_there_also_if_nothing_was_done() {
    let place = place(&[("AGENTS.md", "Be brief.\n")], |_| {});
    let fields = |tool: &str, input| object(&place, "floyd-0.1.0", tool, input);
    let ran = fields("run", json!({"command": "no-such-program", "args": ["x"]}));
    for field in ["success", "exitCode", "stdout", "stderr", "duration"] {
        assert!(ran.get(field).is_some(), "{field}: {ran}");
    }
    let stored = fields("cache_store", json!({"tier": "attic", "key": "k", "value": "v"}));
    assert_eq!(stored["message"], "Nothing was stored");
    call(&place, "floyd", "cache_store", json!({"tier": "vault", "key": "k", "value": "v"}));
    let gone = object(&place, "floyd", "cache_delete", json!({"key": "k"}));
    assert_eq!(gone["data"]["tier"], "vault");
}

#[test]
fn matches_that_are_counted_and_not_shown_are_told() {
    let place = place(&[("a.txt", &"needle\n".repeat(20_100))], |_| {});
    let said = text(&place, "floyd", "grep_search", json!({"pattern": "needle"}));
    assert!(said.contains("stopped at 20000 matches, of which the first 200 are shown"), "{said}");
}

#[test]
fn the_way_on_says_that_no_schema_has_it() {
    let place = place(&[("a.txt", &"line of a file\n".repeat(9000))], |_| {});
    let said = text(&place, "local", "read_file", json!({"path": "a.txt"}));
    assert!(said.contains("; offset is taken though no schema lists it, "), "{}", &said[..300]);
}
