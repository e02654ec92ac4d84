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

#[cfg(test)]
mod tests {
    use super::*;

    fn now(clock: ClockId) -> i64 {
        let now = rustix::time::clock_gettime(clock);
        now.tv_sec * 1_000_000_000 + now.tv_nsec
    }

    #[test]
    fn the_clock_of_file_systems_is_waited_for_and_not_for_long() {
        for _ in 0..50 {
            let until = now(ClockId::Realtime);
            wait(until);
            assert!(now(ClockId::RealtimeCoarse) >= until);
        }
        let since = Instant::now();
        wait(i64::MAX); // the clock was set back
        assert!(since.elapsed() >= TICK);
    }
}
