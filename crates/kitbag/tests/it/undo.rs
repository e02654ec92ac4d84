//! Undo, redo, diff and log of whatever changed the files.

use std::collections::BTreeSet;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use serde_json::{Value, json};

use crate::client::Server;
use crate::place::{Place, skipped};

fn bash(place: &Place, script: &str) {
    bash_of(&mut place.serve("fiz", "trust"), script);
}

fn bash_of(fiz: &mut Server, script: &str) {
    let shown = fiz.call("bash", &json!({"command": script}));
    assert!(shown.ok().starts_with("Exit code: 0"), "{shown:?}");
}

/// What a script did is taken back whole and made again whole.
#[track_caller]
fn there_and_back(place: &Place, script: &str) {
    there_and_back_of(&mut place.serve("fiz", "trust"), place, script);
}

#[track_caller]
fn there_and_back_of(fiz: &mut Server, place: &Place, script: &str) {
    let before = place.tree();
    bash_of(fiz, script);
    let after = place.tree();
    assert_ne!(before, after, "{script}");
    place.ok(&["undo"]);
    assert_eq!(place.tree(), before, "undo of {script}");
    place.ok(&["redo"]);
    assert_eq!(place.tree(), after, "redo of {script}");
    place.ok(&["undo"]);
    assert_eq!(place.tree(), before, "second undo of {script}");
}

#[test]
fn what_a_program_did_is_taken_back_whole() {
    taken_back_whole("on");
}

#[test]
fn what_a_program_did_without_a_layer_is_taken_back_whole() {
    taken_back_whole("off");
}

/// One server for all scripts: where there is no layer, each finds what changed since the last one.
fn taken_back_whole(layer: &str) {
    let files: Vec<(String, String)> =
        (0..120).map(|n| (format!("d{}/f{n}", n % 5), format!("content {n}\n"))).collect();
    let place = Place::new();
    for (name, content) in &files {
        place.write(name, content);
    }
    place.write("run.sh", "#!/bin/sh\n");
    place.write("fixed", "x\n");
    place.write("empty", "");
    std::fs::create_dir(place.path("void")).unwrap();
    symlink("d0/f0", place.path("link")).unwrap();
    symlink("nowhere", place.path("broken")).unwrap();
    let mut fiz = Server::start(place.server("fiz", "trust", &["--layer", layer]), false);
    for script in [
        "echo new > new; mkdir -p a/b/c; echo deep > a/b/c/deep",
        "rm -r d0 d1; rm link empty; rmdir void",
        "for f in d2/*; do echo more >> $f; done",
        "mv d3 moved; mv run.sh d2/; mv link other",
        "chmod 755 run.sh",
        "chmod 444 fixed; chmod 700 d1; chmod 1777 d2",
        "chmod 000 fixed",
        "ln -sfn d1 link; rm broken; echo now a file > broken",
        "rm d4/f4; mkdir d4/f4; echo x > d4/f4/x",
        "rm -r void; echo file > void",
        "truncate -s 0 d0/f0; cp d0/f5 d0/f0",
        "printf 'a\\0b\\377' > binary; printf '' > empty2",
        "touch $'new\\nline' $'\\xff' -- -dash; echo x > $'quo\"te'",
        "ln d0/f0 hard; echo changed > d0/f5",
        "rm -rf ./* .[!.]*",
    ] {
        there_and_back_of(&mut fiz, &place, script);
    }
    assert!(place.log().len() == 15, "{}", place.log().len());
}

#[test]
fn a_program_that_changes_what_is_ignored_loses_nothing_by_undo() {
    let place = Place::with(&[
        ("src/a.rs", "a\n"),
        ("data/precious.csv", "1,2,3\n"),
        ("build/out.o", "object\n"),
        (".gitignore", "data/\nbuild/\n"),
        (".env", "KEY=1\n"),
    ]);
    // Now ignored, but not gone.
    there_and_back(&place, "echo src/ >> .gitignore; echo changed > src/a.rs");
    // No longer ignored, but not made by the program.
    let before = place.tree();
    bash(&place, "rm .gitignore");
    place.ok(&["undo"]);
    assert_eq!(place.tree(), before);
    // Moved out of an ignored directory: undo takes the move back, or keeps the only copy for redo.
    bash(&place, "mv data visible; mv build/out.o kept.o; echo x > new");
    place.ok(&["undo"]);
    assert!(!place.has("new"));
    assert_eq!(place.read("data/precious.csv"), "1,2,3\n");
    place.ok(&["redo"]);
    assert_eq!(
        (place.read("visible/precious.csv"), place.read("kept.o")),
        ("1,2,3\n".into(), "object\n".into())
    );
    // Ignored files beside tracked ones are covered.
    place.write(".gitignore", ".env\n");
    there_and_back(&place, "echo KEY=2 > .env");
}

