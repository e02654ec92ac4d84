//! Contents by their hash: small ones in the database, large ones as files beside it.

#![expect(clippy::disallowed_methods, reason = "the journal's own files in the state directory")]

use std::fmt::Write as _;
use std::fs::File;
use std::path::PathBuf;

use fault::{Error, Result};

use super::store::Tx;
use crate::workspace::{ContentHash, Expected, Unnamed};
use fault::Bound;

pub(super) type Hash = ContentHash;

/// Up to this size a content goes into the database: there it costs less than a file.
const SMALL: usize = 32 << 10;

#[derive(Debug)]
pub(super) struct Blobs {
    dir: PathBuf,
    /// Whether a content is on the disk before what it was is changed.
    durable: bool,
}

impl Blobs {
    pub(super) fn new(dir: PathBuf, durable: bool) -> Self {
        Self { dir, durable }
    }

    /// Whether each content is brought to the disk by itself; gives what it was before.
    pub(super) fn sync_each(&mut self, durable: bool) -> bool {
        std::mem::replace(&mut self.durable, durable)
    }

    /// Brings all contents to the disk.
    pub(super) fn sync(&self) -> Result<()> {
        let fail = |e: std::io::Error| Error::state(&self.dir, &e);
        let dir = File::open(&self.dir).map_err(fail)?;
        rustix::fs::syncfs(&dir).map_err(|e| fail(e.into()))
    }

    /// Removes the files of contents that `wanted` does not name.
    pub(super) fn retain(&self, wanted: impl Fn(&[u8]) -> bool) {
        let entries = |dir: &PathBuf| std::fs::read_dir(dir).into_iter().flatten().flatten();
        for file in entries(&self.dir).flat_map(|d| entries(&d.path()).collect::<Vec<_>>()) {
            let name = file.file_name();
            let hash = name.to_str().and_then(parse_hex).unwrap_or_default();
            if !wanted(&hash) {
                let _ = std::fs::remove_file(file.path()); // tried again the next day
            }
        }
    }

    /// How many bytes the file of a content has, if it is in one.
    pub(super) fn size(&self, hash: &Hash) -> u64 {
        let (dir, name) = self.path(hash);
        std::fs::metadata(dir.join(name)).map_or(0, |data| data.len())
    }

    fn path(&self, hash: &Hash) -> (PathBuf, String) {
        let mut name = String::with_capacity(64);
        for byte in hash {
            let _ = write!(name, "{byte:02x}");
        }
        (self.dir.join(&name[..2]), name)
    }
}

/// The bytes that hexadecimal digits stand for.
pub(super) fn parse_hex(name: &str) -> Option<Vec<u8>> {
    (0..name.len()).step_by(2).map(|i| u8::from_str_radix(name.get(i..i + 2)?, 16).ok()).collect()
}

/// The hash of a content.
pub(super) fn hash(bytes: &[u8]) -> Hash {
    *blake3::hash(bytes).as_bytes()
}

/// The same of a file, a piece at a time.
pub(super) fn hash_file(file: &File) -> std::io::Result<Hash> {
    hash_bounded(file, &Bound::NONE)
}

/// The same; an error of the kind `TimedOut` if it takes too long.
pub(super) fn hash_bounded(mut file: &File, bound: &Bound<'_>) -> std::io::Result<Hash> {
    use std::io::Seek as _;
    file.seek(std::io::SeekFrom::Start(0))?;
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(bound.read(file))?;
    Ok(*hasher.finalize().as_bytes())
}

impl Tx<'_> {
    /// Keeps a content; the same content is kept once.
    pub(super) fn put(&self, bytes: &[u8]) -> Result<Hash> {
        use std::io::Write as _;
        let hash = hash(bytes);
        if bytes.len() <= SMALL {
            self.put_small(&hash, bytes)?;
            return Ok(hash);
        }
        self.put_large(&hash, |mut file| file.write_all(bytes))?;
        Ok(hash)
    }

    /// Keeps the content of a file without holding it in memory; fails once `bound` is over.
    pub(super) fn put_file(&self, mut source: &File, bound: &Bound<'_>) -> Result<()> {
        use std::io::Seek as _;
        let fail = |e: std::io::Error| Error::state(&self.blobs.dir, &e);
        let hash = hash_bounded(source, bound).map_err(fail)?;
        source.seek(std::io::SeekFrom::Start(0)).map_err(fail)?;
        self.put_large(&hash, |mut file| {
            std::io::copy(&mut bound.read(source), &mut file).map(drop)
        })
    }

    fn put_large(
        &self,
        hash: &Hash,
        fill: impl FnOnce(&File) -> std::io::Result<()>,
    ) -> Result<()> {
        let (dir, name) = self.blobs.path(hash);
        let path = dir.join(&name);
        let fail = |e: std::io::Error| match e.kind() {
            std::io::ErrorKind::StorageFull => Error::io(&path.display().to_string(), &e),
            _ => Error::state(&path, &e),
        };
        // Kept already, unless it was damaged since.
        if let Ok(file) = File::open(&path)
            && hash_file(&file).is_ok_and(|found| found == *hash)
        {
            return if self.blobs.durable { file.sync_all().map_err(fail) } else { Ok(()) };
        }
        let is_new = !dir.is_dir();
        std::fs::create_dir_all(&dir).map_err(fail)?;
        let parent = File::open(&dir).map_err(fail)?;
        let new =
            Unnamed::create(&parent.try_clone().map_err(fail)?.into(), 0o600).map_err(fail)?;
        fill(&new.file).map_err(fail)?;
        if self.blobs.durable {
            new.file.sync_all().map_err(fail)?;
        }
        let held = parent.try_clone().map_err(fail)?.into();
        new.name_it(&held, name.as_ref(), Expected::Anything).map_err(fail)?;
        if self.blobs.durable {
            parent.sync_all().map_err(fail)?;
            if is_new {
                File::open(&self.blobs.dir).and_then(|above| above.sync_all()).map_err(fail)?;
            }
        }
        Ok(())
    }

    /// The file of a large content, checked, if that is what it is.
    ///
    /// # Errors
    /// `ContentDamaged` if it holds something else than was kept.
    pub(super) fn open(&self, hash: &Hash) -> Result<Option<File>> {
        let (dir, name) = self.blobs.path(hash);
        let path = dir.join(name);
        let Ok(file) = File::open(&path) else { return Ok(None) };
        match hash_file(&file) {
            Ok(found) if found == *hash => Ok(Some(file)),
            Ok(_) => Err(Error::content_damaged(&path)),
            Err(e) => Err(Error::state(&path, &e)),
        }
    }

    /// A content that was kept.
    ///
    /// # Errors
    /// `ContentDamaged` if it is not what was kept, or is gone.
    pub(super) fn get(&self, hash: &Hash) -> Result<Vec<u8>> {
        let (dir, name) = self.blobs.path(hash);
        let path = dir.join(name);
        let data = match self.get_small(hash)? {
            Some(data) => data,
            None => std::fs::read(&path).map_err(|e| match e.kind() {
                std::io::ErrorKind::NotFound => Error::content_damaged(&path),
                _ => Error::state(&path, &e),
            })?,
        };
        if super::blobs::hash(&data) == *hash {
            Ok(data)
        } else {
            Err(Error::content_damaged(&path))
        }
    }

    /// Fails if a content is gone or damaged.
    ///
    /// # Errors
    /// `ContentDamaged`.
    pub(super) fn verify(&self, hash: &Hash) -> Result<()> {
        match self.open(hash)? {
            Some(_) => Ok(()),
            None => self.get(hash).map(drop),
        }
    }
}
