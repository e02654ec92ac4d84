//! The only door to the files of a project.
//!
//! Without this module a path would be a string that anybody could open. Here every path is
//! resolved by the kernel beneath the handle of a root (`openat2` with `RESOLVE_BENEATH`), so
//! `..`, absolute paths and links cannot lead out, also when somebody swaps a directory for a link
//! in between. A path string is used once; what follows works on the handle it gave.

#![expect(clippy::disallowed_methods, reason = "this module is the door to the file system")]

mod exchange;
mod expected;
mod folder;
mod info;
mod list;
mod node;
mod protected;
mod read;
mod replace;
mod resolve;
mod stale;

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use fault::{Error, Result};
use rustix::fs::{Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use crate::limits::Limits;
use crate::state::State;
use crate::tree::{Digest, Tree};

pub(crate) use exchange::Unnamed;
pub(crate) use expected::{Expected, Stamp};
pub use folder::Folder;
pub use info::Info;
pub use list::{Entry, Kind};
pub use node::Node;
pub use protected::protected;
pub(crate) use protected::{protected_in, protects_all};
pub use read::{Contents, Glance, Opened};
pub use replace::FileMode;
pub(crate) use replace::{Found, open_own};
pub(crate) use resolve::{Last, Spot};

/// What may be done in a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reading and writing.
    Write,
    /// Reading only.
    Read,
}

/// A directory that the session may touch, held open so that renaming it changes nothing.
#[derive(Debug)]
pub(crate) struct Root {
    /// Where it is, without links.
    pub(crate) path: PathBuf,
    /// Where the operator said it is; absolute paths in this spelling are accepted too.
    given: PathBuf,
    pub(crate) dir: OwnedFd,
    pub(crate) access: Access,
    /// Whether its file system is this machine's own.
    local: bool,
}

/// A root as the journal remembers it: another directory of the same path is not it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RootId {
    /// Without links.
    pub(crate) path: PathBuf,
    pub(crate) device: u64,
    pub(crate) inode: u64,
}

/// The hash of a file's content.
pub type ContentHash = [u8; 32];

/// The directories of a project, and what one session has seen in them.
#[derive(Debug)]
pub struct Workspace {
    roots: Arc<[Root]>,
    /// Where the session's programs left output that was too long for an answer; for reading.
    spilled: Arc<OnceLock<Root>>,
    /// What is in the main root, if it is watched.
    tree: Arc<OnceLock<Tree>>,
    /// What the files held when this session last read or wrote them, by real path.
    seen: stale::Seen,
    pub(crate) limits: Limits,
}

/// Flags of every open: no link out, no magic link, never block, never leak into a program.
const RESOLVE: ResolveFlags = ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS);
const OPEN: OFlags = OFlags::CLOEXEC.union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

impl Workspace {
    /// Opens `root`, and further roots by their access. Relative paths start at `root`.
    ///
    /// # Errors
    /// `DirectoryNotFound` or `NotADirectory` if one of them is no directory.
    pub fn open(root: &Path, more: &[(PathBuf, Access)], limits: Limits) -> Result<Self> {
        let mut roots = vec![Root::open(root, Access::Write)?];
        for (path, access) in more {
            roots.push(Root::open(path, *access)?);
        }
        Ok(Self::of(roots, limits))
    }

    fn of(roots: Vec<Root>, limits: Limits) -> Self {
        Self {
            roots: roots.into(),
            spilled: Arc::default(),
            tree: Arc::default(),
            seen: stale::Seen::default(),
            limits,
        }
    }

    /// The same directories for another session, which has seen nothing yet.
    #[must_use]
    pub fn unseen(&self) -> Self {
        let (roots, spilled) = (Arc::clone(&self.roots), Arc::clone(&self.spilled));
        let (tree, limits) = (Arc::clone(&self.tree), self.limits.clone());
        Self { roots, spilled, tree, seen: stale::Seen::default(), limits }
    }

    /// Lets searches rest on a resident tree of the main root, whose indexes are kept in `state`:
    /// of the words of the files, and of what `digest` makes of them. It is built once somebody
    /// searches, and pays for whoever searches more than once.
    pub fn watch(&self, state: &State, digest: Option<Arc<dyn Digest>>) {
        self.tree.get_or_init(|| {
            // The tree must not keep itself alive.
            Tree::new(Self { tree: Arc::default(), ..self.unseen() }, state, digest)
        });
    }

    /// How far the resident tree has come, in words; `None` if there is to be none.
    pub fn watched(&self) -> Option<String> {
        self.tree.get().map(Tree::status)
    }

