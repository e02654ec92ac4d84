//! A server killed in the middle of a patch: the next one finds all of it or nothing.

use std::time::Duration;

use super::*;

const CHILD: &str = "KITBAG_TEST_PATCHES_IN";

/// There and back again: edits, a rename, a deletion, a new file and a link.
fn diffs() -> [String; 2] {
    let edits = |from: u8, to: u8| -> String {
        let one = |n| format!("--- a/f{n}\n+++ b/f{n}\n@@ -1 +1 @@\n-{from}\n+{to}\n");
        (0..12).map(one).collect()
    };
    let rename = |from: &str, to: &str| {
        format!("diff --git a/{from} b/{to}\nrename from {from}\nrename to {to}\n")
    };
    let new = |name: &str| format!("--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+x\n");
    let gone = |name: &str| format!("--- a/{name}\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n");
    let link = |sign: &str, word: &str, place: &str| {
        let (old, new) = if sign == "+" { ("/dev/null", "b/l") } else { ("a/l", "/dev/null") };
        format!(
            "diff --git a/l b/l\n{word} file mode 120000\n--- {old}\n+++ {new}\n@@ {place} @@\n{sign}f1\n\\ No newline at end of file\n"
        )
    };
    [
        [
            edits(0, 1),
            rename("old", "deep/er/new"),
            gone("d/x"),
            new("c"),
            link("+", "new", "-0,0 +1"),
        ],
        [
            edits(1, 0),
            rename("deep/er/new", "old"),
            new("d/x"),
            gone("c"),
            link("-", "deleted", "-1 +0,0"),
        ],
    ]
    .map(|parts| parts.concat())
}

fn lay(root: &Path) {
    let files: Vec<String> = (0..12).map(|n| format!("f{n}")).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|name| (name.as_str(), "0\n")).collect();
    write(root, &files);
    write(root, &[("old", "moves\n"), ("d/x", "x\n")]);
}

/// The child: applies one after the other until it is killed.
fn for_ever(root: PathBuf) {
    let workspace = Workspace::open(&root, &[], Limits::default()).unwrap();
    let state = State::new(root.parent().unwrap().join("state"));
    let journal = Journal::new(state, root, new_id(), false, Vec::new());
    for diff in diffs().iter().cycle() {
        let label = Label { tool: "patch".into(), ..Label::default() };
        let step = journal.begin(&workspace, label, Approved::default());
        parse(diff).unwrap().apply(&step, ".", None).unwrap();
        step.keep().unwrap();
    }
}

#[test]
fn a_patch_is_there_whole_or_not_at_all_after_a_kill() {
    if let Some(root) = std::env::var_os(CHILD) {
        return for_ever(root.into());
    }
    let [forth, _] = diffs();
    for round in 0..8 {
        let (ours, wanted) = (place(), place());
        lay(&ours.root);
        lay(&wanted.root);
        let before = tree(&wanted.root);
        apply(&wanted, forth.as_bytes()).unwrap();
        let after = tree(&wanted.root);
        let name = "patch::tests::killed::a_patch_is_there_whole_or_not_at_all_after_a_kill";
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([name, "--exact"])
            .env(CHILD, &ours.root)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let started = std::time::Instant::now();
        while fs::read(ours.root.join("f0")).is_ok_and(|f0| f0 == b"0\n")
            && started.elapsed() < Duration::from_secs(60)
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(round * 11));
        child.kill().unwrap();
        child.wait().unwrap();
        let workspace = Workspace::open(&ours.root, &[], Limits::default()).unwrap();
        let journal = journal(&ours);
        journal.log(&workspace, 1).unwrap(); // opening it sets things right
        let now = tree(&ours.root);
        assert!(now == before || now == after, "neither old nor new: {now:?}");
    }
}
