//! What programs print.

use super::*;

#[test]
fn input_is_empty() {
    for place in places() {
        let done = place.run("cat; read x || echo nothing; readlink /proc/self/fd/0");
        assert_eq!(text(&done), "nothing\n/dev/null\n", "{}", place.kind);
    }
}

#[test]
fn both_streams_are_read_while_the_program_prints() {
    let place = Place::plain();
    let done = place.run("for i in $(seq 20000); do echo out $i; echo err $i >&2; done");
    assert_eq!((done.stdout.lines, done.stderr.lines), (20_000, 20_000));
    assert!(done.stdout.whole() && done.stdout.spill.is_none());
    let shown = done.stderr.tail(2, 1000);
    assert_eq!(shown.text, "err 19999\nerr 20000\n");
    assert_eq!((shown.omitted_lines, shown.omitted_bytes), (19_998, done.stderr.bytes - 20));
    let shown = done.stdout.head(2, 1000);
    assert_eq!(shown.text, "out 1\nout 2\n");
    assert_eq!((shown.omitted_lines, shown.omitted_bytes), (19_998, done.stdout.bytes - 12));
}

#[test]
fn a_large_output_is_bounded_in_memory_and_whole_in_a_file() {
    let place = Place::plain();
    let done = place.run("seq 14000000 | head -c 100000000");
    assert_eq!(done.stdout.bytes, 100_000_000);
    let spill = done.stdout.spill.clone().unwrap();
    assert_eq!(spill.bytes, 100_000_000);
    let file = std::fs::read(&spill.path).unwrap();
    assert_eq!(file.len(), 100_000_000);
    let lines = file.iter().filter(|b| **b == b'\n').count() as u64;
    assert_eq!(done.stdout.lines, lines + u64::from(file.last() != Some(&b'\n')));
    assert!(file.starts_with(b"1\n2\n3\n") && !done.stdout.whole());
    let end = done.stdout.tail(1000, 4000);
    assert!(file.ends_with(end.text.as_bytes()) && end.text.len() > 3900);
    assert_eq!(end.omitted_bytes + end.text.len() as u64, 100_000_000);
    assert!(done.stdout.head(usize::MAX, usize::MAX).text.len() <= 1 << 19);
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(&spill.path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let path = spill.path.display();
    let again = place
        .run(&format!("head -c 6 {path} && wc -c < {path} && ls {}", place.at("state").display()));
    assert!(text(&again).starts_with("1\n2\n3\n100000000\n"), "{}", errors(&again));
    drop(place.runner);
    assert!(!spill.path.exists() && !spill.path.parent().unwrap().exists());
}

#[test]
fn the_bytes_of_an_output_are_as_they_were_printed() {
    let place = Place::plain();
    let (bytes, omitted) = place.run(r"printf 'a\0\033[1mb\377'").stdout.into_bytes(100);
    assert_eq!((bytes.as_slice(), omitted), (&b"a\0\x1b[1mb\xff"[..], 0));
    let done = place.run("printf abcdef");
    assert_eq!(done.stdout.into_bytes(2), (b"ab".to_vec(), 4));
    let done = place.run("head -c 3000000 /dev/zero");
    let spill = done.stdout.spill.clone().unwrap();
    let (bytes, omitted) = done.stdout.into_bytes(2_000_000);
    assert_eq!((bytes.len(), omitted), (2_000_000, 1_000_000));
    assert!(!spill.path.exists());
    let small = Limits { spill_bytes: 1 << 20, ..Limits::default() };
    let place = Place::new("small", Sandbox::Auto, small);
    let (bytes, omitted) = place.run("head -c 3000000 /dev/zero").stdout.into_bytes(2_000_000);
    assert_eq!((bytes.len(), omitted), (1 << 20, 3_000_000 - (1 << 20)));
}

#[test]
fn a_program_that_prints_for_ever_takes_neither_memory_nor_disk() {
    let limits = Limits { spill_bytes: 1 << 20, ..Limits::default() };
    let place = Place::new("small", Sandbox::Auto, limits);
    let time = Duration::from_secs(2);
    let done = place.run_for("yes", time);
    assert_eq!(done.exit, Exit::TimedOut(time));
    let spill = done.stdout.spill.clone().unwrap();
    assert!(done.stdout.bytes > 10 << 20, "{} bytes", done.stdout.bytes);
    assert_eq!(std::fs::metadata(&spill.path).unwrap().len(), 1 << 20);
    assert_eq!(spill.bytes, 1 << 20);
    assert_eq!(done.stdout.tail(2, 100).text, "y\ny\n");
    let kept = [done.stdout.head(usize::MAX, usize::MAX), done.stdout.tail(usize::MAX, usize::MAX)];
    assert!(kept.iter().map(|shown| shown.text.len()).sum::<usize>() <= 1 << 20);
    assert!(done.wall < Duration::from_secs(20));
}

#[test]
fn a_session_that_was_killed_leaves_no_files_for_ever() {
    let place = Place::plain();
    std::fs::create_dir_all(place.at("state/spill/dead")).unwrap();
    std::fs::write(place.at("state/spill/dead/lock"), "").unwrap();
    std::fs::write(place.at("state/spill/dead/1.stdout"), "old").unwrap();
    place.run("seq 1000000");
    assert!(!place.at("state/spill/dead").exists());
    assert!(place.at("state/spill/one/1.stdout").exists());
}

#[test]
fn terminal_control_is_removed_and_other_bytes_are_replaced() {
    let place = Place::plain();
    let done =
        place.run(r"printf '\033[31mred\033[0m\a\tx\r\n\033]0;title\007caf\xe9 \xe2\x82\xac\b\n'");
    assert_eq!(text(&done), "red\tx\r\ncaf\u{fffd} €\n");
}

#[test]
fn a_line_that_is_too_long_alone_is_cut_between_characters() {
    let place = Place::plain();
    let done = place.run("printf 'first\n'; printf 'ä%.0s' $(seq 1000)");
    let end = done.stdout.tail(5, 11);
    assert_eq!((end.text.as_str(), end.omitted_lines, end.omitted_bytes), ("äääää", 1, 1996));
    let done = place.run("printf 'ä%.0s' $(seq 1000)");
    let start = done.stdout.head(5, 11);
    assert_eq!((start.text.as_str(), start.omitted_bytes), ("äääää", 1990));
    assert_eq!(done.stdout.tail(0, 100).text, "");
}

#[test]
fn nothing_printed_is_nothing() {
    let done = Place::plain().run("true");
    assert_eq!((done.stdout.bytes, done.stdout.lines), (0, 0));
    assert_eq!(done.stdout.tail(10, 10), crate::process::Shown::default());
    assert_eq!(done.stdout.head(10, 10), crate::process::Shown::default());
}

#[test]
fn only_chosen_variables_reach_a_program() {
    for place in places() {
        let env =
            [("EXTRA".to_owned(), "given".to_owned()), ("TERM".to_owned(), "mine".to_owned())];
        let program = Program {
            line: Line::Shell("env"),
            dir: ".",
            env: &env,
            timeout: Duration::from_secs(60),
            reach: Reach::Workspace,
        };
        let done = place.runner.run(&place.workspace, &program, None, &Cancel::default()).unwrap();
        let said = text(&done);
        let has = |line: &str| said.lines().any(|l| l == line);
        assert!(has("EXTRA=given") && has("TERM=mine") && has("LC_ALL=C.UTF-8"), "{said}");
        assert!(has("GIT_TERMINAL_PROMPT=0") && has("PAGER=cat") && has("NO_COLOR=1"), "{said}");
        assert!(!said.contains(SECRET) && !said.contains("OPENAI") && !has("CI=1"), "{said}");
    }
}

#[test]
fn a_variable_of_a_call_does_not_change_how_the_sandbox_is_loaded() {
    let place = Place::plain();
    let env = [("LD_PRELOAD".to_owned(), "/nonexistent.so".to_owned())];
    let line = Line::Shell("echo $LD_PRELOAD");
    let program = Program {
        line,
        dir: ".",
        env: &env,
        timeout: Duration::from_secs(60),
        reach: Reach::Workspace,
    };
    let done = place.runner.run(&place.workspace, &program, None, &Cancel::default()).unwrap();
    assert_eq!(text(&done), "/nonexistent.so\n");
    if done.containment.fence == Fence::Namespaces {
        // The loader complains in the shell, and nowhere before it.
        assert_eq!(errors(&done).matches("ld.so").count(), 1, "{}", errors(&done));
    } else {
        println!("SKIPPED: no namespaces here: {}", done.containment);
    }
}
