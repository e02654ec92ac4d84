//! What a layer keeps back: a person's work, and what git would run.

use std::fs;
use std::time::Duration;

use files::journal::{Approved, Direction, Parents};

use super::Settings;
use super::layered::{label, layered};

#[test]
fn what_a_person_removes_meanwhile_does_not_come_back_unsaid() {
    let files = [("d/e/f", "f"), ("d/g", "g"), ("file", "old"), ("a", "a"), ("sub/b", "b")];
    let Some(it) = layered(&files) else { return };
    let root = it.place.root.clone();
    let person = std::thread::spawn(move || {
        while !root.join("../state/layers").exists() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        std::thread::sleep(std::time::Duration::from_millis(300));
        fs::remove_dir_all(root.join("d")).unwrap();
        fs::remove_file(root.join("file")).unwrap();
    });
    let notes = it.run(
        "echo new > d/e/f; echo new > d/made; echo new > file; mv sub/b sub/c; echo x > fresh; sleep 1",
    );
    person.join().unwrap();
    let there = |path: &str| it.place.root.join(path).exists();
    assert!(!there("d") && !there("file"), "{notes:?}");
    assert!(there("fresh") && there("sub/c") && !there("sub/b"), "{notes:?}");
    let said = notes.join("\n");
    for path in ["d/e/f", "d/made", "file"] {
        assert!(said.contains(path), "{path}: {said}");
    }
    assert!(!said.contains("sub") && !said.contains("fresh"), "{said}");
    it.turn(Direction::Redo);
    assert_eq!((it.place.read("d/e/f"), it.place.read("file")), ("new\n".into(), "new\n".into()));
    assert!(there("d/made") && !there("d/g"));
    it.turn(Direction::Undo);
    assert!(!there("d") && !there("file"));
    // What only changed its name is no conflict.
    assert_eq!(it.run("mv a b; mkdir n; mv sub/c n; mv n m"), [""; 0]);
    assert_eq!((it.place.read("b"), it.place.read("m/c")), ("a".into(), "b".into()));
}

#[test]
fn what_was_saved_just_before_a_command_is_no_conflict() {
    let Some(it) = layered(&[("file", "old")]) else { return };
    let before = std::time::Instant::now();
    for n in 0..40 {
        // At any time within a tick of the clock that file systems stamp with.
        std::thread::sleep(Duration::from_micros(n * 171 % 4000));
        fs::write(it.place.root.join("file"), format!("{n}")).unwrap();
        assert_eq!(it.run("echo of the program >> file"), [""; 0], "{n}");
        assert_eq!(it.place.read("file"), format!("{n}of the program\n"));
    }
    assert!(before.elapsed() < Duration::from_secs(60), "a wait for the clock was not bounded");
}

#[test]
fn the_directory_that_git_takes_hooks_from_is_protected_wherever_it_is() {
    let Some(it) = layered(&[("tools/hooks/pre-commit", "old"), ("a", "a")]) else {
        return;
    };
    let done = std::process::Command::new("sh")
        .args(["-c", "git init -q . && git config core.hooksPath ./tools/hooks"])
        .current_dir(&it.place.root)
        .status();
    assert!(done.unwrap().success());
    let notes = it
        .run("echo x > tools/hooks/pre-commit; echo x > tools/hooks/post-merge; echo x > tools/a");
    assert!(notes[0].contains("tools/hooks/pre-commit"), "{notes:?}");
    assert_eq!(it.place.read("tools/hooks/pre-commit"), "old");
    assert!(!it.place.root.join("tools/hooks/post-merge").exists());
    assert_eq!(it.place.read("tools/a"), "x\n");
    let step = it.journal.begin(&it.ws, label(), Approved::default());
    let refused = step.write("tools/hooks/pre-commit", b"x", Parents::Require).unwrap_err();
    assert_eq!(refused.code, fault::Code::ProtectedPath);
}

