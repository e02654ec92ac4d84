//! What calls cost in a large repository: Linux's sources, as Debian packs them.
//!
//! Run by name alone, since it needs apt, the network and a gigabyte and a half on the disk.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::peer::Peer;
use super::{Figure, ms, over, quantiles};
use crate::{Result, output, test};

const PACKAGE: &str = "linux-source-6.12";
/// What Debian adds to the `.gitignore`: it would hide everything from here on.
const HIDES_ALL: &str = "# Debian packaging";
/// Milliseconds that are not to be passed, and in words.
type Target = Option<(f64, &'static str)>;

/// As many lines are counted of one search.
const COUNTED: u64 = 20_000;
/// Calls of each kind.
const CALLS: usize = 11;
/// The longest time until the index stands.
pub(super) const PATIENCE: Duration = Duration::from_secs(600);

pub(super) fn measure() -> Result<Vec<Figure>> {
    let bin = super::search::tools()?;
    let tree = sources()?;
    let state = tree.with_file_name("state");
    let _ = std::fs::remove_dir_all(&state); // the first run has none
    let mut fiz = start("fiz", &tree, &state)?;
    let started = Instant::now();
    let nothing = json!({"pattern": "zzz_no_such_word_zzz"});
    let (_, first) = fiz.call("grep", &nothing)?;
    let built = until_it_stands(&mut fiz, ("grep", &nothing), started)?;
    let mut floyd = start("floyd", &tree, &state)?;
    let reopened = Instant::now();
    let (_, first_of_next) = floyd.call("grep_search", &nothing)?;
    let reopened = until_it_stands(&mut floyd, ("grep_search", &nothing), reopened)?;
    let mut rows = searches(&mut fiz, &mut floyd, &tree, &bin)?;
    rows.extend(fuzzy(&mut start("kit", &tree, &state)?, &tree)?);
    let text =
        |what: &str, time, target, met| Figure::alone(what.to_owned(), ms(time), target, met);
    let asked = Instant::now();
    let stands = until_definitions_stand(&mut floyd)?;
    rows.push(text(
        "until the index of definitions stands, with a question every two seconds",
        stands,
        "",
        None,
    ));
    let merged = until_merged(&state)?.saturating_duration_since(asked);
    rows.push(text("until its segments are merged", merged.max(stands), "", None));
    rows.extend(others(&mut floyd, &tree)?);
    rows.push(text("the first search of a server, which looks at every file", first, "", None));
    rows.push(text(
        "until the index of words stands, with a search a second after the last",
        built,
        "≤ 12 s",
        Some(built.as_secs() < 12),
    ));
    rows.push(text("the first search of the next server", first_of_next, "", None));
    rows.push(text("until the index stands in the next server", reopened, "", None));
    rows.extend(sizes(&state, &mut fiz, &mut floyd)?);
    drop((fiz, floyd));
    rows.extend(super::curve::measure()?);
    Ok(rows)
}

fn searches(fiz: &mut Peer, floyd: &mut Peer, tree: &Path, bin: &Path) -> Result<Vec<Figure>> {
    let rg = |pattern: &str| {
        format!("{}/rg --no-config --hidden -n -g '!.git' -e '{pattern}' .", bin.display())
    };
    let fd = format!("{}/fd --hidden -E .git --glob mutex.c .", bin.display());
    let mut rows = Vec::new();
    for (what, pattern, target) in [
        ("a rare word", "PM_RESUME", Some((1.0, "≤ 1 ms"))),
        ("nothing", "zzz_no_such_word_zzz", Some((0.3, "≤ 0.3 ms"))),
        ("a frequent word, the first 200 lines", "mutex_lock", None),
    ] {
        let (time, text) = ours(fiz, "grep", &json!({"pattern": pattern}))?;
        let peer = theirs(tree, &rg(pattern))?;
        let lines = text.lines().filter(|line| !line.starts_with('(')).count();
        rows.push(row(
            format!("`grep` for {what}: {lines} lines"),
            time,
            Some((peer, "ripgrep")),
            target,
        ));
    }
    for (pattern, target) in [
        ("PM_RESUME", None),
        ("mutex_lock", None),
        ("[A-Z]+_RESUME", Some((15.0, "≤ 15 ms"))),
        (r"\bpm_\w+_resume\b", None),
        ("zzz_no_such_word_zzz", None),
    ] {
        let (time, text) = ours(floyd, "grep_search", &json!({"pattern": pattern}))?;
        let text = serde_json::from_str::<Value>(&text).map_err(|e| e.to_string())?;
        let total = text["data"]["totalMatches"].as_u64().unwrap_or_default();
        let line = format!("cd '{}' && {} | wc -l", tree.display(), rg(pattern));
        let lines: u64 = output("sh", &["-c", &line])?.trim().parse().unwrap_or_default();
        if total != lines.min(COUNTED) {
            return Err(format!("grep_search {pattern}: {total} lines, ripgrep has {lines}"));
        }
        let peer = theirs(tree, &rg(pattern))?;
        let what = format!("`grep_search` for `{pattern}`: {total} lines, as many as ripgrep's");
        rows.push(row(what, time, Some((peer, "ripgrep")), target));
    }
    let (time, _) = ours(fiz, "find", &json!({"pattern": "**/mutex.c"}))?;
    rows.push(row(
        "`find` of a name".to_owned(),
        time,
        Some((theirs(tree, &fd)?, "fd")),
        Some((1.0, "≤ 1 ms")),
    ));
    Ok(rows)
}

/// A name by some of its letters: in a server, and as a command that looks at every file.
fn fuzzy(kit: &mut Peer, tree: &Path) -> Result<Vec<Figure>> {
    let asked = json!({"query": "kernlockmtx", "mode": "files"});
    let started = Instant::now();
    let (_, first) = kit.call("search", &asked)?;
    until_it_stands(kit, ("search", &asked), started)?;
    let (time, _) = ours(kit, "search", &asked)?;
    let program = test::target()?.join("release/kitbag");
    let command = format!("'{}' find kernlockmtx", program.display());
    Ok(vec![
        row("fuzzy `search` for a name".to_owned(), time, None, Some((8.0, "≤ 8 ms"))),
        Figure::alone("the first of them in a server".to_owned(), ms(first), "", None),
        row("`kitbag find` for the same".to_owned(), theirs(tree, &command)?, None, None),
    ])
}

fn others(floyd: &mut Peer, tree: &Path) -> Result<Vec<Figure>> {
    let mut rows = Vec::new();
    for (tool, arguments, target) in [
        ("git_status", json!({}), Some((2.0, "≤ 2 ms"))),
        ("find_symbol", json!({"symbol": "mutex_lock"}), Some((5.0, "≤ 5 ms"))),
        ("find_references", json!({"symbol": "PM_RESUME"}), None),
        (
            "search_codebase",
            json!({"query": "how does the scheduler pick the next task to run"}),
            Some((50.0, "≤ 50 ms")),
        ),
        ("run_command", json!({"command": "true"}), Some((20.0, "≤ 20 ms"))),
    ] {
        let (time, _) = ours(floyd, tool, &arguments)?;
        let peer = match tool {
            "git_status" => Some((theirs(tree, "git status --porcelain=v2")?, "git")),
            _ => None,
        };
        rows.push(row(format!("`{tool}` {arguments}"), time, peer, target));
    }
    Ok(rows)
}

fn sizes(state: &Path, fiz: &mut Peer, floyd: &mut Peer) -> Result<Vec<Figure>> {
    let mut rows = Vec::new();
    let size = format!("{} MB", on_disk(state)? >> 20);
    rows.push(Figure::alone("the indexes on the disk".to_owned(), size, "≤ 0.35 × the text", None));
    rows.push(in_memory("which made the index", fiz)?);
    rows.push(in_memory("which opened it, right after the questions", floyd)?);
    std::thread::sleep(RESTED);
    rows.push(in_memory("which opened it, after 15 seconds without a question", floyd)?);
    Ok(rows)
}

fn in_memory(which: &str, server: &mut Peer) -> Result<Figure> {
    let (anonymous, resident) = memory(server)?;
    Ok(Figure::alone(
        format!("memory of the server {which}"),
        format!("{resident} MiB, of which {anonymous} are its own and the rest pages of files"),
        "≤ 300 MiB",
        Some(resident <= 300),
    ))
}

/// Bytes of the indexes in a state directory.
pub(super) fn on_disk(state: &Path) -> Result<u64> {
    let told = output("du", &["-sb", &state.join("words").display().to_string()])?;
    let bytes = told.split_whitespace().next().and_then(|bytes| bytes.parse().ok());
    bytes.ok_or_else(|| format!("du: {told}"))
}

/// The sources in a git repository, fetched once.
fn sources() -> Result<PathBuf> {
    let place = test::target()?.join("linux");
    let tree = place.join("tree");
    if tree.join(".git/HEAD").exists() {
        return Ok(tree);
    }
    let at = |e: std::io::Error| format!("{}: {e}", place.display());
    std::fs::create_dir_all(&place).map_err(at)?;
    let shell = |line: &str| in_shell(&place, line);
    shell(&format!("apt-get download {PACKAGE}"))?;
    shell(&format!(
        "dpkg-deb --fsys-tarfile {PACKAGE}_*.deb | tar xf - ./usr/src/{PACKAGE}.tar.xz"
    ))?;
    shell(&format!(
        "tar xJf usr/src/{PACKAGE}.tar.xz && rm -rf usr {PACKAGE}_*.deb && mv {PACKAGE} tree"
    ))?;
    let rules = tree.join(".gitignore");
    let text = std::fs::read_to_string(&rules).map_err(at)?;
    let kept = text.split(HIDES_ALL).next().unwrap_or_default();
    std::fs::write(&rules, kept).map_err(at)?;
    shell(
        "cd tree && git init -q && git add -A && git -c user.name=bench -c user.email=bench@localhost commit -qm sources",
    )?;
    Ok(tree)
}

pub(super) fn in_shell(place: &Path, line: &str) -> Result {
    let status = Command::new("sh").args(["-c", line]).current_dir(place).status();
    match status.map_err(|e| e.to_string())?.success() {
        true => Ok(()),
        false => Err(format!("{line}: failed; `scale` needs apt and the network once")),
    }
}

pub(super) fn start(toolset: &str, tree: &Path, state: &Path) -> Result<Peer> {
    let mut command = Command::new(test::target()?.join("release/kitbag"));
    command.args([
        "serve",
        "--policy",
        "trust",
        "--network",
        "off",
        "--toolset",
        toolset,
        "--root",
    ]);
    Peer::spawn(command.arg(tree).arg("--state").arg(state))
}

/// By then a server has given back the pages of its indexes.
const RESTED: Duration = Duration::from_secs(15);

/// An answer from an index comes in less.
const FROM_INDEX: Duration = Duration::from_millis(20);

/// Asks until two answers in a row come as fast as from an index.
pub(super) fn until_it_stands(
    server: &mut Peer,
    (tool, arguments): (&str, &Value),
    started: Instant,
) -> Result<Duration> {
    while started.elapsed() < PATIENCE {
        if server.call(tool, arguments)?.1 < FROM_INDEX
            && server.call(tool, arguments)?.1 < FROM_INDEX
        {
            return Ok(started.elapsed());
        }
        // A search that looks at every file takes the processors from who makes the index.
        std::thread::sleep(Duration::from_secs(1));
    }
    Err(format!("{tool} is not fast in time"))
}

/// Asks until an answer says nothing of files that were not looked at, and parses none.
fn until_definitions_stand(server: &mut Peer) -> Result<Duration> {
    let (started, asked) = (Instant::now(), json!({"symbol": "mutex_lock"}));
    while started.elapsed() < 3 * PATIENCE {
        let (text, time) = server.call("find_symbol", &asked)?;
        if !text.contains("not looked at") && time < FROM_INDEX {
            return Ok(started.elapsed());
        }
        std::thread::sleep(Duration::from_secs(2));
    }
    Err("the index of definitions does not stand in time".to_owned())
}

/// Waits until nothing is written or removed any more; when that was last done.
fn until_merged(state: &Path) -> Result<Instant> {
    let names = || -> Result<Vec<_>> {
        let list = std::fs::read_dir(state.join("words")).map_err(|e| e.to_string())?;
        let mut names: Vec<_> = list.flatten().map(|entry| entry.file_name()).collect();
        names.sort();
        Ok(names)
    };
    let (mut known, mut since) = (names()?, Instant::now());
    let started = Instant::now();
    while since.elapsed() < Duration::from_secs(20) && started.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_secs(1));
        let now = names()?;
        if now != known {
            (known, since) = (now, Instant::now());
        }
    }
    Ok(since)
}

