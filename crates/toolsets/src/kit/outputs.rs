//! What the programs of a session printed, kept to be asked about instead of being run again.

use std::collections::{HashMap, VecDeque};
use std::hash::{Hash as _, Hasher as _};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use programs::process::{Exit, Finished, Going, Output};

use crate::prelude::*;

/// Most outputs that are kept of programs that have ended, and most bytes of them in memory.
const MOST: usize = 20;
const MOST_BYTES: u64 = 32 << 20;
/// A program that takes longer ends with its time.
const LONG: Duration = Duration::from_secs(10);

/// What one program printed, and how it ended.
#[derive(Debug)]
pub(crate) struct Printed {
    /// `None` while it runs.
    pub(crate) exit: Option<Exit>,
    pub(crate) wall: Duration,
    pub(crate) stdout: Output,
    /// Only what the shell itself says of a line that it cannot read; else both are one.
    pub(crate) stderr: Output,
}

impl Printed {
    pub(crate) fn of(done: &Finished) -> Self {
        let (stdout, stderr) = (done.stdout.clone(), done.stderr.clone());
        Self { exit: Some(done.exit), wall: done.wall, stdout, stderr }
    }

    /// A text about what a program printed.
    pub(crate) fn text(text: &str, of: &Self) -> Self {
        Self { exit: of.exit, wall: of.wall, stdout: Output::of(text), stderr: Output::default() }
    }

    fn of_going(going: Going) -> Self {
        Self { exit: going.exit, wall: going.wall, stdout: going.stdout, stderr: going.stderr }
    }

    pub(crate) fn lines(&self) -> usize {
        (self.stdout.lines + self.stderr.lines) as usize
    }

    /// Gives each line with its number, from 1. Of a line that was written over, as progress bars
    /// are, the last writing. The answer is the first and the last line of those that were not kept,
    /// of each stream.
    pub(crate) fn each(&self, mut each: impl FnMut(usize, &str)) -> Vec<(usize, usize)> {
        let mut gaps = Vec::new();
        for (output, above) in [(&self.stdout, 0), (&self.stderr, self.stdout.lines)] {
            let missing = output.each_line(|number, line| {
                each((above + number) as usize, line.rsplit('\r').next().unwrap_or(line));
            });
            gaps.extend(missing.map(|(a, b)| ((above + a) as usize, (above + b) as usize)));
        }
        gaps
    }

    /// The lines from `first` to `last`, as many as fit into `bytes`, and where they end; of the first
    /// line what follows `from` bytes. If it alone has no room, also after how many bytes it was cut,
    /// and how many it has. Lines that were not kept are passed over and told.
    pub(crate) fn range(
        &self,
        (first, from): (usize, usize),
        last: usize,
        bytes: usize,
    ) -> (String, usize, Option<(usize, usize)>) {
        let (mut text, mut end, mut full) = (String::new(), first.saturating_sub(1), false);
        let mut cut = None;
        let gaps = self.each(|number, line| {
            if full || !(first..=last).contains(&number) {
                return;
            }
            let skipped = if number == first { line.ceil_char_boundary(from) } else { 0 };
            full = text.len() + line.len() - skipped > bytes;
            if full && !text.is_empty() {
                return;
            }
            let to = line.floor_char_boundary(skipped + bytes);
            text += &line[skipped..to];
            text.push('\n');
            cut = (to < line.len()).then_some((to, line.len()));
            end = number;
        });
        for (a, b) in gaps {
            // What comes before them is shown to their first, or what comes after them.
            if first <= b && a <= last && end + 1 >= a.max(first) {
                text.insert_str(0, &format!("[{}]\n", not_kept(a.max(first), b.min(last))));
                end = end.max(b.min(last));
            }
        }
        (text, end, cut)
    }

