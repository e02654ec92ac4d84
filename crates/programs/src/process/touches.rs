//! Which files a program may change that has no layer: its system calls wait until they are noted.
//!
//! Without this module nobody could tell a person's save from the work of a command that runs at
//! the same time. A filter sends the calls that can change files to a thread of the server, which
//! notes the path and lets the call go on. The program could have another thread put another path
//! there meanwhile: what it changes then is told as changed by somebody else, and left as it is.

#![expect(unsafe_code, reason = "seccomp has no safe wrapper")]

mod filter;

use std::cell::{Cell, OnceCell};
use std::ffi::OsStr;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fault::{Error, Result};
use files::journal::Touched;
use files::workspace::{Access, Workspace};
use rustix::event::{PollFd, PollFlags};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, ResolveFlags, Stat};
use rustix::io::Errno;

use self::filter::{FCHMODAT2, FILE_SETATTR, REMOVEXATTRAT, SETXATTRAT, WRITES, X32};
use super::seccomp::{ARCH, read_bytes, read_text, receive};

pub(super) use self::filter::filter;

/// Before it is tried again to wait for a call, where memory was short.
const PAUSE: Duration = Duration::from_millis(10);

/// Notes what a program touches as long as it lives; without its calls, that nobody sees it.
pub(super) fn note(calls: Option<OwnedFd>, workspace: &Workspace, touched: Touched) -> Result<()> {
    touched.begin(calls.is_some());
    let Some(calls) = calls else { return Ok(()) };
    let roots = workspace.roots().filter(|(_, access)| *access == Access::Write);
    let roots = roots.map(|(root, _)| root.to_owned()).collect();
    wake_up_at_once(&calls);
    let thread = std::thread::Builder::new().name("touches".to_owned());
    let (root, is_lost) = (OnceCell::new(), Cell::new(false));
    let watch = move || Watch { calls, roots, touched, root, is_lost }.run();
    thread.spawn(watch).map(drop).map_err(|e| Error::sandbox_failed(&format!("a thread: {e}")))
}

/// The thread runs on the processor of the program, which waits for it: half the time.
fn wake_up_at_once(calls: &OwnedFd) {
    const SET_FLAGS: libc::Ioctl = 0x4008_2104_u32 as libc::Ioctl;
    // SAFETY: the argument is a number. A kernel that does not know it refuses.
    unsafe { libc::ioctl(calls.as_raw_fd(), SET_FLAGS, 1_u64) };
}

struct Watch {
    calls: OwnedFd,
    roots: Vec<PathBuf>,
    touched: Touched,
    /// That of all processes: of calls that change it cannot be told what is changed afterwards.
    root: OnceCell<OwnedFd>,
    /// Of a call it could not be told what it changes. Then nothing more is looked at: what is mounted
    /// by the program itself might never answer.
    is_lost: Cell<bool>,
}

/// It cannot be told what a call changes.
struct Unknown;

/// A path as the kernel will find it, and what is there.
struct Place {
    path: PathBuf,
    stat: Option<Stat>,
}

impl Place {
    fn is(&self, kind: FileType) -> bool {
        self.stat.is_some_and(|stat| FileType::from_raw_mode(stat.st_mode) == kind)
    }
}

impl Watch {
    /// Until all of the program has ended.
    fn run(&self) {
        loop {
            let mut fds = [PollFd::new(&self.calls, PollFlags::IN)];
            match rustix::event::poll(&mut fds, None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => {
                    // If nobody answered, every call that waits would fail.
                    self.touched.lose();
                    std::thread::sleep(PAUSE);
                    continue;
                }
            }
            let came = fds[0].revents();
            if came.contains(PollFlags::IN) {
                self.answer();
            } else if !came.is_empty() {
                return;
            }
        }
    }

    fn answer(&self) {
        const STILL_WAITS: libc::Ioctl = 0x4008_2102_u32 as libc::Ioctl;
        receive(&self.calls, |asked| {
            // SAFETY: the request reads the number.
            let still_waits = || unsafe {
                libc::ioctl(self.calls.as_raw_fd(), STILL_WAITS, &raw const asked.id) == 0
            };
            if !self.is_lost.get() && self.see(asked).is_err() && still_waits() {
                self.touched.lose();
                self.is_lost.set(true);
            }
            None
        });
    }

