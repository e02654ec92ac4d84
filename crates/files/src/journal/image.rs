//! What stood at a path: enough to put it back.

use std::ffi::OsString;
use std::path::PathBuf;

use super::blobs::Hash;
use crate::workspace::Expected;

/// What stood at a path at one moment. Without a mode it has the one that new things get.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Image {
    /// Nothing.
    Absent,
    /// A regular file; its content is a blob.
    File { hash: Hash, mode: Option<u32> },
    /// A directory, without what is in it.
    Directory { mode: Option<u32> },
    /// A link and where it leads, as written.
    Link { target: OsString },
    /// Whatever it is, it is kept whole in the slot of this name in the journal's trash while it is
    /// not at the path. While it is, the slot holds what the other image of the change describes,
    /// or nothing.
    Trash { name: String },
    /// Whatever it is, it is at this path: the change renames it.
    Moved { path: PathBuf },
}

/// Kind, blob, mode, text.
pub(super) type Columns<'a> = (&'static str, Option<&'a [u8]>, Option<u32>, Option<Vec<u8>>);

impl Image {
    /// How it is stored.
    pub(super) fn columns(&self) -> Columns<'_> {
        use std::os::unix::ffi::OsStrExt as _;
        match self {
            Self::Absent => ("absent", None, None, None),
            Self::File { hash, mode } => ("file", Some(hash), *mode, None),
            Self::Directory { mode } => ("directory", None, *mode, None),
            Self::Link { target } => ("link", None, None, Some(target.as_bytes().to_vec())),
            Self::Trash { name } => ("trash", None, None, Some(name.clone().into_bytes())),
            Self::Moved { path } => {
                ("moved", None, None, Some(path.as_os_str().as_bytes().to_vec()))
            }
        }
    }

    /// What has to be at a path for this to be taken from it. A directory or a thing of the trash
    /// is never replaced by a new name, so nothing may be there.
    pub(super) fn expected(&self) -> Expected<'_> {
        match self {
            Self::File { hash, .. } => Expected::File(hash),
            Self::Link { target } => Expected::Link(target),
            _ => Expected::Nothing,
        }
    }

    /// The inverse of [`Image::columns`].
    pub(super) fn from_columns(
        kind: &str,
        hash: Option<Vec<u8>>,
        mode: Option<u32>,
        text: Option<Vec<u8>>,
    ) -> Option<Self> {
        use std::os::unix::ffi::OsStringExt as _;
        Some(match kind {
            "absent" => Self::Absent,
            "file" => Self::File { hash: hash?.try_into().ok()?, mode },
            "directory" => Self::Directory { mode },
            "link" => Self::Link { target: OsString::from_vec(text?) },
            "trash" => Self::Trash { name: String::from_utf8(text?).ok()? },
            "moved" => Self::Moved { path: OsString::from_vec(text?).into() },
            _ => return None,
        })
    }
}
