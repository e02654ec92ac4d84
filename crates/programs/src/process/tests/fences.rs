//! What programs can reach.

use files::Access;

use super::*;

fn fenced() -> Vec<Place> {
    let mut places = places();
    places.retain(|place| place.runner.containment().fence != Fence::Nothing);
    if places.is_empty() {
        println!("SKIPPED: neither namespaces nor Landlock works here");
    }
    places
}

fn wrapped() -> Option<Place> {
    let place = fenced().into_iter().find(|p| p.runner.containment().fence == Fence::Namespaces);
    if place.is_none() {
        println!("SKIPPED: namespaces do not work here");
    }
    place
}

#[test]
fn programs_write_inside_the_workspace_and_nowhere_else() {
    for place in fenced() {
        let temp = format!("/tmp/{}", mark());
        let done = place.run(&format!(
            "echo in > file && mkdir -p a/b && mv file a/b/ && cat a/b/file
             t=$(mktemp) && echo temp > $t && cat $t && rm $t
             echo cached > ../home/.cache/pip/x && echo device > /dev/null && echo shared > /dev/shm/{m} && rm /dev/shm/{m}
             for f in ../out ../home/out {temp} /etc/out /usr/out /out; do echo out > $f; done 2>&-; :",
            m = mark(),
        ));
        assert_eq!(text(&done), "in\ntemp\n", "{}: {}", place.kind, errors(&done));
        for out in [&place.at("out"), &place.at("home/out"), Path::new(&temp)] {
            assert!(!out.exists(), "{}: {}", place.kind, out.display());
        }
        assert!(!Path::new("/etc/out").exists() && !Path::new("/usr/out").exists());
        assert_eq!(std::fs::read_to_string(place.at("root/a/b/file")).unwrap(), "in\n");
        assert!(place.at("home/.cache/pip/x").exists());
        let real = std::fs::canonicalize(place.at("root")).unwrap();
        assert!(done.writable.contains(&real), "{:?}", done.writable);
    }
}

#[test]
fn the_home_is_empty_and_the_state_directory_is_hidden() {
    for place in fenced() {
        std::os::unix::fs::symlink(".ssh", place.at("home/keys")).unwrap();
        let done = place.run(
            "cat ../home/.ssh/id ../home/.netrc ../home/plain ../home/keys/id ../state/journal; echo over",
        );
        assert_eq!(text(&done), "over\n", "{}", place.kind);
    }
}

#[test]
fn what_only_root_may_read_of_the_system_stays_closed() {
    let Some(place) = wrapped() else { return };
    let done = place.run("cat /etc/shadow /etc/gshadow 2>&-; ls /etc/ssl/private 2>&-; echo over");
    assert_eq!(text(&done), "over\n");
    let done = place.run(
        "echo '|/bin/x' > /proc/sys/kernel/core_pattern; echo h > /proc/sysrq-trigger; echo over",
    );
    assert!(text(&done) == "over\n" && errors(&done).lines().count() == 2, "{}", errors(&done));
}

#[test]
fn a_program_has_a_network_of_its_own_unless_it_is_allowed_more() {
    let Some(place) = wrapped() else { return };
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let script = format!("exec 3<>/dev/tcp/127.0.0.1/{port} && echo connected");
    assert_eq!(text(&place.run(&script)), "");
    assert_eq!(text(&place.run_reaching(&script, Reach::Online)), "connected\n");
    let own = "python3 -c 'import socket; s=socket.create_server((\"127.0.0.1\",0)); socket.create_connection(s.getsockname()); print(1)'";
    assert_eq!(text(&place.run(own)), "1\n", "its own loopback works");
}

#[test]
fn programs_inherit_nothing_but_their_three_streams() {
    for place in places() {
        let done = place.run("ls /proc/self/fd");
        // The fourth is the directory that `ls` itself reads.
        assert_eq!(text(&done), "0\n1\n2\n3\n", "{}", place.kind);
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
        place.runner.run(&workspace, &program, None, &Cancel::default()).unwrap();
        assert!(!other.path().join("no").exists() && inner.join("yes").exists(), "{}", place.kind);
    }
}

