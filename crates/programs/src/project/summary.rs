//! What a test run says, short: how many tests failed, which, why and where.
//!
//! The end of a long output is mostly not where the first failure is. So the whole output is
//! read, line by line and in bounded memory, by a reader for each test runner. A shell line may run
//! several, and one of them more than once: all that they count is added up.

mod cargo;
mod go;
mod javascript;
mod node;
mod python;

use std::collections::HashMap;

use fault::cut;

use crate::process::Output;

/// Failures that are remembered while reading, so that repetitions are known as such.
const REMEMBERED: usize = 2000;

/// Lines of a message that are kept, and bytes of a line.
const MESSAGE_LINES: usize = 3;
const MESSAGE_BYTES: usize = 300;

/// Lines of a message and of a trace that are kept as they are: unittest prints how values differ over
/// many.
const WHOLE_LINES: usize = 30;

/// What a test run says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Which program's words were understood, such as `pytest`, or those of several.
    pub runner: String,
    /// How many tests passed, if the runner tells.
    pub passed: Option<u64>,
    /// How many tests failed, those included that broke before they began.
    pub failed: u64,
    /// How many tests were left out, if the runner tells.
    pub skipped: Option<u64>,
    /// The failures, in the order in which the runner tells them.
    pub failures: Vec<Failure>,
    /// How many more there are, of very many.
    pub more: usize,
    /// The first and the last line of the output in which each runner says so, from 1.
    pub lines: Vec<(u64, u64)>,
    /// Whether a part of what the runner prints is missing: the counts are those of the rest.
    pub is_partial: bool,
}

impl Summary {
    /// Both as one.
    fn and(mut self, other: Self) -> Self {
        self.runner = format!("{} and {}", self.runner, other.runner);
        self.passed = sum(self.passed, other.passed);
        self.skipped = sum(self.skipped, other.skipped);
        self.failed += other.failed;
        self.failures.extend(other.failures);
        self.more += other.more;
        self.lines.extend(other.lines);
        self.is_partial |= other.is_partial;
        self
    }

    /// Failures with the same message at the same place, those of one cause together, in the order in
    /// which the first of each is told.
    pub fn causes(&self) -> Vec<Vec<&Failure>> {
        let mut causes: Vec<Vec<&Failure>> = Vec::new();
        let mut places = HashMap::new();
        for failure in &self.failures {
            let cause = (&failure.message, &failure.place);
            // Of a message without a place nobody knows whether it is the same.
            if failure.message.is_empty() || failure.place.is_none() {
                causes.push(vec![failure]);
                continue;
            }
            match *places.entry(cause).or_insert(causes.len()) {
                at if at < causes.len() => causes[at].push(failure),
                _ => causes.push(vec![failure]),
            }
        }
        causes
    }
}

/// A test that failed, or what kept tests from running.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failure {
    /// The name as the runner takes it, or the heading of a compiler's message.
    pub name: String,
    /// The first lines of the message; empty if there is none.
    pub message: String,
    /// File and 1-based line, as `path:line` with whatever column follows.
    pub place: Option<String>,
    /// The calls that led there, if the runner tells and there is more than one; of a compiler's message
    /// the source that it shows.
    pub trace: String,
}

impl Failure {
    fn named(name: &str) -> Self {
        Self { name: cut(name, MESSAGE_BYTES).into_owned(), ..Self::default() }
    }

    /// Adds a line to the message, while there is room.
    fn say(&mut self, line: &str) {
        if line.trim().is_empty() || self.message.lines().count() >= MESSAGE_LINES {
            return;
        }
        if !self.message.is_empty() {
            self.message.push('\n');
        }
        self.message.push_str(&cut(line.trim(), MESSAGE_BYTES));
    }

    fn at(&mut self, place: &str) {
        self.place.get_or_insert_with(|| cut(place, MESSAGE_BYTES).into_owned());
    }
}

