//! What a program printed, in bounded memory: the beginning, the end, and a file for the rest.

#![expect(clippy::disallowed_methods, reason = "what was spilled is read where it was put")]

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::path::PathBuf;

use super::spill::Spills;

/// One output stream of a program.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// All bytes if `whole`, else the first ones.
    head: Vec<u8>,
    /// The last bytes if not `whole`.
    tail: Vec<u8>,
    /// How many bytes were printed.
    pub bytes: u64,
    /// How many lines were printed; a last one without its newline counts.
    pub lines: u64,
    /// Where all of it is, if more was printed than is kept here.
    pub spill: Option<Spill>,
}

/// The file that holds the output whole. It is removed with the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spill {
    /// Its path, in the state directory; programs may read it.
    pub path: PathBuf,
    /// How many bytes it holds, from the beginning; fewer than [`Output::bytes`] if the bound of
    /// the file (`Limits::spill_bytes`) was reached or the disk was full.
    pub bytes: u64,
}

/// A part of an output that can be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Text without escape sequences or control characters other than newline, tab and return.
    pub text: String,
    /// Lines of the output that are not in `text`, not even in part.
    pub omitted_lines: u64,
    /// Bytes of the output, as it was printed, that are not in `text`.
    pub omitted_bytes: u64,
    /// Bytes of the only line in `text` that there was no room for.
    pub cut: usize,
    /// Some bytes of it are not UTF-8, and U+FFFD stands for them in `text`.
    pub replaced: bool,
}

impl Output {
    /// Whether every byte is kept in memory.
    pub fn whole(&self) -> bool {
        self.bytes == self.head.len() as u64
    }

    /// The first bytes exactly as they were printed, at most `most`, and how many more there were.
    /// The spill file is removed.
    pub fn into_bytes(self, most: usize) -> (Vec<u8>, u64) {
        let spilled = self.spill.and_then(|spill| super::spill::take(&spill.path, most));
        let mut bytes = spilled.unwrap_or(self.head);
        bytes.truncate(most);
        let omitted = self.bytes - bytes.len() as u64;
        (bytes, omitted)
    }

    /// The last lines: at most `lines` of them and at most `bytes` bytes of text. Lines are whole,
    /// except that a last line which is too large alone is shown by its end.
    pub fn tail(&self, lines: usize, bytes: usize) -> Shown {
        let kept = if self.whole() { &self.head } else { &self.tail };
        let (mut from, mut shown, mut size, mut cut) = (kept.len(), Vec::new(), 0, 0);
        let end = from;
        while from > 0 && shown.len() < lines {
            let start = memchr::memrchr(b'\n', &kept[..from - 1]).map_or(0, |i| i + 1);
            if start == 0 && !self.whole() && !shown.is_empty() {
                break; // its beginning is not kept
            }
            let line = clean(&kept[start..from]);
            if size + line.len() > bytes {
                if shown.is_empty() {
                    cut = line.ceil_char_boundary(line.len() - bytes);
                    shown.push(line[cut..].to_owned());
                    from -= (line.len() - cut).min(from - start);
                }
                break;
            }
            size += line.len();
            shown.push(line);
            from = start;
        }
        let omitted_lines = self.lines.saturating_sub(shown.len() as u64);
        shown.reverse();
        let omitted_bytes = self.bytes - (kept.len() - from) as u64;
        let replaced = cut == 0 && std::str::from_utf8(&kept[from..end]).is_err();
        Shown { text: shown.concat(), omitted_lines, omitted_bytes, cut, replaced }
    }

    /// The first lines, bounded as [`Output::tail`]; a first line that is too large alone is shown
    /// by its beginning.
    pub fn head(&self, lines: usize, bytes: usize) -> Shown {
        let (mut to, mut count, mut text, mut cut) = (0, 0, String::new(), 0);
        while to < self.head.len() && count < lines {
            let end = memchr::memchr(b'\n', &self.head[to..]).map(|i| to + i + 1);
            if end.is_none() && !self.whole() && count > 0 {
                break; // its end is not kept
            }
            let end = end.unwrap_or(self.head.len());
            let line = clean(&self.head[to..end]);
            if text.len() + line.len() > bytes {
                if count == 0 {
                    text.push_str(&line[..line.floor_char_boundary(bytes)]);
                    cut = line.len() - text.len();
                    (to, count) = (text.len().min(end), 1);
                }
                break;
            }
            text.push_str(&line);
            (to, count) = (end, count + 1);
        }
        let omitted_lines = self.lines.saturating_sub(count as u64);
        let replaced = cut == 0 && std::str::from_utf8(&self.head[..to]).is_err();
        Shown { text, omitted_lines, omitted_bytes: self.bytes - to as u64, cut, replaced }
    }
}

