//! What holds a patch to the rest: the journal, protected paths, locks, questions to a person.

use super::*;
use crate::Access;
use crate::journal::Step;

const EDIT: &str = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n+y\n";

fn label() -> Label {
    Label { tool: "patch".into(), ..Label::default() }
}

#[test]
fn a_planned_patch_is_shown_whole_and_holds_for_exactly_that() {
    let place = place();
    write(&place.root, &[("f", "x\n"), ("old", "1\n2\n3\n"), ("d/gone", "g\n"), ("run", "r\n")]);
    let diff = "diff --git a/old b/new/name\nrename from old\nrename to new/name\n--- a/old\n+++ b/new/name\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n\
        diff --git a/d/gone b/d/gone\ndeleted file mode 100644\n--- a/d/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-g\n\
        diff --git a/run b/run\nold mode 100644\nnew mode 100755\n\
        diff --git a/link b/link\nnew file mode 120000\n--- /dev/null\n+++ b/link\n@@ -0,0 +1 @@\n+f\n\\ No newline at end of file\n";
    let set = parse([EDIT, diff].concat()).unwrap();
    let before = tree(&place.root);
    let workspace = Workspace::open(&place.root, &[], Limits::default()).unwrap();
    let journal = journal(&place);
    let dry = Step::dry(&journal, &workspace, Approved::default());
    set.apply(&dry, ".", None).unwrap();
    assert_eq!(tree(&place.root), before);
    let planned = dry.planned();
    let shown = planned.show(&workspace);
    for part in [
        "-x\n+y",
        "rename old to new/name\n",
        "-2\n+two",
        "remove old\n",
        "remove d/gone\n",
        "remove empty directory d\n",
        "make run executable\n",
        "link link to f\n",
    ] {
        assert!(shown.contains(part), "{part:?} is not in:\n{shown}");
    }
    let approved = Approved { protected: Vec::new(), planned: Some(planned) };
    let step = journal.begin(&workspace, label(), approved.clone());
    set.apply(&step, ".", None).unwrap();
    step.keep().unwrap();
    assert!(place.root.join("new/name").is_file() && !place.root.join("d").exists());

    journal.turn(&workspace, Direction::Undo, None).unwrap();
    assert_eq!(tree(&place.root), before);
    let other = parse(EDIT.replace("+y", "+z")).unwrap();
    let step = journal.begin(&workspace, label(), approved);
    assert_eq!(other.apply(&step, ".", None).unwrap_err().code, Code::FileChanged);
    step.roll_back().unwrap();
    assert_eq!(tree(&place.root), before);
}

#[test]
fn a_protected_path_needs_its_leave_and_nothing_is_written_before() {
    let place = place();
    write(&place.root, &[("f", "x\n"), (".envrc", "x\n")]);
    let workspace = Workspace::open(&place.root, &[], Limits::default()).unwrap();
    let journal = journal(&place);
    let set = parse([EDIT, &EDIT.replace("/f", "/.envrc")].concat()).unwrap();
    let touches = set.touches(&workspace, ".", None).unwrap();
    let protected = journal.protected(&workspace, &touches);
    assert_eq!(protected, [place.root.join(".envrc")]);
    let step = journal.begin(&workspace, label(), Approved::default());
    assert_eq!(set.apply(&step, ".", None).unwrap_err().code, Code::ProtectedPath);
    assert_eq!(fs::read_to_string(place.root.join("f")).unwrap(), "x\n");
    drop(step);
    let step = journal.begin(&workspace, label(), Approved { protected, planned: None });
    set.apply(&step, ".", None).unwrap();
    step.keep().unwrap();
    assert_eq!(fs::read_to_string(place.root.join(".envrc")).unwrap(), "y\n");
}

#[test]
fn paths_start_at_the_folder_that_is_named_and_stay_in_its_root() {
    let place = place();
    let other = place.root.parent().unwrap().join("other");
    write(&place.root, &[("sub/f", "x\n"), ("sub/link", "-> ../f"), ("f", "x\n")]);
    write(&other, &[("f", "x\n")]);
    let more = [(other.clone(), Access::Read)];
    let workspace = Workspace::open(&place.root, &more, Limits::default()).unwrap();
    let journal = journal(&place);
    let set = parse(EDIT).unwrap();
    let step = journal.begin(&workspace, label(), Approved::default());
    assert_eq!(set.apply(&step, "sub", None).unwrap()[0].path, "f");
    assert_eq!(
        set.touches(&workspace, "sub", None).unwrap(),
        ["a/f", "b/f", "f"].map(|p| format!("sub/{p}"))[2..]
    );
    assert_eq!(fs::read_to_string(place.root.join("sub/f")).unwrap(), "y\n");
    assert_eq!(fs::read_to_string(place.root.join("f")).unwrap(), "x\n");
    // A link up to the root stays inside, one above it does not.
    let link = "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+../f\n\\ No newline at end of file\n";
    parse(link).unwrap().apply(&step, "sub", None).unwrap();
    let error = parse(link.replace("../f", "../../f")).unwrap().apply(&step, "sub", None);
    assert_eq!(error.unwrap_err().code, Code::FileExists);
    step.keep().unwrap();
    let step = journal.begin(&workspace, label(), Approved::default());
    let read_only = set.apply(&step, other.to_str().unwrap(), None).unwrap_err();
    assert_eq!(read_only.code, Code::PermissionDenied, "{read_only}");
    assert_eq!(set.apply(&step, "none", None).unwrap_err().code, Code::DirectoryNotFound);
    assert_eq!(set.apply(&step, "/etc", None).unwrap_err().code, Code::PathOutsideWorkspace);
}

