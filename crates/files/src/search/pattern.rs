//! Patterns as callers write them, compiled once, bounded, with errors that say where they fail.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use fault::{Error, Result};
use globset::{Candidate, GlobBuilder, GlobSet, GlobSetBuilder};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use regex_syntax::ast::ErrorKind as Wrong;
use regex_syntax::ast::parse::Parser;
use regex_syntax::hir::{Hir, HirKind};

use super::grep::Grep;

/// Longest pattern taken, in bytes. Compiling takes time in proportion, nested ones more.
const PATTERN_BYTES: usize = 4096;
/// Largest compiled regular expression, in bytes; a larger one takes seconds to compile.
const REGEX_BYTES: usize = 10 << 20;

/// Most places that a regular expression may have once its repetitions are written out.
const PLACES: usize = 5000;
/// The longest line that is searched, in bytes.
const LINE_BYTES: usize = 16 << 20;
/// How much work one line may be, in places times bytes: two seconds at worst. The search of a line
/// cannot be interrupted.
const LINE_WORK: usize = 1 << 30;
/// Characters of a pattern that are escaped to put it right.
const MOST_ESCAPED: usize = 8;

/// A pattern with a backslash before each bracket and repetition that is wrong where it is; `None` if
/// that does not put it right.
fn escaped(pattern: &str) -> Option<String> {
    let mut text = pattern.to_owned();
    for _ in 0..MOST_ESCAPED {
        let Err(error) = Parser::new().parse(&text) else { return Some(text) };
        match error.kind() {
            Wrong::GroupUnclosed
            | Wrong::GroupUnopened
            | Wrong::ClassUnclosed
            | Wrong::RepetitionMissing
            | Wrong::RepetitionCountUnclosed
            | Wrong::RepetitionCountDecimalEmpty => {}
            _ => return None,
        }
        text.insert(error.span().start.offset, '\\');
    }
    None
}

/// The matcher for a pattern, and the longest line that it may be asked about, in bytes; where a
/// match may go over several lines, the longest file.
pub(super) fn regex(grep: &Grep<'_>) -> Result<(RegexMatcher, usize)> {
    let Grep { pattern, literal, multiline, ignore_case, .. } = *grep;
    let invalid =
        |problem: &str, at, advice: &str| Err(Error::invalid_regex(pattern, problem, at, advice));
    if pattern.is_empty() {
        return Err(Error::invalid_input("pattern", "empty; give the text to look for"));
    }
    if pattern.len() > PATTERN_BYTES {
        let problem =
            format!("{} bytes, the limit is {PATTERN_BYTES}; look for a part of it", pattern.len());
        return Err(Error::invalid_input("pattern", problem));
    }
    if !literal && let Err(e) = Parser::new().parse(pattern) {
        let at = pattern[..e.span().start.offset].chars().count() + 1;
        let plain = regex_syntax::escape(pattern);
        let escaped = escaped(pattern).filter(|escaped| *escaped != plain);
        let advice = match &escaped {
            Some(escaped) => format!("with that escaped it is {escaped}"),
            None => format!("as plain text it is {plain}, or search for it literally"),
        };
        let error = Error::invalid_regex(pattern, &e.kind().to_string(), Some(at), &advice);
        let error = error.with("literal", plain);
        return Err(match escaped {
            Some(escaped) => error.with("escaped", escaped),
            None => error,
        });
    }
    let places = if literal { 1 } else { regex_syntax::parse(pattern).map_or(1, |p| places(&p)) };
    if places > PLACES {
        let problem = format!("its repetitions make {places} places, the limit is {PLACES}");
        return invalid(&problem, None, "use fewer or smaller repetitions");
    }
    let line_bytes = (LINE_WORK / places.max(1)).min(LINE_BYTES);
    let mut builder = RegexMatcherBuilder::new();
    builder.multi_line(true).crlf(true).case_insensitive(ignore_case).size_limit(REGEX_BYTES);
    if multiline {
        builder.line_terminator(None);
    }
    let built = match (multiline, literal) {
        (true, true) => {
            let lines: Vec<String> = pattern.lines().map(regex_syntax::escape).collect();
            let end = if pattern.ends_with('\n') { r"\r?\n" } else { "" };
            builder.build(&(lines.join(r"\r?\n") + end))
        }
        _ => builder.fixed_strings(literal).build(pattern),
    };
    built.map(|matcher| (matcher, line_bytes)).or_else(|e| match e.kind() {
        grep_regex::ErrorKind::NotAllowed(_) => invalid(
            "it holds a line break, and lines are searched one by one",
            None,
            "look for one of its lines",
        ),
        _ => invalid(&e.to_string(), None, "use fewer or smaller repetitions"),
    })
}

