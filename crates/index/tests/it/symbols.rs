//! Definitions and uses by name.

use fault::{Cancel, Code};
use index::Named;
use syntax::{Family, Kind, Role};

use super::Project;

fn names(
    project: &Project,
    name: &str,
    dir: &str,
    family: Option<Family>,
) -> Vec<(String, String)> {
    let named = Named { name, dir, family, max: 100 };
    let places = project.index().find_symbol(&project.workspace(), &named, &Cancel::default());
    let places = places.unwrap();
    assert_eq!(places.total, places.found.len());
    places.found.iter().map(|p| (p.shown.to_string(), p.what.name.clone())).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
}

#[test]
fn a_name_with_its_container_finds_that_one() {
    let project = Project::new(&[
        ("a.rs", "struct Journal;\nimpl Journal { fn undo() {} }\nfn undo() {}\n"),
        (
            "b.py",
            "class Stock:\n    def take(self): pass\n\nclass Bag:\n    def take(self): pass\n",
        ),
    ]);
    let lines = |name: &str| {
        let named = Named { name, dir: ".", family: None, max: 100 };
        let found = project.index().find_symbol(&project.workspace(), &named, &Cancel::default());
        found.unwrap().found.iter().map(|p| (p.shown.to_string(), p.what.line)).collect::<Vec<_>>()
    };
    assert_eq!(lines("Journal::undo"), [("a.rs".to_owned(), 2)]);
    assert_eq!(lines("Stock.take"), [("b.py".to_owned(), 2)]);
    assert_eq!(lines("stock.Bag.take"), [("b.py".to_owned(), 5)]);
    assert_eq!(lines("take").len(), 2);
    assert!(lines("Other.take").is_empty());
}

#[test]
fn exact_names_come_before_other_case_and_before_beginnings() {
    let project = Project::new(&[
        ("a.rs", "struct Parser;\nfn parser() {}\nfn parser_new() {}\n"),
        ("b.ts", "class Parser {}\nconst note = 'Parser';\n"),
    ]);
    assert_eq!(
        names(&project, "Parser", ".", None),
        pairs(&[("a.rs", "Parser"), ("b.ts", "Parser")])
    );
    assert_eq!(names(&project, "parser", ".", None), pairs(&[("a.rs", "parser")]));
    assert_eq!(names(&project, "PARSER_NEW", ".", None), pairs(&[("a.rs", "parser_new")]));
    assert_eq!(names(&project, "pars", "b.ts", None), pairs(&[("b.ts", "Parser")]));
    assert_eq!(names(&project, "arser", ".", None), []);
}

#[test]
fn a_kind_is_a_filter() {
    let project =
        Project::new(&[("a.ts", "interface Shape {}\nfunction shape() {}\nconst SHAPE = 1;\n")]);
    let found = |family| names(&project, "shape", ".", Some(family));
    assert_eq!(found(Family::Function), pairs(&[("a.ts", "shape")]));
    assert_eq!(found(Family::Interface), pairs(&[("a.ts", "Shape")]));
    assert_eq!(found(Family::Class), []);
}

#[test]
fn uses_have_their_role_and_comments_are_none() {
    let project = Project::new(&[
        ("a.py", "def load(path):\n    return path  # load\n"),
        ("b.py", "from a import load\nx = load('load')\nreload = load\n"),
    ]);
    let index = project.index();
    let found =
        |dir| index.find_references(&project.workspace(), "load", dir, 100, &Cancel::default());
    let places = found(".").unwrap();
    let uses: Vec<_> = places
        .found
        .iter()
        .map(|at| (&*at.shown, at.what.line, at.what.column, at.what.role))
        .collect();
    assert_eq!(
        uses,
        [
            ("a.py", 1, 5, Role::Definition),
            ("b.py", 1, 15, Role::Import),
            ("b.py", 2, 5, Role::Call),
            ("b.py", 3, 10, Role::Other),
        ]
    );
    assert_eq!(places.found[2].what.text, "x = load('load')");
    assert_eq!(found("a.py").unwrap().total, 1);
    project.put("a.py", "def other():\n    pass\n");
    assert_eq!(found(".").unwrap().total, 3, "an edit is seen at once");
}

#[test]
fn files_that_are_not_read_are_named() {
    let long = format!("def apple(): pass\n{}", "x = 1\n".repeat(300_000));
    let project = Project::new(&[("long.py", &long), ("a.py", "def apple(): pass\n")]);
    let named = Named { name: "apple", dir: ".", family: None, max: 9 };
    let places =
        project.index().find_symbol(&project.workspace(), &named, &Cancel::default()).unwrap();
    assert_eq!(places.total, 1);
    assert!(places.note.unwrap().contains("1 too large or too hard to parse: long.py"));
}

#[test]
fn symbols_of_a_file_are_listed_with_their_lines() {
    let project = Project::new(&[
        ("a.rs", "struct A;\n\nimpl A {\n    fn new() -> A { A }\n}\n"),
        ("data.xyz", "no language\n"),
        ("bin.rs", "fn \0\0"),
    ]);
    let index = project.index();
    let list = |path| index.list_symbols(&project.workspace(), path, &Cancel::default());
    let listed = list("a.rs").unwrap();
    let symbols: Vec<_> =
        listed.symbols.iter().map(|(s, line)| (&*s.name, s.kind, s.line, &**line)).collect();
    assert_eq!(
        symbols,
        [("A", Kind::Struct, 1, "struct A;"), ("new", Kind::Method, 4, "    fn new() -> A { A }")]
    );
    assert_eq!(list("data.xyz").unwrap_err().code, Code::InvalidInput);
    assert_eq!(list("bin.rs").unwrap_err().code, Code::BinaryFile);
    assert_eq!(list("b.rs").unwrap_err().code, Code::FileNotFound);
    assert_eq!(list(".").unwrap_err().code, Code::IsDirectory);
}