/// Bytes of a line that [`Output::each_line`] gives at most.
pub const LINE_BYTES: usize = 16 << 20;

impl Output {
    /// What a program printed that printed this.
    pub fn of(text: &str) -> Self {
        let (head, bytes) = (text.as_bytes().to_vec(), text.len() as u64);
        Self { head, bytes, lines: text.lines().count() as u64, ..Self::default() }
    }
}

impl Output {
    /// Whether both printed the same bytes, as far as both ends of them tell.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.bytes, &self.head, &self.tail) == (other.bytes, &other.head, &other.tail)
    }

    /// Gives every line that was printed with its number, from 1, as it can be shown and without its
    /// end, from the spill file if more was printed than is kept. Of a line of more than
    /// [`LINE_BYTES`] the rest is left out. The answer is the first and the last line of those that
    /// are kept nowhere: what is beyond the bound of the file, except for the end of the output.
    pub fn each_line(&self, mut each: impl FnMut(u64, &str)) -> Option<(u64, u64)> {
        let spilled = self.spill.as_ref().and_then(|spill| {
            // A program that still runs may print faster than this is read.
            let file = File::open(&spill.path).ok()?.take(spill.bytes);
            Some((BufReader::with_capacity(64 << 10, file), spill.bytes == self.bytes))
        });
        let mut number = 0;
        let mut count = |line: &str| {
            number += 1;
            each(number, line);
        };
        let is_all = match spilled {
            Some((file, is_all)) => {
                lines(file, is_all, &mut count);
                is_all
            }
            None => {
                lines(self.head.as_slice(), self.whole(), &mut count);
                self.whole()
            }
        };
        if is_all {
            return None;
        }
        // The end begins somewhere in a line.
        let begun = memchr::memchr(b'\n', &self.tail).map_or(self.tail.len(), |end| end + 1);
        let rest = &self.tail[begun..];
        let ends_in_line = u64::from(rest.last().is_some_and(|last| *last != b'\n'));
        let count = memchr::memchr_iter(b'\n', rest).count() as u64 + ends_in_line;
        let first = (number + 1).max(self.lines + 1 - count);
        let gap = (number + 1 < first).then(|| (number + 1, first - 1));
        let (mut at, known) = (self.lines - count, number);
        lines(rest, true, &mut |line: &str| {
            at += 1;
            if at > known {
                each(at, line);
            }
        });
        gap
    }
}

/// Gives lines in bounded memory, however long they are; a last one without its end if it is `whole`.
fn lines(mut from: impl BufRead, whole: bool, each: &mut impl FnMut(&str)) {
    let mut line = Vec::new();
    while let Ok(chunk) = from.fill_buf()
        && !chunk.is_empty()
    {
        let end = memchr::memchr(b'\n', chunk);
        let part = &chunk[..end.unwrap_or(chunk.len())];
        let room = LINE_BYTES - line.len();
        line.extend_from_slice(&part[..room.min(part.len())]);
        let used = part.len() + usize::from(end.is_some());
        if end.is_some() {
            each(clean(&line).trim_end_matches('\r'));
            line.clear();
        }
        from.consume(used);
    }
    if whole && !line.is_empty() {
        each(&clean(&line));
    }
}

/// Text that can be shown: what is not UTF-8 replaced, terminal control removed.
fn clean(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let plain = |c: char| !c.is_control() || matches!(c, '\n' | '\t' | '\r');
    if text.chars().all(plain) {
        return text.into_owned();
    }
    let stripped = anstream::adapter::strip_str(&text).to_string();
    stripped.chars().filter(|c| plain(*c)).collect()
}

/// Which of its two streams a program prints to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// Who is shown what a program prints as it comes. Neither may block: a program must end in its time
/// also if nobody reads what it prints.
pub trait Live: Send + Sync {
    /// The next piece, in the form of [`Shown::text`].
    fn show(&self, stream: Stream, text: &str);

    /// Whether more should be shown now. Until then nothing more of the program is read, which then
    /// waits.
    fn takes(&self) -> bool;
}

/// How much of a line is held back because it may end in half an escape sequence, in bytes.
const HELD_BACK: usize = 4096;

/// How many of these bytes can be shown before more come: not half a character, nor half an escape
/// sequence.
fn can_be_shown(bytes: &[u8]) -> usize {
    let line = memchr::memrchr(b'\n', bytes).map_or(0, |end| end + 1);
    let begun = &bytes[line..];
    let escape = memchr::memchr(b'\x1b', begun).filter(|_| begun.len() <= HELD_BACK);
    let whole = match std::str::from_utf8(begun) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => begun.len(),
    };
    line + escape.unwrap_or(whole)
}

