//! Paths that lead out, and files that are no files: a clear code at once, and nothing lost.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::Server;
use crate::place::{Place, is_root, skipped, system};

/// What a path is asked of: reading, writing, editing, removing.
fn all_of(fiz: &mut Server, local: &mut Server, path: &str) -> Vec<(&'static str, String)> {
    let edit = json!({"path": path, "edits": [{"oldText": "x", "newText": "y"}]});
    let patch = json!({"path": path, "content": "y", "operation": "append"});
    let one = json!({"path": path});
    let write = json!({"path": path, "content": "y"});
    let mut codes = Vec::new();
    for (tool, arguments) in
        [("read", &one), ("write", &write), ("edit", &edit), ("patch", &patch), ("ls", &one)]
    {
        codes.push((tool, fiz.call(tool, arguments).code()));
    }
    for (tool, arguments) in [
        ("read_file", &one),
        ("write_file", &write),
        ("create_directory", &one),
        ("list_directory", &one),
        ("delete_file", &one),
        ("delete_directory", &one),
    ] {
        codes.push((tool, local.call(tool, arguments).code()));
    }
    codes
}

#[test]
fn no_spelling_of_a_path_leads_out() {
    let place = Place::with(&[("dir/a.txt", "x\n")]);
    let secret = place.dir.path().join("secret.txt");
    std::fs::write(&secret, "x secret\n").unwrap();
    let out = place.dir.path().join("outside");
    std::fs::create_dir(&out).unwrap();
    symlink(&secret, place.path("link")).unwrap();
    symlink("../secret.txt", place.path("short")).unwrap();
    symlink("link", place.path("chain")).unwrap();
    symlink(&out, place.path("door")).unwrap();
    symlink("/proc/self/root", place.path("magic")).unwrap();
    symlink("/dev/zero", place.path("zero")).unwrap();
    let (mut fiz, mut local) = (place.serve("fiz", "trust"), place.serve("local", "trust"));
    let shown = secret.to_string_lossy().into_owned();
    for path in [
        "../secret.txt",
        "dir/../../secret.txt",
        "./././../secret.txt",
        &shown,
        "/etc/passwd",
        "/",
        "..",
        "/proc/self/root/etc/passwd",
        "/proc/self/cwd/dir/a.txt",
        "magic/etc/passwd",
        "door/new.txt",
    ] {
        for (tool, code) in all_of(&mut fiz, &mut local, path) {
            let fits = match path {
                "/" | ".." => {
                    ["PathOutsideWorkspace", "NotADirectory", "InvalidInput", "IsDirectory"]
                        .contains(&&*code)
                }
                _ => code == "PathOutsideWorkspace",
            };
            assert!(fits, "{tool} {path}: {code:?}");
        }
    }
    for path in ["chain", "link", "short", "zero"] {
        for (tool, code) in all_of(&mut fiz, &mut local, path) {
            match tool {
                // The link itself is inside and can be removed; what it leads to stays.
                "delete_file" => assert_eq!(code, "", "{path}"),
                "delete_directory" => assert_eq!(code, "DirectoryNotFound", "{path}"),
                _ => assert_eq!(code, "PathOutsideWorkspace", "{tool} {path}"),
            }
        }
        assert!(!place.has(path), "{path}");
    }
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), "x secret\n");
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), 0);
    assert_eq!(place.read("dir/a.txt"), "x\n");
    let found = fiz.call("grep", &json!({"pattern": "secret"}));
    assert!(!found.text().contains("x secret"), "{found:?}");
}

#[test]
fn a_path_that_cannot_be_one_is_said_at_once() {
    let place = Place::with(&[("a.txt", "x\n")]);
    let (mut fiz, mut local) = (place.serve("fiz", "trust"), place.serve("local", "trust"));
    let (name, long) = ("n".repeat(300), "d/".repeat(2500) + "f");
    for path in ["a\0b", "a.txt\0", &name, &long, &"x".repeat(5000), ""] {
        for (tool, code) in all_of(&mut fiz, &mut local, path) {
            if path.is_empty() && tool == "ls" {
                continue; // nothing named is the root
            }
            assert_eq!(code, "InvalidInput", "{tool} {} bytes", path.len());
        }
    }
    // A tilde is a name like any other.
    for (tool, code) in all_of(&mut fiz, &mut local, "~/notes") {
        assert!(
            [
                "",
                "FileNotFound",
                "DirectoryNotFound",
                "IsDirectory",
                "StringNotFound",
                "NotADirectory",
                "FileExists"
            ]
            .contains(&&*code),
            "{tool}: {code}"
        );
    }
    let kept = place.tree();
    assert!(kept.iter().all(|(name, _)| name == "a.txt" || name.starts_with('~')), "{kept:?}");
}

