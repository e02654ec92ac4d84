//! The statements of the journal's database, inside or outside a transaction.

use std::collections::HashMap;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use fault::{Error, Result};
use rusqlite::{OptionalExtension as _, params};

use super::super::image::Image;
use super::super::{Label, StepId};
use super::{Altered, Phase, StepRow, Tx, failure, now};
use crate::workspace::RootId;

const STEP_COLUMNS: &str =
    "id, tool, about, time, phase, program, missed, trouble, applied, session, turned";

/// What a step is by `program`, where it is neither 0 nor 1: the changes of others may be among those
/// of a program.
const UNSURE: i64 = 2;

/// The same of a step that brought in what a program left in its layer: nothing is made there before it
/// is noted.
const LAYER: i64 = 3;

/// A number after those of all that was turned before: the clock may go back, this does not.
const NEXT: &str = "(SELECT 1 + coalesce(max(turned), 0) FROM steps)";

/// A step that stopped half way, with the reason.
const HALF: &str = "(trouble != '' AND phase NOT IN ('done', 'undone'))";

fn step_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<StepRow> {
    Ok(StepRow {
        id: row.get(0)?,
        tool: row.get(1)?,
        about: row.get(2)?,
        time: row.get(3)?,
        phase: Phase::parse(&row.get::<_, String>(4)?),
        program: !matches!(row.get(5)?, 0 | LAYER),
        ran: row.get::<_, i64>(5)? != 0,
        is_unsure: row.get::<_, i64>(5)? == UNSURE,
        missed: row.get(6)?,
        trouble: row.get(7)?,
        applied: row.get::<_, Option<i64>>(8)?.map(|n| n as usize),
        session: row.get(9)?,
        turned: row.get(10)?,
    })
}