    /// Whether the file system of the main root is this machine's own.
    pub fn is_root_local(&self) -> bool {
        self.roots[0].local
    }

    /// The same of the root at a real path.
    pub(crate) fn is_local(&self, root: &Path) -> bool {
        self.roots.iter().any(|own| own.path == root && own.local)
    }

    /// Opens roots that the journal remembers, for writing; the first is the main one.
    ///
    /// # Errors
    /// `DirectoryNotFound`; `PathOutsideWorkspace` if one was replaced by a link or by another
    /// directory since.
    pub(crate) fn reopen(roots: &[RootId], limits: Limits) -> Result<Self> {
        let roots = roots.iter().map(Root::reopen).collect::<Result<Vec<_>>>()?;
        Ok(Self::of(roots, limits))
    }

    /// The roots that may be written, the main one first.
    pub(crate) fn root_ids(&self) -> Result<Vec<RootId>> {
        let written = self.roots.iter().filter(|root| root.access == Access::Write);
        written.map(Root::id).collect()
    }

    /// What has this path now, without links, as a root.
    ///
    /// # Errors
    /// As for [`Workspace::reopen`].
    pub(crate) fn root_id(path: &Path) -> Result<RootId> {
        Root::beneath_no_link(path)?.id()
    }

    /// Opens the directory `rel` beneath `root` as a workspace of its own, reached through no link.
    ///
    /// # Errors
    /// `DirectoryNotFound` if it is not there or a link is on the way; `NotADirectory`.
    pub(crate) fn open_beneath(root: &Path, rel: &Path, limits: Limits) -> Result<Self> {
        let root = Root::open(root, Access::Write)?;
        let name = root.path.join(rel).display().to_string();
        let resolve = RESOLVE.union(ResolveFlags::NO_SYMLINKS);
        let flags = OFlags::PATH | OFlags::DIRECTORY;
        let dir = resolve::open_resolved(&root.dir, rel, flags, resolve).map_err(|e| match e {
            Errno::NOENT | Errno::LOOP => Error::directory_not_found(&name),
            e => Error::io(&name, &e.into()),
        })?;
        let path = resolve::real_path(&dir).map_err(|e| Error::io(&name, &e))?;
        let roots = vec![Root::new(path.clone(), path, dir, Access::Write)];
        Ok(Self::of(roots, limits))
    }

    /// The directory that relative paths start at, without links.
    pub fn root(&self) -> &Path {
        &self.roots[0].path
    }

    /// Every root with what may be done in it, the main one first.
    pub fn roots(&self) -> impl Iterator<Item = (&Path, Access)> {
        self.roots.iter().map(|r| (r.path.as_path(), r.access))
    }

    /// Every root as the operator named it.
    pub fn given_roots(&self) -> impl Iterator<Item = &Path> {
        self.roots.iter().map(|r| r.given.as_path())
    }

    /// The handle of the root at this real path.
    pub(crate) fn root_handle(&self, root: &Path) -> Option<&OwnedFd> {
        self.roots.iter().find(|r| r.path == root).map(|r| &r.dir)
    }

    /// The device and inode of the root at this real path.
    pub fn identity(&self, root: &Path) -> Option<(u64, u64)> {
        let stat = rustix::fs::fstat(self.root_handle(root)?).ok()?;
        Some((stat.st_dev, stat.st_ino))
    }

    /// Lets the session read what its programs printed, in the directory where it is kept.
    pub fn let_read_spilled(&self, folder: &Path) {
        if self.spilled.get().is_none() {
            match Root::open(folder, Access::Read) {
                Ok(root) => drop(self.spilled.set(root)), // of two threads the first sets it
                Err(e) => tracing::warn!("what programs printed cannot be read: {e}"),
            }
        }
    }

    /// The bounds that this session works under.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// How a real path is shown: relative to the main root if it is inside, else absolute, and
    /// quoted as git quotes it if it holds control characters or is not UTF-8.
    pub fn show(&self, path: &Path) -> String {
        let short = path.strip_prefix(self.root()).unwrap_or(path);
        if short.as_os_str().is_empty() { ".".to_owned() } else { quote(short.as_os_str()) }
    }

    /// Brings all that was changed in the roots to the disk.
    pub(crate) fn sync(&self) -> Result<()> {
        for root in self.roots.iter().filter(|root| root.access == Access::Write) {
            let fail = |e: Errno| Error::io(&root.path.display().to_string(), &e.into());
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let dir = rustix::fs::openat(&root.dir, ".", flags, Mode::empty()).map_err(fail)?;
            rustix::fs::syncfs(&dir).map_err(fail)?;
        }
        Ok(())
    }

