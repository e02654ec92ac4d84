//! The threads that build a view and keep it right while nobody asks.

#![expect(unsafe_code, reason = "malloc_trim has no safe wrapper")]

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::io::Errno;

use super::change::Changes;
use super::mounts::Mounts;
use super::outside::Outside;
use super::view::{Directory, Entry, MOST_ENTRIES};
use super::words::Due;
use super::{Current, Phase, Settled, Shared, View, Watches, Which, Words};
use crate::limits::Limits;
use crate::workspace::{Kind, Workspace};

/// After a report, how long more are waited for.
const PAUSE: Duration = Duration::from_millis(50);
/// How long after a question the view is kept right at once; later the next one looks.
const ASKED: Duration = Duration::from_secs(10);
/// What [`PAUSE`] is then.
const IDLE_PAUSE: Duration = Duration::from_secs(1);
/// Directories that are looked at one by one; with more of them everything is.
const MOST_LOOKS: usize = 1000;
/// How long after the last question a view is kept.
const KEPT: Duration = Duration::from_secs(15 * 60);
/// How often some directories are compared with what is known of them, while there are questions.
const CHECK: Duration = Duration::from_secs(60);
/// Directories that are compared.
const CHECKED: usize = 8;
/// How long until files that were changed just now are looked at again.
const AGAIN: Duration = Duration::from_secs(1);
/// How long until another try when another server reads the files just now.
const RETRY: Duration = Duration::from_secs(5);

/// Wakes the thread of a tree.
#[derive(Default)]
pub(super) struct Bell {
    fd: OnceLock<Arc<OwnedFd>>,
    over: AtomicBool,
}

impl Bell {
    /// The thread has something to do, or the tree is dropped.
    pub(super) fn ring(&self) {
        if let Some(fd) = self.fd.get() {
            let _ = rustix::io::write(fd, &1_u64.to_ne_bytes()); // full is as good as rung
        }
    }

    /// Whatever works for the tree is to stop.
    pub(super) fn ring_for_the_end(&self) {
        self.over.store(true, Ordering::Relaxed);
        self.ring();
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}

impl Shared {
    /// Has a view made in the background.
    pub(super) fn start(self: &Arc<Self>, phase: &mut Phase) {
        *phase = Phase::Building;
        if self.bell.fd.get().is_some() {
            return self.bell.ring();
        }
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        let Ok(fd) = eventfd(0, flags).map(Arc::new) else {
            *phase = Phase::off("no file descriptor is left");
            return;
        };
        let _ = self.bell.fd.set(Arc::clone(&fd)); // under the lock of the phase: the only time
        let shared = Arc::downgrade(self);
        let run = move || {
            be_nice();
            while let Some((watches, most)) = shared.upgrade().map(|shared| shared.turn()) {
                wait(&fd, watches.as_deref(), most, shared.upgrade().map_or(PAUSE, |s| s.pause()));
                if shared.upgrade().is_none_or(|shared| shared.bell.is_over()) {
                    break;
                }
            }
        };
        if let Err(e) = std::thread::Builder::new().name("tree".to_owned()).spawn(run) {
            *phase = Phase::off(&format!("a thread could not be started: {e}"));
        }
    }

    /// Does what is to be done; gives what to wait for, and how long at most.
    fn turn(self: &Arc<Self>) -> (Option<Arc<Watches>>, Option<Duration>) {
        if matches!(*self.lock(), Phase::Building) {
            let built = self.build();
            *self.lock() = built;
        }
        let mut phase = self.lock();
        let Phase::Current(current) = &mut *phase else { return (None, None) };
        let idle = current.asked.elapsed();
        if idle > KEPT {
            *phase = Phase::Wanted;
            // Who holds it is about to ask.
            if let Ok(mut kept) = self.git.try_lock() {
                *kept = super::git::Kept::default();
            }
            return (None, None);
        }
        if idle > ASKED && current.due(self.workspace.limits()).0 == Due::Nothing {
            std::iter::once(&current.words).chain(&current.digests).for_each(Words::rest);
            // Only what was reported is read, so that none of it is lost.
            return match current.collect() {
                Ok(()) => (Some(Arc::clone(&current.watches)), Some(KEPT.saturating_sub(idle))),
                Err(_) => {
                    *phase = Phase::Wanted;
                    (None, None)
                }
            };
        }
        let mut settled = current.settle(&self.workspace, MOST_LOOKS);
        if settled == Settled::Later {
            settled = Settled::Lost;
        }
        if settled == Settled::Right && current.checked.elapsed() > CHECK && idle < CHECK {
            current.checked = Instant::now();
            settled = current.check(&self.workspace);
        }
        if settled != Settled::Right {
            self.react(&mut phase, settled);
            self.bell.ring();
            return (None, None);
        }
        let (due, which) = current.due(self.workspace.limits());
        if due == Due::Now {
            self.start_indexing(current, which);
        }
        let next = match idle {
            _ if due == Due::Later => AGAIN,
            // The memory of the segments is given back then.
            idle if idle < ASKED => ASKED.saturating_sub(idle) + PAUSE,
            idle if idle < CHECK => CHECK,
            idle => KEPT.saturating_sub(idle),
        };
        (Some(Arc::clone(&current.watches)), Some(next))
    }

