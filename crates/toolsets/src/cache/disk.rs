//! The files of the cache.

use std::fs::File;
use std::path::{Path, PathBuf};

use fault::{Code, Error, Result};
use files::limits::Limits;
use files::own::OwnFiles;
use files::state::{State, hold};
use files::workspace::Kind;

use super::Tier;
use super::entry::Entry;

/// Where the original put the cache of a project.
const IN_PROJECT: &str = ".floyd/.cache";

/// The user's directory, and that of the project.
#[derive(Clone, Debug)]
pub(super) struct Disk {
    home: PathBuf,
    project: PathBuf,
    limits: Limits,
}

/// A file of the cache.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Whether it is in the user's directory.
    is_own: bool,
    /// Its path below the directory.
    pub(super) name: String,
    pub(super) bytes: u64,
}

/// A file and the entry in it, if it is one.
type Read = (Place, Option<Entry>);

impl Disk {
    pub(super) fn new(home: PathBuf, project: PathBuf, limits: Limits) -> Self {
        Self { home, project, limits }
    }

    /// The lock of the cache, against other processes.
    pub(super) fn lock(&self) -> Result<File> {
        let file = State::new(&self.home).file("", ".lock")?;
        if hold(&file, self.limits.lock_wait) {
            Ok(file)
        } else {
            Err(Error::file_busy(&self.home.join(".lock").display().to_string()))
        }
    }

    /// The directory, if it is there.
    fn open(&self, is_own: bool) -> Result<Option<OwnFiles>> {
        let limits = self.limits.clone();
        if is_own {
            OwnFiles::open(&self.home, limits)
        } else {
            OwnFiles::open_beneath(&self.project, Path::new(IN_PROJECT), limits)
        }
    }

    /// The entries of a key, that in the user's directory first.
    pub(super) fn find(&self, tier: Tier, key: &str) -> Result<Vec<(Place, Entry)>> {
        let mut found = Vec::new();
        for is_own in [true, false] {
            let Some(folder) = self.open(is_own)? else { continue };
            for name in names(tier, key) {
                let Some((bytes, entry)) = read(&folder, &name, tier)? else { continue };
                if let Some(entry) = entry.filter(|entry| entry.key == key) {
                    found.push((Place { is_own, name, bytes }, entry));
                }
            }
        }
        Ok(found)
    }

    /// Every file of a tier, those in the user's directory first.
    pub(super) fn all(&self, tier: Tier) -> Result<Vec<Read>> {
        let mut all = self.own(tier)?;
        all.extend(self.in_folder(tier, false)?);
        Ok(all)
    }

    /// Every file of a tier in the user's directory.
    pub(super) fn own(&self, tier: Tier) -> Result<Vec<Read>> {
        self.in_folder(tier, true)
    }

    fn in_folder(&self, tier: Tier, is_own: bool) -> Result<Vec<Read>> {
        let Some(folder) = self.open(is_own)? else { return Ok(Vec::new()) };
        let mut all = Vec::new();
        for name in listed(&folder, tier)? {
            if let Some((bytes, entry)) = read(&folder, &name, tier)? {
                all.push((Place { is_own, name, bytes }, entry));
            }
        }
        Ok(all)
    }

    /// How many files a tier has in the user's directory.
    pub(super) fn count(&self, tier: Tier) -> Result<usize> {
        let Some(folder) = self.open(true)? else { return Ok(0) };
        Ok(listed(&folder, tier)?.len())
    }

