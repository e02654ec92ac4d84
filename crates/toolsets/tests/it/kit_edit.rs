//! kit `edit` and `undo`: all or none, by lines that are still those which were read, and back.

use std::sync::Arc;
use std::time::Duration;

use fault::Code;
use toolkit::serde_json::{Value, json};
use toolkit::testing::{Place, run, run_with};
use toolkit::{Answer, Done, Policy, Session};

use crate::kit_run::Kit;
use crate::{open, place};

fn call(session: &Arc<Session>, tool: &str, input: Value) -> String {
    let done = run(session, tool, input);
    assert!(done.error.is_none(), "{:?}", done.body);
    done.body.to_text()
}

fn code(done: &Done) -> Option<Code> {
    done.error.as_ref().map(|error| error.code)
}

const FILES: &[(&str, &str)] = &[("a.txt", "one\ntwo\nthree\nfour\n"), ("b.txt", "b\n")];

#[test]
fn one_change_that_fails_leaves_all_files_as_they_were() {
    let place = place(FILES, |_| {});
    let session = open(&place, "kit", Policy::Trust);
    for last in [
        json!({"path": "b.txt", "old": "x", "new": "y"}),
        json!({"path": "c.txt", "remove": true}),
        json!({"path": "b.txt", "move_to": "d/a.txt"}),
        json!({"path": "b.txt", "lines": "2-9", "new": "y"}),
        json!({"path": "../x.txt", "new": "y"}),
    ] {
        let first = json!([
            {"path": "d/a.txt", "new": "new\n"},
            {"path": "a.txt", "old": "one", "new": "1"},
            {"path": "a.txt", "move_to": "e.txt"},
        ]);
        let mut changes = first.as_array().unwrap().clone();
        changes.push(last.clone());
        let done = run(&session, "edit", json!({"changes": changes}));
        assert!(done.error.is_some() && done.step.is_none(), "{last}: {:?}", done.body);
        assert_eq!(place.read("a.txt"), FILES[0].1, "{last}");
        assert!(!place.path("d").exists() && !place.path("e.txt").exists(), "{last}");
    }
}

#[test]
fn changes_of_one_file_are_made_together_and_lines_are_those_before() {
    let place = place(FILES, |_| {});
    let session = open(&place, "kit", Policy::Trust);
    let changes = json!([
        {"path": "a.txt", "lines": "1", "new": "1\n1.5"},
        {"path": "./a.txt", "lines": "3-4", "new": "3", "old": "three\nfour"},
        {"path": "a.txt", "old": "two", "new": "2"},
        {"path": "a.txt", "move_to": "d/a.txt"},
    ]);
    call(&session, "read", json!({"path": "a.txt"}));
    let told = call(&session, "edit", json!({"changes": changes}));
    assert_eq!(told, "a.txt: 3 places changed in lines 1-4, moved");
    assert_eq!(place.read("d/a.txt"), "1\n1.5\n2\n3\n");
    assert!(call(&session, "undo", json!({})).starts_with("took back call 1 (edit)\n"));
    assert_eq!((place.read("a.txt").as_str(), place.path("d").exists()), (FILES[0].1, false));
}

#[test]
fn a_text_that_an_earlier_change_took_is_looked_for_after_it() {
    let place = place(&[("a.txt", "one = 1\ntwo = 2\n")], |_| {});
    let session = open(&place, "kit", Policy::Trust);
    let changes =
        json!([{"old": "one = 1\n", "new": "first = 1\n"}, {"old": "one = 1\ntwo", "new": "x"}]);
    let done = run(&session, "edit", json!({"path": "a.txt", "changes": changes}));
    let text = done.body.to_text();
    assert!(done.error.is_some() && text.contains("(after the changes before it)"), "{text}");
    let done = run(&session, "edit", json!({"path": "a.txt", "old": "three = 3", "new": "x"}));
    assert!(!done.body.to_text().contains("before it"), "{:?}", done.body);
}

