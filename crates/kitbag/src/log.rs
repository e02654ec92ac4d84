//! The log for whoever looks for a defect: warnings to `log` in the state directory, which is
//! bounded, and to standard error what was asked for. What nobody asked for costs the look at a
//! number.

use std::fs::File;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use files::State;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::{self, MakeWriter};
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};

/// Bytes after which the log is begun anew; the one before is kept.
const MOST: u64 = 1 << 20;

/// Starts to log, for the rest of the process.
pub(crate) fn start(state: State, to_stderr: Option<Targets>) {
    let kept = LogFile { state, open: Mutex::default() };
    let file = fmt::layer().with_ansi(false).with_writer(kept);
    let shown = to_stderr
        .map(|targets| fmt::layer().with_ansi(false).with_writer(io::stderr).with_filter(targets));
    let all = tracing_subscriber::registry().with(file.with_filter(LevelFilter::WARN)).with(shown);
    // It fails only if it was started before.
    let _ = tracing::subscriber::set_global_default(all);
}

/// The file in the state directory, made by the first line.
struct LogFile {
    state: State,
    /// The file, and how many bytes were written to it by this process.
    open: Mutex<Option<(File, u64)>>,
}

impl<'a> MakeWriter<'a> for LogFile {
    type Writer = &'a Self;

    fn make_writer(&'a self) -> Self::Writer {
        self
    }
}

impl Write for &LogFile {
    /// A line is one call.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut file, written) = match open.take() {
            Some((file, written)) if written < MOST => (file, written),
            _ => (self.state.append_bounded("log", MOST).map_err(io::Error::other)?, 0),
        };
        file.write_all(line)?;
        *open = Some((file, written + line.len() as u64));
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
