//! What the file system knows of a path without opening the file.

use std::time::{Duration, SystemTime};

use fault::{Error, Result};
use rustix::fs::{AtFlags, FileType, OFlags, StatxFlags, StatxTimestamp};

use super::{Kind, Last, Workspace};

/// What is at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// What it is, links followed.
    pub kind: Kind,
    /// Bytes of a file.
    pub size: u64,
    /// Permission bits.
    pub mode: u32,
    /// How many names a file has; more than one are hard links.
    pub names: u32,
    /// When the content was changed.
    pub modified: SystemTime,
    /// When it was made, if the file system keeps that.
    pub created: Option<SystemTime>,
    /// Where it leads as written, if the path itself is a link.
    pub link: Option<String>,
}

impl Workspace {
    /// What is at a path; links are followed.
    ///
    /// # Errors
    /// `FileNotFound`, `PathOutsideWorkspace`.
    pub fn info(&self, path: &str) -> Result<Info> {
        let (fd, _) = self.open_path(path, OFlags::PATH)?;
        let wanted = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
        let stat = rustix::fs::statx(&fd, "", AtFlags::EMPTY_PATH, wanted)
            .map_err(|e| Error::io(path, &e.into()))?;
        let made = StatxFlags::from_bits_retain(stat.stx_mask).contains(StatxFlags::BTIME);
        Ok(Info {
            kind: match FileType::from_raw_mode(stat.stx_mode.into()) {
                FileType::RegularFile => Kind::File,
                FileType::Directory => Kind::Directory,
                _ => Kind::Special,
            },
            size: stat.stx_size,
            mode: u32::from(stat.stx_mode) & 0o7777,
            names: stat.stx_nlink,
            modified: time(stat.stx_mtime),
            created: made.then(|| time(stat.stx_btime)),
            link: self.link(path),
        })
    }

    /// Where the link at `path` leads, as written, also if that is out of the workspace or nowhere;
    /// `None` if it is no link.
    pub fn link(&self, path: &str) -> Option<String> {
        let target = self.spot(path, Last::Keep).ok()?.link().ok()?;
        Some(super::quote(&target))
    }
}

fn time(stamp: StatxTimestamp) -> SystemTime {
    let seconds = Duration::from_secs(stamp.tv_sec.unsigned_abs());
    let whole = if stamp.tv_sec < 0 {
        SystemTime::UNIX_EPOCH - seconds
    } else {
        SystemTime::UNIX_EPOCH + seconds
    };
    whole + Duration::from_nanos(stamp.tv_nsec.into())
}
