//! The clock that file systems stamp with, which ticks every few milliseconds. Like all that happens
//! between fork and exec, waiting for it allocates nothing and takes no lock.

use std::time::{Duration, Instant};

use rustix::time::ClockId;

/// Longer than a tick of the clock of any kernel, and as long as is waited for one: the clock may
/// have been set back.
const TICK: Duration = Duration::from_millis(30);

/// Waits until the coarse clock, which file systems stamp with, reaches `until`; usually it already
/// has.
pub(super) fn wait(until: i64) {
    let since = Instant::now();
    loop {
        let now = rustix::time::clock_gettime(ClockId::RealtimeCoarse);
        if now.tv_sec * 1_000_000_000 + now.tv_nsec >= until || since.elapsed() >= TICK {
            return;
        }
        std::thread::sleep(Duration::from_micros(200));
    }
}
