//! pytest, and the test runner that comes with Python.

use super::{Counts, Failure, Failures, Reader, Summary, add, is_place};

#[derive(Debug, Default)]
pub(super) struct Pytest {
    counts: Option<Counts>,
    /// By the titles that stand above the traces; tests of two files may have the same.
    traces: Failures,
    in_trace: bool,
    /// By the names that pytest takes.
    failures: Failures,
    /// Something was printed that no other program prints.
    is_sure: bool,
}

impl Reader for Pytest {
    fn line(&mut self, line: &str) -> bool {
        let mut own = self.in_trace;
        if let Some(title) = title(line, '_') {
            self.in_trace = self.traces.add(title);
            own = true;
        } else if let Some(title) = title(line, '=') {
            self.in_trace = false;
            own = true;
            let titles = ["test session starts", "FAILURES", "ERRORS", "short test summary info"];
            self.is_sure |= titles.contains(&title);
        }
        let plain = line.trim_matches(['=', ' ']);
        if let Some((totals, _)) = plain.rsplit_once(" in ").filter(|(_, time)| is_time(time)) {
            let mut counts = Counts::zero();
            if totals.split(", ").all(|part| counts.add(part)) {
                self.counts = Some(counts.and(self.counts));
                own = true;
            }
        }
        let listed = line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR "));
        if let Some(listed) = listed.filter(|listed| listed.contains(".py")) {
            (own, self.is_sure) = (true, true);
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
        own
    }

    fn told(mut self: Box<Self>) -> Option<Summary> {
        if self.counts.is_none() && !self.is_sure {
            return None;
        }
        if self.failures.list.is_empty() {
            self.failures = self.traces;
        } else {
            self.failures.list.iter_mut().for_each(|failure| join(failure, &mut self.traces.list));
        }
        Some(match self.counts {
            Some(counts) => self.failures.told_all("pytest", counts),
            None => self.failures.partial("pytest"),
        })
    }
}

/// Takes what is said of a failure from the first trace that is its: they come in one order.
fn join(failure: &mut Failure, traces: &mut Vec<Failure>) {
    // `a.py::Class::test[1]` is above its trace as `Class.test[1]`.
    let (file, name) = failure.name.split_once("::").unwrap_or(("", &failure.name));
    let title = name.replace("::", ".");
    let fits = |trace: &Failure| {
        let about = trace.name.strip_prefix("ERROR ").and_then(|t| t.rsplit(' ').next());
        about.unwrap_or(&trace.name) == title
    };
    let in_file =
        |trace: &Failure| trace.place.as_ref().is_some_and(|place| place.starts_with(file));
    let own = traces.iter().position(|trace| fits(trace) && in_file(trace));
    let Some(at) = own.or_else(|| traces.iter().position(fits)) else { return };
    let trace = traces.remove(at);
    failure.place = trace.place;
    if !trace.message.is_empty() {
        failure.message = trace.message;
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
    /// What the next line of the last failure is.
    part: Part,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    None,
    /// Before the rule: its description.
    Heading,
    Trace,
    Message,
}

impl Reader for Unittest {
    fn line(&mut self, line: &str) -> bool {
        let ruled = std::mem::replace(&mut self.ruled, line.starts_with("=========="));
        let heading = line.strip_prefix("FAIL: ").or_else(|| line.strip_prefix("ERROR: "));
        if ruled && let Some(name) = heading {
            let fits = self.failures.add(&dotted(name));
            self.part = if fits { Part::Heading } else { Part::None };
        } else if let Some(ran) = line.strip_prefix("Ran ") {
            self.ran = ran.split(' ').next().and_then(|number| number.parse().ok());
            self.part = Part::None;
        } else if self.ran.is_some() && (line.starts_with("FAILED (") || line.starts_with("OK")) {
            self.counts = Some(self.totals(line).and(self.counts));
            self.ran = None;
        } else if self.ruled || line.starts_with("----------") {
            self.part = if self.part == Part::Heading { Part::Message } else { Part::None };
        } else if self.part != Part::None
            && let Some(failure) = self.failures.last()
        {
            self.part = part_of(failure, self.part, line);
        } else {
            return false;
        }
        true
    }

    fn told(mut self: Box<Self>) -> Option<Summary> {
        for failure in &mut self.failures.list {
            failure.message.truncate(failure.message.trim_end().len());
            failure.trace = without_loader(&failure.trace);
            // One call is the place that is told anyway.
            if failure.trace.matches("  File \"").count() < 2 {
                failure.trace.clear();
            }
        }
        match self.counts {
            Some(counts) => Some(self.failures.told_all("unittest", counts)),
            None if self.failures.list.is_empty() => None,
            None => Some(self.failures.partial("unittest")),
        }
    }
}

impl Unittest {
    fn totals(&self, line: &str) -> Counts {
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
        counts
    }
}

/// `test_a.Sums.test_one` of `test_one (test_a.Sums.test_one)`, also as Python before 3.11 has it, and
/// with what follows of a subtest; a file that could not be loaded by its own name.
fn dotted(heading: &str) -> String {
    let parts =
        heading.split_once(" (").and_then(|(name, rest)| Some((name, rest.split_once(')')?)));
    let Some((name, (path, rest))) = parts else { return heading.to_owned() };
    match path.strip_prefix("unittest.loader._FailedTest") {
        Some(_) => format!("{name}{rest}"),
        None if path.rsplit('.').next() == Some(name) => format!("{path}{rest}"),
        None => format!("{path}.{name}{rest}"),
    }
}

/// A trace without the calls inside of unittest's loader, which say nothing of the file.
fn without_loader(trace: &str) -> String {
    let (mut out, mut is_loader) = (String::new(), false);
    for line in
        trace.lines().filter(|line| !line.starts_with("ImportError: Failed to import test "))
    {
        if line.starts_with("  File \"") {
            is_loader = line.contains("/unittest/loader.py\"");
        }
        if !is_loader {
            add(&mut out, line);
        }
    }
    out
}

/// Takes the next line of a failure; what the one after it is.
fn part_of(failure: &mut Failure, part: Part, line: &str) -> Part {
    let is_frame = part == Part::Trace && line.starts_with("  ");
    if part == Part::Heading {
        return part;
    }
    if line == "Traceback (most recent call last):" {
        // What was raised before is not what the test failed with in the end.
        let earlier = std::mem::take(&mut failure.message);
        earlier.lines().for_each(|line| add(&mut failure.trace, line));
        return Part::Trace;
    }
    if !is_frame {
        add(&mut failure.message, line);
        return Part::Message;
    }
    add(&mut failure.trace, line);
    if let Some((file, rest)) =
        line.trim_start().strip_prefix("File \"").and_then(|l| l.split_once("\", line "))
    {
        let number = rest.split(',').next().unwrap_or_default();
        failure.place = Some(format!("{file}:{number}"));
    }
    part
}
