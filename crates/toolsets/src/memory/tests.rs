//! Memory through its door, in real directories.

#![expect(clippy::disallowed_methods, reason = "tests look at the real files")]

use std::fs;

use fault::Cancel;
use files::journal::{Approved, Journal, Label, Step, new_id};
use files::{Limits, State, Workspace};

use super::{Entry, entries, recall, remove, save};

struct Place(tempfile::TempDir);

impl Place {
    fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = dir.path().join("root").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fs::create_dir_all(dir.path().join("root")).unwrap();
        Self(dir)
    }

    fn workspace(&self) -> Workspace {
        Workspace::open(&self.0.path().join("root"), &[], Limits::default()).unwrap()
    }

    fn save(&self, title: &str, content: &str) -> fault::Result<()> {
        self.change(|step| save(step, title, content, "2026-01-31 09:30"))
    }

    fn remove(&self, title: &str) {
        self.change(|step| remove(step, super::FILE, title)).unwrap();
    }

    fn change(&self, change: impl FnOnce(&Step<'_>) -> fault::Result<()>) -> fault::Result<()> {
        let workspace = self.workspace();
        let state = State::new(self.0.path().join("state"));
        let journal = Journal::new(state, workspace.root().to_owned(), new_id(), false, Vec::new());
        let label = Label { tool: "test".into(), ..Label::default() };
        let step = journal.begin(&workspace, label, Approved::default());
        change(&step)?;
        step.keep().map(drop)
    }

    fn text(&self) -> String {
        fs::read_to_string(self.0.path().join("root/MEMORY.md")).unwrap()
    }

    fn recall(&self, query: &str) -> Vec<super::Recalled> {
        recall(&self.workspace(), query, &Cancel::default()).unwrap().0
    }

    fn entries(&self) -> Vec<Entry> {
        entries(&self.workspace(), &Cancel::default()).unwrap().0
    }
}

#[test]
fn what_was_saved_is_read_back_to_the_letter() {
    let place = Place::new(&[("MEMORY.md", "# Memory\n\nby hand, no line break at its end")]);
    let values = [
        "plain",
        "### not a heading\n_2026-01-01 10:00_\ntext",
        "\\### a backslash before it\n\\\\### two",
        "```\n### in a fence\n```\nafter\n~~~",
        "# a heading\n## and one\n```sh\n# a comment\n\\# x\n### y\n```\n\\# z\n\\```\n# last",
        "ünïcode\n\n  indented",
    ];
    for (n, value) in values.iter().enumerate() {
        place.save(&format!("key {n}"), value).unwrap();
    }
    let read = place.entries();
    let pairs: Vec<(&str, &str)> =
        read.iter().map(|e| (e.title.as_str(), e.content.as_str())).collect();
    for (n, value) in values.iter().enumerate() {
        assert!(pairs.contains(&(&format!("key {n}"), value)), "{value:?} not in {pairs:?}");
    }
    assert_eq!(read.len(), values.len());
    assert!(read.iter().all(|e| e.saved == "2026-01-31 09:30"));
    assert!(place.save("a\nb", "x").is_err() && place.save("  ", "x").is_err());
}

#[test]
fn a_folder_of_the_original_is_understood() {
    let place = Place::new(&[
        (
            "MEMORY.md",
            "# Memory\n\n### Client\n_2025-11-01 08:15_\nAlpha pays late\n\n### Tools\nuse just\n",
        ),
        ("memory/2025/day.md", "### Standup\nblocked by Alpha\n"),
        ("memory/loose.md", "Alpha Alpha Alpha without a heading\n"),
        ("memory/.gitignore", "*\n"),
        ("memory/bad.md", "\u{0}binary"),
    ]);
    let titles: Vec<String> = place.entries().into_iter().map(|e| e.title).collect();
    assert_eq!(titles, ["Client", "Tools", "Standup", "memory/loose.md"]);
    let (_, unread) = entries(&place.workspace(), &Cancel::default()).unwrap();
    assert!(unread.len() == 1 && unread[0].starts_with("memory/bad.md: a binary"), "{unread:?}");
    let found = place.recall("client alpha");
    let files: Vec<&str> = found.iter().map(|it| it.file.as_str()).collect();
    assert_eq!(files, ["MEMORY.md", "memory/2025/day.md", "memory/loose.md"]);
    assert_eq!(found[0].entries[0].title, "Client");
    assert!(place.recall("nowhere").is_empty());
}

#[test]
fn what_stands_above_the_first_heading_is_found_and_not_listed() {
    let place = Place::new(&[("MEMORY.md", "# Memory\n\nThe zebra is ours.\n\n### Key\nvalue\n")]);
    let found = place.recall("zebra");
    assert_eq!(found[0].entries[0].title, "MEMORY.md");
    assert_eq!(place.entries().len(), 1);
}

#[test]
fn a_memory_that_cannot_be_read_does_not_hide_the_others() {
    let place = Place::new(&[("memory/a.md", "zebra\n")]);
    std::os::unix::fs::symlink("/etc/passwd", place.0.path().join("root/MEMORY.md")).unwrap();
    let (found, unread) = recall(&place.workspace(), "zebra", &Cancel::default()).unwrap();
    assert_eq!(found[0].file, "memory/a.md");
    assert!(unread[0].starts_with("MEMORY.md: outside"), "{unread:?}");
}

#[test]
fn many_writers_lose_no_entry() {
    let place = Place::new(&[]);
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let place = &place;
            scope.spawn(move || {
                (0..10).for_each(|n| place.save(&format!("{writer} {n}"), "text").unwrap());
            });
        }
    });
    assert_eq!(place.entries().len(), 40);
}

#[test]
fn what_a_person_wrote_under_a_heading_of_its_own_is_no_part_of_the_entry_above() {
    let text =
        "# Top\n\n### keep\nimportant\n```sh\n# comment\n```\n\n## Section\ntext\n\n### other\nx\n";
    let place = Place::new(&[("MEMORY.md", text)]);
    assert_eq!(place.entries()[0].content, "important\n```sh\n# comment\n```");
    assert_eq!(place.recall("text")[0].entries[0].content, "## Section\ntext");
    place.remove("keep");
    assert_eq!(place.text(), "# Top\n\n## Section\ntext\n\n### other\nx\n");
    place.remove("other");
    place.save("other", "y").unwrap();
    place.remove("other");
    assert_eq!(place.text(), "# Top\n\n## Section\ntext\n");
}
