//! Definitions from the index of a watched root: what a look at every file says, whatever changes.

use std::time::{Duration, Instant};

use fault::Cancel;
use files::{Limits, State, Workspace};
use index::{Answer, Index, Located, Named, Places, Search};
use syntax::{Family, Symbol};

use super::Project;

/// An index of a watched root.
struct Watched {
    project: Project,
    index: Index,
    workspace: Workspace,
}

impl Watched {
    fn new(project: Project) -> Self {
        Self::bounded(project, Limits::default().index_files)
    }

    /// In a root of more files than so many, questions are answered by the indexes.
    fn bounded(project: Project, index_files: usize) -> Self {
        let limits = Limits {
            words_root_files: 1,
            words_changed_files: 4,
            index_files,
            ..Limits::default()
        };
        let (index, workspace) = (project.index(), project.bounded(limits));
        workspace.watch(&State::new(project.state()), Some(index.digest()));
        Self { project, index, workspace }
    }

    /// Until there was time for all.
    fn find(&self, name: &str, dir: &str, family: Option<Family>) -> Places<Symbol> {
        let until = Instant::now() + Duration::from_secs(120);
        loop {
            let places = find(&self.index, &self.workspace, name, dir, family);
            let left = places.note.as_ref().is_some_and(|note| note.contains("that may hold"));
            if !left {
                return places;
            }
            assert!(Instant::now() < until, "{places:?}");
        }
    }

