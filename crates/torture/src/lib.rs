//! Kills, faults and races against the real program, and what must be true after each: every byte
//! that anybody was told is safe is in the tree, or comes back by undo.
//!
//! A seed decides all that is random, so a failure is repeated by its seed. `cargo xtask torture`
//! runs for minutes or hours, the tests of `kitbag` a part for seconds.

// System calls are stopped and answered by their registers, which other processors name otherwise.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![expect(
    clippy::disallowed_methods,
    reason = "it is a person, a full disk and a power cut to the program under test"
)]

mod answers;
mod calls;
mod changes;
mod clock;
mod crowd;
mod dice;
mod disk;
mod faults;
mod kills;
mod oracle;
mod pairs;
mod patterns;
mod person;
mod place;
mod races;
mod server;
mod soak;
mod syncs;
mod texts;
mod trace;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use dice::Dice;

/// What went wrong, for a developer.
type Result<T = ()> = std::result::Result<T, String>;

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// A way to torment the program: its name, what it is, and one round of it.
type Scenario = (&'static str, &'static str, fn(&mut Round<'_>) -> Result);

const SCENARIOS: &[Scenario] = &[
    ("kills", "SIGKILL at a system call, and again in the recovery", kills::round),
    ("faults", "system calls of Kitbag's that fail, once or from then on", faults::round),
    ("races", "a person saves a file at a system call", races::round),
    ("pairs", "a second call begins at a system call of the first", pairs::round),
    ("syncs", "what an answered call has not brought to the disk", syncs::round),
    ("directories", "a directory becomes read-only at a system call", faults::read_only),
    ("disk", "a full disk below the root, the state, or both", disk::round),
    ("clock", "the clock jumps by weeks", clock::round),
    ("crowd", "two servers and a command line at once", crowd::round),
    ("fight", "the same, all for one file", crowd::fight),
    ("person", "a person saves files during programs and undo", person::round),
    ("server", "SIGKILL for a server while its program runs", server::round),
    ("patterns", "searches of a tree that changes, held against ripgrep's", patterns::round),
    (SOAK, "everything at random in 20,000 files, to the end of the time; if named", soak::round),
];

/// The scenario whose one round takes all the time, so that it runs only if it is named.
const SOAK: &str = "soak";

/// What to run.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The program `kitbag`.
    pub program: &'a Path,
    /// Rounds begin until this time has passed.
    pub time: Duration,
    /// So many rounds are run in any case.
    pub rounds: u64,
    /// The seed of the first round; the next has the next number.
    pub seed: u64,
    /// Scenarios, or one of their calls as `kills/undo-patch`; all but the soak, if there are none.
    pub only: &'a [&'a str],
    /// At how many system calls of one command something is done.
    pub points: usize,
    /// The program `rg`, of the version whose crates Kitbag is built with.
    pub rg: &'a Path,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Report {
    /// Cases, kills and failures of each scenario.
    pub counts: BTreeMap<&'static str, [usize; 3]>,
    /// Why a scenario did not run.
    pub skipped: BTreeMap<&'static str, String>,
    /// What was lost, and how to see it again.
    pub failures: Vec<String>,
}

/// One scenario with one seed.
struct Round<'a> {
    program: &'a Path,
    rg: &'a Path,
    /// When the time is over.
    until: Instant,
    dice: Dice,
    points: usize,
    op: (calls::Kind, calls::Turn),
    cases: usize,
    kills: usize,
    failures: Vec<String>,
    skipped: Option<String>,
    /// What else is to be known of it.
    notes: Vec<String>,
}

impl Round<'_> {
    /// Counts a case; `what` says which it was.
    fn case(&mut self, what: impl FnOnce() -> String, came: Result) {
        self.cases += 1;
        if let Err(lost) = came {
            self.failures.push(format!("{}: {lost}", what()));
        }
    }
}

