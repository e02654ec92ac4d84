//! Where a step may write, and what is never touched.

use super::*;

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
    let journal = Journal::new(
        place.state.clone(),
        place.root.clone(),
        crate::journal::new_id(),
        true,
        Vec::new(),
    );
    let path = other.join("b").display().to_string();
    assert_eq!(ws.read(&path).unwrap().bytes, b"b");
    assert_eq!(ws.read("../other/b").unwrap().bytes, b"b");
    let step = begin(&journal, &ws);
    assert_eq!(step.write(&path, b"x", Parents::Create).unwrap_err().code, Code::PermissionDenied);
}

#[test]
fn undo_does_not_follow_a_link_that_took_the_place_of_an_allowed_directory() {
    for crashed in [false, true] {
        let place = place(&[("a", "a")]);
        let beside = |name: &str| place.root.parent().unwrap().join(name);
        for name in ["allowed", "victim"] {
            fs::create_dir(beside(name)).unwrap();
            fs::write(beside(name).join("x"), "two").unwrap();
        }
        fs::write(beside("allowed/x"), "one").unwrap();
        let allowed = [(beside("allowed"), Access::Write)];
        {
            let ws = Workspace::open(&place.root, &allowed, Limits::default()).unwrap();
            let (_, journal) = place.open();
            let step = begin(&journal, &ws);
            step.write(&beside("allowed/x").display().to_string(), b"two", Parents::Create)
                .unwrap();
            if crashed {
                std::mem::forget(step);
            } else {
                step.keep().unwrap();
            }
        }
        fs::rename(beside("allowed"), beside("moved")).unwrap();
        std::os::unix::fs::symlink(beside("victim"), beside("allowed")).unwrap();
        let (ws, journal) = place.open();
        let said = match crashed {
            true => journal.log(&ws, 9).unwrap()[0].trouble.clone(),
            false => journal.turn(&ws, Direction::Undo, None).unwrap_err().message,
        };
        assert!(said.contains("replaced by a link"), "{said}");
        assert_eq!(fs::read_to_string(beside("victim/x")).unwrap(), "two");
        // Another directory of that name is not it either.
        fs::remove_file(beside("allowed")).unwrap();
        fs::rename(beside("victim"), beside("allowed")).unwrap();
        journal.turn(&ws, Direction::Undo, None).unwrap_err();
        assert_eq!(fs::read_to_string(beside("allowed/x")).unwrap(), "two");
        fs::rename(beside("allowed"), beside("victim")).unwrap();
        fs::rename(beside("moved"), beside("allowed")).unwrap();
        if crashed {
            assert!(place.open().1.log(&ws, 9).unwrap().is_empty(), "set right by the next");
        } else {
            journal.turn(&ws, Direction::Undo, None).unwrap();
        }
        assert_eq!(fs::read_to_string(beside("allowed/x")).unwrap(), "one");
    }
}

#[test]
fn undo_does_not_follow_a_link_that_took_the_place_of_a_directory_in_the_root() {
    let place = place(&[("d/x", "one"), ("other/x", "two")]);
    let (ws, journal) = place.open();
    let step = begin(&journal, &ws);
    step.write("d/x", b"two", Parents::Create).unwrap();
    step.keep().unwrap();
    fs::rename(place.root.join("d"), place.root.join("moved")).unwrap();
    std::os::unix::fs::symlink("other", place.root.join("d")).unwrap();
    assert_eq!(journal.turn(&ws, Direction::Undo, None).unwrap_err().code, Code::UndoConflict);
    assert_eq!(place.read("other/x"), "two");
}

#[test]
fn the_directory_that_git_takes_hooks_from_is_protected_wherever_it_is() {
    let Some(it) = layers::layered(&[("tools/hooks/pre-commit", "old"), ("a", "a")]) else {
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
    assert_eq!(refused.code, Code::ProtectedPath);
}

#[test]
fn a_configuration_that_is_no_text_or_too_long_is_not_let_in() {
    let Some(it) = layers::layered(&[("a", "a")]) else { return };
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
