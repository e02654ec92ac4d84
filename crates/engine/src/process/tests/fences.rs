//! What programs can reach.

use super::*;
use crate::Access;

fn fenced() -> Vec<Place> {
    let mut places = places();
    places.retain(|place| place.runner.containment().fence != Fence::Nothing);
    if places.is_empty() {
        println!("SKIPPED: neither bubblewrap nor Landlock works here");
    }
    places
}

fn wrapped() -> Option<Place> {
    let place = fenced().into_iter().find(|p| p.runner.containment().fence == Fence::Bubblewrap);
    if place.is_none() {
        println!("SKIPPED: bubblewrap does not work here");
    }
    place
}

#[test]
fn programs_write_inside_the_workspace_and_nowhere_else() {
    for place in fenced() {
        let temp = format!("/tmp/{}", mark());
        let done = place.run(&format!(
            "echo in > file && mkdir -p a/b && mv file a/b/ && cat a/b/file
             echo temp > {temp} && cat {temp} && rm {temp}
             echo cached > ../home/.cache/x && echo device > /dev/null && echo shared > /dev/shm/{m} && rm /dev/shm/{m}
             for f in ../out ../home/out /etc/out /usr/out /out; do
                 echo out > $f && echo escaped to $f
             done 2>/dev/null; :",
            m = mark(),
        ));
        assert_eq!(text(&done), "in\ntemp\n", "{}: {}", place.kind, errors(&done));
        assert_eq!(errors(&done), "", "{}", place.kind);
        assert!(!place.at("out").exists() && !place.at("home/out").exists());
        assert_eq!(std::fs::read_to_string(place.at("root/a/b/file")).unwrap(), "in\n");
        assert!(place.at("home/.cache/x").exists());
        let real = std::fs::canonicalize(place.at("root")).unwrap();
        assert!(done.writable.contains(&real), "{:?}", done.writable);
    }
}

#[test]
fn keys_and_the_state_folder_are_hidden() {
    for place in fenced() {
        let done =
            place.run("cat ../home/.ssh/id ../home/.netrc ../state/journal; cat ../home/plain");
        assert_eq!(text(&done), "plain", "{}", place.kind);
        assert_eq!(done.exit, Exit::Code(0));
    }
}

#[test]
fn a_link_to_a_key_shows_nothing() {
    for place in fenced() {
        std::os::unix::fs::symlink(".ssh", place.at("home/keys")).unwrap();
        let done = place.run("cat ../home/keys/id");
        assert_eq!(text(&done), "", "{}", place.kind);
    }
}

#[test]
fn a_root_for_reading_is_not_written_to() {
    for place in fenced() {
        let inner = place.at("root/inner");
        let other = folder();
        std::fs::create_dir(&inner).unwrap();
        let more = [(other.path().to_owned(), Access::Read), (inner.clone(), Access::Write)];
        let workspace = Workspace::open(&place.at("root"), &more, Limits::default()).unwrap();
        let script = format!("echo x > {}/no; echo x > inner/yes", other.path().display());
        let line = Line::Shell(&script);
        let program = Program {
            line,
            dir: ".",
            env: &[],
            timeout: Duration::from_secs(60),
            reach: Reach::Workspace,
        };
        place.runner.run(&workspace, &program, &Cancel::default()).unwrap();
        assert!(!other.path().join("no").exists() && inner.join("yes").exists(), "{}", place.kind);
    }
}

#[test]
fn what_git_obeys_stays_as_it_is() {
    let Some(place) = wrapped() else { return };
    std::fs::write(place.at("root/kitbag.toml"), "mine").unwrap();
    let done = place.run(
        "mv .git moved; rm -rf .git; echo bad >> .git/config; echo bad > .git/hooks/pre-commit
         mv .git/config .git/c; mv .git/hooks .git/h; echo bad > kitbag.toml
         echo fine > .git/index && cat .git/index",
    );
    assert_eq!(text(&done), "fine\n");
    assert_eq!(std::fs::read_to_string(place.at("root/.git/config")).unwrap(), "[core]\n");
    assert_eq!(std::fs::read_dir(place.at("root/.git/hooks")).unwrap().count(), 0);
    assert_eq!(std::fs::read_to_string(place.at("root/kitbag.toml")).unwrap(), "mine");
    assert!(!place.at("root/moved").exists());
}

