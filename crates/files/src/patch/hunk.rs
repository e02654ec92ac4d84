//! Hunks: which lines are there before and after.
//!
//! Models get the numbers of `@@` lines wrong. Where the counts and the lines disagree, the lines
//! are counted anew; where it is not clear what still belongs to the hunk, it is an error, never a
//! part that is left out. Models also leave the numbers out.

use fault::{Error, Result};

use super::parse::{Reader, is_file_header};

/// One hunk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Hunk {
    /// Where it is in the diff, from 1.
    pub(super) line: usize,
    /// Whether its `@@` line has numbers. Without them its old lines must be in the file only once.
    pub(super) numbered: bool,
    /// The first line it names before, from 1; 0 if there is none.
    pub(super) old_start: usize,
    /// The first line it names after, from 1; 0 if there is none.
    pub(super) new_start: usize,
    pub(super) rows: Vec<Row>,
    /// Whether its counts were wrong.
    pub(super) recounted: bool,
    /// Lines, without the space around them, after which it is, each after the one before it.
    pub(super) after: Vec<Vec<u8>>,
    /// Whether the file ends with it.
    pub(super) is_last: bool,
}

/// One line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) sign: Sign,
    /// With the line break, unless it has none in the file.
    pub(super) bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Both,
    Old,
    New,
}

impl Hunk {
    /// The lines that are there before.
    pub(super) fn before(&self) -> impl DoubleEndedIterator<Item = &[u8]> {
        self.rows.iter().filter(|row| row.sign != Sign::New).map(|row| row.bytes.as_slice())
    }

    /// The lines that are there after.
    pub(super) fn after(&self) -> impl DoubleEndedIterator<Item = &[u8]> {
        self.rows.iter().filter(|row| row.sign != Sign::Old).map(|row| row.bytes.as_slice())
    }

    pub(super) fn count(&self, sign: Sign) -> usize {
        self.rows.iter().filter(|row| row.sign == sign).count()
    }
}

/// The numbers of an `@@` line: start and count before, start and count after.
pub(super) fn numbers(line: &[u8]) -> Option<[usize; 4]> {
    let rest =
        std::str::from_utf8(line.strip_prefix(b"@@ -")?.split(|b| *b == b'@').next()?).ok()?;
    let (old, new) = rest.trim_end().split_once(" +")?;
    let pair = |text: &str| -> Option<(usize, usize)> {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        let digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit()).then(|| t.parse().ok())?;
        Some((digits(start)?, digits(count)?))
    };
    let ((a, b), (c, d)) = (pair(old)?, pair(new)?);
    // Beyond this no file goes, and sums of such numbers cannot overflow.
    let fits = [a, b, c, d].iter().all(|n| *n < 1 << 40);
    (fits && line.windows(2).skip(2).any(|w| w == b"@@")).then_some([a, b, c, d])
}

/// Whether an `@@` line does not try to say where its hunk is, as in `@@`, `@@ @@` or `@@ def f():`.
fn is_bare(line: &[u8]) -> bool {
    let rest = line.strip_prefix(b"@@").unwrap_or(line).trim_ascii_start();
    !matches!(rest.first(), Some(b'-' | b'+'))
}

/// Reads the hunks that stand here; at least one.
pub(super) fn read_all(reader: &mut Reader<'_>) -> Result<Vec<Hunk>> {
    let mut hunks = Vec::new();
    while let Some(line) = reader.peek().filter(|line| line.starts_with(b"@@")) {
        let numbers = numbers(line);
        if numbers.is_none() && !is_bare(line) {
            return Err(Error::no_valid_diff(
                reader.number(),
                "the numbers of a hunk cannot be read",
                "`@@ -LINE,COUNT +LINE,COUNT @@`, or `@@` alone",
            ));
        }
        let line = reader.number();
        reader.skip();
        let begin = reader.at();
        let counted = numbers.and_then(|[_, old, _, new]| as_counted(reader, old, new));
        let recounted = numbers.is_some() && counted.is_none();
        let rows = match counted {
            Some(rows) => rows,
            None => {
                reader.back_to(begin);
                recount(reader)?
            }
        };
        let [old_start, _, new_start, _] = numbers.unwrap_or_default();
        let numbered = numbers.is_some();
        let hunk =
            Hunk { line, numbered, old_start, new_start, rows, recounted, ..Hunk::default() };
        refuse_senseless(&hunk)?;
        hunks.push(hunk);
    }
    Ok(hunks)
}

