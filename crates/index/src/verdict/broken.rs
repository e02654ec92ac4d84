//! Which invalid places of a file are those of a change.

use std::collections::BTreeSet;

use syntax::{Language, Parsed};

use super::{Spot, Touched};
use crate::symbols::language_of;

/// Macros of C that stand for values.
const VALUES: [&str; 12] = [
    "BUFSIZ",
    "DIR",
    "EINTR",
    "EINVAL",
    "ENOMEM",
    "EOF",
    "EXIT_FAILURE",
    "EXIT_SUCCESS",
    "FALSE",
    "FILE",
    "NULL",
    "TRUE",
];

/// An invalid place of a file.
pub(super) struct Invalid {
    pub(super) spot: Spot,
    /// Its last line.
    end: usize,
    /// It was valid in Python 2.
    pub(super) is_old: bool,
}

/// Of the invalid places those that the change made: those in the changed lines; else the changed
/// line, if it is within one; else the nearest. What the grammar makes of a text that is not valid
/// begins and ends far from the reason.
pub(super) fn of_change(file: &Touched<'_>, broken: Vec<Invalid>) -> Vec<Spot> {
    let spot = |invalid: Invalid| invalid.spot;
    let (Some(before), Some(after)) = (file.before, file.after) else {
        return broken.into_iter().map(spot).collect();
    };
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let (head, tail) = files::edit::common(&old, &new);
    let (first, last) = (head + 1, new.len() - tail);
    let is_changed = |invalid: &Invalid| (first..=last).contains(&invalid.spot.line);
    let (changed, others): (Vec<_>, Vec<_>) = broken.into_iter().partition(is_changed);
    if !changed.is_empty() {
        return changed.into_iter().map(spot).collect();
    }
    let mut spans = others.iter().map(|invalid| invalid.spot.line..=invalid.end);
    if first <= last && spans.any(|span| span.contains(&first)) {
        let text = fault::cut(new[first - 1].trim(), 120).into_owned();
        return vec![Spot { path: file.path.to_owned(), line: first, text }];
    }
    let nearest = others.into_iter().min_by_key(|invalid| invalid.spot.line.abs_diff(first));
    nearest.map(spot).into_iter().collect()
}

/// The invalid places of C or C++, if none of them may be so by what a macro stands for: there is no
/// word like one near, or the change does not close as many brackets as it opens.
pub(super) fn without_macros(file: &Touched<'_>, broken: Vec<Invalid>) -> Vec<Invalid> {
    let Some(after) = file.after.filter(|_| !broken.is_empty()) else { return broken };
    let before = file.before.unwrap_or_default();
    if !matches!(language_of(file.path, after), Some(Language::C | Language::Cpp)) {
        return broken;
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let (head, tail) = files::edit::common(&old, &new);
    let open = |lines: &[&str]| {
        let count = |mark: char| lines.iter().map(|line| line.matches(mark).count()).sum();
        ['(', ')', '[', ']', '{', '}'].map(count) as [usize; 6]
    };
    let (was, is) = (open(&old[head..old.len() - tail]), open(&new[head..new.len() - tail]));
    let is_even = |at: usize| was[at] + is[at + 1] == was[at + 1] + is[at];
    // Branches may open what just one of them closes.
    let has_branches = new[head..new.len() - tail].iter().any(|line| line.starts_with("#if"));
    if ![0, 2, 4].into_iter().all(is_even) && !has_branches {
        return broken;
    }
    // A header may be of C++ though it is called like one of C.
    let is_other = |line: &&str| {
        ["template", "namespace ", "class ", "using "]
            .iter()
            .any(|word| line.trim_start().starts_with(word))
    };
    if file.path.ends_with(".h") && new.iter().any(is_other) {
        return Vec::new();
    }
    let values = constants(&new);
    let is_macro = |word: &str| {
        let is_loud = word.len() > 2
            && word.starts_with(|c: char| c.is_uppercase() || c == '_')
            && word.chars().all(|c| c.is_uppercase() || c.is_numeric() || c == '_');
        let is_value = values.contains(word)
            || VALUES.contains(&word)
            || ["_MAX", "_MIN"].iter().any(|end| word.ends_with(end));
        let is_loop = word.contains("for_each") || word.contains("foreach");
        (is_loud || is_loop || word.starts_with("__")) && !is_value
    };
    let has_macro =
        |line: &&str| line.split(|c: char| !c.is_alphanumeric() && c != '_').any(is_macro);
    let is_near = |invalid: &Invalid| {
        // The line before is the head of what is invalid.
        let first = invalid.spot.line.saturating_sub(2);
        let last = invalid.end.max(invalid.spot.line).min(new.len());
        new[first.min(last)..last].iter().any(has_macro)
    };
    // What one macro confuses goes on behind it.
    if broken.iter().any(is_near) { Vec::new() } else { broken }
}

/// The names that a file of C defines as plain values.
fn constants<'t>(lines: &[&'t str]) -> BTreeSet<&'t str> {
    let values = lines.iter().filter_map(|line| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?;
        let (name, value) = rest.trim().split_once([' ', '\t'])?;
        let is_value = |c: char| c.is_alphanumeric() || " ._()+-*/<>|&~\"'".contains(c);
        let first = value.trim().chars().next()?;
        let is_plain = first.is_numeric() || "(\"'-".contains(first);
        (!name.contains('(') && is_plain && value.chars().all(is_value)).then_some(name)
    });
    values.collect()
}

/// Invalid places with the text of their lines.
pub(super) fn spots(path: &str, text: &str, parsed: &Parsed<'_>) -> Vec<Invalid> {
    let lines: Vec<&str> = text.lines().collect();
    let spot = |broken: syntax::Broken| {
        // What is missing at the end is missing after the last line.
        let at = broken.line.min(lines.len().max(1));
        let line = lines.get(at - 1).map_or("", |line| line.trim());
        let line = fault::cut(line, 120);
        let text = match broken.missing {
            Some(missing) => format!("{line} (`{missing}` is missing)"),
            None => line.into_owned(),
        };
        let spot = Spot { path: path.to_owned(), line: at, text };
        Invalid { spot, end: broken.end, is_old: broken.is_old }
    };
    parsed.broken().into_iter().map(spot).collect()
}
