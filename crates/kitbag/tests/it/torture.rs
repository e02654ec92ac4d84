//! A part of `cargo xtask torture`, with seeds that do not change from run to run.

use std::path::{Path, PathBuf};
use std::time::Duration;

/// Runs the scenarios with some seeds; fails with all that was lost.
#[track_caller]
fn holds(only: &[&str], rounds: u64, points: usize) {
    let program = Path::new(env!("CARGO_BIN_EXE_kitbag"));
    let (time, rg) = (Duration::ZERO, &rg());
    let options = torture::Options { program, time, rounds, seed: 1, only, points, rg };
    let report = torture::run(&options, &|_| {}).unwrap();
    for (scenario, why) in &report.skipped {
        crate::place::skipped(&format!("{scenario}: {why}"));
    }
    assert!(report.failures.is_empty(), "{}\n{}", report.failures.join("\n"), report.summary());
    let cases: usize = report.counts.values().map(|[cases, ..]| cases).sum();
    assert!(cases >= only.len() * rounds as usize, "too little was tried: {}", report.summary());
}

/// Where `cargo xtask test` installs ripgrep.
fn rg() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_kitbag"));
    program.ancestors().nth(2).unwrap().join("tools/bin/rg")
}

#[test]
fn a_call_killed_at_any_system_call_is_done_or_undone() {
    let calls = [
        "kills/call-write",
        "kills/call-create",
        "kills/call-edit",
        "kills/call-patch",
        "kills/call-movefile",
        "kills/call-movefolder",
        "kills/call-deletefile",
        "kills/call-deletefolder",
        "kills/call-copy",
    ];
    holds(&calls, 1, 5);
}

#[test]
fn what_replaced_or_removed_one_file_at_once_is_as_it_was_told() {
    holds(&["fight"], 2, 8);
}

#[test]
fn searches_find_what_ripgrep_finds() {
    if !rg().exists() {
        return crate::place::skipped("ripgrep is not installed: cargo xtask test does that");
    }
    holds(&["patterns"], 1, 1);
}
