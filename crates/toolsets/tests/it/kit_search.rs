//! `search` of kit: one question, what was found by file, and what to try where nothing is.

use fault::Code;
use toolkit::serde_json::json;

use crate::kit_run::Kit;

#[test]
fn pages_follow_each_other_and_show_every_place_once() {
    let long: String = (1..=130).map(|n| format!("value {n}\n")).collect();
    let kit = Kit::new(&[("b.rs", &long), ("a.md", "value in words\n"), ("tests/t.rs", "value\n")]);
    let (mut offset, mut all, mut pages) = (1, Vec::new(), 0);
    loop {
        let text = kit.ok("search", json!({"query": "value", "offset": offset}));
        let (shown, cut) = match text.rsplit_once("\n[") {
            Some((shown, cut)) => (shown.to_owned(), Some(cut.to_owned())),
            None => (text, None),
        };
        pages += 1;
        all.extend(shown.lines().filter(|line| line.contains(": ")).map(str::to_owned));
        let Some(cut) = cut else { break };
        assert!(cut.contains(" of 132; next: {\"offset\": "), "{cut}");
        offset = cut.split("offset\": ").nth(1).unwrap().trim_end_matches("}]").parse().unwrap();
    }
    assert_eq!((pages, all.len()), (3, 132));
    assert_eq!(all[129..], ["130: value 130", "1: value", "1: value in words"], "code first");
    let text = kit.ok("search", json!({"query": "value", "offset": 500}));
    assert_eq!(text, "[0 of 132; offset 500 is past the end]");
}

#[test]
fn a_page_that_is_full_in_the_midst_of_a_file_goes_on_there() {
    let long: String = (1..=900).map(|n| format!("value {n} {}\n", "x".repeat(60))).collect();
    let kit = Kit::new(&[("a.rs", &long), ("b.rs", "value\n")]);
    let first = kit.ok("search", json!({"query": "value", "limit": 1000}));
    let (lines, next) = first.rsplit_once("\n[").unwrap();
    assert!(!lines.contains("b.rs"), "{lines}");
    let shown = lines.lines().count() - 1;
    assert_eq!(next, format!("{shown} of 901; next: {{\"offset\": {}}}]", shown + 1));
}

#[test]
fn lines_around_are_shown_once_and_gaps_are_marked() {
    let kit = Kit::new(&[("a.txt", "1\nx\n3\nx\n5\n6\n7\n8\nx\n")]);
    let text = kit.ok("search", json!({"query": "x", "context": 1}));
    assert_eq!(text, "a.txt\n1- 1\n2: x\n3- 3\n4: x\n5- 5\n--\n8- 8\n9: x");
}