/// Adds a line as it is to a message or a trace, while there is room.
fn add(text: &mut String, line: &str) {
    if text.lines().count() >= WHOLE_LINES || text.is_empty() && line.is_empty() {
        return;
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(&cut(line, MESSAGE_BYTES));
}

/// The failures that a reader has met.
#[derive(Debug, Default)]
struct Failures {
    list: Vec<Failure>,
    /// Where each name is in the list.
    places: HashMap<String, usize>,
    /// Met when there was no more room.
    beyond: usize,
}

impl Failures {
    /// Where the failure of this name is in the list, a new one if it was not met; `None` if
    /// there is no more room.
    fn index(&mut self, name: &str) -> Option<usize> {
        let known = self.places.get(name).copied();
        if known.is_none() && self.list.len() == REMEMBERED {
            self.beyond += 1;
            return None;
        }
        Some(known.unwrap_or_else(|| {
            self.list.push(Failure::named(name));
            self.places.insert(name.to_owned(), self.list.len() - 1);
            self.list.len() - 1
        }))
    }

    fn entry(&mut self, name: &str) -> Option<&mut Failure> {
        self.index(name).map(|at| &mut self.list[at])
    }

    /// Adds a failure, also of a name that was met; false if there is no more room.
    fn add(&mut self, name: &str) -> bool {
        let fits = self.list.len() < REMEMBERED;
        match fits {
            true => self.list.push(Failure::named(name)),
            false => self.beyond += 1,
        }
        fits
    }

    fn last(&mut self) -> Option<&mut Failure> {
        self.list.last_mut()
    }

    /// The summary of these failures; `failed` is what the runner counted.
    fn told(self, runner: &'static str, counts: Counts) -> Summary {
        Summary {
            runner: runner.to_owned(),
            passed: counts.passed,
            failed: counts.failed,
            skipped: counts.skipped,
            more: self.beyond,
            failures: self.list,
            lines: Vec::new(),
            is_partial: false,
        }
    }

    /// The summary of these failures, of which none is left out where one of several runs ended before it
    /// counted.
    fn told_all(self, runner: &'static str, counts: Counts) -> Summary {
        let failed = counts.failed.max((self.list.len() + self.beyond) as u64);
        self.told(runner, Counts { failed, ..counts })
    }

    /// The summary without what the runner counted, which was not printed.
    fn partial(self, runner: &'static str) -> Summary {
        let failed = (self.list.len() + self.beyond) as u64;
        let counts = Counts { failed, ..Counts::default() };
        Summary { is_partial: true, ..self.told(runner, counts) }
    }
}

/// What is known of two counts together.
fn sum(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    one.zip(other).map(|(one, other)| one + other).or(one).or(other)
}

/// What a runner counted.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    passed: Option<u64>,
    failed: u64,
    skipped: Option<u64>,
}

impl Counts {
    /// For runners that leave out what is zero.
    fn zero() -> Self {
        Self { passed: Some(0), failed: 0, skipped: Some(0) }
    }

    /// With what another run of the same runner counted.
    fn and(self, before: Option<Self>) -> Self {
        let Some(before) = before else { return self };
        Self {
            passed: sum(self.passed, before.passed),
            failed: self.failed + before.failed,
            skipped: sum(self.skipped, before.skipped),
        }
    }

    /// Adds `2 failed` and the like; whether the word is one of a runner's.
    fn add(&mut self, part: &str) -> bool {
        let Some((number, word)) = part.trim().split_once(' ') else { return false };
        let Ok(number) = number.parse::<u64>() else { return false };
        match word.split(' ').next().unwrap_or_default() {
            "passed" | "xpassed" => *self.passed.get_or_insert(0) += number,
            "failed" | "error" | "errors" | "timed" | "exec" => self.failed += number,
            "skipped" | "ignored" | "todo" | "xfailed" => {
                *self.skipped.get_or_insert(0) += number;
            }
            "total" | "deselected" | "warning" | "warnings" | "measured" | "filtered" => {}
            _ => return false,
        }
        true
    }
}

/// Reads the words of one runner.
trait Reader {
    /// The next line, without its end; whether it is this runner's for sure.
    fn line(&mut self, line: &str) -> bool;
    /// What was read, if it was this runner's.
    fn told(self: Box<Self>) -> Option<Summary>;
}

/// Reads both streams of a test run whole. `None` if no runner's words are in them.
pub fn summarize(stdout: &Output, stderr: &Output) -> Option<Summary> {
    let mut readers: Vec<Box<dyn Reader>> = vec![
        Box::new(cargo::Nextest::default()),
        Box::new(cargo::Cargo::default()),
        Box::new(python::Pytest::default()),
        Box::new(python::Unittest::default()),
        Box::new(javascript::Jest::default()),
        Box::new(javascript::Vitest::default()),
        Box::new(node::Node::default()),
        Box::new(go::Go::default()),
    ];
    let mut own: Vec<Option<(u64, u64)>> = vec![None; readers.len()];
    for (stream, above) in [(stdout, 0), (stderr, stdout.lines)] {
        stream.each_line(|number, line| {
            for (at, (reader, own)) in readers.iter_mut().zip(&mut own).enumerate() {
                if reader.line(line) {
                    own.get_or_insert((above + number, 0)).1 = above + number;
                    // Nextest shows what `cargo test` says of each test that failed.
                    if at == 0 {
                        break;
                    }
                }
            }
        });
    }
    let all = readers
        .into_iter()
        .zip(own)
        .filter_map(|(reader, own)| Some(Summary { lines: Vec::from_iter(own), ..reader.told()? }));
    all.reduce(Summary::and)
}

/// Whether a word is `path:line`, with or without a column.
fn is_place(word: &str) -> bool {
    let mut parts = word.splitn(2, ':');
    let path = parts.next().unwrap_or_default();
    let line = parts.next().unwrap_or_default().split(':').next().unwrap_or_default();
    let number = !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
    number && path.contains('.') && !path.is_empty()
}