    /// Puts an entry into the user's directory, over the one with its key and over no other.
    pub(super) fn put(&self, entry: &Entry) -> Result<()> {
        self.make(entry.tier.name())?;
        let Some(folder) = self.open(true)? else { return Err(self.gone()) };
        let [usual, own, _] = names(entry.tier, &entry.key);
        let usual_is_free = match read(&folder, &usual, entry.tier)? {
            None => true,
            Some((_, there)) => there.is_some_and(|there| there.key == entry.key),
        };
        let is_usual =
            usual_is_free && usual == format!("{}/{}.json", entry.tier.name(), entry.key);
        let (name, other) = if is_usual { (usual, own) } else { (own, usual) };
        self.write(&name, &entry.write())?;
        // The original may have left it under its own name.
        if read(&folder, &other, entry.tier)?
            .is_some_and(|(_, there)| there.is_some_and(|there| there.key == entry.key))
        {
            self.remove(&Place { is_own: true, name: other, bytes: 0 })?;
        }
        Ok(())
    }

    /// Notes that an entry was used.
    pub(super) fn touch(&self, place: &Place, now: i64) -> Result<()> {
        if !place.is_own {
            return Ok(()); // a file in the project is not ours to change
        }
        let _lock = self.lock()?;
        let Some(text) = self.text(&place.name, true)? else { return Ok(()) };
        Entry::touched(&text, now).map_or(Ok(()), |text| self.write(&place.name, &text))
    }

    pub(super) fn remove(&self, place: &Place) -> Result<()> {
        self.discard(&place.name, place.is_own)
    }

    /// Takes a file away, if it is there.
    pub(super) fn discard(&self, name: &str, is_own: bool) -> Result<()> {
        let Some(folder) = self.open(is_own)? else { return Ok(()) };
        folder.remove(name)
    }

    /// The file of this name, from the user's directory or that in the project.
    pub(super) fn text(&self, name: &str, is_own: bool) -> Result<Option<Vec<u8>>> {
        let Some(folder) = self.open(is_own)? else { return Ok(None) };
        folder.read(name)
    }

    /// Puts a file into the user's directory, in one step.
    pub(super) fn write(&self, name: &str, text: &[u8]) -> Result<()> {
        let Some(folder) = self.open(true)? else { return Err(self.gone()) };
        folder.put(name, text)
    }

    /// Makes a directory below the user's.
    pub(super) fn make(&self, name: &str) -> Result<()> {
        State::new(&self.home).folder(name).map(drop)
    }

    fn gone(&self) -> Error {
        Error::directory_not_found(&self.home.display().to_string())
    }
}

/// Where the entry of a key may stand, below the directory of the cache: under the name that the
/// original gives it, which other keys may have too, under one of its own, and where the original
/// puts patterns.
fn names(tier: Tier, key: &str) -> [String; 3] {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "_-".contains(c) { c } else { '_' };
    let usual: String = key.chars().map(plain).collect();
    let short: String = usual.chars().take(80).collect();
    let digest = blake3::hash(key.as_bytes()).to_hex();
    let tier = tier.name();
    // File systems end at 255 bytes; the original's names end where they fail.
    let usual: String = usual.chars().take(200).collect();
    [
        format!("{tier}/{usual}.json"),
        format!("{tier}/{short}.{}.json", &digest[..16]), // the original has no second dot
        format!("{tier}/pattern_{usual}.json"),
    ]
}

/// The names of the entries of a tier.
fn listed(folder: &OwnFiles, tier: Tier) -> Result<Vec<String>> {
    let is_entry = |e: &files::workspace::Entry| {
        e.kind == Kind::File && e.name.ends_with(".json") && e.name != "index.json"
    };
    let entries = folder.list(tier.name())?.into_iter().filter(is_entry);
    Ok(entries.map(|e| format!("{}/{}", tier.name(), e.name)).collect())
}

/// The size of a file and the entry in it; `None` if there is no file. One that cannot be read is
/// as good as broken.
fn read(folder: &OwnFiles, name: &str, tier: Tier) -> Result<Option<(u64, Option<Entry>)>> {
    match folder.read(name) {
        Ok(bytes) => Ok(bytes.map(|bytes| (bytes.len() as u64, Entry::read(&bytes, tier)))),
        Err(e) if e.code == Code::PermissionDenied => Err(e),
        Err(_) => Ok(Some((0, None))),
    }
}
