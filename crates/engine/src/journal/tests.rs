#![expect(clippy::disallowed_methods, reason = "tests look at the real files")]

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use super::{Approved, Direction, Journal, Label, Parents, Step};
use crate::{Access, Code, Limits, State, Workspace};

struct Place {
    _dir: tempfile::TempDir,
    root: std::path::PathBuf,
    state: State,
}

fn place(files: &[(&str, &str)]) -> Place {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap().join("root");
    fs::create_dir(&root).unwrap();
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let state = State::new(root.parent().unwrap().join("state"));
    Place { _dir: dir, root, state }
}

impl Place {
    fn open(&self) -> (Workspace, Journal) {
        let workspace = Workspace::open(&self.root, &[], Limits::default()).unwrap();
        let journal =
            Journal::new(self.state.clone(), self.root.clone(), super::new_id(), false, Vec::new());
        (workspace, journal)
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap_or_else(|e| format!("({e})"))
    }
}

fn label() -> Label {
    Label { tool: "test".into(), about: String::new() }
}

fn begin<'a>(journal: &'a Journal, workspace: &'a Workspace) -> Step<'a> {
    journal.begin(workspace, label(), Approved::default())
}

#[test]
fn a_kept_change_can_be_undone_and_redone() {
    let place = place(&[("a.txt", "one\n")]);
    let (ws, journal) = place.open();
    let step = begin(&journal, &ws);
    assert!(!step.write("a.txt", b"two\n", Parents::Create).unwrap().new);
    assert!(step.write("deep/er/b.txt", b"new\n", Parents::Create).unwrap().new);
    let id = step.keep().unwrap().unwrap();

    let record = journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!(record.id, id);
    assert_eq!(place.read("a.txt"), "one\n");
    assert!(!place.root.join("deep").exists());

    journal.turn(&ws, Direction::Redo, None).unwrap();
    assert_eq!(place.read("a.txt"), "two\n");
    assert_eq!(place.read("deep/er/b.txt"), "new\n");
    assert_eq!(journal.turn(&ws, Direction::Redo, None).unwrap_err().code, Code::NothingToUndo);
}

#[test]
fn several_steps_are_undone_backwards_and_redone_forwards() {
    let place = place(&[("a", "0")]);
    let (ws, journal) = place.open();
    for text in ["1", "2", "3"] {
        let step = begin(&journal, &ws);
        step.write("a", text.as_bytes(), Parents::Create).unwrap();
        step.keep().unwrap();
    }
    let mut seen = Vec::new();
    for direction in
        [Direction::Undo, Direction::Undo, Direction::Undo, Direction::Redo, Direction::Redo]
    {
        journal.turn(&ws, direction, None).unwrap();
        seen.push(place.read("a"));
    }
    assert_eq!(seen, ["2", "1", "0", "1", "2"]);
}

#[test]
fn a_failed_step_leaves_everything_as_it_was() {
    let place = place(&[("a.txt", "one"), ("d/x", "x"), ("d/sub/y", "y")]);
    let (ws, journal) = place.open();
    let step = begin(&journal, &ws);
    step.write("a.txt", b"two", Parents::Create).unwrap();
    step.write("new/file", b"n", Parents::Create).unwrap();
    step.remove_directory("d").unwrap();
    assert!(!place.root.join("d").exists());
    step.roll_back().unwrap();
    assert_eq!(place.read("a.txt"), "one");
    assert_eq!(place.read("d/sub/y"), "y");
    assert!(!place.root.join("new").exists());
    assert!(journal.log(&ws, 9).unwrap().is_empty());
}

#[test]
fn a_step_dropped_by_a_panic_is_rolled_back() {
    let place = place(&[("a", "one")]);
    let (ws, journal) = place.open();
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let step = begin(&journal, &ws);
        step.write("a", b"two", Parents::Create).unwrap();
        panic!("on purpose");
    }));
    assert!(result.is_err());
    assert_eq!(place.read("a"), "one");
}

#[test]
fn undo_refuses_to_destroy_what_somebody_wrote_since() {
    let place = place(&[("a", "one"), ("b", "one")]);
    let (ws, journal) = place.open();
    let step = begin(&journal, &ws);
    step.write("a", b"two", Parents::Create).unwrap();
    step.write("b", b"two", Parents::Create).unwrap();
    step.keep().unwrap();
    fs::write(place.root.join("b"), "mine").unwrap();
    let error = journal.turn(&ws, Direction::Undo, None).unwrap_err();
    assert_eq!(error.code, Code::UndoConflict);
    assert!(error.message.contains("b;"), "{error}");
    assert_eq!((place.read("a").as_str(), place.read("b").as_str()), ("two", "mine"));
}

