//! Stand-ins for the tools that Claude Code and Codex have, as far as their documentation and what
//! Codex is made of tell: the same parameters, results in the same shape, real programs behind them.
//! They are models of published behaviour and not those programs.

use std::collections::HashMap;
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use toolkit::Session;
use toolkit::serde_json::{self, Value, json};
use toolkit::testing::{Place, run};

/// Where the project is for them: Claude Code wants absolute paths, and this one is short.
const ROOT: &str = "/repo/";
/// Lines that `Read` gives at most if it is not told.
const LINES: u64 = 2000;
/// Characters of an output that `Bash` shows.
const CHARACTERS: usize = 30_000;

/// A session in one of them.
pub(super) struct Host {
    dir: PathBuf,
    root: PathBuf,
    /// Applies patches.
    kit: Arc<Session>,
    /// What `Read` gave, by its arguments: of what was not read nothing is edited.
    read: HashMap<String, String>,
    server: Option<Child>,
    /// Bytes of its output that were shown.
    seen: usize,
}

impl Drop for Host {
    fn drop(&mut self) {
        self.server.iter().for_each(end);
    }
}

impl Host {
    pub(super) fn new(place: &Place, kit: Arc<Session>) -> Self {
        let (dir, root) = (place.dir().to_owned(), place.root());
        Self { dir, root, kit, read: HashMap::new(), server: None, seen: 0 }
    }

    /// What a call answers, and whether a picture is beside it.
    pub(super) fn call(&mut self, tool: &str, arguments: &str) -> (String, bool) {
        if tool == "apply_patch" {
            return (self.patch(arguments), false);
        }
        let input: Value = serde_json::from_str(arguments).expect(arguments);
        let text = |name: &str| input[name].as_str().unwrap_or_default();
        let path = text("file_path").trim_start_matches(ROOT);
        let answer = match tool {
            "exec_command" if input["yield_time_ms"].is_u64() => {
                self.begin(text("cmd"));
                self.session("running with session ID 1")
            }
            "exec_command" => {
                let (text, code) = self.shell(text("cmd"));
                codex(&format!("exited with code {code}"), &text)
            }
            "write_stdin" if text("chars") == "\u{3}" => {
                self.server.take().iter().for_each(end);
                self.session("exited with code 130")
            }
            "write_stdin" => self.session("running with session ID 1"),
            "view_image" => return (String::new(), self.root.join(text("path")).is_file()),
            "Read" if path.ends_with(".png") => return (String::new(), true),
            "Read" => self.read(arguments, path, &input),
            "Edit" => self.edit(path, text("old_string"), text("new_string")),
            "Write" => {
                fs::write(self.root.join(path), text("content")).unwrap();
                format!("File created: {ROOT}{path}")
            }
            "Bash" if input["run_in_background"] == true => self.begin(text("command")),
            "Bash" => self.bash(text("command")),
            "TaskStop" => {
                self.server.take().iter().for_each(end);
                format!("Stopped task {}", text("task_id"))
            }
            "Grep" => self.grep(&input),
            "Glob" => self.shell(&format!("shopt -s globstar; ls -d {}", text("pattern"))).0,
            other => panic!("no stand-in for {other}"),
        };
        (answer, false)
    }

    /// Runs a line; what it printed, and its exit code. Nothing goes on afterwards.
    fn shell(&self, line: &str) -> (String, i32) {
        let child = self.start(line, Stdio::piped());
        let group = child.id();
        let done = child.wait_with_output().unwrap();
        kill(group);
        let text = String::from_utf8_lossy(&done.stdout).trim_end().to_owned();
        (text, done.status.code().unwrap_or(-1))
    }

    fn start(&self, line: &str, output: Stdio) -> Child {
        // What is in /tmp for them is of this task alone.
        let line = line.replace("/tmp/", &format!("{}/", self.dir.display()));
        let mut bash = Command::new("bash");
        bash.args(["-c", &format!("exec 2>&1; {line}")]).current_dir(&self.root);
        bash.env_remove("CARGO_TARGET_DIR").stdin(Stdio::null()).stdout(output).process_group(0);
        bash.spawn().unwrap()
    }

