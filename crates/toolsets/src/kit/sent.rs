//! What the session was sent of each file, so that what did not change is not sent again.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Files that are remembered; forgetting one only means that it is sent again.
const MOST: usize = 10_000;

/// The digest of a content.
pub(super) type Digest = [u8; 32];

/// Lines of one content, from 1, both included.
type Lines = (usize, usize);

/// The lines that were sent, by real path and content.
#[derive(Default)]
pub(super) struct Sent(Mutex<HashMap<PathBuf, (Digest, Vec<Lines>)>>);

impl Sent {
    /// Whether all of these lines of this content were sent.
    pub(super) fn has(&self, path: &Path, content: &Digest, (first, last): Lines) -> bool {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = all.get(path).filter(|(known, _)| known == content);
        sent.is_some_and(|(_, sent)| sent.iter().any(|(a, b)| *a <= first && last <= *b))
    }

    /// Remembers lines of a content; what was sent of another content is of no use any more.
    pub(super) fn note(&self, path: &Path, content: Digest, lines: Lines) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST {
            all.clear();
        }
        let entry = all.entry(path.to_owned()).or_insert_with(|| (content, Vec::new()));
        if entry.0 != content {
            *entry = (content, Vec::new());
        }
        entry.1.push(lines);
        entry.1 = joined(std::mem::take(&mut entry.1));
    }
}

/// The same lines in as few ranges as can be, in their order.
fn joined(mut ranges: Vec<Lines>) -> Vec<Lines> {
    ranges.sort_unstable();
    let mut out: Vec<Lines> = Vec::with_capacity(ranges.len());
    for (first, last) in ranges {
        match out.last_mut() {
            Some((_, end)) if first <= *end + 1 => *end = last.max(*end),
            _ => out.push((first, last)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Path, Sent};

    #[test]
    fn only_lines_that_were_sent_of_the_same_content_are_known() {
        let (sent, path) = (Sent::default(), Path::new("/a"));
        let (old, new) = ([1; 32], [2; 32]);
        sent.note(path, old, (1, 10));
        sent.note(path, old, (21, 30));
        assert!(sent.has(path, &old, (3, 10)) && !sent.has(path, &old, (3, 11)));
        assert!(!sent.has(path, &new, (3, 4)) && !sent.has(Path::new("/b"), &old, (3, 4)));
        sent.note(path, old, (11, 20));
        assert!(sent.has(path, &old, (1, 30)));
        sent.note(path, new, (5, 6));
        assert!(sent.has(path, &new, (5, 6)) && !sent.has(path, &old, (1, 2)));
    }
}
