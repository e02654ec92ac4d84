//! Names as they are asked for: in a declaration, with what they are in, in another case.

/// The name in a declaration as it is written: `Stock` of `class Stock:`, `take` of `fn take(&self)`.
pub fn declared(text: &str) -> &str {
    let head = text.split(['(', '{', '<', '=', ';']).next().unwrap_or_default();
    head.trim().trim_end_matches(':').split_whitespace().next_back().unwrap_or_default()
}

/// `Journal::undo` and `Stock.take` in their two last parts; a name without a dot or `::` has no
/// container.
pub(crate) fn qualified(name: &str) -> (Option<&str>, &str) {
    let cut = |text: &'_ str| text.rfind(['.', ':', '#']);
    let parts = cut(name).map(|at| (name[..at].trim_end_matches(':'), &name[at + 1..]));
    match parts {
        Some((before, last)) if !before.is_empty() && !last.is_empty() => {
            (Some(cut(before).map_or(before, |at| &before[at + 1..])), last)
        }
        _ => (None, name),
    }
}

/// The lower the closer; `None` if a name is another.
pub(crate) fn closeness(name: &str, wanted: &str) -> Option<u8> {
    let (lower, wanted_lower) = (name.to_lowercase(), wanted.to_lowercase());
    match () {
        () if name == wanted => Some(0),
        () if lower == wanted_lower => Some(1),
        () if lower.starts_with(&wanted_lower) => Some(2),
        () => None,
    }
}
