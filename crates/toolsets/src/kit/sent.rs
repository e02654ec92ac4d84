//! What the session was sent of each file, so that what did not change is not sent again.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Files that are remembered; forgetting one only means that it is sent again.
const MOST: usize = 10_000;

/// The digest of a content.
pub(super) type Digest = [u8; 32];

/// Lines of one content, from 1, both included.
type Lines = (usize, usize);

/// The lines that were sent, by real path.
#[derive(Default)]
pub(super) struct Sent(Mutex<HashMap<PathBuf, Known>>);

/// What was sent of one content of a file.
struct Known {
    content: Digest,
    sent: Vec<Lines>,
    /// From this line on, numbers that the session knows are those of an older content.
    moved_from: usize,
}

impl Known {
    fn of(content: Digest, moved_from: usize) -> Self {
        Self { content, sent: Vec::new(), moved_from }
    }

    fn has(&self, (first, last): Lines) -> bool {
        self.sent.iter().any(|(a, b)| *a <= first && last <= *b)
    }
}

impl Sent {
    /// Whether all of these lines of this content were sent.
    pub(super) fn has(&self, path: &Path, content: &Digest, lines: Lines) -> bool {
        let all = self.all();
        all.get(path).is_some_and(|known| known.content == *content && known.has(lines))
    }

    /// Whether the session knows these lines by the numbers of another content than this.
    pub(super) fn is_stale(&self, path: &Path, content: &Digest, lines: Lines) -> bool {
        let all = self.all();
        all.get(path).is_some_and(|known| {
            known.content != *content || lines.1 >= known.moved_from && !known.has(lines)
        })
    }

    /// Remembers lines of a content; what was sent of another content is of no use any more.
    pub(super) fn note(&self, path: &Path, content: Digest, lines: Lines) {
        let mut all = self.all();
        if all.len() >= MOST {
            all.clear();
        }
        let known = all.entry(path.to_owned()).or_insert_with(|| Known::of(content, usize::MAX));
        if known.content != content {
            // Of what was not sent again, the numbers are still the old ones.
            *known = Known::of(content, 1);
        }
        known.sent.push(lines);
        known.sent = joined(std::mem::take(&mut known.sent));
    }

    /// Remembers that the session changed a content from line `first` on: what it was sent above of
    /// that is as it was, and so are all other lines if none moved.
    pub(super) fn carry(
        &self,
        path: &Path,
        before: &Digest,
        after: Digest,
        first: usize,
        moved: bool,
    ) {
        let mut all = self.all();
        let Some(known) = all.get_mut(path).filter(|known| known.content == *before) else {
            return;
        };
        known.content = after;
        if !moved {
            return; // what changed the session wrote itself
        }
        let above = known.sent.iter().filter(|(start, _)| *start < first);
        known.sent = above.map(|(start, end)| (*start, (*end).min(first - 1))).collect();
        known.moved_from = known.moved_from.min(first);
    }

    fn all(&self) -> MutexGuard<'_, HashMap<PathBuf, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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

    #[test]
    fn numbers_below_a_change_are_stale_until_the_lines_are_sent_again() {
        let (sent, path) = (Sent::default(), Path::new("/a"));
        let (old, new, other) = ([1; 32], [2; 32], [3; 32]);
        assert!(!sent.is_stale(path, &old, (1, 9)), "nothing is known of it");
        sent.note(path, old, (1, 30));
        sent.carry(path, &old, old, 4, false);
        assert!(!sent.is_stale(path, &old, (3, 30)), "no line moved");
        sent.carry(path, &old, new, 10, true);
        assert!(sent.has(path, &new, (1, 9)) && !sent.has(path, &new, (1, 10)));
        assert!(!sent.is_stale(path, &new, (3, 9)) && sent.is_stale(path, &new, (3, 10)));
        assert!(sent.is_stale(path, &other, (3, 9)), "somebody else changed it");
        sent.note(path, new, (10, 20));
        assert!(!sent.is_stale(path, &new, (12, 20)) && sent.is_stale(path, &new, (20, 21)));
    }
}