#[test]
fn large_files_are_covered_by_a_layer_and_without_one_said_and_never_taken_away() {
    let script = "echo y > small; head -c 20000000 /dev/zero > made; echo tail >> big; truncate -s 18M small";
    for layer in ["on", "off"] {
        let place = Place::with(&[("small", "x\n")]);
        let big = std::fs::File::create(place.path("big")).unwrap();
        big.set_len(20 << 20).unwrap();
        place.ok(&[
            "call",
            "bash",
            &format!("command={script}"),
            "--policy",
            "trust",
            "--layer",
            layer,
        ]);
        let size = |name: &str| std::fs::metadata(place.path(name)).map(|data| data.len()).ok();
        let log = place.log();
        if layer == "on" {
            place.ok(&["undo"]);
            assert_eq!((size("made"), size("big"), size("small")), (None, Some(20 << 20), Some(2)));
            place.ok(&["redo"]);
            assert_eq!((size("made"), size("big")), (Some(20_000_000), Some((20 << 20) + 5)));
            continue;
        }
        let missed = log[0]["missed"].as_str().unwrap();
        assert!(missed.contains("too large"), "{missed}");
        place.ok(&["undo"]);
        assert_eq!((size("made"), size("big")), (Some(20_000_000), Some((20 << 20) + 5)));
        assert_eq!(place.read("small"), "x\n");
        // It is named by the call that removes it, since nothing brings it back.
        for script in ["rm big", "mv made gone; echo z > small"] {
            let command = format!("command={script}");
            let words = ["call", "bash", &command, "--policy", "trust", "--layer", layer];
            let said = place.run(&words);
            let lost = if script == "rm big" { "big" } else { "made" };
            let named = format!("cannot bring it back: {lost}");
            assert!(said.out.contains(&named) || said.err.contains(&named), "{said:?}");
        }
    }
}

#[test]
fn calls_while_a_program_runs_belong_to_themselves() {
    let place = Place::with(&[("a", "a\n"), ("b", "b\n")]);
    let mut fiz = place.serve("fiz", "trust");
    let slow = fiz
        .begin("bash", &json!({"command": "echo slow > slow; sleep 2; : until; echo end > end"}));
    std::thread::sleep(std::time::Duration::from_millis(300));
    fiz.call("write", &json!({"path": "written", "content": "w\n"})).ok();
    fiz.call("edit", &json!({"path": "a", "old_string": "a", "new_string": "edited"})).ok();
    fiz.call("bash", &json!({"command": "echo fast > fast; rm b"})).ok();
    assert!(!place.has("slow"), "what it does is not there before it ends");
    fiz.answer(&slow).ok();
    let after = place.tree();
    let log = place.log();
    let owner = |path: &str| {
        let has =
            |step: &&Value| step["changes"].as_array().unwrap().iter().any(|c| c["path"] == path);
        let owners: Vec<_> =
            log.iter().filter(has).map(|s| s["about"].as_str().unwrap().to_owned()).collect();
        assert_eq!(owners.len(), 1, "{path}: {owners:?}");
        owners[0].clone()
    };
    assert!(owner("slow").contains("until"));
    assert!(owner("end").contains("until"));
    assert_eq!(owner("written"), "written");
    assert_eq!(owner("a"), "a");
    owner("fast");
    owner("b");
    for _ in 0..log.len() {
        place.ok(&["undo"]);
    }
    assert_eq!((place.read("a"), place.read("b")), ("a\n".to_owned(), "b\n".to_owned()));
    for gone in ["slow", "end", "written", "fast"] {
        assert!(!place.has(gone), "{gone}");
    }
    for _ in 0..log.len() {
        place.ok(&["redo"]);
    }
    assert_eq!(place.tree(), after);
}