/// The lines of a hunk if they are as many as its counts say and it ends there.
fn as_counted(reader: &mut Reader<'_>, old: usize, new: usize) -> Option<Vec<Row>> {
    let (mut rows, mut old_seen, mut new_seen) = (Vec::new(), 0, 0);
    while old_seen < old || new_seen < new {
        match row(reader)? {
            Some(row) => {
                old_seen += usize::from(row.sign != Sign::New);
                new_seen += usize::from(row.sign != Sign::Old);
                rows.push(row);
            }
            None => drop_break(&mut rows)?,
        }
    }
    if reader.peek().is_some_and(|line| line.starts_with(b"\\ ")) {
        reader.skip();
        drop_break(&mut rows)?;
    }
    let goes_on = reader.peek().is_some_and(|line| {
        matches!(line.first(), Some(b' ' | b'+' | b'-')) && !ends_hunk(reader, line)
    });
    (old_seen == old && new_seen == new && !goes_on).then_some(rows)
}

/// The lines of a hunk whatever its counts say.
fn recount(reader: &mut Reader<'_>) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    let mut kept = 0; // up to the last line that is not just empty
    let mut end = reader.at();
    while let Some(line) = reader.peek() {
        if ends_hunk(reader, line) {
            break;
        }
        let empty = line == b"\n";
        match row(reader) {
            Some(Some(row)) => rows.push(row),
            Some(None) if drop_break(&mut rows).is_some() => {}
            _ => {
                return Err(Error::no_valid_diff(
                    reader.number(),
                    "the lines of the hunk before it are fewer or more than its counts, and this \
                     line cannot be one of them",
                    "a line that begins with a space, + or -",
                ));
            }
        }
        if !empty {
            (kept, end) = (rows.len(), reader.at());
        }
    }
    rows.truncate(kept);
    reader.back_to(end);
    Ok(rows)
}

/// Reads one line of a hunk; inside, `None` is the mark that the line before has no line break.
pub(super) fn row(reader: &mut Reader<'_>) -> Option<Option<Row>> {
    let line = reader.peek()?;
    let (sign, bytes) = match line.split_first()? {
        (b' ', rest) => (Sign::Both, rest),
        // An empty line whose space was lost on the way.
        (b'\n', _) => (Sign::Both, line),
        (b'+', rest) => (Sign::New, rest),
        (b'-', rest) => (Sign::Old, rest),
        (b'\\', _) => {
            reader.skip();
            return Some(None);
        }
        _ => return None,
    };
    reader.skip();
    let mut bytes = bytes.to_vec();
    if !bytes.ends_with(b"\n") {
        bytes.push(b'\n'); // the end of the diff
    }
    Some(Some(Row { sign, bytes }))
}

fn drop_break(rows: &mut [Row]) -> Option<()> {
    let last = rows.last_mut()?;
    last.bytes.pop_if(|b| *b == b'\n').map(drop)
}

/// Whether a line cannot belong to a hunk but begins what may follow one.
fn ends_hunk(reader: &Reader<'_>, line: &[u8]) -> bool {
    const STARTS: &[&[u8]] =
        &[b"@@", b"diff ", b"Index: ", b"Only in ", b"Binary files ", b"From "];
    let next = reader.after(1).and_then(|line| line.first());
    // A fence in the middle of a hunk is a line of Markdown that lost its sign.
    let fence = (line.starts_with(b"```") || line.starts_with(b"~~~"))
        && !matches!(next, Some(b' ' | b'+' | b'-' | b'\\'));
    // Mails end with `-- ` and the version of git; a removed `- ` looks the same.
    let signature = line.trim_ascii_end() == b"--" && next.is_some_and(u8::is_ascii_digit);
    fence || signature || is_file_header(reader) || STARTS.iter().any(|s| line.starts_with(s))
}

pub(super) fn refuse_senseless(hunk: &Hunk) -> Result<()> {
    let fail = |problem, expected| Err(Error::no_valid_diff(hunk.line, problem, expected));
    if hunk.rows.iter().all(|row| row.sign == Sign::Both) {
        return fail("a hunk that changes nothing", "lines that begin with + or -");
    }
    let open = |lines: Vec<&[u8]>| lines.iter().rev().skip(1).any(|line| !line.ends_with(b"\n"));
    if open(hunk.before().collect()) || open(hunk.after().collect()) {
        return fail(
            "a line without a line break is followed by others",
            "`\\ No newline at end of file` after the last line only",
        );
    }
    Ok(())
}