fn ours(server: &mut Peer, tool: &str, arguments: &Value) -> Result<(Duration, String)> {
    let calls: Result<Vec<(String, Duration)>> =
        (0..CALLS).map(|_| server.call(tool, arguments)).collect();
    let calls = calls?;
    let text = calls.first().map(|(text, _)| text.clone()).unwrap_or_default();
    Ok((quantiles(calls.into_iter().map(|(_, time)| time).collect()).0, text))
}

fn theirs(tree: &Path, line: &str) -> Result<Duration> {
    let mut times = Vec::new();
    for _ in 0..5 {
        let started = Instant::now();
        // Searches end with 1 if there is nothing.
        let line = format!("cd '{}' && {line} >/dev/null; [ $? -le 1 ]", tree.display());
        output("sh", &["-c", &line])?;
        times.push(started.elapsed());
    }
    Ok(quantiles(times).0)
}

fn row(what: String, ours: Duration, peer: Option<(Duration, &str)>, most: Target) -> Figure {
    Figure {
        what,
        ours: ms(ours),
        peer: peer.map_or(String::new(), |(time, who)| format!("{}, {who}", ms(time))),
        ratio: peer.map(|(time, _)| over(ours, time)),
        target: most.map_or("", |(_, words)| words),
        met: most.map(|(most, _)| ours.as_secs_f64() * 1000.0 <= most),
    }
}

/// What is resident of a server in MiB: its own memory, and all.
pub(super) fn memory(server: &mut Peer) -> Result<(u64, u64)> {
    let status = format!("/proc/{}/status", server.id());
    let text = std::fs::read_to_string(&status).map_err(|e| format!("{status}: {e}"))?;
    let of = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok())
            .unwrap_or_default()
            >> 10
    };
    Ok((of("RssAnon:"), of("VmRSS:")))
}
