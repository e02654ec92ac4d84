//! Somebody who works against us: in the same directory at the same time, and inside a command.

use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use crate::client::Server;
use crate::place::Place;

#[test]
fn a_folder_swapped_for_a_link_at_any_moment_leads_nowhere() {
    let place = Place::with(&[("d/x", "inside\n")]);
    let out = place.dir.path().join("outside");
    std::fs::create_dir(&out).unwrap();
    std::fs::write(out.join("x"), "secret\n").unwrap();
    let (mut fiz, mut local) = (place.serve("fiz", "trust"), place.serve("local", "trust"));
    let stop = AtomicBool::new(false);
    let (mut read, mut wrote) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (folder, link) = (place.path("d"), place.path("link"));
            // The server makes the directory when it is gone, so any of these may fail.
            for n in 0.. {
                let aside = place.path(&format!("aside{n}"));
                let _ = symlink(&out, &link);
                let _ = std::fs::rename(&folder, &aside);
                let _ = std::fs::rename(&link, &folder);
                let _ = std::fs::remove_file(&folder);
                let _ = std::fs::rename(&aside, &folder);
                if stop.load(Ordering::Relaxed) {
                    return;
                }
            }
        });
        for n in 0..150 {
            let said = fiz.call("read", &json!({"path": "d/x"}));
            assert!(!said.text().contains("secret"), "{said:?}");
            read += usize::from(!said.failed());
            let text = format!("{n}\n");
            let write = local.call("write_file", &json!({"path": "d/x", "content": text}));
            wrote += usize::from(!write.failed());
            local.call("delete_file", &json!({"path": "d/y"}));
            fiz.call("write", &json!({"path": "d/y", "content": "y"}));
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(std::fs::read_to_string(out.join("x")).unwrap(), "secret\n");
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), 1);
    assert!(read + wrote > 0, "nothing ever worked");
}

#[test]
fn a_link_that_a_command_makes_opens_no_door() {
    let place = Place::new();
    let secret = place.dir.path().join("secret");
    std::fs::write(&secret, "secret\n").unwrap();
    let mut fiz = place.serve("fiz", "trust");
    let script = format!("ln -s {} l; ln -s / root; ln -s /proc/self/fd fd", secret.display());
    fiz.call("bash", &json!({"command": script})).ok();
    for path in ["l", "root/etc/passwd", "fd/0"] {
        assert!(fiz.call("read", &json!({"path": path})).failed(), "{path}");
        let write = fiz.call("write", &json!({"path": path, "content": "x"}));
        write.fails("PathOutsideWorkspace");
    }
    assert_eq!(std::fs::read_to_string(secret).unwrap(), "secret\n");
    place.ok(&["undo"]);
    assert!(place.tree().is_empty());
}

#[test]
fn commands_see_no_keys_of_the_server() {
    let place = Place::new();
    let home = place.dir.path().join("home");
    std::fs::create_dir_all(home.join(".ssh")).unwrap();
    std::fs::write(home.join(".ssh/id"), "k-ssh-secret\n").unwrap();
    std::fs::write(home.join(".netrc"), "k-netrc-secret\n").unwrap();
    let mut command = place.server("fiz", "trust", &[]);
    command.env("HOME", &home).env("ANTHROPIC_API_KEY", "k-env-secret");
    command.env("GITHUB_TOKEN", "k-env-secret").env("MY_PASSWORD", "k-env-secret");
    let mut fiz = Server::start(command, false);
    let script = "env; cat ~/.ssh/id ~/.netrc; tr '\\0' '\\n' < /proc/$PPID/environ; \
        for p in /proc/[0-9]*; do tr '\\0' '\\n' < $p/environ; done; exit 0";
    let said = fiz.call("bash", &json!({"command": script}));
    assert!(said.ok().contains("PATH="), "{said:?}");
    assert!(!said.text().contains("k-env-secret"), "{said:?}");
    assert!(!said.text().contains("k-ssh-secret"), "{said:?}");
    assert!(!said.text().contains("k-netrc-secret"), "{said:?}");
}

#[test]
fn a_command_writes_in_the_root_alone() {
    let place = Place::new();
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut command = place.server("fiz", "trust", &[]);
    command.env("HOME", home.path()).env_remove("CARGO_TARGET_DIR");
    let mut fiz = Server::start(command, false);
    let script = format!(
        "echo x > ~/evil; echo x > {0}/evil; echo x > /etc/kitbag-evil; echo x > inside; \
         echo x > {1}/evil; exit 0",
        home.path().display(),
        place.state().display()
    );
    fiz.call("bash", &json!({"command": script})).ok();
    assert!(place.has("inside"));
    for path in [home.path().join("evil"), "/etc/kitbag-evil".into(), place.state().join("evil")] {
        assert!(!path.exists(), "{}", path.display());
    }
}

#[test]
fn a_root_that_goes_away_is_an_error_and_no_end() {
    let place = Place::with(&[("a", "x\n")]);
    let mut fiz = place.serve("fiz", "trust");
    fiz.call("write", &json!({"path": "b", "content": "x"})).ok();
    std::fs::remove_dir_all(place.root()).unwrap();
    for (tool, arguments) in [
        ("read", json!({"path": "a"})),
        ("write", json!({"path": "a", "content": "x"})),
        ("write", json!({"path": "d/a", "content": "x"})),
        ("edit", json!({"path": "a", "old_string": "x", "new_string": "y"})),
        ("bash", json!({"command": "echo x > a"})),
    ] {
        let answer = fiz.call(tool, &arguments);
        let failed = answer.failed() || !answer.text().starts_with("Exit code: 0");
        assert!(failed, "{tool}: {answer:?}");
        assert_ne!(answer.code(), "Internal", "{answer:?}");
    }
    for (tool, arguments) in
        [("ls", json!({})), ("find", json!({"pattern": "*"})), ("grep", json!({"pattern": "x"}))]
    {
        assert_ne!(fiz.call(tool, &arguments).code(), "Internal");
    }
    assert!(!place.root().exists());
}
