//! Jest and Vitest.

use super::{Counts, Failures, Reader, Summary};

/// How many of the lines after a heading may hold the reason.
const REASON: usize = 60;

#[derive(Debug, Default)]
pub(super) struct Jest {
    failures: Failures,
    counts: Option<Counts>,
    file: String,
    current: Option<usize>,
    /// The reason goes on until the source is shown.
    saying: bool,
}

impl Reader for Jest {
    fn line(&mut self, line: &str) -> bool {
        let plain = line.trim();
        if let Some(file) = line.strip_prefix("FAIL ") {
            file.trim().clone_into(&mut self.file);
        } else if let Some(totals) = line.strip_prefix("Tests: ") {
            let mut counts = Counts::zero();
            if totals.split(", ").all(|part| counts.add(part)) {
                self.counts = Some(counts.and(self.counts));
            }
            self.current = None;
        } else if let Some(name) = line.strip_prefix("  ● ") {
            let suite = name == "Test suite failed to run";
            let name = if suite { format!("{}: {name}", self.file) } else { name.to_owned() };
            let known = self.failures.list.iter().any(|failure| failure.name == name);
            self.current = if known { None } else { self.failures.index(&name) };
            self.saying = self.current.is_some();
        } else if let Some(at) = self.current {
            let failure = &mut self.failures.list[at];
            if let Some(at) = plain.strip_prefix("at ") {
                let place =
                    at.rsplit_once('(').map_or(at, |(_, place)| place.trim_end_matches(')'));
                if !place.contains("node_modules") && !place.starts_with("node:") {
                    failure.at(place);
                }
                self.saying = false;
            } else if is_source(plain) {
                self.saying = false;
            } else if self.saying {
                failure.say(plain);
            }
        } else {
            return ["PASS ", "Test Suites: ", "Snapshots: ", "Time: "]
                .iter()
                .any(|word| line.starts_with(word));
        }
        true
    }

    fn told(self: Box<Self>) -> Option<Summary> {
        let Some(counts) = self.counts else {
            let some = !self.file.is_empty() && !self.failures.list.is_empty();
            return some.then(|| self.failures.partial("jest"));
        };
        Some(self.failures.told_all("jest", counts))
    }
}

/// A line of a listing, such as `> 4 |   test(…)`.
fn is_source(line: &str) -> bool {
    let line = line.strip_prefix("> ").unwrap_or(line).trim_start();
    line.split_once('|')
        .is_some_and(|(number, _)| number.trim().bytes().all(|b| b.is_ascii_digit()))
}

#[derive(Debug, Default)]
pub(super) struct Vitest {
    failures: Failures,
    counts: Option<Counts>,
    current: Option<(usize, usize)>,
}

impl Reader for Vitest {
    fn line(&mut self, line: &str) -> bool {
        let plain = line.trim();
        if let Some(name) = line.strip_prefix(" FAIL  ") {
            self.current = self.failures.index(name).map(|at| (at, 0));
        } else if let Some(totals) = plain.strip_prefix("Tests ") {
            let totals = totals.rsplit_once(" (").map_or(totals, |(totals, _)| totals);
            let mut counts = Counts::zero();
            if totals.split('|').all(|part| counts.add(part)) {
                self.counts = Some(counts.and(self.counts));
            }
            self.current = None;
        } else if let Some((at, seen)) = &mut self.current {
            let failure = &mut self.failures.list[*at];
            *seen += 1;
            if let Some(place) = plain.strip_prefix("❯ ") {
                let place = place.rsplit(' ').next().unwrap_or(place);
                if !place.contains("node_modules") {
                    failure.at(place);
                }
            } else if *seen == 1 {
                failure.say(plain);
            }
            if *seen > REASON || failure.place.is_some() {
                self.current = None;
            }
        } else {
            return [" RUN  ", " Test Files ", "   Start at ", "   Duration "]
                .iter()
                .any(|word| line.starts_with(word));
        }
        true
    }

    fn told(self: Box<Self>) -> Option<Summary> {
        let Some(counts) = self.counts else {
            let some = !self.failures.list.is_empty();
            return some.then(|| self.failures.partial("vitest"));
        };
        Some(self.failures.told_all("vitest", counts))
    }
}