    /// Notes what a call may change.
    fn see(&self, asked: &libc::seccomp_notif) -> Result<(), Unknown> {
        let (data, pid) = (&asked.data, asked.pid);
        if data.arch != ARCH || data.nr as u32 >= X32 {
            return Err(Unknown);
        }
        let (nr, a) = (libc::c_long::from(data.nr), &data.args);
        let cwd = libc::AT_FDCWD as u64;
        #[cfg(target_arch = "x86_64")]
        match nr {
            libc::SYS_open => return self.open(pid, cwd, a[0], a[1]),
            libc::SYS_creat => return self.open(pid, cwd, a[0], libc::O_WRONLY as u64),
            libc::SYS_rename => return self.rename(pid, (cwd, a[0]), (cwd, a[1])),
            libc::SYS_symlink | libc::SYS_link => return self.make(pid, cwd, a[1]),
            libc::SYS_mkdir | libc::SYS_mknod => return self.make(pid, cwd, a[0]),
            libc::SYS_unlink | libc::SYS_rmdir => return self.touch(pid, cwd, a[0]),
            libc::SYS_chmod | libc::SYS_chown | libc::SYS_lchown => {
                return self.touch(pid, cwd, a[0]);
            }
            _ => {}
        }
        match nr {
            libc::SYS_openat => self.open(pid, a[0], a[1], a[2]),
            libc::SYS_openat2 => match read_number(pid, a[2]).ok_or(Unknown)? {
                flags if flags as u32 & WRITES == 0 => Ok(()),
                flags => self.open(pid, a[0], a[1], flags),
            },
            libc::SYS_renameat => self.rename(pid, (a[0], a[1]), (a[2], a[3])),
            libc::SYS_renameat2 => {
                self.rename(pid, (a[0], a[1]), (a[2], a[3]))?;
                match a[4] as u32 & libc::RENAME_EXCHANGE {
                    0 => Ok(()),
                    _ => self.rename(pid, (a[2], a[3]), (a[0], a[1])),
                }
            }
            libc::SYS_symlinkat => self.make(pid, a[1], a[2]),
            libc::SYS_linkat => self.make(pid, a[2], a[3]),
            libc::SYS_mkdirat | libc::SYS_mknodat => self.make(pid, a[0], a[1]),
            libc::SYS_truncate
            | libc::SYS_setxattr
            | libc::SYS_lsetxattr
            | libc::SYS_removexattr
            | libc::SYS_lremovexattr => self.touch(pid, cwd, a[0]),
            libc::SYS_fchmod | libc::SYS_fchown | libc::SYS_fsetxattr | libc::SYS_fremovexattr => {
                self.opened(pid, a[0])?.iter().for_each(|place| self.note(place));
                Ok(())
            }
            libc::SYS_unlinkat
            | libc::SYS_fchmodat
            | FCHMODAT2
            | libc::SYS_fchownat
            | SETXATTRAT
            | REMOVEXATTRAT
            | FILE_SETATTR => self.touch(pid, a[0], a[1]),
            _ => Err(Unknown),
        }
    }

    fn touch(&self, pid: u32, dir: u64, path: u64) -> Result<(), Unknown> {
        self.places(pid, dir, path)?.iter().for_each(|place| self.note(place));
        Ok(())
    }

    /// A call that makes something fails where there is something: that is somebody else's.
    fn make(&self, pid: u32, dir: u64, path: u64) -> Result<(), Unknown> {
        let places = self.places(pid, dir, path)?;
        places.iter().take(1).filter(|place| place.stat.is_none()).for_each(|p| self.note(p));
        Ok(())
    }

    fn open(&self, pid: u32, dir: u64, path: u64, flags: u64) -> Result<(), Unknown> {
        let places = self.places(pid, dir, path)?;
        places.iter().for_each(|place| self.note(place));
        if flags as i32 & libc::O_ACCMODE != libc::O_RDONLY
            && let Some(place) = places.last().filter(|place| self.is_covered(&place.path))
        {
            self.touched.write(place.path.clone());
        }
        Ok(())
    }

    fn rename(&self, pid: u32, from: (u64, u64), to: (u64, u64)) -> Result<(), Unknown> {
        let (mut from, mut to) = (self.places(pid, from.0, from.1)?, self.places(pid, to.0, to.1)?);
        // Links are renamed themselves.
        if from.is_empty() || to.is_empty() || from[0].stat.is_none() {
            return Ok(());
        }
        let (from, to) = (from.swap_remove(0), to.swap_remove(0));
        let whole = from.is(FileType::Directory) || to.is(FileType::Directory);
        self.note(&from);
        self.note(&to);
        if self.is_covered(&from.path) || self.is_covered(&to.path) {
            self.touched.rename(from.path, to.path, whole);
        }
        Ok(())
    }