#[test]
fn every_kind_of_change_can_be_looked_at_undone_and_redone() {
    let place = Place::with(&[
        ("a.txt", "one\ntwo\n"),
        ("d/x", "x\n"),
        ("d/sub/y", "y\n"),
        ("gone", "g\n"),
    ]);
    let before = place.tree();
    let (mut fiz, mut local) = (place.serve("fiz", "trust"), place.serve("local", "trust"));
    fiz.call("edit", &json!({"path": "a.txt", "old_string": "two", "new_string": "2"})).ok();
    let diff = place.ok(&["diff"]);
    assert!(diff.contains("-two") && diff.contains("+2") && diff.contains("a.txt"), "{diff}");
    fiz.call("write", &json!({"path": "new/deep/b.txt", "content": "b\n"})).ok();
    local.call("delete_directory", &json!({"path": "d"})).ok();
    local.call("delete_file", &json!({"path": "gone"})).ok();
    local.call("create_directory", &json!({"path": "made/here"})).ok();
    let after = place.tree();
    let log = place.log();
    assert_eq!(log.len(), 5);
    for step in &log {
        let number = step["call"].to_string();
        assert!(!place.ok(&["diff", &number]).is_empty(), "{step}");
        assert_eq!(step["undone"], false);
        assert!(step["time"].is_string() && step["tool"].is_string(), "{step}");
    }
    assert!(place.ok(&["log"]).contains("a.txt"));
    for _ in 0..5 {
        let undone: Value = serde_json::from_str(&place.ok(&["undo", "--json"])).unwrap();
        assert_eq!(undone["undone"], true);
    }
    assert_eq!(place.tree(), before);
    let none = place.run(&["undo"]);
    assert_eq!((none.code, none.out.as_str()), (Some(1), ""), "{none:?}");
    for _ in 0..5 {
        let redone: Value = serde_json::from_str(&place.ok(&["redo", "--json"])).unwrap();
        assert_eq!(redone["undone"], false);
    }
    assert_eq!(place.tree(), after);
    // One of the middle, alone.
    let number = log[3]["call"].to_string();
    place.ok(&["undo", &number]);
    assert!(!place.has("new"));
    assert_eq!(place.read("a.txt"), "one\n2\n");
    for wrong in ["999", "x", "-1"] {
        let ran = place.run(&["undo", wrong]);
        assert!([Some(1), Some(2)].contains(&ran.code), "{wrong}: {ran:?}");
    }
}

