//! Which invalid places of a file are those of a change.

use syntax::Parsed;

use super::{Spot, Touched};

/// Of the invalid places, each with its last line, those that the change made: those in the changed
/// lines; else the changed line, if it is within one; else the nearest. What the grammar makes of a
/// text that is not valid begins and ends far from the reason.
pub(super) fn of_change(file: &Touched<'_>, broken: Vec<(Spot, usize)>) -> Vec<Spot> {
    let spot = |(spot, _)| spot;
    let (Some(before), Some(after)) = (file.before, file.after) else {
        return broken.into_iter().map(spot).collect();
    };
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let (head, tail) = files::edit::common(&old, &new);
    let (first, last) = (head + 1, new.len() - tail);
    let is_changed = |(spot, _): &(Spot, usize)| (first..=last).contains(&spot.line);
    let (changed, others): (Vec<_>, Vec<_>) = broken.into_iter().partition(is_changed);
    if !changed.is_empty() {
        return changed.into_iter().map(spot).collect();
    }
    let mut spans = others.iter().map(|(spot, end)| spot.line..=*end);
    if first <= last && spans.any(|span| span.contains(&first)) {
        let text = fault::cut(new[first - 1].trim(), 120).into_owned();
        return vec![Spot { path: file.path.to_owned(), line: first, text }];
    }
    let nearest = others.into_iter().min_by_key(|(spot, _)| spot.line.abs_diff(first));
    nearest.map(spot).into_iter().collect()
}

/// Invalid places with the text of their lines, and their last lines.
pub(super) fn spots(path: &str, text: &str, parsed: &Parsed<'_>) -> Vec<(Spot, usize)> {
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
        (Spot { path: path.to_owned(), line: at, text }, broken.end)
    };
    parsed.broken().into_iter().map(spot).collect()
}