/// The scenarios with a line about each.
pub fn scenarios() -> impl Iterator<Item = (&'static str, &'static str)> {
    SCENARIOS.iter().map(|(name, about, _)| (*name, *about))
}

/// Runs rounds until the time is over; `say` gets a line for each failure as it comes.
///
/// # Errors
/// If `only` names a scenario or a call that does not exist.
pub fn run(options: &Options<'_>, say: &dyn Fn(&str)) -> std::result::Result<Report, String> {
    let all = SCENARIOS.iter().map(|(name, ..)| *name).filter(|name| *name != SOAK);
    let all: Vec<&str> = all.collect();
    let names = if options.only.is_empty() { &all[..] } else { options.only };
    let chosen = names.iter().map(|name| chosen(name)).collect::<Result<Vec<_>>>()?;
    let mut report = Report::default();
    let start = Instant::now();
    for seed in options.seed.. {
        for (name, (scenario, ops)) in names.iter().zip(&chosen) {
            let mut round = Round {
                program: options.program,
                rg: options.rg,
                until: start + options.time,
                dice: Dice::new(seed),
                points: options.points,
                op: ops[seed as usize % ops.len()],
                cases: 0,
                kills: 0,
                failures: Vec::new(),
                skipped: None,
                notes: Vec::new(),
            };
            if let Err(problem) = scenario.2(&mut round) {
                round.failures.push(problem);
            }
            let points = options.points;
            let again =
                format!("cargo xtask torture 0 --seed {seed} --only {name} --points {points}");
            report.add(scenario.0, &again, round, say);
        }
        if start.elapsed() >= options.time && seed + 1 >= options.seed + options.rounds {
            break;
        }
    }
    Ok(report)
}

/// The scenario of this name, and the calls that it is about.
fn chosen(name: &str) -> Result<(&'static Scenario, Vec<(calls::Kind, calls::Turn)>)> {
    let (scenario, call) = name.split_once('/').unwrap_or((name, ""));
    let mut ops = calls::ALL.to_vec();
    ops.retain(|op| call.is_empty() || calls::name(*op) == call);
    match SCENARIOS.iter().find(|(name, ..)| *name == scenario) {
        None => {
            let names = scenarios().map(|(name, _)| name).collect::<Vec<_>>().join(", ");
            Err(format!("no scenario {scenario:?}; choose one of {names}"))
        }
        Some(_) if ops.is_empty() => {
            let names = calls::ALL.iter().map(|op| calls::name(*op)).collect::<Vec<_>>().join(", ");
            Err(format!("no call {call:?}; choose one of {names}"))
        }
        Some(scenario) => Ok((scenario, ops)),
    }
}

impl Report {
    fn add(&mut self, name: &'static str, again: &str, round: Round<'_>, say: &dyn Fn(&str)) {
        let counts = self.counts.entry(name).or_default();
        let news = [round.cases, round.kills, round.failures.len()];
        counts.iter_mut().zip(news).for_each(|(count, new)| *count += new);
        if let Some(why) = round.skipped {
            self.skipped.entry(name).or_insert(why);
        }
        round.notes.iter().for_each(|note| say(&format!("{name}: {note}")));
        for failure in round.failures {
            let failure = format!("FAILED {name}: {failure}\n  again: {again}");
            say(&failure);
            self.failures.push(failure);
        }
    }

    /// A line for each scenario, and one for all.
    pub fn summary(&self) -> String {
        let line = |name: &str, [cases, kills, failures]: [usize; 3]| {
            format!("{name}: {cases} cases, {kills} kills, {failures} failures\n")
        };
        let mut text = String::new();
        let mut all = [0; 3];
        for (name, counts) in &self.counts {
            match self.skipped.get(name) {
                Some(why) => text += &format!("  {name}: SKIPPED, {why}\n"),
                None => text += &format!("  {}", line(name, *counts)),
            }
            all.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        text + &line("torture", all)
    }
}
