//! Ways out of the sandbox, tried by `bash` under `--policy trust`: a program changes nothing but
//! the root, and reads nothing of the person's but the root, toolchains and caches.
//!
//! Each attempt is a line of a table: what it is called, what the program does, and what is looked
//! at afterwards. A script that gets out prints `GOT OUT`, prints a secret, or leaves a trace
//! outside. All of it is tried in namespaces, where nothing gets out; in namespaces with the
//! network of the host, and with Landlock alone, where each table says what does and why.

mod files;
mod kernel;
mod processes;
mod repository;
mod secrets;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::json;

use crate::place::{Place, Ran, skipped, tree};

/// Begins every secret that is seeded.
const SECRET: &str = "k-secret-";

/// One way out.
struct Attempt {
    name: &'static str,
    /// Run by `bash`; the words in braces are paths, see [`Den::filled`].
    script: &'static str,
    /// What the person has and does beforehand.
    before: fn(&mut Den),
    /// What the person does and finds afterwards; why that is an escape.
    after: fn(&Den) -> Option<String>,
}

const fn attempt(name: &'static str, script: &'static str) -> Attempt {
    Attempt { name, script, before: |_| {}, after: |_| None }
}

/// What a program is kept in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sandbox {
    Namespaces,
    /// With `--network on`, which is what the policy `trust` begins with.
    Online,
    Landlock,
}

/// A project in the directory of a person who has other things too.
struct Den {
    place: Place,
    sandbox: Sandbox,
    /// Processes of the person's.
    own: Vec<Child>,
    /// What a word in braces stands for.
    words: Vec<(&'static str, String)>,
}

impl Den {
    fn new(sandbox: Sandbox) -> Self {
        // Not below `/tmp`, which programs have to themselves. A user who did not build the tests
        // has only the home directory.
        let make = |dir: &Path| tempfile::Builder::new().prefix("den-").tempdir_in(dir);
        let home = || std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
        let dir = make(env!("CARGO_TARGET_TMPDIR").as_ref()).or_else(|_| make(&home()));
        let place = Place { dir: dir.unwrap() };
        let mut den = Self { place, sandbox, own: Vec::new(), words: Vec::new() };
        for name in ["root", "home/Documents", "outside/directory", "state"] {
            std::fs::create_dir_all(den.dir().join(name)).unwrap();
        }
        den.place.write("kept", "in the root\n");
        for name in ["outside/secret", "home/Documents/diary", "home/.netrc", "state/note"] {
            den.seed(name);
        }
        for name in [".bashrc", ".profile", ".zshenv", ".gitconfig", ".ssh/authorized_keys"] {
            den.put(&format!("home/{name}"), "# the person's\n");
        }
        let own = ["root", "home", "outside", "state"];
        let paths = own.map(|name| (name, den.dir().join(name).display().to_string()));
        den.words.extend(paths);
        den
    }

    fn dir(&self) -> &Path {
        self.place.dir.path()
    }

    fn outside(&self) -> PathBuf {
        self.dir().join("outside")
    }

