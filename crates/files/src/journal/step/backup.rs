//! A copy of a file beside it, for callers whose document promises one.
//!
//! The journal has every change anyway; a copy is what a person finds without Kitbag.

use fault::{Code, Error, Result};

use super::planned::{After, Plan};
use super::{Altered, Image, Step, hash};
use crate::workspace::{FileMode, Found, Last};

/// Copies of one file that are kept beside it; then it is time to clear up.
const MOST_COPIES: usize = 1000;

/// The name of the file that a name made by [`Step::back_up`] is a copy of; `None` for other names.
/// Paths are taken too.
pub fn backup_of(name: &str) -> Option<&str> {
    let is_number = |end: &str| !end.is_empty() && end.bytes().all(|b| b.is_ascii_digit());
    let plain = name.rsplit_once('.').filter(|(_, end)| is_number(end)).map_or(name, |(n, _)| n);
    plain.strip_suffix(".backup").filter(|of| !of.is_empty() && !of.ends_with('/'))
}

impl Step<'_> {
    /// Copies the file at `path` with its permission bits to `<path>.backup`, or `.backup.1` and
    /// so on: what is there is never overwritten. Gives the path of the copy; `None` if there
    /// is no file yet.
    ///
    /// # Errors
    /// `FileExists` if a thousand copies are there; else as for [`Step::write`].
    pub fn back_up(&self, path: &str) -> Result<Option<String>> {
        let file = match self.workspace.spot(path, Last::Follow) {
            Err(e) if e.code == Code::ParentDirectoryNotFound => return Ok(None),
            spot => spot?,
        };
        let io = |e: std::io::Error| Error::io(path, &e);
        if !matches!(file.look().map_err(io)?, Found::File { .. }) {
            return Ok(None);
        }
        let Some((bytes, mode)) = self.content(&file, path)? else { return Ok(None) };
        let names = (0..MOST_COPIES).map(|n| match n {
            0 => format!("{path}.backup"),
            n => format!("{path}.backup.{n}"),
        });
        for copy in names {
            let spot = self.workspace.spot(&copy, Last::Keep)?;
            self.lock_spot(&spot, &copy)?;
            if spot.look().map_err(io)? != Found::Nothing {
                continue;
            }
            let mode = FileMode::Exact(mode);
            if self.dry {
                let (source, after) = (Some(bytes.clone()), After::File(bytes, Some(mode)));
                let note = format!("copy {path} to {copy}");
                let plan = Plan { path: spot.path.clone(), after, source, note, ..Plan::default() };
                self.lock().planned.0.push(plan);
                return Ok(Some(copy));
            }
            let change = Altered {
                path: spot.path.clone(),
                before: Image::Absent,
                after: Image::File { hash: hash(&bytes), mode: Some(mode.bits()) },
            };
            let wanted = After::File(bytes.clone(), Some(mode));
            self.alter(&spot, &copy, None, wanted, change, |expected, durable| {
                spot.put_file(&bytes, Some(mode), expected, durable)
            })?;
            return Ok(Some(copy));
        }
        Err(Error::file_exists(&format!("{path}.backup")))
    }
}
