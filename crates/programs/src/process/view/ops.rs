//! The rules of a view as mounts, in the order in which init makes them.

#![expect(clippy::disallowed_methods, reason = "what exists on the host decides what is mounted")]

use std::collections::BTreeSet;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use files::workspace::Workspace;

use super::{Rule, SYSTEM};
use crate::process::mount::{EMPTY_DIRECTORY, EMPTY_FILE, NEW, OLD, Op};

/// Devices that hold nothing.
const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty"];

/// What of a new `/proc` reaches past its processes: root could write or read it.
const PROC_READ: &[&str] =
    &["/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/sysrq-trigger"];
const PROC_HIDDEN: &[&str] = &["/proc/kcore", "/proc/keys", "/proc/key-users", "/proc/timer_list"];

/// A path with what is before it there, for the kernel.
pub(super) fn c_path(prefix: &str, path: &Path) -> std::io::Result<CString> {
    let mut bytes = prefix.as_bytes().to_vec();
    bytes.extend_from_slice(path.as_os_str().as_bytes());
    CString::new(bytes).map_err(|_| std::io::ErrorKind::InvalidInput.into())
}

/// Mounts in the order in which they are made.
#[derive(Default)]
pub(super) struct Ops {
    pub(super) list: Vec<Op>,
    /// Directories that are there already.
    made: BTreeSet<PathBuf>,
}

impl Ops {
    pub(super) fn push(&mut self, op: Op) {
        self.list.push(op);
    }

    /// The directories above a path.
    fn above(&mut self, path: &Path) -> std::io::Result<()> {
        let above: Vec<PathBuf> = path.ancestors().skip(1).map(Path::to_owned).collect();
        for directory in above.into_iter().rev().filter(|d| d != Path::new("/")) {
            self.directory(directory)?;
        }
        Ok(())
    }

    fn directory(&mut self, directory: PathBuf) -> std::io::Result<()> {
        if !self.made.contains(&directory) {
            self.push(Op::Directory(c_path(NEW, &directory)?));
            self.made.insert(directory);
        }
        Ok(())
    }

    /// A place for a mount: a file or a directory, as on the host.
    fn place(&mut self, path: &Path, is_directory: bool) -> std::io::Result<()> {
        self.above(path)?;
        if is_directory {
            // What was made below belongs to what is now covered.
            self.made.retain(|made| !made.starts_with(path));
            self.directory(path.to_owned())
        } else {
            self.push(Op::File(c_path(NEW, path)?));
            Ok(())
        }
    }

    pub(super) fn apply(
        &mut self,
        path: &Path,
        rule: &Rule,
        workspace: &Workspace,
    ) -> std::io::Result<()> {
        let is_directory = match rule {
            Rule::Instead(_) => true,
            _ => std::fs::metadata(path).is_ok_and(|data| data.is_dir()),
        };
        self.place(path, is_directory)?;
        let to = c_path(NEW, path)?;
        let identity = workspace.identity(path);
        let bind = |from: CString, writable| Op::Bind {
            from,
            to: to.clone(),
            writable,
            devices: false,
            identity: None,
        };
        let op = match rule {
            Rule::Write | Rule::Read => Op::Bind {
                from: c_path(OLD, path)?,
                to: to.clone(),
                writable: *rule == Rule::Write,
                devices: false,
                identity,
            },
            Rule::Instead(directory) => bind(c_path(OLD, directory)?, true),
            Rule::Layer { upper, work } => Op::Overlay {
                lower: c_path(OLD, path)?,
                identity: identity.unwrap_or_default(),
                upper: c_path(OLD, upper)?,
                work: c_path(OLD, work)?,
                to: to.clone(),
            },
            Rule::Empty if is_directory => {
                Op::Mount { kind: c"tmpfs", to: to.clone(), options: c"mode=0755,size=64k" }
            }
            Rule::Nothing if is_directory => bind(EMPTY_DIRECTORY.to_owned(), false),
            Rule::Nothing | Rule::Empty => bind(EMPTY_FILE.to_owned(), false),
        };
        self.push(op);
        Ok(())
    }

