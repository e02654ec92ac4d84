//! What a person saves while a command runs without a layer is the person's.

use std::fs;

use serde_json::json;

use crate::client::Server;
use crate::place::{Place, wait_until};

const SANDBOXES: [&str; 3] = ["auto", "landlock", "off"];

/// Runs a command that waits, when it did the `first` half, until the person did what they do; gives
/// what it answered.
fn meanwhile(
    place: &Place,
    sandbox: &str,
    (first, second): (&str, &str),
    person: impl FnOnce(),
) -> String {
    let more = ["--layer", "off", "--sandbox", sandbox];
    let mut fiz = Server::start(place.server("fiz", "trust", &more), false);
    let script = format!(
        "{first}; echo > began; while [ ! -e done.person ]; do sleep 0.02; done; {second}; rm began"
    );
    let slow = fiz.begin("bash", &json!({ "command": script }));
    wait_until("the command works", || place.has("began"));
    person();
    place.write("done.person", "");
    fiz.answer(&slow).ok().to_owned()
}

/// The line of an answer or a log that has these words.
#[track_caller]
fn line<'t>(text: &'t str, words: &str) -> &'t str {
    text.lines().find(|line| line.contains(words)).unwrap_or_else(|| panic!("{words}: {text}"))
}

#[test]
fn what_a_person_saves_beside_a_command_is_in_no_call_and_stays() {
    for sandbox in SANDBOXES {
        let place = Place::with(&[
            ("d/changed", "old\n"),
            ("d/gone", "old\n"),
            ("d/its", "old\n"),
            ("d/its too", "old\n"),
            ("moved/a", "a\n"),
        ]);
        let its = (
            "echo new > d/its; mkdir d/made; echo x > d/made/x; mv moved elsewhere",
            "rm 'd/its too'; ln -s its d/link; cp d/its d/copy; chmod 600 d/copy",
        );
        let said = meanwhile(&place, sandbox, its, || {
            place.write("d/new", "mine\n");
            place.write("d/made/mine", "mine\n");
            place.write("d/.changed", "mine\n");
            fs::rename(place.path("d/.changed"), place.path("d/changed")).unwrap();
            fs::remove_file(place.path("d/gone")).unwrap();
        });
        let told = line(&said, "by somebody else");
        assert!(told.contains("not part of this call"), "{sandbox}: {told}");
        for path in ["d/new", "d/changed", "d/gone", "d/made/mine", "done.person"] {
            assert!(told.contains(path), "{sandbox}: {path}: {told}");
        }
        let after = place.tree();
        let log = place.log();
        assert_eq!((log.len(), log[0]["missed"].as_str()), (1, Some("")), "{sandbox}");
        let changes = log[0]["changes"].as_array().unwrap();
        let paths: Vec<_> = changes.iter().map(|c| c["path"].as_str().unwrap()).collect();
        let its = ["d/its too", "elsewhere", "moved", "moved/a", "d/made", "d/made/x", "d/link"];
        assert!(its.iter().all(|path| paths.contains(path)), "{sandbox}: {paths:?}");
        assert!(!paths.iter().any(|path| told.contains(path) && path.len() > 6), "{paths:?}");
        place.ok(&["undo"]);
        assert_eq!(
            (place.read("d/its"), place.read("d/its too")),
            ("old\n".into(), "old\n".into())
        );
        assert_eq!(
            (place.read("d/new"), place.read("d/changed")),
            ("mine\n".into(), "mine\n".into())
        );
        assert_eq!(
            (place.read("d/made/mine"), place.read("moved/a")),
            ("mine\n".into(), "a\n".into())
        );
        assert!(!place.has("d/gone") && !place.has("d/made/x") && !place.has("elsewhere"));
        place.ok(&["redo"]);
        assert_eq!(place.tree(), after, "{sandbox}");
    }
}

