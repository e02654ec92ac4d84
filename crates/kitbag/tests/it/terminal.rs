//! A pseudo-terminal with the program at it, as a person would use it.

use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::place::Place;

pub(crate) struct Terminal {
    child: Child,
    keys: ChildStdin,
    shown: Arc<Mutex<Vec<u8>>>,
    /// Up to where it was looked at.
    seen: usize,
}

impl Terminal {
    /// Starts the program; `None` where no pseudo-terminal can be had.
    pub(crate) fn start(place: &Place, words: &[&str]) -> Option<Self> {
        if !std::path::Path::new("/usr/bin/script").exists() {
            crate::place::skipped("script, which gives a terminal, is not there");
            return None;
        }
        let program = place.program(words);
        let quoted = |word: &std::ffi::OsStr| format!("'{}'", word.to_str().unwrap());
        let words = std::iter::once(program.get_program()).chain(program.get_args()).map(quoted);
        // Without `exec` some shells stay as its parent, and die of the interrupt key themselves.
        let line = format!("exec {}", words.collect::<Vec<_>>().join(" "));
        let mut script = Command::new("script");
        script.args(["-qec", &line, "/dev/null"]).env("TERM", "xterm").env("SHELL", "/bin/sh");
        script.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let mut child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (keys, mut out) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let shown: Arc<Mutex<Vec<u8>>> = Arc::default();
        let all = Arc::clone(&shown);
        std::thread::spawn(move || {
            let mut some = [0; 4096];
            while let Ok(count @ 1..) = out.read(&mut some) {
                all.lock().unwrap().extend_from_slice(&some[..count]);
            }
        });
        Some(Self { child, keys, shown, seen: 0 })
    }

    pub(crate) fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Waits until this is shown, after all that was waited for before; gives what came up to it.
    #[track_caller]
    pub(crate) fn sees(&mut self, text: &str) -> String {
        let until = Instant::now() + Duration::from_secs(20);
        loop {
            let shown = self.shown.lock().unwrap();
            let new = String::from_utf8_lossy(&shown[self.seen..]).into_owned();
            if let Some(at) = new.find(text) {
                self.seen += at + text.len();
                return new[..at + text.len()].to_owned();
            }
            drop(shown);
            assert!(Instant::now() < until, "no `{text}` in {new}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits for the end; gives the exit code.
    pub(crate) fn ends(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}