    fn start_indexing(self: &Arc<Self>, current: &mut Current, which: Which) {
        let (shared, number) = (Arc::clone(self), current.number);
        let Some(index) = current.index(which) else { return };
        index.busy = true;
        let work = move || {
            be_nice();
            shared.index(number, which);
        };
        if let Err(e) = std::thread::Builder::new().name("index".to_owned()).spawn(work) {
            tracing::warn!("no index is made: a thread could not be started: {e}");
            index.give_up();
        }
    }

    /// How long more reports are waited for after one.
    fn pause(&self) -> Duration {
        match &*self.lock() {
            Phase::Current(current) if current.asked.elapsed() > ASKED => IDLE_PAUSE,
            _ => PAUSE,
        }
    }

    fn build(&self) -> Phase {
        let started = Instant::now();
        if !self.workspace.is_root_local() {
            return Phase::off("the root is on a file system of another machine");
        }
        let Some(root) = self.root() else {
            return Phase::off("the root cannot be opened");
        };
        let Some(mounts) = Mounts::without_any_below(root.path()) else {
            return Phase::off("something is mounted below the root");
        };
        let watches = match Watches::new(root.path()) {
            Ok(watches) => Arc::new(watches),
            Err(errno) => return Phase::off(&refused(errno)),
        };
        let view = View::look(&root, "".as_ref(), false, &watches);
        if let Some(errno) = watches.refused() {
            return Phase::off(&refused(errno));
        }
        if view.is_cut {
            return Phase::off(&format!("the root holds more than {MOST_ENTRIES} files"));
        }
        let outside = Outside::of(root.path(), &view);
        let mut words = Words::new(&view);
        words.read(&view, &self.kept[Which::Words as usize]);
        let (view, now) = (Arc::new(view), Instant::now());
        Phase::Current(Box::new(Current {
            number: self.views.fetch_add(1, Ordering::Relaxed),
            view,
            watches,
            mounts,
            changes: Changes::default(),
            outside,
            words,
            digests: None,
            ignored: None,
            changed: None,
            asked: now,
            checked: now,
            built: started.elapsed(),
        }))
    }

    /// Reads files into segments of an index, for the view of this number.
    fn index(&self, number: usize, which: Which) {
        let kept = &self.kept[which as usize];
        let lock = kept.lock();
        if lock.is_none() {
            std::thread::sleep(RETRY);
        }
        let job = self.with_index(number, which, |index, view| {
            index.read(view, kept);
            lock.as_ref().and_then(|_| index.job(view, self.workspace.limits()))
        });
        if let Some(((job, root), _lock)) = job.flatten().zip(self.root()).zip(lock) {
            let keep = |bytes: Vec<u8>| {
                let written = kept.write(&bytes);
                self.with_index(number, which, |index, view| match written {
                    Some((name, segment)) => {
                        let of = if job.merged.is_empty() { &[][..] } else { &job.dropped };
                        index.add(view, name, segment, of);
                    }
                    None => index.give_up(),
                });
            };
            let digest = self.digest.as_deref().filter(|_| matches!(which, Which::Digests));
            let refused = job.run(&root, digest, &|| self.bell.is_over(), &keep);
            let whole = !self.bell.is_over();
            self.with_index(number, which, |index, view| {
                if whole && index.finish(view, refused, &job.dropped) {
                    job.dropped.iter().for_each(|name| kept.remove(name));
                }
            });
        }
        // SAFETY: it takes no pointer. What the work took would else stay with the process.
        let _ = unsafe { libc::malloc_trim(0) };
        self.with_index(number, which, |index, _| index.busy = false);
        self.bell.ring();
    }

