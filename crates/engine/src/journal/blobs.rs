//! Contents by their hash: small ones in the database, large ones as files beside it.

#![expect(clippy::disallowed_methods, reason = "the journal's own files in the state folder")]

use std::fmt::Write as _;
use std::fs::File;
use std::path::PathBuf;

use super::store::Tx;
use crate::error::{Error, Result};
use crate::workspace::{ContentHash, Unnamed};

pub(super) type Hash = ContentHash;

/// Up to this size a content goes into the database: there it costs less than a file.
const SMALL: usize = 32 << 10;

#[derive(Debug)]
pub(super) struct Blobs {
    dir: PathBuf,
}

impl Blobs {
    pub(super) fn new(dir: PathBuf) -> Self {
        Self { dir }
    }

    /// Removes the files of contents that `wanted` does not name.
    pub(super) fn retain(&self, wanted: impl Fn(&[u8]) -> bool) {
        let entries = |dir: &PathBuf| std::fs::read_dir(dir).into_iter().flatten().flatten();
        for file in entries(&self.dir).flat_map(|d| entries(&d.path()).collect::<Vec<_>>()) {
            let name = file.file_name();
            let hash = name.to_str().and_then(parse_hex).unwrap_or_default();
            if !wanted(&hash) {
                let _ = std::fs::remove_file(file.path());
            }
        }
    }

    fn path(&self, hash: &Hash) -> (PathBuf, String) {
        let mut name = String::with_capacity(64);
        for byte in hash {
            let _ = write!(name, "{byte:02x}");
        }
        (self.dir.join(&name[..2]), name)
    }
}

fn parse_hex(name: &str) -> Option<Vec<u8>> {
    (0..name.len()).step_by(2).map(|i| u8::from_str_radix(name.get(i..i + 2)?, 16).ok()).collect()
}

/// The hash of a content.
pub(super) fn hash(bytes: &[u8]) -> Hash {
    *blake3::hash(bytes).as_bytes()
}

/// The same of a file, a piece at a time.
pub(super) fn hash_file(mut file: &File) -> std::io::Result<Hash> {
    use std::io::Seek as _;
    file.seek(std::io::SeekFrom::Start(0))?;
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(file)?;
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

    /// Keeps the content of a file without holding it in memory.
    pub(super) fn put_file(&self, mut source: &File) -> Result<()> {
        use std::io::Seek as _;
        let fail = |e: std::io::Error| Error::state(&self.blobs.dir, &e);
        let hash = hash_file(source).map_err(fail)?;
        source.seek(std::io::SeekFrom::Start(0)).map_err(fail)?;
        self.put_large(&hash, |mut file| std::io::copy(&mut source, &mut file).map(drop))
    }

    fn put_large(
        &self,
        hash: &Hash,
        fill: impl FnOnce(&File) -> std::io::Result<()>,
    ) -> Result<()> {
        let (dir, name) = self.blobs.path(hash);
        let path = dir.join(&name);
        if path.exists() {
            return Ok(());
        }
        let fail = |e: std::io::Error| match e.kind() {
            std::io::ErrorKind::StorageFull => Error::io(&path.display().to_string(), &e),
            _ => Error::state(&path, &e),
        };
        std::fs::create_dir_all(&dir).map_err(fail)?;
        let parent = File::open(&dir).map_err(fail)?.into();
        let new = Unnamed::create(&parent, 0o600).map_err(fail)?;
        fill(&new.file).map_err(fail)?;
        new.name_it(&parent, name.as_ref(), false).map_err(fail)
    }

    /// The file of a large content, if that is what it is.
    pub(super) fn open(&self, hash: &Hash) -> Option<File> {
        let (dir, name) = self.blobs.path(hash);
        File::open(dir.join(name)).ok()
    }

    /// A content that was kept.
    pub(super) fn get(&self, hash: &Hash) -> Result<Vec<u8>> {
        if let Some(data) = self.get_small(hash)? {
            return Ok(data);
        }
        let (dir, name) = self.blobs.path(hash);
        let path = dir.join(name);
        std::fs::read(&path).map_err(|e| Error::state(&path, &e))
    }
}