#[test]
fn what_says_nothing_or_two_things_is_refused() {
    let place = place(FILES, |_| {});
    let session = open(&place, "kit", Policy::Trust);
    for (input, says) in [
        (json!({}), "give one of `path`"),
        (json!({"path": "a.txt"}), "new: missing"),
        (json!({"path": "a.txt", "old": "one"}), "new: missing"),
        (json!({"path": "a.txt", "old": "", "new": "x"}), "old: empty"),
        (json!({"path": "a.txt", "remove": true, "new": "x"}), "remove: "),
        (json!({"path": "a.txt", "lines": "3-1", "new": "x"}), "lines: not a range"),
        (json!({"path": "a.txt", "new": "x", "patch": "y"}), "give one of `path`"),
        (json!({"changes": []}), "changes: empty"),
        (
            json!({"changes": [{"path": "a.txt", "new": "x"}, {"path": "a.txt", "old": "one", "new": "y"}]}),
            "contradict",
        ),
        (
            json!({"changes": [{"path": "b.txt", "lines": "1", "new": "x"}, {"path": "b.txt", "lines": "1-1", "new": "y"}]}),
            "touch the same text",
        ),
        (json!({"changes": [{"path": "a.txt", "oldd": "one", "new": "y"}]}), "oldd"),
        (
            json!({"path": "a.txt", "lines": "1-2", "old": "three", "new": "x"}),
            "they are now:\none\ntwo",
        ),
    ] {
        let done = run(&session, "edit", input.clone());
        assert!(done.error.is_some(), "{input}: {:?}", done.body);
        assert!(done.body.to_text().contains(says), "{input}: {:?}", done.body);
    }
    assert_eq!((place.read("a.txt").as_str(), place.read("b.txt").as_str()), (FILES[0].1, "b\n"));
}

#[test]
fn lines_that_moved_since_they_were_read_need_their_text() {
    let place = place(FILES, |_| {});
    let session = open(&place, "kit", Policy::Trust);
    call(&session, "read", json!({"path": "a.txt"}));
    call(&session, "edit", json!({"path": "a.txt", "lines": "2", "new": "2\n2.5"}));
    let stale = json!({"path": "a.txt", "lines": "3", "new": "3"});
    let done = run(&session, "edit", stale.clone());
    assert_eq!(code(&done), Some(Code::FileChanged), "{:?}", done.body);
    assert!(done.body.to_text().contains("; now\n3\t2.5\n"), "{:?}", done.body);
    // Above the change the numbers are right, and with the text they are always checked.
    call(&session, "edit", json!({"path": "a.txt", "lines": "1", "new": "1"}));
    call(&session, "edit", json!({"path": "a.txt", "lines": "4", "old": "three", "new": "3"}));
    call(&session, "read", json!({"path": "a.txt:5-5"}));
    call(&session, "edit", json!({"path": "a.txt", "lines": "5", "new": "4"}));
    assert_eq!(place.read("a.txt"), "1\n2\n2.5\n3\n4\n");
    // Somebody else wrote the file.
    place.write("a.txt", "0\n1\n2\n2.5\n3\n4\n");
    assert_eq!(code(&run(&session, "edit", stale)), Some(Code::FileChanged));
}

#[test]
fn a_whole_file_is_written_and_a_patch_moves_and_removes() {
    let place = place(FILES, |_| {});
    let session = open(&place, "kit", Policy::Trust);
    assert_eq!(
        call(&session, "edit", json!({"file_path": "b.txt", "content": "new\n"})),
        "line 1 changed"
    );
    let patch = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: d/a.txt\n@@\n-one\n+1\n two\n\
        *** Delete File: b.txt\n*** Add File: c.txt\n+c\n*** End Patch\n";
    let told = call(&session, "edit", json!({"patch": patch}));
    assert_eq!(
        told,
        "a.txt: line 1 changed, moved to d/a.txt\nb.txt: removed\nc.txt: created, 1 line"
    );
    assert_eq!(place.read("d/a.txt"), "1\ntwo\nthree\nfour\n");
    assert!(!place.path("b.txt").exists() && !place.path("a.txt").exists());
    let unified = "--- a/c.txt\n+++ b/c.txt\n@@ -1 +1,2 @@\n c\n+d\n";
    assert_eq!(call(&session, "edit", json!({"diff": unified})), "c.txt: line 2 added");
    let done = run(
        &session,
        "edit",
        json!({"patch": "*** Begin Patch\n*** Update File: c.txt\n@@\n-x\n+y\n*** End Patch"}),
    );
    assert_eq!(code(&done), Some(Code::PatchFailed), "{:?}", done.body);
}

