//! `cargo xtask torture`: kills, faults and races against the release binary, for minutes or hours.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::{Result, bench, test};

const USAGE: &str = "\
usage: cargo xtask torture MINUTES [--seed N] [--only NAME[,NAME]] [--points N] [--program PATH]

NAME is a scenario, or one of its calls as kills/undo-patch:
";

/// Builds the binary and torments it; an error if anything was lost.
pub(crate) fn run(words: &[&str]) -> Result {
    let [minutes, options @ ..] = words else { return Err(usage()) };
    let minutes: f64 = minutes.parse().map_err(|_| usage())?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let (mut seed, mut only, mut points) = (now.as_secs() % 1_000_000, Vec::new(), 12);
    let mut program = None;
    for pair in options.chunks(2) {
        match pair {
            ["--seed", value] => seed = value.parse().map_err(|_| usage())?,
            ["--points", value] => points = value.parse().map_err(|_| usage())?,
            ["--only", value] => only = value.split(',').collect(),
            ["--program", value] => program = Some((*value).to_owned()),
            _ => return Err(usage()),
        }
    }
    let program = match program {
        Some(program) => program,
        None => {
            crate::run("cargo", &["build", "--release", "--locked", "-p", "kitbag"])?;
            test::release_binary()?
        }
    };
    println!("torture: seed {seed}, {minutes} minutes, {points} points of each call");
    let time = Duration::from_secs_f64(minutes.max(0.0) * 60.0);
    let (program, rg) = (Path::new(&program), bench::tools()?.join("rg"));
    let options = torture::Options { program, time, rounds: 1, seed, only: &only, points, rg: &rg };
    let report = torture::run(&options, &|line| println!("{line}"))?;
    print!("{}", report.summary());
    match report.failures.len() {
        0 => Ok(()),
        lost => Err(format!("{lost} failures")),
    }
}

fn usage() -> String {
    let about = |(name, about): (&str, &str)| format!("  {name:9} {about}\n");
    format!("{USAGE}{}", torture::scenarios().map(about).collect::<String>())
}