#[test]
fn parts_are_taken_off_names_as_asked() {
    let place = place();
    write(&place.root, &[("f", "x\n"), ("a/f", "x\n")]);
    let workspace = Workspace::open(&place.root, &[], Limits::default()).unwrap();
    let touched = |diff: &str, strip| {
        let changes = parse(diff).unwrap().preview(&workspace, ".", Some(strip));
        changes.map(|c| c[0].path.clone()).map_err(|e| e.code)
    };
    let deep = EDIT.replace("a/f", "x/y/f").replace("b/f", "x/y/f");
    assert_eq!(touched(EDIT, 1), Ok("f".into()));
    assert_eq!(touched(&EDIT.replace("b/f", "a/f"), 0), Ok("a/f".into()));
    assert_eq!(touched(&deep, 2), Ok("f".into()));
    assert_eq!(touched(&deep, 3), Err(Code::NoValidDiff));
    let rename = "diff --git x/a/f x/a/g\nrename from a/f\nrename to a/g\n";
    assert_eq!(touched(rename, 1), Ok("a/g".into()));
    assert_eq!(touched(rename, 2), Ok("g".into()));
}

#[test]
fn a_failure_while_writing_is_rolled_back_whole() {
    let place = place();
    write(&place.root, &[("f", "x\n"), ("z", "x\n")]);
    let before = tree(&place.root);
    let workspace = Workspace::open(&place.root, &[], Limits::default()).unwrap();
    let journal = journal(&place);
    let dry = Step::dry(&journal, &workspace, Approved::default());
    parse(EDIT).unwrap().apply(&dry, ".", None).unwrap();
    // Only the first file is allowed, so that the second one fails when the first is written.
    let approved = Approved { protected: Vec::new(), planned: Some(dry.planned()) };
    let step = journal.begin(&workspace, label(), approved);
    let both = parse([EDIT, &EDIT.replace("/f", "/z")].concat()).unwrap();
    assert_eq!(both.apply(&step, ".", None).unwrap_err().code, Code::FileChanged);
    assert_eq!(fs::read_to_string(place.root.join("f")).unwrap(), "y\n");
    drop(step);
    assert_eq!(tree(&place.root), before);
}

#[test]
fn modes_links_and_owners_of_changed_files_stay() {
    let place = place();
    write(&place.root, &[("f", "x\n"), ("g", "x\n")]);
    fs::set_permissions(place.root.join("f"), fs::Permissions::from_mode(0o640)).unwrap();
    fs::set_permissions(place.root.join("g"), fs::Permissions::from_mode(0o600)).unwrap();
    let mode =
        |name: &str| fs::metadata(place.root.join(name)).unwrap().permissions().mode() & 0o777;
    let run = "diff --git a/g b/h\nold mode 100644\nnew mode 100755\nrename from g\nrename to h\n";
    apply(&place, [EDIT, run].concat().as_bytes()).unwrap();
    assert_eq!((mode("f"), mode("h")), (0o640, 0o700));
}

#[test]
fn two_patches_at_once_are_one_after_the_other() {
    let place = place();
    write(&place.root, &[("a", "0\n"), ("b", "0\n")]);
    let state = State::new(place.root.parent().unwrap().join("state"));
    let edit = |name: &str, n: usize| {
        format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-{n}\n+{}\n", n + 1)
    };
    std::thread::scope(|scope| {
        for turn in 0..2 {
            let (root, state) = (&place.root, &state);
            scope.spawn(move || {
                let workspace = Workspace::open(root, &[], Limits::default()).unwrap();
                let journal =
                    Journal::new(state.clone(), root.clone(), new_id(), false, Vec::new());
                let mut done = 0;
                while done < 10 {
                    let now = fs::read_to_string(root.join("a")).unwrap();
                    let now: usize = now.trim().parse().unwrap();
                    let names = if turn == 0 { ["a", "b"] } else { ["b", "a"] };
                    let set = parse(names.map(|name| edit(name, now)).concat()).unwrap();
                    let step = journal.begin(&workspace, label(), Approved::default());
                    match set.apply(&step, ".", None) {
                        Ok(_) => {
                            step.keep().unwrap();
                            done += 1;
                        }
                        Err(e) => assert_eq!(e.code, Code::PatchFailed, "{e}"),
                    }
                }
            });
        }
    });
    assert_eq!(fs::read_to_string(place.root.join("a")).unwrap(), "20\n");
    assert_eq!(fs::read_to_string(place.root.join("b")).unwrap(), "20\n");
}