#[test]
fn a_repository_that_gives_orders_is_not_planted_in_parts() {
    let config = "[core]\n repositoryformatversion=0\n worktree=..\n fsmonitor=./x\n";
    for (first, second) in [
        ("echo 'ref: refs/heads/main' > r/HEAD; cp c r/config", "mkdir -p r/objects r/refs/heads"),
        ("mkdir -p r/objects r/refs/heads; cp c r/config", "echo 'ref: refs/heads/main' > r/HEAD"),
        ("mkdir -p r/refs r/hooks; echo x > r/hooks/pre-commit; touch r/HEAD", "mkdir r/objects"),
    ] {
        let Some(it) = layered(&[("c", config), ("r/a", "a")]) else { return };
        assert_eq!(it.run(first), [""; 0]);
        let notes = it.run(second).join("\n");
        assert!(notes.contains("not changed") && notes.contains("r/"), "{second}: {notes}");
        let there = |name: &str| it.place.root.join("r").join(name).exists();
        assert!(!(there("HEAD") && there("objects") && there("refs")), "{second}");
    }
    // One without orders may come in parts.
    let Some(it) = layered(&[("r/a", "a")]) else { return };
    it.run("git init -q --bare whole; cp -r whole/config whole/HEAD r");
    assert_eq!(it.run("cp -r whole/objects whole/refs r"), [""; 0]);
}

#[test]
fn what_a_person_stages_meanwhile_stays_staged() {
    let git = "git -c user.name=a -c user.email=a@b";
    for script in ["touch a; git status -s > out/s", "echo z > z; git add z; git commit -qm z"] {
        let Some(it) = layered(&[("a", "a"), ("n", "n"), (".gitignore", "out\n"), ("out/o", "")])
        else {
            return;
        };
        it.run(&format!("git init -q . && {git} add a .gitignore && {git} commit -qm one"));
        let root = it.place.root.clone();
        let person = std::thread::spawn(move || {
            while !root.join("out/began").exists() {
                std::thread::sleep(Duration::from_millis(5));
            }
            let done =
                std::process::Command::new("git").args(["add", "n"]).current_dir(&root).status();
            assert!(done.unwrap().success());
        });
        let setting = "export GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=a \
                       GIT_CONFIG_KEY_1=user.email GIT_CONFIG_VALUE_1=a@b";
        let notes = it.run(&format!("{setting}; {script}; touch out/began; sleep 1")).join("\n");
        person.join().unwrap();
        let staged = std::process::Command::new("git")
            .args(["diff", "--cached", "--name-status"])
            .current_dir(&it.place.root)
            .output();
        let staged = String::from_utf8(staged.unwrap().stdout).unwrap();
        assert_eq!(staged, "A\tn\n", "{script}: {notes}");
        assert!(
            notes.contains("left as somebody else saved them") && notes.contains("index"),
            "{notes}"
        );
    }
}

#[test]
fn hooks_that_the_persons_own_configuration_names_are_protected() {
    let Some(mut it) = layered(&[("hooks/old", "old"), ("a", "a")]) else { return };
    let home = it.place.root.parent().unwrap().join("home");
    fs::create_dir_all(home.join("dotfiles")).unwrap();
    fs::write(home.join("dotfiles/gitconfig"), "[include]\n\tpath = ~/more\n").unwrap();
    std::os::unix::fs::symlink("dotfiles/gitconfig", home.join(".gitconfig")).unwrap();
    fs::write(home.join("more"), "[core]\n\thooksPath = hooks\n").unwrap();
    let env = vec![("HOME".into(), home.into_os_string())];
    it.journal = it.journal.with_git(Settings { env, ..Settings::default() }.persons_git());
    let notes = it.run("git init -q .; echo x > hooks/pre-commit; echo b > a");
    assert!(notes[0].contains("hooks/pre-commit"), "{notes:?}");
    assert!(!it.place.root.join("hooks/pre-commit").exists());
    assert_eq!(it.place.read("a"), "b\n");
}

#[test]
fn a_configuration_that_is_no_text_or_too_long_is_not_let_in() {
    let Some(it) = layered(&[("a", "a")]) else { return };
    it.run("git init -q .");
    let before = it.place.read(".git/config");
    for script in [
        "printf '[core]\\n\\tfsmonitor = ./x\\n# \\377\\n' >> .git/config",
        "yes '# comment' | head -c 1100000 >> .git/config; echo; git config core.fsmonitor ./x",
    ] {
        let notes = it.run(script).join("\n");
        assert!(notes.contains(".git/config"), "{script}: {notes}");
        assert_eq!(it.place.read(".git/config"), before, "{script}");
    }
}

