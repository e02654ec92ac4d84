//! What the session was sent of each file or page, so that what did not change is not sent again, and
//! lines are changed by number only if they are those that it saw.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use files::text::Encoding;

/// Files and pages that are remembered, and lines of them; forgetting one only means that it is sent
/// again.
const MOST: usize = 10_000;
const MOST_LINES: usize = 2_000_000;

/// Lines, from 1, both included.
type Lines = (usize, usize);

/// The lines that were sent, by real path or by the URL of a page.
#[derive(Default)]
pub(super) struct Sent {
    known: Mutex<HashMap<PathBuf, Known>>,
    /// How files are read whose bytes would say otherwise since the session changed them.
    encodings: Mutex<HashMap<PathBuf, (blake3::Hash, Encoding)>>,
}

/// What was sent of one file.
#[derive(Default)]
struct Known {
    /// As many as lines are of use.
    digests: Vec<u64>,
    sent: Vec<Lines>,
}

/// A digest of each line together with all above it: two texts that have the same one for a line are
/// the same up to that line.
pub(super) fn digests<'t>(lines: impl Iterator<Item = &'t str>) -> Vec<u64> {
    let mut all = DefaultHasher::new();
    let digest = |line: &str| {
        line.hash(&mut all);
        all.finish()
    };
    lines.map(digest).collect()
}

/// The same of what is no text, as one line.
pub(super) fn digest_of_bytes(bytes: &[u8]) -> Vec<u64> {
    let mut all = DefaultHasher::new();
    bytes.hash(&mut all);
    vec![all.finish()]
}

impl Known {
    /// Forgets lines that are others `now`, or have others above them.
    fn follow(&mut self, now: &[u64]) {
        let same = self.digests.iter().zip(now).take_while(|(a, b)| a == b).count();
        self.digests.truncate(same);
        self.sent.retain(|(first, _)| *first <= same);
        self.sent.iter_mut().for_each(|(_, last)| *last = (*last).min(same));
    }

    fn add(&mut self, now: &[u64], lines: &[Lines]) {
        self.sent.extend(lines);
        self.sent = joined(std::mem::take(&mut self.sent));
        let last = self.sent.last().map_or(0, |(_, last)| *last);
        self.digests = now[..last.min(now.len())].to_vec();
    }
}

impl Sent {
    /// Whether the session saw all of these lines at these numbers, and nothing above them changed
    /// since.
    pub(super) fn has(&self, path: &Path, now: &[u64], (first, last): Lines) -> bool {
        self.known().get(path).is_some_and(|known| {
            let at = last.saturating_sub(1);
            known.sent.iter().any(|(a, b)| *a <= first && last <= *b)
                && known.digests.get(at).is_some_and(|digest| now.get(at) == Some(digest))
        })
    }

    /// Whether the session saw lines of this file.
    pub(super) fn knows(&self, path: &Path) -> bool {
        self.known().contains_key(path)
    }

    /// Remembers lines that were sent.
    pub(super) fn note(&self, path: &Path, now: &[u64], lines: &[Lines]) {
        let mut all = self.known();
        let kept: usize = all.values().map(|known| known.digests.len()).sum();
        if all.len() >= MOST || kept > MOST_LINES {
            all.clear();
        }
        let known = all.entry(path.to_owned()).or_default();
        known.follow(now);
        known.add(now, lines);
    }

    /// Remembers that the session changed a file. What it was sent is known as before, but if lines
    /// `moved` only what is above the first change: who goes on with the numbers that were read would
    /// name others.
    pub(super) fn carry(&self, path: &Path, before: &[u64], after: &[u64], moved: bool) {
        let mut all = self.known();
        let Some(known) = all.get_mut(path) else { return };
        known.follow(before);
        if moved {
            known.follow(after);
        }
        known.add(after, &[]);
    }

    /// Remembers that a file, or a directory with those below it, has another path.
    pub(super) fn relocate(&self, from: &Path, to: &Path) {
        fn moved<V>(all: &mut HashMap<PathBuf, V>, from: &Path, to: &Path) {
            let below: Vec<PathBuf> =
                all.keys().filter(|path| path.starts_with(from)).cloned().collect();
            for old in below {
                let rest = old.strip_prefix(from).unwrap_or(Path::new(""));
                let new = if rest.as_os_str().is_empty() { to.to_owned() } else { to.join(rest) };
                if let Some(value) = all.remove(&old) {
                    all.insert(new, value);
                }
            }
        }
        moved(&mut self.known(), from, to);
        moved(&mut self.encodings(), from, to);
    }

    /// How the session reads these bytes, if not as they look by themselves.
    pub(super) fn encoding(&self, path: &Path, bytes: &[u8]) -> Option<Encoding> {
        let all = self.encodings();
        let (content, encoding) = all.get(path)?;
        (*content == blake3::hash(bytes)).then_some(*encoding)
    }

    /// Remembers how bytes are read that the session wrote.
    pub(super) fn note_encoding(&self, path: &Path, bytes: &[u8], encoding: Encoding) {
        let mut all = self.encodings();
        if all.len() >= MOST {
            all.clear();
        }
        all.insert(path.to_owned(), (blake3::hash(bytes), encoding));
    }

    fn known(&self) -> MutexGuard<'_, HashMap<PathBuf, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn encodings(&self) -> MutexGuard<'_, HashMap<PathBuf, (blake3::Hash, Encoding)>> {
        self.encodings.lock().unwrap_or_else(PoisonError::into_inner)
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
    use super::{Path, Sent, digests};

    fn of(text: &str) -> Vec<u64> {
        digests(text.lines())
    }

    #[test]
    fn only_lines_that_were_sent_and_stayed_are_known() {
        let (sent, path) = (Sent::default(), Path::new("/a"));
        let (old, new) = (of("a\nb\nc\nd\ne"), of("a\nb\nC\nd\ne\nf"));
        sent.note(path, &old, &[(1, 2), (4, 4)]);
        assert!(sent.has(path, &old, (1, 2)) && sent.has(path, &old, (4, 4)));
        assert!(!sent.has(path, &old, (2, 3)) && !sent.has(Path::new("/b"), &old, (1, 1)));
        sent.note(path, &old, &[(3, 3)]);
        assert!(sent.has(path, &old, (1, 4)) && !sent.has(path, &old, (1, 5)));
        // Somebody else changed line 3.
        assert!(sent.has(path, &new, (1, 2)) && !sent.has(path, &new, (4, 4)));
        sent.note(path, &new, &[(5, 6)]);
        assert!(sent.has(path, &new, (1, 2)) && sent.has(path, &new, (5, 6)));
        assert!(!sent.has(path, &new, (4, 5)) && !sent.has(path, &old, (4, 4)));
    }

    #[test]
    fn numbers_below_a_change_are_those_of_other_lines() {
        let (sent, path) = (Sent::default(), Path::new("/a"));
        let (old, same, more) = (of("a\nb\nc\nd"), of("a\nB\nc\nd"), of("a\nB\nb\nc\nd"));
        sent.carry(path, &old, &same, false);
        assert!(!sent.knows(path), "nothing is known of it");
        sent.note(path, &old, &[(1, 4)]);
        sent.carry(path, &old, &same, false);
        assert!(sent.has(path, &same, (1, 4)), "no line moved");
        sent.carry(path, &same, &more, true);
        assert!(sent.has(path, &more, (1, 2)) && !sent.has(path, &more, (3, 3)));
        sent.relocate(Path::new("/a"), Path::new("/b"));
        assert!(sent.has(Path::new("/b"), &more, (1, 2)) && !sent.knows(path));
    }
}
