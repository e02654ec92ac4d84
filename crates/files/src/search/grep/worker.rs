//! The search of one file.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek as _};
use std::path::Path;

use fault::Cancel;
use grep_matcher::{LineTerminator, Matcher as _};
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};

use super::{Counts, Grep, Line, MOST_CONTEXT, Total};
use crate::Limits;
use crate::search::hit::{MOST_LINES, show};
use crate::text;
use crate::workspace::Folder;

/// Bytes read at first; most files are read whole with that.
const READ_BYTES: usize = 64 << 10;

/// One thread's part of the search.
pub(super) struct Worker<'s> {
    pub(super) total: &'s Total,
    matcher: RegexMatcher,
    builder: SearcherBuilder,
    searcher: Searcher,
    buffer: Vec<u8>,
    limits: &'s Limits,
    context: usize,
    pub(super) cancel: &'s Cancel,
    pub(super) counts: Counts,
}

impl<'s> Worker<'s> {
    pub(super) fn new(
        total: &'s Total,
        grep: &Grep<'_>,
        (matcher, longest): (&RegexMatcher, usize),
        limits: &'s Limits,
        cancel: &'s Cancel,
    ) -> Self {
        let context = grep.context.min(MOST_CONTEXT);
        let mut builder = SearcherBuilder::new();
        builder
            .line_terminator(LineTerminator::crlf())
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(longest))
            .multi_line(grep.multiline)
            .before_context(context)
            .after_context(context);
        Self {
            total,
            matcher: matcher.clone(),
            searcher: builder.build(),
            builder,
            buffer: vec![0; READ_BYTES],
            limits,
            context,
            cancel,
            counts: Counts::default(),
        }
    }

    pub(super) fn search_below(&mut self, folder: &Folder, rel: &Path) {
        self.counts.wanted += 1;
        match folder.open(rel) {
            Ok(file) => self.search(file, rel.as_os_str()),
            Err(e) => self.counts.unreadable.add_io(&folder.path().join(rel), &e),
        }
    }

    pub(super) fn search(&mut self, mut file: File, rel: &OsStr) {
        let matcher = &self.matcher;
        let new_sink = || Lines {
            matcher,
            most: self.total.most,
            line_bytes: self.limits.hit_line_bytes,
            context: self.context,
            lines: Vec::new(),
            recent: VecDeque::new(),
            binary: false,
        };
        let mut sink = new_sink();
        let outcome = fill(&mut file, &mut self.buffer).and_then(|(start, whole)| {
            // With a NUL byte it is read as larger files are, where what is found before the byte is
            // what ripgrep finds.
            if whole && memchr::memchr(0, start).is_none() {
                let converted = text::converted(start);
                let bytes = converted.as_ref().map_or(start, |text| text.as_bytes());
                return self.searcher.search_slice(matcher, bytes, &mut sink);
            }
            // What comes while it is read is not waited for: it may come faster. Files of the kernel
            // say no length.
            let most = file.metadata()?.len().max(self.limits.file_bytes);
            let file = file.take(most.saturating_sub(start.len() as u64));
            let mut rest = Rest { file, cancel: self.cancel, utf8: Utf8::default() };
            rest.utf8.read(start);
            // Its buffer grows with the longest line, and a larger part would be left out of a file
            // for a NUL byte in it: what is found must not depend on the files before.
            self.searcher = self.builder.build();
            let outcome = self.searcher.search_reader(matcher, start.chain(&mut rest), &mut sink);
            if sink.binary || !rest.utf8.invalid {
                return outcome;
            }
            if most > self.limits.file_bytes {
                self.counts.unconverted += 1;
                return outcome;
            }
            let mut bytes = Vec::new();
            rest.file.get_mut().rewind()?;
            rest.file.set_limit(most);
            rest.read_to_end(&mut bytes)?;
            let Some(text) = text::converted(&bytes) else { return outcome };
            sink = new_sink();
            self.searcher.search_reader(matcher, text.as_bytes(), &mut sink)
        });
        let (lines, binary) = (sink.lines, sink.binary);
        self.counts.binary += usize::from(binary);
        match outcome {
            Ok(()) => {}
            // The searcher has no kind of its own for a line over its limit.
            Err(e) if e.kind() == io::ErrorKind::Other => self.counts.too_large += 1,
            Err(e) => self.counts.unreadable.add_io(Path::new(rel), &e),
        }
        if !lines.is_empty() {
            self.total.add(rel, lines);
        }
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        let mut kept = self.total.lock();
        let (mine, all) = (std::mem::take(&mut self.counts), &mut kept.counts);
        all.wanted += mine.wanted;
        all.binary += mine.binary;
        all.too_large += mine.too_large;
        all.unconverted += mine.unconverted;
        all.unreadable.merge(mine.unreadable);
    }
}

/// Reads as much as the buffer holds; whether that is all.
fn fill<'b>(file: &mut File, buffer: &'b mut [u8]) -> io::Result<(&'b [u8], bool)> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => return Ok((&buffer[..filled], true)),
            Ok(read) => filled += read,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok((buffer, false))
}

/// The rest of a file, which ends when nobody wants the answer any more.
struct Rest<'c> {
    file: io::Take<File>,
    cancel: &'c Cancel,
    utf8: Utf8,
}

impl Read for Rest<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Ok(0);
        }
        let read = self.file.read(buffer)?;
        match read {
            0 => self.utf8.invalid |= !self.utf8.begun.is_empty(),
            _ => self.utf8.read(&buffer[..read]),
        }
        Ok(read)
    }
}

