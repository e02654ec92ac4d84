//! What git says of a repository, and what is done to it by git.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::dice::Dice;
use crate::place::Place;
use crate::{Result, said};

/// A path that differs: its letters, whether the next commit holds some of it, where it was before.
pub(super) type Changed = BTreeSet<(String, String, bool, Option<String>)>;

pub(super) fn git(place: &Place, words: &[&str]) -> Result<String> {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=soak", "-c", "user.email=soak@localhost", "-c", "gc.auto=0"]);
    command.args(words).current_dir(place.root()).stdin(Stdio::null());
    command.env("HOME", place.dir().join("home")).env("GIT_OPTIONAL_LOCKS", "0");
    let out = command.output().map_err(said)?;
    match out.status.success() {
        true => Ok(String::from_utf8_lossy(&out.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&out.stderr).into_owned()),
    }
}

/// One thing that git does; it may fail. What it was.
pub(super) fn act(place: &Place, file: &Path, dice: &mut Dice) -> String {
    let file = file.display().to_string();
    let dir = file.split('/').next().unwrap_or(".").to_owned();
    let branch = format!("b{}", dice.below(3));
    let words: &[&str] = match dice.below(12) {
        0 | 1 => &["add", "-A", &dir],
        2 => &["add", "-A", &file],
        3 | 4 => &["commit", "-qm", "some"],
        5 => &["commit", "-qam", "all"],
        6 => &["checkout", "-q", "HEAD", "--", &dir],
        7 => &["checkout", "-q", "-B", &branch],
        8 => &["checkout", "-q", &branch],
        9 => &["rm", "-q", "--cached", &file],
        10 => &["mv", &file, "moved.txt"],
        _ => &["reset", "-q"],
    };
    let done = git(place, words).is_ok();
    format!("git {}: {done}", words.join(" "))
}

/// The branch and what differs, as git says it.
pub(super) fn status(place: &Place) -> Result<(String, Changed)> {
    let text = git(place, &["status", "--porcelain=v2", "--branch", "-uall", "-z"])?;
    let (mut branch, mut changed) = (String::new(), Changed::new());
    let mut records = text.split('\0');
    while let Some(record) = records.next() {
        let (kind, rest) = record.split_once(' ').unwrap_or((record, ""));
        // What is before the path, in words.
        let before = match kind {
            "#" => {
                branch = rest.strip_prefix("branch.head ").map_or(branch, str::to_owned);
                continue;
            }
            "?" => {
                changed.insert((rest.to_owned(), "??".to_owned(), false, None));
                continue;
            }
            "1" => 7,
            "2" => 8,
            "u" => 9,
            _ => continue,
        };
        let (letters, path) = (&rest[..2], rest.splitn(before + 1, ' ').last().unwrap_or_default());
        let from = (kind == "2").then(|| records.next().unwrap_or_default().to_owned());
        let staged = kind != "u" && !letters.starts_with('.');
        changed.insert((path.to_owned(), letters.replace('.', ""), staged, from));
    }
    Ok((branch, changed))
}

/// The same of an answer of Floyd's.
pub(super) fn told(answer: &Value) -> (String, Changed) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let changed = answer["files"].as_array().into_iter().flatten().map(|file| {
        let from = file["from"].as_str().map(str::to_owned);
        (text(&file["path"]), text(&file["status"]), file["staged"] == true, from)
    });
    (text(&answer["current"]), changed.collect())
}
