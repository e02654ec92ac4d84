//! What a search found, as it is shown: by file, each path once, a page at a time.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use index::Purpose;

/// Most bytes of a page that does not fit into fewer.
const BYTES: usize = 24 << 10;

/// All that was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    files: Vec<(String, Vec<Line>)>,
    /// They were found by name: no lines are shown.
    pub(super) names: bool,
    /// There is more than this.
    more: bool,
    /// What was not looked at.
    pub(super) notes: Vec<String>,
}

/// One place in a file.
#[derive(Debug)]
pub(super) struct Line {
    /// Its lines, from 1.
    pub(super) first: usize,
    pub(super) last: usize,
    /// What is shown of it.
    pub(super) text: String,
    /// The lines before and after it, if they are to be shown.
    pub(super) around: Option<(Vec<String>, Vec<String>)>,
}

impl Found {
    /// Nothing yet; `more` says that what will be added is not all.
    pub(super) fn new(more: bool) -> Self {
        Self { more, ..Self::default() }
    }

    /// Adds a place; those of a file belong together where they follow each other.
    pub(super) fn add(&mut self, path: &str, line: Line) {
        match self.files.last_mut() {
            Some((last, lines)) if last == path => lines.push(line),
            _ => self.files.push((path.to_owned(), vec![line])),
        }
    }

    /// Adds a file by its name alone.
    pub(super) fn add_name(&mut self, path: &str) {
        let line = Line { first: 0, last: 0, text: String::new(), around: None };
        self.files.push((path.to_owned(), vec![line]));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// How many places there are.
    pub(super) fn count(&self) -> usize {
        self.files.iter().map(|(_, lines)| lines.len()).sum()
    }

    /// Code first, then tests, then documentation; each by path, as it was found.
    pub(super) fn sort(&mut self) {
        self.files.sort_by_key(|(path, _)| Purpose::of(path.as_ref()));
    }

    /// How many there are in each file.
    pub(super) fn counts(&self) -> String {
        let more = if self.more { "more than " } else { "" };
        let files = fault::count(self.files.len(), "file");
        if self.names {
            return self.with_notes(format!("{more}{files}"));
        }
        let mut text = String::new();
        for (path, lines) in &self.files {
            let _ = writeln!(text, "{path}: {}", lines.len());
        }
        let _ = write!(text, "{more}{} in {files}", self.count());
        self.with_notes(text)
    }

    /// A page from the place number `offset`, from 1, of at most `limit` places and `most` bytes; each
    /// place on it is given to `shows`.
    pub(super) fn page(
        &self,
        offset: usize,
        limit: usize,
        most: usize,
        mut shows: impl FnMut(&str, &[Line]),
    ) -> String {
        let (mut text, mut number, mut shown) = (String::new(), 0, 0);
        let most = most.min(BYTES);
        for (path, lines) in &self.files {
            let from = offset.saturating_sub(number + 1).min(lines.len());
            let mut part = &lines[from..lines.len().min(from + limit - shown)];
            number += lines.len();
            let wanted = part.len();
            // At least one place is shown, however long it is.
            while !part.is_empty() {
                let file = self.file(path, part);
                if text.len() + file.len() <= most || shown == 0 && part.len() == 1 {
                    text += &file;
                    shows(path, part);
                    break;
                }
                part = &part[..part.len() / 2];
            }
            shown += part.len();
            if shown == limit || text.len() > most || part.len() < wanted {
                break;
            }
        }
        let (all, next) = (self.count(), offset + shown);
        if shown == 0 {
            let _ = write!(text, "[0 of {all}; offset {offset} is past the end]");
        } else if next <= all || self.more {
            let more = if self.more { "more than " } else { "" };
            let _ = write!(text, "[{shown} of {more}{all}; next: {{\"offset\": {next}}}]");
        }
        self.with_notes(text.trim_end().to_owned())
    }

    /// What was not looked at matters only beside the last line.
    fn with_notes(&self, text: String) -> String {
        match self.notes.as_slice() {
            [] => text,
            notes => format!("({})\n{text}", notes.join("; ")),
        }
    }

    fn file(&self, path: &str, lines: &[Line]) -> String {
        let mut text = format!("{path}\n");
        if self.names {
            return text;
        }
        if lines.iter().any(|line| line.around.is_some() || line.text.contains('\n')) {
            return text + &in_context(lines);
        }
        let mut same: Vec<(String, &str)> = Vec::new();
        for line in lines {
            let place = match line.last {
                last if last > line.first => format!("{}-{last}", line.first),
                _ => line.first.to_string(),
            };
            match same.iter_mut().find(|(_, text)| *text == line.text) {
                // One line with two hits is one.
                Some((places, _)) if places.rsplit(',').next() == Some(&place) => {}
                Some((places, _)) => *places += &format!(",{place}"),
                None => same.push((place, &line.text)),
            }
        }
        for (places, line) in same {
            let _ = writeln!(text, "{places}: {}", line.trim_end());
        }
        text
    }
}

/// Lines with those around them, each once, with a mark where some are left out.
fn in_context(lines: &[Line]) -> String {
    let mut all: BTreeMap<usize, (char, Cow<'_, str>)> = BTreeMap::new();
    for line in lines {
        let (before, after) = line.around.as_ref().map_or((&[][..], &[][..]), |(a, b)| (a, b));
        let start = line.first.saturating_sub(before.len());
        for (nth, text) in before.iter().enumerate() {
            all.entry(start + nth).or_insert(('-', text.into()));
        }
        for (nth, text) in after.iter().enumerate() {
            all.entry(line.last + 1 + nth).or_insert(('-', text.into()));
        }
        let mut next = line.first;
        for text in line.text.split('\n') {
            all.insert(next, (':', text.into()));
            next += 1;
        }
        if next <= line.last {
            all.insert(next, ('-', format!("… up to line {}", line.last).into()));
        }
    }
    let (mut text, mut last) = (String::new(), 0);
    for (number, (mark, line)) in all {
        if last > 0 && number > last + 1 {
            text += "--\n";
        }
        let _ = writeln!(text, "{number}{mark} {}", line.trim_end());
        last = number;
    }
    text
}