    fn is_covered(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| path.starts_with(root))
    }

    fn note(&self, place: &Place) {
        if !self.is_covered(&place.path) {
            return;
        }
        self.touched.touch(place.path.clone(), false);
        if let Some(stat) = place.stat.filter(|stat| stat.st_nlink > 1)
            && !place.is(FileType::Directory)
        {
            self.touched.touch_linked(stat.st_ino as i64);
        }
    }

    /// Where a path of a process leads: itself, and if that is a link, where that does.
    fn places(&self, pid: u32, dir: u64, path: u64) -> Result<Vec<Place>, Unknown> {
        let mut text = [0; 4096];
        let length = read_text(pid, path, &mut text).ok_or(Unknown)?;
        let text = Path::new(OsStr::from_bytes(&text[..length]));
        if text.as_os_str().is_empty() {
            return Ok(self.opened(pid, dir)?.into_iter().collect());
        }
        let mut path = match dir as i32 {
            _ if text.is_absolute() => text.to_owned(),
            libc::AT_FDCWD => link(&format!("/proc/{pid}/cwd"))?.join(text),
            _ => match self.opened(pid, dir)? {
                Some(directory) => directory.path.join(text),
                None => return Ok(Vec::new()),
            },
        };
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = match self.root.get() {
            Some(root) => root,
            None => {
                let root = rustix::fs::open(format!("/proc/{pid}/root"), flags, Mode::empty());
                let root = root.map_err(|_| Unknown)?;
                self.root.get_or_init(|| root)
            }
        };
        let mut places = Vec::new();
        for _ in 0..40 {
            if let Some(file) = special(&path)? {
                if let Some(number) = file {
                    places.extend(self.opened(pid, number)?);
                }
                break;
            }
            let (above, name) = match (path.parent(), path.file_name()) {
                (Some(above), Some(name)) => (above, Some(name)),
                _ => (path.as_path(), None),
            };
            let open =
                || rustix::fs::openat2(root, above, flags, Mode::empty(), ResolveFlags::IN_ROOT);
            // Something was moved meanwhile.
            let mut tries = (0..16).map(|_| open());
            let opened = tries.find(|opened| !matches!(opened, Err(Errno::AGAIN)));
            let above = match opened.unwrap_or(Err(Errno::AGAIN)) {
                Ok(above) => above,
                // The call fails as well, unless what is missing is just being made.
                Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS | Errno::LOOP) => {
                    places.push(Place { path, stat: None });
                    break;
                }
                Err(_) => return Err(Unknown),
            };
            let real = link(&format!("/proc/self/fd/{}", above.as_raw_fd()))?;
            let Some(name) = name else {
                places.push(Place { path: real, stat: rustix::fs::fstat(&above).ok() });
                break;
            };
            let stat = rustix::fs::statat(&above, name, AtFlags::SYMLINK_NOFOLLOW).ok();
            let place = Place { path: real.join(name), stat };
            let is_link = place.is(FileType::Symlink);
            places.push(place);
            if !is_link {
                break;
            }
            let Ok(target) = rustix::fs::readlinkat(&above, name, Vec::new()) else { break };
            path = real.join(OsStr::from_bytes(target.as_bytes()));
        }
        Ok(places)
    }

    /// An open file of a process, if there is one of this number.
    fn opened(&self, pid: u32, number: u64) -> Result<Option<Place>, Unknown> {
        let file = format!("/proc/{pid}/fd/{}", number as i32);
        let stat = match rustix::fs::stat(&file) {
            Err(Errno::NOENT) => return Ok(None),
            other => other.ok(),
        };
        Ok(Some(Place { path: link(&file)?, stat }))
    }
}

/// Whether a path is one of the process itself: then the number of the open file that it names, if
/// it names one.
fn special(path: &Path) -> Result<Option<Option<u64>>, Unknown> {
    let bytes = path.as_os_str().as_bytes();
    let number = match bytes {
        b"/dev/stdin" => Some(0),
        b"/dev/stdout" => Some(1),
        b"/dev/stderr" => Some(2),
        _ => {
            let files = ["/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"];
            let number = files.iter().find_map(|files| bytes.strip_prefix(files.as_bytes()));
            number.and_then(|number| std::str::from_utf8(number).ok()?.parse().ok())
        }
    };
    if number.is_some() || bytes == b"/dev/null" {
        return Ok(Some(number));
    }
    if !bytes.starts_with(b"/proc/") {
        return Ok(None);
    }
    // What leads out of there is not looked into.
    let out = ["fd", "cwd", "root", "exe", "map_files", ".."];
    match path.components().any(|part| out.iter().any(|name| part.as_os_str() == *name)) {
        true => Err(Unknown),
        false => Ok(Some(None)),
    }
}

/// What a link of `/proc` says.
fn link(path: &str) -> Result<PathBuf, Unknown> {
    let target = rustix::fs::readlink(path, Vec::new()).map_err(|_| Unknown)?;
    Ok(PathBuf::from(OsStr::from_bytes(target.as_bytes())))
}

/// The number at an address of another process.
fn read_number(pid: u32, address: u64) -> Option<u64> {
    let mut bytes = [0; 8];
    (read_bytes(pid, address, &mut bytes)? == bytes.len()).then(|| u64::from_ne_bytes(bytes))
}
