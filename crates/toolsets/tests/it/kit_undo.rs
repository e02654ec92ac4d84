//! `undo` of kit: its list, and what it tells first.

use fault::Code;
use toolkit::serde_json::json;

use crate::kit_run::Kit;

#[test]
fn a_long_list_goes_on_and_changes_nothing() {
    let kit = Kit::new(&[]);
    for n in 1..=45 {
        kit.ok("edit", json!({"path": format!("{n}.txt"), "new": "x\n"}));
    }
    let first = kit.ok("undo", json!({"list": true}));
    assert!(first.starts_with("45 edit: 45.txt\n"), "{first}");
    assert!(
        first.ends_with("26 edit: 26.txt\n[20 of 45; next: {\"list\":true,\"call\":25}]"),
        "{first}"
    );
    let next = kit.ok("undo", json!({"list": true, "call": 25}));
    assert!(next.starts_with("25 edit: 25.txt\n") && next.ends_with("\"call\":5}]"), "{next}");
    let last = kit.ok("undo", json!({"list": true, "call": 5}));
    assert_eq!(last.lines().count(), 5, "{last}");
    assert!(kit.at.path("25.txt").exists() && kit.at.path("5.txt").exists());
    let (_, code) = kit.call("undo", json!({"list": true, "redo": 5}));
    assert_eq!(code, Some(Code::InvalidInput));
}

#[test]
fn branches_and_protected_files_are_told_before_others() {
    let kit = Kit::new(&[]);
    let init = std::process::Command::new("git")
        .args(["init", "-q", "."])
        .current_dir(kit.at.root())
        .status();
    assert!(init.unwrap().success());
    let made = "for i in $(seq 30); do echo x > a$i; done; git add -A; \
        git -c user.name=a -c user.email=a@b commit -qm one";
    kit.ok("run", json!({"command": made}));
    let list = kit.ok("undo", json!({"list": true}));
    let branch = list.find(", branch ").or(list.find(": branch ")).expect(&list);
    assert!(branch < list.find(" a1").expect(&list), "{list}");
    let told = kit.ok("undo", json!({}));
    let branch = told.lines().position(|line| line.starts_with("branch ")).expect(&told);
    let file = told.lines().position(|line| line.starts_with("a1")).expect(&told);
    assert!(branch < file, "{told}");
}

#[test]
fn a_directory_that_holds_something_else_by_now_is_told_as_kept() {
    let kit = Kit::new(&[]);
    kit.ok("edit", json!({"path": "x/y/z.txt", "new": "z\n"}));
    kit.at.write("x/y/w.txt", "a person's");
    let told = kit.ok("undo", json!({}));
    let kept = "x: kept: not empty\nx/y: kept: not empty\nx/y/z.txt: removed";
    assert_eq!(told, format!("took back call 1 (edit)\n{kept}"));
    assert!(kit.at.path("x/y/w.txt").exists());
}

#[test]
fn a_conflict_names_all_later_calls_and_what_only_a_person_can_run() {
    let kit = Kit::new(&[("a.txt", "one\n")]);
    for (old, new) in [("one", "two"), ("two", "three"), ("three", "four")] {
        kit.ok("edit", json!({"path": "a.txt", "old": old, "new": new}));
    }
    let (text, code) = kit.call("undo", json!({"call": 1}));
    assert_eq!(code, Some(Code::UndoConflict));
    assert!(
        text.contains(
            "; first undo calls 3, 2, in this order, or ask the user to run `kitbag undo 1 --force`"
        ),
        "{text}"
    );
    assert!(text.ends_with("\nnext: undo {\"call\":3}"), "{text}");
    for call in [3, 2, 1] {
        kit.ok("undo", json!({"call": call}));
    }
    assert_eq!(kit.at.read("a.txt"), "one\n");
    kit.ok("edit", json!({"path": "a.txt", "old": "one", "new": "two"}));
    kit.at.write("a.txt", "a person's\n");
    let (text, _) = kit.call("undo", json!({}));
    assert!(
        text.contains("changed since: a.txt; ask the user to run `kitbag undo 4 --force`"),
        "{text}"
    );
}
