//! A place as callers write it: a path, with a range of lines or the name of a definition.

use files::Workspace;

/// Where to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place<'a> {
    /// The path; empty for a definition that may be anywhere in the project.
    pub(super) path: &'a str,
    pub(super) part: Part<'a>,
}

/// Which part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    Whole,
    /// From this line, from 1, up to and with that one, if it ends before the file does.
    Lines(usize, Option<usize>),
    /// The definition of this name.
    Symbol(&'a str),
}

impl<'a> Place<'a> {
    /// The place that was meant: a file whose name looks like a place is a file.
    pub(super) fn of(given: &'a str, workspace: &Workspace) -> Self {
        let place = Self::written(given);
        if place.part != Part::Whole && workspace.glance(given).is_some() {
            return Self { path: given, part: Part::Whole };
        }
        place
    }

    /// The place as it is written, whatever files there are.
    pub(super) fn written(given: &'a str) -> Self {
        if let Some((path, name)) = given.rsplit_once('#')
            && !name.is_empty()
        {
            return match github(name) {
                Some((first, last)) => Self { path, part: Part::Lines(first, Some(last)) },
                None => Self { path, part: Part::Symbol(name) },
            };
        }
        // A column behind the line, as compilers and grep print it.
        if let Some((rest, column)) = given.rsplit_once(':')
            && let Some((path, line)) = rest.rsplit_once(':')
            && let (Some(_), Ok(line @ 1..)) = (number(column), line.parse())
            && !path.is_empty()
        {
            return Self { path, part: Part::Lines(line, Some(line)) };
        }
        match given.rsplit_once(':').map(|(path, range)| (path, lines(range))) {
            Some((path, Some((first, last)))) if !path.is_empty() => {
                Self { path, part: Part::Lines(first, last) }
            }
            _ => Self { path: given, part: Part::Whole },
        }
    }
}

/// `10-40`, `10-` or `10`, which is one line, also as `L10-L40`; counted from 1.
pub(super) fn lines(range: &str) -> Option<(usize, Option<usize>)> {
    match range.split_once('-') {
        None => number(range).map(|line| (line, Some(line))),
        Some((first, "")) => Some((number(first)?, None)),
        Some((first, last)) => {
            let (first, last) = (number(first)?, number(last)?);
            (first <= last).then_some((first, Some(last)))
        }
    }
}

/// A range of lines in the words of others, such as `3..4`, `3:4`, `3, 4` or `lines 3 to 4`, as it is
/// written here; `None` if it is none.
pub(super) fn meant_lines(range: &str) -> Option<String> {
    let plain = range.trim().trim_start_matches("lines").trim_start_matches("line").trim();
    if lines(plain).is_some() {
        return Some(plain.replace('L', ""));
    }
    let ends = ["..=", "..", ":", ",", "–", "—", " to ", "-"];
    let (first, last) = ends.iter().find_map(|between| plain.split_once(between))?;
    let (first, last) = (first.trim(), last.trim());
    lines(&format!("{first}-{last}")).map(|_| format!("{first}-{last}").replace('L', ""))
}

fn number(text: &str) -> Option<usize> {
    text.trim_start_matches('L').parse().ok().filter(|line| *line > 0)
}

/// `L10-L40`, which GitHub puts behind the `#`.
fn github(name: &str) -> Option<(usize, usize)> {
    let (first, last) = name.strip_prefix('L')?.split_once('-')?;
    Some((number(first)?, number(last)?)).filter(|(first, last)| first <= last)
}

#[cfg(test)]
mod tests {
    use super::{Part, Place};

    #[test]
    fn a_place_is_a_path_with_lines_or_a_name() {
        let of = |given| {
            let place = Place::written(given);
            (place.path, place.part)
        };
        assert_eq!(of("a.rs"), ("a.rs", Part::Whole));
        assert_eq!(of("a.rs:10-40"), ("a.rs", Part::Lines(10, Some(40))));
        assert_eq!(of("a.rs:10-"), ("a.rs", Part::Lines(10, None)));
        assert_eq!(of("a.rs:7"), ("a.rs", Part::Lines(7, Some(7))));
        assert_eq!(of("a.rs#Stock.take"), ("a.rs", Part::Symbol("Stock.take")));
        assert_eq!(of("a.rs:L1-L4"), ("a.rs", Part::Lines(1, Some(4))));
        assert_eq!(of("#take"), ("", Part::Symbol("take")));
        assert_eq!(of("a.rs:7:21"), ("a.rs", Part::Lines(7, Some(7))));
        assert_eq!(of("a.rs#L2-L3"), ("a.rs", Part::Lines(2, Some(3))));
        assert_eq!(of("a.rs#L2"), ("a.rs", Part::Symbol("L2")));
        for odd in ["a.rs:0-3", "a.rs:9-3", "a.rs:x", ":3", "a.rs#", "C:"] {
            assert_eq!(of(odd), (odd, Part::Whole));
        }
    }
}
