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

/// Whether one of the commands of a shell line is such a program.
pub fn reports(line: &str) -> bool {
    line.split(['\n', ';', '&', '|', '(', ')']).any(|part| {
        let words = part.split_whitespace().filter(|word| {
            let numeric = word.starts_with(|c: char| c.is_ascii_digit());
            !(word.contains('=') || word.starts_with('-') || numeric || BEFORE.contains(word))
        });
        let name = words.map(|word| word.rsplit('/').next().unwrap_or(word)).next();
        name.is_some_and(|name| REPORTING.contains(&name))
    })
}

/// Whether a shell line is one command and nothing else, but for where it runs.
pub fn is_alone(line: &str) -> bool {
    let line = line.trim().replace("2>&1", "");
    let rest = match line.strip_prefix("cd ").and_then(|rest| rest.split_once("&&")) {
        Some((_, rest)) => rest,
        None => &line,
    };
    !rest.contains(['\n', ';', '&', '|', '(', ')', '<', '>', '`'])
}

#[cfg(test)]
mod tests {
    use super::{is_alone, reports};

    #[test]
    fn what_else_a_line_does_is_seen() {
        for line in ["cargo test", "cd a && CI=1 pytest -q 2>&1", " npm test\n"] {
            assert!(is_alone(line), "{line}");
        }
        for line in ["pytest | tail -4", "pytest; git log", "pytest && ls", "cd a && pytest && ls"]
        {
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
        ] {
            assert!(reports(line), "{line}");
        }
        for line in ["cat cargo.log", "grep -r pytest .", "echo make", "git log", ""] {
            assert!(!reports(line), "{line}");
        }
    }
}