#[test]
fn a_worktree_reaches_its_repository_only_if_that_agrees() {
    let Some(place) = wrapped() else { return };
    let own = place.at("main/.git/worktrees/root");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(place.at("main/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
    std::fs::write(place.at("main/.git/config"), "[core]\n").unwrap();
    std::fs::remove_dir_all(place.at("root/.git")).unwrap();
    let file = place.at("root/.git");
    std::fs::write(&file, format!("gitdir: {}\n", own.display())).unwrap();
    let script = "echo x > ../main/.git/object; echo x > ../main/.git/config; echo x > .git
        echo x > ../main/.git/hooks/pre-commit";
    place.run(script);
    assert!(!place.at("main/.git/object").exists());
    std::fs::write(own.join("gitdir"), format!("{}\n", file.display())).unwrap();
    place.run(script);
    assert!(place.at("main/.git/object").exists());
    assert!(!place.at("main/.git/hooks/pre-commit").exists());
    assert_eq!(std::fs::read_to_string(place.at("main/.git/config")).unwrap(), "[core]\n");
    assert!(std::fs::read_to_string(&file).unwrap().starts_with("gitdir: "));
}

#[test]
fn a_program_that_reads_writes_nothing() {
    for place in fenced() {
        std::fs::write(place.at("root/file"), "mine").unwrap();
        let temp = format!("/tmp/{}", mark());
        let done = place.run_reaching(
            &format!(
                "for f in file new .git/index {temp} ../home/.cache/x ../home/plain; do
                     echo x > $f && echo wrote $f
                 done 2>/dev/null; cat file ../home/.ssh/id"
            ),
            Reach::Reading,
        );
        assert_eq!(text(&done), "mine", "{}", place.kind);
        assert!(done.writable.is_empty() && !place.at("root/new").exists());
    }
}

#[test]
fn a_program_that_speaks_for_the_person_has_keys_and_hooks_stay() {
    for place in fenced() {
        std::fs::create_dir(place.at("home/.gnupg")).unwrap();
        let done = place.run_reaching(
            "cat ../home/.ssh/id; echo lock > ../home/.gnupg/lock && echo locked
             echo '[remote]' > .git/new && mv .git/new .git/config && echo configured
             cat ../state/journal; echo x > ../home/.ssh/id",
            Reach::Keys,
        );
        assert_eq!(text(&done), format!("{SECRET}locked\nconfigured\n"), "{}", place.kind);
        assert_eq!(std::fs::read_to_string(place.at("home/.ssh/id")).unwrap(), SECRET);
        if place.runner.containment().fence == Fence::Bubblewrap {
            place.run_reaching("echo x > .git/hooks/pre-commit", Reach::Keys);
            assert!(!place.at("root/.git/hooks/pre-commit").exists());
        }
    }
}

#[test]
fn root_cannot_undo_the_sandbox() {
    let Some(place) = wrapped() else { return };
    let done = place.run(
        "mount -o remount,rw / && echo remounted; umount ../home/.ssh && echo unmounted
         unshare -Urm sh -c 'umount ../home/.ssh || mount -o remount,rw,bind /' && echo loosened
         cat ../home/.ssh/id; grep NoNewPrivs /proc/self/status",
    );
    assert_eq!(text(&done), "NoNewPrivs:\t1\n");
}

#[test]
fn the_environment_of_the_server_cannot_be_read() {
    for place in places() {
        if !place.runner.containment().environment_hidden {
            println!("SKIPPED: {}: {}", place.kind, place.runner.containment());
            continue;
        }
        let own = std::process::id();
        let name = "CARGO_MANIFEST_DIR"; // what the test itself has, and no program gets
        assert!(std::env::var_os(name).is_some());
        let done = place.run(&format!(
            "cat /proc/{own}/environ /proc/$PPID/environ /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep ^{name}=; echo over"
        ));
        assert_eq!(text(&done), "over\n", "{}", place.kind);
    }
}

#[test]
fn a_sandbox_that_does_not_work_is_said() {
    let missing = Some(PathBuf::from("/nonexistent/bwrap"));
    let place = Place::new("none", Sandbox::Auto, missing, Limits::default());
    let said = place.runner.containment().to_string();
    assert!(said.contains("bubblewrap: not installed"), "{said}");
    let place = Place::new("off", Sandbox::Off, None, Limits::default());
    let said = place.run("true").containment.to_string();
    assert!(said.starts_with("no sandbox") && said.contains("switched off"), "{said}");
    let broken = folder();
    let fake = broken.path().join("bwrap");
    std::fs::write(&fake, "#!/bin/sh\necho 'bwrap: No permissions' >&2; exit 1\n").unwrap();
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(&fake, std::fs::Permissions::from_mode(0o755)).unwrap();
    let place = Place::new("broken", Sandbox::Auto, Some(fake), Limits::default());
    let said = place.runner.containment();
    assert!(
        said.fence != Fence::Bubblewrap && said.to_string().contains("No permissions"),
        "{said}"
    );
}

/// Prints what a program costs here; run it with `--no-capture`. The best of
/// 40 says most on a busy machine.
#[test]
fn the_cost_of_a_program_is_printed() {
    let time = |run: &mut dyn FnMut()| {
        let mut times: Vec<_> = (0..40)
            .map(|_| {
                let start = Instant::now();
                run();
                start.elapsed()
            })
            .collect();
        times.sort();
        times[0].as_secs_f64() * 1000.0
    };
    let bare = time(&mut || {
        drop(std::process::Command::new("bash").args(["-c", "echo hi"]).output().unwrap())
    });
    println!("bare: {bare:.2} ms");
    for place in places() {
        let took = time(&mut || assert_eq!(place.run("echo hi").exit, Exit::Code(0)));
        println!("{}: {took:.2} ms, {:.2} over bare", place.kind, took - bare);
    }
}

#[test]
fn a_program_with_a_scratch_folder_writes_there_and_nowhere_else() {
    for place in fenced() {
        let scratch = place.runner.scratch().unwrap();
        let folder = scratch.path().display();
        let temp = format!("/tmp/{}", mark());
        let script = format!(
            "echo in > {folder}/a; ln -s /etc/passwd {folder}/link; mkfifo {folder}/pipe
             for f in here ../home/.cache/x {temp}; do echo out > $f && echo escaped to $f; done 2>&-
             cat {folder}/a ../home/.ssh/id"
        );
        let done = place.run_reaching(&script, Reach::Scratch);
        assert_eq!(text(&done), "in\n", "{}: {}", place.kind, errors(&done));
        let read = |name: &str| scratch.read(name, 100).unwrap();
        assert_eq!(read("a").as_deref(), Some(&b"in\n"[..]));
        assert_eq!((read("link"), read("pipe"), read("missing")), (None, None, None));
        let path = scratch.path().to_owned();
        drop(scratch);
        assert!(!path.exists());
        place.runner.end_all();
        assert!(!path.parent().unwrap().exists(), "nothing is left of the session");
    }
}

#[test]
fn what_a_killed_session_left_in_its_scratch_folder_is_removed_by_the_next() {
    let place = Place::plain();
    let left = std::path::Path::new("/tmp").join(format!("kitbag-scratch-{}", mark()));
    std::fs::create_dir_all(left.join("1/profile")).unwrap();
    std::fs::write(left.join("lock"), "").unwrap();
    let scratch = place.runner.scratch().unwrap();
    assert!(!left.exists() && scratch.path().exists());
}
