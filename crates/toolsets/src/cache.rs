//! A cache that outlives sessions: texts by key in three tiers, and the reasoning of the moment.
//!
//! The layout on disk is that of Floyd's SUPERCACHE, one JSON file an entry, so that what the
//! original wrote is found. What the original lost is not lost here: keys that differ only in
//! punctuation have files of their own, a file is replaced in one step under a lock of all
//! processes, and one broken file hides no other.

mod disk;
mod entry;
mod frame;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use fault::{Error, Result};
use files::limits::Limits;
use toolkit::Cx;
use toolkit::serde_json::{Map, Value};

use disk::Disk;
pub(crate) use entry::Entry;

/// How long an entry lives and how many there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tier {
    /// Five minutes, 100 entries: the state of a conversation.
    Reasoning,
    /// A day, 500 entries: what is known of a project.
    Project,
    /// A week, 1000 entries: what can be used again.
    Vault,
}

impl Tier {
    /// All tiers, the one that forgets first at the beginning.
    pub(crate) const ALL: &[Self] = &[Self::Reasoning, Self::Project, Self::Vault];

    /// The word for it, which is also the name of its directory.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Reasoning => "reasoning",
            Self::Project => "project",
            Self::Vault => "vault",
        }
    }

    /// The tier of this name.
    ///
    /// # Errors
    /// `InvalidTier` with the names there are.
    pub(crate) fn parse(name: &str) -> Result<Self> {
        let found = Self::ALL.iter().find(|tier| tier.name() == name);
        found.copied().ok_or_else(|| Error::invalid_tier(name))
    }

    /// How long an entry lives that does not say.
    pub(crate) fn time_to_live(self) -> Duration {
        Duration::from_secs(match self {
            Self::Reasoning => 5 * 60,
            Self::Project => 24 * 3600,
            Self::Vault => 7 * 24 * 3600,
        })
    }

    /// Most entries; one more, and the one that was used longest ago goes.
    pub(crate) fn capacity(self) -> usize {
        match self {
            Self::Reasoning => 100,
            Self::Project => 500,
            Self::Vault => 1000,
        }
    }
}

/// What is to be stored.
#[derive(Clone, Debug)]
pub(crate) struct Store<'a> {
    /// Where.
    pub(crate) tier: Tier,
    /// Under which key.
    pub(crate) key: &'a str,
    /// What.
    pub(crate) value: &'a str,
    /// How long it lives; absent, as long as its tier says.
    pub(crate) time_to_live: Option<Duration>,
    /// Whatever belongs to it.
    pub(crate) metadata: Option<Map<String, Value>>,
}

/// What storing did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stored {
    /// When it was stored, milliseconds since 1970.
    pub(crate) timestamp: i64,
    /// When it expires, milliseconds since 1970.
    pub(crate) expires: i64,
    /// Entries that went, used longest ago, because the tier was full.
    pub(crate) evicted: usize,
}

/// What is in a tier.
#[derive(Clone, Debug, Default)]
pub(crate) struct Content {
    /// What has not expired, newest first.
    pub(crate) entries: Vec<Entry>,
    /// How many have expired and still stand there.
    pub(crate) expired: usize,
    /// Bytes of all files.
    pub(crate) bytes: u64,
    /// Files that could not be read.
    pub(crate) broken: Vec<String>,
}

/// The cache of a user, and what the original left in a project.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    disk: Disk,
}

impl Cache {
    /// The cache in the directory `home`; entries in the directory that the original made in the
    /// root `project` are found too, but new ones go to `home`. Nothing is looked at or made yet.
    pub(crate) fn new(home: PathBuf, project: PathBuf, limits: Limits) -> Self {
        Self { disk: Disk::new(home, project, limits) }
    }

    /// The cache of the user for whom a call runs.
    pub(crate) fn of(cx: &Cx<'_>) -> Self {
        let (home, project) = (cx.cache_dir(), cx.workspace().root());
        Self::new(home.to_owned(), project.to_owned(), cx.limits().clone())
    }

    /// Stores a text, over what had the key in that tier.
    ///
    /// # Errors
    /// `EmptyKey`, `EmptyValue`, `PermissionDenied`, `DiskFull`, `FileBusy`.
    pub(crate) fn store(&self, store: Store<'_>) -> Result<Stored> {
        let key = checked(store.key)?;
        if store.value.is_empty() {
            return Err(Error::empty_value(key));
        }
        let _lock = self.disk.lock()?;
        let now = now();
        let life = store.time_to_live.unwrap_or(store.tier.time_to_live());
        let life = i64::try_from(life.as_millis()).unwrap_or(i64::MAX);
        let entry = Entry {
            key: key.to_owned(),
            value: store.value.to_owned(),
            tier: store.tier,
            timestamp: now,
            last_access: now,
            expires: now.saturating_add(life),
            metadata: store.metadata,
            bytes: 0,
        };
        self.disk.put(&entry)?;
        let evicted = self.make_room(store.tier, now)?;
        Ok(Stored { timestamp: now, expires: entry.expires, evicted })
    }

