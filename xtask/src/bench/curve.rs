//! What one changed file costs in trees of 1,000, 10,000 and 100,000 files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::peer::Peer;
use super::{Figure, ms, quantiles, scale};
use crate::{Result, test};

const SIZES: [usize; 3] = [1000, 10_000, 100_000];
/// Calls of each kind, each after a change.
const CALLS: usize = 9;
/// Files of a directory.
const IN_DIRECTORY: usize = 50;

pub(super) fn measure() -> Result<Vec<Figure>> {
    let mut rows = Vec::new();
    for files in SIZES {
        rows.extend(of_size(files)?);
    }
    Ok(rows)
}

fn of_size(files: usize) -> Result<Vec<Figure>> {
    let place = test::target()?.join(format!("curve/{files}"));
    let (tree, state) = (place.join("tree"), place.join("state"));
    if !tree.join(".git/refs/heads/main").exists() {
        generate(&tree, files)?;
    }
    let _ = std::fs::remove_dir_all(&state); // the first run has none
    let (mut fiz, mut floyd) =
        (scale::start("fiz", &tree, &state)?, scale::start("floyd", &tree, &state)?);
    let built = build(&mut fiz, &state)?;
    let row =
        |what: &str, ours: String| Figure::alone(format!("{files} files: {what}"), ours, "", None);
    let mut rows = vec![row("until the index of words is written", ms(built))];
    let word = json!({"pattern": "changed_word"});
    let of_fiz: [(&str, Value); 3] = [
        ("grep", word),
        ("find", json!({"pattern": "**/f7.rs"})),
        ("bash", json!({"command": "true"})),
    ];
    for (tool, arguments) in &of_fiz {
        let time = after_changes(&mut fiz, tool, arguments, &tree)?;
        rows.push(row(&format!("`{tool}` after a file changed"), ms(time)));
    }
    let time = after_changes(&mut floyd, "git_status", &json!({}), &tree)?;
    rows.push(row("`git_status` after a file changed", ms(time)));
    let (own, all) = scale::memory(&mut fiz)?;
    rows.push(row("memory of the server", format!("{all} MiB, of which {own} are its own")));
    let disk = scale::on_disk(&state)? as f64 / 1e6;
    rows.push(row("the index on the disk", format!("{disk:.1} MB")));
    Ok(rows)
}

/// A repository of so many files of two kilobytes, with everything committed.
fn generate(tree: &Path, files: usize) -> Result {
    let at = |path: &Path, e: std::io::Error| format!("{}: {e}", path.display());
    for number in 0..files {
        let path = file(tree, number);
        let mut text = String::new();
        for line in 0..30 {
            let (a, b) = (number * 31 + line, number % 997 + line * 13);
            let _ = writeln!(text, "fn name_{a}(x: u32) -> u32 {{ word_{b}(x) + {line} }}");
        }
        let dir = path.parent().unwrap_or(tree);
        std::fs::create_dir_all(dir).map_err(|e| at(dir, e))?;
        std::fs::write(&path, text).map_err(|e| at(&path, e))?;
    }
    scale::in_shell(
        tree,
        "git init -q -b main && git add -A && git -c user.name=bench -c user.email=bench@localhost commit -qm all",
    )
}

fn file(tree: &Path, number: usize) -> PathBuf {
    let dir = number / IN_DIRECTORY;
    tree.join(format!("d{}/e{}/f{}.rs", dir % 20, dir / 20, number % IN_DIRECTORY))
}

/// The time until the first segment of the index of words is there, with a search every so often.
fn build(fiz: &mut Peer, state: &Path) -> Result<Duration> {
    let started = Instant::now();
    let has_segment = || {
        let files = std::fs::read_dir(state.join("words")).into_iter().flatten().flatten();
        files.filter_map(|file| file.metadata().ok()).any(|meta| meta.len() > 0)
    };
    while started.elapsed() < scale::PATIENCE {
        fiz.call("grep", &json!({"pattern": "zzz_no_such_word_zzz"}))?;
        if has_segment() {
            return Ok(started.elapsed());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Err("no index of words was written".to_owned())
}

/// The median of some calls, each of which comes after one file was changed; the calls before it see
/// that there is a view.
fn after_changes(
    server: &mut Peer,
    tool: &str,
    arguments: &Value,
    tree: &Path,
) -> Result<Duration> {
    for _ in 0..3 {
        server.call(tool, arguments)?;
        std::thread::sleep(Duration::from_millis(300));
    }
    let mut times = Vec::new();
    for call in 0..CALLS {
        let path = file(tree, call * 37);
        let text = format!("fn changed_word_{call}() {{ {tool}_{} }}\n", std::process::id());
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
        times.push(server.call(tool, arguments)?.1);
    }
    Ok(quantiles(times).0)
}