/// Whether what was read so far, one part after the other, is UTF-8.
#[derive(Default)]
struct Utf8 {
    /// The bytes of a character that the last part ended in.
    begun: Vec<u8>,
    invalid: bool,
}

impl Utf8 {
    fn read(&mut self, mut part: &[u8]) {
        if self.invalid {
            return;
        }
        while !self.begun.is_empty() {
            let Some((first, rest)) = part.split_first() else { return };
            self.begun.push(*first);
            part = rest;
            match str::from_utf8(&self.begun) {
                Ok(_) => self.begun.clear(),
                Err(e) if e.error_len().is_none() => {}
                Err(_) => return self.invalid = true,
            }
        }
        if let Err(e) = str::from_utf8(part) {
            self.invalid = e.error_len().is_some();
            self.begun = part[e.valid_up_to()..].to_vec();
        }
    }
}

/// Takes the matching lines of one file.
struct Lines<'m> {
    matcher: &'m RegexMatcher,
    most: usize,
    line_bytes: usize,
    context: usize,
    lines: Vec<Line>,
    /// The last lines seen, as many as are shown before a hit, with their numbers.
    recent: VecDeque<(u64, String)>,
    binary: bool,
}

impl Lines<'_> {
    /// Takes a line as context of the hits before it, and keeps it for those after it.
    fn surround(&mut self, number: u64, text: &str) {
        let reach = self.context as u64;
        let near = self.lines.iter_mut().rev().take_while(|hit| hit.last + reach >= number);
        near.for_each(|hit| hit.after.push(text.to_owned()));
        if self.recent.len() == self.context {
            self.recent.pop_front();
        }
        self.recent.push_back((number, text.to_owned()));
    }

    /// Takes the lines of a match, which begins at `start` in the first of them.
    fn take(&mut self, number: u64, lines: &[&[u8]], start: usize, end: usize) {
        let first = lines[0];
        // A match over lines may begin with the break of the first.
        let (start, end) = (start.min(first.len()), end.min(first.len()));
        let mut shown = show(first, start..end, self.line_bytes);
        for line in lines.iter().take(MOST_LINES).skip(1) {
            shown.text += "\n";
            shown.text += &show(line, 0..0, self.line_bytes).text;
        }
        let mut before = Vec::new();
        if self.context > 0 {
            let reach = number.saturating_sub(self.context as u64);
            let near = self.recent.iter().filter(|(n, _)| *n >= reach);
            before = near.map(|(_, text)| text.clone()).collect();
            for (at, line) in (number..).zip(lines) {
                self.surround(at, &show(line, 0..0, self.line_bytes).text);
            }
        }
        let last = number + lines.len() as u64 - 1;
        self.lines.push(Line { number, last, shown, before, after: Vec::new() });
    }
}

/// The line without its end; a carriage return alone is none.
fn unbroken(line: &[u8]) -> &[u8] {
    let Some(line) = line.strip_suffix(b"\n") else { return line };
    line.strip_suffix(b"\r").unwrap_or(line)
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let number = found.line_number().unwrap_or(0);
        let lines: Vec<&[u8]> = found.bytes().split_inclusive(|byte| *byte == b'\n').collect();
        let unbroken_lines: Vec<&[u8]> = lines.iter().map(|line| unbroken(line)).collect();
        if !searcher.multi_line() {
            let span = self.matcher.find(unbroken_lines[0]).ok().flatten();
            let (start, end) = span.map_or((0, 0), |span| (span.start(), span.end()));
            self.take(number, &unbroken_lines, start, end);
            return Ok(self.lines.len() < self.most);
        }
        // What is found is all matches whose lines touch each other.
        let ends: Vec<usize> = lines
            .iter()
            .scan(0, |end, line| {
                *end += line.len();
                Some(*end)
            })
            .collect();
        let line_of = |at: usize| ends.partition_point(|end| *end <= at).min(lines.len() - 1);
        let mut hits: Vec<(usize, usize, usize, usize)> = Vec::new();
        // The matcher's error type has no values: it cannot fail.
        let _ = self.matcher.find_iter(found.bytes(), |found| {
            let (first, last) =
                (line_of(found.start()), line_of(found.end().max(found.start() + 1) - 1));
            match hits.last_mut() {
                Some((_, end, ..)) if first <= *end => *end = last.max(*end),
                _ => {
                    let start = first.checked_sub(1).map_or(0, |before| ends[before]);
                    hits.push((first, last, found.start() - start, found.end() - start));
                }
            }
            true
        });
        // The searcher looks behind no match, so `\A` matches after each; here it does only once.
        let mut next = 0;
        for (first, last, start, end) in hits.into_iter().chain([(lines.len(), lines.len(), 0, 0)])
        {
            for line in next..first {
                self.take(number + line as u64, &unbroken_lines[line..=line], 0, 0);
            }
            if first < lines.len() {
                self.take(number + first as u64, &unbroken_lines[first..=last], start, end);
            }
            next = last + 1;
        }
        // One hit more than wanted is only counted: its context is not missed.
        Ok(self.lines.len() < self.most)
    }

    fn context(&mut self, _: &Searcher, line: &SinkContext<'_>) -> io::Result<bool> {
        let text = show(unbroken(line.bytes()), 0..0, self.line_bytes).text;
        self.surround(line.line_number().unwrap_or(0), &text);
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.binary = true;
        Ok(true)
    }
}