#[test]
fn a_match_over_lines_is_one_place_with_all_its_lines() {
    let long = format!("start\n{}end\n", "x\n".repeat(40));
    let kit =
        Kit::new(&[("a.rs", "struct A {\n    b: u8,\n}\nlet a = A {\n};\n"), ("b.txt", &long)]);
    let ok = |input| kit.ok("search", input);
    let a = "a.rs\n1: struct A {\n2:     b: u8,";
    assert_eq!(ok(json!({"query": r"A \{\s+b: \w+", "mode": "multiline"})), a);
    // A line break cannot be meant otherwise.
    assert_eq!(ok(json!({"query": r"A \{\n +b", "mode": "regex"})), a);
    assert_eq!(ok(json!({"query": "A {\n    b: u8"})), a);
    assert_eq!(
        ok(json!({"query": r"\{[^}]*\}", "mode": "multiline", "count": true})),
        "a.rs: 2\n2 in 1 file"
    );
    let nothing = ok(json!({"query": r"u8[^;]+let", "mode": "regex"}));
    assert!(nothing.contains(r#"{"mode": "multiline"} finds 1"#), "{nothing}");
    let cut = ok(json!({"query": "(?s)start.*end", "mode": "multiline"}));
    assert!(
        cut.starts_with("b.txt\n1: start\n2: x\n") && cut.ends_with("\n21- … up to line 42"),
        "{cut}"
    );
}

#[test]
fn a_search_that_finds_nothing_names_the_one_that_does() {
    let kit = Kit::new(&[
        ("src/stock.rs", "pub struct Stock;\nimpl Stock { pub fn take(&self) {} }\n// total\n"),
        ("docs/x.md", "Total of all\n"),
        (".gitignore", "*.log\n"),
        ("a.log", "hidden\n"),
    ]);
    for (input, says) in [
        (json!({"query": "Stok"}), "near: Stock"),
        (json!({"query": "Stok", "mode": "symbols"}), "no definition of Stok; near: Stock"),
        (json!({"query": "TOTAL"}), r#"{"query":"total","case":false} finds 2"#),
        (
            json!({"query": "total", "case": true, "path": "docs"}),
            "without path and glob it finds 1",
        ),
        (json!({"query": "fn.*take"}), r#"{"mode": "regex"} finds 1"#),
        (json!({"query": "stock.rs"}), r#"{"mode": "files"} finds 1"#),
        (json!({"query": "total", "mode": "refs"}), r#"{"mode": "text"} finds 2"#),
        (json!({"query": "hidden"}), "skipped 1 ignored file"),
        (json!({"query": "where is zzz"}), r#"{"mode": "meaning"} takes a question"#),
        (json!({"query": "zzz.q", "mode": "files"}), r#"read {"path": "."} lists the root"#),
    ] {
        let text = kit.ok("search", input.clone());
        assert!(text.starts_with("no ") && text.contains(says), "{input}: {text}");
    }
    let text = kit.ok("search", json!({"query": "total"}));
    assert_eq!(text, "src/stock.rs\n3: // total\ndocs/x.md\n1: Total of all");
}

#[test]
fn modes_take_path_and_glob_and_count() {
    let kit = Kit::new(&[
        ("a/one.py", "def load():\n    pass\n\n\ndef other():\n    load()\n"),
        ("a/two.js", "function load() { load(); load() }\n"),
        ("b/three.py", "import one\none.load()\n"),
    ]);
    let ok = |input| kit.ok("search", input);
    let refs = |more: toolkit::serde_json::Value| {
        let mut input = json!({"query": "load", "mode": "refs"});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        kit.ok("search", input)
    };
    assert_eq!(refs(json!({"path": "b"})), "b/three.py\n2: one.load()");
    assert_eq!(refs(json!({"glob": "*.js", "count": true})), "a/two.js: 3\n3 in 1 file");
    assert_eq!(
        refs(json!({"path": "a/two.js"})),
        "a/two.js\n1: function load() { load(); load() } [definition]\n1: function load() { load(); load() }"
    );
    assert_eq!(
        ok(json!({"query": "load", "mode": "symbols", "glob": "a/*.py"})),
        "a/one.py\n1-2: def load()"
    );
    assert_eq!(ok(json!({"query": "*.py", "mode": "files"})), "a/one.py\nb/three.py");
    assert_eq!(ok(json!({"query": "three", "mode": "files"})), "b/three.py");
    assert_eq!(ok(json!({"query": "py", "mode": "files", "count": true})), "2 files");
    let (text, code) = kit.call("search", json!({"query": "x", "path": "c"}));
    assert!(code == Some(Code::DirectoryNotFound), "{text}");
    let (text, code) = kit.call("search", json!({"query": "ab", "mode": "meaning"}));
    assert!(code == Some(Code::QueryTooShort), "{text}");
}

#[test]
fn a_glob_that_begins_with_an_exclamation_mark_leaves_out() {
    let kit = Kit::new(&[("a.rs", "value\n"), ("tests/t.rs", "value\n"), ("b.md", "value\n")]);
    let found = |glob| kit.ok("search", json!({"query": "value", "glob": glob}));
    assert_eq!(found("!tests/**"), "a.rs\n1: value\nb.md\n1: value");
    assert_eq!(found("!*.md"), "a.rs\n1: value\ntests/t.rs\n1: value");
    let names = kit.ok("search", json!({"query": "t", "mode": "files", "glob": "!*.rs"}));
    assert!(!names.contains("t.rs"), "{names}");
}

#[test]
fn lines_that_were_found_are_not_changed_by_number_once_they_moved() {
    let kit = Kit::new(&[("a.txt", "one\ntwo\nthree\n")]);
    kit.ok("search", json!({"query": "two"}));
    kit.at.write("a.txt", "zero\none\ntwo\nthree\n");
    let (text, code) = kit.call("edit", json!({"path": "a.txt", "lines": "2", "new": "2"}));
    assert_eq!(code, Some(Code::FileChanged), "{text}");
    kit.ok("search", json!({"query": "two"}));
    kit.ok("edit", json!({"path": "a.txt", "lines": "3", "new": "2"}));
    assert_eq!(kit.at.read("a.txt"), "zero\none\n2\nthree\n");
}

#[test]
fn the_hint_of_files_obeys_the_glob_and_the_directory() {
    let kit = Kit::new(&[("stock.py", "x\n"), ("d/stock.txt", "x\n"), ("d/y.py", "x\n")]);
    let hint = |input| kit.ok("search", input).contains(r#"{"mode": "files"}"#);
    assert!(hint(json!({"query": "stock", "glob": "*.py"})));
    assert!(!hint(json!({"query": "stock", "glob": "*.py", "path": "d"})));
    assert!(!hint(json!({"query": "stock", "glob": "*.rs"})));
}

#[test]
fn a_name_is_found_as_its_declaration_is_written() {
    let stock = "class Stock:\n    def take(self):\n        return 1\n\nclass Box:\n    def take(self):\n        return 2\n";
    let kit = Kit::new(&[
        ("stock.py", stock),
        ("shop.py", "import stock\n\nstock.Stock().take()\n"),
        ("till.py", "def pay(take):\n    return take + 1\n\n\npay(take=2)\n"),
        ("vendor/lib.py", "def vendored():\n    return 1\n"),
    ]);
    let search = |query: &str, mode: &str| kit.ok("search", json!({"query": query, "mode": mode}));
    for query in ["class Stock", "class Stock:", "Stock()", "export class Stock {"] {
        assert!(search(query, "symbols").contains("1-3: class Stock"), "{query}");
        assert!(search(query, "refs").contains("3: stock.Stock().take()"), "{query}");
        let read = kit.ok("read", json!({"path": format!("#{query}"), "again": true}));
        assert!(read.contains("1\tclass Stock:\n"), "{query}: {read}");
    }
    let uses = search("Stock.take", "refs");
    assert!(uses.starts_with("(every `take`, also of others than `Stock`; skipped"), "{uses}");
    assert!(uses.contains("3: stock.Stock().take()") && uses.contains("[definition]"), "{uses}");
    assert!(!uses.contains("till.py"), "{uses}");
    assert!(search("Stock.tkae", "refs").starts_with("no use of Stock.tkae"));
    assert!(search("Shop.take", "refs").starts_with("no use of Shop.take"));
    // Where it may be is said, and no call is advised that finds nothing either.
    let (text, _) = kit.call("read", json!({"path": "#vendored"}));
    assert!(text.contains("(vendor; name one") && !text.contains("next: "), "{text}");
    kit.ok("read", json!({"path": "vendor#vendored"}));
}

#[test]
fn a_path_that_is_not_there_names_the_one_file_that_it_may_be() {
    let kit = Kit::new(&[("shop/cart.py", "a\n"), ("shop/a.txt", "a\n"), ("b/a.txt", "b\n")]);
    for (path, says) in [
        ("cart.py", "cart.py: no such file; did you mean shop/cart.py?"),
        ("a.txt", "a.txt: no such file; list"),
        ("shop/a.py", "shop/a.py: no such file; list"),
        ("shop/crat.py", "shop/crat.py: no such file; did you mean shop/cart.py?"),
        ("*.py", "*.py: no such file; list"),
    ] {
        let (text, _) = kit.call("read", json!({"path": path}));
        assert!(text.contains(says), "{text}");
    }
}

#[test]
fn more_definitions_of_a_name_in_one_file_are_told_by_what_they_are_in() {
    let class = |n: usize| format!("class C{n}:\n    def run(self):\n        return {n}\n\n");
    let kit = Kit::new(&[("run.py", &(0..12).map(class).collect::<String>())]);
    let text = kit.ok("read", json!({"path": "run.py#run"}));
    assert!(text.contains("(2 more of this name; say what it is in"), "{text}");
    assert!(kit.ok("read", json!({"path": "run.py#C11.run"})).contains("return 11"));
}