#[test]
fn a_file_that_a_command_and_a_person_both_wrote_is_left_and_can_be_put_back() {
    let write = |place: &Place| fs::write(place.path("both"), "mine\n").unwrap();
    let rename = |place: &Place| {
        fs::write(place.path("new"), "mine\n").unwrap();
        fs::rename(place.path("new"), place.path("both")).unwrap();
    };
    let saves: [&dyn Fn(&Place); 2] = [&write, &rename];
    for (number, save) in saves.into_iter().enumerate() {
        for its in
            [("echo its > both; echo x > only", ":"), (":", "echo its >> both; echo x > only")]
        {
            let place = Place::with(&[("both", "old\n")]);
            let said = meanwhile(&place, "auto", its, || save(&place));
            let told = line(&said, "by the command and by somebody else");
            assert!(told.contains("both") && !told.contains("only"), "{number} {its:?}: {told}");
            let held = place.log().into_iter().find(|step| step["held_back"] == true).unwrap();
            assert_eq!(held["changes"][0]["path"], "both");
            let both = place.read("both");
            place.ok(&["undo"]);
            assert!(!place.has("only") && place.read("both") == both, "{number} {its:?}");
            place.ok(&["redo", &held["call"].to_string()]);
            assert_eq!(place.read("both"), "old\n");
            place.ok(&["undo"]);
            assert_eq!(place.read("both"), both);
        }
    }
    // Who alone writes a file many times, and by many names, is not taken for two.
    let place = Place::with(&[("a", "a\n"), ("b", "b\n")]);
    let its = "for i in 1 2 3; do echo $i >> a; cp a new; mv new b; ln -f b c; echo $i >> c; done; \
               sed -i s/1/2/ a; exec 3>>a; mv a z; echo more >&3; exec 3>&-; echo x > /dev/stderr";
    let said = meanwhile(&place, "auto", (its, ":"), || {});
    assert!(!said.contains("by the command and by somebody"), "{said}");
    let (now, log) = (place.tree(), place.log());
    assert_eq!(log.len(), 1, "{said}");
    place.ok(&["undo"]);
    assert_eq!((place.read("a"), place.read("b")), ("a\n".into(), "b\n".into()));
    place.ok(&["redo"]);
    assert_eq!(place.tree(), now);
}

#[test]
fn a_save_is_seen_beside_what_a_command_writes_under_another_name_or_links() {
    let save = |place: &Place| fs::write(place.path("both"), "one, mine\n").unwrap();
    for its in [
        ("sed -i s/one/its/ both", "echo x > only"),
        (":", "sed -i s/one/its/ both; echo x > only"),
        ("cp both x; mv x y; mv y both", "echo x > only"),
        // Another file with several names.
        ("ln other linked; echo more >> linked; echo its > both", "echo x > only"),
    ] {
        let place = Place::with(&[("both", "one\n"), ("other", "other\n")]);
        let said = meanwhile(&place, "auto", its, || save(&place));
        let told = line(&said, "by the command and by somebody else");
        assert!(told.contains("both") && !told.contains("other"), "{its:?}: {told}");
        let both = place.read("both");
        place.ok(&["undo"]);
        assert!(place.read("both") == both && !place.has("only"), "{its:?}");
    }
}

#[test]
fn what_a_person_wrote_to_a_file_that_they_still_have_open_is_not_taken_back() {
    use std::io::Write as _;
    let place = Place::with(&[("log", "one\n")]);
    let mut log = fs::File::options().append(true).open(place.path("log")).unwrap();
    let said = meanwhile(&place, "auto", ("echo its > log", "echo x > only"), || {
        log.write_all(b"mine\n").unwrap();
    });
    assert!(line(&said, "by the command and by somebody else").contains("log"), "{said}");
    place.ok(&["undo"]);
    assert_eq!(place.read("log"), "its\nmine\n");
    assert!(!place.has("only"));
}

