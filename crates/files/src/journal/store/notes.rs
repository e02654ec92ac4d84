//! What is noted of each change beside what it is: by what its two sides are known again.

use std::collections::HashSet;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use fault::Result;
use rusqlite::params;

use super::super::StepId;
use super::super::blobs::Hash;
use super::Tx;
use crate::workspace::Stamp;

/// What is noted of a change while it is turned to and fro.
#[derive(Clone, Debug)]
pub(in crate::journal) struct Note {
    /// Its number in the database.
    pub(in crate::journal) seq: i64,
    /// The inode of the later of the two things that a slot of the trash and a path hold in turn.
    pub(in crate::journal) inode: Option<u64>,
    /// What the earlier of them is known by, once an undo gave it back.
    pub(in crate::journal) stamp: Option<Stamp>,
    pub(in crate::journal) staged: Staged,
    pub(in crate::journal) commits: Commits,
}

/// The commit that a file of a repository went with before a change and after it: of an index or
/// HEAD that of HEAD, of a branch its own; empty before the first.
#[derive(Clone, Debug, Default)]
pub(in crate::journal) struct Commits {
    pub(in crate::journal) before: Option<String>,
    pub(in crate::journal) after: Option<String>,
}

/// What an index of git stages before a change and after it, as digests; see `layer::staged`.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::journal) struct Staged {
    pub(in crate::journal) before: Option<Hash>,
    pub(in crate::journal) after: Option<Hash>,
}

impl Tx<'_> {
    /// Notes which of the two things that a slot and a path hold in turn is the later one.
    pub(in crate::journal) fn set_inode(&self, step: StepId, seq: i64, inode: u64) -> Result<()> {
        let sql = "UPDATE changes SET inode = ?3 WHERE step = ?1 AND seq = ?2";
        self.run(sql, params![step, seq, inode as i64])
    }

    /// Notes what the earlier of the two is known by.
    pub(in crate::journal) fn set_stamp(
        &self,
        step: StepId,
        seq: i64,
        stamp: &Stamp,
    ) -> Result<()> {
        let sql = "UPDATE changes SET size = ?3, mtime = ?4 WHERE step = ?1 AND seq = ?2";
        self.run(sql, params![step, seq, stamp.size as i64, stamp.mtime])
    }

    /// Notes what an index of git staged before a change and after it.
    pub(in crate::journal) fn set_staged(
        &self,
        step: StepId,
        seq: i64,
        staged: &Staged,
    ) -> Result<()> {
        let sql = "UPDATE changes SET staged_before = ?3, staged_after = ?4
             WHERE step = ?1 AND seq = ?2";
        self.run(sql, params![step, seq, staged.before, staged.after])
    }

    /// Notes the commits that a file of a repository went with.
    pub(in crate::journal) fn set_commits(
        &self,
        step: StepId,
        seq: i64,
        commits: &Commits,
    ) -> Result<()> {
        let sql = "UPDATE changes SET commit_before = ?3, commit_after = ?4
             WHERE step = ?1 AND seq = ?2";
        self.run(sql, params![step, seq, commits.before, commits.after])
    }

    /// What programs left in each file, with `step` and before it.
    pub(in crate::journal) fn left_by_programs(
        &self,
        root: &Path,
        step: StepId,
    ) -> Result<HashSet<(PathBuf, Hash)>> {
        let sql = "SELECT path, after_hash FROM steps JOIN changes ON step = id
             WHERE root = ?1 AND id <= ?2 AND program != 0 AND after_kind = 'file'";
        let row = |r: &rusqlite::Row<'_>| {
            Ok((PathBuf::from(std::ffi::OsString::from_vec(r.get(0)?)), r.get(1)?))
        };
        let left = self.query(sql, params![root.as_os_str().as_bytes(), step], row)?;
        Ok(left.into_iter().collect())
    }

    /// What is noted of each change, in their order.
    pub(in crate::journal) fn notes(&self, step: StepId) -> Result<Vec<Note>> {
        let sql = "SELECT seq, inode, size, mtime, staged_before, staged_after, commit_before,
             commit_after FROM changes WHERE step = ?1 ORDER BY seq";
        self.query(sql, [step], |r| {
            let number = |at| r.get::<_, Option<i64>>(at).map(|n| n.map(|n| n as u64));
            let (size, mtime) = (number(2)?, r.get::<_, Option<i64>>(3)?);
            let stamp = size.zip(mtime).map(|(size, mtime)| Stamp { size, mtime });
            let staged = Staged { before: r.get(4)?, after: r.get(5)? };
            let commits = Commits { before: r.get(6)?, after: r.get(7)? };
            Ok(Note { seq: r.get(0)?, inode: number(1)?, stamp, staged, commits })
        })
    }
}