/// How many places of a text a pattern can be at, at most: for each of them the search may have
/// work to do at each byte.
fn places(pattern: &Hir) -> usize {
    match pattern.kind() {
        HirKind::Empty | HirKind::Look(_) => 0,
        HirKind::Literal(text) => text.0.len(),
        HirKind::Class(_) => 1,
        HirKind::Repetition(repeated) => {
            let times = repeated.max.unwrap_or(repeated.min.max(1));
            places(&repeated.sub).saturating_mul(times as usize)
        }
        HirKind::Capture(group) => places(&group.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(places).fold(0, usize::saturating_add)
        }
    }
}

/// A glob, for names or for paths relative to the directory of the search.
#[derive(Debug)]
pub(super) struct Glob {
    set: GlobSet,
    on_names: bool,
    /// The same for names, if it is as simple as most are: the general one costs ten times as much.
    simple: Option<Simple>,
    /// It ends in `/**`.
    deep: bool,
    /// It began with `!`: what it matches is what others do not.
    negated: bool,
}

/// A glob for names with one `*` or none.
#[derive(Debug, PartialEq, Eq)]
struct Simple {
    start: String,
    /// What is after the `*`, if there is one.
    end: Option<String>,
}

impl Simple {
    /// `None` if it is not that simple.
    fn new(name: &str) -> Option<Self> {
        if name.contains(['?', '[', ']', '{', '}', '\\', '/']) || name.matches('*').count() > 1 {
            return None;
        }
        let (start, end) = match name.split_once('*') {
            Some((start, end)) => (start, Some(end.to_owned())),
            None => (name, None),
        };
        Some(Self { start: start.to_owned(), end })
    }

    fn matches(&self, name: &[u8]) -> bool {
        let Some(rest) = name.strip_prefix(self.start.as_bytes()) else { return false };
        self.end.as_ref().map_or(rest.is_empty(), |end| rest.ends_with(end.as_bytes()))
    }
}

impl Glob {
    /// `*` does not cross `/`; `**` does. A glob without a slash is for names if `names`; one that
    /// begins with the path of the directory `top`, or with a slash alone, is for what is below it.
    /// One that begins with `!` matches all but what the rest of it does, as ripgrep's.
    pub(super) fn new(pattern: &str, top: &Path, names: bool, ignore_case: bool) -> Result<Self> {
        if let Some(rest) = pattern.strip_prefix('!') {
            let glob = Self::new(rest, top, names, ignore_case)?;
            return Ok(Self { negated: !glob.negated, simple: None, deep: false, ..glob });
        }
        let invalid = |problem: &dyn std::fmt::Display| Error::invalid_glob(pattern, problem);
        if pattern.is_empty() {
            return Err(invalid(&"empty"));
        }
        if pattern.len() > PATTERN_BYTES || pattern.matches('{').count() > 100 {
            return Err(invalid(&"too long, or too many braces"));
        }
        let below = top.to_str().and_then(|top| pattern.strip_prefix(top));
        let below = below.filter(|rest| rest.starts_with('/')).unwrap_or(pattern);
        let mut text = below.trim_start_matches("./").trim_start_matches('/').to_owned();
        if text.ends_with('/') {
            text.push_str("**"); // a directory stands for what is in it
        }
        let glob = GlobBuilder::new(&text)
            .literal_separator(true)
            .backslash_escape(true)
            .empty_alternates(true)
            .case_insensitive(ignore_case)
            .build()
            .map_err(|e| invalid(&e.kind()))?;
        let set = GlobSetBuilder::new().add(glob).build().map_err(|e| invalid(&e.kind()))?;
        let on_names = names && !pattern.contains('/');
        let name = if on_names { Some(text.as_str()) } else { text.strip_prefix("**/") };
        let simple = name.filter(|_| !ignore_case).and_then(Simple::new);
        Ok(Self { set, on_names, simple, deep: text.ends_with("/**"), negated: false })
    }

    /// Whether it matches whatever may stand in the directory `rel`, as `**/target/**` does.
    pub(super) fn matches_all_in(&self, rel: &Path) -> bool {
        self.deep && self.set.is_match_candidate(&Candidate::new(&rel.join("x")))
    }

    /// What is in every name that it matches, if that is known.
    pub(super) fn part(&self) -> Option<&[u8]> {
        let Simple { start, end } = self.simple.as_ref()?;
        let end = end.as_deref().unwrap_or_default();
        let longest = if start.len() < end.len() { end } else { start };
        (!longest.is_empty()).then_some(longest.as_bytes())
    }

    pub(super) fn matches(&self, rel: &Path, name: &OsStr) -> bool {
        if let Some(simple) = &self.simple {
            return simple.matches(name.as_bytes());
        }
        let subject = if self.on_names { Path::new(name) } else { rel };
        self.set.is_match_candidate(&Candidate::new(subject)) != self.negated
    }
}
