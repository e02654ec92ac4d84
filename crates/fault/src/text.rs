//! The wording of what goes wrong with texts: encodings, edits, patterns.

use std::fmt;

use super::{Code, Error};
use crate::cut;

impl Error {
    /// What a project remembers has no entry of this title; `within` is where else there is one, `near`
    /// asks for names like it.
    pub fn no_note(title: &str, within: Option<&str>, near: Option<&str>) -> Self {
        let title = &*cut(title, 300);
        let advice = match (within, near) {
            (Some(within), _) => format!("it is in {within}"),
            (None, Some(near)) => near.to_owned(),
            (None, None) => "list them to see what there is".to_owned(),
        };
        let error = Self::new(Code::StringNotFound, format!("key: no note `{title}`; {advice}"));
        let error = error.with("key", title);
        match within {
            Some(within) => error.with("in", within),
            None => error,
        }
    }

    /// The encoding of the file has no bytes for a character of the new text.
    pub fn invalid_encoding(path: &str, character: char, encoding: &str) -> Self {
        let code = u32::from(character);
        let shown = crate::visible(character.encode_utf8(&mut [0; 4])).into_owned();
        Self::new(
            Code::InvalidEncoding,
            format!(
                "{path}: the file is {encoding}, which cannot hold {shown} (U+{code:04X}); write it \
                 another way, or have the file converted to UTF-8 first"
            ),
        )
        .with("path", path)
        .with("character", character)
        .with("encoding", encoding)
    }

    /// A text to be replaced is not there; `nearest` is the 1-based line of what is most like it,
    /// with a small diff.
    pub fn string_not_found(
        path: &str,
        edit: Option<usize>,
        nearest: Option<(usize, &str)>,
    ) -> Self {
        let which = edit.map(|e| format!(" (edit {})", e + 1)).unwrap_or_default();
        let what = format!("{path}: the text to find{which} is not there");
        let (what, advice) = match nearest {
            Some((line, diff)) => {
                let nearest = format!(
                    "the nearest is at line {line}, - is what was asked for, + what the file \
                     has:\n{diff}"
                );
                (what, nearest)
            }
            None => (
                format!("{what}, and nothing similar is"),
                "read the file and copy the text exactly".to_owned(),
            ),
        };
        let mut error = Self::advised(Code::StringNotFound, what, advice).with("path", path);
        if let Some((line, _)) = nearest {
            error = error.with("line", line);
        }
        error.with_edit(edit)
    }

    /// A text that must be unique is in the file `count` times; `lines` are the first ten.
    pub fn multiple_matches(
        path: &str,
        edit: Option<usize>,
        count: usize,
        lines: &[usize],
    ) -> Self {
        let which = edit.map(|e| format!(" (edit {})", e + 1)).unwrap_or_default();
        let mut at: Vec<String> = lines.iter().map(usize::to_string).collect();
        let listed = at.join(",");
        if lines.len() < count {
            at.push("…".to_owned());
        }
        Self::advised(
            Code::MultipleMatches,
            format!(
                "{path}: the text to find{which} occurs {count} times, at lines {}",
                at.join(", ")
            ),
            "add lines around it until it is unique",
        )
        .with("path", path)
        .with("count", count)
        .with("lines", listed)
        .with_edit(edit)
    }

    /// Two edits, counted from 0, touch the same text at the 1-based `line`.
    pub fn overlapping_edits(path: &str, first: usize, second: usize, line: usize) -> Self {
        Self::advised(
            Code::OverlappingEdits,
            format!(
                "{path}: edits {} and {} touch the same text at line {line}",
                first + 1,
                second + 1
            ),
            "make them one edit",
        )
        .with("path", path)
        .with("line", line)
        .with("edit", first)
        .with("other", second)
    }

    /// An edit cannot be made as it was asked for; `edit` is its index from 0 if there are several.
    pub fn useless_edit(path: &str, edit: Option<usize>, problem: &str) -> Self {
        let which = edit.map(|e| format!("edit {}: ", e + 1)).unwrap_or_default();
        Self::new(Code::InvalidInput, format!("{path}: {which}{problem}"))
            .with("path", path)
            .with_edit(edit)
    }

    fn with_edit(self, edit: Option<usize>) -> Self {
        match edit {
            Some(index) => self.with("edit", index),
            None => self,
        }
    }

    /// The pattern is no regular expression; `position` counts characters from 1.
    pub fn invalid_regex(
        pattern: &str,
        problem: &str,
        position: Option<usize>,
        advice: &str,
    ) -> Self {
        let at = position.map(|p| format!(" at character {p}")).unwrap_or_default();
        let (pattern, problem) = (&*cut(pattern, 300), &*cut(problem, 1000));
        let error = Self::new(
            Code::InvalidRegex,
            format!("pattern {pattern}: invalid regular expression{at}: {problem}; {advice}"),
        )
        .with("pattern", pattern);
        match position {
            Some(position) => error.with("position", position),
            None => error,
        }
    }

    /// The pattern is no glob.
    pub fn invalid_glob(pattern: &str, problem: impl fmt::Display) -> Self {
        let (pattern, problem) = (&*cut(pattern, 300), problem.to_string());
        let problem = cut(&problem, 1000);
        Self::new(
            Code::InvalidGlob,
            format!("glob {pattern}: {problem}; use * ** ? [abc] {{a,b}}, and \\ before a character that stands for itself"),
        )
        .with("pattern", pattern)
    }

    /// Nothing at a path where a directory is needed; `near` are names like it.
    pub fn directory_not_found_near(path: &str, near: &[String]) -> Self {
        if near.is_empty() {
            return Self::directory_not_found(path);
        }
        Self::new(
            Code::DirectoryNotFound,
            format!("{path}: no such directory; did you mean {}?", near.join(" or ")),
        )
        .with("path", path)
        .with_near(near)
    }
}
