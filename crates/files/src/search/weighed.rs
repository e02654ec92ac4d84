//! Which files say most about some words, by the indexes of a watched root.
//!
//! A file is weighed by which of the words it holds, by those in the names that it defines, best
//! of all in one name, and by those in its path. Nothing is read: the files that weigh most are
//! there for the caller to look into.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use fault::Result;
use postings::{Set, Stem};

use super::in_parallel;
use crate::tree::{Indexes, Known, Texts, is_in};
use crate::workspace::{Folder, Kind, Workspace};

/// Files of a segment that are looked at closer, for each that is wanted.
const OF_SEGMENT: usize = 8;
/// Bytes of a file that is neither long nor short.
const USUAL: f32 = 16_384.0;
/// What a word in a name that the file defines counts, in its best name, and in its path, beside
/// one in its text.
const IN_NAMES: f32 = 0.6;
const IN_ONE_NAME: f32 = 1.2;
const IN_PATH: f32 = 0.8;

/// What to look for, and where.
pub struct Weigh<'a> {
    /// The directory.
    pub dir: &'a str,
    /// Beginnings of words, in lower case; of less than three letters none counts.
    pub stems: &'a [String],
    /// Whether a file, by its path below the root, is wanted.
    pub wanted: &'a (dyn Fn(&Path) -> bool + Sync),
    /// Most files in the answer.
    pub max: usize,
}

/// The files that weigh most.
#[derive(Debug)]
pub struct Weighed {
    folder: Folder,
    /// The heaviest first, by their paths below the root, each with its digest if there is one.
    pub files: Vec<(PathBuf, Option<Known>)>,
    /// Files that nothing is known of because they changed just now, if they are few.
    pub changed: Vec<PathBuf>,
    /// Files that the index covers, of so many in the root.
    pub covered: (usize, usize),
}

impl Weighed {
    /// Reads a file of the root, or the first `most` bytes of it; through no link. Gives where it
    /// is with it.
    ///
    /// # Errors
    /// Those of the operating system.
    pub fn read(&self, rel: &Path, most: u64) -> io::Result<(PathBuf, Vec<u8>)> {
        let mut bytes = Vec::new();
        self.folder.open(rel)?.take(most).read_to_end(&mut bytes)?;
        Ok((self.folder.path().join(rel), bytes))
    }
}

/// Whether a root is weighed or read.
#[derive(Debug)]
pub enum Weighing {
    /// The files that weigh most.
    Done(Weighed),
    /// There may be an index soon.
    Soon,
    /// The root is small enough to be read as a whole, or there will be no index.
    Never,
}

/// Weighs the files of a root that is larger than what is read as a whole.
///
/// # Errors
/// `DirectoryNotFound`, `NotADirectory`, `PathOutsideWorkspace`.
pub fn weigh(workspace: &Workspace, weigh: &Weigh<'_>) -> Result<Weighing> {
    let place_of = workspace.folder(weigh.dir)?;
    let Some((tree, place)) = place_of.tree() else { return Ok(Weighing::Never) };
    let Some(indexes) = tree.indexes(place) else {
        return Ok(if tree.is_coming(place) { Weighing::Soon } else { Weighing::Never });
    };
    if is_small(workspace, &indexes) {
        return Ok(Weighing::Never);
    }
    if indexes.covered.0 == 0 {
        return Ok(Weighing::Soon);
    }
    let files = heaviest(&indexes, place, weigh);
    let known = |path: Arc<OsStr>| {
        let digest = indexes.digests.iter().find_map(|(texts, live)| {
            let text = texts.names.binary_search(&path).ok().filter(|text| live.contains(*text))?;
            Some(Known { rel: PathBuf::from(&*path), texts: Arc::clone(texts), text })
        });
        (PathBuf::from(&*path), digest)
    };
    Ok(Weighing::Done(Weighed {
        files: files.into_iter().map(known).collect(),
        changed: indexes.changed.into_iter().map(PathBuf::from).collect(),
        covered: indexes.covered,
        folder: workspace.folder(".")?,
    }))
}

/// Whether all of the root fits into what is read as a whole.
fn is_small(workspace: &Workspace, indexes: &Indexes) -> bool {
    let limits = workspace.limits();
    let entries = indexes.view.directories.values().flat_map(|entries| entries.iter());
    let files = entries.filter(|(_, entry)| entry.kind == Kind::File).map(|(_, e)| e.stamp.size);
    let (mut count, mut bytes) = (0, 0);
    for size in files {
        count += 1;
        bytes += if size > limits.index_file_bytes { 0 } else { size };
        if count > limits.index_files || bytes > limits.index_bytes {
            return false;
        }
    }
    true
}

