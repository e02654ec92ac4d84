//! `go test`, with `-v` and without.

use super::{Counts, Failure, Failures, Reader, Summary, is_place};

#[derive(Debug, Default)]
pub(super) struct Go {
    failures: Failures,
    /// What tests printed, by the name of the test.
    logs: Failures,
    current: Option<String>,
    /// Packages that were told of.
    packages: u64,
    passed: Option<u64>,
    skipped: Option<u64>,
    /// The package whose compiler speaks.
    compiling: Option<String>,
    panicking: bool,
}

impl Reader for Go {
    fn line(&mut self, line: &str) -> bool {
        let plain = line.trim_start();
        if let Some(rest) = line.strip_prefix("=== ") {
            let name = rest.split_whitespace().nth(1);
            self.current = name.map(str::to_owned);
            self.passed.get_or_insert(0);
            self.skipped.get_or_insert(0);
        } else if let Some(rest) = plain.strip_prefix("--- FAIL: ") {
            let name = rest.rsplit_once(" (").map_or(rest, |(name, _)| name);
            self.failures.entry(name);
            self.current = Some(name.to_owned());
        } else if plain.starts_with("--- PASS: ") {
            *self.passed.get_or_insert(0) += 1;
        } else if plain.starts_with("--- SKIP: ") {
            *self.skipped.get_or_insert(0) += 1;
        } else if line.starts_with("ok  \t") {
            self.end_package();
        } else if let Some(package) = line.strip_prefix("FAIL\t") {
            self.end_package();
            if package.ends_with(" failed]") {
                self.failures.entry(package);
            }
        } else if let Some(package) = line.strip_prefix("# ") {
            let name = package.split(' ').next().unwrap_or(package);
            self.compiling = Some(format!("{name} [build failed]"));
        } else if let Some(name) = &self.compiling {
            if is_place(plain.split(": ").next().unwrap_or_default())
                && let Some(failure) = self.logs.entry(name)
            {
                said(failure, plain);
            }
        } else if let Some(name) = &self.current {
            let place = plain.split(": ").next().unwrap_or_default();
            if line.starts_with("panic: ") && !self.panicking {
                self.panicking = true;
                if let Some(log) = self.logs.entry(name) {
                    log.message.clear();
                    log.say(line);
                }
            } else if self.panicking {
                let place = plain.split(" +0x").next().unwrap_or_default();
                let own = is_place(place) && place.contains("_test.go");
                if let Some(log) = own.then(|| self.logs.entry(name)).flatten() {
                    log.at(place);
                }
            } else if line.starts_with(' ')
                && is_place(place)
                && let Some(log) = self.logs.entry(name)
            {
                said(log, plain);
            }
        } else {
            return line == "FAIL";
        }
        true
    }

    fn told(mut self: Box<Self>) -> Option<Summary> {
        if self.packages == 0 && self.failures.list.is_empty() {
            return None;
        }
        let names: Vec<String> = self.failures.list.iter().map(|f| f.name.clone()).collect();
        // A test fails with its subtests; they are what is to be looked at.
        self.failures.list.retain(|failure| {
            let below = format!("{}/", failure.name);
            !names.iter().any(|name| name.starts_with(&below))
        });
        for failure in &mut self.failures.list {
            if let Some(log) = self.logs.list.iter().find(|log| log.name == failure.name) {
                failure.clone_from(log);
            }
        }
        let failed = (self.failures.list.len() + self.failures.beyond) as u64;
        let counts = Counts { passed: self.passed, failed, skipped: self.skipped };
        Some(self.failures.told("go test", counts))
    }
}

impl Go {
    fn end_package(&mut self) {
        self.packages += 1;
        self.current = None;
        self.panicking = false;
    }
}

/// Takes `a_test.go:9: what is wrong` apart.
fn said(failure: &mut Failure, line: &str) {
    let (place, message) = line.split_once(": ").unwrap_or((line, ""));
    failure.at(place);
    failure.say(message);
}