    fn root_names(&self) -> Vec<String> {
        self.roots.iter().map(|r| r.path.display().to_string()).collect()
    }
}

impl Root {
    fn new(given: PathBuf, path: PathBuf, dir: OwnedFd, access: Access) -> Self {
        Self { local: read::is_local(&dir), path, given, dir, access }
    }

    fn open(given: &Path, access: Access) -> Result<Self> {
        let name = given.display().to_string();
        let path = std::fs::canonicalize(given).map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => Error::directory_not_found(&name),
            _ => Error::io(&name, &e),
        })?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir = rustix::fs::open(&path, flags, Mode::empty())
            .map_err(|e| Error::io(&name, &e.into()))?;
        let given = std::path::absolute(given).unwrap_or_else(|_| path.clone());
        Ok(Self::new(given, path, dir, access))
    }

    fn reopen(id: &RootId) -> Result<Self> {
        let root = Self::beneath_no_link(&id.path)?;
        match root.id()? == *id {
            true => Ok(root),
            false => Err(Error::root_replaced(&id.path.display().to_string())),
        }
    }

    fn beneath_no_link(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let resolve = ResolveFlags::NO_SYMLINKS;
        let dir = rustix::fs::openat2(rustix::fs::CWD, path, flags, Mode::empty(), resolve);
        let dir = dir.map_err(|e| match e {
            Errno::LOOP | Errno::NOTDIR => Error::root_replaced(&name),
            Errno::NOENT => Error::directory_not_found(&name),
            e => Error::io(&name, &e.into()),
        })?;
        Ok(Self::new(path.to_owned(), path.to_owned(), dir, Access::Write))
    }

    fn id(&self) -> Result<RootId> {
        let fail = |e: Errno| Error::io(&self.path.display().to_string(), &e.into());
        let stat = rustix::fs::fstat(&self.dir).map_err(fail)?;
        Ok(RootId { path: self.path.clone(), device: stat.st_dev, inode: stat.st_ino })
    }
}

/// Quotes a name the way git does (`"a\nb"`, `"\303\274"`) if it holds what cannot be seen, or begins
/// as a quoted one does. Every other name is as it is on the disk, and a tool takes it back so.
pub fn quote(name: &std::ffi::OsStr) -> String {
    use std::fmt::Write as _;
    use std::os::unix::ffi::OsStrExt as _;
    if let Some(text) = name.to_str()
        && !text.starts_with('"')
        && !text.chars().any(|c| c.is_control() || fault::is_invisible(c))
    {
        return text.to_owned();
    }
    let mut out = String::from("\"");
    for chunk in name.as_bytes().utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\n' => out.push_str("\\n"),
                '\t' => out.push_str("\\t"),
                '\r' => out.push_str("\\r"),
                '"' | '\\' => out.extend(['\\', c]),
                c if c.is_control() || fault::is_invisible(c) => {
                    for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                        let _ = write!(out, "\\{byte:03o}");
                    }
                }
                c => out.push(c),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "\\{byte:03o}");
        }
    }
    out.push('"');
    out
}

/// The path that a caller wrote, whether or not in git's quotes.
pub(crate) fn plain(path: &str) -> PathBuf {
    unquote(path).map_or_else(|| PathBuf::from(path), PathBuf::from)
}

/// The inverse of [`quote`]: a name in git's quotes, or `None` if `text` is not in quotes.
pub fn unquote(text: &str) -> Option<OsString> {
    use std::os::unix::ffi::OsStringExt as _;
    let inner = text.strip_prefix('"')?.strip_suffix('"')?.as_bytes();
    let (mut out, mut i) = (Vec::with_capacity(inner.len()), 0);
    while i < inner.len() {
        if inner[i] != b'\\' {
            out.push(inner[i]);
            i += 1;
            continue;
        }
        match *inner.get(i + 1)? {
            b'n' => out.push(b'\n'),
            b't' => out.push(b'\t'),
            b'r' => out.push(b'\r'),
            b'a' => out.push(7),
            b'b' => out.push(8),
            b'v' => out.push(11),
            b'f' => out.push(12),
            c @ (b'"' | b'\\') => out.push(c),
            b'0'..=b'3' => {
                let digits = std::str::from_utf8(inner.get(i + 1..i + 4)?).ok()?;
                out.push(u8::from_str_radix(digits, 8).ok()?);
                i += 2;
            }
            _ => return None,
        }
        i += 2;
    }
    Some(OsString::from_vec(out))
}
