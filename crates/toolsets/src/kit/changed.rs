//! A file before and after an edit, and what became of it in a few words.

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
}

impl File {
    /// The first line that differs, from 1, and the last ones before and after; `None` if none does.
    pub(super) fn span(&self) -> Option<(usize, usize, usize)> {
        let (before, after) = (self.before.as_ref()?, self.after.as_ref()?);
        let (old, new): (Vec<&str>, Vec<&str>) =
            (before.lines().collect(), after.lines().collect());
        let (head, tail) = files::edit::common(&old, &new);
        (before != after).then_some((head + 1, old.len() - tail, new.len() - tail))
    }

    /// What became of the text, in a few words.
    pub(super) fn difference(&self) -> String {
        let Some(after) = &self.after else { return "changed".to_owned() };
        if self.before.is_none() {
            return format!("created, {}", fault::count(after.lines().count(), "line"));
        }
        let Some((first, old_last, last)) = self.span() else { return "as it was".to_owned() };
        let places = match self.places {
            0 | 1 => String::new(),
            many => format!(", {many} places"),
        };
        let range = |last: usize| match last {
            last if last == first => format!("line {first}"),
            last => format!("lines {first}-{last}"),
        };
        let (old, new) = (old_last + 1 - first, last + 1 - first);
        let told = match (old, new) {
            (_, 0) => format!("{} removed at line {first}", fault::count(old, "line")),
            (0, _) => format!("{} added", range(last)),
            _ if old == new => format!("{} changed", range(last)),
            _ => format!("{} replaced by {}", range(old_last), fault::count(new, "line")),
        };
        told + &places
    }
}