#[test]
fn what_the_configuration_of_git_names_is_protected_also_behind_links_and_ignores() {
    let files = [("real/old", "old"), (".gitignore", "target\n"), ("target/x", "x"), ("a", "a")];
    for (setting, script, named) in [
        ("core.hooksPath tools/hooks", "rm -rf tools; mkdir -p t2/hooks; ln -s t2 tools", "tools"),
        ("core.hooksPath lk", "echo x > real/pre-commit", "real/pre-commit"),
        ("core.hooksPath target/hooks", "mkdir target/hooks; echo x > target/hooks/h", "target"),
        (
            "core.hooksPath tools/hooks && printf '[core] # x\\n\thooksPath = hk # ours\\n[alias]\\n\ta = b \\\\\\n c\\n' >> .git/config",
            "mkdir hk; echo x > hk/pre-commit",
            "hk",
        ),
        ("include.path ../inc", "git config -f inc core.fsmonitor ./x", "inc"),
    ] {
        let Some(it) = layered(&files) else { return };
        std::os::unix::fs::symlink("real", it.place.root.join("lk")).unwrap();
        let git = format!("git init -q . && git config {setting} && mkdir -p tools/hooks");
        let mut done = std::process::Command::new("sh");
        assert!(done.args(["-c", &git]).current_dir(&it.place.root).status().unwrap().success());
        let notes = it.run(script).join("\n");
        assert!(notes.contains(named), "{setting}: {notes}");
        let there = |path: &str| it.place.root.join(path).symlink_metadata().is_ok();
        assert!(
            !there("real/pre-commit")
                && !there("target/hooks/h")
                && !there("inc")
                && !there("hk/pre-commit")
        );
        assert!(it.place.root.join("tools/hooks").is_dir(), "{setting}");
        assert!(!it.place.root.join("tools").is_symlink(), "{setting}");
    }
}

#[test]
fn an_index_stays_with_the_commit_that_it_was_written_for() {
    let Some(it) = layered(&[("a", "a")]) else { return };
    let git = |script: &str| {
        let mut sh = std::process::Command::new("sh");
        let set = "git config user.email a@b; git config user.name n;";
        sh.args(["-c", &format!("{set} {script}")]).current_dir(&it.place.root);
        String::from_utf8(sh.output().unwrap().stdout).unwrap()
    };
    git("git init -q . && git add . && git commit -qm one");
    let root = it.place.root.clone();
    let person = std::thread::spawn(move || {
        while !root.join("../state/layers").exists() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(400));
        let script = "echo p > pf; git add pf; git -c user.name=n -c user.email=a@b commit -qm p";
        let mut sh = std::process::Command::new("sh");
        assert!(sh.args(["-c", script]).current_dir(&root).status().unwrap().success());
    });
    let commit = "git -c user.name=n -c user.email=a@b commit -qm agent";
    let notes = it.run(&format!("echo q > af; git add .; {commit}; sleep 1.5"));
    person.join().unwrap();
    assert!(!notes.is_empty());
    assert_eq!(git("git status --porcelain --untracked-files=no"), "", "{notes:?}");
    assert_eq!(git("git log --format=%s -1"), "p\n");
}

#[test]
fn what_git_tracks_is_journalled_also_in_a_linked_work_tree_and_what_it_ignores_is_told_from_it() {
    let Some(it) = layered(&[(".gitignore", "vendor\nbuild/\n"), ("a/.gitignore", "!build/\n")])
    else {
        return;
    };
    let script = "mv root kept; git init -q main; cd main; git config user.email a@b
        git config user.name n; git commit -q --allow-empty -m one; git worktree add -q ../root
        cp -a ../kept/. ../root; cd ../root; mkdir vendor a/build; echo v > vendor/f
        echo b > a/build/b; git add -f .; git rm -q --cached a/build/b";
    let mut sh = std::process::Command::new("sh");
    sh.args(["-ec", script]).current_dir(it.place.root.parent().unwrap());
    assert!(sh.status().unwrap().success());
    let (ws, journal) = it.place.open();
    let it = super::layered::Layered { ws, journal, ..it };
    for _ in 0..2 {
        it.run("echo new > vendor/f; echo new > a/build/b");
        assert_eq!(it.newest(), ["changed a/build/b", "changed vendor/f"]);
        it.turn(Direction::Undo);
        assert_eq!(
            (it.place.read("vendor/f"), it.place.read("a/build/b")),
            ("v\n".into(), "b\n".into())
        );
    }
}