#[test]
fn a_file_that_was_changed_since_stops_the_whole_undo() {
    let place = Place::with(&[("a", "a\n"), ("b", "b\n")]);
    bash(&place, "echo 1 > a; echo 1 > b; echo 1 > c");
    place.write("b", "somebody's work\n");
    let ran = place.run(&["undo"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("b") && ran.err.contains("changed since"), "{ran:?}");
    assert_eq!((place.read("a"), place.read("b")), ("1\n".into(), "somebody's work\n".into()));
    place.write("b", "1\n");
    place.ok(&["undo"]);
    assert_eq!(
        (place.read("a"), place.read("b"), place.has("c")),
        ("a\n".into(), "b\n".into(), false)
    );
    place.write("c", "mine\n");
    let ran = place.run(&["redo"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!((place.read("a"), place.read("c")), ("a\n".into(), "mine\n".into()));
}

#[test]
fn a_build_product_that_was_built_again_stands_in_the_way_of_no_undo() {
    products_are_left("auto");
}

#[test]
fn nor_does_it_without_a_layer() {
    products_are_left("off");
}

fn products_are_left(sandbox: &str) {
    // A large file is kept in the trash of the journal, a small one by its content.
    for bytes in [10, 300_000] {
        let product = |byte: &str| byte.repeat(bytes);
        let place = Place::with(&[
            ("a.c", "one\n"),
            (".gitignore", "prog\n*.env\ntracked.log\n"),
            ("tracked.log", "log\n"),
            ("key.env", &product("k")),
        ]);
        place.git(&["init", "-q"]);
        place.git(&["add", "-f", "tracked.log"]);
        let flags = ["--policy", "trust", "--sandbox", sandbox];
        let run = |script: &str| {
            place.ok(&[&["call", "bash", &format!("command={script}")], &flags[..]].concat())
        };
        let build = |byte: &str| format!("head -c {bytes} /dev/zero | tr '\\0' {byte} > prog");
        run(&build("0"));
        run(&format!("echo two > a.c; {}", build("1")));
        place.write("prog", product("x"));
        let would = place.ok(&["undo", "--dry-run"]);
        let ran = place.ok(&["undo"]);
        let left = "left as it is, since git ignores it and it changed since: prog";
        for told in [&would, &ran] {
            assert!(told.contains("a.c: as it was before") && told.contains(left), "{told}");
            assert!(!told.contains("prog: "), "{told}");
        }
        assert_eq!((place.read("a.c").as_str(), place.read("prog")), ("one\n", product("x")));
        assert!(place.ok(&["redo"]).contains(left));
        assert_eq!((place.read("a.c").as_str(), place.read("prog")), ("two\n", product("x")));
        assert!(place.ok(&["undo", "2"]).contains(left));
        place.ok(&["redo"]);
        // As it was made, it goes with the rest again.
        place.write("prog", product("1"));
        assert!(!place.ok(&["undo"]).contains("left as it is"));
        assert_eq!((place.read("a.c").as_str(), place.read("prog")), ("one\n", product("0")));
        place.ok(&["redo"]);
        // A call of nothing else is passed over, and refused where it is named.
        run(&build("2"));
        place.write("prog", product("y"));
        let ran = place.run(&["undo", "3"]);
        assert_eq!((ran.code, place.read("prog")), (Some(1), product("y")), "{ran:?}");
        let ran = place.run(&["undo", "--dry-run"]);
        assert!(ran.out.starts_with("would undo call 2") && ran.err.contains("call 3"), "{ran:?}");
        // What a program made, the next run makes again; what it changed of a person's is meant.
        run("echo made > made.env; echo log2 > tracked.log");
        run("echo again > made.env");
        let ran = place.run(&["undo"]);
        assert!(ran.out.starts_with("undid call 4") && ran.err.contains("call 5"), "{ran:?}");
        assert_eq!((place.read("tracked.log").as_str(), place.has("made.env")), ("log\n", true));
        // What git tracks, it does not ignore.
        run("echo 3 > a.c; echo log3 > tracked.log");
        place.write("tracked.log", "mine\n");
        let ran = place.run(&["undo"]);
        assert!(ran.code == Some(1) && ran.err.contains("changed since: tracked.log"), "{ran:?}");
        // What a person wrote and git ignores is no product, whoever had made the file.
        place.ok(&["undo", "--force"]);
        run("echo 4 > a.c; echo theirs > key.env");
        place.write("key.env", "newer\n");
        let ran = place.run(&["undo"]);
        assert!(ran.code == Some(1) && ran.err.contains("changed since: key.env"), "{ran:?}");
        place.ok(&["undo", "--force"]);
        assert_eq!(place.read("key.env"), product("k"));
        place.write("made.env", "of a person\n");
        run("echo again > made.env");
        assert!(place.ok(&["undo"]).contains("made.env: as it was before"));
        assert_eq!(place.read("made.env"), "of a person\n");
    }
}

/// Each thing that undo says it did, made impossible by a person's own work.
#[test]
fn what_was_not_undone_is_not_said() {
    for (call, hinder, says, done) in [
        ("echo new > new", "echo mine > new", "new: removed", "[ ! -e new ]"),
        ("rm a", "echo mine > a", "a: brought back", "grep -qx one a"),
        ("echo two > a", "echo mine > a", "a: as it was before", "grep -qx one a"),
        ("mv a b", "echo mine > a", "a: brought back", "grep -qx one a"),
        ("chmod 640 a", "rm a", "a: as it was before", "[ $(stat -c %a a) = 644 ]"),
    ] {
        for hindered in [false, true] {
            let place = Place::with(&[("a", "one\n")]);
            let shell = |script: &str| {
                let mut shell = std::process::Command::new("sh");
                shell.args(["-c", script]).current_dir(place.root()).status().unwrap().success()
            };
            assert!(shell("chmod 644 a"));
            bash(&place, call);
            assert!(!shell(done), "{call} changes nothing");
            assert!(!hindered || shell(hinder));
            let ran = place.run(&["undo"]);
            let said = ran.out.contains("undid call") && ran.out.contains(says);
            assert_eq!((said, shell(done)), (!hindered, !hindered), "{call}: {ran:?}");
            assert_eq!(ran.code, Some(i32::from(hindered)), "{call}: {ran:?}");
            assert!(!hindered || ran.out.is_empty(), "{call}: {ran:?}");
        }
    }
}

#[test]
fn a_mode_that_a_person_set_since_stays() {
    let place = Place::with(&[("a", "a\n")]);
    let mut fiz = place.serve("fiz", "trust");
    fiz.call("write", &json!({"path": "a", "content": "b\n"})).ok();
    std::fs::set_permissions(place.path("a"), std::fs::Permissions::from_mode(0o755)).unwrap();
    place.ok(&["undo"]);
    let mode = std::fs::metadata(place.path("a")).unwrap().permissions().mode() & 0o777;
    assert_eq!((place.read("a").as_str(), mode), ("a\n", 0o755));
}

#[test]
fn two_sessions_share_one_journal() {
    let place = Place::with(&[("a", "0\n")]);
    let (mut one, mut two) = (place.serve("fiz", "trust"), place.serve("local", "trust"));
    one.call("write", &json!({"path": "a", "content": "1\n"})).ok();
    // The second never read it, so it may be replaced; the first must look again.
    two.call("write_file", &json!({"path": "a", "content": "2\n"})).ok();
    let message = one.call("write", &json!({"path": "a", "content": "3\n"})).fails("FileChanged");
    assert!(message.contains("read it again"), "{message}");
    one.call("read", &json!({"path": "a"})).ok();
    one.call("write", &json!({"path": "a", "content": "3\n"})).ok();
    let seen: Vec<String> = (0..3)
        .map(|_| {
            place.ok(&["undo"]);
            place.read("a")
        })
        .collect();
    assert_eq!(seen, ["2\n", "1\n", "0\n"]);
    // A change from outside between: the edit still fits, and is made.
    one.call("read", &json!({"path": "a"})).ok();
    place.write("a", "0\nmore\n");
    one.call("edit", &json!({"path": "a", "old_string": "0", "new_string": "zero"})).ok();
    assert_eq!(place.read("a"), "zero\nmore\n");
}

#[test]
fn changes_in_a_further_folder_are_undone_too() {
    let place = Place::with(&[("a", "a\n")]);
    let other = place.dir.path().join("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("b"), "b\n").unwrap();
    let shown = other.to_str().unwrap();
    let mut fiz =
        crate::client::Server::start(place.server("fiz", "trust", &["--allow", shown]), false);
    fiz.call("write", &json!({"path": other.join("b"), "content": "new\n"})).ok();
    fiz.call("write", &json!({"path": other.join("sub/c"), "content": "c\n"})).ok();
    fiz.call("bash", &json!({"command": format!("echo ran > {shown}/b; echo x > a")})).ok();
    for _ in 0..3 {
        place.ok(&["diff"]);
        place.ok(&["undo"]);
    }
    assert_eq!(std::fs::read_to_string(other.join("b")).unwrap(), "b\n");
    assert!(!other.join("sub").exists());
    assert_eq!(place.read("a"), "a\n");
}

#[test]
fn a_commit_of_a_program_is_taken_back_with_its_files() {
    let place = Place::with(&[("a", "one\n")]);
    let git = "git -c user.name=n -c user.email=e@x";
    bash(&place, &format!("git init -q && git add a && {git} commit -qm first"));
    assert!(place.has(".git/HEAD"));
    bash(&place, &format!("echo two > a; echo b > b; git add -A; {git} commit -qm second"));
    let mut fiz = place.serve("fiz", "trust");
    let mut look = || {
        let said = fiz.call(
            "bash",
            &json!({"command": "git log --format=%s; git status --short; git fsck --no-dangling"}),
        );
        said.ok().to_owned()
    };
    assert!(look().contains("second\nfirst\n"));
    place.ok(&["undo", "2"]);
    assert_eq!((place.read("a").as_str(), place.has("b")), ("one\n", false));
    assert!(look().ends_with("Output:\nfirst\n"), "{}", look());
    place.ok(&["redo", "2"]);
    assert!(look().ends_with("Output:\nsecond\nfirst\n"), "{}", look());
    assert_eq!((place.read("a").as_str(), place.read("b").as_str()), ("two\n", "b\n"));
}

#[test]
fn a_state_folder_in_the_root_is_left_out_of_everything() {
    let place = Place::with(&[("a", "a\n"), ("deep/b", "b\n")]);
    let state = place.path("deep/state");
    let program = |words: &[&str]| {
        let mut command = place.program(words);
        command.env("KITBAG_STATE", &state);
        command
    };
    let serve = |toolset: &str| {
        let command = program(&["serve", "--policy", "trust", "--toolset", toolset]);
        crate::client::Server::start(command, false)
    };
    let (mut fiz, mut local) = (serve("fiz"), serve("local"));
    for n in 0..3 {
        fiz.call("bash", &json!({"command": format!("echo {n} > a; echo {n} > n{n}")})).ok();
    }
    for path in ["deep/state/journal/journal.db", "deep/state/new", "deep/state/journal/blobs/x"] {
        let write = json!({"path": path, "content": "evil"});
        fiz.call("write", &write).fails("ProtectedPath");
        local.call("delete_file", &json!({"path": path})).failed();
    }
    for folder in ["deep/state", "deep", "deep/state/journal"] {
        local.call("delete_directory", &json!({"path": folder})).fails("ProtectedPath");
    }
    for n in (0..3).rev() {
        let ran = program(&["undo"]).output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
        assert!(!place.has(&format!("n{n}")));
    }
    assert_eq!((place.read("a"), place.read("deep/b")), ("a\n".into(), "b\n".into()));
}

#[test]
fn a_collection_of_garbage_is_taken_back_also_when_there_are_newer_objects() {
    let place = Place::with(&[("a", "a")]);
    let git = |words: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.args(words).current_dir(place.root()).output().unwrap()
    };
    let write = |file: &str| {
        String::from_utf8(git(&["hash-object", "-w", file]).stdout).unwrap().trim().to_owned()
    };
    let has = |object: &str| git(&["cat-file", "-e", object]).status.success();
    let is_sound = || git(&["fsck", "--strict"]).status.success();
    let commit = "git -c user.name=a -c user.email=a@b commit";
    bash(&place, &format!("git init -q .; git add a; {commit} -qm one"));
    place.write("b", "in no commit");
    let lost = write("b");
    bash(&place, "git gc -q --prune=now");
    assert!(!has(&lost), "pruned");
    // Objects in directories that the collection removed.
    let some = "for i in $(seq 400); do echo $i | git hash-object -w --stdin; done >&2 2>/dev/null";
    bash(&place, some);
    place.ok(&["undo"]);
    assert!(has(&lost), "what was pruned is back");
    assert!(is_sound());
    place.write("c", "written after the undo");
    let newer = write("c");
    place.ok(&["redo"]);
    assert!(has(&newer) && is_sound());
    place.ok(&["undo"]);
    assert!(is_sound());
}

#[test]
fn a_branch_whose_commit_was_pruned_is_not_brought_back() {
    let place = Place::with(&[("a", "a")]);
    let commit = "git -c user.name=a -c user.email=a@b commit -q";
    bash(&place, &format!("git init -q .; git add a; {commit} -m one; git branch kept"));
    bash(
        &place,
        &format!("git switch -qc side; echo b > b; git add b; {commit} -m two; git switch -q -"),
    );
    bash(&place, "git branch -D side kept; echo x > x");
    let prune = ["reflog", "expire", "--expire=now", "--all"];
    place.git(&prune);
    place.git(&["gc", "-q"]); // packed, and so found in a pack
    place.ok(&["undo"]);
    place.git(&["rev-parse", "--verify", "side^{commit}"]);
    place.ok(&["redo"]);
    place.git(&["gc", "-q", "--prune=now"]);
    let ran = place.run(&["undo"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains(".git/refs/heads/side") && ran.err.contains("--force"), "{ran:?}");
    assert!(!ran.err.contains("heads/kept"), "{ran:?}");
    assert!(place.has("x"), "nothing was touched");
    place.ok(&["undo", "--force"]);
    assert!(!place.has("x") && !place.has(".git/refs/heads/side"));
    place.git(&["rev-parse", "--verify", "kept^{commit}"]); // its commit is still there
    place.git(&["fsck", "--strict"]);
}

#[test]
fn a_change_without_content_is_shown_as_well() {
    let place = Place::with(&[("gone", ""), ("run.sh", "#!/bin/sh\n")]);
    let script = "command=rm gone; touch new; chmod 755 run.sh; mkdir -m 700 d";
    let call = |words: &[&str]| place.ok(&[&["call"], words, &["--policy", "trust"]].concat());
    for (words, planned, made) in [
        (
            &["write", "path=e.txt", "content="][..],
            &["create e.txt, empty"][..],
            &["created e.txt, empty"][..],
        ),
        (
            &["bash", script],
            &["remove gone", "create new, empty", "run.sh: mode 644 to 755", "create directory d"],
            &["removed gone, empty", "created new, empty", "run.sh: mode 644 to 755", "created d"],
        ),
    ] {
        let before = place.tree();
        let shown = call(&[words, &["--rehearse"]].concat());
        assert!(planned.iter().all(|line| shown.contains(line)), "{shown}");
        assert_eq!(place.tree(), before);
        call(words);
        let shown = place.ok(&["diff"]);
        let lines: BTreeSet<_> = shown.lines().collect();
        assert_eq!(lines, made.iter().copied().collect(), "{words:?}");
    }
    // The same, once its changes are not there.
    let before = place.ok(&["diff", "2"]);
    place.ok(&["undo", "2"]);
    let ran = place.run(&["diff", "2"]);
    assert_eq!((ran.code, ran.out), (Some(0), before));
    assert!(ran.err.contains("call 2 is undone; `kitbag redo 2`"), "{}", ran.err);
}

#[test]
fn plain_undo_takes_what_was_made_or_turned_last() {
    let place = Place::new();
    for content in ["one", "two", "three"] {
        let content = format!("content={content}");
        place.ok(&["call", "write", "path=a.txt", &content, "--policy", "trust"]);
        place.ok(&["call", "write", "path=b.txt", &content, "--policy", "trust"]);
    }
    place.ok(&["undo", "6"]);
    place.ok(&["undo", "5"]);
    place.ok(&["undo", "3"]);
    place.ok(&["redo", "3"]);
    // Not 4, which has the higher number.
    assert!(place.ok(&["diff"]).contains("+two"));
    let told = place.ok(&["undo"]);
    assert!(told.starts_with("undid call 3: write"), "{told}");
    let told = place.ok(&["undo"]);
    assert!(told.starts_with("undid call 4: write"), "{told}");
    for (words, says) in [
        (["undo", "4"], "call 4: undone already; redo makes"),
        (["redo", "1"], "call 1: not undone"),
        (["diff", "99"], "call 99: no such call in this directory"),
    ] {
        let ran = place.run(&words);
        assert!(ran.code == Some(1) && ran.err.contains(says), "{words:?}: {ran:?}");
    }
}

#[test]
fn plain_undo_passes_over_what_a_test_run_leaves_behind() {
    let place = Place::with(&[
        ("a.py", "one\n"),
        (".gitignore", "out/\n*.log\n.env\n"),
        (".env", "KEY=1\n"),
        ("kept.log", "old\n"),
        ("src/a", "a\n"),
        ("src/b", "b\n"),
        (".tag", "Signature: 8a477f597d28d172789f06886806bc55\n"),
    ]);
    let call = |words: &[&str]| place.ok(&[&["call"], words, &["--policy", "trust"]].concat());
    call(&["edit", "path=a.py", "old_string=one", "new_string=two"]);
    let cache = "mkdir -p __pycache__ .cache out; echo x > __pycache__/a.pyc; echo y > run.log; \
                 echo 'Signature: 8a477f597d28d172789f06886806bc55' > .cache/CACHEDIR.TAG; \
                 echo z > .cache/z; echo o > out/a.o";
    call(&["bash", &format!("command={cache}")]);
    assert!(place.run(&["diff"]).out.contains("+two"));
    let ran = place.run(&["undo", "--dry-run"]);
    assert!(ran.out.starts_with("would undo call 1: edit"), "{ran:?}");
    let ran = place.run(&["undo"]);
    assert!(ran.out.starts_with("undid call 1: edit"), "{ran:?}");
    assert!(ran.err.contains("call 2, bash") && ran.err.contains("kitbag undo 2"), "{ran:?}");
    assert_eq!((place.read("a.py").as_str(), place.has("__pycache__/a.pyc")), ("one\n", true));
    // Nothing else is left, so it is what is meant.
    assert!(place.ok(&["undo"]).starts_with("undid call 2: bash"));
    assert!(!place.has("__pycache__") && !place.has("run.log"));
    // What may be wanted back is no by-product, nor is what a tool itself wrote.
    for words in [
        ["bash", "command=echo KEY=2 > .env", "timeout_ms=9000"],
        ["bash", "command=rm kept.log", "timeout_ms=9000"],
        ["bash", "command=rm src/b; echo x > src/a; cp .tag src/CACHEDIR.TAG", "timeout_ms=9000"],
        ["bash", "command=mkdir -p out; echo x > out/x; echo x > src.py", "timeout_ms=9000"],
        ["write", "path=new.log", "content=x"],
    ] {
        let before = place.tree();
        call(&words);
        let ran = place.run(&["undo"]);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{words:?}");
        assert_eq!(place.tree(), before, "{words:?}");
    }
}

#[test]
fn a_commit_is_taken_back_in_words_of_git() {
    let place = Place::with(&[("a.txt", "one\n")]);
    place.commit_all();
    let git = |words: &[&str]| place.git(words);
    let first = git(&["rev-parse", "--short=7", "HEAD"]);
    let commit = "command=echo two > a.txt; git commit -qam second";
    place.ok(&["call", "bash", commit, "--policy", "trust"]);
    let log = place.ok(&["log"]);
    assert!(log.contains("changed branch main\n") && !log.contains("objects"), "{log}");
    let told = place.ok(&["undo"]);
    let line = format!("  branch main: as it was before, at commit {first}");
    assert!(told.contains(&line), "{told}");
    assert!(told.contains("a.txt: as it was before") && !told.contains("objects"), "{told}");
    assert!(told.contains("what is staged: as it was before\n"), "{told}");
    assert!(told.contains(" of git's own files\n"), "{told}");
    assert_eq!(git(&["rev-parse", "--short=7", "HEAD"]), first);
}

#[test]
fn what_a_tool_stages_is_taken_back_with_it() {
    let place = Place::with(&[("a.txt", "one\n")]);
    place.commit_all();
    let git = |words: &[&str]| place.git(words);
    place.write("a.txt", "two\n");
    place.write("b.txt", "new\n");
    let state = || (git(&["status", "--porcelain"]), git(&["log", "--format=%s"]));
    let before = state();
    let call = |tool: &str, given: &str| {
        place.ok(&["call", "--toolset", "floyd", tool, given, "--policy", "trust"])
    };
    call("git_stage", r#"{"files": ["b.txt"]}"#);
    assert_eq!(git(&["status", "--porcelain"]), " M a.txt\nA  b.txt\n");
    assert!(place.ok(&["log"]).contains("changed what is staged\n"));
    assert!(place.ok(&["undo"]).contains("what is staged: as it was before\n"));
    assert_eq!(state(), before);
    // To stage and to commit are two programs, which both write the index.
    call("git_commit", r#"{"message": "all"}"#);
    let after = state();
    assert_eq!(after, (String::new(), "all\nfirst\n".to_owned()));
    place.ok(&["undo"]);
    assert_eq!(state(), before);
    place.ok(&["redo"]);
    assert_eq!(state(), after);
    place.ok(&["undo"]);
    assert_eq!(state(), before);
    // Looking stages nothing.
    place.write("a.txt", "one\n");
    place.ok(&["call", "bash", "command=git status --short", "--policy", "trust"]);
    assert!(place.ok(&["log"]).contains("git_commit"));
    assert!(!place.ok(&["log"]).contains("bash"));
}

#[test]
fn a_linked_work_tree_is_made_whole_or_not_at_all() {
    let place = Place::with(&[("a.txt", "one\n"), ("src/b.txt", "two\n")]);
    place.commit_all();
    let git = |words: &[&str]| place.git(words);
    let add = "command=git worktree add -q tree -b other; git worktree add -q ../away; echo x > c";
    let ran = place.run(&["call", "bash", add, "--policy", "trust"]);
    let log = place.log();
    let Some(held) = log.iter().find(|call| call["held_back"] == true) else {
        return crate::place::skipped("commands have no layer here");
    };
    assert!(!place.has("tree") && place.has("c"), "{:?}", place.tree());
    let kept = std::fs::read_dir(place.root().join(".git/worktrees")).into_iter().flatten();
    assert_eq!(kept.count(), 0, "{ran:?}");
    assert!(!git(&["worktree", "list"]).contains("other"));
    let redo = format!("kitbag redo {}", held["call"]);
    let told = ".git/worktrees/away, .git/worktrees/tree, tree, with all that is in them; ";
    assert!(ran.err.contains(&redo) && ran.err.contains(told), "{ran:?}");
    // A person's yes makes it, and it works.
    place.ok(&["redo", &held["call"].to_string()]);
    assert_eq!(place.read("tree/src/b.txt"), "two\n");
    assert!(git(&["worktree", "list"]).contains("[other]"));
    assert_eq!(git(&["-C", "tree", "status", "--porcelain"]), "");
    place.ok(&["undo", "--force"]); // git wrote its index to look
    assert!(!place.has("tree"));
}

#[test]
fn a_call_of_another_project_is_not_missing_but_elsewhere() {
    let (one, two) = (Place::new(), Place::new());
    let state = one.state();
    let write = ["call", "write", "path=a", "content=x", "--policy", "trust"];
    one.ok(&write);
    let mut other = two.program(&["undo", "1"]);
    let ran = crate::place::Ran::of(other.env("KITBAG_STATE", &state).output().unwrap());
    let root = one.root().canonicalize().unwrap();
    let says =
        format!("call 1: made in another project, {}; `kitbag undo 1 --root", root.display());
    assert!(ran.code == Some(1) && ran.err.contains(&says), "{ran:?}");
    let mut other = two.program(&["undo", "--to", "1"]);
    let ran = crate::place::Ran::of(other.env("KITBAG_STATE", &state).output().unwrap());
    assert!(ran.code == Some(1) && ran.err.contains(&says), "{ran:?}");
    assert!(one.has("a"));
}

#[test]
fn a_file_that_an_earlier_redo_put_back_is_no_conflict() {
    let place = Place::new();
    for script in ["echo 1 > f", "echo 2 > f", "rm f"] {
        bash(&place, script);
    }
    for wanted in [Some("2\n"), Some("1\n"), None] {
        place.ok(&["undo"]);
        assert_eq!(place.has("f").then(|| place.read("f")).as_deref(), wanted);
    }
    for wanted in [Some("1\n"), Some("2\n"), None] {
        place.ok(&["redo"]);
        assert_eq!(place.has("f").then(|| place.read("f")).as_deref(), wanted);
    }
}

#[test]
fn plain_redo_makes_nothing_that_was_held_back() {
    let place = Place::new();
    let ran =
        place.run(&["call", "bash", "command=echo x > .envrc; echo y > a", "--policy", "auto"]);
    if !ran.err.contains("kitbag redo") && !ran.out.contains("kitbag redo") {
        return skipped("nothing is held back without a layer");
    }
    let ran = place.run(&["redo"]);
    assert!(ran.code == Some(1) && !place.has(".envrc"), "{ran:?}");
    place.ok(&["undo"]);
    place.ok(&["redo"]);
    assert!(place.has("a") && !place.has(".envrc"));
    place.ok(&["redo", "2"]);
    assert!(place.has(".envrc"));
}

#[test]
fn what_was_held_back_and_is_made_by_force_is_taken_back_to_what_it_was_made_of() {
    let place = Place::with(&[(".envrc", "old\n")]);
    let ran =
        place.run(&["call", "bash", "command=echo its > .envrc; echo y > a", "--policy", "auto"]);
    if !ran.err.contains("not changed") && !ran.out.contains("not changed") {
        return skipped("nothing is held back without a layer");
    }
    place.write(".envrc", "mine\n");
    let refused = place.run(&["redo", "2"]);
    assert!(refused.err.contains("--force") && place.read(".envrc") == "mine\n", "{refused:?}");
    place.ok(&["redo", "2", "--force"]);
    assert_eq!(place.read(".envrc"), "its\n");
    // Plain undo takes back what was made last, and that brings back what it was made of.
    let undone = place.ok(&["undo"]);
    assert!(undone.contains("call 2") && place.read(".envrc") == "mine\n", "{undone}");
    place.ok(&["redo"]);
    assert_eq!(place.read(".envrc"), "its\n");
    place.ok(&["undo"]);
    place.ok(&["undo"]);
    assert!(!place.has("a") && place.read(".envrc") == "mine\n");
}
