//! The test runner that comes with Node: as TAP, which it speaks where nobody looks at a terminal, and
//! in the words of its reporter `spec`.

use super::{Counts, Failure, Failures, Reader, Summary, is_place};

#[derive(Debug, Default)]
pub(super) struct Node {
    failures: Failures,
    /// The one that is being told.
    current: Option<Told>,
    /// What was printed since the last test: why a file could not be loaded.
    said: Failure,
    /// `spec` tells its failures once more at the end, with their places; the place of the next.
    at: Option<String>,
    is_end: bool,
    tests: Option<u64>,
    counts: Counts,
    /// The words of its totals that were seen; one alone may be another program's.
    words: usize,
}

/// A failure as far as it is told.
#[derive(Debug, Default)]
struct Told {
    failure: Failure,
    /// Only what is in it failed.
    is_outer: bool,
    /// The indent of what holds a message of several lines.
    message: Option<usize>,
}

impl Reader for Node {
    fn line(&mut self, line: &str) -> bool {
        let plain = line.trim();
        if let Some(count) = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ "))
            && self.count(count)
        {
            self.keep();
        } else if self.is_told(line) {
            self.of_failure(line);
        } else if let Some(name) = plain.strip_prefix("not ok ").and_then(tap_name) {
            self.current = Some(Told { failure: Failure::named(name), ..Told::default() });
        } else if plain == "✖ failing tests:" {
            self.is_end = true;
        } else if let Some(at) = line.strip_prefix("test at ").filter(|_| self.is_end) {
            self.at = Some(at.to_owned());
        } else if let Some(name) = plain.strip_prefix("✖ ").and_then(spec_name) {
            self.fails(name);
        } else if plain.strip_prefix("✔ ").is_some_and(|name| spec_name(name).is_some())
            || plain.strip_prefix("ok ").is_some_and(|name| tap_name(name).is_some())
        {
            self.said = Failure::default();
        } else {
            self.hear(plain.strip_prefix("# ").unwrap_or(plain));
            return line == "TAP version 13" || line.starts_with("# Subtest: ");
        }
        true
    }

    fn told(mut self: Box<Self>) -> Option<Summary> {
        self.keep();
        if self.tests.is_none() || self.counts.passed.is_none() {
            // The end of it, as `tail` leaves it.
            let is_end = self.words > 2 && self.counts.failed > 0;
            return is_end.then(|| self.failures.told("node --test", self.counts));
        }
        Some(self.failures.told("node --test", self.counts))
    }
}

impl Node {
    /// Takes one of the totals; whether it is one.
    fn count(&mut self, count: &str) -> bool {
        let Some((word, number)) = count.split_once(' ') else { return false };
        let number = number.parse::<f64>().map(|number| number as u64);
        match (word, number) {
            ("tests", Ok(number)) => *self.tests.get_or_insert(0) += number,
            ("pass", Ok(number)) => *self.counts.passed.get_or_insert(0) += number,
            ("fail" | "cancelled", Ok(number)) => self.counts.failed += number,
            ("skipped", Ok(number)) => *self.counts.skipped.get_or_insert(0) += number,
            ("suites" | "todo" | "duration_ms", Ok(_)) => {}
            _ => return false,
        }
        self.words += 1;
        true
    }

    /// A test that failed in the words of `spec`: while it runs, with what was said of a file that cannot
    /// be loaded, or again at the end.
    fn fails(&mut self, name: &str) {
        let said = std::mem::take(&mut self.said);
        let place = self.at.take();
        if place.is_none() && (said.message.is_empty() || !is_file(name)) {
            return;
        }
        let Some(known) = self.failures.entry(name) else { return };
        known.place = known.place.take().or(said.place).or(place);
        if !said.message.is_empty() {
            known.message = said.message;
        } else if known.message.is_empty() {
            let failure = known.clone();
            self.current = Some(Told { failure, message: Some(0), ..Told::default() });
        }
    }

    /// Whether a line is of the failure that is being told; `spec` ends it where the next begins.
    fn is_told(&mut self, line: &str) -> bool {
        let is_spec = self.current.as_ref().is_some_and(|told| told.message == Some(0));
        if is_spec && !line.is_empty() && !line.starts_with(' ') {
            self.keep();
        }
        self.current.is_some()
    }

    /// A line of the failure that is being told.
    fn of_failure(&mut self, line: &str) {
        let (plain, indent) = (line.trim(), line.len() - line.trim_start().len());
        let Some(Told { failure, is_outer, message }) = &mut self.current else { return };
        match message {
            // In the words of `spec`.
            Some(0) if plain.starts_with("at ") => self.keep(),
            Some(0) => failure.say(plain.trim_matches('\'')),
            Some(outer) if indent > *outer || plain.is_empty() => failure.say(plain),
            _ => {
                *message = None;
                let value = |text: &str| text.trim().trim_matches('\'').to_owned();
                match plain.split_once(": ").unwrap_or((plain, "")) {
                    ("error", "|-") => *message = Some(indent),
                    ("error", text) => failure.say(&value(text)),
                    ("location", place) => failure.at(&value(place)),
                    ("failureType", "'subtestsFailed'") => *is_outer = true,
                    ("...", _) => self.keep(),
                    _ => {}
                }
            }
        }
    }

    /// The failure that was told is whole.
    fn keep(&mut self) {
        let said = std::mem::take(&mut self.said);
        let Some(Told { mut failure, is_outer: false, .. }) = self.current.take() else { return };
        if failure.message == "test failed" && !said.message.is_empty() {
            let place = said.place.or(failure.place);
            failure = Failure { message: said.message, place, ..failure };
        }
        if let Some(entry) = self.failures.entry(&failure.name.clone()) {
            *entry = failure;
        }
    }

    /// A line of what Node says of a file that it cannot load, perhaps: where, and the error.
    fn hear(&mut self, line: &str) {
        let place = line.strip_prefix("file://").unwrap_or(line);
        let word = line.split([':', ' ']).next().unwrap_or_default();
        if line.starts_with("node:internal/") && !line.contains(' ') {
            self.said = Failure::default();
        } else if place.starts_with('/') && is_place(place) {
            self.said = Failure { place: Some(place.to_owned()), ..Failure::default() };
        } else if word.ends_with("Error") && line.contains(": ") && self.said.message.is_empty() {
            self.said.say(line);
        }
    }
}

/// Whether a name is that of a file, which fails as a test if it cannot be loaded.
fn is_file(name: &str) -> bool {
    let kinds = [".js", ".cjs", ".mjs", ".ts", ".cts", ".mts"];
    kinds.iter().any(|kind| name.ends_with(kind))
}

/// `sum` of `2 - sum`.
fn tap_name(rest: &str) -> Option<&str> {
    let (number, name) = rest.split_once(" - ")?;
    number.parse::<u64>().is_ok().then_some(name)
}

/// `sum` of `sum (1.5ms)`.
fn spec_name(rest: &str) -> Option<&str> {
    let (name, time) = rest.rsplit_once(" (")?;
    time.strip_suffix("ms)")?.parse::<f64>().is_ok().then_some(name)
}
