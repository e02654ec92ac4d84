//! A clock that is wrong for a while: what was kept stays kept.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::calls::{Setup, name};
use crate::oracle::walk;
use crate::place::{Place, Ran};
use crate::{Result, Round, said};

/// The clock of a program, moved by the seconds in `KITBAG_TORTURE_CLOCK`.
const SHIFT: &str = r#"
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *now) {
    int done = syscall(SYS_clock_gettime, clock, now);
    const char *by = getenv("KITBAG_TORTURE_CLOCK");
    if (clock == CLOCK_REALTIME && by) now->tv_sec += atol(by);
    return done;
}
"#;

const DAY: i64 = 86_400;

pub(crate) fn round(round: &mut Round<'_>) -> Result {
    let place = Place::new(round.program)?;
    let library = match compile(place.dir()) {
        Ok(library) => library,
        Err(why) => {
            round.skipped = Some(format!("the wrong clock cannot be compiled: {why}"));
            return Ok(());
        }
    };
    let setup = Setup::new(&place, round.op, &mut round.dice)?;
    for (about, call, look) in [
        ("40 days ahead", 0, 40 * DAY),
        ("ten years ahead", 0, 3_650 * DAY),
        ("back by 40 days", 0, -40 * DAY),
        ("in 1970 for the call alone", -20_000 * DAY, 0),
        ("40 days ahead for the call alone", 40 * DAY, 0),
    ] {
        setup.restore(&place)?;
        let op = name(round.op);
        let came = case(&place, &setup, &library, call, look);
        round.case(|| format!("{op}, clock {about}"), came);
    }
    Ok(())
}

fn case(place: &Place, setup: &Setup, library: &Path, call: i64, look: i64) -> Result {
    let at = |words: &[String], by: i64| -> Result<Ran> {
        let mut command = place.command(words);
        command.env("LD_PRELOAD", library).env("KITBAG_TORTURE_CLOCK", by.to_string());
        let ran = command.stdin(Stdio::null()).output().map(Ran::of).map_err(said)?;
        if ran.ok() { Ok(ran) } else { Err(format!("{:?} failed, {}", words[0], ran.text())) }
    };
    at(&setup.words, call)?;
    let before = place.log()?.len();
    at(&["log".to_owned()], look)?;
    at(&["doctor".to_owned()], look)?;
    place.must(&["log"])?;
    let after = place.log()?.len();
    if before != after {
        return Err(format!("of {before} calls in the journal, {after} are left"));
    }
    let top =
        if setup.turn == crate::calls::Turn::Call { setup.to } else { setup.states.len() - 1 };
    walk(place, &setup.states, setup.to, top)
}

fn compile(dir: &Path) -> Result<PathBuf> {
    let (source, library) = (dir.join("clock.c"), dir.join("clock.so"));
    std::fs::write(&source, SHIFT).map_err(said)?;
    let mut compiler = Command::new("cc");
    let out = compiler.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).output();
    let out = out.map_err(|e| format!("cc: {e}"))?;
    if out.status.success() { Ok(library) } else { Err(Ran::of(out).text()) }
}
