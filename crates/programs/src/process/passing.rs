//! Files that programs leave in the home or the `/tmp` of their session, which are removed with it.
//! Without this module a model takes `pip install --user` for something that lasts.

#![expect(clippy::disallowed_methods, reason = "what programs leave in directories of their own")]

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use files::workspace::Workspace;

use super::environment::get;
use super::home::is_cache;
use super::scratch::{HOME, TMP};
use super::view::{Rule, Rules};
use super::{Program, Runner};

/// Most entries that are looked at after one program, and files that are named.
const LOOKED_AT: usize = 10_000;
const NAMED: usize = 3;

/// What was found in the directories of a session when they were looked at last, by path below the
/// scratch directory.
#[derive(Debug, Default)]
pub(super) struct Known(Mutex<BTreeMap<PathBuf, Stamp>>);

/// By what a file or directory is known not to have changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    is_directory: bool,
    size: u64,
    seconds: i64,
    nanoseconds: i64,
}

impl Known {
    /// The files below a directory that are new or other than when this was last asked. Where a
    /// directory has no new name, only the directories in it are looked at.
    pub(super) fn news(&self, above: &Path, top: &str) -> Vec<PathBuf> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let directories = known.range(PathBuf::from(top)..).take_while(|(p, _)| p.starts_with(top));
        let mut waiting: Vec<PathBuf> =
            directories.filter(|(_, s)| s.is_directory).map(|(p, _)| p.clone()).collect();
        if waiting.is_empty() {
            waiting.push(top.into());
        }
        let (mut news, mut left) = (Vec::new(), LOOKED_AT);
        while let Some(directory) = waiting.pop().filter(|_| left > 0) {
            let Some(now) = Stamp::of(&above.join(&directory)).filter(|s| s.is_directory) else {
                known.remove(&directory);
                continue;
            };
            if known.insert(directory.clone(), now) == Some(now) {
                continue;
            }
            for entry in std::fs::read_dir(above.join(&directory)).into_iter().flatten().flatten() {
                left = left.saturating_sub(1);
                let path = directory.join(entry.file_name());
                match Stamp::of(&entry.path()) {
                    Some(stamp) if stamp.is_directory => {
                        waiting.extend((!known.contains_key(&path)).then_some(path));
                    }
                    Some(stamp) if known.insert(path.clone(), stamp) != Some(stamp) => {
                        news.push(path);
                    }
                    _ => {}
                }
            }
        }
        news.sort();
        news
    }
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let data = std::fs::symlink_metadata(path).ok()?;
        let (seconds, nanoseconds) = (data.mtime(), data.mtime_nsec());
        Some(Self { is_directory: data.is_dir(), size: data.len(), seconds, nanoseconds })
    }
}

impl Runner {
    /// What a program left that is removed with the session, in a sentence.
    pub(super) fn passing(
        &self,
        workspace: &Workspace,
        program: &Program<'_>,
        rules: &Rules,
    ) -> Option<String> {
        let scratch = self.scratch.get().filter(|_| !program.line.is_own())?;
        let home =
            get(&self.settings.env, "HOME").and_then(|home| std::fs::canonicalize(home).ok());
        let mut left: Vec<String> = Vec::new();
        let mut add = |seen: &Path, own: &str| {
            if !matches!(rules.0.get(seen), Some(Rule::Instead(_))) {
                return;
            }
            let below = |path: &PathBuf| path.strip_prefix(own).map(Path::to_owned).ok();
            let news = scratch.known.news(scratch.path(), own);
            let news = news.iter().filter_map(below).filter(|path| !is_cache(path));
            let news = news.map(|path| seen.join(path));
            // Something of the host's was mounted there.
            let news = news.filter(|path| !rules.0.contains_key(path));
            left.extend(news.map(|path| workspace.show(&path)));
        };
        home.iter().for_each(|home| add(home, HOME));
        if self.settings.brief {
            add(Path::new("/tmp"), TMP);
        }
        let more = match left.len() {
            0 => return None,
            1..=NAMED => String::new(),
            // No more is looked at than a call should wait for.
            all if all + NAMED > LOOKED_AT / 2 => " and thousands more".to_owned(),
            all => format!(" and {} more", all - NAMED),
        };
        left.truncate(NAMED);
        Some(format!(
            "removed when this session ends: {}{more}; what is written to the root stays, or to a \
             directory given with --expose DIR",
            left.join(", ")
        ))
    }
}
