//! Whether a command line starts what tests or compiles, whose words [`super::summarize`] knows.
//! A `cat` of an old log has the same words, and is wanted as it is.

/// Programs that test or compile, or start others that do.
const REPORTING: &[&str] = &[
    "bazel",
    "bun",
    "bunx",
    "cargo",
    "go",
    "gotestsum",
    "jest",
    "just",
    "make",
    "mocha",
    "node",
    "nox",
    "npm",
    "npx",
    "pdm",
    "pnpm",
    "poetry",
    "py.test",
    "pytest",
    "python",
    "python3",
    "rye",
    "tox",
    "uv",
    "vitest",
    "yarn",
];

/// Words before the name of the program that is meant.
const BEFORE: &[&str] = &["command", "env", "exec", "nice", "time", "timeout", "xvfb-run"];

/// Programs that run the script they are given.
const SHELLS: &[&str] = &[".", "bash", "dash", "ksh", "sh", "source", "zsh"];

/// Words of a command that tests.
const TESTING: &[&str] =
    &["jest", "mocha", "nextest", "py.test", "pytest", "test", "tests", "unittest", "vitest"];

/// Programs that show a part of what another printed.
const FILTERS: &[&str] = &["awk", "cut", "egrep", "grep", "head", "rg", "sed", "tail"];

/// Whether one of the commands of a shell line is such a program, or a script, which may start one.
pub fn reports(line: &str) -> bool {
    line.split(['\n', ';', '&', '|', '(', ')']).any(|part| {
        let mut words = words(part);
        let Some(first) = words.next() else { return false };
        let next = words.next().map(|word| word.trim_matches(['\'', '"']));
        match SHELLS.contains(&name(first)) {
            true if part.contains(" -c") => next.is_some_and(may_report),
            true => next.is_some(),
            false => may_report(first),
        }
    })
}

fn may_report(program: &str) -> bool {
    let of_system = ["/bin/", "/usr/"].iter().any(|dir| program.starts_with(dir));
    REPORTING.contains(&name(program)) || program.contains('/') && !of_system
}

/// The program of a command and its arguments, without options.
fn words(part: &str) -> impl Iterator<Item = &str> {
    part.split_whitespace().filter(|word| {
        let numeric = word.starts_with(|c: char| c.is_ascii_digit());
        !(word.contains('=') || word.starts_with('-') || numeric || BEFORE.contains(word))
    })
}

fn name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// Whether a shell line is one command that tests or compiles and nothing else, but for where it
/// runs. What a script does besides is not known.
pub fn is_alone(line: &str) -> bool {
    let line = line.trim().replace("2>&1", "");
    let rest = match line.strip_prefix("cd ").and_then(|rest| rest.split_once("&&")) {
        Some((_, rest)) => rest,
        None => &line,
    };
    let is_known = words(rest).next().is_some_and(|first| REPORTING.contains(&name(first)));
    is_known && !rest.contains(['\n', ';', '&', '|', '(', ')', '<', '>', '`'])
}

/// The part of a shell line that tests, if what it prints goes through a program such as `head`,
/// which may leave out the result.
pub fn unfiltered(line: &str) -> Option<&str> {
    let mut rest = line;
    while let Some((left, right)) = rest.rsplit_once('|') {
        let filter = right.trim_start_matches('&').split([' ', ';', '&', '\n']);
        let filter = filter.map(str::trim).find(|word| !word.is_empty());
        if left.ends_with('|') || !filter.is_some_and(|filter| FILTERS.contains(&filter)) {
            break;
        }
        rest = left.trim_end();
    }
    let mut before = "";
    let mut all = rest.split(|c: char| c.is_whitespace() || ";&|()".contains(c));
    let tests = |word| {
        let of_node = std::mem::replace(&mut before, word) == "node" && word.starts_with("--test");
        of_node || TESTING.contains(&name(word))
    };
    let tests = reports(rest) && all.any(tests);
    (rest.len() < line.len() && tests).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::{is_alone, reports, unfiltered};

    #[test]
    fn what_else_a_line_does_is_seen() {
        for line in ["cargo test", "cd a && CI=1 pytest -q 2>&1", " npm test\n"] {
            assert!(is_alone(line), "{line}");
        }
        for line in [
            "pytest | tail -4",
            "pytest; git log",
            "pytest && ls",
            "cd a && pytest && ls",
            "./ci.sh",
            "sh ci.sh",
        ] {
            assert!(!is_alone(line), "{line}");
        }
    }

    #[test]
    fn what_tests_is_told_from_what_shows_an_old_log() {
        for line in [
            "cargo test",
            "cd a && RUST_LOG=debug timeout 60 cargo nextest run 2>&1 | tail -5",
            ".venv/bin/pytest -q",
            "time npm test",
            "./ci.sh fast",
            "bash -e ci.sh",
            ". ./ci.sh",
            "sh -c 'cargo test'",
        ] {
            assert!(reports(line), "{line}");
        }
        for line in [
            "cat cargo.log",
            "/bin/cat cargo.log",
            "sh -c 'cat cargo.log'",
            "grep -r pytest .",
            "echo make",
            "git log",
            "sh",
            "",
        ] {
            assert!(!reports(line), "{line}");
        }
    }

    #[test]
    fn what_goes_through_a_filter_is_found() {
        for (line, whole) in [
            ("pytest | head -5", "pytest"),
            ("cd a && cargo test 2>&1 | grep FAIL | head", "cd a && cargo test 2>&1"),
            ("npm test |& tail -3; git log", "npm test"),
            ("node --test | tail -5", "node --test"),
            ("pytest -k 'a|b' | head", "pytest -k 'a|b'"),
        ] {
            assert_eq!(unfiltered(line), Some(whole), "{line}");
        }
        for line in
            ["pytest", "pytest || tail log", "cargo build | tail", "cat test | head", "ls | head"]
        {
            assert_eq!(unfiltered(line), None, "{line}");
        }
    }
}
