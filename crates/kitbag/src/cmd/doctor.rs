//! `kitbag doctor`.

use std::fmt::Write as _;

use fault::{Cancel, Code, Error, Result};
use files::journal::Status;
use files::{Limits, Workspace};
use programs::process::{BROWSERS, Containment, Fence, Line, Program, Reach, Runner};
use toolkit::Toolset;
use toolkit::serde_json::{Value, json};

use crate::config::{self, Common, Place};
use crate::exit::Exit;
use crate::{compose, terminal};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Mend what can be mended: make the state directory, drop what is older than 30 days
    #[arg(long)]
    fix: bool,
    /// JSON, for programs
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    common: Common,
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

/// `problems` are those of the configuration files.
pub(super) fn run(args: &Args, problems: &[Error]) -> Result<Exit> {
    let mut findings = look(&args.common, args.fix);
    let of_files = problems.iter().map(|problem| finding("settings", Err(problem.clone())));
    findings.extend(of_files);
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

fn look(common: &Common, fix: bool) -> Vec<Finding> {
    let place = &common.place;
    let mut found = vec![works("version", format!("kitbag {}", env!("CARGO_PKG_VERSION")))];
    found.push(root(place).unwrap_or_else(|error| finding("root", Err(error))));
    found.push(finding("journal", journal(place, fix)));
    found.extend(journal_troubles(place).unwrap_or_else(|e| vec![finding("journal", Err(e))]));
    let tools = |tools: Toolset| format!("{}, {} tools", tools.name, tools.entries().len());
    found.push(finding("toolset", common.tools().map(tools)));
    found.extend(settings(common).unwrap_or_else(|e| vec![finding("settings", Err(e))]));
    // What is missing for one check is missing for others.
    let mut told = std::collections::BTreeSet::new();
    found.retain(|f| f.health != Health::Broken || told.insert(f.says.clone()));
    found
}

fn works(what: &'static str, says: impl Into<String>) -> Finding {
    Finding { what, health: Health::Works, says: says.into() }
}

fn weaker(what: &'static str, says: impl Into<String>) -> Finding {
    Finding { what, health: Health::Weaker, says: says.into() }
}

fn root(place: &Place) -> Result<Finding> {
    let workspace = Workspace::open(&place.root()?, &[], Limits::default())?;
    let root = workspace.root();
    let wide = match config::home() {
        _ if root.parent().is_none() => Some("the whole file system"),
        Some(home) if home == root => Some("your home directory"),
        Some(home) if home.starts_with(root) => Some("your home directory is in it"),
        _ => None,
    };
    let shown = root.display();
    if let Some(wide) = wide {
        let advice = "start Kitbag in the directory of one project, or name it with --root";
        return Ok(weaker("root", format!("{shown}: {wide}; {advice}")));
    }
    let entries = workspace.list(".")?.len();
    Ok(works("root", format!("{shown} ({entries} entries), confined by the kernel")))
}

fn journal(place: &Place, fix: bool) -> Result<String> {
    let state = place.state()?;
    let dir = state.dir().display().to_string();
    if fix {
        let (_, journal) = compose::journal(place)?;
        journal.prune(&Limits::default())?;
    }
    if !state.exists() {
        return Ok(format!("{dir}: created with the first change"));
    }
    let (workspace, journal) = compose::journal(place)?;
    journal.verify()?;
    let steps = journal.log(&workspace, usize::MAX >> 1)?;
    let count = |state| steps.iter().filter(|step| step.status == state).count();
    Ok(format!(
        "{dir}: intact; calls in this directory that can be undone: {}, redone: {}",
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

/// What depends on settings: the sandbox, programs, the index, the cache and the web.
fn settings(common: &Common) -> Result<Vec<Finding>> {
    let settings = common.settings()?;
    let index = settings.state.dir().join("index").display().to_string();
    let mut kept = vec![
        works("index", format!("{index}: built by the first search, then kept up to date")),
        finding("cache", cache(&settings.cache)),
        match &settings.web.search {
            Some(engine) => works("web search", format!("{engine:?}")),
            None => weaker(
                "web search",
                "no engine, so `web_search` does not work; name one with --web-search: the URL of \
                 a SearXNG instance, duckduckgo, or brave with KITBAG_BRAVE_KEY",
            ),
        },
    ];
    let words = settings.state.dir().join("words").display().to_string();
    let runner = Runner::new(settings.programs, settings.state, "doctor");
    let workspace = Workspace::open(&settings.root, &settings.allow, settings.limits)?;
    kept.insert(0, searches(&workspace, &words));
    let mut found = sandbox(&runner.containment());
    for (what, line, need) in [
        ("shell", "echo ${BASH_VERSION:-sh}", "install bash, as with `apt-get install bash`"),
        ("git", "git --version", "install git 2.39 or later, as with `apt-get install git`"),
    ] {
        found.push(match answer(&runner, &workspace, Line::Shell(line))? {
            Some(says) => works(what, says),
            None => weaker(what, format!("not found; {need}")),
        });
    }
    found.push(browser(&runner, &workspace)?);
    found.push(extension(common)?);
    found.append(&mut kept);
    Ok(found)
}

/// What searches of a server rest on; `words` is where its index is.
fn searches(workspace: &Workspace, words: &str) -> Finding {
    match files::most_watches() {
        _ if !workspace.is_root_local() => weaker(
            "searches",
            "the root is on a file system of another machine, whose changes are not reported: each \
             search looks at every file",
        ),
        Some(most) => works(
            "searches",
            format!(
                "a server watches the directories of its root (at most {most} of each user, \
                 fs.inotify.max_user_watches) and keeps an index of words in {words}"
            ),
        ),
        None => weaker(
            "searches",
            "the kernel reports no changes of directories: each search looks at every file",
        ),
    }
}

/// The extension that drives the user's own browser.
fn extension(common: &Common) -> Result<Finding> {
    Ok(match common.extensions()? {
        Some(one) => works(
            "extension",
            format!("waited for at {}; `kitbag pair` tells how to connect it", one.url),
        ),
        None => works("extension", "none is waited for (--extension off)"),
    })
}

/// The built-in browser.
fn browser(runner: &Runner, workspace: &Workspace) -> Result<Finding> {
    let args = ["--version".into()];
    for name in BROWSERS {
        match answer(runner, workspace, Line::Own { name, args: &args }) {
            Ok(Some(says)) => return Ok(works("browser", says)),
            Ok(None) => {}
            Err(error) if error.code == Code::CommandNotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(weaker(
        "browser",
        "not found, so the browser tools work only through the extension, and `screenshot` not at \
         all; install Chromium, as with `apt-get install chromium`, or name its directory with \
         --programs",
    ))
}

fn cache(dir: &std::path::Path) -> Result<String> {
    let shown = dir.display();
    match Workspace::open(dir, &[], Limits::default()) {
        Ok(_) => Ok(shown.to_string()),
        Err(error) if error.code == Code::DirectoryNotFound => {
            Ok(format!("{shown} is created with the first entry; --cache moves it"))
        }
        Err(error) => Err(error),
    }
}

/// The last line that a program prints; `None` if it prints nothing.
fn answer(runner: &Runner, workspace: &Workspace, line: Line<'_>) -> Result<Option<String>> {
    let timeout = std::time::Duration::from_secs(10);
    let program = Program { line, dir: ".", env: &[], timeout, reach: Reach::Workspace };
    let ran = runner.run(workspace, &program, None, &Cancel::default())?;
    let output = ran.stdout.tail(1, 200).text.trim().to_owned();
    Ok(Some(output).filter(|output| !output.is_empty()))
}

fn sandbox(active: &Containment) -> Vec<Finding> {
    let fence = match active.fence {
        Fence::Namespaces => works("sandbox", active.to_string()),
        _ => weaker("sandbox", active.to_string()),
    };
    let memory = match active.memory {
        true => works("memory", "programs and their children share a limit (control group)"),
        false => weaker(
            "memory",
            "no control groups here, so a program and its children share no memory limit; run \
             Kitbag as root outside of a container, or in a control group delegated to you",
        ),
    };
    vec![fence, memory]
}