    /// The entry of a key in the first of these tiers that has it and has not expired.
    ///
    /// # Errors
    /// `EmptyKey`, `PermissionDenied`.
    pub(crate) fn retrieve(&self, tiers: &[Tier], key: &str) -> Result<Option<Entry>> {
        let (key, now) = (checked(key)?, now());
        for tier in tiers {
            let found = self.disk.find(*tier, key)?;
            let mut live = found.iter().filter(|(_, entry)| !entry.is_expired(now));
            if let Some((place, entry)) = live.next() {
                // Who only may read gets the value all the same.
                let _ = self.disk.touch(place, now);
                return Ok(Some(entry.clone()));
            }
        }
        Ok(None)
    }

    /// Takes away the entries of a key; gives the tiers that had one which was still valid.
    ///
    /// # Errors
    /// `EmptyKey`, `PermissionDenied`, `FileBusy`.
    pub(crate) fn delete(&self, tiers: &[Tier], key: &str) -> Result<Vec<Tier>> {
        let (key, now) = (checked(key)?, now());
        let _lock = self.disk.lock()?;
        let mut gone = Vec::new();
        for tier in tiers {
            let found = self.disk.find(*tier, key)?;
            found.iter().try_for_each(|(place, _)| self.disk.remove(place))?;
            if found.iter().any(|(_, entry)| !entry.is_expired(now)) {
                gone.push(*tier);
            }
        }
        Ok(gone)
    }

    /// Takes away all entries of these tiers, what cannot be read included; gives how many.
    ///
    /// # Errors
    /// `PermissionDenied`, `FileBusy`.
    pub(crate) fn clear(&self, tiers: &[Tier]) -> Result<usize> {
        self.sweep(tiers, |_| true)
    }

    /// Takes away what has expired; gives how many.
    ///
    /// # Errors
    /// `PermissionDenied`, `FileBusy`.
    pub(crate) fn prune(&self, tiers: &[Tier]) -> Result<usize> {
        let now = now();
        self.sweep(tiers, |entry| entry.is_some_and(|entry| entry.is_expired(now)))
    }

    fn sweep(&self, tiers: &[Tier], goes: impl Fn(Option<&Entry>) -> bool) -> Result<usize> {
        let _lock = self.disk.lock()?;
        let mut gone = 0;
        for tier in tiers {
            for (place, entry) in self.disk.all(*tier)? {
                if goes(entry.as_ref()) {
                    self.disk.remove(&place)?;
                    gone += 1;
                }
            }
        }
        Ok(gone)
    }

    /// What is in a tier.
    ///
    /// # Errors
    /// `PermissionDenied`.
    pub(crate) fn content(&self, tier: Tier) -> Result<Content> {
        let (mut content, now) = (Content::default(), now());
        let mut seen = std::collections::HashSet::new();
        for (place, entry) in self.disk.all(tier)? {
            content.bytes += place.bytes;
            match entry {
                None => content.broken.push(place.name),
                Some(entry) if entry.is_expired(now) => content.expired += 1,
                Some(entry) if seen.insert(entry.key.clone()) => content.entries.push(entry),
                Some(_) => {} // the one in the user's own directory is the newer
            }
        }
        content.entries.sort_by(|a, b| b.timestamp.cmp(&a.timestamp).then(a.key.cmp(&b.key)));
        Ok(content)
    }

    /// Takes the least recently used entries of a full tier away.
    fn make_room(&self, tier: Tier, now: i64) -> Result<usize> {
        if self.disk.count(tier)? <= tier.capacity() {
            return Ok(0);
        }
        let mut entries: Vec<_> = self.disk.own(tier)?;
        entries.sort_by_key(|(_, entry)| {
            let used = entry.as_ref().map_or(i64::MAX, |entry| entry.last_access);
            (entry.as_ref().is_none_or(|entry| !entry.is_expired(now)), used)
        });
        let surplus = entries.len().saturating_sub(tier.capacity());
        let mut evicted = 0;
        for (place, entry) in entries.into_iter().take(surplus) {
            let Some(entry) = entry else { break }; // what cannot be read is not thrown away
            self.disk.remove(&place)?;
            evicted += usize::from(!entry.is_expired(now));
        }
        Ok(evicted)
    }
}

/// A pattern of keys, in which `*` stands for any text and `?` for any character.
#[derive(Debug)]
pub(crate) struct KeyGlob(globset::GlobMatcher);

impl KeyGlob {
    /// # Errors
    /// `InvalidGlob`.
    pub(crate) fn new(pattern: &str) -> Result<Self> {
        let glob = globset::Glob::new(fault::cut(pattern, 1000).as_ref());
        glob.map(|glob| Self(glob.compile_matcher()))
            .map_err(|e| Error::invalid_glob(pattern, e.kind()))
    }

    /// Whether a key has the pattern.
    pub(crate) fn matches(&self, key: &str) -> bool {
        self.0.is_match(key)
    }
}

/// A key that can be used.
fn checked(key: &str) -> Result<&str> {
    if key.trim().is_empty() { Err(Error::empty_key()) } else { Ok(key) }
}

/// Milliseconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    since.as_millis() as i64
}