    /// Until so many files have a digest.
    fn covered(&self, files: usize) {
        let until = Instant::now() + Duration::from_secs(120);
        let wanted = format!("index of definitions: {files} files");
        while !self.workspace.watched().unwrap().contains(&wanted) {
            assert!(Instant::now() < until, "{:?}", self.workspace.watched());
            self.find("alpha", ".", None);
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Whoever looks at every file must find the same.
    fn compare(&self, what: &str) {
        let (index, fresh) = (self.project.index(), self.project.workspace());
        for name in ["alpha", "ALPHA", "alph", "Beta", "Beta.alpha", "gamma", "gone", "ab", "x"] {
            for dir in [".", "src"] {
                for family in [None, Some(Family::Function)] {
                    let (known, looked) =
                        (self.find(name, dir, family), find(&index, &fresh, name, dir, family));
                    assert_eq!(known.found, looked.found, "{what}: {name} in {dir}, {family:?}");
                    assert_eq!(known.total, looked.total);
                    if known.found.is_empty() {
                        assert_eq!(known.note, looked.note, "{what}: {name} in {dir}, {family:?}");
                    }
                }
            }
        }
    }
}

fn find(
    index: &Index,
    workspace: &Workspace,
    name: &str,
    dir: &str,
    family: Option<Family>,
) -> Places<Symbol> {
    let named = Named { name, dir, family, max: 50 };
    index.find_symbol(workspace, &named, &Cancel::default()).unwrap()
}

fn sources() -> Project {
    let project = Project::new(&[
        ("a.rs", "fn alpha() {}\nfn alpha_two() {}\nconst ALPHA: u8 = 1;\n"),
        ("src/b.py", "class Beta:\n    def alpha(self): pass\n\nab = 1\n"),
        ("src/c.c", "int gamma(void) { return alpha(); }\n#define ALPHA_MAX 3\nint x;\n"),
        ("src/run", "#!/bin/sh\nalpha() { echo alpha; }\n"),
        ("src/cast.cpp", "struct Beta { operator bool() const; ~Beta(); };\n"),
        ("notes.txt", "fn alpha() {}\n"),
        ("src/long.h", &format!("int alpha_long;\n{}", "int y;\n".repeat(200_000))),
        (".gitignore", "out\n"),
        ("out/d.rs", "fn alpha() {}\n"),
    ]);
    project.put("latin.py", b"# caf\xe9\ndef alpha():\n    pass\n");
    project.put("blob.c", b"int alpha;\0\0");
    project
}

#[test]
fn the_index_of_definitions_says_what_the_files_say() {
    let watched = Watched::new(sources());
    watched.compare("before there is an index");
    watched.covered(10);
    watched.compare("from the index");
    let all: Vec<Located<Symbol>> = watched.find("alpha", ".", None).found;
    assert_eq!(
        all.iter().map(|at| &*at.shown).collect::<Vec<_>>(),
        ["a.rs", "latin.py", "src/b.py", "src/run"]
    );
    assert!(watched.find("gone", ".", None).note.unwrap().contains("1 ignored file"));
}

#[test]
fn changed_files_are_read_until_the_index_knows_them() {
    let watched = Watched::new(sources());
    watched.covered(10);
    let project = &watched.project;
    project.put("a.rs", "fn gamma() {}\n");
    watched.compare("one file changed");
    std::fs::remove_file(project.root().join("src/b.py")).unwrap();
    watched.compare("one file is gone");
    std::fs::rename(project.root().join("src/c.c"), project.root().join("e.c")).unwrap();
    watched.compare("one file was moved");
    project.put(".gitignore", "latin.py\n");
    watched.compare("other files are ignored");
    for number in 0..20 {
        project.put(
            &format!("src/new/{number}.rs"),
            format!("fn alpha{number}() {{}}\nfn alpha() {{}}\n"),
        );
    }
    watched.compare("many files are new");
    watched.covered(29);
    watched.compare("the index knows them");
}

#[test]
fn another_server_begins_with_what_one_has_read() {
    let watched = Watched::new(sources());
    watched.covered(10);
    let Watched { project, .. } = watched;
    project.put("a.rs", "fn gamma() {}\n");
    let next = Watched::new(project);
    let until = Instant::now() + Duration::from_secs(120);
    // One file changed, and so few are not read again.
    while !next.workspace.watched().unwrap().contains("index of definitions: 9 files") {
        assert!(Instant::now() < until, "{:?}", next.workspace.watched());
        next.find("alpha", ".", None);
        std::thread::sleep(Duration::from_millis(5));
    }
    next.compare("by the next server");
}

fn ask(watched: &Watched, query: &str, dir: &str) -> Answer {
    let search = Search { query, dir, tests: false, docs: false, max: 5 };
    watched.index.search(&watched.workspace, &search, &Cancel::default()).unwrap()
}

#[test]
fn a_root_too_large_to_be_read_is_ranked_by_its_indexes() {
    let project = Project::new(&[
        ("Documentation/sched.yaml", "the scheduler picks the next task\n"),
        (
            "kernel/sched/core.c",
            "/* Who runs next. */\nint pick_next_task(void)\n{\n\treturn 1;\n}\n",
        ),
        ("tests/sched.c", "int test_pick_next_task(void) { return 0; }\n"),
        ("README.md", "The scheduler picks the next task.\n"),
        ("data.dts", "scheduler next task pick\n"),
    ]);
    for number in 0..60 {
        let text = format!("int next_{number}(void) {{ return {number}; }}\n/* task */\n");
        project.put(&format!("arch/{number}.c"), text);
    }
    let watched = Watched::bounded(project, 10);
    watched.covered(65);
    let question = "how does the scheduler pick the next task";
    let answer = ask(&watched, question, ".");
    assert_eq!(answer.hits[0].shown, "kernel/sched/core.c", "{answer:?}");
    assert_eq!((answer.hits[0].lines, &*answer.hits[0].name), ((1, 5), "pick_next_task"));
    let shown: Vec<_> = answer.hits.iter().map(|hit| &*hit.shown).collect();
    let left_out = ["tests/sched.c", "README.md", "Documentation/sched.yaml"];
    assert!(left_out.iter().all(|path| !shown.contains(path)), "{shown:?}");
    let note = answer.note.unwrap();
    assert!(note.contains("ranked are the 24 files") && note.contains("of 65"), "{note}");
    // An edit is seen at once.
    watched.project.put("mm/new.c", "int choose_zebra_crossing(void)\n{\n\treturn 2;\n}\n");
    assert_eq!(ask(&watched, "choose a zebra crossing", ".").hits[0].shown, "mm/new.c");
    let inside = ask(&watched, question, "arch");
    assert!(inside.hits.iter().all(|hit| hit.shown.starts_with("arch/")), "{inside:?}");
    assert!(!inside.hits.is_empty());
}