#[test]
fn without_a_layer_a_program_does_not_write_what_git_obeys() {
    let Some(place) = wrapped() else { return };
    std::fs::write(place.at("root/kitbag.toml"), "mine").unwrap();
    place.run(
        "mv .git moved; rm -rf .git; echo bad >> .git/config; echo bad > .git/hooks/pre-commit
         mv .git/config .git/c; mv .git/hooks .git/h; echo bad > kitbag.toml; echo x > .git/commondir",
    );
    assert_eq!(std::fs::read_to_string(place.at("root/.git/config")).unwrap(), "[core]\n");
    assert_eq!(std::fs::read_dir(place.at("root/.git/hooks")).unwrap().count(), 0);
    assert_eq!(std::fs::read_to_string(place.at("root/kitbag.toml")).unwrap(), "mine");
    assert!(!place.at("root/moved").exists() && !place.at("root/.git/commondir").exists());
}

#[test]
fn a_program_that_reads_writes_nothing() {
    for place in fenced() {
        std::fs::write(place.at("root/file"), "mine").unwrap();
        let done = place.run_reaching(
            "for f in file new .git/index ../home/.cache/pip/x; do
                     echo x > $f && echo wrote $f
                 done 2>/dev/null; cat file ../home/.ssh/id",
            Reach::Reading,
        );
        assert_eq!(text(&done), "mine", "{}", place.kind);
        assert!(!place.at("root/new").exists());
    }
}

#[test]
fn a_program_that_speaks_for_the_person_has_keys() {
    for place in fenced() {
        std::fs::create_dir(place.at("home/.gnupg")).unwrap();
        std::fs::write(place.at("home/.ssh/id"), SECRET).unwrap();
        let done = place.run_reaching(
            "cat ../home/.ssh/id; echo lock > ../home/.gnupg/lock && echo locked
             cat ../state/journal; echo x > ../home/.ssh/id",
            Reach::Keys,
        );
        assert_eq!(text(&done), format!("{SECRET}locked\n"), "{}", place.kind);
        assert_eq!(std::fs::read_to_string(place.at("home/.ssh/id")).unwrap(), SECRET);
    }
}

