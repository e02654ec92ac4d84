//! How programs end, and that nothing of them is left.

use std::process::{Command, Stdio};

use fault::Code;

use super::*;

const LONG: Duration = Duration::from_secs(20);

#[test]
fn an_exit_code_is_reported() {
    for place in places() {
        assert_eq!(place.run("exit 7").exit, Exit::Code(7), "{}", place.kind);
        assert_eq!(place.run("true").exit, Exit::Code(0), "{}", place.kind);
        assert_eq!(place.run("exit 129").exit, Exit::Code(129), "{}", place.kind);
    }
}

#[test]
fn a_death_by_signal_is_reported() {
    for place in places() {
        assert_eq!(place.run("kill -9 $$").exit, Exit::Signal(9), "{}", place.kind);
        assert_eq!(place.run("kill -SEGV $$").exit, Exit::Signal(11), "{}", place.kind);
    }
}

#[test]
fn what_is_left_in_the_background_is_ended_and_counted() {
    for place in places() {
        let mark = mark();
        let done = place.run(&format!("sleep {mark} & sleep {mark} & echo started"));
        assert_eq!((done.exit, done.ended), (Exit::Code(0), 2), "{}", place.kind);
        assert_eq!(text(&done), "started\n");
        assert!(done.wall < LONG);
        assert_eq!(alive(&mark), [""; 0], "{}", place.kind);
    }
}

#[test]
fn a_grandchild_that_holds_the_output_does_not_hold_the_call() {
    for place in places() {
        let mark = mark();
        let done =
            place.run(&format!("(echo from below; exec sleep {mark}) & sleep 0.3; echo over"));
        assert_eq!(text(&done), "from below\nover\n", "{}", place.kind);
        assert!(done.wall < LONG && done.ended == 1, "{}: {done:?}", place.kind);
        assert_eq!(alive(&mark), [""; 0]);
    }
}

#[test]
fn a_process_in_a_session_of_its_own_does_not_escape() {
    for place in places() {
        let mark = mark();
        let script = format!("setsid sh -c 'setsid sleep {mark} & sleep {mark}' & sleep 0.3");
        let done = place.run(&script);
        assert!(done.ended >= 2, "{}: {done:?}", place.kind);
        assert_eq!(alive(&mark), [""; 0], "{}", place.kind);
    }
}

#[test]
fn killing_its_guard_does_not_set_a_program_free() {
    for place in places() {
        let mark = mark();
        let done = place.run(&format!("sleep {mark} & kill -9 $PPID; sleep 0.3; echo over"));
        println!("{}: {:?} {}", place.kind, done.exit, errors(&done));
        wait_until(place.kind, || alive(&mark).is_empty());
    }
}

#[test]
fn an_orphan_is_reaped_while_the_program_runs() {
    for place in places() {
        // The inner shell is gone before its child, which somebody else must then wait for.
        let script = "sh -c 'sleep 0.1 & echo $!' > pid; sleep 0.6
            if kill -0 $(cat pid) 2>/dev/null; then echo zombie; else echo gone; fi";
        assert_eq!(text(&place.run(script)), "gone\n", "{}", place.kind);
    }
}

#[test]
fn a_timeout_keeps_what_was_printed() {
    for place in places() {
        let mark = mark();
        let time = Duration::from_millis(400);
        let done = place.run_for(&format!("echo partial; sleep {mark}"), time);
        assert_eq!((done.exit, text(&done).as_str()), (Exit::TimedOut(time), "partial\n"));
        assert!(done.wall >= time && done.wall < LONG, "{}: {:?}", place.kind, done.wall);
        assert_eq!(alive(&mark), [""; 0]);
    }
}

#[test]
fn a_program_may_clean_up_when_its_time_is_over() {
    for place in places() {
        let mark = mark();
        let script = format!("trap 'echo cleaned; exit' TERM; sleep {mark} & wait");
        let done = place.run_for(&script, Duration::from_millis(400));
        assert_eq!(text(&done), "cleaned\n", "{}", place.kind);
        assert_eq!(alive(&mark), [""; 0]);
    }
}

#[test]
fn ignoring_the_request_to_end_does_not_help() {
    for place in places() {
        let mark = mark();
        let script = format!("trap '' TERM; echo on; while true; do sleep {mark}; done");
        let done = place.run_for(&script, Duration::from_millis(300));
        assert_eq!(done.exit, Exit::TimedOut(Duration::from_millis(300)));
        assert!(done.wall < LONG && done.ended > 0, "{}: {done:?}", place.kind);
        assert_eq!(alive(&mark), [""; 0], "{}", place.kind);
    }
}

#[test]
fn a_cancelled_program_ends_and_keeps_what_it_printed() {
    for place in places() {
        let (mark, cancel) = (mark(), Cancel::default());
        let script = format!("echo partial; sleep {mark}");
        let program = Program {
            line: Line::Shell(&script),
            dir: ".",
            env: &[],
            timeout: Duration::from_secs(60),
            reach: Reach::Workspace,
        };
        let done = std::thread::scope(|scope| {
            scope.spawn(|| {
                wait_until("the program starts", || !alive(&format!("sleep {mark}")).is_empty());
                std::thread::sleep(Duration::from_millis(200));
                cancel.cancel();
            });
            place.runner.run(&place.workspace, &program, None, &cancel).unwrap()
        });
        assert_eq!((done.exit, text(&done).as_str()), (Exit::Cancelled, "partial\n"));
        assert!(done.wall < LONG, "{}", place.kind);
        assert_eq!(alive(&mark), [""; 0]);
        let refused = place.runner.run(&place.workspace, &program, None, &cancel).unwrap_err();
        assert_eq!(refused.code, Code::Cancelled);
    }
}