/// What is found out about a segment: for each stem its words, and the texts with one of them.
type Stems = Vec<(Stem, Set)>;

fn heaviest(indexes: &Indexes, place: &OsStr, weigh: &Weigh<'_>) -> Vec<Arc<OsStr>> {
    let Indexes { words, digests, .. } = indexes;
    let look = |at: usize| -> Stems {
        let (texts, live) = words.get(at).unwrap_or_else(|| &digests[at - words.len()]);
        let stem = |stem: &String| {
            let stem = texts.segment.stem(stem);
            let mut with = texts.segment.texts_with(&stem);
            with.intersect(live);
            (stem, with)
        };
        weigh.stems.iter().map(stem).collect()
    };
    let found = of_each(words.len() + digests.len(), look);
    let (in_texts, in_names) = found.split_at(words.len());
    let all = indexes.covered.0 as f32;
    let rarity = |at: usize| {
        let with: usize = in_texts.iter().map(|stems| stems[at].1.len()).sum();
        (1.0 + (all - with as f32 + 0.5) / (with as f32 + 0.5)).ln().max(0.01)
    };
    let rarity: Vec<f32> = (0..weigh.stems.len()).map(rarity).collect();
    let most = weigh.max * OF_SEGMENT;
    let of_texts = of_each(words.len(), |at| {
        let (texts, _) = &words[at];
        let mut weights = sums(&in_texts[at], &rarity, texts.names.len());
        for (weight, size) in weights.iter_mut().zip(&texts.sizes) {
            *weight /= 0.75 + 0.25 * (*size as f32 / USUAL).sqrt();
        }
        first(texts, place, &weights, most)
    });
    let of_names = of_each(digests.len(), |at| {
        let (texts, live) = &digests[at];
        let stems: Vec<_> =
            in_names[at].iter().zip(&rarity).map(|((stem, _), rarity)| (stem, *rarity)).collect();
        let mut weights = sums(&in_names[at], &rarity, texts.names.len());
        let best = texts.segment.best_words(&stems);
        for (text, (weight, best)) in weights.iter_mut().zip(best).enumerate() {
            let best = if live.contains(text) { best } else { 0.0 };
            *weight = IN_NAMES * *weight + IN_ONE_NAME * best;
        }
        first(texts, place, &weights, most)
    });
    let mut weights: HashMap<&Arc<OsStr>, f32> = HashMap::new();
    for (path, weight) in of_texts.iter().chain(&of_names).flatten() {
        *weights.entry(path).or_default() += weight;
    }
    for (path, weight) in &mut weights {
        let path = path.as_bytes().to_ascii_lowercase();
        let stems = weigh.stems.iter().zip(&rarity);
        let in_path =
            stems.filter(|(stem, _)| memchr::memmem::find(&path, stem.as_bytes()).is_some());
        *weight += IN_PATH * in_path.map(|(_, rarity)| rarity).sum::<f32>();
    }
    let mut files: Vec<_> = weights.into_iter().collect();
    files.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    let wanted =
        files.into_iter().map(|(path, _)| path).filter(|path| (weigh.wanted)(Path::new(path)));
    wanted.take(weigh.max).cloned().collect()
}

/// For each text the rarities of the stems that it holds, together.
fn sums(stems: &Stems, rarity: &[f32], texts: usize) -> Vec<f32> {
    let mut sums = vec![0.0; texts];
    for ((_, with), rarity) in stems.iter().zip(rarity) {
        with.iter().filter(|text| *text < texts).for_each(|text| sums[text] += rarity);
    }
    sums
}

/// The heaviest texts of a segment in the directory.
fn first(texts: &Texts, place: &OsStr, weights: &[f32], most: usize) -> Vec<(Arc<OsStr>, f32)> {
    let is_one = |(text, weight): &(usize, f32)| *weight > 0.0 && is_in(&texts.names[*text], place);
    let mut first: Vec<_> = weights.iter().copied().enumerate().filter(is_one).collect();
    if first.len() > most {
        first.select_nth_unstable_by(most, |a, b| b.1.total_cmp(&a.1));
        first.truncate(most);
    }
    first.into_iter().map(|(text, weight)| (Arc::clone(&texts.names[text]), weight)).collect()
}

/// What `work` gives for each number below `count`, on all processors.
fn of_each<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(count)));
    in_parallel(count, || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count {
                break;
            }
            let one = work(at);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((at, one));
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, one)| one).collect()
}