    fn put(&self, name: &str, content: &str) {
        let path = self.dir().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    fn seed(&self, name: &str) {
        self.put(name, &format!("{SECRET}{}\n", name.replace('/', "-")));
    }

    /// Starts a process of the person's, which ends with the den.
    fn start(&mut self, command: &mut Command) -> u32 {
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = child.spawn().unwrap();
        let pid = child.id();
        self.own.push(child);
        pid
    }

    /// A Perl program of the person's; waits until it has written its first line, and gives it.
    fn perl(&mut self, program: &str) -> String {
        use std::io::BufRead as _;
        let mut command = Command::new("perl");
        let child = command.args(["-e", program]).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = child.spawn().unwrap();
        let mut line = String::new();
        std::io::BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        self.own.push(child);
        line.trim().to_owned()
    }

    fn word(&mut self, name: &'static str, value: impl ToString) {
        self.words.push((name, value.to_string()));
    }

    /// The script with the paths of this den.
    fn filled(&self, script: &str) -> String {
        let fill = |text: String, (name, value): &(&str, String)| {
            text.replace(&format!("{{{name}}}"), value)
        };
        self.words.iter().fold(script.to_owned(), fill)
    }

    /// A person's command in the root.
    fn person(&self, script: &str) -> Ran {
        let mut command = Command::new("sh");
        command.args(["-c", &self.filled(script)]).current_dir(self.place.root());
        command.env("HOME", self.dir().join("home")).env_remove("GIT_DIR");
        Ran::of(command.stdin(Stdio::null()).output().unwrap())
    }

    /// Runs a script as a model would.
    fn bash(&self, script: &str, more: &[(&str, String)]) -> Ran {
        let input = json!({"command": self.filled(script), "timeout_ms": 20_000}).to_string();
        let words = ["call", "bash", "--toolset", "fiz", "--policy", "trust", &input];
        let mut command = self.place.program(&words);
        let online = self.sandbox == Sandbox::Online;
        command.env("KITBAG_NETWORK", if online { "on" } else { "off" });
        if self.sandbox == Sandbox::Landlock {
            command.env("KITBAG_SANDBOX", "landlock");
        }
        command.env("HOME", self.dir().join("home")).current_dir(self.place.root());
        for name in ["ANTHROPIC_API_KEY", "GITHUB_TOKEN", "MY_PASSWORD", "DATABASE_URL"] {
            command.env(name, format!("{SECRET}environment"));
        }
        for name in ["CARGO_TARGET_DIR", "CARGO_TARGET_TMPDIR", "TMPDIR", "CARGO_HOME"] {
            command.env_remove(name);
        }
        command.envs(more.iter().map(|(name, value)| (name, value)));
        let mut ran = Ran::of(command.stdin(Stdio::null()).output().unwrap());
        ran.out += &ran.err; // a secret may be in either
        ran
    }

    /// Everything that a program has no business with.
    fn surroundings(&self) -> Vec<(String, String)> {
        let mut all = Vec::new();
        for name in ["home", "outside"] {
            tree(self.dir(), &self.dir().join(name), &mut all);
        }
        all.sort();
        all
    }
}

impl Drop for Den {
    fn drop(&mut self) {
        for child in &mut self.own {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Why the attempt succeeded, if it did.
fn escape(attempt: &Attempt, sandbox: Sandbox) -> Option<String> {
    let mut den = Den::new(sandbox);
    (attempt.before)(&mut den);
    let surroundings = den.surroundings();
    let ran = den.bash(attempt.script, &[]);
    if !ran.out.contains("Exit code:") {
        return Some(format!("the call has no answer: {ran:?}"));
    }
    if ran.out.contains(SECRET) || ran.out.contains("GOT OUT") {
        return Some(ran.out.chars().take(200).collect());
    }
    let after = (attempt.after)(&den);
    let now = den.surroundings();
    let new = now.iter().find(|entry| !surroundings.contains(entry));
    let gone = surroundings.iter().find(|entry| !now.contains(entry));
    after.or_else(|| new.or(gone).map(|(path, is)| format!("{path} is changed: {is}")))
}

/// The sandboxes that this host has.
fn sandboxes() -> Vec<Sandbox> {
    let said = Place::new().run(&["doctor", "--json"]).out;
    let is = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let all = [
        (Sandbox::Namespaces, is(&["\"namespaces"])),
        (Sandbox::Online, is(&["\"namespaces"])),
        (Sandbox::Landlock, is(&["\"Landlock", "namespaces and Landlock"])),
    ];
    all.iter().filter(|(_, is)| !is).for_each(|(no, _)| skipped(&format!("no {no:?}: {said}")));
    all.into_iter().filter(|(_, is)| *is).map(|(sandbox, _)| sandbox).collect()
}

/// Tries all of a table in each sandbox; fails with those that get out. What is known to get out of
/// one of the weaker sandboxes is in a list, with the reason.
#[track_caller]
fn none_gets_out(attempts: &[Attempt], known: &[(Sandbox, &str, &str)]) {
    if !Path::new("/usr/bin/perl").exists() {
        skipped("perl is missing");
        return;
    }
    for (sandbox, name, _) in known {
        assert!(attempts.iter().any(|a| a.name == *name), "no attempt is called {name}");
        assert_ne!(*sandbox, Sandbox::Namespaces, "{name}: out of these nothing gets");
    }
    let mut out = Vec::new();
    for sandbox in sandboxes() {
        let known =
            |name: &str| known.iter().any(|(of, other, _)| (*of, *other) == (sandbox, name));
        let tried = attempts.iter().filter(|a| !known(a.name));
        out.extend(tried.filter_map(|a| Some((sandbox, a.name, escape(a, sandbox)?))));
    }
    assert!(out.is_empty(), "{} get out: {out:#?}", out.len());
}
