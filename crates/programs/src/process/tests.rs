//! Real programs under every containment that works here.

#![expect(clippy::disallowed_methods, reason = "tests look at the host from outside")]

mod background;
mod bounds;
mod ends;
mod fences;
mod layered;
mod layers;
mod limits;
mod meanwhile;
mod prints;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fault::{Cancel, Result};
use files::{Limits, State, Workspace};
use tempfile::TempDir;

use super::{Exit, Exposed, Fence, Finished, Line, Program, Reach, Runner, Sandbox, Settings};

/// A workspace, a home with secrets, a state directory and a runner.
struct Place {
    runner: Runner,
    workspace: Workspace,
    dir: TempDir,
    kind: &'static str,
}

const SECRET: &str = "k-3c5f1a-secret";

fn folder() -> TempDir {
    tempfile::Builder::new().prefix("place").tempdir().unwrap()
}

fn host(home: &Path) -> Vec<(OsString, OsString)> {
    vec![
        ("PATH".into(), std::env::var_os("PATH").unwrap()),
        ("HOME".into(), home.into()),
        ("LC_ALL".into(), "C.UTF-8".into()),
        ("OPENAI_API_KEY".into(), SECRET.into()),
        ("CI".into(), "1".into()),
    ]
}

impl Place {
    fn new(kind: &'static str, sandbox: Sandbox, limits: Limits) -> Self {
        let dir = folder();
        let at = |name: &str| dir.path().join(name);
        for name in ["root/.git/hooks", "home/.ssh", "home/.cache/pip", "state"] {
            std::fs::create_dir_all(at(name)).unwrap();
        }
        std::fs::write(at("root/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
        std::fs::write(at("root/.git/config"), "[core]\n").unwrap();
        std::fs::write(at("home/.ssh/id"), SECRET).unwrap();
        std::fs::write(at("home/.netrc"), SECRET).unwrap();
        std::fs::write(at("home/plain"), "plain").unwrap();
        std::fs::write(at("state/journal"), SECRET).unwrap();
        let workspace = Workspace::open(&at("root"), &[], limits).unwrap();
        let built = std::env::current_exe().unwrap().parent().unwrap().to_owned();
        let exposed = vec![Exposed { path: built, writable: false }];
        let settings = Settings { env: host(&at("home")), sandbox, exposed, ..Settings::default() };
        let runner = Runner::new(settings, State::new(at("state")), "one");
        Self { runner, workspace, dir, kind }
    }

    fn plain() -> Self {
        Self::new("the best", Sandbox::Auto, Limits::default())
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn run(&self, script: &str) -> Finished {
        self.run_for(script, Duration::from_secs(60))
    }

    fn run_for(&self, script: &str, timeout: Duration) -> Finished {
        self.try_run(Line::Shell(script), timeout).unwrap()
    }

    fn try_run(&self, line: Line<'_>, timeout: Duration) -> Result<Finished> {
        self.try_reach(line, timeout, Reach::Workspace)
    }

    fn run_reaching(&self, script: &str, reach: Reach) -> Finished {
        self.try_reach(Line::Shell(script), Duration::from_secs(60), reach).unwrap()
    }

    fn try_reach(&self, line: Line<'_>, timeout: Duration, reach: Reach) -> Result<Finished> {
        let program = Program { line, dir: ".", env: &[], timeout, reach };
        self.runner.run(&self.workspace, &program, None, &Cancel::default())
    }
}

/// Every containment that works on this host. The last always does.
fn places() -> Vec<Place> {
    let new = |kind, sandbox| Place::new(kind, sandbox, Limits::default());
    let mut places = vec![
        new("namespaces", Sandbox::Auto),
        new("landlock", Sandbox::Landlock),
        new("init alone", Sandbox::Off),
    ];
    places.retain(|place| {
        let active = place.runner.containment();
        let works = match place.kind {
            "namespaces" => active.fence == Fence::Namespaces,
            "landlock" => active.fence == Fence::Landlock,
            _ => true,
        };
        if !works {
            println!("SKIPPED: {} does not work here: {active}", place.kind);
        }
        works
    });
    assert!(!places.is_empty());
    println!("{} of 3 containments tested", places.len());
    places
}

fn text(finished: &Finished) -> String {
    finished.stdout.tail(usize::MAX, usize::MAX).text
}

fn errors(finished: &Finished) -> String {
    finished.stderr.tail(usize::MAX, usize::MAX).text
}

/// A number of seconds that no other test sleeps for, so that a sleeper is known by it.
fn mark() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("{}.{:03}", 900_000_000 + std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The command lines of living processes in which `mark` is.
fn alive(mark: &str) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|p| std::fs::read(p.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(mark)).collect()
}

fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(20), "{what}: not within 20 seconds");
        std::thread::sleep(Duration::from_millis(10));
    }
}