    fn bash(&self, line: &str) -> String {
        match self.shell(line) {
            (text, 0) if text.is_empty() => "(no output)".to_owned(),
            (text, 0) => text.chars().take(CHARACTERS).collect(),
            (text, code) => format!("Exit code {code}\n{text}"),
        }
    }

    fn begin(&mut self, line: &str) -> String {
        let log = fs::File::create(self.dir.join("b1.output")).unwrap();
        self.server = Some(self.start(line, log.into()));
        std::thread::sleep(std::time::Duration::from_secs(1));
        "Command running in background with ID: b1. Output: /tmp/b1.output".to_owned()
    }

    /// What the program in the background printed since it was asked last.
    fn session(&mut self, state: &str) -> String {
        let log = fs::read_to_string(self.dir.join("b1.output")).unwrap();
        let new = log[self.seen..].to_owned();
        self.seen = log.len();
        codex(state, &new)
    }

    fn patch(&self, patch: &str) -> String {
        let done = run(&self.kit, "edit", json!({"patch": patch}));
        assert!(done.error.is_none(), "{:?}", done.body);
        let files = patch.lines().filter_map(|line| {
            let (what, path) = line.strip_prefix("*** ")?.split_once(" File: ")?;
            Some(format!("{} {path}\n", if what == "Add" { 'A' } else { 'M' }))
        });
        let files: String = files.collect();
        format!(
            "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\n\
             {files}"
        )
    }

    fn read(&mut self, arguments: &str, path: &str, input: &Value) -> String {
        let first = input["offset"].as_u64().unwrap_or(1);
        let last = first - 1 + input["limit"].as_u64().unwrap_or(LINES);
        let (text, code) = self.shell(&format!("cat -n {path} | sed -n '{first},{last}p'"));
        assert_eq!(code, 0, "{text}");
        let key = format!("{path} {arguments}");
        match self.read.insert(key, text.clone()) {
            Some(old) if old == text => "File unchanged since it was read above.".to_owned(),
            _ => text,
        }
    }

    fn edit(&self, path: &str, old: &str, new: &str) -> String {
        let was_read = self.read.keys().any(|key| key.starts_with(&format!("{path} ")));
        assert!(was_read, "{path} is edited and was not read");
        let text = fs::read_to_string(self.root.join(path)).unwrap();
        assert_eq!(text.matches(old).count(), 1, "{path}: {old}");
        fs::write(self.root.join(path), text.replacen(old, new, 1)).unwrap();
        format!("The file {ROOT}{path} was updated.")
    }

    fn grep(&self, input: &Value) -> String {
        let text = |name: &str| input[name].as_str().unwrap_or_default();
        let (pattern, path) = (text("pattern").replace('\'', r"'\''"), text("path"));
        let case = if input["-i"] == true { "i" } else { "" };
        let after = input["-A"].as_u64().map_or(String::new(), |lines| format!("-A{lines}"));
        let grep = |how: &str| {
            self.shell(&format!("grep -{how}rE{case} {after} -e '{pattern}' -- {path}")).0
        };
        match text("output_mode") {
            "content" => grep("n"),
            "count" => {
                let all = grep("c");
                let counts = all.lines().filter(|line| !line.ends_with(":0"));
                let counts: Vec<&str> = counts.collect();
                let number = |line: &&str| line.rsplit(':').next()?.parse::<usize>().ok();
                let sum: usize = counts.iter().filter_map(number).sum();
                let files = counts.len();
                format!("{}\n\nFound {sum} occurrences in {files} files.", counts.join("\n"))
            }
            _ => {
                let files = grep("l");
                format!("Found {} files\n{files}", files.lines().count())
            }
        }
    }
}

/// A result of Codex, with what it says beside every output.
fn codex(state: &str, text: &str) -> String {
    let tokens = text.len().div_ceil(4);
    format!(
        "Chunk ID: a1b2c3\nWall time: 0.1234 seconds\nProcess {state}\n\
         Original token count: {tokens}\nOutput:\n{text}"
    )
}

fn end(server: &Child) {
    kill(server.id());
}

/// Ends all processes of a group.
fn kill(group: u32) {
    let mut kill = Command::new("kill");
    let _ = kill.args(["-KILL", "--", &format!("-{group}")]).stderr(Stdio::null()).status();
}
