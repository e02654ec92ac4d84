use std::io::Read as _;

use fault::Code;

use super::Partial;
use crate::state::State;

#[test]
fn what_came_is_there_the_next_time_with_its_version() {
    let dir = tempfile::tempdir().unwrap();
    let state = State::new(dir.path());
    let mut part = Partial::open(&state, "a").unwrap();
    assert_eq!((part.length(), part.version()), (0, None));
    part.restart(Some("\"v1\"")).unwrap();
    part.append(b"one").unwrap();
    assert_eq!(Partial::open(&state, "a").unwrap_err().code, Code::FileBusy);
    drop(part);
    let mut part = Partial::open(&state, "a").unwrap();
    assert_eq!((part.length(), part.version().as_deref()), (3, Some("\"v1\"")));
    part.append(b"two").unwrap();
    let path = part.path.clone();
    let mut text = String::new();
    std::fs::File::open(&path).unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "onetwo");
    part.restart(None).unwrap();
    assert_eq!((part.length(), part.version()), (0, None));
    part.discard();
    assert!(!path.exists());
}

#[test]
fn what_nobody_went_on_with_for_a_week_goes() {
    let dir = tempfile::tempdir().unwrap();
    let state = State::new(dir.path());
    let mut part = Partial::open(&state, "a").unwrap();
    part.append(b"x").unwrap();
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(8 * 86_400);
    part.file().set_modified(long_ago).unwrap();
    let path = part.path.clone();
    drop(part);
    Partial::open(&state, "b").unwrap().discard();
    assert!(!path.exists());
}
