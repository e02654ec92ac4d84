//! What an ordinary user's commands change, to whom modes and groups apply.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use crate::place::Place;

#[test]
fn what_is_closed_to_its_owner_goes_there_and_back_for_an_ordinary_user() {
    let place = Place::with(&[
        (".gitignore", "target/\n"),
        ("d/f", "f"),
        ("d/g", "g"),
        ("ro/f", "f"),
        ("ro/in/g", "g"),
        ("gone/f", "f"),
    ]);
    std::fs::create_dir_all(place.path("gone/closed/in")).unwrap();
    for (name, mode) in [
        ("ro/in/g", 0o200),
        ("ro/in", 0o000),
        ("ro", 0o555),
        ("gone/closed/in", 0o555),
        ("gone/closed", 0o000),
    ] {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(place.path(name), mode).unwrap();
    }
    let run = |words: &[&str]| {
        let done = place.unprivileged(place.program(words))?.output().unwrap();
        let text = String::from_utf8_lossy(&done.stdout) + String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{words:?}: {text}");
        Some(text.into_owned())
    };
    for script in [
        "chmod 555 d; chmod 200 d/f",
        "echo new > d/f; chmod 200 d/f; rm d/g; echo h > d/h; chmod 555 d",
        "chmod 000 d/f d/g d",
        "chmod 755 ro; echo new > ro/f; chmod 555 ro",
        "chmod 755 ro ro/in; chmod 600 ro/in/g; echo new > ro/in/g; chmod 000 ro/in/g ro/in ro",
        "chmod 755 ro ro/in; rm -r ro",
        "chmod 755 ro ro/in; rm -r ro; mkdir ro; echo z > ro/z; chmod 555 ro",
        "mkdir -p new/in; echo x > new/in/f; chmod 000 new/in/f; chmod 100 new/in; chmod 0 new",
        "mkdir -p target/in; echo x > target/in/f; chmod 555 target/in; chmod 500 target",
        "chmod 755 ro; mv ro/f moved; chmod 555 ro",
        "chmod 700 gone/closed gone/closed/in; rm -r gone",
        "chmod 700 gone/closed; mv gone moved",
    ] {
        let before = place.tree();
        let Some(said) = run(&["call", "bash", &format!("command={script}"), "--policy", "trust"])
        else {
            return;
        };
        assert!(!said.contains("denied"), "{script}: {said}");
        let after = place.tree();
        assert_ne!(before, after, "{script}");
        run(&["undo"]);
        assert_eq!(place.tree(), before, "undo of {script}");
        run(&["redo"]);
        assert_eq!(place.tree(), after, "redo of {script}");
        run(&["undo"]);
        assert_eq!(place.tree(), before, "second undo of {script}");
    }
}

/// Runs commands as an ordinary user; `None` where that cannot be had.
fn ordinary(place: &Place, script: &str) -> Option<String> {
    let words = ["call", "bash", &format!("command={script}"), "--policy", "trust"];
    let done = place.unprivileged(place.program(&words))?.output().unwrap();
    Some((String::from_utf8_lossy(&done.stdout) + String::from_utf8_lossy(&done.stderr)).into())
}

#[test]
fn files_of_another_group_are_changed_without_a_layer() {
    let place = Place::with(&[("f", "f"), ("d/g", "g"), ("d/h", "h")]);
    let Some(_) = ordinary(&place, ":") else { return };
    for name in ["f", "d/g"] {
        if std::os::unix::fs::chown(place.path(name), None, Some(4321)).is_err() {
            return println!("SKIPPED: only root gives a file any group");
        }
    }
    let before = place.tree();
    let said = ordinary(&place, "set -e; echo new > f; chmod 600 d/g; mv d/h i; mv d e").unwrap();
    assert!(said.starts_with("Exit code: 0"), "{said}");
    assert_eq!((place.read("f"), place.read("e/g")), ("new\n".into(), "g".into()));
    place.ok(&["undo"]);
    assert_eq!(place.tree(), before);
}

#[test]
fn a_file_of_another_group_far_down_is_told_and_the_next_command_changes_it() {
    let place = Place::with(&[("a/b/c/d/e/f", "f")]);
    let deep = place.path("a/b/c/d/e/f");
    let words = ["serve", "--toolset", "fiz", "--policy", "trust"];
    let Some(command) = place.unprivileged(place.program(&words)) else { return };
    if std::os::unix::fs::chown(&deep, None, Some(4321)).is_err() {
        return println!("SKIPPED: only root gives a file any group");
    }
    let mut server = crate::client::Server::start(command, false);
    let script = json!({"command": "echo new > a/b/c/d/e/f"});
    let said = server.call("bash", &script);
    assert!(said.ok().contains("run it again"), "{said:?}");
    assert_eq!(std::fs::read_to_string(&deep).unwrap(), "f");
    let said = server.call("bash", &script);
    assert!(said.ok().starts_with("Exit code: 0"), "{said:?}");
    assert_eq!(std::fs::read_to_string(&deep).unwrap(), "new\n");
}

#[test]
fn a_directory_that_cannot_be_moved_in_a_layer_leaves_no_part_of_a_copy() {
    let place = Place::with(&[("d/a", "a"), ("d/b", "b"), ("d/c", "c")]);
    let closed = std::fs::Permissions::from_mode(0o000);
    std::fs::set_permissions(place.path("d/b"), closed).unwrap();
    let before = place.tree();
    let Some(said) = ordinary(&place, "mv d e; echo $?; ls") else { return };
    assert_eq!(place.tree(), before, "{said}");
    assert!(said.contains("1\nd\n"), "{said}");
}
