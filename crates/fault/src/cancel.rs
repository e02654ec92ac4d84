//! How a call is told that nobody wants its answer any more.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::{Error, Result};

/// A flag that long work looks at; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
    until: Option<Instant>,
}

impl Cancel {
    /// Asks the work to stop.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether the work should stop.
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Relaxed) || self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// The same flag for a part of the work that is to stop at a moment in any case.
    #[must_use]
    pub fn until(&self, until: Instant) -> Self {
        Self { flag: Arc::clone(&self.flag), until: Some(until) }
    }

    /// `Err(Cancelled)` once the work should stop.
    ///
    /// # Errors
    /// `Cancelled`.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(Error::cancelled()) } else { Ok(()) }
    }
}

/// How long work may go on: up to a moment, and as long as somebody wants it.
#[derive(Clone, Copy)]
pub struct Bound<'a> {
    /// When it ends at the latest.
    pub until: Option<Instant>,
    /// Whether nobody wants it any more.
    pub stop: &'a dyn Fn() -> bool,
}

impl Bound<'_> {
    /// For work that is always finished.
    pub const NONE: Bound<'static> = Bound { until: None, stop: &|| false };

    /// Whether it is to end.
    pub fn is_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until) || (self.stop)()
    }

    /// An error of the kind `TimedOut` once the work is to end.
    pub fn check(&self) -> io::Result<()> {
        if self.is_over() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(()) }
    }

    /// What is in a file, until the work is to end.
    pub fn read<'f>(&'f self, mut file: &'f File) -> impl Read + 'f {
        Reader(move |buffer: &mut [u8]| {
            self.check()?;
            file.read(buffer)
        })
    }
}

struct Reader<F>(F);

impl<F: FnMut(&mut [u8]) -> io::Result<usize>> Read for Reader<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (self.0)(buffer)
    }
}
