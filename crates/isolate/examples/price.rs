//! What a child costs, by the memory that its parent holds: `cargo run --release -p kitbag-isolate
//! --example price`.

#![expect(clippy::print_stdout, reason = "it prints its result")]

use std::time::{Duration, Instant};

fn main() -> Result<(), isolate::Ended> {
    let limits = isolate::Limits::default();
    let mut held: Vec<Vec<u8>> = Vec::new();
    for megabytes in [20, 300] {
        let missing = megabytes - held.iter().map(Vec::len).sum::<usize>() / (1 << 20);
        // In pieces, as a server holds it: one large piece would get large pages.
        held.extend((0..missing * 16).map(|n| vec![n as u8 | 1; 64 << 10]));
        let mut times: Vec<(Duration, Duration)> = (0..200)
            .map(|_| {
                let began = Instant::now();
                isolate::run(&limits, &|| false, || b"done".to_vec())?;
                let child = began.elapsed();
                // Pages that the parent writes for the first time after a fork are copied.
                let began = Instant::now();
                held.iter_mut().take(160).for_each(|piece| piece[..32 << 10].fill(2));
                Ok((child, began.elapsed()))
            })
            .collect::<Result<_, isolate::Ended>>()?;
        times.sort_unstable();
        let (child, copies) = times[times.len() / 2];
        let slow = times[times.len() * 95 / 100].0;
        println!(
            "{megabytes} MB resident: a child takes {child:.2?} (p95 {slow:.2?}); \
             writing 5 MB afterwards {copies:.2?}"
        );
    }
    Ok(())
}
