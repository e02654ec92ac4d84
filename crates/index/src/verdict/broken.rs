//! Which invalid places of a file are those of a change.

use syntax::{Language, Parsed};

use super::{Spot, Touched};
use crate::symbols::language_of;

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

/// Whether a change of C or C++ has words that may be macros, and as many brackets as it should: it
/// may be valid by what the macros stand for.
pub(super) fn has_macros(file: &Touched<'_>) -> bool {
    let Some(after) = file.after else { return false };
    let before = file.before.unwrap_or_default();
    if !matches!(language_of(file.path, after), Some(Language::C | Language::Cpp)) {
        return false;
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let (head, tail) = files::edit::common(&old, &new);
    let is_macro = |word: &str| {
        let is_loud = word.len() > 2 && word.chars().all(|c| c.is_uppercase() || c == '_');
        is_loud || word.starts_with("__")
    };
    let open = |lines: &[&str]| {
        let count = |mark: char| lines.iter().map(|line| line.matches(mark).count()).sum();
        ['(', ')', '[', ']', '{', '}'].map(count) as [usize; 6]
    };
    let changed = &new[head..new.len() - tail];
    let (was, is) = (open(&old[head..old.len() - tail]), open(changed));
    let is_even = |at: usize| was[at] + is[at + 1] == was[at + 1] + is[at];
    let words = |line: &&str| line.split(|c: char| !c.is_alphanumeric() && c != '_').any(is_macro);
    changed.iter().any(words) && [0, 2, 4].into_iter().all(is_even)
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
