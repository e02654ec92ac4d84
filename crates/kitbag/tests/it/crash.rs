//! SIGKILL at any moment: old or new, never half; nothing left over, nobody left running, and the
//! journal goes on.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use crate::place::{Place, alive, mark, skipped, wait_until};

/// Moments that differ from run to run, in milliseconds.
fn moment(most: u64) -> Duration {
    use std::hash::{BuildHasher as _, Hasher as _};
    let any = std::hash::RandomState::new().build_hasher().finish();
    Duration::from_micros(any % (most * 1000))
}

fn left_over(place: &Place) -> Vec<String> {
    let names = place.tree().into_iter().map(|(name, _)| name);
    names.filter(|name| name.contains(".kitbag") || name.contains("tmp")).collect()
}

#[test]
fn a_server_killed_while_it_writes_leaves_the_old_file_or_the_new() {
    let place = Place::with(&[("f", "start")]);
    let version = |n: usize| format!("{n:08}\n").repeat(2 << 20 >> 3);
    let whole = |text: &str| {
        text == "start"
            || text.get(..8).and_then(|n| n.parse().ok()).is_some_and(|n| text == version(n))
    };
    for round in 0..12 {
        let mut fiz = place.serve("fiz", "trust");
        for n in 0..4 {
            let content = version(round * 4 + n + 1);
            fiz.begin("write", &json!({"path": "f", "content": content}));
        }
        std::thread::sleep(moment(250));
        fiz.kill();
        assert!(whole(&place.read("f")), "round {round}: half a file");
        let log = place.log();
        // A kill between a file's two names leaves one until the next command.
        assert_eq!(left_over(&place), [""; 0], "round {round}");
        assert!(whole(&place.read("f")), "round {round}: half a file after recovery");
        if !log.is_empty() && round % 3 == 2 {
            place.ok(&["undo"]);
            assert!(whole(&place.read("f")), "round {round}: half a file after undo");
            place.ok(&["redo"]);
            assert!(whole(&place.read("f")), "round {round}: half a file after redo");
        }
    }
    let mut fiz = place.serve("fiz", "trust");
    fiz.call("write", &json!({"path": "f", "content": "end"})).ok();
    assert_eq!(place.read("f"), "end");
    place.ok(&["undo"]);
    assert!(whole(&place.read("f")));
}

#[test]
fn the_half_of_a_killed_call_is_not_read() {
    let names: Vec<String> = (0..300).map(|n| format!("f{n}")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "old\n")).collect();
    let place = Place::with(&files);
    let mut half = 0;
    for _ in 0..10 {
        let changes: Vec<Value> =
            names.iter().map(|name| json!({"path": name, "new": "new\n"})).collect();
        let mut kit = place.serve("kit", "trust");
        kit.begin("edit", &json!({"changes": changes}));
        wait_until("the first file is changed", || place.read("f0") == "new\n");
        std::thread::sleep(moment(100));
        kit.kill();
        let new = || names.iter().filter(|name| place.read(name) == "new\n").count();
        half += usize::from((1..300).contains(&new()));
        let mut kit = place.serve("kit", "read-only");
        let text = kit.call("read", &json!({"path": "f0"})).ok().to_owned();
        let now = if new() == 0 { "old" } else { "new" };
        assert!(matches!(new(), 0 | 300), "{} are new", new());
        assert!(text.to_string().contains(now), "{text}");
        if now == "new" {
            place.ok(&["undo"]);
        }
    }
    eprintln!("{half} of 10 calls were half done when their server was killed");
}

/// Kills a server in the middle of removing a directory of 500 files.
fn killed_while_removing(place: &Place) {
    for n in 0..500 {
        place.write(&format!("keep/d/{}/{n}", n % 7), format!("content {n}\n"));
    }
    let before = place.tree();
    for round in 0..8 {
        let mut local = place.serve("local", "trust");
        local.begin("delete_directory", &json!({"path": "keep/d"}));
        std::thread::sleep(moment(if round % 2 == 0 { 30 } else { 200 }));
        local.kill();
        let log = place.log();
        if place.has("keep/d") {
            assert_eq!(place.tree(), before, "round {round}: a part of the directory is gone");
        } else {
            let done = log.iter().filter(|s| s["undone"] == false).count();
            assert_eq!(done, 1, "round {round}: {log:?}");
            place.ok(&["undo"]);
            assert_eq!(place.tree(), before, "round {round}: undo");
        }
    }
    let mut local = place.serve("local", "trust");
    local.call("delete_directory", &json!({"path": "keep/d"})).ok();
    assert!(!place.has("keep/d"));
    place.ok(&["undo"]);
    assert_eq!(place.tree(), before);
}