    /// The lines of these numbers, from 0, which ascend, as many as fit into `bytes`.
    pub(crate) fn pick(
        &self,
        mut ranges: impl Iterator<Item = Range<usize>>,
        bytes: usize,
    ) -> HashMap<usize, String> {
        let (mut lines, mut left) = (HashMap::new(), bytes);
        let mut wanted = ranges.next();
        self.each(|number, line| {
            while wanted.as_ref().is_some_and(|range| range.end < number) {
                wanted = ranges.next();
            }
            if wanted.as_ref().is_none_or(|range| !range.contains(&(number - 1))) {
                return;
            }
            match left.checked_sub(line.len()) {
                None => wanted = None,
                Some(rest) => {
                    left = rest;
                    lines.insert(number - 1, line.to_owned());
                }
            }
        });
        lines
    }

    /// A digest of each line, and whether all lines are kept.
    pub(crate) fn digests(&self) -> (Vec<u64>, bool) {
        let mut all = Vec::new();
        let gaps = self.each(|_, line| {
            let mut hasher = std::hash::DefaultHasher::new();
            line.hash(&mut hasher);
            all.push(hasher.finish());
        });
        (all, gaps.is_empty())
    }

    /// The last lines, at most `lines` and `bytes`; where they begin, and how much of the first of
    /// them there was no room for. What comes before them is not looked at, however much that is.
    pub(crate) fn tail(&self, lines: usize, bytes: usize) -> (String, usize, usize) {
        let said = self.stderr.tail(lines, bytes);
        let count = self.stderr.lines - said.omitted_lines;
        let left = if said.omitted_lines > 0 { 0 } else { lines - count as usize };
        let printed = self.stdout.tail(left, bytes.saturating_sub(said.text.len()));
        let shown = count + self.stdout.lines - printed.omitted_lines;
        let whole = printed.text.contains('\r') || said.text.contains('\r');
        let mut text = String::new();
        for line in printed.text.lines().chain(said.text.lines()) {
            text += line.trim_end_matches('\r').rsplit('\r').next().unwrap_or(line);
            text.push('\n');
        }
        (text, self.lines() + 1 - shown as usize, if whole { 0 } else { printed.cut + said.cut })
    }

    /// Whether its time is worth telling.
    pub(crate) fn took_long(&self) -> bool {
        self.wall >= LONG
    }

    /// How it ended, or that it runs.
    pub(crate) fn state(&self) -> String {
        let time = format!("{:.2}s", self.wall.as_secs_f64());
        match self.exit {
            None => format!("running for {time}"),
            Some(Exit::Code(code)) if self.took_long() => format!("exit {code} in {time}"),
            Some(Exit::Code(code)) => format!("exit {code}"),
            Some(Exit::Signal(signal)) => format!("ended by signal {signal} in {time}"),
            Some(Exit::TimedOut(_)) => format!("ended by its time limit after {time}"),
            Some(Exit::Cancelled) => format!("stopped after {time}"),
        }
    }

    fn memory(&self) -> u64 {
        [&self.stdout, &self.stderr].iter().map(|o| o.bytes.min(1 << 20)).sum()
    }

    /// With the files that hold what is not in memory.
    fn discard(self) {
        drop(self.stdout.into_bytes(0));
        drop(self.stderr.into_bytes(0));
    }
}

/// One program of the session.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub(crate) id: u32,
    pub(crate) command: String,
    /// What the runner calls it, as long as it runs.
    pub(crate) name: Option<String>,
    /// Of one that has ended.
    ended: Option<Arc<Printed>>,
    /// How many lines were shown, and the last of them, which may not have been whole.
    pub(crate) seen: (usize, String),
}

/// All programs of the session, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Outputs(Mutex<(u32, VecDeque<Kept>)>);

impl Outputs {
    fn lock(&self) -> MutexGuard<'_, (u32, VecDeque<Kept>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A number for the next program.
    pub(crate) fn number(&self) -> u32 {
        let (last, _) = &mut *self.lock();
        *last += 1;
        *last
    }

    /// Keeps what a program printed that has ended.
    pub(crate) fn keep(&self, id: u32, command: String, printed: Arc<Printed>) {
        self.add(Kept { id, command, name: None, ended: Some(printed), seen: Default::default() });
    }

