//! `kitbag doctor`.

use std::fmt::Write as _;

use fault::{Cancel, Result};
use files::journal::Status;
use files::{Limits, Workspace};
use programs::process::{Fence, Line, Program, Reach, Runner};
use toolkit::serde_json::{Value, json};

use super::Exit;
use crate::config::{self, Place};
use crate::{compose, terminal};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    place: Place,
    /// Mend what can be mended: make the state directory, drop what is older than 30 days
    #[arg(long)]
    fix: bool,
    /// JSON, for programs
    #[arg(long)]
    json: bool,
}

/// How a check came out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Health {
    Works,
    Weaker,
    Broken,
}

struct Finding {
    what: &'static str,
    health: Health,
    /// What was found and, if it is not right, what to do.
    says: String,
}

pub(super) fn run(args: &Args) -> Result<Exit> {
    let findings = look(&args.place, args.fix);
    let broken = findings.iter().any(|f| f.health == Health::Broken);
    let text = if args.json {
        let one = |f: &Finding| json!({"what": f.what, "health": f.health.word(), "says": f.says});
        format!("{:#}\n", findings.iter().map(one).collect::<Value>())
    } else {
        let mut text = String::new();
        for f in &findings {
            let _ = writeln!(
                text,
                "{}{:8}\u{1b}[0m {:10} {}",
                f.health.colour(),
                f.health.word(),
                f.what,
                f.says
            );
        }
        text
    };
    terminal::print(&text)?;
    Ok(if broken { Exit::Failure } else { Exit::Success })
}

impl Health {
    fn word(self) -> &'static str {
        match self {
            Self::Works => "works",
            Self::Weaker => "weaker",
            Self::Broken => "broken",
        }
    }

    fn colour(self) -> &'static str {
        match self {
            Self::Works => "\u{1b}[32m",
            Self::Weaker => "\u{1b}[33m",
            Self::Broken => "\u{1b}[31m",
        }
    }
}

fn finding(what: &'static str, result: Result<String>) -> Finding {
    match result {
        Ok(says) => Finding { what, health: Health::Works, says },
        Err(error) => Finding { what, health: Health::Broken, says: error.message },
    }
}

fn look(place: &Place, fix: bool) -> Vec<Finding> {
    let mut found = vec![Finding {
        what: "version",
        health: Health::Works,
        says: format!("kitbag {}", env!("CARGO_PKG_VERSION")),
    }];
    found.push(finding("root", root(place)));
    found.push(finding("journal", journal(place, fix)));
    match journal_troubles(place) {
        Ok(more) => found.extend(more),
        Err(error) => found.push(finding("journal", Err(error))),
    }
    match programs(place) {
        Ok(more) => found.extend(more),
        Err(error) => found.push(finding("programs", Err(error))),
    }
    found
}

fn root(place: &Place) -> Result<String> {
    let workspace = Workspace::open(&place.root()?, &[], Limits::default())?;
    let entries = workspace.list(".")?.len();
    Ok(format!("{} ({entries} entries), confined by the kernel", workspace.root().display()))
}

fn journal(place: &Place, fix: bool) -> Result<String> {
    let state = place.state()?;
    let dir = state.dir().display().to_string();
    if fix {
        let (_, journal) = compose::journal(place)?;
        journal.prune(&Limits::default())?;
    }
    if !state.exists() {
        return Ok(format!("{dir} is made with the first change"));
    }
    let (workspace, journal) = compose::journal(place)?;
    journal.verify()?;
    let steps = journal.log(&workspace, usize::MAX >> 1)?;
    let count = |state| steps.iter().filter(|step| step.status == state).count();
    Ok(format!(
        "{dir}: sound; in this directory {} calls can be undone, {} redone",
        count(Status::Done),
        count(Status::Undone)
    ))
}

/// What of the journal needs a person: calls that are half done, and journals that were kept aside.
fn journal_troubles(place: &Place) -> Result<Vec<Finding>> {
    if !place.state()?.exists() {
        return Ok(Vec::new());
    }
    let (_, journal) = compose::journal(place)?;
    let half = journal.half()?.into_iter().map(|half| Finding {
        what: "journal",
        health: Health::Broken,
        says: format!(
            "call {} in {} is half done: {}; `kitbag log` there says how to go on",
            half.id,
            half.root.display(),
            toolkit::escape(&half.trouble)
        ),
    });
    let told = journal.notices()?.into_iter();
    let told = told.map(|says| Finding { what: "journal", health: Health::Broken, says });
    Ok(half.chain(told).collect())
}

fn programs(place: &Place) -> Result<Vec<Finding>> {
    let settings = programs::process::Settings { env: config::environment(), ..Default::default() };
    let runner = Runner::new(settings, place.state()?, "doctor");
    let workspace = Workspace::open(&place.root()?, &[], Limits::default())?;
    let mut found = vec![sandbox(&runner)];
    for (what, line, need) in [
        ("shell", "echo ${BASH_VERSION:-sh}", "install bash"),
        ("git", "git --version", "install git 2.39 or later"),
    ] {
        let time = std::time::Duration::from_secs(10);
        let program = Program {
            line: Line::Shell(line),
            dir: ".",
            env: &[],
            timeout: time,
            reach: Reach::Workspace,
        };
        let ran = runner.run(&workspace, &program, None, &Cancel::default())?;
        let output = ran.stdout.tail(1, 200).text.trim().to_owned();
        let health = if output.is_empty() { Health::Weaker } else { Health::Works };
        let says = if output.is_empty() { format!("not found; {need}") } else { output };
        found.push(Finding { what, health, says });
    }
    Ok(found)
}

fn sandbox(runner: &Runner) -> Finding {
    let active = runner.containment();
    let health = if active.fence == Fence::Namespaces { Health::Works } else { Health::Weaker };
    Finding { what: "sandbox", health, says: active.to_string() }
}