#[test]
fn a_folder_is_removed_whole_or_not() {
    killed_while_removing(&Place::new());
}

#[test]
fn a_folder_on_another_file_system_than_the_state_is_removed_whole_or_not() {
    let memory = std::path::Path::new("/dev/shm");
    let Ok(dir) = tempfile::Builder::new().prefix("kitbag-box-").tempdir_in(memory) else {
        skipped("no file system in memory here");
        return;
    };
    let place = Place::new();
    std::fs::remove_dir(place.root()).unwrap();
    std::os::unix::fs::symlink(dir.path(), place.root()).unwrap();
    killed_while_removing(&place);
}

#[test]
fn a_program_dies_with_the_server_and_nothing_of_it_comes_in() {
    for _ in 0..3 {
        let place = Place::with(&[("keep", "kept\n"), ("gone", "gone\n"), ("mode", "x\n")]);
        let before = place.tree();
        let sleeper = mark();
        let script = format!(
            "rm gone; echo more >> keep; chmod 700 mode; (setsid sleep {sleeper} &) ; \
             for i in $(seq 1 2000); do echo $i > new$i; sleep 0.005; done"
        );
        let mut fiz = place.serve("fiz", "trust");
        fiz.begin("bash", &json!({"command": script}));
        wait_until("the program works", || !alive(&sleeper).is_empty());
        std::thread::sleep(moment(60));
        fiz.kill();
        wait_until("the children end", || alive(&sleeper).is_empty());
        assert_eq!(place.tree(), before);
        assert_eq!(place.log(), [Value::Null; 0]);
        let layers = place.state().join("layers");
        assert_eq!(
            std::fs::read_dir(layers).map_or(0, Iterator::count),
            1,
            "until the next command"
        );
        place.ok(&["call", "bash", "command=true", "--policy", "trust"]);
        assert_eq!(std::fs::read_dir(place.state().join("layers")).unwrap().count(), 0);
        assert_eq!(place.tree(), before);
    }
}

#[test]
fn without_a_layer_what_changed_while_a_server_was_killed_is_only_offered() {
    let place = Place::with(&[("keep", "kept\n"), ("gone", "gone\n")]);
    let before = place.tree();
    let sleeper = mark();
    let script = format!(
        "rm gone; echo more >> keep; (setsid sleep {sleeper} &) ; \
         for i in $(seq 1 2000); do echo $i > new$i; sleep 0.005; done"
    );
    let mut fiz =
        crate::client::Server::start(place.server("fiz", "trust", &["--layer", "off"]), false);
    fiz.begin("bash", &json!({"command": script}));
    wait_until("the program works", || place.has("new3"));
    fiz.kill();
    wait_until("the children end", || alive(&sleeper).is_empty());
    std::thread::sleep(Duration::from_millis(150));
    place.write("mine", "a person's\n");
    let after = place.tree();
    let log = place.log();
    assert_eq!((log.len(), &log[0]["undone"]), (1, &json!(true)), "{log:?}");
    assert_eq!(place.run(&["undo"]).code, Some(1), "nobody knows whose it is");
    assert_eq!(place.tree(), after);
    let offered = place.log()[0]["call"].to_string();
    place.ok(&["redo", &offered]);
    assert_eq!(place.tree(), before, "it was asked for");
    place.ok(&["undo"]);
    assert_eq!(place.tree(), after);
}