#[test]
fn ending_all_ends_the_calls_of_other_threads() {
    let (place, mark) = (Place::plain(), mark());
    std::thread::scope(|scope| {
        let script = format!("sleep {mark}");
        let place = &place;
        let call = scope.spawn(move || place.run(&script));
        wait_until("the program starts", || !alive(&mark).is_empty());
        place.runner.end_all();
        assert_eq!(alive(&mark), [""; 0]);
        assert_eq!(call.join().unwrap().exit, Exit::Cancelled);
    });
    let refused = place.try_run(Line::Shell("true"), LONG).unwrap_err();
    assert_eq!(refused.code, Code::Cancelled);
}

#[test]
fn programs_of_several_threads_run_side_by_side() {
    for place in places() {
        std::thread::scope(|scope| {
            let place = &place;
            let calls: Vec<_> = (0..12)
                .map(|n| scope.spawn(move || place.run(&format!("echo {n}; sleep 0.2; exit {n}"))))
                .collect();
            for (n, call) in calls.into_iter().enumerate() {
                let done = call.join().unwrap();
                assert_eq!(done.exit, Exit::Code(n as i32), "{}", place.kind);
                assert_eq!(text(&done), format!("{n}\n"));
                assert_eq!(done.ended, 0);
            }
        });
    }
}

#[test]
fn a_program_that_does_not_exist_is_named_with_where_it_was_looked_for() {
    for place in places() {
        let direct = |name| place.try_run(Line::Direct { name, args: &[] }, LONG).unwrap_err();
        let error = direct("no-such-program");
        assert_eq!(error.code, Code::CommandNotFound);
        assert!(error.message.contains("no-such-program") && error.message.contains("/usr/bin"));
        assert_eq!(direct("./no-such-program").code, Code::CommandNotFound);
        std::fs::write(place.at("root/plain"), "echo").unwrap();
        assert_eq!(direct("./plain").code, Code::CommandNotFound);
    }
}

#[test]
fn a_program_without_a_shell_gets_its_arguments_as_they_are() {
    for place in places() {
        let args = ["%s\n", "$HOME", "a b", "--", "*", "'"].map(str::to_owned);
        let done = place.try_run(Line::Direct { name: "printf", args: &args }, LONG).unwrap();
        assert_eq!(text(&done), "$HOME\na b\n--\n*\n'\n", "{}", place.kind);
    }
}

#[test]
fn a_script_may_look_like_an_option() {
    for place in places() {
        let done = place.run("-x");
        assert_eq!(done.exit, Exit::Code(127), "{}: {}", place.kind, errors(&done));
    }
}

#[test]
fn programs_start_in_the_folder_of_the_call() {
    for place in places() {
        std::fs::create_dir(place.at("root/sub dir")).unwrap();
        let program = |dir| Program {
            line: Line::Shell("pwd -P"),
            dir,
            env: &[],
            timeout: LONG,
            reach: Reach::Workspace,
        };
        let run = |dir| place.runner.run(&place.workspace, &program(dir), None, &Cancel::default());
        let real = std::fs::canonicalize(place.at("root/sub dir")).unwrap();
        assert_eq!(
            text(&run("sub dir").unwrap()),
            format!("{}\n", real.display()),
            "{}",
            place.kind
        );
        assert_eq!(run("missing").unwrap_err().code, Code::DirectoryNotFound);
        assert_eq!(run("..").unwrap_err().code, Code::PathOutsideWorkspace);
        assert_eq!(run(".git/HEAD").unwrap_err().code, Code::NotADirectory);
    }
}

#[test]
fn what_no_program_can_be_given_is_refused_before_it_starts() {
    let place = Place::plain();
    let long = format!(": {}", "x".repeat(200_000));
    for script in [long.as_str(), "echo a\0b"] {
        let error = place.try_run(Line::Shell(script), LONG).unwrap_err();
        assert_eq!(error.code, Code::InvalidInput, "{}", error.message);
    }
    let env = [("A=B".to_owned(), "x".to_owned())];
    let program = Program {
        line: Line::Shell("env"),
        dir: ".",
        env: &env,
        timeout: LONG,
        reach: Reach::Workspace,
    };
    let error = place.runner.run(&place.workspace, &program, None, &Cancel::default()).unwrap_err();
    assert_eq!(error.detail("field"), Some("env"));
}

/// Not a test by itself: the server that the next test kills.
#[test]
fn server_to_be_killed() {
    let Ok(script) = std::env::var("KITBAG_TEST_SCRIPT") else { return };
    let kind = std::env::var("KITBAG_TEST_KIND").unwrap();
    let place = places().into_iter().find(|place| place.kind == kind).unwrap();
    let done = place.run(&script);
    panic!("the program ended: {done:?} {}", errors(&done));
}

#[test]
fn nothing_outlives_a_server_that_is_killed() {
    for place in places() {
        let (mark, kind) = (mark(), place.kind);
        let script = format!(
            "trap '' TERM; sleep {mark} & setsid sh -c 'sleep {mark} & sleep {mark}' & sleep {mark}; :"
        );
        let mut server = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "process::tests::ends::server_to_be_killed", "--nocapture"])
            .env("KITBAG_TEST_SCRIPT", script)
            .env("KITBAG_TEST_KIND", kind)
            .env("TMPDIR", place.dir.path()) // it does not live to remove its own
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let sleepers = || alive(&mark).iter().filter(|line| line.starts_with("sleep")).count();
        wait_until("four processes sleep", || sleepers() == 4);
        server.kill().unwrap();
        server.wait().unwrap();
        wait_until(kind, || alive(&mark).is_empty());
    }
}
