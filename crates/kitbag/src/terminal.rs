//! The person at the terminal: what is shown and what is asked.

use std::fmt::Write as _;
use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fault::{Error, Reader, Result};
use programs::process::Stream;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use toolkit::serde_json::Value;
use toolkit::{Answer, Question, Seat, Wants};

use crate::exit::Exit;

/// Most lines of a question about a change.
const SHOWN_LINES: usize = 1100;
/// Of these the last ones of the question.
const LAST_LINES: usize = 20;

/// Says why a command failed.
pub(crate) fn complain(error: &Error) {
    let text = toolkit::escape(&error.told(Reader::CommandLine)); // it may quote names and input
    anstream::eprintln!("\u{1b}[31merror\u{1b}[0m: {text}");
}

/// Says something beside what was asked for.
pub(crate) fn say(text: &str) {
    anstream::eprintln!("\u{1b}[33mnote\u{1b}[0m: {}", toolkit::escape(text));
}

/// Says what could not be read of what was listed.
pub(crate) fn left_out(problems: &[Error]) {
    problems.iter().for_each(|problem| say(&format!("{}; left out here", problem.message)));
}

/// Says what goes on, on standard error.
pub(crate) fn tell(text: &str) {
    anstream::eprintln!("{text}");
}

/// Text of others as it is shown: as it is, unless a terminal could obey it.
pub(crate) fn shown(text: &str) -> String {
    if std::io::stdout().is_terminal() { toolkit::escape(text) } else { text.to_owned() }
}

/// The same of what a program prints, in which a carriage return moves as it should.
pub(crate) fn shown_live(stream: Stream, text: &str) -> String {
    let is_terminal = match stream {
        Stream::Out => std::io::stdout().is_terminal(),
        Stream::Err => std::io::stderr().is_terminal(),
    };
    match is_terminal {
        true => text.split('\r').map(toolkit::escape).collect::<Vec<_>>().join("\r"),
        false => text.to_owned(),
    }
}

/// Writes to standard output. A reader that went away is no failure.
pub(crate) fn print(text: &str) -> Result<()> {
    match print_open(text) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::io("standard output", &e))
        }
        _ => Ok(()),
    }
}

/// Writes the text of a result, on a terminal with an end to its last line.
pub(crate) fn print_text(text: &str) -> Result<()> {
    print_exact(text.as_bytes())?;
    match std::io::stdout().is_terminal() && !text.ends_with('\n') && !text.is_empty() {
        true => print("\n"),
        false => Ok(()),
    }
}

/// Writes what others made: byte for byte, but on a terminal escaped where that could obey it.
pub(crate) fn print_exact(bytes: &[u8]) -> Result<()> {
    if std::io::stdout().is_terminal() {
        let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
        return print(&toolkit::escape(&text));
    }
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::io("standard output", &e))
        }
        _ => Ok(()),
    }
}

/// Prints; fails also if nobody reads any more.
pub(crate) fn print_open(text: &str) -> std::io::Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush())
}

/// The same as [`print`] to standard error, for what is not the output that was asked for.
pub(crate) fn print_beside(text: &str) -> Result<()> {
    let mut out = anstream::stderr().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::io("standard error", &e))
        }
        _ => Ok(()),
    }
}

/// Whether somebody sees both streams in one place.
pub(crate) fn is_shown() -> bool {
    std::io::stdout().is_terminal() && std::io::stderr().is_terminal()
}

/// Whether somebody can be asked: one end of this process is a terminal, the other may be a file.
pub(crate) fn is_attended() -> bool {
    let shown = std::io::stderr().is_terminal();
    person().is_some() && (shown || std::io::stdin().is_terminal() && terminal().is_some())
}

/// The terminal of this process, wherever its streams go.
#[expect(clippy::disallowed_methods, reason = "the terminal is no file of a project")]
fn terminal() -> Option<std::fs::File> {
    std::fs::File::options().read(true).write(true).open("/dev/tty").ok()
}

/// Shows a part of a question to the person.
fn put(text: &str) {
    let elsewhere = if std::io::stderr().is_terminal() { None } else { terminal() };
    match elsewhere {
        Some(terminal) => drop(write!(anstream::AutoStream::auto(terminal), "{text}")),
        None => anstream::eprint!("{text}"),
    }
}

/// Where the person types: standard input, or the terminal of this process where that is a pipe.
fn person() -> Option<std::fs::File> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return stdin.as_fd().try_clone_to_owned().ok().map(std::fs::File::from);
    }
    terminal()
}

/// Whether there is something to read, which is waited for a moment.
fn is_typed(person: &std::fs::File) -> bool {
    let mut polled = [PollFd::new(person, PollFlags::IN)];
    let moment = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
    // What cannot be waited for is read at once.
    poll(&mut polled, Some(&moment)).map_or_else(|e| e != Errno::INTR, |ready| ready > 0)
}

/// Held by the one who reads what the person types.
pub(crate) type Keyboard = Arc<tokio::sync::Mutex<()>>;

