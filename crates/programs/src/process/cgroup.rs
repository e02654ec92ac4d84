//! Control groups, which bound what all processes of a program take together; the bounds of
//! `setrlimit` hold for each process alone.
//!
//! A group is made only below one that is ours to divide: the root of a hierarchy of version 1, or
//! one that was delegated to this user. Others belong to whoever put the server there.

#![expect(clippy::disallowed_methods, reason = "control groups are directories of the kernel")]

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use files::limits::Limits;

/// What a group is called; the process id of its server follows, and what no other group has.
const NAME: &str = "kitbag-";

/// Where groups can be made, one place for each hierarchy.
#[derive(Debug, Default)]
pub(super) struct Groups {
    places: Vec<Place>,
}

#[derive(Debug)]
struct Place {
    dir: PathBuf,
    /// The file over which a process enters a group, by writing 0. Version 1 takes a thread there
    /// without waiting for every other process that forks.
    entry: &'static str,
    /// The files of the bounds on tasks and memory, as far as they are bounded here.
    tasks: Option<&'static str>,
    memory: Option<&'static str>,
}

/// The group of one program. Dropped, it is removed, which the kernel does only to an empty one.
#[derive(Debug, Default)]
pub(super) struct Group {
    dirs: Vec<PathBuf>,
    /// What the process writes 0 to that is to be in it.
    pub(super) entries: Vec<OwnedFd>,
}

impl Groups {
    /// Looks for places, and removes what dead servers left there.
    pub(super) fn find() -> Self {
        let read = |path| std::fs::read_to_string(path).unwrap_or_default();
        let (own, mounts) = (read("/proc/self/cgroup"), read("/proc/self/mountinfo"));
        let mut places: Vec<Place> = own.lines().filter_map(|line| place(line, &mounts)).collect();
        places.retain(|place| Self::try_one(place).is_ok());
        for place in &places {
            remove_abandoned(&place.dir);
        }
        Self { places }
    }

    /// Whether one of them bounds memory.
    pub(super) fn bound_memory(&self) -> bool {
        self.places.iter().any(|place| place.memory.is_some())
    }

    fn try_one(place: &Place) -> io::Result<()> {
        let mut group = Group::default();
        place.make(&name(), &Limits::default(), &mut group)
    }

    /// A group of its own for one program.
    ///
    /// # Errors
    /// What the kernel refused.
    pub(super) fn make(&self, limits: &Limits) -> io::Result<Group> {
        let name = name();
        let mut group = Group::default();
        for place in &self.places {
            place.make(&name, limits, &mut group)?;
        }
        Ok(group)
    }
}

fn name() -> String {
    format!("{NAME}{}-{}", std::process::id(), files::journal::new_id())
}

impl Place {
    fn make(&self, name: &str, limits: &Limits, group: &mut Group) -> io::Result<()> {
        let dir = self.dir.join(name);
        std::fs::create_dir(&dir)?;
        group.dirs.push(dir.clone());
        if let Some(file) = self.tasks {
            std::fs::write(dir.join(file), limits.program_tasks.to_string())?;
        }
        if let Some(file) = self.memory {
            let memory = memory_of_host()? / 100 * limits.program_memory_percent;
            std::fs::write(dir.join(file), memory.to_string())?;
        }
        let entry = std::fs::OpenOptions::new().write(true).open(dir.join(self.entry))?;
        group.entries.push(entry.into());
        Ok(())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        for dir in &self.dirs {
            let _ = std::fs::remove_dir(dir); // else the next server removes it
        }
    }
}

/// The place in one hierarchy, from a line of `/proc/self/cgroup` such as `8:pids:/path`.
fn place(line: &str, mounts: &str) -> Option<Place> {
    let (_, rest) = line.split_once(':')?;
    let (controllers, path) = rest.split_once(':')?;
    let has = |name: &str| controllers.split(',').any(|one| one == name);
    if controllers.is_empty() {
        let mount = mount(mounts, |kind, _| kind == "cgroup2")?;
        let own = mount.join(path.trim_start_matches('/'));
        // A group that holds processes has no bounded groups below it; one above it may.
        let above = own.ancestors().take_while(|above| above.starts_with(&mount));
        let (dir, bounds) = above.filter(|dir| is_delegated(dir)).find_map(|dir| {
            let bounds = std::fs::read_to_string(dir.join("cgroup.subtree_control")).ok()?;
            (bounds.contains("pids") || bounds.contains("memory")).then_some((dir, bounds))
        })?;
        return Some(Place {
            dir: dir.to_owned(),
            entry: "cgroup.procs",
            tasks: bounds.contains("pids").then_some("pids.max"),
            memory: bounds.contains("memory").then_some("memory.max"),
        });
    }
    let (tasks, memory) = (has("pids"), has("memory"));
    if !tasks && !memory {
        return None;
    }
    let name = if tasks { "pids" } else { "memory" };
    let mount = mount(mounts, |kind, options| {
        kind == "cgroup" && options.split(',').any(|option| option == name)
    })?;
    let dir = mount.join(path.trim_start_matches('/'));
    (path == "/" || is_delegated(&dir)).then_some(Place {
        dir,
        entry: "tasks",
        tasks: tasks.then_some("pids.max"),
        memory: memory.then_some("memory.limit_in_bytes"),
    })
}

/// Where a whole hierarchy is mounted, by the kind and the options of its file system.
fn mount(mounts: &str, is_it: impl Fn(&str, &str) -> bool) -> Option<PathBuf> {
    mounts.lines().find_map(|line| {
        let (before, after) = line.split_once(" - ")?;
        let mut before = before.split(' ').skip(3);
        let (root, at) = (before.next()?, before.next()?);
        let mut after = after.split(' ');
        let (kind, options) = (after.next()?, after.nth(1)?);
        (root == "/" && is_it(kind, options)).then(|| PathBuf::from(at))
    })
}

/// Whether a group was given to this user to divide: it is theirs, or systemd says so.
fn is_delegated(dir: &Path) -> bool {
    let user = rustix::process::geteuid();
    let theirs = std::fs::metadata(dir).is_ok_and(|data| data.uid() == user.as_raw());
    let says = |name: &str| {
        let mut value = [0; 1];
        rustix::fs::getxattr(dir, name, &mut value[..]).is_ok() && value == *b"1"
    };
    (!user.is_root() && theirs) || says("trusted.delegate") || says("user.delegate")
}

fn memory_of_host() -> io::Result<u64> {
    let text = std::fs::read_to_string("/proc/meminfo")?;
    let kib = text.lines().find_map(|line| {
        line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok()
    });
    kib.map(|kib| kib * 1024).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// Removes the groups of servers that are gone. One that is in use is not empty, and stays.
fn remove_abandoned(dir: &Path) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let server = name.to_str().and_then(|name| name.strip_prefix(NAME)?.split('-').next());
        let server = server.and_then(|server| server.parse::<u32>().ok());
        if server.is_some_and(|server| !Path::new(&format!("/proc/{server}")).exists()) {
            let _ = std::fs::remove_dir(entry.path());
        }
    }
}
