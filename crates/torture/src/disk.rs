//! A full disk below the root, the state directory, or both.

#![expect(unsafe_code, reason = "mounts that nobody else sees")]

use std::fs;
use std::path::Path;

use crate::calls::{Setup, name};
use crate::dice::Dice;
use crate::faults::judge;
use crate::place::{Place, is_root, system};
use crate::{Result, Round, said};

pub(crate) fn round(round: &mut Round<'_>) -> Result {
    if !is_root()? {
        round.skipped = Some("only root can mount small file systems".into());
        return Ok(());
    }
    // The mounts belong to this thread, and go with it.
    std::thread::scope(|scope| {
        let small = scope.spawn(|| in_own_mounts(round));
        small.join().unwrap_or_else(|_| Err("panicked".into()))
    })
}

fn in_own_mounts(round: &mut Round<'_>) -> Result {
    // SAFETY: a system call without memory; it concerns this thread and what it starts.
    if unsafe { libc::unshare(libc::CLONE_NEWNS) } != 0 {
        round.skipped = Some(format!("no mounts of its own: {}", std::io::Error::last_os_error()));
        return Ok(());
    }
    system("mount", &["--make-rprivate", "/"])?;
    let place = Place::new(round.program)?;
    let (small, full): (&[&str], &str) = match round.dice.below(3) {
        0 => (&["root"], "root"),
        1 => (&["state"], "state"),
        _ => (&["root", "state"], if round.dice.once_in(2) { "root" } else { "state" }),
    };
    for name in small {
        let target = place.dir().join(name).display().to_string();
        system("mount", &["-t", "tmpfs", "-o", "size=16m", "torture", &target])?;
    }
    let came = cases(round, &place, full);
    for name in small {
        system("umount", &["-l", &place.dir().join(name).display().to_string()])?;
    }
    came
}

fn cases(round: &mut Round<'_>, place: &Place, full: &str) -> Result {
    let setup = Setup::new(place, round.op, &mut round.dice)?;
    for _ in 0..round.points {
        let mut dice = Dice::new(round.dice.next());
        setup.restore(place)?;
        // A page at a time around what a call needs.
        let most = if dice.once_in(2) { 16 } else { 160 };
        let free = dice.below(most) * 4096;
        let filler = place.dir().join(full).join("filler");
        fill(&filler, free)?;
        let ran = place.run(&setup.words)?;
        fs::remove_file(&filler).map_err(said)?;
        let came = judge(place, &setup, &ran, true, &mut dice);
        let came = came.map_err(|lost| format!("{lost}; it had said {}", ran.text()));
        let op = name(round.op);
        round.case(|| format!("{op}, {} KiB free below the {full}", free >> 10), came);
    }
    Ok(())
}

/// Fills a file system until `free` bytes are left.
fn fill(filler: &Path, free: usize) -> Result {
    use std::io::Write as _;
    let mut file = fs::File::create(filler).map_err(said)?;
    let page = [0; 4096];
    let mut size = 0_u64;
    while file.write_all(&page).is_ok() {
        size += page.len() as u64;
    }
    file.set_len(size.saturating_sub(free as u64)).map_err(said)
}