#[test]
fn removed_things_come_back_with_mode_links_and_all() {
    let place = place(&[("d/run.sh", "#!/bin/sh\n"), ("f", "f")]);
    fs::set_permissions(place.root.join("d/run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    std::os::unix::fs::symlink("run.sh", place.root.join("d/link")).unwrap();
    let (ws, journal) = place.open();
    let step = begin(&journal, &ws);
    step.remove_directory("d").unwrap();
    step.remove_file("f").unwrap();
    step.keep().unwrap();
    assert!(!place.root.join("d").exists() && !place.root.join("f").exists());
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!(
        fs::metadata(place.root.join("d/run.sh")).unwrap().permissions().mode() & 0o777,
        0o755
    );
    assert_eq!(fs::read_link(place.root.join("d/link")).unwrap(), Path::new("run.sh"));
    journal.turn(&ws, Direction::Redo, None).unwrap();
    assert!(!place.root.join("d").exists() && !place.root.join("f").exists());
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!(place.read("f"), "f");
}

#[test]
fn what_a_program_did_can_be_undone() {
    let place = place(&[
        ("keep", "k"),
        ("gone/deep/x", "x"),
        ("old", "old"),
        (".env", "SECRET=1\n"),
        (".gitignore", ".env\nbuild/\n"),
        ("build/out", "o"),
    ]);
    let (ws, journal) = place.open();
    let step = journal.begin_program(&ws, label()).unwrap();
    fs::remove_dir_all(place.root.join("gone")).unwrap();
    fs::write(place.root.join("old"), "new").unwrap();
    fs::remove_file(place.root.join(".env")).unwrap();
    fs::create_dir_all(place.root.join("made/here")).unwrap();
    fs::write(place.root.join("made/here/y"), "y").unwrap();
    let noted = step.note_program().unwrap();
    assert_eq!(noted.step, step.keep().unwrap());
    let log = journal.log(&ws, 1).unwrap();
    let changes: Vec<_> = log[0].changes.iter().map(|c| format!("{} {}", c.what, c.path)).collect();
    assert_eq!(
        changes,
        [
            "removed gone/deep/x",
            "removed gone/deep",
            "removed gone",
            "removed .env",
            "created made",
            "created made/here",
            "created made/here/y",
            "changed old",
        ]
    );
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!(place.read("gone/deep/x"), "x");
    assert_eq!(place.read("old"), "old");
    assert_eq!(place.read(".env"), "SECRET=1\n");
    assert!(!place.root.join("made").exists());
    journal.turn(&ws, Direction::Redo, None).unwrap();
    assert_eq!(place.read("old"), "new");
    assert!(!place.root.join("gone").exists());
}

#[test]
fn a_program_that_changed_nothing_leaves_no_entry() {
    let place = place(&[("a", "a")]);
    let (ws, journal) = place.open();
    let step = journal.begin_program(&ws, label()).unwrap();
    assert_eq!(step.keep().unwrap(), None);
    assert!(journal.log(&ws, 9).unwrap().is_empty());
}

#[test]
fn a_program_cannot_leave_a_file_that_editors_obey() {
    let place = place(&[(".vscode/tasks.json", "{}")]);
    let (ws, journal) = place.open();
    let step = journal.begin_program(&ws, label()).unwrap();
    fs::write(place.root.join(".envrc"), "evil").unwrap();
    fs::write(place.root.join(".vscode/tasks.json"), "evil").unwrap();
    fs::write(place.root.join("fine"), "fine").unwrap();
    let noted = step.note_program().unwrap();
    assert_eq!(noted.put_back, [".envrc", ".vscode/tasks.json"]);
    assert_eq!(place.read(".vscode/tasks.json"), "{}");
    assert!(!place.root.join(".envrc").exists());
    assert_eq!(place.read("fine"), "fine");
}

#[test]
fn the_configuration_of_a_repository_stays_as_a_program_left_it_if_that_was_its_task() {
    let place = place(&[(".git/config", "old"), (".git/HEAD", "ref: refs/heads/main\n")]);
    let (ws, journal) = place.open();
    let step = journal.begin_program(&ws, label()).unwrap();
    fs::write(place.root.join(".git/config"), "new").unwrap();
    assert_eq!(step.note_program().unwrap().put_back, [".git/config"]);
    step.keep().unwrap();
    assert_eq!(place.read(".git/config"), "old");
    let step = journal.begin_program(&ws, label()).unwrap();
    step.let_configure_git();
    fs::write(place.root.join(".git/config"), "new").unwrap();
    assert!(step.note_program().unwrap().put_back.is_empty());
    step.keep().unwrap();
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!(place.read(".git/config"), "old");
}

#[test]
fn a_mode_that_a_program_changed_can_be_undone() {
    let place = place(&[("run", "x")]);
    let (ws, journal) = place.open();
    let run = place.root.join("run");
    let mode = |bits| fs::set_permissions(&run, fs::Permissions::from_mode(bits)).unwrap();
    mode(0o640);
    let step = journal.begin_program(&ws, label()).unwrap();
    mode(0o750);
    step.keep().unwrap();
    let bits = || fs::metadata(&run).unwrap().permissions().mode() & 0o777;
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!(bits(), 0o640);
    journal.turn(&ws, Direction::Redo, None).unwrap();
    assert_eq!(bits(), 0o750);
}

#[test]
fn a_second_program_sees_what_changed_between_them() {
    let place = place(&[("a", "1")]);
    let (ws, journal) = place.open();
    journal.begin_program(&ws, label()).unwrap().keep().unwrap();
    fs::write(place.root.join("a"), "2").unwrap();
    let step = journal.begin_program(&ws, label()).unwrap();
    fs::write(place.root.join("a"), "3").unwrap();
    step.keep().unwrap();
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!(place.read("a"), "2");
}

#[test]
fn a_dry_step_changes_nothing_and_binds_the_real_one() {
    let place = place(&[("a", "one\n")]);
    let (ws, journal) = place.open();
    let dry = Step::dry(&journal, &ws, Approved::default());
    dry.write("a", b"two\n", Parents::Create).unwrap();
    dry.write("x/y", b"new\n", Parents::Create).unwrap();
    let planned = dry.planned();
    assert_eq!(place.read("a"), "one\n");
    assert!(!place.root.join("x").exists());

    let approved = Approved { planned: Some(planned), ..Approved::default() };
    let step = journal.begin(&ws, label(), approved.clone());
    step.write("x/y", b"new\n", Parents::Create).unwrap();
    assert_eq!(step.write("a", b"three\n", Parents::Create).unwrap_err().code, Code::FileChanged);
    drop(step);
    assert!(!place.root.join("x").exists());
}

#[test]
fn a_write_over_somebody_elses_change_is_refused() {
    let place = place(&[("a", "one")]);
    let (ws, journal) = place.open();
    ws.read("a").unwrap();
    fs::write(place.root.join("a"), "theirs").unwrap();
    let step = begin(&journal, &ws);
    assert_eq!(step.write("a", b"mine", Parents::Create).unwrap_err().code, Code::FileChanged);
    drop(step);
    ws.read("a").unwrap();
    let step = begin(&journal, &ws);
    step.write("a", b"mine", Parents::Create).unwrap();
    step.keep().unwrap();
    assert_eq!(place.read("a"), "mine");
}

#[test]
fn an_edit_of_a_file_that_somebody_else_changed_does_not_make_it_read() {
    let place = place(&[("a", "one")]);
    let (ws, journal) = place.open();
    ws.read("a").unwrap();
    fs::write(place.root.join("a"), "theirs, one").unwrap();
    let step = begin(&journal, &ws);
    step.edit("a", |old| Ok((String::from_utf8_lossy(old).replace("one", "1").into_bytes(), ())))
        .unwrap();
    assert_eq!(step.write("a", b"mine", Parents::Create).unwrap_err().code, Code::FileChanged);
    assert_eq!(ws.read_as_seen("a").unwrap_err().code, Code::FileChanged);
    ws.look("a").unwrap();
    assert_eq!(step.write("a", b"mine", Parents::Create).unwrap_err().code, Code::FileChanged);
    ws.read("a").unwrap();
    step.write("a", b"mine", Parents::Create).unwrap();
    ws.read_as_seen("a").unwrap();
    step.keep().unwrap();
}

#[test]
fn protected_paths_need_a_person_also_when_they_do_not_exist() {
    let place = place(&[(".git/config", "c"), ("sub/x", "x")]);
    let (ws, journal) = place.open();
    for path in [
        ".git/config",
        ".git/hooks/pre-commit",
        ".mcp.json",
        "sub/.ENVRC",
        ".vscode/tasks.json",
        ".git",
    ] {
        let step = begin(&journal, &ws);
        let error = step.write(path, b"evil", Parents::Create).unwrap_err();
        assert!(matches!(error.code, Code::ProtectedPath | Code::IsDirectory), "{path}: {error}");
        assert!(!journal.protected(&ws, &[path.to_owned()]).is_empty(), "{path}");
    }
    assert!(!place.root.join(".vscode").exists());
    std::os::unix::fs::symlink(".git/config", place.root.join("innocent")).unwrap();
    assert_eq!(journal.protected(&ws, &["innocent".into()]), [place.root.join(".git/config")]);
    let step = begin(&journal, &ws);
    assert_eq!(
        step.write("innocent", b"evil", Parents::Create).unwrap_err().code,
        Code::ProtectedPath
    );
}

#[test]
fn nothing_escapes_the_root() {
    let place = place(&[("in", "in")]);
    let outside = place.root.parent().unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret"), "secret").unwrap();
    std::os::unix::fs::symlink(&outside, place.root.join("out")).unwrap();
    std::os::unix::fs::symlink("../outside/secret", place.root.join("leak")).unwrap();
    std::os::unix::fs::symlink("../outside/made", place.root.join("dangling")).unwrap();
    std::os::unix::fs::symlink("/proc/self/root/etc/passwd", place.root.join("magic")).unwrap();
    let (ws, journal) = place.open();
    let absolute = outside.join("secret").display().to_string();
    for path in [
        "out/secret",
        "leak",
        "../outside/secret",
        &absolute,
        "magic",
        "in/../../outside/secret",
        "/etc/passwd",
    ] {
        let error = ws.read(path).unwrap_err();
        assert!(
            matches!(error.code, Code::PathOutsideWorkspace | Code::NotADirectory),
            "{path}: {error:?}"
        );
        let step = begin(&journal, &ws);
        let error = step.write(path, b"x", Parents::Create).unwrap_err();
        assert!(
            matches!(error.code, Code::PathOutsideWorkspace | Code::NotADirectory),
            "{path}: {error:?}"
        );
    }
    for path in ["dangling", "out/new", "../outside/new"] {
        let step = begin(&journal, &ws);
        assert_eq!(
            step.write(path, b"x", Parents::Create).unwrap_err().code,
            Code::PathOutsideWorkspace,
            "{path}"
        );
    }
    let step = begin(&journal, &ws);
    assert_eq!(step.remove_directory(".").unwrap_err().code, Code::InvalidInput);
    assert_eq!(step.remove_directory("out/..").unwrap_err().code, Code::PathOutsideWorkspace);
    step.remove_file("out").unwrap();
    step.keep().unwrap();
    assert_eq!(fs::read_to_string(outside.join("secret")).unwrap(), "secret");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
}

#[test]
fn links_inside_the_root_work_and_stay() {
    let place = place(&[("real/a", "one")]);
    std::os::unix::fs::symlink("real/a", place.root.join("rel")).unwrap();
    std::os::unix::fs::symlink(place.root.join("real/a"), place.root.join("abs")).unwrap();
    std::os::unix::fs::symlink("real", place.root.join("dir")).unwrap();
    std::os::unix::fs::symlink("real/new", place.root.join("fresh")).unwrap();
    std::os::unix::fs::symlink("loop", place.root.join("loop")).unwrap();
    let (ws, journal) = place.open();
    for (n, path) in ["rel", "abs", "dir/a"].iter().enumerate() {
        let step = begin(&journal, &ws);
        step.write(path, n.to_string().as_bytes(), Parents::Create).unwrap();
        step.keep().unwrap();
        assert_eq!(place.read("real/a"), n.to_string());
        assert_eq!(ws.read(path).unwrap().bytes, n.to_string().as_bytes());
    }
    let step = begin(&journal, &ws);
    step.write("fresh", b"f", Parents::Create).unwrap();
    step.keep().unwrap();
    assert_eq!(place.read("real/new"), "f");
    for link in ["rel", "abs", "dir", "fresh"] {
        assert!(fs::symlink_metadata(place.root.join(link)).unwrap().is_symlink(), "{link}");
    }
    assert_eq!(ws.read("loop").unwrap_err().code, Code::PathOutsideWorkspace);
}

#[test]
fn mode_and_attributes_survive_a_write() {
    let place = place(&[("run.sh", "#!/bin/sh\n"), ("own", "r")]);
    fs::set_permissions(place.root.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(place.root.join("own"), fs::Permissions::from_mode(0o600)).unwrap();
    let named = rustix::fs::setxattr(
        place.root.join("run.sh"),
        "user.note",
        b"hello",
        rustix::fs::XattrFlags::empty(),
    );
    let (ws, journal) = place.open();
    for path in ["run.sh", "own"] {
        let step = begin(&journal, &ws);
        step.edit(path, |old| Ok(([old, b"more"].concat(), ()))).unwrap();
        step.keep().unwrap();
    }
    let mode = |p: &str| fs::metadata(place.root.join(p)).unwrap().permissions().mode() & 0o7777;
    assert_eq!((mode("run.sh"), mode("own")), (0o755, 0o600));
    if named.is_ok() {
        let mut value = [0; 16];
        let size =
            rustix::fs::getxattr(place.root.join("run.sh"), "user.note", &mut value[..]).unwrap();
        assert_eq!(&value[..size], b"hello");
    }
}

#[test]
fn special_files_are_never_opened() {
    let place = place(&[("d/x", "x")]);
    rustix::fs::mknodat(
        rustix::fs::CWD,
        place.root.join("pipe"),
        rustix::fs::FileType::Fifo,
        0o644.into(),
        0,
    )
    .unwrap();
    let sparse = fs::File::create(place.root.join("huge")).unwrap();
    sparse.set_len(10 << 30).unwrap();
    let (ws, journal) = place.open();
    assert_eq!(ws.read("pipe").unwrap_err().code, Code::NotAFile);
    assert_eq!(ws.read("huge").unwrap_err().code, Code::FileTooLarge);
    assert_eq!(ws.read("d").unwrap_err().code, Code::IsDirectory);
    for (path, code) in
        [("pipe", Code::NotAFile), ("huge", Code::FileTooLarge), ("d", Code::IsDirectory)]
    {
        let step = begin(&journal, &ws);
        assert_eq!(step.write(path, b"x", Parents::Create).unwrap_err().code, code);
        assert_eq!(step.edit(path, |b| Ok((b.to_vec(), ()))).unwrap_err().code, code);
    }
    let step = begin(&journal, &ws);
    step.remove_file("huge").unwrap();
    step.keep().unwrap();
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!(fs::metadata(place.root.join("huge")).unwrap().len(), 10 << 30);
}

#[test]
fn a_read_only_root_is_read_only() {
    let place = place(&[("a", "a")]);
    let other = place.root.parent().unwrap().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("b"), "b").unwrap();
    let ws =
        Workspace::open(&place.root, &[(other.clone(), Access::Read)], Limits::default()).unwrap();
    let journal =
        Journal::new(place.state.clone(), place.root.clone(), super::new_id(), true, Vec::new());
    let path = other.join("b").display().to_string();
    assert_eq!(ws.read(&path).unwrap().bytes, b"b");
    assert_eq!(ws.read("../other/b").unwrap().bytes, b"b");
    let step = begin(&journal, &ws);
    assert_eq!(step.write(&path, b"x", Parents::Create).unwrap_err().code, Code::PermissionDenied);
}

#[test]
fn two_processes_worth_of_edits_lose_nothing() {
    let place = place(&[("n", "")]);
    std::thread::scope(|scope| {
        for name in ["a", "b", "c", "d"] {
            let place = &place;
            scope.spawn(move || {
                let (ws, journal) = place.open();
                for _ in 0..20 {
                    let step = begin(&journal, &ws);
                    step.edit("n", |old| Ok(([old, name.as_bytes()].concat(), ()))).unwrap();
                    step.keep().unwrap();
                }
            });
        }
    });
    let text = place.read("n");
    for name in ["a", "b", "c", "d"] {
        assert_eq!(text.matches(name).count(), 20, "{text}");
    }
}

#[test]
fn pruning_forgets_old_steps_and_nothing_that_is_still_needed() {
    let place = place(&[("a", "1"), ("gone", "g"), ("big", &"b".repeat(100_000))]);
    let (ws, journal) = place.open();
    let step = journal.begin_program(&ws, label()).unwrap();
    fs::write(place.root.join("a"), "2").unwrap();
    step.keep().unwrap();
    let step = begin(&journal, &ws);
    step.remove_file("gone").unwrap();
    step.keep().unwrap();
    journal.prune(1).unwrap();
    assert_eq!(journal.log(&ws, 9).unwrap().len(), 2, "a day has not passed");
    std::thread::sleep(std::time::Duration::from_millis(5));
    journal.prune(0).unwrap();
    assert!(journal.log(&ws, 9).unwrap().is_empty());
    assert_eq!(fs::read_dir(place.state.dir().join("journal/trash")).unwrap().count(), 0);

    let step = journal.begin_program(&ws, label()).unwrap();
    fs::remove_file(place.root.join("big")).unwrap();
    step.keep().unwrap();
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!(place.read("big").len(), 100_000);
}

#[test]
fn what_a_killed_process_left_over_is_swept_up() {
    let place = place(&[("a", "one"), ("d/b", "one")]);
    let left = |process: u32| place.root.join(format!("d/.kitbag-{process}-0123"));
    {
        let (ws, journal) = place.open();
        let step = begin(&journal, &ws);
        step.write("d/b", b"two", Parents::Create).unwrap();
        std::mem::forget(step); // as if it were killed
        std::fs::write(left(u32::MAX), "half").unwrap();
        std::fs::write(left(std::process::id()), "whole").unwrap();
    }
    let (ws, journal) = place.open();
    assert!(journal.log(&ws, 9).unwrap().is_empty());
    assert_eq!(place.read("d/b"), "one");
    assert!(!left(u32::MAX).exists(), "of a dead process");
    assert!(left(std::process::id()).exists(), "of one that lives");
}

#[test]
fn a_move_can_be_undone_and_a_copy_overwrites_nothing() {
    let place =
        place(&[("src/a.txt", "a\n"), ("src/deep/run.sh", "run\n"), ("there/src/x", "x\n")]);
    fs::set_permissions(place.root.join("src/deep/run.sh"), fs::Permissions::from_mode(0o750))
        .unwrap();
    let closed = fs::Permissions::from_mode(0o711);
    fs::set_permissions(place.root.join("src/deep"), closed).unwrap();
    std::os::unix::fs::symlink("deep/run.sh", place.root.join("src/link")).unwrap();
    let (ws, journal) = place.open();
    let step = begin(&journal, &ws);
    let moved = step.relocate("src", "new/place").unwrap();
    assert_eq!((moved.to.as_str(), moved.files), ("new/place", 3));
    step.keep().unwrap();
    assert!(!place.root.join("src").exists());
    assert_eq!(place.read("new/place/link"), "run\n");
    let mode = |path: &str| fs::metadata(place.root.join(path)).unwrap().mode() & 0o777;
    assert_eq!((mode("new/place/deep/run.sh"), mode("new/place/deep")), (0o750, 0o711));
    journal.turn(&ws, Direction::Undo, None).unwrap();
    journal.turn(&ws, Direction::Redo, None).unwrap();
    assert_eq!((mode("new/place/deep/run.sh"), mode("new/place/deep")), (0o750, 0o711));
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!((place.read("src/a.txt"), place.read("src/link")), ("a\n".into(), "run\n".into()));
    assert!(!place.root.join("new").exists());

    let refused = |from: &str, to: &str| {
        let step = begin(&journal, &ws);
        let code = step.copy(from, to).unwrap_err().code;
        step.roll_back().unwrap();
        code
    };
    assert_eq!(refused("src", "there"), Code::FileExists);
    assert_eq!(refused("src/a.txt", "there/src/x"), Code::FileExists);
    assert_eq!(refused("src", "src/deep/in"), Code::InvalidInput);
    assert_eq!(refused(".", "there/all"), Code::InvalidInput);
    assert_eq!(refused("nothing", "there/it"), Code::FileNotFound);
    assert_eq!(refused("src/a.txt", "../out"), Code::PathOutsideWorkspace);
    std::os::unix::fs::symlink("../../etc", place.root.join("src/out")).unwrap();
    assert_eq!(refused("src", "there/copy"), Code::InvalidInput);
    assert!(!place.root.join("there/copy").exists());
    assert_eq!(place.read("there/src/x"), "x\n");
}

#[test]
fn a_backup_has_the_mode_of_its_file_and_undo_takes_it_away() {
    let place = place(&[("secret", "one\n"), ("secret.backup", "zero\n")]);
    fs::set_permissions(place.root.join("secret"), fs::Permissions::from_mode(0o600)).unwrap();
    let (ws, journal) = place.open();
    let step = begin(&journal, &ws);
    assert_eq!(step.back_up("secret").unwrap().as_deref(), Some("secret.backup.1"));
    assert_eq!(step.back_up("none").unwrap(), None);
    step.write("secret", b"two\n", Parents::Create).unwrap();
    step.keep().unwrap();
    let mode = fs::metadata(place.root.join("secret.backup.1")).unwrap().permissions().mode();
    assert_eq!((mode & 0o777, place.read("secret.backup.1")), (0o600, "one\n".to_owned()));
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!(
        (place.read("secret"), place.read("secret.backup")),
        ("one\n".into(), "zero\n".into())
    );
    assert!(!place.root.join("secret.backup.1").exists());
}

#[test]
fn a_file_from_outside_appears_whole_and_can_be_undone() {
    let place = place(&[("old", "one\n"), ("folder/x", "")]);
    let (ws, journal) = place.open();
    let outside = place.root.parent().unwrap().join("outside");
    fs::write(&outside, "two\n".repeat(100_000)).unwrap();
    let source = fs::File::open(&outside).unwrap();
    fs::set_permissions(place.root.join("old"), fs::Permissions::from_mode(0o640)).unwrap();
    let step = begin(&journal, &ws);
    step.expect("old").unwrap();
    assert!(!step.adopt("old", &source, Parents::Create).unwrap().new);
    assert!(step.adopt("deep/new", &source, Parents::Create).unwrap().new);
    step.keep().unwrap();
    assert_eq!(fs::read(place.root.join("deep/new")).unwrap(), fs::read(&outside).unwrap());
    let mode = fs::metadata(place.root.join("old")).unwrap().permissions().mode();
    assert_eq!((place.read("old").len(), mode & 0o777), (400_000, 0o640));
    journal.turn(&ws, Direction::Undo, None).unwrap();
    assert_eq!(place.read("old"), "one\n");
    assert!(!place.root.join("deep").exists());
    journal.turn(&ws, Direction::Redo, None).unwrap();
    assert_eq!(place.read("deep/new").len(), 400_000);
}

#[test]
fn where_no_file_from_outside_may_go_is_known_before_it_is_there() {
    let place = place(&[("folder/x", "")]);
    let (ws, journal) = place.open();
    let step = begin(&journal, &ws);
    for (path, code) in [
        ("folder", Code::IsDirectory),
        ("new/", Code::IsDirectory),
        ("../x", Code::PathOutsideWorkspace),
        (".envrc", Code::ProtectedPath),
        ("folder/x/y", Code::NotADirectory),
    ] {
        assert_eq!(step.expect(path).unwrap_err().code, code, "{path}");
    }
    step.expect("new/deep/file").unwrap();
    assert!(!place.root.join("new").exists());
    let read_only = Workspace::open(
        &place.root.parent().unwrap().join("state"),
        &[(place.root.clone(), Access::Read)],
        Limits::default(),
    );
    if let Ok(ws) = read_only {
        let step = begin(&journal, &ws);
        let path = place.root.join("a").display().to_string();
        assert_eq!(step.expect(&path).unwrap_err().code, Code::PermissionDenied);
    }
}

#[test]
fn a_failed_call_takes_back_a_file_from_outside() {
    let place = place(&[("old", "one\n")]);
    let (ws, journal) = place.open();
    let outside = place.root.parent().unwrap().join("outside");
    fs::write(&outside, "two\n").unwrap();
    let source = fs::File::open(&outside).unwrap();
    let step = begin(&journal, &ws);
    step.adopt("old", &source, Parents::Create).unwrap();
    step.adopt("new", &source, Parents::Create).unwrap();
    step.roll_back().unwrap();
    assert_eq!(place.read("old"), "one\n");
    assert!(!place.root.join("new").exists());
}
