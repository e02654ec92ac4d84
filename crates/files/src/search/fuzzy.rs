//! Files by some letters of their paths, the best first.

use std::cmp::Reverse;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use fault::{Cancel, Error, Result};
use ignore::WalkState;
use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::find::Spot;
use super::in_parallel;
use super::walk::Walk;
use crate::workspace::{Kind, Workspace};

/// Longest pattern, in bytes: the work grows with it.
const LONGEST: usize = 256;
/// Directories that a thread takes at once.
const CHUNK: usize = 64;

/// Which files to look for, and where.
#[derive(Clone, Copy, Debug)]
pub struct Fuzzy<'a> {
    /// Letters in their order, of one or more words apart; the letters of a word may have others
    /// between them. Capitals match only capitals.
    pub pattern: &'a str,
    /// The directory; the pattern is for paths below it.
    pub dir: &'a str,
    /// Most paths in the result.
    pub max: usize,
}

/// The files whose paths fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fitting {
    /// The best first, then the shorter, then by path; at most as many as were asked for.
    pub spots: Vec<Spot>,
    /// How many there are, also beyond these.
    pub total: usize,
}

/// Finds files and links by some letters of their paths.
///
/// # Errors
/// `InvalidInput` for an empty or a very long pattern; `DirectoryNotFound`, `NotADirectory`,
/// `PathOutsideWorkspace`, `Cancelled`.
pub fn fuzzy(workspace: &Workspace, fuzzy: &Fuzzy<'_>, cancel: &Cancel) -> Result<Fitting> {
    let Fuzzy { pattern: text, dir, max } = *fuzzy;
    if text.trim().is_empty() || text.len() > LONGEST {
        let problem = format!("give 1 to {LONGEST} bytes of a path");
        return Err(Error::invalid_input("pattern", problem));
    }
    let folder = workspace.folder(dir)?;
    folder.check_readable(dir)?;
    let pattern = Pattern::new(text, CaseMatching::Smart, Normalization::Smart, AtomKind::Fuzzy);
    let all = Mutex::new(Best { max, ..Best::default() });
    let share = || Share::new(&pattern, letters(text.as_bytes()), &all);
    let walk = Walk::new(&folder, cancel);
    if let Some(known) = walk.known(|| None) {
        let (directories, next) = (known.directories(), AtomicUsize::new(0));
        in_parallel(directories.len() / CHUNK, || {
            let (mut share, mut rel) = (share(), Vec::new());
            while !cancel.is_cancelled()
                && let Some(some) = directories.get(next.fetch_add(CHUNK, Ordering::Relaxed)..)
                && !some.is_empty()
            {
                for (place, entries) in some.iter().take(CHUNK) {
                    rel.clear();
                    rel.extend(place.as_bytes());
                    if !rel.is_empty() {
                        rel.push(b'/');
                    }
                    let (start, above) = (rel.len(), letters(&rel));
                    for (name, entry) in entries.iter() {
                        rel.truncate(start);
                        share.try_name(&mut rel, above, name, entry.kind);
                    }
                }
            }
        });
    } else {
        walk.walk(|| {
            let mut share = share();
            move |item| {
                if let Ok(item) = item {
                    let mut rel = Vec::new();
                    share.try_name(&mut rel, 0, item.rel.as_os_str(), item.kind);
                }
                WalkState::Continue
            }
        });
    }
    cancel.check()?;
    let mut best = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    best.cut(max);
    let spot = |(_, rel, kind): (u32, PathBuf, Kind)| {
        let path = folder.path().join(rel);
        Spot { shown: workspace.show(&path), path, kind }
    };
    Ok(Fitting { spots: best.first.into_iter().map(spot).collect(), total: best.total })
}

/// Which letters, digits and usual marks are in a text: what lacks one of the pattern's need not be
/// looked at closer.
fn letters(text: &[u8]) -> u64 {
    text.iter().fold(0, |all, byte| all | LETTERS[usize::from(*byte)])
}

const LETTERS: [u64; 256] = {
    let mut letters = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        let own = (byte as u8).to_ascii_lowercase();
        if own.is_ascii_graphic() {
            letters[byte] = 1 << (own % 64);
        }
        byte += 1;
    }
    letters
};

/// The best of what one thread, or all, have seen.
#[derive(Default)]
struct Best {
    first: Vec<(u32, PathBuf, Kind)>,
    /// What is worse is not among the first.
    worst: u32,
    total: usize,
    max: usize,
}

impl Best {
    fn add(&mut self, score: u32, rel: &Path, kind: Kind) {
        self.total += 1;
        if score < self.worst {
            return;
        }
        self.first.push((score, rel.to_owned(), kind));
        if self.first.len() > self.max.saturating_mul(2).max(64) {
            self.cut(self.max);
            self.worst = self.first.last().map_or(0, |(score, ..)| *score);
        }
    }

    fn cut(&mut self, max: usize) {
        self.first.sort_unstable_by(|(a, a_path, _), (b, b_path, _)| {
            let (a_path, b_path) = (a_path.as_os_str(), b_path.as_os_str());
            (Reverse(a), a_path.len(), a_path).cmp(&(Reverse(b), b_path.len(), b_path))
        });
        self.first.truncate(max);
    }
}

/// One thread's part, put to those of the others when the thread ends.
struct Share<'a> {
    pattern: &'a Pattern,
    wanted: u64,
    matcher: Matcher,
    wide: Vec<char>,
    best: Best,
    all: &'a Mutex<Best>,
}

impl<'a> Share<'a> {
    fn new(pattern: &'a Pattern, wanted: u64, all: &'a Mutex<Best>) -> Self {
        let max = all.lock().unwrap_or_else(PoisonError::into_inner).max;
        let matcher = Matcher::new(Config::DEFAULT.match_paths());
        let best = Best { max, ..Best::default() };
        Self { pattern, wanted, matcher, wide: Vec::new(), best, all }
    }

    /// Looks at a name in the directory that `rel` ends in, whose letters are `above`.
    fn try_name(&mut self, rel: &mut Vec<u8>, above: u64, name: &OsStr, kind: Kind) {
        let name = name.as_bytes();
        if !matches!(kind, Kind::File | Kind::Link)
            || (above | letters(name)) & self.wanted != self.wanted
                && rel.is_ascii()
                && name.is_ascii()
        {
            return;
        }
        rel.extend(name);
        let lossy;
        let text = if rel.is_ascii() {
            Utf32Str::Ascii(rel)
        } else {
            lossy = String::from_utf8_lossy(rel);
            Utf32Str::new(&lossy, &mut self.wide)
        };
        if let Some(score) = self.pattern.score(text, &mut self.matcher) {
            self.best.add(score, Path::new(OsStr::from_bytes(rel)), kind);
        }
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        let mine = std::mem::take(&mut self.best);
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let total = all.total + mine.total;
        mine.first.into_iter().for_each(|(score, rel, kind)| all.add(score, &rel, kind));
        all.total = total;
    }
}
