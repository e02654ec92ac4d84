//! An index of the watched files: of the words in them, which says which can hold a match, or of
//! what others keep of them.
//!
//! It consists of segments, each written once. A file is covered as long as its state is the one
//! that a segment read; every other file is a candidate of every search, until it is read into the
//! next segment. So an answer never rests on what a file held before.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use postings::{Query, Segment, Set};

use super::digest::{Digests, Known};
use super::job::{ALWAYS, BINARY, Job};
use super::kept::Kept;
use super::view::View;
use crate::limits::Limits;
use crate::search::Stamp;
use crate::workspace::Kind;

/// Bytes that are not covered, from which on they are read into a segment however few files they
/// are.
const MOST_BYTES: u64 = 8 << 20;
/// Bytes of text that are indexed; what is beyond is searched every time.
const MOST_TEXT: u64 = 8 << 30;
/// Larger files are searched every time.
pub(crate) const LARGEST: u64 = 32 << 20;
/// So many segments are made one, the smallest first: a question costs what there are of them.
const MERGED: usize = 4;
/// Bytes of segments that are made one; what comes of it is in memory until it is written.
const MERGED_BYTES: usize = 96 << 20;

/// The files of a search.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    /// Those that can hold a match, by path.
    pub(crate) files: Vec<Arc<OsStr>>,
    /// Those with a NUL byte that cannot, by path.
    pub(crate) binary: Vec<Arc<OsStr>>,
}

/// Whether there is something to be read into a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    Nothing,
    /// As soon as it is left alone.
    Later,
    Now,
}

/// Which files are covered, and by what.
#[derive(Debug, Default)]
pub(crate) struct Words {
    segments: Vec<Part>,
    /// How many there were.
    numbers: usize,
    covered: HashMap<Arc<OsStr>, Cover>,
    uncovered: BTreeSet<OsString>,
    /// Covered files that are searched every time, or counted.
    special: BTreeMap<Arc<OsStr>, u8>,
    /// Files that could not be read in this state.
    refused: HashMap<OsString, Stamp>,
    /// Nothing can be kept on the disk.
    unkept: bool,
    /// Files are being read into segments.
    pub(crate) busy: bool,
}

/// The state of a file that a segment read.
#[derive(Debug)]
struct Cover {
    stamp: Stamp,
    /// The number of the segment, and of the text in it.
    part: usize,
    text: usize,
}

#[derive(Debug)]
struct Part {
    number: usize,
    name: String,
    texts: Arc<Texts>,
    /// Which texts cover a file as it is now.
    live: Set,
}

/// A segment with what is asked of its texts most.
#[derive(Debug)]
pub(crate) struct Texts {
    pub(crate) segment: Segment,
    pub(crate) names: Vec<Arc<OsStr>>,
    /// The sizes of the files in bytes.
    pub(crate) sizes: Vec<u64>,
}

/// What an index held at one moment: segments, each with which of its texts cover a file.
pub(crate) type Held = Vec<(Arc<Texts>, Set)>;

impl Words {
    /// Nothing is covered yet.
    pub(crate) fn new(view: &View) -> Self {
        let mut words = Self::default();
        for (directory, entries) in &view.directories {
            let files = entries.iter().filter(|(_, entry)| entry.kind == Kind::File);
            words.uncovered.extend(files.map(|(name, _)| super::view::below(directory, name)));
        }
        words
    }

    /// Takes note of files that changed, came or went.
    pub(crate) fn touch(&mut self, view: &View, paths: &[OsString]) {
        for path in paths {
            match view.entry(path).filter(|entry| entry.kind == Kind::File) {
                Some(entry) if self.covers(path, entry.stamp) => {}
                Some(_) => {
                    self.uncover(path);
                    self.uncovered.insert(path.clone());
                }
                None => {
                    self.uncovered.remove(path);
                    self.uncover(path);
                }
            }
        }
    }