#[test]
fn an_undo_that_is_killed_is_finished_or_not_begun() {
    let place = Place::new();
    for n in 0..400 {
        place.write(&format!("f{n}"), format!("old {n}\n"));
    }
    std::fs::set_permissions(place.path("f399"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let before = place.tree();
    let mut fiz = place.serve("fiz", "trust");
    let script = "for f in f*; do echo changed > $f; done; rm f1 f2; mkdir d; mv f3 d/; ln -s f4 l";
    fiz.call("bash", &json!({"command": script})).ok();
    drop(fiz);
    let after = place.tree();
    assert_ne!(before, after);
    for round in 0..10 {
        let word = if round % 2 == 0 { "undo" } else { "redo" };
        let (old, new) = if round % 2 == 0 { (&after, &before) } else { (&before, &after) };
        let mut killed =
            place.program(&[word]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(moment(200));
        let _ = killed.kill();
        killed.wait().unwrap();
        let log = place.log();
        let now = place.tree();
        assert!(now == *old || now == *new, "round {round}: half an {word}");
        assert_eq!(log[0]["undone"] == true, now == before, "round {round}");
        assert_eq!(left_over(&place), [""; 0]);
        if now == *old {
            place.ok(&[word]);
            assert_eq!(place.tree(), *new, "round {round}: the next {word}");
        }
    }
}

#[test]
fn many_who_come_after_a_crash_set_it_right_together() {
    let place = Place::with(&[("keep", "kept\n")]);
    let before = place.tree();
    let mut fiz =
        crate::client::Server::start(place.server("fiz", "trust", &["--layer", "off"]), false);
    let script = "for i in $(seq 1 300); do echo $i > new$i; done; echo up > up; sleep 100";
    fiz.begin("bash", &json!({"command": script}));
    wait_until("the program works", || place.has("up") && place.read("up") == "up\n");
    fiz.kill();
    std::thread::sleep(Duration::from_millis(100));
    let after = place.tree();
    let start = |_| place.program(&["log", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
    let all: Vec<_> = (0..6).map(start).collect();
    for one in all {
        let out = one.wait_with_output().unwrap();
        let log: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
        assert_eq!(log.as_array().unwrap().len(), 1, "{log}");
        assert_eq!(log[0]["changes"].as_array().unwrap().len(), 301);
    }
    assert_eq!(place.tree(), after);
    let offered = place.log()[0]["call"].to_string();
    place.ok(&["redo", &offered]);
    assert_eq!(place.tree(), before);
}

/// A file system in a file, mounted.
struct Disk {
    dir: tempfile::TempDir,
}

impl Disk {
    fn new() -> Option<Self> {
        let dir = tempfile::Builder::new().prefix("kitbag-box-").tempdir().unwrap();
        std::fs::create_dir(dir.path().join("disk")).unwrap();
        let image = std::fs::File::create(dir.path().join("image")).unwrap();
        image.set_len(64 << 20).unwrap();
        let disk = Self { dir };
        let made = done(&["mkfs.ext4", "-q", "-F", &disk.at("image")]);
        (made && done(&["mount", "-o", "loop", &disk.at("image"), &disk.at("disk")]))
            .then_some(disk)
    }

    fn at(&self, name: &str) -> String {
        self.dir.path().join(name).display().to_string()
    }

    /// What a power cut leaves now, in place of what is there.
    fn cut_power(&self) {
        assert!(done(&["cp", "--sparse=always", &self.at("image"), &self.at("cut")]));
        assert!(done(&["umount", &self.at("disk")]));
        assert!(done(&["mount", "-o", "loop", &self.at("cut"), &self.at("disk")]));
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        done(&["umount", &self.at("disk")]);
    }
}

fn done(words: &[&str]) -> bool {
    let ran = std::process::Command::new(words[0]).args(&words[1..]).output();
    ran.is_ok_and(|out| out.status.success())
}

#[test]
fn after_a_power_cut_a_change_can_be_undone_whatever_the_size_of_the_file() {
    let Some(disk) = Disk::new() else {
        skipped("no file system can be mounted here");
        return;
    };
    let (root, state) = (disk.at("disk/root"), disk.at("disk/state"));
    std::fs::create_dir(&root).unwrap();
    let old = |size: usize| "old\n".repeat(size / 4);
    let path = |name: &str| format!("{root}/{name}");
    let sizes = [("small", 2000), ("large", 200_000), ("moved", 2000), ("removed", 2000)];
    for (name, size) in sizes {
        std::fs::write(path(name), old(size)).unwrap();
    }
    assert!(done(&["sync", "-f", &root]));
    let kitbag = |words: &[&str]| {
        let place = ["--root", &root, "--state", &state];
        let ran = std::process::Command::new(env!("CARGO_BIN_EXE_kitbag"))
            .args([words, &place].concat())
            .output()
            .unwrap();
        assert!(ran.status.success(), "{words:?}: {ran:?}");
        String::from_utf8(ran.stdout).unwrap()
    };
    let call = |words: &[&str]| {
        kitbag(&[&["call"], words, &["--policy", "trust", "--fsync", "on"]].concat())
    };
    for name in ["small", "large"] {
        call(&["write", "--toolset", "fiz", &format!("path={name}"), "content=new"]);
    }
    call(&["copy", "source=moved", "destination=copied", "--toolset", "stack"]);
    call(&["move", "source=moved", "destination=there", "--toolset", "stack"]);
    call(&["delete_file", "path=removed", "--toolset", "local"]);
    disk.cut_power();
    let read = |name: &str| std::fs::read_to_string(path(name)).unwrap_or_default();
    assert_eq!(
        (read("small"), read("large"), read("moved")),
        ("new".into(), "new".into(), String::new())
    );
    for _ in 0..5 {
        kitbag(&["undo"]);
    }
    for (name, size) in sizes {
        assert!(read(name) == old(size), "{name}: {} bytes", read(name).len());
    }
}
