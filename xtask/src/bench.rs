//! `cargo xtask bench`: what it costs, beside a peer in the same run.
//!
//! A figure alone says little on a machine that others use too, so each is beside that of a
//! peer that was measured in turn with it, and what is quoted is the ratio. Losses are printed as
//! they are.

mod agent;
mod browser;
mod calls;
mod curve;
mod index;
mod peer;
mod scale;
mod search;
mod verdicts;

use std::fmt::Write as _;
use std::time::Duration;

pub(crate) use self::search::tools;
use crate::{Result, output, root};

/// One line of the table.
pub(crate) struct Figure {
    /// What was measured.
    what: String,
    /// Ours, with its unit.
    ours: String,
    /// The peer's, and who it is.
    peer: String,
    /// Ours over the peer's.
    ratio: Option<f64>,
    /// What the design asks for, and whether it is met.
    target: &'static str,
    met: Option<bool>,
}

impl Figure {
    /// One without a peer.
    fn alone(what: String, ours: String, target: &'static str, met: Option<bool>) -> Self {
        Self { what, ours, peer: String::new(), ratio: None, target, met }
    }
}

type Group = (&'static str, fn() -> Result<Vec<Figure>>);

const GROUPS: &[Group] = &[
    ("calls", calls::measure),
    ("agent", agent::measure),
    ("search", search::measure),
    ("index", index::measure),
    ("verdicts", verdicts::measure),
    ("browser", browser::measure),
    ("scale", scale::measure),
    ("curve", curve::measure),
];
/// The groups that run only if they are named; the first holds the second.
const BY_NAME: [&str; 2] = ["scale", "curve"];

/// Runs the groups of these names, or all, and writes the page if all ran.
pub(crate) fn run(names: &[&str]) -> Result {
    if let Some(unknown) = names.iter().find(|n| !GROUPS.iter().any(|(g, _)| g == *n)) {
        let known: Vec<_> = GROUPS.iter().map(|(g, _)| *g).collect();
        return Err(format!("no benchmark `{unknown}`; there are {}", known.join(", ")));
    }
    if cfg!(debug_assertions) {
        // A part is measured in this process, which must be as fast as the product.
        let again = ["run", "--quiet", "--release", "--locked", "-p", "xtask", "--", "bench"];
        return crate::run("cargo", &[&again, names].concat());
    }
    crate::run("cargo", &["build", "--release", "--locked", "-p", "kitbag"])?;
    crate::run(
        "cargo",
        &["build", "--release", "--locked", "-p", "xtask", "--example", "echo_server"],
    )?;
    let mut figures = Vec::new();
    for (name, measure) in GROUPS {
        if names.is_empty() && !BY_NAME.contains(name) || names.contains(name) {
            figures.extend(measure()?);
        }
    }
    let table = table(&figures);
    println!("\n{table}");
    if names.is_empty() {
        let page = root().join("docs/performance.md");
        std::fs::write(&page, self::page(&table)?)
            .map_err(|e| format!("{}: {e}", page.display()))?;
        println!("wrote {}", page.display());
    }
    Ok(())
}

fn table(figures: &[Figure]) -> String {
    let mut text =
        String::from("| what | Kitbag | peer | ratio | target | |\n|---|---|---|---|---|---|\n");
    for f in figures {
        let ratio = f.ratio.map_or(String::new(), |r| format!("{r:.2}"));
        let met = match f.met {
            Some(true) => "met",
            Some(false) => "**missed**",
            None => "",
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {ratio} | {} | {met} |",
            f.what, f.ours, f.peer, f.target
        );
    }
    text
}

fn page(table: &str) -> Result<String> {
    let date = output("date", &["-u", "+%Y-%m-%d"])?;
    let cores = output("nproc", &[])?;
    let notes =
        std::fs::read_to_string(root().join("docs/performance-notes.md")).unwrap_or_default();
    Ok(format!(
        "<!-- Written by `cargo xtask bench`; the notes below the table are docs/performance-notes.md. -->\n\
         # Performance\n\nMeasured on {} with {} cores, release build, caches warm, each figure in turn with its \
         peer's. Times are medians.\n\n{table}\n{notes}",
        date.trim(),
        cores.trim()
    ))
}

/// The value in the middle, and the one that 95 of 100 stay under.
fn quantiles(mut times: Vec<Duration>) -> (Duration, Duration) {
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    (at(0.5), at(0.95))
}

fn ms(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1000.0)
}

fn over(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64()
}
