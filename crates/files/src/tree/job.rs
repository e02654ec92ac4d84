//! Files that are read into segments, in the background.

use std::ffi::OsString;
use std::io::Read;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use postings::{Builder, Text};

use super::digest::{Digest, Digested};
use super::words::{Held, LARGEST};
use crate::search::{Stamp, in_parallel};
use crate::workspace::Folder;

/// The file holds a NUL byte, and only what is before it was read.
pub(crate) const BINARY: u8 = 1;
/// The file is searched every time: a line of it is so long that a search may refuse it, its
/// encoding is one that searches convert, or there is no digest of it.
pub(crate) const ALWAYS: u8 = 2;
/// Bytes of a line that is long: for hard patterns the bound of a search is not far above.
const LONG_LINE: usize = 128 << 10;
/// Bytes of text that make a segment; a builder takes a third of it in memory, and each thread has
/// one.
const SEGMENT: usize = 96 << 20;
/// The same where digests are made, which takes so long that less of it should be lost.
const DIGEST_SEGMENT: usize = 32 << 20;
/// Files that a thread takes at once.
const CHUNK: usize = 32;

/// Files to be read, or segments to be made one.
#[derive(Debug, Default)]
pub(crate) struct Job {
    /// Each with the state that it is expected in.
    pub(crate) files: Vec<(OsString, Stamp)>,
    /// Segments, each with the texts of it that are still wanted.
    pub(crate) merged: Held,
    /// Segments that are of no use once this is done.
    pub(crate) dropped: Vec<String>,
}

impl Job {
    /// Reads the files on two threads and gives each segment of their words, or of their digests
    /// if there is a `digest`, to `done`. Gives what could not be read; what changed meanwhile is
    /// not among it.
    pub(crate) fn run(
        &self,
        root: &Folder,
        digest: Option<&dyn Digest>,
        stop: &(dyn Fn() -> bool + Sync),
        done: &(dyn Fn(Vec<u8>) + Sync),
    ) -> Vec<(OsString, Stamp)> {
        if !self.merged.is_empty() {
            let parts: Vec<_> =
                self.merged.iter().map(|(texts, live)| (&texts.segment, live)).collect();
            postings::merge(&parts, stop).into_iter().for_each(done);
            return Vec::new();
        }
        let (next, refused) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let most = if digest.is_some() { DIGEST_SEGMENT } else { SEGMENT };
        let work = || {
            let (mut builder, mut bytes) = (Builder::default(), 0);
            while !stop() {
                let at = next.fetch_add(CHUNK, Ordering::Relaxed);
                let Some(files) = self.files.get(at..) else { break };
                for (path, stamp) in files.iter().take(CHUNK) {
                    match read(root, Path::new(path), *stamp) {
                        Ok(Some(content)) => {
                            bytes += content.len();
                            let state = stamp.state();
                            match digest {
                                Some(digest) => {
                                    add_digest(&mut builder, path, state, &content, digest, stop);
                                }
                                None => add(&mut builder, path, state, &content),
                            }
                            if bytes > most {
                                done(std::mem::take(&mut builder).finish());
                                bytes = 0;
                            }
                        }
                        Ok(None) => {}
                        Err(_) => refused
                            .lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .push((path.clone(), *stamp)),
                    }
                }
            }
            if !builder.is_empty() {
                done(builder.finish());
            }
        };
        // Each thread has a builder.
        in_parallel(if self.files.len() > CHUNK { 2 } else { 1 }, work);
        refused.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The content of a file in this very state; none if it is in another one by now.
fn read(root: &Folder, path: &Path, stamp: Stamp) -> std::io::Result<Option<Vec<u8>>> {
    let mut file = root.open(path)?;
    let mut bytes = Vec::with_capacity(stamp.size as usize + 1);
    Read::by_ref(&mut file).take(LARGEST + 1).read_to_end(&mut bytes)?;
    let after = Stamp::of(&file.metadata()?);
    Ok((after == stamp && bytes.len() as u64 == stamp.size).then_some(bytes))
}

fn add_digest(
    builder: &mut Builder,
    path: &OsString,
    state: [u64; 3],
    content: &[u8],
    digest: &dyn Digest,
    stop: &(dyn Fn() -> bool + Sync),
) {
    let made = digest.of(Path::new(path), content, &|| stop());
    // What is not said because of the stop is said the next time.
    if made.is_some() || !stop() {
        let kind = if made.is_some() { 0 } else { ALWAYS };
        let Digested { words, body } = made.unwrap_or_default();
        builder.add(&Text { name: path.as_bytes(), state, kind, body: &body }, &words);
    }
}

fn add(builder: &mut Builder, path: &OsString, state: [u64; 3], content: &[u8]) {
    let text = |kind| Text { name: path.as_bytes(), state, kind, body: b"" };
    // Searches know UTF-16 by its mark, and its NUL bytes are none.
    let is_utf16 = content.starts_with(&[0xff, 0xfe]) || content.starts_with(&[0xfe, 0xff]);
    if is_utf16 {
        return builder.add(&text(ALWAYS), b"");
    }
    // A search ends at the first NUL byte; nothing behind it can match.
    let end = memchr::memchr(0, content);
    let content = &content[..end.unwrap_or(content.len())];
    let mut kind = if end.is_some() { BINARY } else { 0 };
    if content.len() >= LONG_LINE && has_long_line(content) {
        kind |= ALWAYS;
    }
    match crate::text::converted(content).filter(|_| end.is_none()) {
        Some(text_of_it) => builder.add(&text(kind), text_of_it.as_bytes()),
        None => builder.add(&text(kind), content),
    }
}

fn has_long_line(content: &[u8]) -> bool {
    let mut start = 0;
    let ends = memchr::memchr_iter(b'\n', content).chain([content.len()]);
    ends.map(|end| end - std::mem::replace(&mut start, end)).any(|length| length >= LONG_LINE)
}
