//! A file before and after an edit, and what became of it in a few words.

use files::text::{self, Text};

/// A file before and after the step.
#[derive(Debug, Default)]
pub(super) struct File {
    /// Its path before, as it is shown.
    pub(super) path: String,
    /// Its text before and after; `None` where there is no text.
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
    /// Where it was moved.
    pub(super) moved_to: Option<String>,
    /// What was done, in a few words.
    pub(super) told: String,
    /// What was in it, if it is a directory that was moved or removed.
    pub(super) inner: Vec<File>,
    /// Whether there was more in it.
    pub(super) unjudged: bool,
    /// The places that were replaced.
    pub(super) places: usize,
    /// Whether there was a file in its place, text or not.
    pub(super) was_there: bool,
    /// What else is to be known of the change.
    pub(super) notes: Vec<String>,
}

impl File {
    /// The first line that differs, from 1, and the last ones before and after; `None` if none does.
    /// A line that ends otherwise differs, but for whether the last one has an end.
    pub(super) fn span(&self) -> Option<(usize, usize, usize)> {
        let (before, after) = (self.before.as_ref()?, self.after.as_ref()?);
        let is_open = before.ends_with('\n') != after.ends_with('\n');
        let (old, new) = (lines(before, is_open), lines(after, is_open));
        let (head, tail) = files::edit::common(&old, &new);
        (old != new).then_some((head + 1, old.len() - tail, new.len() - tail))
    }

    /// What became of the text, in a few words.
    pub(super) fn difference(&self) -> String {
        [self.place()].into_iter().chain(self.notes.iter().cloned()).collect::<Vec<_>>().join("; ")
    }

    fn place(&self) -> String {
        let Some(after) = &self.after else { return "changed".to_owned() };
        let Some(before) = &self.before else {
            return match self.was_there {
                true => "replaced; it was no text".to_owned(),
                false => format!("created, {}", fault::count(after.lines().count(), "line")),
            };
        };
        let Some((first, old_last, last)) = self.span() else {
            return match before == after {
                true => "as it was".to_owned(),
                false if !after.ends_with('\n') => "line break at the end removed".to_owned(),
                false if !before.ends_with('\n') => "line break at the end added".to_owned(),
                false => "line break at the end changed".to_owned(),
            };
        };
        if self.places > 1 {
            let (old, new) = (fault::lines(first, old_last), fault::range(first, last));
            let now = if old_last == last { String::new() } else { format!(", now {new}") };
            return format!("{} places changed in {old}{now}", self.places);
        }
        let (old, new) = (old_last + 1 - first, last + 1 - first);
        match (old, new) {
            (_, 0) => format!("{} removed at line {first}", fault::count(old, "line")),
            (0, _) => format!("{} added", fault::lines(first, last)),
            _ if old == new => format!("{} changed", fault::lines(first, last)),
            _ => {
                let new = fault::count(new, "line");
                format!("{} replaced by {new}", fault::lines(first, old_last))
            }
        }
    }
}

/// The lines of a text with all but the `\n` of their ends; of the last one also without that `\r` if it
/// `is_open` in another text.
fn lines(text: &str, is_open: bool) -> Vec<&str> {
    let mut lines: Vec<&str> = text.split_terminator('\n').collect();
    if let Some(last) = lines.last_mut().filter(|_| is_open) {
        *last = last.strip_suffix('\r').unwrap_or(last);
    }
    lines
}

/// What had to become of a text that was written anew, beside its lines: encoding and line endings.
pub(super) fn rewritten(before: &Text<'_>, after: &Text<'_>) -> Vec<String> {
    let encodings = (before.encoding().name(), after.encoding().name());
    let endings = (text::endings(before.as_str()), text::endings(after.as_str()));
    let is_plain = before.as_str().is_ascii() || after.as_str().is_ascii();
    let encoding = (encodings.0 != encodings.1 && !is_plain)
        .then(|| format!("encoding was {}, now {}", encodings.0, encodings.1));
    let ending = match endings {
        (Some(was), Some(is)) if was != is => Some(format!("line endings were {was}, now {is}")),
        _ => None,
    };
    encoding.into_iter().chain(ending).collect()
}