#[test]
fn a_path_may_name_lines_and_a_definition_is_told_by_its_lines() {
    let place = place(&[("a.py", "def a():\n    return 1\n")], |_| {});
    let session = open(&place, "kit", Policy::Trust);
    call(&session, "read", json!({"path": "a.py:2"}));
    call(&session, "edit", json!({"path": "a.py:2-2", "new": "    return 2"}));
    assert_eq!(place.read("a.py"), "def a():\n    return 2\n");
    let done = run(&session, "edit", json!({"path": "a.py#a", "new": "x"}));
    let says = "a definition; name its lines, a.py:1-2";
    assert!(done.body.to_text().contains(says), "{:?}", done.body);
    assert!(!place.path("a.py#a").exists() && !place.path("a.py:2-2").exists());
    call(&session, "edit", json!({"path": "b#1.txt", "new": "x\n"}));
    assert_eq!(place.read("b#1.txt"), "x\n");
}

#[test]
fn a_person_sees_all_changes_before_they_say_yes() {
    let place = place(FILES, |_| {});
    let session = open(&place, "kit", Policy::Ask);
    let changes = json!({"changes": [
        {"path": "a.txt", "lines": "1", "new": "1"},
        {"path": "a.txt", "old": "two", "new": "2"},
        {"path": "a.txt", "move_to": "d.txt"},
        {"path": "b.txt", "remove": true},
    ]});
    call(&session, "read", json!({"path": "a.txt:1"}));
    let mut shown = String::new();
    let done = run_with(&session, "edit", changes, |question| {
        shown.clone_from(&question.shown);
        Some(Answer::Yes)
    });
    assert!(done.error.is_none(), "{:?}", done.body);
    for part in ["-one\n-two\n+1\n+2\n", "move a.txt to d.txt", "remove b.txt"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(place.read("d.txt"), "1\n2\nthree\nfour\n");
    let done = run_with(&session, "undo", json!({}), |question| {
        shown.clone_from(&question.shown);
        Some(Answer::No)
    });
    assert!(done.refused && place.path("d.txt").exists(), "{:?}", done.body);
    assert!(shown.contains("take back call") && shown.contains("moved a.txt to d.txt"), "{shown}");
    let done = run_with(&session, "undo", json!({}), |_| Some(Answer::Yes));
    assert!(done.error.is_none() && place.read("a.txt") == FILES[0].1, "{:?}", done.body);
}

#[test]
fn a_session_takes_back_its_own_changes_alone() {
    let place = place(FILES, |_| {});
    let (mine, other) = (open(&place, "kit", Policy::Trust), open(&place, "kit", Policy::Trust));
    call(&mine, "edit", json!({"path": "a.txt", "old": "one", "new": "1"}));
    call(&other, "edit", json!({"path": "b.txt", "old": "b", "new": "c"}));
    call(&mine, "edit", json!({"path": "n.txt", "new": "n\n"}));
    assert_eq!(call(&mine, "undo", json!({"list": true})), "3 edit: n.txt\n1 edit: a.txt");
    let done = run(&mine, "undo", json!({"call": 2}));
    assert_eq!(code(&done), Some(Code::NothingToUndo));
    assert!(done.body.to_text().contains("made by another session"), "{:?}", done.body);
    assert_eq!(call(&mine, "undo", json!({})), "took back call 3 (edit)\nn.txt: removed");
    assert_eq!(call(&mine, "undo", json!({})), "took back call 1 (edit)\na.txt: as it was before");
    assert_eq!(code(&run(&mine, "undo", json!({}))), Some(Code::NothingToUndo));
    assert_eq!(place.read("b.txt"), "c\n", "the other session's stays");
    assert_eq!(
        call(&mine, "undo", json!({"redo": 1})),
        "made call 1 (edit) again\na.txt: changed again"
    );
    assert_eq!(call(&mine, "undo", json!({"list": true})), "3 edit: n.txt (undone)\n1 edit: a.txt");
    // What somebody changed since is theirs.
    place.write("a.txt", "mine\n");
    let done = run(&mine, "undo", json!({"call": 1}));
    assert_eq!(code(&done), Some(Code::UndoConflict), "{:?}", done.body);
    assert_eq!(place.read("a.txt"), "mine\n");
}

#[test]
fn a_protected_file_is_not_changed_by_making_a_call_again() {
    // The repository goes with the call that made it, and is none to be looked at then.
    for path in [".envrc", ".git/hooks/pre-commit"] {
        for policy in [Policy::Auto, Policy::Trust] {
            let place = place(FILES, |_| {});
            let session = open(&place, "kit", policy);
            let input = json!({"path": path, "new": "export A=1\n"});
            let done = run_with(&session, "edit", input, |_| Some(Answer::Yes));
            assert!(done.error.is_none(), "{:?}", done.body);
            let done = run_with(&session, "undo", json!({}), |_| Some(Answer::Yes));
            assert_eq!(code(&done), Some(Code::ProtectedPath), "{:?}", done.body);
            let (workspace, journal) = (place.project.workspace(), place.project.journal());
            journal.turn(workspace, files::journal::Direction::Undo, Some(1)).unwrap(); // a person does
            for input in [json!({"redo": 1}), json!({"call": 1})] {
                let done = run_with(&session, "undo", input, |_| Some(Answer::Yes));
                assert!(done.error.is_some(), "{path} {:?}", done.body);
            }
            assert!(!place.path(path).exists());
        }
    }
}

#[test]
fn who_is_asked_whether_a_call_is_made_again_is_told_that_its_file_is_protected() {
    for path in [".envrc", ".git/hooks/pre-commit"] {
        let place = place(FILES, |_| {});
        let session = open(&place, "kit", Policy::Ask);
        let input = json!({"path": path, "new": "export A=1\n"});
        let done = run_with(&session, "edit", input, |_| Some(Answer::Yes));
        assert!(done.error.is_none(), "{:?}", done.body);
        let turns =
            [(json!({"call": 1}), false), (json!({"redo": 1}), true), (json!({"call": 1}), false)];
        for (input, there) in turns {
            let done = run_with(&session, "undo", input.clone(), |question| {
                let first = path.split('/').next().unwrap();
                let said = format!("{first} is protected");
                assert!(question.reason.contains(&said), "{}", question.reason);
                assert!(!question.wants.may_last());
                Some(Answer::Yes)
            });
            assert!(done.error.is_none(), "{input}: {:?}", done.body);
            assert_eq!(place.path(path).exists(), there);
        }
        let done = run_with(&session, "undo", json!({"redo": 1}), |_| Some(Answer::YesForSession));
        assert!(done.error.is_some() && !place.path(path).exists(), "{:?}", done.body);
    }
}

#[test]
fn a_verdict_that_takes_too_long_says_so() {
    let files = [("a.py", "def first():\n    pass\n"), ("b.py", "from a import first\n")];
    let place: Place = place(&files, |settings| settings.limits.verdict_time = Duration::ZERO);
    let session = open(&place, "kit", Policy::Trust);
    let told = call(&session, "edit", json!({"path": "a.py", "old": "first", "new": "second"}));
    assert_eq!(told, "line 1 changed\nnot checked: syntax, uses and tests, which took too long");
    assert_eq!(place.read("a.py"), "def second():\n    pass\n");
}

#[test]
fn old_is_looked_for_in_the_lines_that_are_given() {
    let text = "a(1)\nb\na(2)\nc a(3) a(3)\n";
    let place = place(&[("a.txt", text)], |_| {});
    let session = open(&place, "kit", Policy::Trust);
    let narrow = |lines: &str, old: &str, all: bool| json!({"path": "a.txt", "lines": lines, "old": old, "new": "x", "all": all});
    assert_eq!(call(&session, "edit", narrow("2-3", "a(", false)), "line 3 changed");
    assert_eq!(place.read("a.txt"), "a(1)\nb\nx2)\nc a(3) a(3)\n");
    let done = run(&session, "edit", narrow("3-4", "a(3)", false));
    assert_eq!(code(&done), Some(Code::MultipleMatches), "{:?}", done.body);
    assert!(done.body.to_text().contains("occurs 2 times, at lines 4, 4"), "{:?}", done.body);
    let told = call(&session, "edit", narrow("3-4", "a(3)", true));
    assert_eq!(told, "2 places changed in line 4");
    assert_eq!(place.read("a.txt"), "a(1)\nb\nx2)\nc x x\n");
    let none = run(&session, "edit", narrow("2-3", "a(1)", false));
    assert!(none.body.to_text().contains("`old` is not in lines 2-3; they are now:\nb\nx2)"));
    call(&session, "read", json!({"path": "a.txt"}));
    let told = call(&session, "edit", json!({"path": "a.txt", "lines": "1-3", "new": "1"}));
    assert_eq!(told, "lines 1-3 replaced by 1 line");
    place.write("a.txt", "1\r\n2\r\n3\r\n2\r\n");
    let through = json!({"path": "a.txt", "lines": "2-3", "old": "2\n3\n", "new": "x"});
    assert_eq!(call(&session, "edit", through), "lines 2-4 replaced by 1 line");
    assert_eq!(place.read("a.txt"), "1\r\nx2\r\n");
}

#[test]
fn lines_that_moved_between_two_changes_are_not_taken_for_what_they_were() {
    let text: String =
        (1..=30).map(|n| format!("line {n} of a file that is long enough\n")).collect();
    let place = place(&[("a.txt", &text)], |_| {});
    let session = open(&place, "kit", Policy::Trust);
    call(&session, "read", json!({"path": "a.txt"}));
    let changes = json!([
        {"path": "a.txt", "lines": "5", "new": ""},
        {"path": "a.txt", "lines": "20", "new": "A\nB\n"},
    ]);
    call(&session, "edit", json!({"changes": changes}));
    let stale = run(&session, "edit", json!({"path": "a.txt", "lines": "10", "new": "x"}));
    assert_eq!(code(&stale), Some(Code::FileChanged), "{:?}", stale.body);
    let read = call(&session, "read", json!({"path": "a.txt:6-15"}));
    assert!(read.starts_with("6\tline 7 of"), "{read}");
}

#[test]
fn a_file_written_anew_keeps_its_encoding_and_line_endings() {
    let place = place(&[("crlf.txt", "a\r\nb\r\n"), ("mixed.txt", "a\r\nb\n")], |_| {});
    let utf16 = |text: &str| -> Vec<u8> {
        let units = text.encode_utf16().flat_map(u16::to_le_bytes);
        [0xff, 0xfe].into_iter().chain(units).collect()
    };
    std::fs::write(place.path("wide.txt"), utf16("ä\n")).unwrap();
    std::fs::write(place.path("mark.txt"), "\u{feff}a\n").unwrap();
    std::fs::write(place.path("old.txt"), b"Gr\xfc\xdfe aus K\xf6ln\n").unwrap();
    std::fs::write(place.path("image"), b"\x89PNG\0\x01").unwrap();
    let session = open(&place, "kit", Policy::Trust);
    for (path, new, bytes) in [
        ("crlf.txt", "1\n2\n", b"1\r\n2\r\n".to_vec()),
        ("mixed.txt", "1\n2\n", b"1\n2\n".to_vec()),
        ("crlf.txt", "1\r\n2\n", b"1\r\n2\n".to_vec()),
        ("wide.txt", "ö\n", utf16("ö\n")),
        ("mark.txt", "b\n", "\u{feff}b\n".into()),
        ("old.txt", "Grüße\n", b"Gr\xfc\xdfe\n".to_vec()),
        ("old.txt", "Grüße 🦀\n", "Grüße 🦀\n".into()),
        ("image", "text\n", b"text\n".to_vec()),
    ] {
        call(&session, "edit", json!({"path": path, "new": new}));
        assert_eq!(std::fs::read(place.path(path)).unwrap(), bytes, "{path}: {new:?}");
    }
}

#[test]
fn links_pdfs_and_moves_are_what_is_said_of_them() {
    let place = place(&[("real.txt", "r\n"), ("a.txt", "a\n"), ("p.pdf", "%PDF-1.4\nx\n")], |_| {});
    std::os::unix::fs::symlink("real.txt", place.path("ln")).unwrap();
    let session = open(&place, "kit", Policy::Trust);
    assert_eq!(call(&session, "edit", json!({"path": "ln", "move_to": "l2"})), "moved");
    assert_eq!(call(&session, "edit", json!({"path": "l2", "remove": true})), "removed");
    assert_eq!(place.read("real.txt"), "r\n");
    let done = run(&session, "edit", json!({"path": "p.pdf", "lines": "1", "new": "x"}));
    assert_eq!(code(&done), Some(Code::BinaryFile), "{:?}", done.body);
    let changes = json!([{"path": "a.txt", "move_to": "b.txt"}, {"path": "a.txt", "new": "n\n"}]);
    let done = run(&session, "edit", json!({"changes": changes}));
    assert!(done.body.to_text().contains("put `move_to` last"), "{:?}", done.body);
    assert_eq!((place.read("a.txt").as_str(), place.path("b.txt").exists()), ("a\n", false));
    // Refused, so the lines that were read are still those that they were.
    call(&session, "read", json!({"path": "a.txt"}));
    let changes = json!([{"path": "a.txt", "lines": "1", "new": "1\n2"}, {"path": "gone", "old": "x", "new": "y"}]);
    assert!(run(&session, "edit", json!({"changes": changes})).error.is_some());
    call(&session, "edit", json!({"path": "a.txt", "lines": "1", "new": "done"}));
    assert_eq!(place.read("a.txt"), "done\n");
}

#[test]
fn a_commit_is_taken_back_and_made_again_without_a_person() {
    let place = place(FILES, |_| {});
    let session = open(&place, "kit", Policy::Auto);
    let git = |command: &str| {
        let done = run(
            &session,
            "run",
            json!({"command": format!("git -c user.name=a -c user.email=a@b {command}")}),
        );
        assert!(done.error.is_none(), "{:?}", done.body);
        done.body.to_text()
    };
    let init = std::process::Command::new("git")
        .args(["init", "-q", "."])
        .current_dir(place.root())
        .status();
    assert!(init.unwrap().success());
    git("add -A");
    git("commit -qm one");
    git("checkout -qb side");
    assert!(git("log --oneline --all").contains("one"));
    assert!(call(&session, "undo", json!({})).contains("took back"));
    assert!(!git("branch").contains("side"));
    assert!(call(&session, "undo", json!({})).contains("took back"));
    let none = run(&session, "run", json!({"command": "git log --oneline"}));
    assert!(none.body.to_text().contains("does not have any commits"), "{:?}", none.body);
    // What git obeys is still a person's to turn.
    let own = run(&session, "run", json!({"command": "git config alias.x log"}));
    assert!(own.body.to_text().contains("config"), "{:?}", own.body);
}

#[test]
fn a_directory_that_goes_is_judged_by_what_is_in_it() {
    let files = [
        ("shop/stock.py", "def take(count):\n    return count\n"),
        ("main.py", "from shop.stock import take\n\nprint(take(2))\n"),
    ];
    for (input, told) in [
        (json!({"path": "shop", "remove": true}), "directory removed"),
        (json!({"path": "shop", "move_to": "store"}), "moved"),
    ] {
        let place = place(&files, |_| {});
        let session = open(&place, "kit", Policy::Trust);
        let said = call(&session, "edit", input);
        assert!(said.starts_with(told) && said.contains("main.py:1"), "{said}");
    }
    let place = place(&files, |_| {});
    let session = open(&place, "kit", Policy::Trust);
    let done = run(&session, "edit", json!({"path": "shop/none.py:3-3", "new": "x"}));
    assert_eq!(code(&done), Some(Code::FileNotFound), "{:?}", done.body);
}

#[test]
fn a_range_of_lines_may_be_open() {
    let kit = Kit::new(&[("a.txt", "one\ntwo\nthree\nfour\n")]);
    kit.ok("read", json!({"path": "a.txt"}));
    let text = kit.ok("edit", json!({"path": "a.txt", "lines": "3-", "new": "end"}));
    assert_eq!(text, "lines 3-4 replaced by 1 line");
    kit.ok("edit", json!({"path": "a.txt:2-", "old": "end", "new": "3"}));
    assert_eq!(kit.at.read("a.txt"), "one\ntwo\n3\n");
    let (text, _) = kit.call("edit", json!({"path": "a.txt", "lines": "9-", "new": "x"}));
    assert!(text.starts_with("error: a.txt: line 9 is past the end, it has 3 lines;"), "{text}");
}

#[test]
fn a_text_that_is_there_often_is_answered_with_all_ways_to_name_one() {
    let kit = Kit::new(&[("a.txt", "x\ny\nx\n")]);
    let (text, _) = kit.call("edit", json!({"path": "a.txt", "old": "x", "new": "z"}));
    let ways = "; add lines around it until it is unique, or name the `lines` of the one that is meant, or give `all`\n";
    assert!(text.contains(ways), "{text}");
}