impl Tx<'_> {
    fn fail(&self, error: &rusqlite::Error) -> Error {
        self.damaged.set(self.damaged.get() || super::opening::is_damage(error));
        failure(self.dir, error)
    }

    /// A new step, whose changes may be in `roots`.
    pub(in crate::journal) fn new_step(
        &self,
        root: &Path,
        label: &Label,
        program: bool,
        roots: &[RootId],
    ) -> Result<StepId> {
        let id = self
            .tx
            .prepare_cached(&format!(
                "INSERT INTO steps (root, session, owner, tool, about, time, phase, program, clock,
                 turned) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'open', ?7,
                 (SELECT value FROM facts WHERE name = 'clock'), {NEXT})"
            ))
            .and_then(|mut s| {
                s.insert(params![
                    root.as_os_str().as_bytes(),
                    label.session,
                    self.owner,
                    label.tool,
                    label.about,
                    now(),
                    program
                ])
            })
            .map_err(|e| self.fail(&e))?;
        self.add_roots(id, roots)?;
        Ok(id)
    }

    /// The step is where it should be: whole on one side.
    pub(in crate::journal) fn set_phase(&self, step: StepId, phase: Phase) -> Result<()> {
        let sql = format!(
            "UPDATE steps SET phase = ?2, owner = ?3, turned = {NEXT}, trouble = '', applied = NULL
             WHERE id = ?1"
        );
        self.run(&sql, params![step, phase.as_str(), self.owner])
    }

    /// The step never was made; a person can have it made by its number.
    pub(in crate::journal) fn set_held_back(&self, step: StepId) -> Result<()> {
        self.set_phase(step, Phase::Undone)?;
        self.run("UPDATE steps SET turned = 0 WHERE id = ?1", params![step])
    }

    /// The step is being turned, and this many of its changes are in place.
    pub(in crate::journal) fn set_turning(
        &self,
        step: StepId,
        phase: Phase,
        applied: usize,
    ) -> Result<()> {
        let sql = format!(
            "UPDATE steps SET phase = ?2, owner = ?3, turned = {NEXT}, trouble = '', applied = ?4
             WHERE id = ?1"
        );
        self.run(&sql, params![step, phase.as_str(), self.owner, applied as i64])
    }

    pub(in crate::journal) fn set_applied(&self, step: StepId, applied: usize) -> Result<()> {
        self.run("UPDATE steps SET applied = ?2 WHERE id = ?1", params![step, applied as i64])
    }

    /// The step could not be brought to where it should be. Nobody owns it then, so that anybody
    /// may go on with it.
    pub(in crate::journal) fn set_trouble(&self, step: StepId, trouble: &str) -> Result<()> {
        let sql = "UPDATE steps SET trouble = ?2, owner = '' WHERE id = ?1";
        self.run(sql, params![step, trouble])
    }

    /// The same, unless a better reason was stored or the step is settled.
    pub(in crate::journal) fn set_trouble_if_open(
        &self,
        step: StepId,
        trouble: &str,
    ) -> Result<()> {
        let sql = "UPDATE steps SET trouble = ?2, owner = ''
             WHERE id = ?1 AND trouble = '' AND phase NOT IN ('done', 'undone')";
        self.run(sql, params![step, trouble])
    }

    /// Others may have made some of the changes of a program.
    pub(in crate::journal) fn set_unsure(&self, step: StepId) -> Result<()> {
        self.run("UPDATE steps SET program = ?2 WHERE id = ?1", params![step, UNSURE])
    }

    /// The changes are what a program left in its layer.
    pub(in crate::journal) fn set_from_layer(&self, step: StepId) -> Result<()> {
        self.run("UPDATE steps SET program = ?2 WHERE id = ?1", params![step, LAYER])
    }

    fn add_roots(&self, step: StepId, roots: &[RootId]) -> Result<()> {
        for root in roots {
            let (path, device, inode) =
                (root.path.as_os_str().as_bytes(), root.device as i64, root.inode as i64);
            let sql = "INSERT OR IGNORE INTO roots VALUES (?1, ?2, ?3, ?4)";
            self.run(sql, params![step, path, device, inode])?;
        }
        Ok(())
    }

    pub(in crate::journal) fn roots(&self, step: StepId) -> Result<Vec<RootId>> {
        let row = |r: &rusqlite::Row<'_>| {
            Ok(RootId {
                path: PathBuf::from(std::ffi::OsString::from_vec(r.get(0)?)),
                device: r.get::<_, i64>(1)? as u64,
                inode: r.get::<_, i64>(2)? as u64,
            })
        };
        self.query("SELECT path, device, inode FROM roots WHERE step = ?1", [step], row)
    }

    pub(in crate::journal) fn set_missed(&self, step: StepId, missed: &str) -> Result<()> {
        self.run("UPDATE steps SET missed = ?2 WHERE id = ?1", params![step, missed])
    }

    /// The same behind what is noted of it already.
    pub(in crate::journal) fn add_missed(&self, step: StepId, missed: &str) -> Result<()> {
        let sql = "UPDATE steps SET missed = missed || iif(missed = '', '', '; ') || ?2
             WHERE id = ?1";
        self.run(sql, params![step, missed])
    }

    pub(in crate::journal) fn forget_step(&self, step: StepId) -> Result<()> {
        self.run("DELETE FROM changes WHERE step = ?1", params![step])?;
        self.run("DELETE FROM steps WHERE id = ?1", params![step])
    }

    /// Forgets the changes of a step but those at these positions.
    pub(in crate::journal) fn keep_only(&self, step: StepId, positions: &[usize]) -> Result<()> {
        let all = self.notes(step)?.into_iter().enumerate();
        for (_, note) in all.filter(|(at, _)| !positions.contains(at)) {
            self.run("DELETE FROM changes WHERE step = ?1 AND seq = ?2", params![step, note.seq])?;
        }
        Ok(())
    }

    pub(in crate::journal) fn run(&self, sql: &str, params: impl rusqlite::Params) -> Result<()> {
        self.tx
            .prepare_cached(sql)
            .and_then(|mut s| s.execute(params))
            .map_err(|e| self.fail(&e))?;
        Ok(())
    }

    pub(in crate::journal) fn add_change(
        &self,
        step: StepId,
        seq: usize,
        change: &Altered,
    ) -> Result<()> {
        let (before, after) = (change.before.columns(), change.after.columns());
        self.run(
            "INSERT OR REPLACE INTO changes VALUES
             (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, NULL, NULL, NULL, NULL, NULL,
             NULL, NULL)",
            params![
                step,
                seq as i64,
                change.path.as_os_str().as_bytes(),
                before.0,
                before.1,
                before.2,
                before.3,
                after.0,
                after.1,
                after.2,
                after.3
            ],
        )
    }

    pub(in crate::journal) fn changes(&self, step: StepId) -> Result<Vec<Altered>> {
        let row = |r: &rusqlite::Row<'_>| {
            let image = |i: usize| -> rusqlite::Result<Option<Image>> {
                Ok(Image::from_columns(
                    &r.get::<_, String>(i)?,
                    r.get(i + 1)?,
                    r.get(i + 2)?,
                    r.get(i + 3)?,
                ))
            };
            let path = PathBuf::from(std::ffi::OsString::from_vec(r.get(0)?));
            Ok((path, image(1)?, image(5)?))
        };
        self.tx
            .prepare_cached(
                "SELECT path, before_kind, before_hash, before_mode, before_text,
                 after_kind, after_hash, after_mode, after_text FROM changes WHERE step = ?1 ORDER BY seq",
            )
            .and_then(|mut s| s.query_map([step], row)?.collect::<rusqlite::Result<Vec<_>>>())
            .map_err(|e| self.fail(&e))?
            .into_iter()
            .map(|(path, before, after)| match (before, after) {
                (Some(before), Some(after)) => Ok(Altered { path, before, after }),
                _ => Err(Error::internal(format!("step {step} of the journal is unreadable"))),
            })
            .collect()
    }

    pub(in crate::journal) fn change_count(&self, step: StepId) -> Result<usize> {
        let count = self.query("SELECT count(*) FROM changes WHERE step = ?1", [step], |r| {
            r.get::<_, i64>(0)
        })?;
        Ok(count.first().map_or(0, |n| *n as usize))
    }

    /// What other steps changed or turned since `step` began, as they left it.
    pub(in crate::journal) fn changed_by_others(
        &self,
        root: &Path,
        step: StepId,
    ) -> Result<HashMap<PathBuf, Image>> {
        let sql = "SELECT id, phase FROM steps WHERE root = ?1 AND id != ?2
             AND (turned > (SELECT turned FROM steps WHERE id = ?2)
             OR phase = 'open' AND NOT program) ORDER BY turned";
        let params = params![root.as_os_str().as_bytes(), step];
        let row = |r: &rusqlite::Row<'_>| Ok((r.get(0)?, Phase::parse(&r.get::<_, String>(1)?)));
        let mut left = HashMap::new();
        for (id, phase) in self.query(sql, params, row)? {
            for change in self.changes(id)? {
                let undone = matches!(phase, Phase::Undone | Phase::Undoing);
                left.insert(change.path, if undone { change.before } else { change.after });
            }
        }
        Ok(left)
    }

    pub(in crate::journal) fn step(&self, root: &Path, id: StepId) -> Result<Option<StepRow>> {
        let sql = format!("SELECT {STEP_COLUMNS} FROM steps WHERE root = ?1 AND id = ?2");
        self.tx
            .prepare_cached(&sql)
            .and_then(|mut s| {
                s.query_row(params![root.as_os_str().as_bytes(), id], step_row).optional()
            })
            .map_err(|e| self.fail(&e))
    }

    /// The steps that can be turned from `phase`: those that are half turned, then the others, the
    /// one first that was made or turned last. What never was made is turned by its number alone.
    pub(in crate::journal) fn turnable(&self, root: &Path, phase: Phase) -> Result<Vec<StepRow>> {
        // A failed call that was not taken back whole can only be undone.
        let never = if phase == Phase::Undone { "open" } else { "undone" };
        let sql = format!(
            "SELECT {STEP_COLUMNS} FROM steps
             WHERE root = ?1 AND (phase = ?2 OR {HALF} AND phase != '{never}')
                 AND (phase != 'undone' OR turned != 0)
             ORDER BY {HALF} DESC, turned DESC, id DESC"
        );
        self.query(&sql, params![root.as_os_str().as_bytes(), phase.as_str()], step_row)
    }

    /// The root that a step belongs to.
    pub(in crate::journal) fn root_of(&self, id: StepId) -> Result<Option<PathBuf>> {
        let row =
            |r: &rusqlite::Row<'_>| Ok(PathBuf::from(std::ffi::OsString::from_vec(r.get(0)?)));
        Ok(self.query("SELECT root FROM steps WHERE id = ?1", [id], row)?.pop())
    }

    /// The done steps after `step` that changed something at or below one of these paths, without
    /// some of them, in their order.
    pub(in crate::journal) fn later(
        &self,
        root: &Path,
        step: StepId,
        paths: &[&Path],
        without: &[StepId],
    ) -> Result<Vec<(PathBuf, StepId)>> {
        let sql = "SELECT changes.path, id FROM steps JOIN changes ON step = id
             WHERE root = ?1 AND id > ?2 AND phase = 'done' ORDER BY id";
        let row = |r: &rusqlite::Row<'_>| {
            Ok((PathBuf::from(std::ffi::OsString::from_vec(r.get(0)?)), r.get(1)?))
        };
        let mut later = Vec::new();
        let all = self.query(sql, params![root.as_os_str().as_bytes(), step], row)?;
        for (changed, id) in all.into_iter().filter(|(_, id)| !without.contains(id)) {
            let at = paths.iter().filter(|path| changed.starts_with(path));
            later.extend(at.map(|path| (path.to_path_buf(), id)));
        }
        Ok(later)
    }

    /// The newest steps, newest first.
    pub(in crate::journal) fn steps(&self, root: &Path, most: usize) -> Result<Vec<StepRow>> {
        let sql =
            format!("SELECT {STEP_COLUMNS} FROM steps WHERE root = ?1 ORDER BY id DESC LIMIT ?2");
        self.tx
            .prepare_cached(&sql)
            .and_then(|mut s| {
                s.query_map(params![root.as_os_str().as_bytes(), most as i64], step_row)?
                    .collect::<rusqlite::Result<Vec<_>>>()
            })
            .map_err(|e| self.fail(&e))
    }

    /// Steps in the middle of something, with their owners and roots.
    pub(in crate::journal) fn unfinished(&self) -> Result<Vec<(StepRow, String, PathBuf)>> {
        let sql = format!(
            "SELECT {STEP_COLUMNS}, owner, root FROM steps WHERE phase NOT IN ('done', 'undone') ORDER BY id DESC"
        );
        let row = |r: &rusqlite::Row<'_>| {
            Ok((step_row(r)?, r.get(11)?, PathBuf::from(std::ffi::OsString::from_vec(r.get(12)?))))
        };
        self.tx
            .prepare_cached(&sql)
            .and_then(|mut s| s.query_map([], row)?.collect::<rusqlite::Result<Vec<_>>>())
            .map_err(|e| self.fail(&e))
    }

    /// Keeps a small content; one that was kept and is damaged is replaced.
    pub(in crate::journal) fn put_small(&self, hash: &[u8], data: &[u8]) -> Result<()> {
        let added = self
            .tx
            .prepare_cached("INSERT OR IGNORE INTO blobs VALUES (?1, ?2)")
            .and_then(|mut s| s.execute(params![hash, data]))
            .map_err(|e| self.fail(&e))?;
        if added == 0 && self.get_small(hash)?.as_deref() != Some(data) {
            self.run("UPDATE blobs SET data = ?2 WHERE hash = ?1", params![hash, data])?;
        }
        Ok(())
    }

    pub(in crate::journal) fn get_small(&self, hash: &[u8]) -> Result<Option<Vec<u8>>> {
        self.tx
            .prepare_cached("SELECT data FROM blobs WHERE hash = ?1")
            .and_then(|mut s| s.query_row([hash], |r| r.get(0)).optional())
            .map_err(|e| self.fail(&e))
    }

    pub(in crate::journal) fn query<T>(
        &self,
        sql: &str,
        params: impl rusqlite::Params,
        row: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        self.tx
            .prepare_cached(sql)
            .and_then(|mut s| s.query_map(params, row)?.collect::<rusqlite::Result<Vec<_>>>())
            .map_err(|e| self.fail(&e))
    }
}
