//! Programs that are talked with over their input and output as long as they live, such as a
//! browser.
//!
//! Each ends as programs in the background do, and when what is returned is dropped.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use fault::{Cancel, Error, Result};
use files::journal::Layers;
use files::workspace::Workspace;
use rustix::pipe::PipeFlags;

use super::background::{ANSWER, Shared, attend};
use super::{Exit, Program, Runner};

/// A program that is talked with. Dropped, it is ended with all it started.
#[derive(Debug)]
pub struct Talk {
    shared: Arc<Shared>,
}

impl Runner {
    /// Starts a program that goes on, and gives the pipes that are its input and its output. Its
    /// `timeout` counts for nothing.
    ///
    /// # Errors
    /// As for [`Runner::run`].
    pub fn talk(
        &self,
        workspace: &Workspace,
        program: &Program<'_>,
        cancel: &Cancel,
    ) -> Result<(Talk, OwnedFd, OwnedFd)> {
        cancel.check()?;
        let mut ready = self.ready(workspace, program, &Layers::default())?;
        let pipe = || rustix::pipe::pipe_with(PipeFlags::CLOEXEC);
        let fail = |e: rustix::io::Errno| Error::not_started(&ready.name, &e.into());
        let (its_input, input) = pipe().map_err(fail)?;
        let (output, its_output) = pipe().map_err(fail)?;
        (ready.launch.input, ready.launch.output) = (Some(its_input), Some(its_output));
        let counted = self.tally.count()?;
        let stop = || cancel.is_cancelled() || counted.is_ending();
        let started = ready.launch.start(&stop);
        let running = started.map_err(|e| e.into_error(&ready.name, &ready.path))?;
        let shared = Arc::new(Shared::default());
        let (limits, spills) = (workspace.limits().clone(), Arc::clone(&self.spills));
        let theirs = Arc::clone(&shared);
        std::thread::Builder::new()
            .name("talk".to_owned())
            .spawn(move || attend(running, &limits, &spills, &counted, &theirs))
            .map_err(|e| Error::not_started(&ready.name, &e))?;
        Ok((Talk { shared }, input, output))
    }
}

impl Talk {
    /// How it ended and the last lines that it printed as errors; `None` while it runs.
    pub fn ended(&self) -> Option<(Exit, String)> {
        let now = self.shared.now();
        let (exit, _) = now.end?;
        Some((exit, now.stderr.tail(20, 2000).text))
    }

    /// Waits for its end, a few seconds at most, and says the same.
    pub fn wait_for_end(&self) -> Option<(Exit, String)> {
        self.shared.wait_for_end(ANSWER);
        self.ended()
    }

    /// The process id of the program, once it is known.
    pub fn pid(&self) -> Option<i32> {
        self.shared.now().pid
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        self.shared.wait_for_end(ANSWER);
    }
}
