//! Patterns and files made to keep a search busy.

use super::*;

#[test]
fn no_pattern_keeps_a_search_busy_after_it_was_cancelled() {
    let line = "a".repeat(4 << 20);
    let tree = Tree::new(&[("long.txt", line.as_bytes()), ("short.txt", b"aaa\n")]);
    for pattern in [
        "((((a{10}){10}){10}){10}){10}",
        "(((a{0,10}){0,10}){0,10}){0,4}b",
        "(a?){2000}a{2000}b",
        "(.{0,60}){0,60}x",
    ] {
        let (cancel, began) = (Cancel::default(), Instant::now());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(1500));
                cancel.cancel();
            });
            let _ = super::super::grep(&tree.workspace, &Grep { pattern, ..GREP }, &cancel);
        });
        // A build without optimisation needs a multiple of what the product needs.
        assert!(began.elapsed() < Duration::from_secs(30), "{pattern}: {:?}", began.elapsed());
    }
}

#[test]
fn a_line_too_long_for_a_hard_pattern_is_counted_as_such() {
    let tree = Tree::new(&[("long.txt", "a".repeat(4 << 20).as_bytes())]);
    let found = tree.grep(Grep { pattern: "(.{0,60}){0,60}x", ..GREP }).unwrap();
    assert_eq!((found.hits.len(), found.skipped.too_large), (0, 1));
    let found = tree.grep(Grep { pattern: "a{3}", ..GREP }).unwrap();
    assert_eq!((found.hits.len(), found.skipped.too_large), (1, 0));
}

#[test]
fn a_file_that_grows_faster_than_it_is_read_ends() {
    use std::io::Write as _;
    use std::sync::atomic::{AtomicBool, Ordering};
    const MOST: u64 = 300 << 20;
    let line = "nothing of interest\n".repeat(50_000);
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("grows.log"), &line).unwrap();
    let limits = Limits { file_bytes: 1 << 20, ..Limits::default() };
    let workspace = Workspace::open(dir.path(), &[], limits).unwrap();
    let mut file = fs::File::options().append(true).open(dir.path().join("grows.log")).unwrap();
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let grow = || {
            while !is_done.load(Ordering::Relaxed) && file.metadata().unwrap().len() < MOST {
                file.write_all(line.as_bytes()).unwrap();
            }
        };
        let growing = scope.spawn(grow);
        super::super::grep(&workspace, &Grep { ..GREP }, &Cancel::default()).unwrap();
        is_done.store(true, Ordering::Relaxed);
        growing.join().unwrap();
    });
    assert!(fs::metadata(dir.path().join("grows.log")).unwrap().len() < MOST);
}