#[test]
fn what_is_no_file_is_never_opened() {
    let place = Place::with(&[("dir/x", "x\n"), ("a.txt", "needle\n")]);
    system(&["mkfifo", place.path("pipe").to_str().unwrap()]);
    let _socket = std::os::unix::net::UnixListener::bind(place.path("socket")).unwrap();
    let sparse = std::fs::File::create(place.path("sparse")).unwrap();
    sparse.set_len(10 << 30).unwrap();
    place.write("binary", b"\x7fELF\0\0\0\x01x");
    let (mut fiz, mut local) = (place.serve("fiz", "trust"), place.serve("local", "trust"));
    let began = Instant::now();
    let no = |tool: &str, code: &str| (tool.to_owned(), code.to_owned());
    for (path, file, list) in [
        ("pipe", "NotAFile", "NotADirectory"),
        ("socket", "NotAFile", "NotADirectory"),
        ("sparse", "FileTooLarge", "NotADirectory"),
        ("dir", "IsDirectory", ""),
        ("dir/.", "IsDirectory", ""),
        ("a.txt/b", "NotADirectory", "NotADirectory"),
    ] {
        let edit = json!({"path": path, "edits": [{"oldText": "x", "newText": "y"}]});
        let got: Vec<_> = [
            ("read", json!({"path": path})),
            ("write", json!({"path": path, "content": "y"})),
            ("edit", edit),
            ("ls", json!({"path": path})),
        ]
        .into_iter()
        .map(|(tool, arguments)| no(tool, &fiz.call(tool, &arguments).code()))
        .collect();
        let wanted = [no("read", file), no("write", file), no("edit", file), no("ls", list)];
        assert_eq!(got, wanted, "{path}");
    }
    local.call("read_file", &json!({"path": "pipe"})).fails("NotAFile");
    local.call("create_directory", &json!({"path": "pipe"})).fails("FileExists");
    local.call("create_directory", &json!({"path": "a.txt/b"})).fails("NotADirectory");
    local.call("delete_directory", &json!({"path": "pipe"})).fails("NotADirectory");
    local.call("delete_file", &json!({"path": "dir"})).fails("IsDirectory");
    fiz.call("read", &json!({"path": "binary"})).fails("BinaryFile");
    fiz.call("edit", &json!({"path": "binary", "old_string": "ELF", "new_string": "E"}))
        .fails("BinaryFile");
    let found = fiz.call("grep", &json!({"pattern": "needle"}));
    assert!(found.ok().contains("a.txt:1:needle"), "{found:?}");
    assert!(fiz.call("find", &json!({"pattern": "*"})).ok().contains("a.txt"));
    assert!(fiz.call("ls", &json!({})).ok().contains("pipe"));
    assert!(fiz.call("bash", &json!({"command": "cat a.txt"})).ok().contains("needle"));
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert_eq!(place.bytes("binary"), b"\x7fELF\0\0\0\x01x");
    let kind = std::fs::symlink_metadata(place.path("pipe")).unwrap().file_type();
    assert!(std::os::unix::fs::FileTypeExt::is_fifo(&kind));
    assert_eq!(std::fs::metadata(place.path("sparse")).unwrap().len(), 10 << 30);
    if is_root() {
        system(&["mknod", place.path("endless").to_str().unwrap(), "c", "1", "5"]);
        fiz.call("read", &json!({"path": "endless"})).fails("NotAFile");
        fiz.call("write", &json!({"path": "endless", "content": ""})).fails("NotAFile");
        assert!(fiz.call("grep", &json!({"pattern": "needle"})).ok().contains("a.txt"));
    } else {
        skipped("only root makes devices");
    }
}

