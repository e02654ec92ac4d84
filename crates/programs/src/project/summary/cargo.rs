//! `cargo test`, `cargo nextest`, and what the compiler says before them.

use super::{Counts, Failure, Failures, Reader, Summary, add, is_place};

/// What one failed test printed: its panic, or its last words.
#[derive(Debug, Default)]
struct Block {
    /// In the message of a panic.
    panicked: bool,
    /// A panic was seen, so that what follows is no reason.
    done: bool,
}

impl Block {
    fn line(&mut self, line: &str, failure: &mut Failure) {
        if let Some(place) = panic_place(line) {
            if !self.done {
                failure.message.clear();
                failure.at(place);
            }
            (self.panicked, self.done) = (!self.done, true);
        } else if self.panicked {
            if line.is_empty() || line == "stack backtrace:" || line.starts_with("note: ") {
                self.panicked = false;
            } else {
                failure.say(line);
            }
        } else if let Some(place) = line.trim_start().strip_prefix("--> ")
            && !self.done
            && is_error(&failure.message)
        {
            failure.at(place);
            self.done = true;
        } else if !self.done
            && (line.starts_with("Error: ")
                || line.starts_with("note: test did ")
                || is_error(line))
        {
            failure.message.clear();
            failure.say(line);
            if let Some((_, place)) = line.rsplit_once(" at ").filter(|(_, at)| is_place(at)) {
                failure.at(place);
            }
        }
    }
}

/// `src/lib.rs:3:5` of `thread 'tests::a' (17) panicked at src/lib.rs:3:5:`.
fn panic_place(line: &str) -> Option<&str> {
    let (_, place) = line.strip_prefix("thread '")?.split_once(" panicked at ")?;
    let place = place.strip_suffix(':')?;
    is_place(place).then_some(place)
}

#[derive(Debug, Default)]
pub(super) struct Cargo {
    failures: Failures,
    counts: Option<Counts>,
    /// Runs that began, and those that told their result.
    runs: (u64, u64),
    /// The test whose output is being read, by its place in the list.
    current: Option<(usize, Block)>,
    compiler: Compiler,
}

impl Reader for Cargo {
    fn line(&mut self, line: &str) -> bool {
        // What a documentation test says of itself is its failure.
        let compiles = self.current.is_none() && self.compiler.line(line);
        if line.starts_with("running ") && (line.ends_with(" tests") || line.ends_with(" test")) {
            self.runs.0 += 1;
        } else if let Some(name) = line.strip_prefix("---- ") {
            let name = name.strip_suffix(" ----").unwrap_or(name);
            let name = name.strip_suffix(" stdout").unwrap_or(name);
            self.current = self.failures.index(name).map(|at| (at, Block::default()));
        } else if line == "failures:" {
            self.current = None;
        } else if let Some(totals) = line.strip_prefix("test result: ") {
            let counts = self.counts.get_or_insert_default();
            for part in totals.split_once(". ").map_or("", |(_, rest)| rest).split(';') {
                counts.add(part);
            }
            self.runs.1 += 1;
            self.current = None;
        } else if let Some((at, block)) = &mut self.current {
            block.line(line, &mut self.failures.list[*at]);
        } else if let Some(name) =
            line.strip_prefix("test ").and_then(|l| l.strip_suffix(" ... FAILED"))
        {
            self.failures.entry(name.strip_suffix(" - should panic").unwrap_or(name));
        } else {
            return compiles || line.starts_with("error: test failed");
        }
        true
    }

    fn told(mut self: Box<Self>) -> Option<Summary> {
        if self.compiler.failures.list.is_empty() {
            let is_partial = self.runs.0 != self.runs.1;
            return match self.counts {
                Some(counts) => {
                    Some(Summary { is_partial, ..self.failures.told("cargo test", counts) })
                }
                None if is_partial || !self.failures.list.is_empty() => {
                    Some(self.failures.partial("cargo test"))
                }
                None => None,
            };
        }
        let mut counts = self.counts.unwrap_or_default();
        counts.failed += self.compiler.failures.list.len() as u64;
        self.compiler.failures.list.append(&mut self.failures.list);
        Some(self.compiler.failures.told("cargo", counts))
    }
}

/// Errors of the compiler, which keep tests from running.
#[derive(Debug, Default)]
struct Compiler {
    failures: Failures,
    heading: Option<String>,
    /// The error whose source is being shown, by its place in the list.
    shown: Option<usize>,
}

impl Compiler {
    fn line(&mut self, line: &str) -> bool {
        let error = is_error(line);
        if error {
            (self.heading, self.shown) = (Some(line.to_owned()), None);
        } else if let Some(place) = line.trim_start().strip_prefix("--> ")
            && let Some(heading) = self.heading.take()
        {
            // What two targets have is told once.
            let before = self.failures.list.len();
            let at = self.failures.index(&format!("{heading} ({place})"));
            self.shown = at.filter(|at| *at == before);
            if let Some(at) = self.shown {
                let failure = &mut self.failures.list[at];
                failure.name = heading;
                failure.at(place);
            }
        } else if line.is_empty() || line.starts_with("warning") {
            (self.heading, self.shown) = (None, None);
        } else if let Some(at) = self.shown {
            let trace = &mut self.failures.list[at].trace;
            // The first has nothing but its bar.
            if !trace.is_empty() || line.trim() != "|" {
                add(trace, line);
            }
            return true;
        }
        error
    }
}

fn is_error(line: &str) -> bool {
    line.starts_with("error[") || line.starts_with("error: ")
}

#[derive(Debug, Default)]
pub(super) struct Nextest {
    failures: Failures,
    counts: Option<Counts>,
    /// It counted: what failed is named once more.
    is_over: bool,
    current: Option<(usize, Block)>,
}

impl Reader for Nextest {
    fn line(&mut self, line: &str) -> bool {
        let plain = line.trim();
        let (word, rest) = plain.split_once(" [").unwrap_or((plain, ""));
        let name = rest.split_once("] ").map(|(_, name)| name.trim_start());
        let name = name.map(|name| match name.strip_prefix('(').and_then(|n| n.split_once(") ")) {
            Some((count, name)) if count.contains('/') => name.trim_start(),
            _ => name,
        });
        match (word, name) {
            ("Summary", Some(totals)) => {
                let counts = self.counts.get_or_insert_default();
                for part in totals.split_once(": ").map_or("", |(_, rest)| rest).split(", ") {
                    counts.add(part);
                }
                (self.current, self.is_over) = (None, true);
            }
            (word, Some(name)) if line.starts_with(' ') && is_failure(word) => {
                let at = self.failures.index(name).filter(|_| !self.is_over);
                self.current = at.map(|at| (at, Block::default()));
            }
            ("PASS" | "SLOW", Some(_)) => self.current = None,
            _ if plain.starts_with("Nextest run ID ") => {
                (self.current, self.is_over) = (None, false);
            }
            _ => {
                let Some((at, block)) = &mut self.current else { return false };
                block.line(plain, &mut self.failures.list[*at]);
            }
        }
        true
    }

    fn told(self: Box<Self>) -> Option<Summary> {
        match self.counts {
            Some(counts) => Some(self.failures.told("cargo nextest", counts)),
            None if self.failures.list.is_empty() => None,
            None => Some(self.failures.partial("cargo nextest")),
        }
    }
}

fn is_failure(word: &str) -> bool {
    let word = word.rsplit(' ').next().unwrap_or(word);
    matches!(word, "FAIL" | "TIMEOUT" | "ABORT") || word.starts_with("SIG")
}
