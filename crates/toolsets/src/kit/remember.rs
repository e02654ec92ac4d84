//! kit `remember`.

use super::kept::{self, Kept, Tasks};
use crate::cache::{Cache, Store};
use crate::memory;
use crate::prelude::*;

/// Keep texts by key: notes in MEMORY.md, tasks of the session, cache for a day. key and value
/// set, key gets, {} lists.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Remember {
    pub(super) key: Option<String>,
    value: Option<String>,
    pub(super) find: Option<String>,
    #[serde(default)]
    remove: bool,
    /// notes to set, else all
    #[serde(rename = "in")]
    pub(super) within: Option<Within>,
}

// Where texts are kept; a doc comment would be read by the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Within {
    Notes,
    Tasks,
    Cache,
}

impl Tool for Remember {
    type Output = String;

    const SPEC: Spec = Spec::new("remember", "Remember", Category::Memory)
        .effect(
            Effect::WRITES.and(Effect::STORES).and(Effect::FORGETS).and(Effect::REMEMBERS),
            Permission::Moderate,
        )
        .errors(&[
            WRITING,
            &[Code::FileNotFound, Code::BinaryFile, Code::InvalidEncoding, Code::StringNotFound],
            &[Code::EmptyKey, Code::EmptyValue],
        ])
        .examples(&[
            Example::of("A note takes the place of the one of its key")
                .given(&[(
                    "MEMORY.md",
                    "# Ours\n\n### build\n_2026-01-31 09:30_\nmake\n\n### Client\nAlpha\n",
                )])
                .call(r#"{"key": "Client", "value": "Alpha pays late"}"#)
                .gives("notes: Client = Alpha pays late"),
            Example::of("What a key has")
                .given(&[("MEMORY.md", "### build\n_2026-01-31 09:30_\nmake all\n")])
                .call(r#"{"key": "build"}"#)
                .gives("notes 2026-01-31 09:30\nmake all"),
            Example::of("Notes that have the words, the best first")
                .given(&[("MEMORY.md", "### build\nmake all\n\n### all\nClient pays late\n")])
                .call(r#"{"find": "late client"}"#)
                .gives("notes: all = Client pays late"),
            Example::of("A task of this session")
                .call(r#"{"key": "write the test", "value": "doing", "in": "tasks"}"#)
                .gives("tasks: write the test = doing"),
            Example::of("All that is kept: a note, and what the cache has for a day")
                .given(&[("MEMORY.md", "### build\nmake\n")])
                .after(&[("remember", r#"{"key": "port", "value": "8080", "in": "cache"}"#)])
                .gives("notes: build = make\ncache: port = 8080"),
            Example::of("A note that is removed")
                .given(&[("MEMORY.md", "### build\nmake\n")])
                .call(r#"{"key": "build", "remove": true, "in": "notes"}"#)
                .gives("removed `build` from notes"),
            Example::of("Nothing under that key: what there is")
                .given(&[("MEMORY.md", "### build\nmake\n")])
                .call(r#"{"key": "biuld"}"#)
                .gives("nothing under `biuld`; did you mean `build`?"),
            Example::of("A note that is not there")
                .given(&[("MEMORY.md", "### build\nmake\n")])
                .call(r#"{"key": "x", "remove": true}"#)
                .fails(Code::StringNotFound, "error: key: no note `x`; [..]"),
        ]);

    fn effect(&self) -> Effect {
        match (self.changes(), self.within) {
            (false, _) => Effect::READS,
            (true, None | Some(Within::Notes)) => Effect::WRITES,
            (true, Some(Within::Tasks)) => Effect::REMEMBERS,
            (true, Some(Within::Cache)) if self.remove => Effect::FORGETS,
            (true, Some(Within::Cache)) => Effect::STORES,
        }
    }

    fn permission(&self) -> Permission {
        let writes = self.effect() == Effect::WRITES;
        if writes { Permission::Moderate } else { Permission::None }
    }

    fn paths(&self) -> Vec<String> {
        let writes = self.effect() == Effect::WRITES;
        writes.then(|| memory::FILE.to_owned()).into_iter().collect()
    }

    fn about(&self) -> String {
        let key = self.key.as_deref().unwrap_or_default();
        format!("delete the key {key} from the cache")
    }

    fn run(self, cx: &Cx<'_>) -> Result<String> {
        let Some(key) = self.key.as_deref().map(str::trim).filter(|_| self.find.is_none()) else {
            if self.changes() {
                return Err(Error::invalid_input("key", "missing; say under which key"));
            }
            return kept::several(&self, cx);
        };
        if key.is_empty() {
            return Err(Error::empty_key());
        }
        match (&self.value, self.remove) {
            (None, false) => kept::one(self.within, key, cx),
            (Some(_), true) => {
                Err(Error::invalid_input("remove", "not together with value; give one of them"))
            }
            (Some(value), false) if value.trim().is_empty() => Err(Error::empty_value(key)),
            (Some(value), false) => self.set(key, value, cx),
            (None, true) => self.remove(key, cx),
        }
    }
}

impl Remember {
    fn changes(&self) -> bool {
        self.remove || self.value.is_some()
    }

    fn set(&self, key: &str, value: &str, cx: &Cx<'_>) -> Result<String> {
        let within = self.within.unwrap_or(Within::Notes);
        match within {
            Within::Notes => {
                let (entries, _) = memory::entries(cx.workspace(), cx.cancel())?;
                let former = entries.iter().rev().find(|entry| entry.title == key);
                if let Some(former) = former.filter(|entry| entry.line > 0) {
                    memory::remove(cx.step()?, &former.file, key)?;
                }
                let now = jiff::Zoned::now().strftime("%Y-%m-%d %H:%M").to_string();
                memory::save(cx.step()?, key, value, &now)?;
            }
            Within::Tasks => {
                let tasks = cx.kept::<Tasks>();
                let mut tasks = tasks.lock();
                match tasks.iter_mut().find(|(name, _)| name == key) {
                    Some((_, state)) => value.clone_into(state),
                    None => tasks.push((key.to_owned(), value.to_owned())),
                }
            }
            Within::Cache => {
                let (key, tier) = (&*kept::in_cache(key, cx), kept::TIER);
                let (time_to_live, metadata) = (None, None);
                Cache::of(cx).store(Store { tier, key, value, time_to_live, metadata })?;
            }
        }
        let (owned, value) = (key.to_owned(), value.to_owned());
        let line = Kept { within, key: owned, value, saved: String::new() }.line();
        // Who set it without a store may have meant the other one.
        let other = match self.within {
            Some(_) => None,
            None => kept::elsewhere(within, key, cx)?.map(|other| other.line()),
        };
        Ok(other.map_or(line.clone(), |other| format!("{line}\n[also there: {other}]")))
    }

    fn remove(&self, key: &str, cx: &Cx<'_>) -> Result<String> {
        let within = self.within.unwrap_or(Within::Notes);
        let was = match within {
            Within::Notes if kept::remove_note(key, cx)? => true,
            Within::Notes => return Err(self.no_note(key, cx)?),
            Within::Tasks => cx.kept::<Tasks>().remove(key),
            Within::Cache => {
                !Cache::of(cx).delete(&[kept::TIER], &kept::in_cache(key, cx))?.is_empty()
            }
        };
        let name = kept::name(within);
        if was {
            return Ok(format!("removed `{key}` from {name}"));
        }
        let near = kept::near(Some(within), key, cx)?.map(|near| format!("; {near}"));
        Ok(format!("no `{key}` in {name}{}", near.unwrap_or_default()))
    }

    /// That there is no such note, and where the key is if no store was named.
    fn no_note(&self, key: &str, cx: &Cx<'_>) -> Result<Error> {
        let other = match self.within {
            Some(_) => None,
            None => kept::elsewhere(Within::Notes, key, cx)?.map(|other| kept::name(other.within)),
        };
        let near = kept::near(Some(Within::Notes), key, cx)?;
        Ok(Error::no_note(key, other, near.as_deref()))
    }
}