    fn with_index<T>(
        &self,
        number: usize,
        which: Which,
        work: impl FnOnce(&mut Words, &View) -> T,
    ) -> Option<T> {
        self.with_current(number, |current| {
            let view = Arc::clone(&current.view);
            current.index(which).map(|index| work(index, &view))
        })?
    }

    /// Works on the view of this number, if it is still the current one.
    pub(super) fn with_current<T>(
        &self,
        number: usize,
        work: impl FnOnce(&mut Current) -> T,
    ) -> Option<T> {
        match &mut *self.lock() {
            Phase::Current(current) if current.number == number => Some(work(current)),
            _ => None,
        }
    }
}

impl Current {
    /// What there is to be read into segments, and of which index: words first, since searches need
    /// them. While that is done, nothing more: its end rings.
    fn due(&self, limits: &Limits) -> (Due, Which) {
        let due = |index: &Words| {
            if index.busy { Due::Nothing } else { index.due(&self.view, limits) }
        };
        let words = due(&self.words);
        match &self.digests {
            Some(digests) if words == Due::Nothing && !self.words.busy => {
                (due(digests), Which::Digests)
            }
            _ => (words, Which::Words),
        }
    }

    /// Compares some directories with what is known of them.
    fn check(&mut self, workspace: &Workspace) -> Settled {
        let Ok(root) = workspace.folder(".") else { return Settled::Right };
        let step = (self.view.directories.len() / CHECKED).max(1);
        let first = self.asked.elapsed().subsec_nanos() as usize % step;
        for (path, known) in self.view.directories.iter().skip(first).step_by(step) {
            let found = View::look(&root, path, true, &self.watches);
            let differs = found.directories.get(path).is_some_and(|now| !alike(now, known));
            if differs && self.watches.events().is_ok_and(|events| events.is_empty()) {
                tracing::warn!("{}: changed without a report of the kernel", path.display());
                return Settled::Over("a directory changed without a report".to_owned());
            }
            if differs {
                return Settled::Lost;
            }
        }
        Settled::Right
    }
}

/// Whether two looks at a directory saw the same. The state of a directory in it changes with what
/// is in that one, which is reported there.
fn alike(a: &Directory, b: &Directory) -> bool {
    let same = |(a, b): (&Entry, &Entry)| {
        a.kind == b.kind && (a.kind == Kind::Directory || a.stamp == b.stamp)
    };
    a.len() == b.len()
        && a.iter().all(|(name, entry)| b.get(name).is_some_and(|b| same((entry, b))))
}

fn refused(errno: Errno) -> String {
    match errno {
        Errno::NOSPC => "more directories than the kernel lets a user watch; raise the limit with \
                         `sysctl fs.inotify.max_user_watches=524288`"
            .to_owned(),
        Errno::MFILE => "the user has as many inotify instances as the kernel lets it; raise the \
                         limit with `sysctl fs.inotify.max_user_instances=512`"
            .to_owned(),
        errno => format!("a directory cannot be watched: {errno}"),
    }
}

fn be_nice() {
    // If it may not be, it is only less polite.
    let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), 19);
}

/// Waits for the bell or a report, and then for what else is reported right after it.
fn wait(bell: &OwnedFd, watches: Option<&Watches>, most: Option<Duration>, pause: Duration) {
    let most = most.map(|time| Timespec {
        tv_sec: time.as_secs().cast_signed(),
        tv_nsec: i64::from(time.subsec_nanos()),
    });
    let mut polled = vec![PollFd::new(bell, PollFlags::IN)];
    polled.extend(watches.map(|watches| PollFd::new(watches, PollFlags::IN)));
    let _ = poll(&mut polled, most.as_ref()); // interrupted is as good as woken
    let reported = polled.get(1).is_some_and(|polled| !polled.revents().is_empty());
    let mut count = [0; 8];
    let _ = rustix::io::read(bell, &mut count); // nothing to read is what is wanted
    if reported {
        std::thread::sleep(pause);
    }
}