    /// Keeps a program that goes on, by its name at the runner.
    pub(crate) fn begin(&self, id: u32, command: String, name: String) {
        self.add(Kept { id, command, name: Some(name), ended: None, seen: Default::default() });
    }

    fn add(&self, new: Kept) {
        let (_, kept) = &mut *self.lock();
        kept.push_back(new);
        forget(kept);
    }

    /// All of them.
    pub(crate) fn list(&self) -> Vec<Kept> {
        self.lock().1.iter().cloned().collect()
    }

    /// The program of this number.
    pub(crate) fn get(&self, id: u32) -> Result<Kept> {
        let (last, kept) = &*self.lock();
        let found = kept.iter().find(|kept| kept.id == id).cloned();
        found.ok_or_else(|| {
            let ids: Vec<_> = kept.iter().map(|kept| kept.id.to_string()).collect();
            Error::output_gone(id, id > 0 && id <= *last, &ids.join(", "))
        })
    }

    /// The program that was started last.
    pub(crate) fn last(&self) -> Option<u32> {
        self.lock().1.back().map(|kept| kept.id)
    }

    /// The programs that run, the last one first.
    pub(crate) fn running(&self) -> Vec<u32> {
        self.lock().1.iter().rev().filter(|kept| kept.name.is_some()).map(|kept| kept.id).collect()
    }

    /// The last program before this one that had the same command and has ended.
    pub(crate) fn before(&self, id: u32, command: &str) -> Option<(u32, Arc<Printed>)> {
        let same = |kept: &&Kept| kept.id < id && kept.command == command;
        let all = self.lock();
        all.1.iter().rev().filter(same).find_map(|kept| Some((kept.id, kept.ended.clone()?)))
    }

    /// What a program printed until now. One that has ended is no longer the runner's.
    pub(crate) fn printed(&self, cx: &Cx<'_>, id: u32) -> Result<Arc<Printed>> {
        let kept = self.get(id)?;
        if let Some(printed) = kept.ended {
            return Ok(printed);
        }
        let name = kept.name.unwrap_or_default();
        let going = cx.runner().background_program(cx.workspace(), &name)?;
        match going.exit {
            None => Ok(Arc::new(Printed::of_going(going))),
            Some(_) => self.stop(cx, id, &name),
        }
    }

    /// Stops a program if it runs; what it printed.
    pub(crate) fn stop(&self, cx: &Cx<'_>, id: u32, name: &str) -> Result<Arc<Printed>> {
        let printed = Arc::new(Printed::of_going(cx.runner().stop(cx.workspace(), name)?));
        self.change(id, |kept| {
            kept.ended = Some(Arc::clone(&printed));
            kept.name = None;
        });
        forget(&mut self.lock().1);
        Ok(printed)
    }

    /// Remembers what was shown.
    pub(crate) fn saw(&self, id: u32, seen: (usize, String)) {
        self.change(id, |kept| kept.seen = seen);
    }

    fn change(&self, id: u32, change: impl FnOnce(&mut Kept)) {
        if let Some(kept) = self.lock().1.iter_mut().find(|kept| kept.id == id) {
            change(kept);
        }
    }
}

/// What is said of lines of which there was too much.
pub(crate) fn not_kept(first: usize, last: usize) -> String {
    let were = if first == last { "was" } else { "were" };
    format!("{} {were} not kept", fault::lines(first, last))
}

/// Lets the oldest of those go that have ended, while there are too many.
fn forget(all: &mut VecDeque<Kept>) {
    loop {
        let ended = || all.iter().filter_map(|kept| kept.ended.as_ref());
        let (count, bytes) = (ended().count(), ended().map(|one| one.memory()).sum::<u64>());
        let oldest = all.iter().position(|kept| kept.ended.is_some());
        let Some(oldest) = oldest.filter(|_| count > MOST || count > 1 && bytes > MOST_BYTES)
        else {
            return;
        };
        let gone = all.remove(oldest).and_then(|kept| kept.ended);
        if let Some(printed) = gone.and_then(|printed| Arc::try_unwrap(printed).ok()) {
            printed.discard();
        }
    }
}