/// Takes questions from the desk and puts them to the person. Without `lasts`, nothing can be allowed
/// for the rest of the session.
pub(crate) async fn answer(mut seat: Seat, lasts: bool, keyboard: Keyboard) {
    while let Some(mut pending) = seat.next().await {
        let _typed = keyboard.lock().await;
        let mut question = pending.question.clone();
        if question.wants.may_last() && !lasts {
            question.wants = Wants::Decision { may_last: false };
        }
        let wanted = Arc::new(AtomicBool::new(true));
        let still = Arc::clone(&wanted);
        let mut asking = tokio::task::spawn_blocking(move || ask(&question, &still));
        let said = tokio::select! {
            said = &mut asking => said,
            () = pending.settled() => {
                wanted.store(false, Ordering::Relaxed);
                asking.await // what is typed now is no answer
            }
        };
        if let Ok(said) = said {
            pending.answer(said);
        }
    }
}

/// Acts once the person presses Ctrl-C, until what is given is aborted. The second time, the process
/// ends: what should have stopped does not.
pub(crate) fn on_ctrl_c(act: impl FnOnce() + Send + 'static) -> tokio::task::JoinHandle<()> {
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            act();
            if tokio::signal::ctrl_c().await.is_ok() {
                std::process::exit(Exit::Interrupted as i32);
            }
        }
    })
}

/// Shows a question and reads the answer as long as it is wanted.
pub(crate) fn ask(question: &Question, wanted: &AtomicBool) -> Answer {
    let asks = if question.wants == Wants::Text { "asks" } else { "needs approval" };
    put(&format!("\n\u{1b}[1m{}\u{1b}[0m {asks}: {}\n", question.tool, question.reason));
    let shown = coloured(&question.shown);
    let lines: Vec<&str> = shown.lines().collect();
    // The end too: it says what the diff itself leaves out.
    let head = if lines.len() > SHOWN_LINES { SHOWN_LINES - LAST_LINES } else { lines.len() };
    let tail = if head < lines.len() { lines.len() - LAST_LINES } else { head };
    lines[..head].iter().for_each(|line| put(&format!("  {line}\n")));
    if tail > head {
        put(&format!("  ({} more lines here)\n", tail - head));
    }
    lines[tail..].iter().for_each(|line| put(&format!("  {line}\n")));
    let prompt = match question.wants {
        Wants::Text => "Your answer",
        Wants::Decision { may_last: true } => "Allow it? [y]es, [s]ession, [N]o",
        Wants::Decision { may_last: false } => "Allow it? [y]es, [N]o",
    };
    let Some(person) = person() else { return Answer::Nobody };
    let mut person = std::io::BufReader::new(person);
    loop {
        put(&format!("{prompt}: "));
        // A terminal has something to read once a line is whole.
        while person.buffer().is_empty() && !is_typed(person.get_ref()) {
            if !wanted.load(Ordering::Relaxed) {
                put("\n");
                return Answer::Nobody;
            }
        }
        let mut line = String::new();
        if person.read_line(&mut line).unwrap_or(0) == 0 {
            // Ctrl-D is no answer in words, and no yes.
            return if question.wants == Wants::Text { Answer::Nobody } else { Answer::No };
        }
        let line = line.trim();
        match line.to_lowercase().as_str() {
            _ if question.wants == Wants::Text => return Answer::Text(line.to_owned()),
            "y" | "yes" => return Answer::Yes,
            "s" | "session" if question.wants.may_last() => return Answer::YesForSession,
            "" | "n" | "no" => return Answer::No,
            _ => {} // neither a yes nor a no: asked again
        }
    }
}

/// The fields of a result for reading: what has lines of its own, such as the output of a program,
/// as it is and last; the rest one a line.
pub(crate) fn fields(result: &Value) -> String {
    let Value::Object(fields) = result else { return format!("{result}\n") };
    let (mut short, mut long) = (String::new(), String::new());
    for (name, value) in fields {
        match value.as_str() {
            Some("") => {}
            Some(text) if text.contains('\n') => {
                let end = if text.ends_with('\n') { "" } else { "\n" };
                let _ = write!(long, "{name}:\n{text}{end}");
            }
            Some(text) => drop(writeln!(short, "{name}: {text}")),
            None => drop(writeln!(short, "{name}: {value}")),
        }
    }
    short + &long
}

/// A diff with colours, which are taken out again where the output is no terminal.
pub(crate) fn coloured(diff: &str) -> String {
    let mut text = String::with_capacity(diff.len() * 2);
    for line in diff.split_inclusive('\n') {
        let colour = match line.as_bytes().first() {
            Some(b'+') => "\u{1b}[32m",
            Some(b'-') => "\u{1b}[31m",
            Some(b'@') => "\u{1b}[36m",
            _ => "",
        };
        let (content, end) = line.strip_suffix('\n').map_or((line, ""), |c| (c, "\n"));
        let reset = if colour.is_empty() { "" } else { "\u{1b}[0m" };
        let _ = write!(text, "{colour}{content}{reset}{end}");
    }
    text
}
