//! What undo says that it does not cover, and what it leaves where it is because it is somebody else's.

use serde_json::json;

use crate::place::{Place, skipped};

fn repository(files: &[(&str, &str)], more: &[&str]) -> Place {
    let place = Place::with(files);
    place.git(&[&["init", "-qb", "main"], more].concat());
    place.git(&["config", "user.name", "A"]);
    place.git(&["config", "user.email", "a@example.org"]);
    place.git(&["add", "."]);
    place.git(&["commit", "-qm", "first"]);
    place
}

fn run(place: &Place, script: &str) {
    place.ok(&["call", "bash", &format!("command={script}"), "--policy", "trust"]);
}

/// Whether the newest call has a path; without a layer most are in no call.
fn has(place: &Place, path: &str) -> bool {
    place.log()[0]["changes"].to_string().contains(path)
}

#[test]
fn what_an_ignored_directory_lost_is_not_said_to_be_back() {
    let files = [(".gitignore", "data/\nbuild/\n.env\n"), (".env", "1\n"), ("build/out", "1\n")];
    let place = repository(&files, &[]);
    place.write("data/x", "1\n");
    run(&place, "rm -rf data");
    if !has(&place, "data") {
        return skipped("without a layer ignored directories are not looked at");
    }
    let not_covered = "data: brought back, empty\n  not covered, since git ignores it: data/\n";
    for words in [&["undo", "--dry-run"][..], &["undo"]] {
        let said = place.ok(words);
        assert!(said.ends_with(not_covered), "{said}");
    }
    assert!(place.has("data") && !place.has("data/x"));
    // What a call did beside what is covered.
    place.write("data/deep/x", "1\n");
    run(&place, "echo 2 > .env; echo 2 > build/out; echo 2 > data/deep/x");
    let said = place.ok(&["undo"]);
    assert!(said.contains(".env: as it was before\n"), "{said}");
    assert!(said.contains("not covered, since git ignores it: build/, data/\n"), "{said}");
    // Nothing is said where nothing changed, and a whole directory that was moved away comes back.
    run(&place, "echo 3 > .env; mv data moved");
    let said = place.ok(&["undo"]);
    assert!(!said.contains("not covered"), "{said}");
    assert_eq!(place.read("data/deep/x"), "2\n");
    // Of one that is too large to be looked through nobody knows.
    for name in 0..1100 {
        place.write(&format!("build/{name}"), "");
    }
    run(&place, "echo 4 > .env");
    assert!(
        place.ok(&["undo"]).contains("not covered, since git ignores it: build/ if it changed")
    );
}

#[test]
fn what_somebody_put_into_a_new_ignored_directory_stays() {
    let place = repository(&[(".gitignore", "target\n")], &[]);
    run(&place, "mkdir target; echo made > target/report");
    if !has(&place, "target") {
        return skipped("without a layer ignored directories are in no call");
    }
    let refused = |what: &str| {
        let ran = place.run(&["undo", "1"]);
        assert!(ran.err.contains("nothing was touched: changed since: target"), "{what}: {ran:?}");
    };
    place.write("target/mine", "mine\n");
    refused("a file of a person's");
    assert_eq!(
        (place.read("target/mine"), place.read("target/report")),
        ("mine\n".into(), "made\n".into())
    );
    // By force it is kept.
    place.ok(&["undo", "1", "--force"]);
    assert!(!place.has("target"));
    place.ok(&["redo", "1"]);
    assert_eq!(place.read("target/mine"), "mine\n");
    std::fs::remove_dir_all(place.path("target")).unwrap();
    place.write("target", "a file\n");
    refused("a file in its place");
    std::fs::remove_file(place.path("target")).unwrap();
    place.git(&["clone", "-q", ".", "target"]);
    refused("a clone");
    assert!(place.has("target/.git/HEAD"));
}

#[test]
fn what_a_person_put_back_is_undone() {
    let files = [("a", "1\n"), ("b", "2\n"), ("c", "3\n"), ("d/e", "4\n"), ("d/f/g", "5\n")];
    for layer in ["on", "off"] {
        let place = repository(&files, &[]);
        let bash = |script: &str| {
            let command = format!("command={script}");
            place.ok(&["call", "bash", &command, "--policy", "trust", "--layer", layer]);
        };
        let change = "echo x > a; echo y > b; rm -r c d; mkdir n; echo z > n/new";
        // All of it, then a part.
        for back in [&["checkout", "-q", "."][..], &["checkout", "-q", "a", "d"]] {
            bash(change);
            place.git(back);
            if back.contains(&".") {
                std::fs::remove_dir_all(place.path("n")).unwrap();
            }
            place.ok(&["undo"]);
            assert_eq!(place.git(&["status", "--short"]), "", "{layer} {back:?}");
        }
        // What was removed can be removed again.
        bash("rm -r c d");
        place.git(&["checkout", "-q", "."]);
        place.ok(&["undo"]);
        place.ok(&["redo"]);
        assert!(!place.has("c") && !place.has("d/f/g"), "{layer}");
        place.ok(&["undo"]);
        // What is not the same is somebody's.
        bash("rm -r d");
        place.write("d/e", "4\n");
        let ran = place.run(&["undo"]);
        let whole = place.has("d/f/g");
        assert!(whole || ran.err.contains("changed since: d"), "{layer}: {ran:?}");
        assert_eq!(place.read("d/e"), "4\n");
    }
}

