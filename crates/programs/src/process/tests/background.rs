//! Programs that go on after their call: servers, floods, and what will not end.

use std::net::{TcpListener, TcpStream};

use fault::Code;

use super::*;
use crate::process::{Background, Going};

const LONG: Duration = Duration::from_secs(30);
const PORT: &str = "KITBAG_TEST_PORT";

/// Not a test by itself: the server that the tests start.
#[test]
fn server_on_a_port() {
    let Ok(port) = std::env::var(PORT) else { return };
    let listener = TcpListener::bind(("127.0.0.1", port.parse().unwrap())).unwrap();
    println!("listening");
    for visit in listener.incoming() {
        drop(visit);
    }
}

/// A port that nobody listens on.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// The words that start this binary as the server.
fn server() -> String {
    let own = std::env::current_exe().unwrap();
    format!("{} --exact process::tests::background::server_on_a_port --nocapture", own.display())
}

impl Place {
    fn start(&self, name: &str, script: &str, port: Option<u16>, time: Duration) -> Result<Going> {
        let env = [(PORT.to_owned(), port.unwrap_or_default().to_string())];
        let program = Program {
            line: Line::Shell(script),
            dir: ".",
            env: &env,
            timeout: time,
            reach: Reach::Online,
        };
        let start = Background { name, program, port, input: false };
        self.runner.start(&self.workspace, &start, &Cancel::default())
    }

    fn look(&self, name: &str) -> Going {
        self.runner.background_program(&self.workspace, name).unwrap()
    }

    fn stop(&self, name: &str) -> Going {
        self.runner.stop(&self.workspace, name).unwrap()
    }
}

fn printed(going: &Going) -> String {
    going.stdout.tail(usize::MAX, usize::MAX).text
}

#[test]
fn a_server_is_there_when_its_start_returns_and_gone_when_it_is_stopped() {
    for place in places() {
        let port = free_port();
        let going = place.start("web", &server(), Some(port), LONG).unwrap();
        assert!(going.listens && going.exit.is_none(), "{}: {going:?}", place.kind);
        assert!(going.pid.is_some_and(|pid| pid > 1) && going.port == Some(port));
        TcpStream::connect(("127.0.0.1", port)).unwrap();
        let going = place.look("web");
        assert!(printed(&going).contains("listening"), "{}: {going:?}", place.kind);
        assert_eq!(text(&place.run("echo beside")), "beside\n", "other programs run meanwhile");
        let going = place.stop("web");
        assert!(matches!(going.exit, Some(Exit::Cancelled)) && !going.listens, "{going:?}");
        assert!(TcpStream::connect(("127.0.0.1", port)).is_err(), "{}", place.kind);
        let error = place.runner.stop(&place.workspace, "web").unwrap_err();
        assert!(error.message.contains("none is running"), "{error}");
    }
}

#[test]
fn a_port_that_is_taken_is_an_error_and_nothing_is_started() {
    let place = Place::plain();
    for address in ["127.0.0.1:0", "0.0.0.0:0", "[::]:0"] {
        let Ok(taken) = TcpListener::bind(address) else {
            println!("SKIPPED: no {address} here");
            continue;
        };
        let port = taken.local_addr().unwrap().port();
        let error = place.start("web", "touch started", Some(port), LONG).unwrap_err();
        assert_eq!(error.code, Code::PortInUse);
        assert!(error.message.starts_with(&format!("port {port}: ")), "{error}");
        assert!(!place.at("root/started").exists());
    }
}

#[test]
fn a_program_that_ends_before_its_port_opens_is_told_with_what_it_said() {
    for place in places() {
        let going = place.start("web", "echo no config >&2; exit 3", Some(free_port()), LONG);
        let going = going.unwrap();
        assert_eq!((going.exit, going.listens), (Some(Exit::Code(3)), false), "{}", place.kind);
        assert_eq!(going.stderr.tail(9, 99).text, "no config\n");
        assert!(going.wall < LONG);
        let error = place.start("web", "no-such-program-x", Some(free_port()), LONG).unwrap();
        assert_eq!(error.exit, Some(Exit::Code(127)), "an ended program gives its name free");
    }
}

#[test]
fn a_port_that_never_opens_is_not_waited_for_beyond_the_time() {
    let (place, mark) = (Place::plain(), mark());
    let script = format!("echo up; sleep {mark}");
    let going = place.start("web", &script, Some(free_port()), Duration::from_secs(1)).unwrap();
    assert!(!going.listens && going.exit.is_none(), "it goes on: {going:?}");
    assert_eq!(printed(&going), "up\n");
    assert!(!alive(&mark).is_empty());
    place.stop("web");
    assert_eq!(alive(&mark), [""; 0]);
}