/// An output stream while it is printed.
pub(super) struct Capture<'a> {
    out: Output,
    ring: VecDeque<u8>,
    ends_in_line: bool,
    /// Nothing more will come.
    pub(super) closed: bool,
    /// Bytes kept in memory.
    bound: usize,
    spill_bound: u64,
    spills: &'a Spills,
    name: &'static str,
    file: Option<File>,
    live: Option<(&'a dyn Live, Stream)>,
    /// What was printed and not shown yet.
    held: Vec<u8>,
}

impl<'a> Capture<'a> {
    pub(super) fn new(name: &'static str, limits: &files::Limits, spills: &'a Spills) -> Self {
        Self {
            out: Output::default(),
            ring: VecDeque::new(),
            ends_in_line: false,
            closed: false,
            bound: limits.output_bytes,
            spill_bound: limits.spill_bytes,
            spills,
            name,
            file: None,
            live: None,
            held: Vec::new(),
        }
    }

    /// Shown as it comes.
    pub(super) fn show(&mut self, live: &'a dyn Live, stream: Stream) {
        self.live = Some((live, stream));
    }

    /// Whether more may be read now.
    pub(super) fn takes(&self) -> bool {
        !self.closed && self.live.is_none_or(|(live, _)| live.takes())
    }

    fn show_some(&mut self, chunk: &[u8], ended: bool) {
        let Some((live, stream)) = self.live else { return };
        self.held.extend_from_slice(chunk);
        let end = if ended { self.held.len() } else { can_be_shown(&self.held) };
        if end > 0 {
            live.show(stream, &clean(&self.held[..end]));
            self.held.drain(..end);
        }
    }

    /// Has the file from the beginning, for a program whose output is read while it runs.
    pub(super) fn into_file(mut self) -> Self {
        self.start_spill();
        self
    }

    pub(super) fn push(&mut self, chunk: &[u8]) {
        let Some(last) = chunk.last() else { return };
        self.show_some(chunk, false);
        let before = self.out.bytes;
        self.out.bytes += chunk.len() as u64;
        self.out.lines += memchr::memchr_iter(b'\n', chunk).count() as u64;
        self.ends_in_line = *last != b'\n';
        let bound = self.bound as u64;
        if self.file.is_some() {
            self.write(chunk);
        } else if before <= bound && self.out.bytes > bound && self.out.spill.is_none() {
            self.start_spill();
            self.write(chunk);
        }
        let half = self.bound / 2;
        let room = (half - self.out.head.len()).min(chunk.len());
        self.out.head.extend_from_slice(&chunk[..room]);
        let rest = &chunk[room..];
        let rest = &rest[rest.len().saturating_sub(self.bound - half)..];
        let over = (self.ring.len() + rest.len()).saturating_sub(self.bound - half);
        self.ring.drain(..over);
        self.ring.extend(rest);
    }

    /// Nothing was dropped until now, so what is kept is the beginning of the file.
    fn start_spill(&mut self) {
        let Some((path, file)) = self.spills.create(self.name) else { return };
        self.out.spill = Some(Spill { path, bytes: 0 });
        self.file = Some(file);
        let kept = std::mem::take(&mut self.out.head);
        self.write(&kept);
        self.out.head = kept;
        let ring = std::mem::take(&mut self.ring);
        self.write(ring.as_slices().0);
        self.write(ring.as_slices().1);
        self.ring = ring;
    }

    fn write(&mut self, chunk: &[u8]) {
        let (Some(file), Some(spill)) = (&mut self.file, &mut self.out.spill) else { return };
        let room = (self.spill_bound - spill.bytes).min(chunk.len() as u64) as usize;
        if file.write_all(&chunk[..room]).is_err() {
            self.file = None; // the disk is full: what is in the file stays, its size says how much
            return;
        }
        spill.bytes += room as u64;
    }

    /// What was printed until now.
    pub(super) fn so_far(&self) -> Output {
        let mut out = self.out.clone();
        out.lines += u64::from(self.ends_in_line);
        if out.bytes <= self.bound as u64 {
            out.head.extend(&self.ring);
        } else {
            out.tail = self.ring.iter().copied().collect();
        }
        out
    }

    pub(super) fn finish(mut self) -> Output {
        self.show_some(&[], true);
        self.out.lines += u64::from(self.ends_in_line);
        if self.out.bytes <= self.bound as u64 {
            self.out.head.extend(&self.ring);
        } else {
            self.out.tail = self.ring.into();
        }
        self.out
    }
}