    /// Takes note of files whose content may have changed, whatever their state says.
    pub(crate) fn doubt(&mut self, view: &View, paths: &[OsString]) {
        paths.iter().for_each(|path| self.uncover(path));
        self.touch(view, paths);
    }

    /// A file is not any more what a segment read.
    fn uncover(&mut self, path: &OsStr) {
        self.special.remove(path);
        if let Some(Cover { part, text, .. }) = self.covered.remove(path)
            && let Some(part) = self.segments.iter_mut().find(|own| own.number == part)
        {
            part.live.remove(text);
        }
    }

    fn covers(&self, path: &OsStr, stamp: Stamp) -> bool {
        self.covered.get(path).is_some_and(|cover| cover.stamp == stamp)
    }

    /// Adds a segment: from now on the files in it are covered whose state it read. If it was made
    /// of segments with these names, only those that one of them covers: others were not looked at
    /// again, whatever their state says.
    pub(crate) fn add(&mut self, view: &View, name: String, segment: Segment, of: &[String]) {
        let parts = self.segments.iter().filter(|part| of.contains(&part.name));
        let parts: Vec<usize> = parts.map(|part| part.number).collect();
        let number = self.numbers;
        self.numbers += 1;
        let (mut names, mut sizes) = (Vec::with_capacity(segment.len()), Vec::new());
        let mut live = Set::empty(segment.len());
        for (number_of_text, text) in segment.texts().enumerate() {
            let path: Arc<OsStr> = OsStr::from_bytes(text.name).into();
            let stamp = Stamp::from_state(text.state);
            let is_of = |cover: &Cover| cover.stamp == stamp && parts.contains(&cover.part);
            let is_right = match of {
                [] => view.entry(&path).is_some_and(|e| e.kind == Kind::File && e.stamp == stamp),
                _ => self.covered.get(&path).is_some_and(is_of),
            };
            if is_right {
                self.uncover(&path);
                self.uncovered.remove(&*path);
                if text.kind != 0 {
                    self.special.insert(Arc::clone(&path), text.kind);
                }
                let cover = Cover { stamp, part: number, text: number_of_text };
                self.covered.insert(Arc::clone(&path), cover);
                live.insert(number_of_text as u32);
            }
            names.push(path);
            sizes.push(stamp.size);
        }
        let texts = Arc::new(Texts { segment, names, sizes });
        self.segments.push(Part { number, name, texts, live });
    }

    /// Adds the segments on the disk that are not known yet.
    pub(crate) fn read(&mut self, view: &View, kept: &Kept) {
        let known: HashSet<&str> = self.segments.iter().map(|part| part.name.as_str()).collect();
        let new: Vec<_> =
            kept.list().into_iter().filter(|name| !known.contains(name.as_str())).collect();
        for name in new {
            if let Some(segment) = kept.open(&name) {
                self.add(view, name, segment, &[]);
            }
        }
    }

    /// The files that can match; of those in `directory` alone.
    pub(crate) fn candidates(&self, directory: &OsStr, query: &Query) -> Candidates {
        let below = |path: &OsStr| super::watches::is_in(path, directory);
        let special = |bit: u8| self.special.iter().filter(move |(_, kind)| *kind & bit != 0);
        let uncovered = self.uncovered.iter().filter(|path| below(path));
        let mut files: Vec<Arc<OsStr>> = uncovered.map(|path| path.as_os_str().into()).collect();
        for part in &self.segments {
            let mut texts = query.texts(&part.texts.segment);
            texts.intersect(&part.live);
            let names = texts.iter().filter_map(|text| part.texts.names.get(text));
            files.extend(names.filter(|path| below(path)).cloned());
        }
        let always = special(ALWAYS).map(|(path, _)| path);
        files.extend(always.filter(|path| below(path)).cloned());
        // The names of a segment are in order, which a stable sort makes use of.
        files.sort();
        files.dedup();
        let is_left = |path: &&Arc<OsStr>| below(path) && files.binary_search(path).is_err();
        let binary = special(BINARY).map(|(path, _)| path).filter(is_left).cloned().collect();
        Candidates { binary, files }
    }