#[test]
fn root_cannot_undo_the_sandbox() {
    let Some(place) = wrapped() else { return };
    let done = place.run(
        "mount -o remount,rw / && echo remounted; umount /proc && echo unmounted
         unshare -Urm sh -c 'umount /etc/shadow || mount -o remount,rw,bind /' && echo loosened
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
    let place = Place::new("off", Sandbox::Off, Limits::default());
    let said = place.run("true").containment.to_string();
    assert!(said.starts_with("no sandbox") && said.contains("switched off"), "{said}");
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
        let script = format!(
            "echo in > {folder}/a; ln -s /etc/passwd {folder}/link; mkfifo {folder}/pipe
             for f in here ../home/.cache/pip/x; do echo out > $f && echo escaped to $f; done 2>&-
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

#[test]
fn a_program_of_kitbags_own_is_never_one_that_a_root_holds_or_others_can_change() {
    use std::os::unix::fs::PermissionsExt as _;
    let fake = |folder: &Path| {
        std::fs::create_dir_all(folder).unwrap();
        let git = folder.join("git");
        std::fs::write(&git, "#!/bin/sh\necho the fake\n").unwrap();
        std::fs::set_permissions(&git, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    let mut place = Place::plain();
    let (inside, shared) = (place.at("root/bin"), place.at("shared"));
    fake(&inside);
    fake(&shared);
    std::fs::set_permissions(&shared, std::fs::Permissions::from_mode(0o777)).unwrap();
    let mut env = host(&place.at("home"));
    env.push(("PATH".into(), inside.clone().into()));
    let args: Vec<OsString> = vec!["--version".into()];
    for programs in [vec![], vec![inside, shared]] {
        let settings = Settings { env: env.clone(), programs, ..Settings::default() };
        place.runner = Runner::new(settings, State::new(place.at("state")), "one");
        let line = Line::Own { name: "git", args: &args };
        let done = place.try_reach(line, Duration::from_secs(9), Reach::Reading).unwrap();
        assert!(text(&done).starts_with("git version"), "{}", text(&done));
    }
}

#[test]
fn no_cover_is_taken_off_by_removing_or_renaming() {
    let place = Place::plain();
    if place.runner.containment().fence != Fence::Namespaces {
        println!("SKIPPED: namespaces do not work here");
        return;
    }
    // The root is the home itself, with a directory for reading in it.
    let home = place.at("home");
    std::fs::create_dir_all(home.join("vendor")).unwrap();
    let more = [(home.join("vendor"), Access::Read)];
    let workspace = Workspace::open(&home, &more, Limits::default()).unwrap();
    let journal = files::journal::Journal::new(
        State::new(place.at("journal")),
        workspace.root().to_owned(),
        "one".to_owned(),
        false,
        Vec::new(),
    );
    let label = files::journal::Label { tool: "t".to_owned(), ..Default::default() };
    let step = journal.begin(&workspace, label, files::journal::Approved::default());
    let script = "rmdir .ssh; cat .ssh/id; mv .ssh x; cat x/id; mv vendor v2; echo n > vendor/new; echo over";
    let program = Program {
        line: Line::Shell(script),
        dir: ".",
        env: &[],
        timeout: Duration::from_secs(60),
        reach: Reach::Workspace,
    };
    let done = place.runner.run(&workspace, &program, Some(&step), &Cancel::default()).unwrap();
    step.keep().unwrap();
    assert_eq!(text(&done), "over\n", "{}", errors(&done));
    assert!(home.join(".ssh/id").exists() && !home.join("x/id").exists());
    assert!(home.join("vendor").exists() && !home.join("vendor/new").exists());
}

#[test]
fn git_finds_other_programs_where_no_root_holds_them() {
    let root = folder();
    let tools = root.path().join("tools");
    std::fs::create_dir(&tools).unwrap();
    let mut settings = Settings { env: host(root.path()), ..Settings::default() };
    let path = format!("{}:/tmp:{}", tools.display(), std::env::var("PATH").unwrap());
    settings.env.push(("PATH".into(), path.into()));
    let state = folder();
    let runner = Runner::new(settings, State::new(state.path().join("state")), "path");
    let ws = Workspace::open(root.path(), &[], Limits::default()).unwrap();
    let args = ["-c", "alias.where=!printf %s \"$PATH\"", "where"].map(OsString::from);
    let line = Line::Own { name: "git", args: &args };
    let timeout = Duration::from_secs(20);
    let program = Program { line, dir: ".", env: &[], timeout, reach: Reach::Reading };
    let done = runner.run(&ws, &program, None, &Cancel::default()).unwrap();
    let path = done.stdout.tail(99, 9999).text;
    let directories: Vec<&str> = path.split(':').collect();
    assert!(directories.contains(&"/usr/bin"), "{path}");
    assert!(!path.contains("tools"), "{path}");
}

#[test]
fn landlock_alone_runs_nothing_in_a_root_with_the_entries_of_a_home() {
    let Some(mut place) = places().into_iter().find(|place| place.kind == "landlock") else {
        return;
    };
    place.workspace = Workspace::open(&place.at("home"), &[], Limits::default()).unwrap();
    let line = Line::Shell("cat .ssh/id");
    let refused = place.try_reach(line, Duration::from_secs(9), Reach::Workspace).unwrap_err();
    assert_eq!(refused.code, fault::Code::PermissionDenied);
    assert!(refused.message.contains("/home/."), "{refused:?}");
}
