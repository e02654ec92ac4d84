//! Whether the file of an entry of the index is as git left it.

use std::ffi::OsStr;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::fs::{FileType, Stat};
use rustix::io::Errno;

use super::index::Index;
use super::listing::{Listing, Seen};
use crate::search::{Stamp, name};
use crate::tree::view::parent;
use crate::workspace::Kind;

/// Most bytes that are read to compare contents, for one question.
const MOST_BYTES: u64 = 256 << 20;

/// What is known of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The letter of git, if its file differs.
    Known(Option<char>),
    /// Nobody reports changes of its file.
    Unwatched,
}

/// What decides whether the content of a file can be compared here.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Conversions {
    /// A file may be something else for git than on the disk.
    pub(super) any: bool,
    /// Line endings may be.
    pub(super) lines: bool,
}

impl Conversions {
    /// What files of attributes ask for, on the safe side.
    pub(super) fn of(texts: &[Vec<u8>], lines: bool) -> Self {
        let has = |words: &[&str]| {
            let found = |text: &Vec<u8>| {
                words.iter().any(|word| memchr::memmem::find(text, word.as_bytes()).is_some())
            };
            texts.iter().any(found)
        };
        Self {
            any: has(&["filter", "ident", "working-tree-encoding"]),
            lines: lines || has(&["text", "crlf", "eol"]),
        }
    }
}

/// Compares entries with what is there.
pub(super) struct Compare<'a> {
    pub(super) seen: Seen<'a>,
    pub(super) listing: &'a Listing,
    pub(super) index: &'a Index,
    pub(super) conversions: &'a Conversions,
    /// Bytes that were read.
    pub(super) read: u64,
}

impl Compare<'_> {
    /// `None` if only git can say it.
    pub(super) fn verdict(&mut self, at: usize) -> Option<Verdict> {
        let (path, entry) = (self.index.path(at), self.index.entry_at(at));
        let gone = Some(Verdict::Known(Some('D')));
        let Some(directory) = self.seen.directory(parent(path)) else {
            // What it would be in is hidden, or is not there.
            let mut rest = parent(path);
            while self.seen.directory(parent(rest)).is_none() {
                rest = parent(rest);
            }
            return if self.hides(rest) { Some(Verdict::Unwatched) } else { gone };
        };
        let Some(known) = directory.get(name(Path::new(path))) else {
            return if self.hides(path) { Some(Verdict::Unwatched) } else { gone };
        };
        if known.kind == Kind::Directory {
            return gone;
        }
        if !entry.is_racy && entry.is_untouched(known.kind, known.stamp) {
            return Some(Verdict::Known(None));
        }
        self.look(at).map(Verdict::Known)
    }

    fn hides(&self, path: &OsStr) -> bool {
        self.listing.hidden(parent(path)).iter().any(|own| own.name == name(Path::new(path)))
    }

    /// The letter of git for the file as it is now, if it differs.
    pub(super) fn look(&mut self, at: usize) -> Option<Option<char>> {
        let (path, entry) = (self.index.path(at), self.index.entry_at(at));
        let stat = match self.seen.top.stat(Path::new(path)) {
            Ok(stat) => stat,
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Some(Some('D')),
            Err(_) => return None,
        };
        let was = FileType::from_raw_mode(entry.mode);
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => return Some(Some('D')),
            now @ (FileType::RegularFile | FileType::Symlink) if now != was => {
                return Some(Some('T'));
            }
            FileType::RegularFile => {
                if (stat.st_mode ^ entry.mode) & 0o100 != 0 {
                    return Some(Some('M'));
                }
            }
            FileType::Symlink => {}
            _ => return None,
        }
        // An entry without a size is one of which git knows nothing yet.
        if u32::try_from(stat.st_size).ok()? != entry.size && entry.size != 0 {
            return Some(Some('M'));
        }
        let kind = if was == FileType::Symlink { Kind::Link } else { Kind::File };
        if !entry.is_racy && entry.is_untouched(kind, Stamp::of_stat(&stat)) {
            return Some(None);
        }
        let id = self.id(path, &stat)?;
        Some((id != entry.id).then_some('M'))
    }

    /// The name that git would give the content of a file.
    fn id(&mut self, path: &OsStr, stat: &Stat) -> Option<[u8; 20]> {
        self.read += u64::try_from(stat.st_size).ok()?;
        if self.read > MOST_BYTES {
            return None;
        }
        let content = if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink {
            self.seen.top.link_target(Path::new(path)).ok()?.as_os_str().as_bytes().to_vec()
        } else {
            let mut content = Vec::new();
            self.seen.top.open(Path::new(path)).ok()?.read_to_end(&mut content).ok()?;
            let is_other = self.conversions.lines && memchr::memchr(b'\r', &content).is_some();
            if self.conversions.any || is_other {
                return None;
            }
            content
        };
        let mut hash = sha1_smol::Sha1::new();
        hash.update(format!("blob {}\0", content.len()).as_bytes());
        hash.update(&content);
        Some(hash.digest().bytes())
    }
}