#[test]
fn what_ignores_the_request_to_end_is_killed_with_all_it_started() {
    for place in places() {
        let mark = mark();
        let script = format!(
            "trap '' TERM; (trap '' TERM; sleep {mark}) & setsid sleep {mark} & sleep {mark}; sleep {mark}"
        );
        place.start("deaf", &script, None, LONG).unwrap();
        wait_until("it sleeps", || {
            alive(&mark).iter().filter(|l| l.starts_with("sleep")).count() == 3
        });
        let start = Instant::now();
        assert_eq!(place.stop("deaf").exit, Some(Exit::Cancelled));
        assert!(start.elapsed() < LONG);
        assert_eq!(alive(&mark), [""; 0], "{}", place.kind);
    }
}

#[test]
fn a_hundred_megabytes_are_kept_in_bounds_and_can_be_read() {
    let place = Place::plain();
    let script = "seq 1 13000000; echo done >&2; sleep 1000";
    place.start("flood", script, None, LONG).unwrap();
    wait_until("all is printed", || place.look("flood").stderr.bytes > 0);
    let mut going = place.look("flood");
    wait_until("all is read", || {
        going = place.look("flood");
        going.stdout.lines == 13_000_000
    });
    assert!(going.stdout.bytes > 100_000_000 && !going.stdout.whole());
    assert_eq!(going.stdout.tail(1, 100).text, "13000000\n");
    assert_eq!(going.stdout.head(1, 100).text, "1\n");
    let spill = going.stdout.spill.clone().unwrap();
    assert_eq!(spill.bytes, going.stdout.bytes);
    let (mut lines, mut last) = (0, String::new());
    going.stdout.each_line(|_, line| {
        lines += 1;
        line.clone_into(&mut last);
    });
    assert_eq!((lines, last.as_str()), (13_000_000, "13000000"));
    let read = place.workspace.glance(spill.path.to_str().unwrap());
    assert_eq!(read.unwrap().size, spill.bytes, "the session may read it");
    place.stop("flood");
}

#[test]
fn the_end_of_the_session_ends_them_all() {
    let (place, mark) = (Place::plain(), mark());
    for name in ["a", "b", "c"] {
        place
            .start(name, &format!("trap '' TERM; sleep {mark}; sleep {mark}"), None, LONG)
            .unwrap();
    }
    assert_eq!(place.runner.background_programs(&place.workspace).len(), 3);
    place.runner.end_all();
    assert_eq!(alive(&mark), [""; 0]);
    let ended = place.runner.background_programs(&place.workspace);
    assert!(ended.iter().all(|going| going.exit == Some(Exit::Cancelled)), "{ended:?}");
    assert_eq!(place.start("d", "true", None, LONG).unwrap_err().code, Code::Cancelled);
    drop(ended);
    drop(place.runner);
    let left = std::fs::read_dir(place.dir.path().join("state/spill")).unwrap().count();
    assert_eq!(left, 0, "what they printed went with the session");
}

#[test]
fn names_are_unique_and_their_number_is_bounded() {
    let limits = Limits { background: 2, ..Limits::default() };
    let place = Place::new("the best", Sandbox::Auto, limits);
    place.start("a", "sleep 1000", None, LONG).unwrap();
    let error = place.start("a", "sleep 1000", None, LONG).unwrap_err();
    assert!(error.message.contains("a: a program of this name runs"), "{error}");
    place.start("b", "sleep 1000", None, LONG).unwrap();
    let error = place.start("c", "sleep 1000", None, LONG).unwrap_err();
    assert!(error.message.contains("2 programs already run in the background"), "{error}");
    let error = place.runner.background_program(&place.workspace, "c").unwrap_err();
    assert!(error.message.ends_with("there are a, b"), "{error}");
    place.stop("a");
    place.start("c", "sleep 1000", None, LONG).unwrap();
}

#[test]
fn a_start_that_is_cancelled_leaves_nothing() {
    let (place, mark) = (Place::plain(), mark());
    let (cancel, script) = (Cancel::default(), format!("sleep {mark}"));
    let program = Program {
        line: Line::Shell(&script),
        dir: ".",
        env: &[],
        timeout: LONG,
        reach: Reach::Online,
    };
    let start = Background { name: "web", program, port: Some(free_port()), input: false };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            wait_until("it sleeps", || !alive(&mark).is_empty());
            cancel.cancel();
        });
        let error = place.runner.start(&place.workspace, &start, &cancel).unwrap_err();
        assert_eq!(error.code, Code::Cancelled);
    });
    assert_eq!(alive(&mark), [""; 0]);
    assert!(place.runner.background_programs(&place.workspace).is_empty());
}

#[test]
fn several_may_ask_and_stop_at_once() {
    let (place, mark) = (Place::plain(), mark());
    place.start("a", &format!("echo up; sleep {mark}"), None, LONG).unwrap();
    std::thread::scope(|scope| {
        let asks: Vec<_> = (0..8).map(|_| scope.spawn(|| printed(&place.look("a")))).collect();
        for ask in asks {
            assert_eq!(ask.join().unwrap(), "up\n");
        }
        let stops: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| place.runner.stop(&place.workspace, "a").is_ok()))
            .collect();
        let stopped = stops.into_iter().map(|s| s.join().unwrap());
        assert!(stopped.filter(|ok| *ok).count() >= 1);
    });
    assert_eq!(alive(&mark), [""; 0]);
}
