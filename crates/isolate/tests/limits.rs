//! Work that ends well, and work that would end or stall its process.

#![expect(
    clippy::disallowed_methods,
    reason = "tests look at real files, and stop where something is missing"
)]

use std::io::Write as _;
use std::time::{Duration, Instant};

use isolate::{Ended, Limits, run};

fn limits() -> Limits {
    Limits { memory: 64 << 20, time: Duration::from_secs(2), output: 1 << 20 }
}

fn never() -> bool {
    false
}

#[test]
fn a_result_comes_back_whole() {
    let bytes: Vec<u8> = (0..1 << 20).map(|n| n as u8).collect();
    assert_eq!(run(&limits(), &never, || bytes.clone()).unwrap(), bytes);
    assert_eq!(run(&limits(), &never, Vec::new).unwrap(), b"");
}

#[test]
fn what_would_end_the_process_ends_the_child() {
    fn deep(n: u64) -> u64 {
        if n == 0 { 0 } else { std::hint::black_box([n; 64]).iter().sum::<u64>() + deep(n - 1) }
    }
    let stack: Box<dyn FnOnce() -> Vec<u8>> = Box::new(|| vec![deep(u64::MAX) as u8]);
    let memory: Box<dyn FnOnce() -> Vec<u8>> = Box::new(|| vec![1; 512 << 20]);
    let panic: Box<dyn FnOnce() -> Vec<u8>> = Box::new(|| panic!("on purpose"));
    let exit: Box<dyn FnOnce() -> Vec<u8>> = Box::new(|| std::process::abort());
    for work in [stack, memory, panic, exit] {
        let ended = run(&limits(), &never, work).unwrap_err();
        assert!(matches!(ended, Ended::Crashed), "{ended:?}");
    }
}

#[test]
fn what_takes_too_long_or_gives_too_much_is_ended() {
    for busy in [true, false] {
        let began = Instant::now();
        let ended = run(&Limits { time: Duration::from_millis(300), ..limits() }, &never, || {
            loop {
                if !busy {
                    std::thread::sleep(Duration::from_secs(1));
                }
            }
        });
        assert!(matches!(ended, Err(Ended::TooLong)), "{ended:?}");
        assert!(began.elapsed() < Duration::from_secs(2));
    }
    let ended = run(&limits(), &never, || vec![0; 2 << 20]);
    assert!(matches!(ended, Err(Ended::TooLarge)), "{ended:?}");
}

#[test]
fn work_that_nobody_wants_is_ended_at_once() {
    let began = Instant::now();
    let stop = || began.elapsed() > Duration::from_millis(100);
    let long = Limits { time: Duration::from_secs(60), ..limits() };
    let ended = run(&long, &stop, || {
        loop {
            std::hint::spin_loop();
        }
    });
    assert!(matches!(ended, Err(Ended::Stopped)), "{ended:?}");
    assert!(began.elapsed() < Duration::from_secs(2));
}

#[test]
fn the_child_has_nothing_open_and_can_open_nothing() {
    let mut kept = tempfile::tempfile().unwrap();
    let result = run(&limits(), &never, || {
        let wrote = kept.write_all(b"from the child").is_ok();
        let opened = std::fs::File::open("/etc/passwd").is_ok();
        vec![u8::from(wrote), u8::from(opened)]
    });
    assert_eq!(result.unwrap(), [0, 0]);
    assert_eq!(kept.metadata().unwrap().len(), 0);
}

#[test]
fn many_threads_fork_at_once_while_others_allocate() {
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    std::hint::black_box(vec![1_u8; 5000].repeat(3));
                }
            });
        }
        let forks: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    (0..100).all(|n| {
                        let work = || (0..n).flat_map(|n| vec![n as u8; 300]).collect();
                        run(&limits(), &never, work).is_ok_and(|b| b.len() == 300 * n)
                    })
                })
            })
            .collect();
        assert!(forks.into_iter().all(|fork| fork.join().unwrap()));
        done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}
