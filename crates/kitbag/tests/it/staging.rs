//! Undo and redo of commits beside what a person stages, and of what `--force` moved aside.

use std::path::Path;

use serde_json::json;

use crate::client::Server;
use crate::place::{Place, skipped, wait_until};

/// A repository with one commit of these files.
fn repository(files: &[(&str, &str)], version: &str) -> Place {
    let place = Place::with(files);
    place.git(&["init", "-qb", "main"]);
    place.git(&["config", "user.name", "A"]);
    place.git(&["config", "user.email", "a@example.org"]);
    place.git(&["config", "index.version", version]);
    place.git(&["add", "."]);
    place.git(&["commit", "-qm", "first"]);
    place
}

/// Lets git write its index anew, without anything else staged.
fn refresh(place: &Place, file: &str) {
    let before = std::fs::read(place.path(".git/index")).unwrap();
    let written = std::fs::File::options().write(true).open(place.path(file)).unwrap();
    written.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    place.git(&["status", "--short"]);
    assert_ne!(std::fs::read(place.path(".git/index")).unwrap(), before, "git wrote its index");
}

#[test]
fn an_index_goes_with_its_commit_whatever_else_is_held_back() {
    for beside in [
        "git config alias.co checkout",
        "echo '#!/bin/sh' > .git/hooks/pre-commit",
        "git config x.y z",
    ] {
        let place = repository(&[("a", "one\n")], "2");
        let mut fiz = place.serve("fiz", "auto");
        let line = format!("{beside}; echo 3 > c; git add c; git commit -qm c");
        let said = fiz.call("bash", &json!({"command": line})).text().to_owned();
        if !said.contains("not changed") {
            return skipped("without a layer nothing is held back");
        }
        assert!(!said.contains(".git/index"), "{said}");
        assert_eq!(place.git(&["status", "--short"]), "", "{beside}");
        assert_eq!(place.git(&["log", "--format=%s"]), "c\nfirst\n");
    }
}

