//! Searching and finding in tens of thousands of files, beside ripgrep and fd.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;

use super::peer::{Kind, Peer};
use super::{Figure, ms, over, quantiles, scale};
use crate::{Result, output, test};

/// A corpus smaller than this says nothing.
const LEAST_FILES: usize = 20_000;

pub(super) fn measure() -> Result<Vec<Figure>> {
    let bin = tools()?;
    let corpus = corpus()?;
    println!("corpus: {} files of crates' sources", count(&corpus)?);
    let (mut ours, _) = Peer::start(Kind::Kitbag, &corpus)?;
    let nothing = json!({"pattern": "zzz_no_such_word_zzz"});
    scale::until_it_stands(&mut ours, ("grep", &nothing), Instant::now())?;
    let mut figures = Vec::new();
    for (what, pattern) in [
        ("a rare word", "RESOLVE_BENEATH"),
        ("a class without a literal", "[A-Z]{9}_RESUME[A-Z_]*"),
        ("nothing", "zzz_no_such_word_zzz"),
    ] {
        figures.push(grep(&mut ours, &bin, &corpus, what, pattern)?);
    }
    figures.push(find(&mut ours, &bin, &corpus)?);
    Ok(figures)
}

/// Where ripgrep and fd are, installed if they are missing.
pub(crate) fn tools() -> Result<PathBuf> {
    let tools = test::target()?.join("tools");
    for (program, package) in [("rg", "ripgrep"), ("fd", "fd-find")] {
        if !tools.join("bin").join(program).exists() {
            let into = tools.display().to_string();
            // Not as they were locked: searches are held against ripgrep's, and the engine that its
            // 15.2 was locked with misses lines that Kitbag's finds.
            crate::run("cargo", &["install", "--quiet", "--root", &into, package])?;
        }
    }
    Ok(tools.join("bin"))
}

/// Where cargo has unpacked the sources of crates on this machine.
pub(super) fn sources() -> Result<PathBuf> {
    let home = std::env::var("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|_| std::env::var("HOME").map(|h| Path::new(&h).join(".cargo")));
    let home = home.map_err(|_| "neither CARGO_HOME nor HOME is set".to_owned())?;
    Ok(home.join("registry/src"))
}

/// These sources, as often as it takes to have enough files.
fn corpus() -> Result<PathBuf> {
    let sources = sources()?.display().to_string();
    let corpus = test::target()?.join("bench-corpus");
    std::fs::create_dir_all(&corpus).map_err(|e| format!("{}: {e}", corpus.display()))?;
    for copy in 1..=20 {
        if count(&corpus)? >= LEAST_FILES {
            return Ok(corpus);
        }
        let into = corpus.join(copy.to_string()).display().to_string();
        crate::run("cp", &["-r", &sources, &into])?;
    }
    Err(format!("{sources}: too few sources to measure"))
}

fn count(folder: &Path) -> Result<usize> {
    Ok(output("find", &["-H", &folder.display().to_string(), "-type", "f"])?.lines().count())
}

fn grep(ours: &mut Peer, bin: &Path, corpus: &Path, what: &str, pattern: &str) -> Result<Figure> {
    let rg = bin.join("rg").display().to_string();
    let folder = corpus.display().to_string();
    let peer = |_: ()| {
        // The same files: hidden ones too, .gitignore honoured, the same directories left out.
        let line = format!(
            "cd '{folder}' && '{rg}' --no-config --hidden --no-require-git --no-heading -n --sort path \
             -g '!.git' -g '!.hg' -g '!.svn' -g '!node_modules' -g '!vendor' -e '{pattern}' . | sed 's|^\\./||'"
        );
        output("sh", &["-c", &line])
    };
    let plain = |_: ()| {
        let line = format!(
            "cd '{folder}' && '{rg}' --no-config --hidden --no-require-git --no-heading -n \
             -g '!.git' -g '!.hg' -g '!.svn' -g '!node_modules' -g '!vendor' -e '{pattern}' . >/dev/null; true"
        );
        output("sh", &["-c", &line])
    };
    let arguments = json!({"pattern": pattern});
    let (mut a, mut b) = (Vec::new(), Vec::new());
    let mut text = String::new();
    for _ in 0..9 {
        let (found, time) = ours.call("grep", &arguments)?;
        (text, _) = (found, a.push(time));
        let started = Instant::now();
        plain(())?;
        b.push(started.elapsed());
    }
    let theirs = peer(())?;
    let (mine, theirs): (Vec<_>, Vec<_>) = (hits(&text), hits(&theirs));
    if mine != theirs {
        return Err(format!(
            "grep {pattern}: {} lines, ripgrep has {}: not the same answer",
            mine.len(),
            theirs.len()
        ));
    }
    let (mine_time, peer_time) = (quantiles(a).0, quantiles(b).0);
    Ok(figure(
        format!("`grep` for {what}: {} lines, identical", mine.len()),
        mine_time,
        peer_time,
        "ripgrep as a process",
    ))
}

fn hits(text: &str) -> Vec<&str> {
    let mut lines: Vec<_> = text.lines().filter(|l| !l.starts_with('(')).collect();
    lines.sort_unstable();
    lines
}

fn find(ours: &mut Peer, bin: &Path, corpus: &Path) -> Result<Figure> {
    let fd = bin.join("fd").display().to_string();
    let line = format!(
        "cd '{}' && '{fd}' --hidden --no-require-git -E .git -E .hg -E .svn -E node_modules -E vendor --glob 'mutex.rs' . | sed 's|^\\./||' | sort",
        corpus.display()
    );
    let (mut a, mut b) = (Vec::new(), Vec::new());
    let (mut mine, mut theirs) = (String::new(), String::new());
    for _ in 0..9 {
        let (found, time) = ours.call("find", &json!({"pattern": "**/mutex.rs"}))?;
        (mine, _) = (found, a.push(time));
        let started = Instant::now();
        theirs = output("sh", &["-c", &line])?;
        b.push(started.elapsed());
    }
    if hits(&mine) != hits(&theirs) {
        return Err(format!(
            "find: {} paths, fd has {}: not the same answer",
            hits(&mine).len(),
            hits(&theirs).len()
        ));
    }
    let count = hits(&mine).len();
    Ok(figure(
        format!("`find` of a name: {count} paths, identical"),
        quantiles(a).0,
        quantiles(b).0,
        "fd as a process",
    ))
}

fn figure(what: String, ours: Duration, peer: Duration, who: &str) -> Figure {
    let ratio = over(ours, peer);
    Figure {
        what,
        ours: ms(ours),
        peer: format!("{}, {who}", ms(peer)),
        ratio: Some(ratio),
        target: "≤ 1.05 × the peer",
        met: Some(ratio <= 1.05),
    }
}