    /// Those of some files that can match.
    fn matching<'p>(
        &self,
        query: &Query,
        paths: impl Iterator<Item = &'p OsStr>,
    ) -> impl Iterator<Item = &'p OsStr> {
        let texts =
            self.segments.iter().map(|part| (part.number, query.texts(&part.texts.segment)));
        let texts: HashMap<usize, Set> = texts.collect();
        paths.filter(move |path| match self.covered.get(*path) {
            Some(cover) => {
                texts.get(&cover.part).is_none_or(|set| set.contains(cover.text))
                    || self.special.get(*path).is_some_and(|kind| kind & ALWAYS != 0)
            }
            None => true,
        })
    }

    /// The files of `directory` whose digest a query names, or all, about `most` of them; and the
    /// files without one in which `words` may have `text`.
    pub(crate) fn digests(
        &self,
        directory: &OsStr,
        query: Option<&Query>,
        most: usize,
        (words, text): (&Self, &Query),
    ) -> Digests {
        let cut = if directory.is_empty() { 0 } else { directory.len() + 1 };
        let rel = |path: &OsStr| PathBuf::from(OsStr::from_bytes(&path.as_bytes()[cut..]));
        let mut known = Vec::new();
        for part in &self.segments {
            let texts = query.map(|query| query.texts(&part.texts.segment));
            let texts = texts.as_ref().unwrap_or(&part.live).iter();
            for text in texts.filter(|text| part.live.contains(*text)) {
                let path =
                    part.texts.names.get(text).filter(|p| super::watches::is_in(p, directory));
                known.extend(path.map(|p| Known { rel: rel(p), texts: part.texts.clone(), text }));
            }
            if known.len() > most {
                break;
            }
        }
        known.sort_by(|a, b| a.rel.as_os_str().cmp(b.rel.as_os_str()));
        let refused = self.special.keys().map(|path| &**path);
        let unknown = self.uncovered().chain(refused);
        let unknown = unknown.filter(|path| super::watches::is_in(path, directory));
        let mut unknown: Vec<PathBuf> = words.matching(text, unknown).map(rel).collect();
        // What many use is seldom deep below; there may be no time for all.
        unknown.sort_by_cached_key(|path| (path.components().count(), path.clone()));
        let covered = self.covered.len();
        Digests { known, unknown, covered: (covered, covered + self.uncovered.len()) }
    }

    /// Gives the memory of the segments back; the next question takes it again.
    pub(crate) fn rest(&self) {
        self.segments.iter().for_each(|part| part.texts.segment.rest());
    }

    /// What there is of it now, to be asked without holding up others.
    pub(crate) fn held(&self) -> Held {
        self.segments.iter().map(|part| (Arc::clone(&part.texts), part.live.clone())).collect()
    }

    /// The files that are not covered, by path.
    pub(crate) fn uncovered(&self) -> impl Iterator<Item = &OsStr> {
        self.uncovered.iter().map(OsString::as_os_str)
    }

    /// What is not covered and could be, if it is enough to be read.
    fn left(&self, view: &View, limits: &Limits) -> Option<Vec<(OsString, Stamp)>> {
        let files: usize = view.directories.values().map(|entries| entries.len()).sum();
        if files < limits.words_root_files || self.unkept {
            return None;
        }
        let fits = |(path, stamp): &(OsString, Stamp)| {
            stamp.size <= LARGEST && self.refused.get(path) != Some(stamp)
        };
        let stamped = |path: &OsString| Some((path.clone(), view.entry(path)?.stamp));
        let mut left: Vec<_> = self.uncovered.iter().filter_map(stamped).filter(fits).collect();
        let covered: u64 = self.covered.values().map(|cover| cover.stamp.size).sum();
        let mut room = MOST_TEXT.saturating_sub(covered);
        left.retain(|(_, stamp)| {
            let fits = stamp.size <= room;
            room -= if fits { stamp.size } else { 0 };
            fits
        });
        let bytes: u64 = left.iter().map(|(_, stamp)| stamp.size).sum();
        (left.len() >= limits.words_changed_files || bytes >= MOST_BYTES).then_some(left)
    }

    /// What there is to be read.
    pub(crate) fn due(&self, view: &View, limits: &Limits) -> Due {
        match self.left(view, limits) {
            None if !self.alike().is_empty() => Due::Now,
            None => Due::Nothing,
            Some(left) if left.iter().any(|(_, stamp)| stamp.is_settled()) => Due::Now,
            Some(_) => Due::Later,
        }
    }

    /// What is worth to be read now, if anything is.
    pub(crate) fn job(&self, view: &View, limits: &Limits) -> Option<Job> {
        let Some(mut left) = self.left(view, limits) else { return self.merge() };
        left.retain(|(_, stamp)| stamp.is_settled());
        if left.is_empty() {
            return None;
        }
        let stamped = |path: &OsString| Some((path.clone(), view.entry(path)?.stamp));
        let mut job = Job::default();
        job.files.extend(left);
        let is_dead = |part: &&Part| part.live.len() * 2 < part.texts.names.len();
        let dropped: Vec<&Part> = self.segments.iter().filter(is_dead).collect();
        for part in dropped {
            job.dropped.push(part.name.clone());
            let again = part.live.iter().filter_map(|text| part.texts.names.get(text));
            job.files.extend(again.filter_map(|path| stamped(&path.to_os_string())));
        }
        job.files.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        job.files.dedup();
        Some(job)
    }

    /// The segments that are worth to be made one: the smallest, without those that are much larger
    /// than the others together and would be written again for little.
    fn alike(&self) -> Vec<&Part> {
        let mut parts: Vec<&Part> = self.segments.iter().collect();
        let bytes = |part: &Part| part.texts.segment.bytes();
        parts.sort_by_key(|part| bytes(part));
        let mut sum: usize = parts.iter().map(|part| bytes(part)).sum();
        while let Some(last) = parts.last().map(|part| bytes(part)) {
            sum -= last;
            if sum + last <= MERGED_BYTES && last <= 2 * sum {
                break;
            }
            parts.pop();
        }
        if parts.len() < MERGED || self.unkept { Vec::new() } else { parts }
    }

    fn merge(&self) -> Option<Job> {
        let parts = self.alike();
        let merged = parts.iter().map(|p| (Arc::clone(&p.texts), p.live.clone())).collect();
        let dropped = parts.iter().map(|part| part.name.clone()).collect();
        (!parts.is_empty()).then(|| Job { merged, dropped, ..Job::default() })
    }

    /// Takes note of what a job could not read, and lets go of what it made anew; false if that
    /// is still needed.
    pub(crate) fn finish(
        &mut self,
        view: &View,
        refused: Vec<(OsString, Stamp)>,
        dropped: &[String],
    ) -> bool {
        self.refused.extend(refused);
        if self.unkept {
            return false;
        }
        let (gone, stay) = std::mem::take(&mut self.segments)
            .into_iter()
            .partition(|part| dropped.contains(&part.name));
        self.segments = stay;
        for part in gone {
            let left = part.live.iter().filter_map(|text| part.texts.names.get(text));
            let left: Vec<OsString> = left.map(|path| path.to_os_string()).collect();
            left.iter().for_each(|path| self.uncover(path));
            self.touch(view, &left);
        }
        true
    }

    /// There is no room on the disk, or no permission: what is covered stays so, nothing is added.
    pub(crate) fn give_up(&mut self) {
        self.unkept = true;
    }

    /// Segments and their bytes, covered files, and files that are searched every time.
    pub(crate) fn size(&self) -> (usize, usize, usize, usize) {
        let bytes = self.segments.iter().map(|part| part.texts.segment.bytes()).sum();
        (self.segments.len(), bytes, self.covered.len(), self.uncovered.len())
    }
}