#[test]
fn a_call_that_fails_makes_nothing_of_a_person_the_commands() {
    for sandbox in SANDBOXES {
        let place = Place::with(&[("a", "a\n")]);
        let its =
            ("echo x > only", "mkdir d; ln -s a link; ln a other; mv missing new; rm missing");
        let said = meanwhile(&place, sandbox, its, || {
            fs::create_dir(place.path("d")).unwrap();
            std::os::unix::fs::symlink("mine", place.path("link")).unwrap();
            place.write("other", "mine\n");
            place.write("new", "mine\n");
        });
        let told = line(&said, "by somebody else");
        let all = ["d", "link", "other", "new"].map(|name| told.contains(name));
        assert!(all.iter().all(|told| *told) && told.contains("not part of"), "{sandbox}: {told}");
        place.ok(&["undo"]);
        let left = ["d", "link", "other", "new", "only"].map(|name| place.has(name));
        assert_eq!(left, [true, true, true, true, false], "{sandbox}");
    }
}

#[test]
fn a_pipe_that_a_command_makes_is_told() {
    for known in [false, true] {
        let place = Place::with(&[("a", "a\n")]);
        let mut fiz = Server::start(place.server("fiz", "trust", &["--layer", "off"]), false);
        if known {
            fiz.call("bash", &json!({"command": "echo y > a"})).ok(); // from now on it is watched
        }
        let said = fiz.call("bash", &json!({"command": "mkfifo pipe; echo x > a"})).ok().to_owned();
        assert!(line(&said, "are not covered by undo").contains(": pipe"), "{said}");
    }
}

#[test]
fn who_exchanges_two_files_alone_is_not_taken_for_two() {
    let script = "perl -e '($a, $b) = qw(a b); exit(syscall(316, -100, $a, -100, $b, 2) != 0)' \
                  && echo exchanged";
    let place = Place::with(&[("a", "a\n"), ("b", "b\n")]);
    let said = meanwhile(&place, "auto", (script, ":"), || {});
    if cfg!(not(target_arch = "x86_64")) || !said.contains("exchanged") {
        return crate::place::skipped("no perl for x86_64 here");
    }
    assert_eq!((place.read("a"), place.read("b")), ("b\n".into(), "a\n".into()), "{said}");
    assert!(!said.contains("by the command and by somebody"), "{said}");
    place.ok(&["undo"]);
    assert_eq!((place.read("a"), place.read("b")), ("a\n".into(), "b\n".into()), "{said}");
}

#[test]
fn what_was_saved_before_a_call_began_is_not_told_by_it() {
    let place = Place::with(&[("a", "a\n")]);
    let mut fiz = Server::start(place.server("fiz", "trust", &["--layer", "off"]), false);
    let script = "echo > began; while [ ! -e end ]; do sleep 0.02; done";
    let slow = fiz.begin("bash", &json!({ "command": script }));
    wait_until("the command works", || place.has("began"));
    place.write("early", "mine\n");
    let quick = fiz.call("bash", &json!({ "command": "echo its > quick" })).ok().to_owned();
    assert!(!quick.contains("early"), "{quick}");
    place.write("end", "");
    let slow = fiz.answer(&slow).ok().to_owned();
    let told = line(&slow, "by somebody else");
    assert!(told.contains("early") && told.contains("end"), "{told}");
}

#[test]
fn where_reports_of_the_kernel_were_lost_a_model_does_not_take_the_call_back() {
    let most = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap();
    let most: usize = most.trim().parse().unwrap();
    if most > 50_000 {
        return crate::place::skipped("the queue is too long to be filled");
    }
    let place = Place::with(&[("d/a", "a\n")]);
    let mut kit = Server::start(place.server("kit", "auto", &["--layer", "off"]), false);
    let command = format!("cd d; seq {most} | xargs touch; seq {most} | xargs rm; echo its > a");
    let said = kit.call("run", &json!({ "command": command })).ok().to_owned();
    assert!(line(&said, "nobody can tell").contains("kitbag undo"), "{said}");
    kit.call("undo", &json!({})).fails("UndoConflict");
    // The next call is seen again.
    let said = kit.call("run", &json!({ "command": "echo more > d/a" })).ok().to_owned();
    assert!(!said.contains("nobody can tell"), "{said}");
    kit.call("undo", &json!({})).ok();
    assert_eq!(place.read("d/a"), "its\n");
}

