//! pytest, and the test runner that comes with Python.

use super::{Counts, Failure, Failures, Reader, Summary, is_place};

#[derive(Debug, Default)]
pub(super) struct Pytest {
    counts: Option<Counts>,
    /// By the titles that stand above the traces.
    traces: Failures,
    in_trace: bool,
    /// By the names that pytest takes.
    failures: Failures,
}

impl Reader for Pytest {
    fn line(&mut self, line: &str) {
        if let Some(title) = title(line, '_') {
            self.in_trace = self.traces.entry(title).is_some();
        } else if title(line, '=').is_some() {
            self.in_trace = false;
        }
        let plain = line.trim_matches(['=', ' ']);
        if let Some((totals, _)) = plain.rsplit_once(" in ").filter(|(_, time)| is_time(time)) {
            let mut counts = Counts::zero();
            if totals.split(", ").all(|part| counts.add(part)) {
                self.counts = Some(counts);
            }
        }
        let listed = line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR "));
        if let Some(listed) = listed.filter(|listed| listed.contains(".py")) {
            let (name, message) = listed.split_once(" - ").unwrap_or((listed, ""));
            if let Some(failure) = self.failures.entry(name) {
                failure.say(message);
            }
        }
        if self.in_trace
            && let Some(trace) = self.traces.last()
        {
            if let Some(error) = line.strip_prefix("E   ") {
                trace.say(error.trim_start());
            } else if let Some(word) = line.split(' ').next()
                && let Some(place) = word.strip_suffix(':').filter(|place| is_place(place))
            {
                trace.place = Some(place.to_owned()); // the last one is where it was raised
            }
        }
    }

    fn told(mut self: Box<Self>) -> Option<Summary> {
        let counts = self.counts?;
        for failure in &mut self.failures.list {
            // `a.py::Class::test[1]` is above its trace as `Class.test[1]`.
            let (file, name) = failure.name.split_once("::").unwrap_or(("", &failure.name));
            let title = name.replace("::", ".");
            let fits = |trace: &&Failure| {
                let about = trace.name.strip_prefix("ERROR ").and_then(|t| t.rsplit(' ').next());
                about.unwrap_or(&trace.name) == title
            };
            let in_file = |trace: &&Failure| {
                trace.place.as_ref().is_some_and(|place| place.starts_with(file))
            };
            let traces = &self.traces.list;
            let trace = traces.iter().find(|trace| fits(trace) && in_file(trace));
            if let Some(trace) = trace.or_else(|| traces.iter().find(fits)) {
                failure.place.clone_from(&trace.place);
                if !trace.message.is_empty() {
                    failure.message.clone_from(&trace.message);
                }
            }
        }
        let listed = !self.failures.list.is_empty();
        Some(if listed { self.failures } else { self.traces }.told("pytest", counts))
    }
}

/// `test_a` of `____ test_a ____`.
fn title(line: &str, frame: char) -> Option<&str> {
    let inner = line.strip_prefix(frame)?.strip_suffix(frame)?.trim_matches(frame);
    inner.strip_prefix(' ')?.strip_suffix(' ')
}

fn is_time(text: &str) -> bool {
    let seconds = text.split(' ').next().unwrap_or_default().strip_suffix('s');
    seconds.is_some_and(|seconds| seconds.parse::<f64>().is_ok())
}

#[derive(Debug, Default)]
pub(super) struct Unittest {
    failures: Failures,
    ran: Option<u64>,
    counts: Option<Counts>,
    ruled: bool,
    reading: bool,
}

impl Reader for Unittest {
    fn line(&mut self, line: &str) {
        let ruled = std::mem::replace(&mut self.ruled, line.starts_with("=========="));
        let heading = line.strip_prefix("FAIL: ").or_else(|| line.strip_prefix("ERROR: "));
        if ruled && let Some(name) = heading {
            self.reading = self.failures.entry(name).is_some();
        } else if let Some(ran) = line.strip_prefix("Ran ") {
            self.ran = ran.split(' ').next().and_then(|number| number.parse().ok());
            self.reading = false;
        } else if self.ran.is_some() && (line.starts_with("FAILED (") || line.starts_with("OK")) {
            let mut counts = Counts { skipped: Some(0), ..Counts::default() };
            let inner = line.split_once('(').map_or("", |(_, inner)| inner.trim_end_matches(')'));
            for (word, number) in inner.split(", ").filter_map(|part| part.split_once('=')) {
                let number: u64 = number.parse().unwrap_or_default();
                match word {
                    "failures" | "errors" | "unexpected successes" => counts.failed += number,
                    "skipped" | "expected failures" => *counts.skipped.get_or_insert(0) += number,
                    _ => {}
                }
            }
            let others = counts.failed + counts.skipped.unwrap_or_default();
            counts.passed = self.ran.map(|ran| ran.saturating_sub(others));
            self.counts = Some(counts);
        } else if self.reading
            && let Some(failure) = self.failures.last()
        {
            if let Some((file, rest)) =
                line.trim_start().strip_prefix("File \"").and_then(|l| l.split_once("\", line "))
            {
                let number = rest.split(',').next().unwrap_or_default();
                failure.place = Some(format!("{file}:{number}"));
            } else if !line.starts_with([' ', '-']) && line != "Traceback (most recent call last):"
            {
                failure.say(line);
            }
        }
    }

    fn told(self: Box<Self>) -> Option<Summary> {
        Some(self.failures.told("unittest", self.counts?))
    }
}
