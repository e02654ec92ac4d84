//! What `remember` finds in its three stores.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::cache::{Cache, Tier};
use crate::memory;
use crate::prelude::*;

use super::remember::{Remember, Within};

/// Texts of one answer, and characters of each.
const MOST: usize = 100;
const SHOWN: usize = 200;

/// The tasks of a session, in their order.
#[derive(Debug, Default)]
pub(super) struct Tasks(Mutex<Vec<(String, String)>>);

impl Tasks {
    pub(super) fn lock(&self) -> MutexGuard<'_, Vec<(String, String)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there was one of this name.
    pub(super) fn remove(&self, name: &str) -> bool {
        let mut tasks = self.lock();
        let before = tasks.len();
        tasks.retain(|(own, _)| own != name);
        tasks.len() < before
    }
}

/// A text with its key.
pub(super) struct Kept {
    pub(super) within: Within,
    pub(super) key: String,
    pub(super) value: String,
    /// When, as it is written there.
    pub(super) saved: String,
}

impl Kept {
    /// The beginning of it in one line.
    pub(super) fn line(&self) -> String {
        let value = self.value.trim().replace('\n', " ");
        format!("{}: {} = {}", name(self.within), self.key, fault::cut(&value, SHOWN))
    }
}

pub(super) fn name(within: Within) -> &'static str {
    match within {
        Within::Notes => "notes",
        Within::Tasks => "tasks",
        Within::Cache => "cache",
    }
}

/// Where the cache keeps it: for all projects in one directory.
pub(super) const TIER: Tier = Tier::Project;

/// The key in the cache, which is that of this root alone.
pub(super) fn in_cache(key: &str, cx: &Cx<'_>) -> String {
    format!("{}#{key}", cx.workspace().root().display())
}

/// All that is kept, notes first, and what could not be read.
fn all(within: Option<Within>, cx: &Cx<'_>) -> Result<(Vec<Kept>, Vec<String>)> {
    let wanted = |it| within.is_none_or(|within| within == it);
    let (mut all, mut notes) = (Vec::new(), Vec::new());
    if wanted(Within::Notes) {
        let (entries, unread) = memory::entries(cx.workspace(), cx.cancel())?;
        notes = unread;
        all.extend(entries.into_iter().map(|entry| Kept {
            within: Within::Notes,
            key: entry.title,
            value: entry.content,
            saved: entry.saved,
        }));
    }
    if wanted(Within::Tasks) {
        let tasks = cx.kept::<Tasks>();
        all.extend(tasks.lock().iter().map(|(key, value)| Kept {
            within: Within::Tasks,
            key: key.clone(),
            value: value.clone(),
            saved: String::new(),
        }));
    }
    if wanted(Within::Cache) {
        let own = in_cache("", cx);
        let entries = Cache::of(cx).content(TIER)?.entries.into_iter();
        all.extend(entries.filter_map(|entry| {
            let key = entry.key.strip_prefix(&own)?.to_owned();
            let (value, saved) = (entry.value, String::new());
            Some(Kept { within: Within::Cache, key, value, saved })
        }));
    }
    Ok((all, notes))
}

/// Where else a key has something.
pub(super) fn elsewhere(within: Within, key: &str, cx: &Cx<'_>) -> Result<Option<Kept>> {
    let (all, _) = all(None, cx)?;
    Ok(all.into_iter().rfind(|kept| kept.key == key && kept.within != within))
}

/// The names in a store that are like one that is not there, as a question.
pub(super) fn near(within: Option<Within>, key: &str, cx: &Cx<'_>) -> Result<Option<String>> {
    let names = all(within, cx)?.0.into_iter().map(|kept| kept.key);
    let near = files::spelling::nearest(key, names, 3);
    Ok((!near.is_empty()).then(|| format!("did you mean `{}`?", near.join("` or `"))))
}

/// What a key has, in the first store that has it; of several notes the last one.
pub(super) fn one(within: Option<Within>, key: &str, cx: &Cx<'_>) -> Result<String> {
    let (all, notes) = all(within, cx)?;
    let is_it = |kept: &&Kept| kept.key == key;
    let first = all.iter().find(is_it).map(|kept| kept.within);
    let found = all.iter().filter(is_it).rfind(|kept| Some(kept.within) == first);
    if let Some(kept) = found {
        let space = if kept.saved.is_empty() { "" } else { " " };
        return Ok(format!("{}{space}{}\n{}", name(kept.within), kept.saved, kept.value));
    }
    let near = near(within, key, cx)?.unwrap_or_else(|| "{} lists what there is".to_owned());
    let said = [format!("nothing under `{key}`"), near].into_iter().chain(notes);
    Ok(said.collect::<Vec<_>>().join("; "))
}

/// What has the words, the best first, or all of it.
pub(super) fn several(asked: &Remember, cx: &Cx<'_>) -> Result<String> {
    let (mut kept, notes) = all(asked.within, cx)?;
    let none = match &asked.find {
        None => "nothing is kept yet; give key and value".to_owned(),
        Some(find) => {
            let mut scored: Vec<_> = kept
                .into_iter()
                .map(|kept| (memory::score(&kept.key, &kept.value, find), kept))
                .collect();
            scored.retain(|(score, _)| *score > 0.0);
            scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
            kept = scored.into_iter().map(|(_, kept)| kept).collect();
            format!("nothing has a word of `{}`; {{}} lists what there is", fault::cut(find, 100))
        }
    };
    if kept.is_empty() {
        return Ok([none].into_iter().chain(notes).collect::<Vec<_>>().join("; "));
    }
    let mut lines: Vec<String> = kept.iter().take(MOST).map(Kept::line).collect();
    if kept.len() > MOST {
        lines.push(format!("[{MOST} of {}; next: {{\"find\": \"other words\"}}]", kept.len()));
    }
    lines.extend(notes);
    Ok(lines.join("\n"))
}

/// Takes away the last note of this key, and a file that would be left empty; whether there is one.
pub(super) fn remove_note(key: &str, cx: &Cx<'_>) -> Result<bool> {
    let (entries, _) = memory::entries(cx.workspace(), cx.cancel())?;
    let file = entries.iter().rev().find(|entry| entry.title == key);
    let file = file.map_or(memory::FILE, |entry| entry.file.as_str());
    if cx.workspace().kind(file)?.is_none() {
        return Ok(false);
    }
    match memory::without(file, &cx.workspace().read(file)?.bytes, key) {
        Err(error) if error.code == Code::StringNotFound => return Ok(false),
        // One change of the file, which a person is asked about as one.
        Ok(left) if left.is_empty() => cx.step()?.remove_file(file)?,
        left => left.and_then(|_| memory::remove(cx.step()?, file, key))?,
    }
    Ok(true)
}
