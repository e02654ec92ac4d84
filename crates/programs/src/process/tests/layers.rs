//! What programs change in a layer, and how it comes into the root.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use files::journal::{Approved, Direction, Status, Step};

use super::layered::{label, layered, tree};
use super::*;

/// A file that is there from the beginning, and a wait of a program until somebody writes to it.
const GO: (&str, &str) = ("go", "n");
const AWAIT: &str = "until grep -q y go; do sleep 0.01; done";

/// Waits until a program has made a file of this name in a layer.
fn appears(layers: &Path, name: &str) {
    fn is_below(directory: &Path, name: &str) -> bool {
        fs::read_dir(directory).into_iter().flatten().flatten().any(|entry| {
            let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
            entry.file_name() == name || is_directory && is_below(&entry.path(), name)
        })
    }
    let start = Instant::now();
    while !is_below(layers, name) {
        assert!(start.elapsed() < Duration::from_secs(20), "{name} does not appear");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn every_kind_of_change_comes_in_and_goes_back() {
    let Some(it) = layered(&[
        ("keep", "k"),
        ("edit", "old"),
        ("gone", "g"),
        ("mode", "m"),
        ("dir/a", "a"),
        ("dir/b", "b"),
        ("deep/x/y", "y"),
        ("swap", "file"),
        ("turned/f", "f"),
        ("same", "s"),
    ]) else {
        return;
    };
    fs::hard_link(it.place.root.join("keep"), it.place.root.join("other")).unwrap();
    std::os::unix::fs::symlink("keep", it.place.root.join("link")).unwrap();
    let before = tree(&it.place.root);
    it.run(
        "echo new > edit; rm gone; chmod 700 mode; mkdir -p made/here; echo 1 > made/here/f
         rm -rf dir; mkdir dir; echo c > dir/c; rm -rf deep/x; rm swap; mkdir swap; echo i > swap/i
         rm -rf turned; echo file > turned; ln -sfn edit link; ln -s made new-link; mkfifo pipe
         touch -r same stamp; echo s | tr -d '\\n' > same.new; rm stamp same.new; mkdir closed
         echo c > closed/c; chmod 555 closed; : >> same; echo more >> keep",
    );
    let after = tree(&it.place.root);
    assert_ne!(before, after);
    assert_eq!(it.place.read("edit"), "new\n");
    assert_eq!(it.place.read("dir/c"), "c\n");
    assert!(!it.place.root.join("dir/a").exists() && !it.place.root.join("deep/x").exists());
    assert!(it.place.root.join("swap/i").exists() && it.place.root.join("turned").is_file());
    let bits =
        |name: &str| fs::metadata(it.place.root.join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((bits("mode"), bits("closed")), (0o700, 0o555));
    assert!(!it.newest().iter().any(|change| change.ends_with(" same")), "{:?}", it.newest());
    it.turn(Direction::Undo);
    assert_eq!(tree(&it.place.root), before);
    it.turn(Direction::Redo);
    assert_eq!(tree(&it.place.root), after);
    it.turn(Direction::Undo);
    assert_eq!(tree(&it.place.root), before);
}

#[test]
fn a_directory_is_renamed_in_a_layer_by_git_and_by_others() {
    let Some(it) = layered(&[("d/e/f", "f"), ("d/g", "g"), ("p/q", "q"), (".gitignore", "")])
    else {
        return;
    };
    it.run("git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm one");
    let notes = it.run("git mv d moved && python3 -c 'import os; os.rename(\"p\", \"r\")' && rmdir moved/none 2>&-; :");
    assert_eq!(notes, [""; 0]);
    assert_eq!((it.place.read("moved/e/f"), it.place.read("r/q")), ("f".into(), "q".into()));
    assert!(!it.place.root.join("d").exists() && !it.place.root.join("p").exists());
    it.turn(Direction::Undo);
    assert_eq!((it.place.read("d/e/f"), it.place.read("p/q")), ("f".into(), "q".into()));
    let status = std::process::Command::new("git")
        .args(["status", "--short"])
        .current_dir(&it.place.root)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&status.stdout), "", "the index went back too");
}

#[test]
fn a_directory_in_which_a_file_is_written_is_not_renamed_in_a_layer() {
    let Some(it) = layered(&[("p/q", "q"), ("p/[x]/log", "old\n")]) else { return };
    let notes = it.run(
        "python3 -c 'import errno, os
log = open(\"p/[x]/log\", \"a\")
read = open(\"p/q\")
for d in (\"p\", \"p/[x]\"):
    try: os.rename(d, \"r\")
    except OSError as e: assert e.errno == errno.EBUSY, e
    else: raise SystemExit(\"renamed\")
log.write(\"new\\n\")
log.close()
import mmap
with open(\"p/q\", \"r+b\") as f: mapped = mmap.mmap(f.fileno(), 1)
try: os.rename(\"p\", \"r\")
except OSError as e: assert e.errno == errno.EBUSY, e
else: raise SystemExit(\"renamed\")
mapped[0:1] = b\"m\"
mapped.close()
os.rename(\"p\", \"r\")' || echo failed > failed",
    );
    assert_eq!(notes, [""; 0]);
    assert!(!it.place.root.join("failed").exists());
    assert_eq!(it.place.read("r/[x]/log"), "old\nnew\n");
    assert_eq!(it.place.read("r/q"), "m");
}

#[test]
fn what_a_person_saves_meanwhile_stays_theirs_and_the_programs_version_is_kept() {
    let Some(it) =
        layered(&[("both", "old"), ("removed", "old"), ("dir/inner", "old"), ("free", "old"), GO])
    else {
        return;
    };
    let (root, layers) = (it.place.root.clone(), it.place.state.dir().join("layers"));
    let person = std::thread::spawn(move || {
        appears(&layers, "free");
        fs::write(root.join("both"), "person").unwrap();
        fs::write(root.join("new.tmp"), "person").unwrap();
        fs::rename(root.join("new.tmp"), root.join("removed")).unwrap();
        fs::write(root.join("dir/inner"), "person").unwrap();
        fs::write(root.join("fresh"), "person").unwrap();
        fs::write(root.join("go"), "y").unwrap();
    });
    let notes = it.run(&format!(
        "echo program > both; rm removed; rm -r dir; echo program > free; {AWAIT}; echo program > fresh"
    ));
    person.join().unwrap();
    for name in ["both", "removed", "dir/inner", "fresh"] {
        assert_eq!(it.place.read(name), "person", "{name}");
    }
    assert_eq!(it.place.read("free"), "program\n");
    for name in ["both", "removed", "dir", "fresh", "kitbag redo"] {
        assert!(notes[0].contains(name), "{notes:?}");
    }
    let withheld = it.journal.log(&it.ws, 1).unwrap().remove(0);
    assert_eq!(withheld.status, Status::Undone);
    it.journal.turn(&it.ws, Direction::Redo, Some(withheld.id)).unwrap();
    assert_eq!(
        (it.place.read("both"), it.place.read("fresh")),
        ("program\n".into(), "program\n".into())
    );
    assert!(!it.place.root.join("removed").exists() && !it.place.root.join("dir").exists());
    it.turn(Direction::Undo);
    for name in ["both", "removed", "dir/inner", "fresh"] {
        assert_eq!(it.place.read(name), "person", "{name}");
    }
}

#[test]
fn what_programs_obey_is_kept_aside_and_the_rest_comes_in() {
    let Some(it) = layered(&[("a", "a"), (".vscode/tasks.json", "{}")]) else { return };
    it.run("git init -q .; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one");
    assert!(it.place.root.join(".git/config").exists(), "a new repository is let in");
    let config = it.place.read(".git/config");
    let notes = it.run(
        "echo evil > .vscode/tasks.json; echo evil > .envrc; echo fine > a
         git config core.fsmonitor ./x; echo /x > .git/commondir; mkdir -p .git/hooks
         echo x > .git/hooks/pre-commit; mkdir -p .git/modules/m; echo '[core]' > .git/modules/m/config
         mkdir bare; cd bare; git init -q --bare; git config core.sshCommand ./x",
    );
    let said = notes.join("\n");
    for name in [
        ".vscode/tasks.json",
        ".envrc",
        ".git/config",
        ".git/commondir",
        ".git/hooks/pre-commit",
        "bare/config",
    ] {
        assert!(said.contains(name), "{name}: {said}");
    }
    assert_eq!(it.place.read(".vscode/tasks.json"), "{}");
    assert_eq!(it.place.read(".git/config"), config);
    for name in [".envrc", ".git/commondir", ".git/hooks/pre-commit", "bare/config"] {
        assert!(!it.place.root.join(name).exists(), "{name}");
    }
    assert_eq!(it.place.read("a"), "fine\n");
    assert_eq!(it.run("git remote add origin https://example.org/x.git"), [""; 0]);
    assert!(it.place.read(".git/config").contains("example.org"));
}

#[test]
fn a_cancelled_program_leaves_nothing_and_a_killed_server_too() {
    let Some(it) = layered(&[("a", "old")]) else { return };
    let cancel = Cancel::default();
    let other = cancel.clone();
    let layers = it.place.state.dir().join("layers");
    let stop = std::thread::spawn(move || {
        appears(&layers, "b");
        other.cancel();
    });
    let step = it.journal.begin(&it.ws, label(), Approved::default());
    let done = it.run_in(&step, "echo new > a; echo b > b; sleep 60", &cancel);
    stop.join().unwrap();
    assert_eq!(done.exit, crate::process::Exit::Cancelled);
    assert_eq!(step.keep().unwrap(), None);
    assert_eq!(it.place.read("a"), "old");
    assert!(!it.place.root.join("b").exists());
    let layers = it.place.state.dir().join("layers");
    it.journal.close_replaced();
    assert_eq!(fs::read_dir(&layers).unwrap().count(), 0, "the layer is gone");
    // What a killed server left has no lock any more.
    fs::create_dir_all(layers.join("dead/0/upper")).unwrap();
    fs::write(layers.join("dead/lock"), "").unwrap();
    let (ws, journal) = it.place.open();
    drop(journal.begin(&ws, label(), Approved::default()).layers(&ws).unwrap());
    journal.close_replaced();
    assert_eq!(fs::read_dir(&layers).unwrap().count(), 0);
}

#[test]
fn ignored_directories_are_written_directly_and_tracked_ones_are_not() {
    let Some(it) = layered(&[
        (".gitignore", "target/\nout/\n"),
        ("target/a", "a"),
        ("out/kept", "k"),
        ("sub/x", "x"),
    ]) else {
        return;
    };
    it.run("git init -q . && git add -f out/kept .gitignore sub && git -c user.name=a -c user.email=a@b commit -qm one");
    it.run(
        "echo new > target/a; echo new > out/kept; mkdir -p sub/target; echo 1 > sub/target/one",
    );
    assert_eq!(it.newest(), ["changed out/kept", "created sub/target"]);
    assert_eq!(it.place.read("target/a"), "new\n");
    it.turn(Direction::Undo);
    assert_eq!(it.place.read("out/kept"), "k", "tracked, whatever .gitignore says");
    assert!(!it.place.root.join("sub/target").exists());
    it.turn(Direction::Redo);
    assert_eq!(it.place.read("sub/target/one"), "1\n");
    it.run("rm -rf target; mkdir target; echo t > target/t");
    assert_eq!(it.place.read("target/t"), "t\n");
    it.run("rm -rf target && mkdir -p new/deep && echo n > new/deep/n && mv new target");
    assert_eq!(it.place.read("target/deep/n"), "n\n");
    it.run("mv target elsewhere");
    assert_eq!(it.place.read("elsewhere/deep/n"), "n\n");
    assert!(!it.place.root.join("target/deep").exists());
}

#[test]
fn a_rehearsal_shows_the_diff_and_changes_nothing() {
    let Some(it) = layered(&[("a", "old\n"), ("gone", "g\n")]) else { return };
    let before = tree(&it.place.root);
    let step = Step::dry(&it.journal, &it.ws, Approved::default());
    it.run_in(
        &step,
        "echo new > a; rm gone; mkdir d; echo x > d/f; echo x > .envrc",
        &Cancel::default(),
    );
    let shown = step.planned().show(&it.ws);
    for part in ["-old\n+new\n", "remove gone", "+++ d/f", ".envrc: not brought in"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(tree(&it.place.root), before);
    assert!(it.journal.log(&it.ws, 9).unwrap().is_empty());
}

#[test]
fn many_files_come_in_at_once() {
    let Some(it) = layered(&[]) else { return };
    it.run("for i in $(seq 2000); do echo $i > f$i; done");
    let start = std::time::Instant::now();
    it.run("for i in $(seq 2000); do echo x >> f$i; done");
    println!("2000 appends brought in: {:?}", start.elapsed());
    assert_eq!(it.place.read("f1999"), "1999\nx\n");
    it.turn(Direction::Undo);
    assert_eq!(it.place.read("f1999"), "1999\n");
    assert_eq!(it.journal.log(&it.ws, 1).unwrap()[0].changes.len(), 2000);
}

#[test]
fn sockets_and_set_id_bits_are_not_kept_and_that_is_said() {
    let Some(it) = layered(&[("old", "x"), (".gitignore", "out/\n")]) else { return };
    let notes = it.run(
        "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"s\")'; \
         cp /bin/true new; chmod 6755 new; chmod 4750 old; mkdir out; cp -p new out/ignored",
    );
    let all = tree(&it.place.root);
    assert!(!it.place.root.join("s").exists(), "{all:?}");
    for (name, wanted) in [("new", 0o755), ("old", 0o750), ("out/ignored", 0o755)] {
        let mode = it.place.root.join(name).metadata().unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode, wanted, "{name}: {mode:o}");
    }
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert_eq!(notes[0], "sockets and devices are not kept: s");
    assert!(notes[1].starts_with("no set-user-ID or set-group-ID bit is kept: "), "{notes:?}");
    it.turn(Direction::Undo);
    assert_eq!(
        it.newest(),
        ["changed old", "created new", "created out"].map(String::from).to_vec()
    );
}

#[test]
fn nothing_that_the_persons_git_would_run_or_follow_comes_in() {
    let Some(it) = layered(&[("a", "a"), (".gitignore", "logs/\n.worktrees/\n")]) else { return };
    let git = "git -c user.name=a -c user.email=a@b";
    it.run(&format!("git init -q . && git add -A && {git} commit -qm one"));
    let done = std::process::Command::new("git")
        .args(["worktree", "add", "-q", ".worktrees/w"])
        .current_dir(&it.place.root)
        .status();
    assert!(done.unwrap().success());
    for (script, path) in [
        ("printf '[core] fsmonitor = \"touch x;false\" #]\\n' >> .git/config", ".git/config"),
        ("rm -rf .git/hooks; mkdir h; ln -s ../h .git/hooks", ".git/hooks"),
        ("ln -s /etc/passwd .git/COMMIT_EDITMSG2", ".git/COMMIT_EDITMSG2"),
        (
            "mkdir -p .git/rebase-merge; echo 'exec touch x' > .git/rebase-merge/git-rebase-todo",
            "git-rebase-todo",
        ),
        ("ln -s ../h .git/modules", ".git/modules"),
        ("mkfifo .git/index2", ".git/index2"),
        (
            "mkdir -p .git/logs2; mkdir e; echo 'gitdir: ../../e' > .worktrees/w/.git",
            ".worktrees/w/.git",
        ),
    ] {
        let said = it.run(script).join("\n");
        assert!(said.contains(path) && said.contains("not changed"), "{script}: {said}");
    }
    for link in [".git/hooks", ".git/COMMIT_EDITMSG2", ".git/modules", ".git/index2"] {
        let found = fs::symlink_metadata(it.place.root.join(link));
        assert!(found.is_err() || found.unwrap().is_dir(), "{link}");
    }
    assert!(!it.place.read(".git/config").contains("fsmonitor"));
}

#[test]
fn a_withheld_directory_can_be_put_in_whole() {
    let Some(it) = layered(&[(".vscode/tasks.json", "{}"), (".vscode/mine", "m")]) else { return };
    let notes = it.run("rm -rf .vscode; mkdir .vscode; echo new > .vscode/tasks.json");
    assert!(notes[0].contains(".vscode/tasks.json"), "{notes:?}");
    it.turn(Direction::Redo);
    assert_eq!(it.place.read(".vscode/tasks.json"), "new\n");
    assert!(!it.place.root.join(".vscode/mine").exists());
    it.turn(Direction::Undo);
    assert_eq!(
        (it.place.read(".vscode/tasks.json"), it.place.read(".vscode/mine")),
        ("{}".into(), "m".into())
    );
}

#[test]
fn a_withheld_directory_takes_the_place_of_a_file_and_gives_it_back() {
    let Some(it) = layered(&[("x", "one\n"), ("a", "a"), GO]) else { return };
    let (root, layers) = (it.place.root.clone(), it.place.state.dir().join("layers"));
    let person = std::thread::spawn(move || {
        appears(&layers, "begun");
        fs::write(root.join("x"), "a person's\n").unwrap();
        fs::write(root.join("go"), "y").unwrap();
    });
    let notes = it.run(&format!(
        "touch begun; {AWAIT}; rm x; mkdir -p x/d; echo in > x/f; echo deep > x/d/g"
    ));
    person.join().unwrap();
    assert!(notes[0].contains("left as somebody else saved them"), "{notes:?}");
    assert_eq!(it.place.read("x"), "a person's\n");
    it.turn(Direction::Redo);
    assert_eq!((it.place.read("x/f"), it.place.read("x/d/g")), ("in\n".into(), "deep\n".into()));
    it.turn(Direction::Undo);
    assert_eq!(it.place.read("x"), "a person's\n");
}

#[test]
fn what_a_program_prints_of_overflow_does_not_end_the_layers() {
    let Some(it) = layered(&[("a", "a")]) else { return };
    let step = it.journal.begin(&it.ws, label(), Approved::default());
    let words = "echo 'cp: Value too large for defined data type' >&2; exit 1";
    assert_eq!(it.run_in(&step, words, &Cancel::default()).advice, [""; 0]);
    drop(step);
    it.run("echo b > a"); // `run` holds that layers are still made
    it.turn(Direction::Undo);
    assert_eq!(it.place.read("a"), "a");
}

#[test]
fn a_save_into_a_file_that_undo_gave_back_is_not_redone_over() {
    let Some(it) = layered(&[("kept.txt", "one\n"), ("gone.txt", "two\n")]) else { return };
    it.run("echo new > kept.txt; rm gone.txt");
    it.turn(Direction::Undo);
    for name in ["kept.txt", "gone.txt"] {
        // Into the very file, as some editors save.
        fs::write(it.place.root.join(name), "a person's\n").unwrap();
    }
    let refused = it.journal.turn(&it.ws, Direction::Redo, None).unwrap_err();
    assert_eq!(refused.code, fault::Code::UndoConflict);
    for name in ["kept.txt", "gone.txt"] {
        assert!(refused.message.contains(name), "{refused}");
        assert_eq!(it.place.read(name), "a person's\n");
    }
    it.journal.turn_by_force(&it.ws, Direction::Redo, None).unwrap();
    assert_eq!(it.place.read("kept.txt"), "new\n");
    assert!(!it.place.root.join("gone.txt").exists());
    it.turn(Direction::Undo);
    for name in ["kept.txt", "gone.txt"] {
        assert_eq!(it.place.read(name), "a person's\n");
    }
}
