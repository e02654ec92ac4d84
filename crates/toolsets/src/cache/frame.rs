//! The reasoning of the moment: one frame that is active, and those that were put away.
//!
//! A frame is kept as it was given, with fields that are not known here.

use fault::{Error, Result};
use serde_json::{Map, Value};

use super::entry::pretty;
use super::{Cache, Store, Tier};

const ACTIVE: &str = "reasoning/active/frame.json";

/// A frame that was put away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Archived {
    /// Its id.
    pub(crate) id: String,
    /// The key of its entry in the project tier.
    pub(crate) key: String,
}

impl Cache {
    /// Makes a frame the active one; another that was active is put away first. Gives the id of
    /// the frame, how many steps it has, and what was put away.
    ///
    /// # Errors
    /// `InvalidJSON`, `MissingFrameId`, `MissingCogSteps`, `PermissionDenied`, `FileBusy`.
    pub(crate) fn store_frame(&self, text: &str) -> Result<(String, usize, Option<Archived>)> {
        let frame: Value = serde_json::from_str(text).map_err(|e| Error::invalid_json(&e))?;
        let id = id_of(frame.as_object()).ok_or_else(Error::missing_frame_id)?;
        let steps = frame.get("cog_steps").and_then(Value::as_array);
        let steps = steps.ok_or_else(Error::missing_cog_steps)?.len();
        let before = self.load_frame()?.filter(|before| id_of(Some(before)) != Some(id.clone()));
        let archived = before.map(|before| self.put_away(&before)).transpose()?;
        let _lock = self.disk.lock()?;
        self.disk.make("reasoning/active")?;
        self.disk.write(ACTIVE, &pretty(&frame))?;
        Ok((id, steps, archived))
    }

    /// The active frame. One in the user's directory goes before one that the original left in the
    /// project.
    ///
    /// # Errors
    /// `InvalidJSON` if the file is broken, `PermissionDenied`.
    pub(crate) fn load_frame(&self) -> Result<Option<Map<String, Value>>> {
        let own = self.disk.text(ACTIVE, true)?;
        let text = match own {
            Some(text) => Some(text),
            None => self.disk.text(ACTIVE, false)?,
        };
        let Some(text) = text else { return Ok(None) };
        serde_json::from_slice(&text).map(Some).map_err(|e| Error::invalid_json(&e))
    }

    /// Puts the active frame away into the project tier; then none is active.
    ///
    /// # Errors
    /// `NoActiveFrame`, `InvalidJSON`, `PermissionDenied`, `FileBusy`.
    pub(crate) fn archive_frame(&self) -> Result<Archived> {
        let frame = self.load_frame()?.ok_or_else(Error::no_active_frame)?;
        let archived = self.put_away(&frame)?;
        let _lock = self.disk.lock()?;
        for is_own in [true, false] {
            self.disk.discard(ACTIVE, is_own)?;
        }
        Ok(archived)
    }

    fn put_away(&self, frame: &Map<String, Value>) -> Result<Archived> {
        let id = id_of(Some(frame)).unwrap_or_else(|| "unnamed".to_owned());
        let taken = |key: &String| self.retrieve(&[Tier::Project], key).is_ok_and(|e| e.is_some());
        let first = format!("reasoning_frame_{id}");
        let more = (2..).map(|n| format!("{first}_{n}"));
        let key = std::iter::once(first.clone()).chain(more).find(|key| !taken(key));
        let key = key.unwrap_or(first);
        let value = String::from_utf8(pretty(&Value::Object(frame.clone()))).unwrap_or_default();
        let metadata = Map::from_iter([
            ("type".into(), "reasoning_frame".into()),
            ("frame_id".into(), id.clone().into()),
        ]);
        self.store(Store {
            tier: Tier::Project,
            key: &key,
            value: &value,
            time_to_live: None,
            metadata: Some(metadata),
        })?;
        Ok(Archived { id, key })
    }
}

/// The id of a frame; a number counts as its digits.
fn id_of(frame: Option<&Map<String, Value>>) -> Option<String> {
    match frame?.get("frame_id")? {
        Value::String(id) if !id.trim().is_empty() => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}
