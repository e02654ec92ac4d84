//! A directory to work in with a state directory beside it, and the program with both.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::client::Server;

pub(crate) struct Place {
    pub(crate) dir: TempDir,
}

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Place {
    /// A place of a person whose usual toolset is fiz, whose tools do one thing each.
    pub(crate) fn new() -> Self {
        let place = Self::of_a_newcomer();
        let config = place.config().join("kitbag");
        std::fs::create_dir_all(&config).unwrap();
        std::fs::write(config.join("kitbag.toml"), "toolset = \"fiz\"\n").unwrap();
        place
    }

    /// A place without any settings.
    pub(crate) fn of_a_newcomer() -> Self {
        let dir = tempfile::Builder::new().prefix("kitbag-box-").tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("root")).unwrap();
        Self { dir }
    }

    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let place = Self::new();
        for (name, content) in files {
            place.write(name, content);
        }
        place
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().join("root")
    }

    /// Where the settings of the person are.
    pub(crate) fn config(&self) -> PathBuf {
        self.dir.path().join("config")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.dir.path().join("state")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    #[track_caller]
    pub(crate) fn read(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    #[track_caller]
    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        let path = self.path(name);
        std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.path(name).symlink_metadata().is_ok()
    }

    /// The program with the root and state of this place.
    pub(crate) fn program(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kitbag"));
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("KITBAG_") {
                command.env_remove(name);
            }
        }
        command.args(words).env("KITBAG_ROOT", self.root()).env("KITBAG_STATE", self.state());
        command.env("KITBAG_CACHE", self.state().join("cache"));
        command.env("KITBAG_EXTENSION", "off"); // the port is one for the whole machine
        command.env("XDG_CONFIG_HOME", self.config());
        command
    }

    /// A server whose client cannot ask.
    pub(crate) fn serve(&self, toolset: &str, policy: &str) -> Server {
        Server::start(self.server(toolset, policy, &[]), false)
    }

    /// A server whose client can ask.
    pub(crate) fn serve_asking(&self, toolset: &str, policy: &str) -> Server {
        Server::start(self.server(toolset, policy, &[]), true)
    }

    /// A server to which the modes of files apply; see [`Place::unprivileged`].
    pub(crate) fn serve_unprivileged(&self, toolset: &str, policy: &str) -> Option<Server> {
        let command = self.unprivileged(self.server(toolset, policy, &[]))?;
        Some(Server::start(command, false))
    }

    /// The program as a user to whom the modes of files apply: where the tests run as root, as
    /// nobody, to whom the whole place then belongs. `None` where that cannot be had.
    pub(crate) fn unprivileged(&self, command: Command) -> Option<Command> {
        if !is_root() {
            return Some(command);
        }
        if !Path::new("/usr/bin/setpriv").exists() {
            skipped("root reads everything, and setpriv is not there");
            return None;
        }
        let copy = self.dir.path().join("kitbag");
        if !copy.exists() {
            let program = std::path::absolute(env!("CARGO_BIN_EXE_kitbag")).unwrap();
            std::fs::copy(program, &copy).unwrap();
            system(&["chown", "-R", "65534:65534", self.dir.path().to_str()?]);
        }
        let mut other = Command::new("setpriv");
        other.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(copy);
        other.args(command.get_args());
        other.envs(command.get_envs().filter_map(|(k, v)| Some((k, v?))));
        other.env("HOME", self.dir.path());
        Some(other)
    }

    pub(crate) fn server(&self, toolset: &str, policy: &str, more: &[&str]) -> Command {
        let mut words = vec!["serve", "--toolset", toolset, "--policy", policy];
        words.extend(more);
        self.program(&words)
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, words: &[&str]) -> Ran {
        Ran::of(self.program(words).stdin(Stdio::null()).output().unwrap())
    }

    /// Runs a command that must succeed; gives what it printed.
    #[track_caller]
    pub(crate) fn ok(&self, words: &[&str]) -> String {
        let ran = self.run(words);
        assert_eq!(ran.code, Some(0), "{words:?}: {ran:?}");
        ran.out
    }

    /// What git of a person says in the root.
    pub(crate) fn git(&self, words: &[&str]) -> String {
        let root = self.root();
        let identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
        system(&[&["git", "-C", root.to_str().unwrap()], &identity[..], words].concat())
    }

    /// Makes a repository of it, of whose branch `main` one commit has everything.
    pub(crate) fn commit_all(&self) {
        for words in [
            &["init", "-qb", "main"][..],
            &["add", "."],
            &["commit", "-qm", "first"],
            &["config", "user.name", "A"],
            &["config", "user.email", "a@example.org"],
        ] {
            self.git(words);
        }
    }

    /// The journal, newest first.
    #[track_caller]
    pub(crate) fn log(&self) -> Vec<Value> {
        let text = self.ok(&["log", "--json", "--most", "1000"]);
        serde_json::from_str::<Value>(&text).unwrap().as_array().unwrap().clone()
    }

    /// Every file below the root with its content.
    pub(crate) fn tree(&self) -> Vec<(String, String)> {
        let mut all = Vec::new();
        tree(&self.root(), &self.root(), &mut all);
        all.sort();
        all
    }
}

pub(crate) fn tree(root: &Path, dir: &Path, all: &mut Vec<(String, String)>) {
    use std::os::unix::fs::PermissionsExt as _;
    for entry in std::fs::read_dir(dir).unwrap().flatten() {
        let path = entry.path();
        let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
        let meta = path.symlink_metadata().unwrap();
        let mode = meta.permissions().mode() & 0o7777;
        if meta.is_dir() {
            all.push((name, format!("directory {mode:o}")));
            tree(root, &path, all);
        } else if meta.is_symlink() {
            all.push((name, format!("link {}", path.read_link().unwrap().display())));
        } else if !meta.is_file() {
            all.push((name, format!("special {mode:o}")));
        } else {
            let content = std::fs::read(&path).unwrap();
            all.push((name, format!("{mode:o} {}", String::from_utf8_lossy(&content))));
        }
    }
}

impl Ran {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// A number of seconds that nobody else sleeps for, so that a sleeper is known by it.
pub(crate) fn mark() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("{}.{:03}", 800_000_000 + std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The command lines of living processes in which `mark` is.
pub(crate) fn alive(mark: &str) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|p| std::fs::read(p.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(mark) && !line.contains("kitbag call")).collect()
}

#[track_caller]
pub(crate) fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(20), "{what}: not within 20 seconds");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub(crate) fn is_root() -> bool {
    let out = Command::new("id").arg("-u").output().unwrap();
    out.stdout.starts_with(b"0")
}

/// Runs a program of the system that must succeed.
#[track_caller]
pub(crate) fn system(words: &[&str]) -> String {
    let ran = Ran::of(Command::new(words[0]).args(&words[1..]).output().unwrap());
    assert_eq!(ran.code, Some(0), "{words:?}: {ran:?}");
    ran.out
}

/// Says that a test did not run, and why.
#[expect(clippy::print_stdout, reason = "the run shows it")]
pub(crate) fn skipped(why: &str) {
    println!("SKIPPED: {why}");
}