    /// `/bin` and its like, where the host has links in their place.
    pub(super) fn links_to_system(&mut self) -> std::io::Result<()> {
        for path in SYSTEM.iter().chain(&["/var/run", "/var/lock"]).map(Path::new) {
            self.link(path)?;
        }
        Ok(())
    }

    fn link(&mut self, path: &Path) -> std::io::Result<()> {
        let Ok(target) = std::fs::read_link(path) else { return Ok(()) };
        self.above(path)?;
        self.push(Op::Link { to: c_path("", &target)?, at: c_path(NEW, path)? });
        Ok(())
    }

    /// The links over which a path leads to where it really is.
    pub(super) fn links_on_the_way(&mut self, path: &Path) -> std::io::Result<()> {
        let Ok(real) = std::fs::canonicalize(path) else { return Ok(()) };
        let (mut at, mut left) = (PathBuf::from("/"), 40);
        let mut waiting: Vec<PathBuf> = parts(path);
        while let Some(part) = waiting.pop() {
            let next = at.join(&part);
            match std::fs::read_link(&next) {
                Ok(target) if left > 0 => {
                    left -= 1;
                    self.link(&next)?;
                    if target.is_absolute() {
                        at = PathBuf::from("/");
                    }
                    waiting.extend(parts(&target));
                }
                _ if part == Path::new("..") => drop(at.pop()),
                _ => at = next,
            }
        }
        debug_assert_eq!(at, real);
        Ok(())
    }

    /// A `/dev` with nothing behind it.
    pub(super) fn devices(&mut self) -> std::io::Result<()> {
        let dev = Path::new("/dev");
        self.place(dev, true)?;
        let to = c_path(NEW, dev)?;
        self.push(Op::Mount { kind: c"tmpfs", to, options: c"mode=0755,size=64k" });
        for device in DEVICES {
            let path = dev.join(device);
            self.push(Op::File(c_path(NEW, &path)?));
            let (from, to) = (c_path(OLD, &path)?, c_path(NEW, &path)?);
            self.push(Op::Bind { from, to, writable: true, devices: true, identity: None });
        }
        let links = [
            ("fd", "/proc/self/fd"),
            ("stdin", "/proc/self/fd/0"),
            ("stdout", "/proc/self/fd/1"),
            ("stderr", "/proc/self/fd/2"),
            ("ptmx", "pts/ptmx"),
        ];
        for (name, target) in links {
            let (to, at) = (c_path("", Path::new(target))?, c_path(NEW, &dev.join(name))?);
            self.push(Op::Link { to, at });
        }
        for (name, kind, options) in [
            ("pts", c"devpts", c"newinstance,ptmxmode=0666,mode=0620"),
            ("shm", c"tmpfs", c"mode=1777"),
        ] {
            let to = c_path(NEW, &dev.join(name))?;
            self.push(Op::Directory(to.clone()));
            self.push(Op::Mount { kind, to, options });
        }
        Ok(())
    }

    /// A `/proc` of the program's own processes.
    pub(super) fn processes(&mut self) -> std::io::Result<()> {
        let proc = Path::new("/proc");
        self.place(proc, true)?;
        self.push(Op::Mount { kind: c"proc", to: c_path(NEW, proc)?, options: c"" });
        if !rustix::process::geteuid().is_root() {
            return Ok(()); // its permissions do the rest
        }
        for path in PROC_READ {
            let to = c_path(NEW, Path::new(path))?;
            self.push(Op::BindIfThere { from: to.clone(), to });
        }
        for path in PROC_HIDDEN.iter().filter(|path| Path::new(path).exists()) {
            let to = c_path(NEW, Path::new(path))?;
            let from = EMPTY_FILE.to_owned();
            self.push(Op::Bind { from, to, writable: false, devices: false, identity: None });
        }
        Ok(())
    }
}

/// The parts of a path, the last one first.
fn parts(path: &Path) -> Vec<PathBuf> {
    let plain = |part: &Component<'_>| !matches!(part, Component::RootDir | Component::CurDir);
    path.components().rev().filter(plain).map(|part| PathBuf::from(part.as_os_str())).collect()
}