#[test]
fn names_of_any_bytes_are_listed_found_read_and_changed() {
    let place = Place::new();
    let names: &[&[u8]] = &[
        b"new\nline",
        b"quo\"te",
        b"-rf",
        b"\xff\xfe",
        "\u{202e}txt.exe".as_bytes(),
        "grün 🦀".as_bytes(),
        b" space ",
        b"back\\slash",
        b"tab\t",
        b"*?[a]{b}",
        b"$(touch owned)",
        b";touch owned",
        b"\x1b]0;x\x07",
    ];
    for name in names {
        std::fs::write(place.root().join(OsStr::from_bytes(name)), "needle\n").unwrap();
    }
    let mut fiz = place.serve("fiz", "trust");
    let listed = fiz.call("ls", &json!({})).ok().to_owned();
    let shown: Vec<&str> = listed.lines().skip(1).collect();
    assert_eq!(shown.len(), names.len(), "a line a name: {listed:?}");
    assert!(!listed.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{listed:?}");
    for name in &shown {
        assert_eq!(fiz.call("read", &json!({"path": name})).ok(), "needle\n", "{name}");
        let edit = json!({"path": name, "edits": [{"oldText": "needle", "newText": "found"}]});
        fiz.call("edit", &edit).ok();
    }
    for name in names {
        let path = place.root().join(OsStr::from_bytes(name));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "found\n", "{name:?}");
    }
    let hits = fiz.call("grep", &json!({"pattern": "found"}));
    assert_eq!(hits.ok().lines().count(), names.len(), "{hits:?}");
    assert!(!hits.text().contains(['\u{1b}', '\u{202e}']), "{hits:?}");
    let found = fiz.call("find", &json!({"pattern": "*"}));
    assert_eq!(found.ok().lines().count(), names.len(), "{found:?}");
    assert_eq!(std::fs::read_dir(place.root()).unwrap().count(), names.len());
    for _ in names {
        place.ok(&["undo"]);
    }
    for name in names {
        let path = place.root().join(OsStr::from_bytes(name));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "needle\n", "{name:?}");
    }
}