#[test]
fn undo_does_not_take_a_packed_branch_for_one_that_is_gone() {
    let place = repository(&[("a", "one\n")], "2");
    place.git(&["pack-refs", "--all"]);
    let mut fiz = place.serve("fiz", "auto");
    let said = fiz.call("bash", &json!({"command": "echo 2 > a; git commit -qam two"}));
    said.ok();
    place.git(&["gc", "-q"]);
    for _ in 0..2 {
        place.ok(&["undo"]);
        assert_eq!(place.git(&["log", "--format=%s"]), "first\n");
        assert_eq!(place.git(&["status", "--short"]), "");
        place.git(&["pack-refs", "--all"]);
        place.ok(&["redo"]);
        assert_eq!(place.git(&["log", "--format=%s"]), "two\nfirst\n");
        assert_eq!(place.git(&["status", "--short"]), "");
        place.git(&["pack-refs", "--all"]);
    }
    // The person's own commit, packed too: it is not told as a branch that was removed.
    place.git(&["commit", "-q", "--allow-empty", "-m", "mine"]);
    place.git(&["pack-refs", "--all"]);
    let ran = place.run(&["undo"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains(".git/refs/heads/main (packed by git, at another"), "{}", ran.err);
    assert_eq!(place.git(&["log", "--format=%s"]), "mine\ntwo\nfirst\n");
    assert_eq!(place.git(&["status", "--short"]), "");
}

#[test]
fn undo_of_what_was_staged_does_not_stage_the_reverse_of_a_commit_made_since() {
    let stage = "command=git add a new";
    let switch = "command=git commit -qam theirs";
    let init = "command=git init -qb main; git add .";
    for (command, by_tool) in [(stage, false), (stage, true), (switch, false), (init, false)] {
        let place = match command == init {
            true => Place::with(&[("a", "one\n")]),
            false => repository(&[("a", "one\n")], "2"),
        };
        place.write("a", "two\n");
        place.write("new", "new\n");
        if by_tool {
            let words = ["call", "git_stage", "--toolset", "floyd", "--policy", "trust"];
            place.ok(&words);
        } else {
            place.ok(&["call", "bash", command, "--policy", "trust"]);
        }
        if !place.log()[0]["changes"].to_string().contains(".git/index") {
            return skipped("without a layer the index is in no call");
        }
        let person: &[&str] = match command == switch {
            true => &["switch", "-qc", "other"],
            false => &["commit", "-qm", "mine"],
        };
        place.git(person);
        let (log, status) = (place.git(&["log", "--format=%s"]), place.git(&["status", "--short"]));
        for policy in ["undo", "redo"] {
            let ran = place.run(&[policy, "1"]);
            assert_eq!(ran.code, Some(1), "{command} {policy}: {ran:?}");
            if policy == "undo" {
                assert!(ran.err.contains("(HEAD is at another commit now)"), "{ran:?}");
                if command != init {
                    let before = place.git(&["rev-parse", "HEAD~"]);
                    let next = format!("git reset --soft {}", &before[..10]);
                    let is_named = command == switch || ran.err.contains(&next);
                    assert!(is_named && ran.err.contains("git reset --soft "), "{ran:?}");
                }
            }
            assert_eq!(place.git(&["log", "--format=%s"]), log, "{command}");
            assert_eq!(place.git(&["status", "--short"]), status, "{command}");
        }
        // What a person did with git and took back is in nobody's way.
        match command {
            _ if command == switch => drop(place.git(&["switch", "-q", "main"])),
            _ if command == init => drop(place.git(&["update-ref", "-d", "HEAD"])),
            _ => drop(place.git(&["reset", "-q", "--soft", "HEAD~"])),
        }
        place.ok(&["undo", "1"]);
        if command != init {
            assert_eq!(place.git(&["diff", "--cached", "--name-only"]), "", "{command}");
            // The same of redo: the person commits something else first.
            place.git(&["commit", "-q", "--allow-empty", "-m", "mine"]);
            let ran = place.run(&["redo", "1"]);
            assert_eq!(ran.code, Some(1), "{command}: {ran:?}");
            place.git(&["reset", "-q", "--soft", "HEAD~"]);
            place.ok(&["redo", "1"]);
        }
    }
}

#[test]
fn undo_of_a_commit_that_was_kept_back_restores_what_the_person_had_staged() {
    let place = repository(&[("a", "one\n")], "2");
    let mut fiz = place.serve("fiz", "trust");
    let commit = "echo two > a; git commit -qam second; echo > done; while ! grep -q y go; do sleep 0.05; done";
    place.write("go", "n\n");
    let call = fiz.begin("bash", &json!({"command": commit}));
    if !wait_for_layer(&place, "done") {
        return skipped("without a layer nothing is kept back");
    }
    place.write("mine", "mine\n");
    place.git(&["add", "mine"]);
    place.write("go", "y\n");
    let said = fiz.answer(&call).ok().to_owned();
    let number = said.split("kitbag redo ").nth(1).unwrap_or_else(|| panic!("{said}"));
    let number: String = number.chars().take_while(char::is_ascii_digit).collect();
    place.ok(&["redo", &number]);
    assert_eq!(place.git(&["log", "--format=%s"]), "second\nfirst\n");
    refresh(&place, "a");
    place.ok(&["undo", &number]);
    assert_eq!(place.git(&["diff", "--cached", "--name-only"]), "mine\n");
    place.git(&["commit", "-qm", "of the person"]);
    assert_eq!(place.git(&["show", "--format=", "--name-status"]), "A\tmine\n");
}

/// Whether a running program made a file, in a layer or in the root; false if it is in the root.
fn wait_for_layer(place: &Place, name: &str) -> bool {
    let layers = place.state().join("layers");
    let mut found = false;
    wait_until("the commit", || {
        found = find(&layers, name);
        found || place.has(name)
    });
    found
}

fn find(directory: &Path, name: &str) -> bool {
    std::fs::read_dir(directory).into_iter().flatten().flatten().any(|entry| {
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        entry.file_name() == name || is_directory && find(&entry.path(), name)
    })
}

#[test]
fn what_a_person_staged_since_a_commit_is_not_replaced_by_its_undo() {
    for version in ["2", "4"] {
        let place = repository(&[("a", "one\n"), ("b", "b\n")], version);
        let commit = "command=echo two > a; git commit -qam second";
        place.ok(&["call", "bash", commit, "--policy", "trust"]);
        // Only looked at since: it goes there and back.
        refresh(&place, "a");
        place.ok(&["undo"]);
        assert_eq!(place.git(&["status", "--short"]), "", "index version {version}");
        refresh(&place, "b");
        place.ok(&["redo"]);
        assert_eq!(place.git(&["log", "--format=%s"]), "second\nfirst\n");
        // Staged since, after the commit and after its undo: nothing is touched.
        place.write("mine", "mine\n");
        place.git(&["add", "mine"]);
        for (word, first) in [("undo", "second"), ("redo", "first")] {
            let ran = place.run(&[word, "1"]);
            assert_eq!(ran.code, Some(1), "{word}: {ran:?}");
            assert!(ran.err.contains(".git/index (what is staged)"), "{ran:?}");
            assert_eq!(place.git(&["log", "-1", "--format=%s"]), format!("{first}\n"));
            assert_eq!(place.git(&["diff", "--cached", "--name-only"]), "mine\n");
            place.git(&["rm", "-q", "--cached", "mine"]);
            if word == "undo" {
                place.ok(&["undo", "1"]);
                place.git(&["add", "mine"]);
            }
        }
        place.ok(&["redo", "1"]);
        assert_eq!(place.git(&["status", "--short"]), "?? mine\n");
    }
}

#[test]
fn what_undo_by_force_moved_aside_comes_back_by_plain_undo() {
    let place = Place::with(&[("a", "a\n"), ("gone", "gone\n"), ("d/x", "x\n")]);
    let script = "command=echo program > a; rm gone; rm -r d; ln -s a link";
    place.ok(&["call", "bash", script, "--policy", "trust"]);
    place.write("a", "mine\n");
    place.write("gone", "mine too\n");
    place.write("d/y", "y\n");
    let mine = place.tree();
    assert_eq!(place.run(&["undo"]).code, Some(1));
    place.ok(&["undo", "1", "--force"]);
    let undone = place.tree();
    assert_eq!((place.read("a"), place.read("gone")), ("a\n".into(), "gone\n".into()));
    assert!(place.has("d/x") && !place.has("d/y") && !place.has("link"));
    place.ok(&["undo"]);
    assert_eq!((place.read("a"), place.read("gone")), ("mine\n".into(), "mine too\n".into()));
    assert!(place.has("d/y") && !place.has("d/x"));
    place.ok(&["redo"]);
    assert_eq!(place.tree(), undone);
    assert_ne!(undone, mine);
    // A save since stops it.
    place.write("gone", "saved since\n");
    let ran = place.run(&["undo"]);
    assert!(ran.code == Some(1) && ran.err.contains("gone"), "{ran:?}");
}

#[test]
fn what_git_keeps_in_files_is_told_by_its_names() {
    let place = repository(&[("a", "one\n"), ("b", "b\n")], "2");
    place.git(&["pack-refs", "--all"]);
    let call = |script: &str, more: &[&str]| {
        let command = format!("command={script}");
        place.ok(&[&["call", "bash", &command, "--policy", "trust"], more].concat())
    };
    // The branch is in the common file, and comes into one of its own.
    call("echo two > a; git commit -qam second", &[]);
    let log = place.ok(&["log"]);
    assert!(log.contains("changed branch main\n") && !log.contains("created branch"), "{log}");
    let told = place.ok(&["undo"]);
    assert!(told.contains("branch main: as it was before"), "{told}");
    place.ok(&["redo"]);
    let script = "git tag v1; git checkout -qb other; echo three > a; git stash -q";
    let shown = call(script, &["--rehearse"]);
    for named in [
        "tag v1 created",
        "branch other created",
        "what is checked out (HEAD) changed",
        "the stash created",
    ] {
        assert!(shown.contains(named), "{named}: {shown}");
    }
    call(script, &[]);
    let log = place.ok(&["log"]);
    for named in [
        "created tag v1",
        "created branch other",
        "changed what is checked out (HEAD)",
        "created the stash",
    ] {
        assert!(log.contains(named), "{named}: {log}");
    }
    let told = place.ok(&["undo"]);
    for named in [
        "tag v1: removed",
        "what is checked out (HEAD): as it was before, on branch main",
        "the stash: removed",
    ] {
        assert!(told.contains(named), "{named}: {told}");
    }
    // Nothing is created or removed.
    call("git pack-refs --all", &[]);
    let log = place.ok(&["log", "--most", "1"]);
    assert!(log.contains("branches and tags in one file") && !log.contains("branch main"), "{log}");
}

#[test]
fn what_a_call_made_and_git_packed_is_removed_by_undo() {
    let place = repository(&[("a", "one\n")], "2");
    let made =
        "command=git switch -qc feature/x; echo 2 > a; git commit -qam two; git tag -am t t1";
    place.ok(&["call", "bash", made, "--policy", "trust"]);
    if !place.log()[0]["changes"].to_string().contains("refs/heads/feature") {
        return skipped("without a layer branches are in no call");
    }
    place.git(&["pack-refs", "--all"]);
    place.git(&["gc", "-q"]);
    let refs = place.git(&["show-ref"]);
    place.write(".git/packed-refs.lock", "");
    assert!(place.run(&["undo"]).err.contains("packed-refs.lock: git works"));
    std::fs::remove_file(place.path(".git/packed-refs.lock")).unwrap();
    place.ok(&["undo"]);
    assert_eq!(place.git(&["branch", "--show-current"]), "main\n");
    assert_eq!(place.git(&["show-ref"]).lines().count(), 1);
    assert_eq!(place.git(&["status", "--short"]), "");
    place.ok(&["redo"]);
    assert_eq!(place.git(&["show-ref"]), refs);
    assert_eq!(place.git(&["status", "--short"]), "");
    // A repository that goes leaves no lock behind.
    let place = Place::with(&[("a", "one\n")]);
    place.ok(&["call", "bash", "command=git init -qb main; git add a", "--policy", "trust"]);
    place.ok(&["undo"]);
    assert!(!place.has(".git/HEAD") && !place.has(".git/index.lock"));
}

#[test]
fn what_no_call_covers_of_a_linked_work_tree_is_told_and_in_the_log() {
    let place = Place::new();
    let main = place.dir.path().join("main");
    std::fs::create_dir(&main).unwrap();
    let git = |words: &[&str]| {
        let all = [&["-C", main.to_str().unwrap()], words].concat();
        let done = std::process::Command::new("git").args(all).output().unwrap();
        assert!(done.status.success(), "{words:?}: {done:?}");
    };
    git(&["init", "-qb", "main"]);
    git(&["config", "user.name", "A"]);
    git(&["config", "user.email", "a@example.org"]);
    git(&["commit", "-q", "--allow-empty", "-m", "first"]);
    git(&["worktree", "add", "-q", place.root().to_str().unwrap(), "-b", "linked"]);
    let call = |words: &[&str]| {
        place.ok(&[&["call"], words, &["--toolset", "floyd", "--policy", "trust"]].concat())
    };
    call(&["write", "path=a", "content=one"]);
    let staged = call(&["git_stage"]);
    assert!(staged.contains("undo does not cover that here: what is staged;"), "{staged}");
    let said = call(&["git_commit", "message=two"]);
    assert!(said.contains("branch linked (now at "), "{said}");
    assert!(!said.contains("branch main"), "{said}");
    let log = place.log();
    let tools: Vec<_> = log.iter().map(|call| call["tool"].as_str().unwrap()).collect();
    assert_eq!(tools, ["git_commit", "git_stage", "write_file"]);
    assert!(log[0]["missed"].as_str().unwrap().contains("branch linked"), "{log:?}");
    // Undo of several calls says what it leaves; plain undo means what it can take back.
    let would = place.ok(&["undo", "--to", "1", "--dry-run"]);
    assert!(would.contains("branch linked (now at "), "{would}");
    let ran = place.run(&["undo"]);
    assert!(ran.out.starts_with("undid call 1: write_file"), "{ran:?}");
    assert!(ran.err.contains("skipped call 3, git_commit"), "{ran:?}");
    assert_eq!(place.git(&["log", "--format=%s"]), "two\nfirst\n");
    let ran = place.run(&["undo"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("take it back with git"), "{ran:?}");
}

#[test]
fn a_commit_of_a_program_without_any_sandbox_is_told() {
    let place = repository(&[("a", "one\n")], "2");
    let mut fiz = Server::start(place.server("fiz", "trust", &["--sandbox", "off"]), false);
    let mut bash = |script: &str| fiz.call("bash", &json!({"command": script})).ok().to_owned();
    let said = bash("git status; git log -1; echo two > a");
    assert!(!said.contains("git's own state"), "{said}");
    let said = bash("git commit -qam two; git branch other");
    for what in ["what is staged", "branch main (now at ", "branch other (now at "] {
        assert!(said.contains(what), "{what}: {said}");
    }
    let said = bash("git gc -q; git pack-refs --all");
    assert!(!said.contains("branch"), "{said}");
    drop(fiz);
    let undone = place.ok(&["undo", "--to", "1"]);
    assert!(undone.contains("branch main (now at "), "{undone}");
    assert_eq!(place.read("a"), "one\n");
    assert_eq!(place.git(&["log", "--format=%s"]), "two\nfirst\n");
}

#[test]
fn undo_waits_for_a_git_that_is_changing_the_index() {
    let place = repository(&[("a", "one\n")], "2");
    place.ok(&["call", "bash", "command=echo two > a; git add a", "--policy", "trust"]);
    if !place.log()[0]["changes"].to_string().contains(".git/index") {
        return skipped("without a layer the index is in no call");
    }
    place.write(".git/index.lock", "");
    for forced in [&["undo"][..], &["undo", "1", "--force"]] {
        let ran = place.run(forced);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.err.contains(".git/index.lock: git works in this repository"), "{ran:?}");
        assert_eq!(place.git(&["diff", "--cached", "--name-only"]), "a\n");
        assert_eq!(place.read("a"), "two\n");
    }
    // One of an undo that was killed is no git.
    place.write(".git/index.lock", "kitbag undo\n");
    place.ok(&["undo"]);
    assert!(!place.has(".git/index.lock"));
    assert_eq!(place.git(&["status", "--short"]), "");
}

#[test]
fn a_git_that_looks_is_in_nobodys_way_whatever_the_repository() {
    let sha256 = Place::with(&[("a", "one\n"), ("b", "b\n")]);
    sha256.git(&["init", "-qb", "main", "--object-format=sha256"]);
    sha256.commit_all();
    let with_submodule = Place::with(&[("a", "one\n"), ("b", "b\n")]);
    with_submodule.commit_all();
    let sub = with_submodule.path("sub");
    let url = format!("file://{}", with_submodule.root().display());
    let sub = sub.file_name().unwrap().to_str().unwrap();
    with_submodule.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        &url,
        sub,
    ]);
    with_submodule.git(&["commit", "-qm", "with a submodule"]);
    for (place, below) in [(sha256, "."), (with_submodule, "sub")] {
        let script = "echo two > a; git -c user.name=A -c user.email=a@example.org commit -qam two";
        place.ok(&["call", "bash", &format!("command=cd {below}; {script}"), "--policy", "trust"]);
        let git = |words: &[&str]| place.git(&[&["-C", below], words].concat());
        if !place.log()[0]["changes"].to_string().contains("refs/heads/main") {
            return skipped("without a layer the index is in no call");
        }
        let look = |file: &str| {
            let file =
                std::fs::File::options().write(true).open(place.path(below).join(file)).unwrap();
            file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
            assert_eq!(git(&["status", "--short"]), "", "{below}");
        };
        look("a");
        place.ok(&["undo"]);
        assert_eq!(git(&["log", "--format=%s"]), "first\n", "{below}");
        look("b");
        place.ok(&["redo"]);
        assert_eq!(git(&["log", "--format=%s"]), "two\nfirst\n", "{below}");
        look("b");
        // What a person committed or staged since is in the way.
        git(&["commit", "-q", "--allow-empty", "-m", "mine"]);
        assert_eq!(place.run(&["undo"]).code, Some(1), "{below}");
        git(&["reset", "-q", "--soft", "HEAD~"]);
        std::fs::write(place.path(below).join("mine"), "mine\n").unwrap();
        git(&["add", "mine"]);
        assert_eq!(place.run(&["undo"]).code, Some(1), "{below}");
    }
}

#[test]
fn a_program_may_choose_a_sparse_checkout() {
    let place = repository(&[("a", "a\n"), ("x/1", "1\n"), ("y/2", "2\n")], "2");
    let said =
        place.ok(&["call", "bash", "command=git sparse-checkout set x", "--policy", "trust"]);
    if !place.log()[0]["changes"].to_string().contains(".git/index") {
        return skipped("without a layer git's own files are for reading only");
    }
    assert!(!said.contains("not changed"), "{said}");
    assert!(place.has("x/1") && !place.has("y/2"));
    assert_eq!(place.git(&["sparse-checkout", "list"]), "x\n");
    place.ok(&["undo"]);
    assert!(place.has("y/2"));
    assert_eq!(place.git(&["status", "--short"]), "");
}
