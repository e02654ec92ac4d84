//! A part of a text, as much as an answer may hold.

/// The lines from `offset` on (from 0), at most `limit`. Of a text that goes on, the ending of the
/// last line is left out, so that what is shown ends where the line does.
fn lines_from(text: &str, offset: usize, limit: Option<usize>) -> &str {
    let start = line_start(text, offset);
    let rest = &text[start..];
    let Some(limit) = limit else { return rest };
    let end = line_start(rest, limit);
    let part = &rest[..end];
    if end == rest.len() {
        return part;
    }
    let part = part.strip_suffix('\n').unwrap_or(part);
    part.strip_suffix('\r').unwrap_or(part)
}

/// Where line `line` (from 0) begins; the end of the text if it has fewer.
fn line_start(text: &str, line: usize) -> usize {
    if line == 0 {
        return 0;
    }
    memchr::memchr_iter(b'\n', text.as_bytes()).nth(line - 1).map_or(text.len(), |at| at + 1)
}

/// Some lines of a text, and what the reader must know of the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The lines, as [`head`] gives them.
    pub head: Head,
    /// The line it begins at, from 0.
    pub offset: usize,
    /// How many lines the text has.
    pub total: usize,
}

/// The lines of `text` from `offset` on (from 0), at most `limit`, as far as `lines` and `bytes`
/// allow.
pub fn part(text: &str, offset: usize, limit: Option<usize>, lines: usize, bytes: usize) -> Part {
    // Lines that end with `\r` alone are counted as edits by line number count them.
    if super::ends_with_cr(text) {
        let mut part = part(&text.replace('\r', "\n"), offset, limit, lines, bytes);
        part.head.text = part.head.text.replace('\n', "\r");
        return part;
    }
    let head = head(lines_from(text, offset, limit), lines, bytes);
    Part { head, offset, total: super::lines(text).count() }
}

impl Part {
    /// The line to read on with.
    pub fn next(&self) -> usize {
        self.offset + self.head.lines
    }

    /// That the text ends before the part begins, if it does.
    fn past_end(&self) -> Option<String> {
        let Self { offset, total, .. } = self;
        (*offset > 0 && offset >= total).then(|| {
            let lines = fault::count(*total, "line");
            format!("offset {offset} is past the end; the file has {lines}, counted from 0")
        })
    }

    /// Tells what was left out and how to read on, or that the offset is past the end.
    pub fn note(&self) -> Option<String> {
        let next = self.next();
        match (self.head.cut, self.head.omitted) {
            (0, 0) => self.past_end(),
            (0, omitted) => {
                let lines = fault::count(omitted, "line");
                Some(format!("{lines} left out; read on with offset {next}"))
            }
            (bytes, _) => Some(format!(
                "{bytes} bytes of line {} left out; search it instead. Read on with offset {next}",
                next - 1
            )),
        }
    }
}

/// The beginning of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Whole lines, or, if the first line alone is too long, the beginning of it.
    pub text: String,
    /// How many lines `text` has.
    pub lines: usize,
    /// How many lines were left out after it.
    pub omitted: usize,
    /// How many bytes of the last line shown were left out.
    pub cut: usize,
}

/// As many lines from the beginning as fit into both bounds.
pub fn head(text: &str, lines: usize, bytes: usize) -> Head {
    let total = text.split_inclusive('\n').count();
    let (mut end, mut taken) = (0, 0);
    for line in text.split_inclusive('\n').take(lines) {
        if end + line.len() > bytes {
            break;
        }
        end += line.len();
        taken += 1;
    }
    if taken == total {
        return Head { text: text.to_owned(), lines: total, omitted: 0, cut: 0 };
    }
    if taken > 0 || lines == 0 {
        let shown = text[..end].trim_end_matches('\n').trim_end_matches('\r');
        return Head { text: shown.to_owned(), lines: taken, omitted: total - taken, cut: 0 };
    }
    let first = text.split('\n').next().unwrap_or_default();
    let end = first.floor_char_boundary(bytes);
    Head { text: first[..end].to_owned(), lines: 1, omitted: total - 1, cut: first.len() - end }
}

#[cfg(test)]
mod tests {
    use super::{Head, head, lines_from, part};

    #[test]
    fn lines_are_counted_from_zero_and_cut_at_their_end() {
        let text = "a\nb\r\nc\nd\n";
        assert_eq!(lines_from(text, 0, None), text);
        assert_eq!(lines_from(text, 1, Some(1)), "b");
        assert_eq!(lines_from(text, 1, Some(2)), "b\r\nc");
        assert_eq!(lines_from(text, 3, Some(1)), "d\n");
        assert_eq!(lines_from(text, 2, Some(9)), "c\nd\n");
        assert_eq!(lines_from(text, 4, None), "");
        assert_eq!(lines_from("", 0, Some(3)), "");
        assert_eq!(lines_from("x", 0, Some(0)), "");
    }

    #[test]
    fn a_head_has_whole_lines_and_says_what_it_leaves_out() {
        let of = |text: &str, lines, omitted, cut| Head { text: text.into(), lines, omitted, cut };
        assert_eq!(head("a\nb\nc\n", 9, 99), of("a\nb\nc\n", 3, 0, 0));
        assert_eq!(head("a\nb\nc\n", 2, 99), of("a\nb", 2, 1, 0));
        assert_eq!(head("aa\nbb\ncc", 9, 5), of("aa", 1, 2, 0));
        assert_eq!(head("äöü\nb", 9, 3), of("ä", 1, 1, 4));
        assert_eq!(head("", 9, 9), of("", 0, 0, 0));
    }

    #[test]
    fn a_part_says_what_follows_it_or_that_the_text_ends_before() {
        let note = |offset, bytes| part("a\nb\nc\n", offset, None, 9, bytes).note();
        assert_eq!((note(0, 99), note(2, 99)), (None, None));
        assert_eq!(note(1, 2).unwrap(), "1 line left out; read on with offset 2");
        assert_eq!(
            note(3, 99).unwrap(),
            "offset 3 is past the end; the file has 3 lines, counted from 0"
        );
        assert_eq!(part("", 0, None, 9, 9).note(), None);
        assert!(
            part("a", 1, None, 9, 9)
                .note()
                .unwrap()
                .ends_with("the file has 1 line, counted from 0")
        );
    }
}