#[test]
fn a_branch_that_is_packed_beside_its_own_file_goes_from_both() {
    let place = repository(&[("a", "1\n")], &[]);
    run(&place, "git branch other; git tag t1; git tag -am t t2");
    if !has(&place, "refs/heads/other") {
        return skipped("without a layer branches are in no call");
    }
    let refs = place.git(&["show-ref"]);
    place.git(&["pack-refs", "--all", "--no-prune"]);
    place.ok(&["undo"]);
    assert_eq!(place.git(&["show-ref"]).lines().count(), 1);
    assert!(!place.read(".git/packed-refs").contains("refs/tags"));
    place.ok(&["redo"]);
    assert_eq!(place.git(&["show-ref"]), refs);
    // Removing it changes the packed refs itself.
    place.git(&["pack-refs", "--all", "--no-prune"]);
    run(&place, "git branch -D other");
    place.ok(&["undo"]);
    assert_eq!(place.git(&["show-ref"]), refs);
    place.ok(&["redo"]);
    assert!(!place.git(&["show-ref"]).contains("other"));
}

#[test]
fn undo_by_force_turns_no_ref_that_the_call_did_not_change() {
    let place = repository(&[("a", "1\n")], &[]);
    place.git(&["branch", "gone"]);
    place.git(&["tag", "-am", "t", "t1"]);
    place.git(&["pack-refs", "--all"]);
    let refs = place.git(&["show-ref", "-d"]);
    run(&place, "git branch -D gone");
    if !has(&place, "packed-refs") {
        return skipped("without a layer branches are in no call");
    }
    place.git(&["branch", "mine"]);
    place.git(&["pack-refs", "--all"]);
    assert!(place.run(&["undo"]).err.contains("packed-refs"));
    place.ok(&["undo", "1", "--force"]);
    let now = place.git(&["show-ref", "-d"]);
    let mine = now.lines().filter(|line| !line.ends_with("refs/heads/mine"));
    assert_eq!(mine.collect::<Vec<_>>(), refs.lines().collect::<Vec<_>>(), "{now}");
    assert!(now.contains("refs/heads/mine"), "{now}");
}

#[test]
fn a_lock_of_git_is_taken_over_only_from_a_kitbag_that_is_gone() {
    let place = repository(&[("a", "1\n")], &[]);
    run(&place, "echo 2 > a; git add a");
    if !has(&place, ".git/index") {
        return skipped("without a layer the index is in no call");
    }
    place.write(".git/index.lock", "kitbag undo\n");
    let held = std::fs::File::open(place.path(".git/index.lock")).unwrap();
    held.lock().unwrap();
    let ran = place.run(&["undo"]);
    assert!(ran.err.contains(".git/index.lock: git works in this repository"), "{ran:?}");
    assert_eq!(place.git(&["diff", "--cached", "--name-only"]), "a\n");
    drop(held);
    place.ok(&["undo"]);
    assert!(!place.has(".git/index.lock"));
    assert_eq!(place.git(&["status", "--short"]), "");
}

#[test]
fn what_was_staged_is_judged_in_linked_work_trees_and_with_refs_in_tables() {
    let linked = repository(&[("a", "1\n"), (".gitignore", "/wt\n")], &[]);
    linked.git(&["worktree", "add", "-q", "wt", "-b", "side"]);
    let version = linked.git(&["version"]);
    let number = version.split('.').nth(1).and_then(|minor| minor.parse::<u32>().ok());
    let tables = number.is_some_and(|minor| minor >= 45);
    let mut all = vec![(linked, "wt")];
    if tables {
        all.push((repository(&[("a", "1\n")], &["--ref-format=reftable"]), "."));
    }
    for (place, directory) in all {
        place.write(".git/info/exclude", "");
        run(&place, &format!("cd {directory}; echo 2 > a; git add a"));
        if !has(&place, "index") {
            return skipped("without a layer the index is in no call");
        }
        let git = |words: &[&str]| place.git(&[&["-C", directory], words].concat());
        git(&["commit", "-qm", "of a person"]);
        let ran = place.run(&["undo"]);
        assert!(ran.err.contains("HEAD is at another commit now"), "{directory}: {ran:?}");
        assert_eq!(git(&["status", "--short"]), "", "{directory}");
    }
}

#[test]
fn a_refused_undo_names_the_change_before_and_drops_no_commit() {
    let place = repository(&[("a", "1\n"), ("b", "1\n")], &[]);
    let mut kit = place.serve("kit", "trust");
    kit.call("edit", &json!({"path": "a", "old": "1", "new": "2"})).ok();
    kit.call("run", &json!({"command": "echo 2 > b; git add b"})).ok();
    place.git(&["commit", "-qm", "of a person"]);
    place.write("b", "3\n");
    let refused = kit.call("undo", &json!({})).text().to_owned();
    assert!(
        refused.contains("or take back the change before it (edit): {\"call\":1}"),
        "{refused}"
    );
    let reset = refused.find("git reset").map_or("", |at| &refused[..at]);
    assert!(
        !refused.contains("git reset") || reset.ends_with("ask the user to run `"),
        "{refused}"
    );
    let said = place.run(&["undo"]).err;
    assert!(said.contains("`kitbag undo 1` for the call before it, edit"), "{said}");
    kit.call("undo", &json!({"call": 1})).ok();
    assert_eq!(place.read("a"), "1\n");
}

#[test]
fn many_files_of_a_new_directory_are_told_in_one_line() {
    let place = repository(&[("a", "1\n")], &[]);
    run(
        &place,
        "mkdir -p new/deep; for i in $(seq 40); do echo $i > new/deep/$i; done; echo 2 > a",
    );
    let said = place.ok(&["undo"]);
    assert!(said.ends_with("\n  a: as it was before\n  new with 41 in it: removed\n"), "{said}");
    assert!(!place.has("new"));
}