#[test]
fn a_file_that_may_not_be_read_is_said_and_left_alone() {
    let place =
        Place::with(&[("open.txt", "needle\n"), ("closed.txt", "needle\n"), ("dir/x", "needle\n")]);
    let mode = |name: &str, mode| {
        std::fs::set_permissions(place.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("closed.txt", 0);
    mode("dir", 0);
    let Some(mut fiz) = place.serve_unprivileged("fiz", "trust") else { return };
    fiz.call("read", &json!({"path": "closed.txt"})).fails("PermissionDenied");
    fiz.call("write", &json!({"path": "closed.txt", "content": "x"})).fails("PermissionDenied");
    let edit = json!({"path": "closed.txt", "old_string": "needle", "new_string": "x"});
    fiz.call("edit", &edit).fails("PermissionDenied");
    fiz.call("read", &json!({"path": "dir/x"})).fails("PermissionDenied");
    fiz.call("ls", &json!({"path": "dir"})).fails("PermissionDenied");
    fiz.call("write", &json!({"path": "dir/y", "content": "x"})).fails("PermissionDenied");
    let hits = fiz.call("grep", &json!({"pattern": "needle"}));
    assert!(hits.ok().contains("open.txt:1:needle"), "{hits:?}");
    fiz.call("bash", &json!({"command": "echo more >> open.txt"})).ok();
    assert_eq!(place.read("open.txt"), "needle\nmore\n");
    mode("closed.txt", 0o644);
    mode("dir", 0o755);
    assert_eq!(place.read("closed.txt"), "needle\n");
    assert_eq!(place.read("dir/x"), "needle\n");
}

#[test]
fn a_ranked_search_counts_the_files_that_may_not_be_read() {
    let apple = "def apple():\n    pass\n";
    let place = Place::with(&[("a.py", apple), ("b.py", apple)]);
    let closed = std::fs::Permissions::from_mode(0o000);
    std::fs::set_permissions(place.path("b.py"), closed).unwrap();
    let Some(mut floyd) = place.serve_unprivileged("floyd", "trust") else { return };
    let found = floyd.call("search_codebase", &json!({"query": "apple"}));
    let text = found.ok();
    assert!(text.contains("a.py") && !text.contains("b.py"), "{text}");
    assert!(text.contains("skipped 1 unreadable file"), "{text}");
}

#[test]
fn sources_made_to_take_gigabytes_leave_the_server_small() {
    let hostile = "x=>".repeat(4000);
    let place = Place::with(&[("a.java", &hostile), ("b.c", &hostile), ("c.rs", "fn x() {}\n")]);
    let mut floyd = place.serve("floyd", "trust");
    let found = floyd.call("search_codebase", &json!({"query": "x function"}));
    assert!(found.ok().contains("2 files read as plain text: too hard to parse"), "{found:?}");
    assert!(floyd.call("find_symbol", &json!({"symbol": "x"})).ok().contains("c.rs"));
    floyd.call("list_symbols", &json!({"filePath": "a.java"})).code();
    let status = std::fs::read_to_string(format!("/proc/{}/status", floyd.pid())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kib: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(kib < 400 << 10, "{kib} KiB");
}

/// A file system in memory under the root of a place; unmounted when dropped.
pub(crate) struct Mount(std::path::PathBuf);

impl Mount {
    pub(crate) fn new(place: &Place, name: &str, options: &str) -> Option<Self> {
        let path = place.path(name);
        std::fs::create_dir_all(&path).unwrap();
        let mount =
            Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(&path).output();
        if !is_root() || !mount.is_ok_and(|m| m.status.success()) {
            skipped("no file system can be mounted here");
            return None;
        }
        Some(Self(path))
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_leaves_the_old_content() {
    let place = Place::new();
    let Some(_mount) = Mount::new(&place, "small", "size=64k") else { return };
    place.write("small/a.txt", "old content\n");
    let (mut fiz, mut local) = (place.serve("fiz", "trust"), place.serve("local", "trust"));
    let big = "x".repeat(200_000);
    let big = json!({"path": "small/a.txt", "content": big});
    let message = fiz.call("write", &big).fails("DiskFull");
    assert!(message.starts_with("error: small/a.txt"), "{message}");
    let append = json!({"path": "small/a.txt", "operation": "append", "content": big["content"]});
    fiz.call("patch", &append).fails("DiskFull");
    local.call("write_file", &big).fails("DiskFull");
    let new = json!({"path": "small/new.txt", "content": big["content"]});
    fiz.call("write", &new).fails("DiskFull");
    assert_eq!(place.read("small/a.txt"), "old content\n");
    assert_eq!(std::fs::read_dir(place.path("small")).unwrap().count(), 1, "nothing is left over");
    fiz.call("write", &json!({"path": "small/a.txt", "content": "fits\n"})).ok();
    assert_eq!(place.read("small/a.txt"), "fits\n");
    local.call("delete_directory", &json!({"path": "small"}));
    assert!(place.has("small"), "a mount point is not taken away");
    place.ok(&["undo"]);
    assert_eq!(place.read("small/a.txt"), "old content\n");
}

#[test]
fn no_more_names_on_the_disk_is_said_too() {
    let place = Place::new();
    let Some(_mount) = Mount::new(&place, "few", "nr_inodes=3,size=1m") else { return };
    place.write("few/a.txt", "old\n");
    let mut fiz = place.serve("fiz", "trust");
    let codes: Vec<String> = (0..4)
        .map(|n| fiz.call("write", &json!({"path": format!("few/{n}"), "content": "x"})).code())
        .collect();
    assert_eq!(codes.iter().filter(|c| *c == "DiskFull").count(), 3, "{codes:?}");
    fiz.call("write", &json!({"path": "few/sub/deep/b", "content": "x"})).fails("DiskFull");
    assert!(!place.has("few/sub"));
    assert_eq!(place.read("few/a.txt"), "old\n");
}

#[test]
fn a_read_only_file_system_is_named() {
    let place = Place::new();
    let Some(mount) = Mount::new(&place, "fixed", "size=64k") else { return };
    place.write("fixed/a.txt", "old\n");
    system(&["mount", "-o", "remount,ro", mount.0.to_str().unwrap()]);
    let (mut fiz, mut local) = (place.serve("fiz", "trust"), place.serve("local", "trust"));
    for path in ["fixed/a.txt", "fixed/new.txt", "fixed/sub/new.txt"] {
        let message =
            fiz.call("write", &json!({"path": path, "content": "x"})).fails("PermissionDenied");
        assert!(message.contains("read-only"), "{message}");
    }
    let message =
        local.call("delete_file", &json!({"path": "fixed/a.txt"})).fails("PermissionDenied");
    assert!(message.contains("read-only"), "{message}");
    local.call("create_directory", &json!({"path": "fixed/sub"})).fails("PermissionDenied");
    assert_eq!(place.read("fixed/a.txt"), "old\n");
    assert!(place.log().is_empty(), "{:?}", place.log());
}

#[test]
fn a_full_state_folder_stops_changes_and_loses_nothing() {
    let place = Place::with(&[("a.txt", "old\n")]);
    let Some(mount) = Mount::new(&place, "state", "size=256k") else { return };
    let mut command = place.server("fiz", "trust", &[]);
    command.env("KITBAG_STATE", &mount.0);
    let mut fiz = Server::start(command, false);
    let mut last = "old\n".to_owned();
    let mut codes = Vec::new();
    for n in 0..40 {
        let content = format!("{n} {}\n", "y".repeat(20_000));
        let answer = fiz.call("write", &json!({"path": "a.txt", "content": content}));
        codes.push(answer.code());
        if !answer.failed() {
            last = content;
        }
        assert!(place.read("a.txt") == last, "what was refused was not done");
    }
    assert!(codes.iter().any(|c| c == "DiskFull"), "{codes:?}");
    assert!(codes.iter().all(|c| c.is_empty() || c == "DiskFull"), "{codes:?}");
    assert_eq!(fiz.call("read", &json!({"path": "a.txt"})).ok().len(), last.len());
}

#[test]
fn a_program_whose_changes_cannot_be_noted_is_not_said_to_have_failed() {
    let place = Place::with(&[("a.txt", "old\n")]);
    // On another file system, so that there is no layer.
    let Some(mount) = Mount::new(&place, "../state-of-its-own", "size=1m") else { return };
    let mut command = place.server("fiz", "trust", &[]);
    command.env("KITBAG_STATE", &mount.0);
    let mut fiz = Server::start(command, false);
    let line = "echo new > a.txt; head -c 2000000 /dev/urandom > big.bin";
    let message = fiz.call("bash", &json!({"command": line})).fails("DiskFull");
    assert!(message.contains("the program ran; do not run it again"), "{message}");
    assert_eq!(place.read("a.txt"), "new\n");
    system(&["mount", "-o", "remount,size=8m", mount.0.to_str().unwrap()]);
    // While the server lives: it has given the call up.
    let run = |words: &[&str]| {
        let mut command = place.program(words);
        let done = command.env("KITBAG_STATE", &mount.0).output().unwrap();
        assert!(done.status.success(), "{done:?}");
        String::from_utf8(done.stdout).unwrap()
    };
    let log = run(&["log"]);
    assert!(log.contains("put back what changed"), "{log}");
    assert!(log.contains("(held back)"), "{log}");
    run(&["redo", log.split_whitespace().next().unwrap()]);
    assert_eq!(place.read("a.txt"), "old\n");
}

#[test]
fn a_link_that_leads_nowhere_says_so() {
    let place = Place::with(&[("a.txt", "x\n")]);
    symlink("gone", place.path("dangling")).unwrap();
    symlink("around", place.path("around")).unwrap();
    symlink("..", place.path("up")).unwrap();
    let mut floyd = place.serve("floyd", "trust");
    let mut read = |path: &str| floyd.call("read_file", &json!({"filePath": path}));
    let message = read("dangling").fails("FileNotFound");
    assert!(message.contains("a dangling symbolic link"), "{message}");
    let message = read("around").fails("PathOutsideWorkspace");
    assert!(message.contains("too many levels of symbolic links"), "{message}");
    read("a.txt/").fails("NotADirectory");
    floyd.call("get_file_info", &json!({"filePath": "a.txt/x"})).fails("NotADirectory");
    let mut stack = place.serve("stack", "trust");
    for path in ["..", "up/..", "../.."] {
        stack.call("delete", &json!({"path": path, "force": true})).fails("PathOutsideWorkspace");
    }
    let warning = stack.call("delete", &json!({"path": "up"})).fields()["warning"].clone();
    assert!(warning.as_str().unwrap().contains("would delete the link"), "{warning}");
}

#[test]
fn a_file_that_may_only_be_read_is_not_replaced() {
    let place = Place::with(&[("ro.txt", "x\n"), ("shut/a.txt", "x\n")]);
    let mode = |name: &str, mode| {
        std::fs::set_permissions(place.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("ro.txt", 0o444);
    mode("shut", 0o000);
    let Some(mut floyd) = place.serve_unprivileged("floyd", "trust") else { return };
    let diff = "--- a/ro.txt\n+++ b/ro.txt\n@@ -1 +1 @@\n-x\n+y\n";
    let range = json!({"filePath": "ro.txt", "startLine": 0, "endLine": 0, "content": "y"});
    for (tool, arguments) in [
        ("write_file", json!({"filePath": "ro.txt", "content": "y"})),
        ("edit_file", json!({"filePath": "ro.txt", "oldStr": "x", "newStr": "y"})),
        ("edit_range", range),
        ("apply_unified_diff", json!({"diff": diff})),
    ] {
        let message = floyd.call(tool, &arguments).fails("PermissionDenied");
        assert!(message.contains("a read-only file"), "{tool}: {message}");
    }
    assert_eq!(place.read("ro.txt"), "x\n");
    assert!(!place.path("ro.txt.backup").exists());
    let found = floyd.call("grep_search", &json!({"pattern": "x"})).fields();
    assert_eq!(found["data"]["totalMatches"], 1);
    assert!(
        found["data"]["note"].as_str().unwrap().contains("1 unreadable file (shut)"),
        "{found}"
    );
    mode("shut", 0o755);
}