#[test]
fn where_nobody_can_tell_whose_a_change_is_a_model_does_not_take_it_back() {
    let place = Place::with(&[("its", "old\n")]);
    let more = ["--layer", "off"];
    let mut kit = Server::start(place.server("kit", "auto", &more), false);
    // The command may have another root from then on.
    let script = "chroot / true; echo new > its; echo > began; \
                  while [ ! -e mine ]; do sleep 0.02; done; rm began";
    let slow = kit.begin("run", &json!({ "command": script }));
    wait_until("the command works", || place.has("began"));
    place.write("mine", "");
    let said = kit.answer(&slow).ok().to_owned();
    assert!(line(&said, "nobody can tell").contains("kitbag undo"), "{said}");
    let refused = kit.call("undo", &json!({})).fails("UndoConflict");
    assert!(refused.contains("mine") && refused.contains("its"), "{refused:?}");
    assert!(place.has("mine") && place.read("its") == "new\n");
    assert!(place.ok(&["log"]).contains("somebody else"), "{}", place.ok(&["log"]));
    place.ok(&["undo"]);
    assert!(!place.has("mine") && place.read("its") == "old\n");
}

#[test]
fn hooks_of_a_repository_below_the_root_are_told_and_can_be_put_back() {
    let place = Place::with(&[("sub/.git/hooks/old", "old\n"), ("sub/a", "a\n")]);
    place.write("sub/.git/config", "[core]\n\tbare = false\n");
    place.write("sub/.git/HEAD", "ref: refs/heads/main\n");
    let run = |script: &str| {
        let command = format!("command={script}");
        let ran = place.run(&["call", "bash", &command, "--policy", "trust", "--layer", "off"]);
        format!("{}{}", ran.out, ran.err)
    };
    let said =
        run("echo x > sub/.git/hooks/pre-commit; echo x > sub/.git/hooks/old; echo b > sub/a");
    let told = line(&said, "programs run or load these files automatically");
    assert!(told.contains("sub/.git/hooks/pre-commit") && told.contains("hooks/old"), "{told}");
    place.ok(&["undo"]);
    assert_eq!(
        (place.read("sub/a"), place.read("sub/.git/hooks/old")),
        ("a\n".into(), "x\n".into())
    );
    let held = place.log().into_iter().find(|step| step["held_back"] == true).unwrap();
    place.ok(&["redo", &held["call"].to_string()]);
    assert!(!place.has("sub/.git/hooks/pre-commit"));
    assert_eq!(place.read("sub/.git/hooks/old"), "old\n");
    // What runs nothing is not held up, also of a repository that the command makes.
    let said = run("printf '[user]\\n\\tname = a\\n' >> sub/.git/config; git init -q other");
    assert!(!said.contains("automatically"), "{said}");
    let said = run("git init -q more; echo x > more/.git/hooks/pre-commit");
    assert!(line(&said, "automatically").contains("more/.git/hooks/pre-commit"), "{said}");
}

#[test]
fn a_commit_that_a_command_without_a_layer_cannot_make_says_why() {
    let place = Place::with(&[("a", "a\n")]);
    place.git(&["init", "-q"]);
    let command = "command=git add a";
    let ran = place.run(&["call", "bash", command, "--policy", "trust", "--layer", "off"]);
    let said = format!("{}{}", ran.out, ran.err);
    if !said.contains("Read-only file system") {
        return crate::place::skipped("nothing keeps programs from .git here");
    }
    assert!(said.contains("the user can commit") && said.contains("kitbag doctor"), "{said}");
}
