//! Shows what programs print as it comes, on a thread of its own: a reader that stalls holds up the
//! program, but neither its timeout nor the interrupt key.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use fault::Cancel;
use programs::process::{Live, Stream};

use crate::terminal;

/// Bytes that wait for the reader at most, before the program waits.
const MOST_WAITING: usize = 8 << 20;

/// What takes the pieces.
pub(crate) struct Printer {
    to: Sender<Option<(Stream, String)>>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// Bytes that were not written yet.
    waiting: AtomicUsize,
    /// Whether the last line has no end yet.
    in_line: AtomicBool,
}

/// The end of a printer, at which what it took is waited for.
pub(crate) struct Printing {
    to: Sender<Option<(Stream, String)>>,
    shared: Arc<Shared>,
    thread: JoinHandle<()>,
}

/// Starts one. Once nobody reads standard output any more, as after `| head`, the call is cancelled.
pub(crate) fn start(cancel: Cancel) -> (Printer, Printing) {
    let (to, pieces) = channel();
    let shared = Arc::new(Shared::default());
    let of_thread = Arc::clone(&shared);
    let thread = std::thread::spawn(move || write(&pieces, &of_thread, &cancel));
    (Printer { to: to.clone(), shared: Arc::clone(&shared) }, Printing { to, shared, thread })
}

fn write(pieces: &Receiver<Option<(Stream, String)>>, shared: &Shared, cancel: &Cancel) {
    while let Ok(Some((stream, text))) = pieces.recv() {
        match stream {
            Stream::Out if terminal::print_open(&text).is_err() => cancel.cancel(),
            Stream::Out => {}
            // A closed standard error is no reason to end the program.
            Stream::Err => drop(terminal::print_beside(&text)),
        }
        shared.waiting.fetch_sub(text.len(), Ordering::Relaxed);
    }
}

impl Live for Printer {
    fn show(&self, stream: Stream, text: &str) {
        self.shared.in_line.store(!text.ends_with('\n'), Ordering::Relaxed);
        let text = terminal::shown_live(stream, text);
        self.shared.waiting.fetch_add(text.len(), Ordering::Relaxed);
        // The thread is there until the end is asked for, after the last piece.
        let _ = self.to.send(Some((stream, text)));
    }

    fn takes(&self) -> bool {
        self.shared.waiting.load(Ordering::Relaxed) < MOST_WAITING
    }
}

impl Printing {
    /// Waits until everything is written; whether the last line has no end.
    pub(crate) fn end(self) -> bool {
        let _ = self.to.send(None);
        let _ = self.thread.join();
        self.shared.in_line.load(Ordering::Relaxed)
    }
}
