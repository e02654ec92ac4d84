#![expect(clippy::disallowed_methods, reason = "tests make real trees and ask the real git")]

mod binding;
mod git;
mod killed;
mod made;
mod properties;
mod reading;
mod v4a;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fault::{Code, Error};

use super::{FileChange, parse};
use crate::journal::{Approved, Direction, Journal, Label, new_id};
use crate::{Limits, State, Workspace};

/// A file system tree as it is compared: files with content and the right to run, links,
/// directories.
type Tree = BTreeMap<Vec<u8>, String>;

struct Place {
    _dir: tempfile::TempDir,
    root: PathBuf,
}

fn place() -> Place {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap().join("root");
    fs::create_dir(&root).unwrap();
    Place { _dir: dir, root }
}

/// Writes files; one whose content begins with `-> ` is a link, one whose name ends in `!` can run.
fn write(root: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = root.join(name.trim_end_matches('!'));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let _ = fs::remove_file(&path);
        match text.strip_prefix("-> ") {
            Some(target) => symlink(target, &path).unwrap(),
            None => fs::write(&path, text).unwrap(),
        }
        if name.ends_with('!') {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
}

fn tree(root: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name() == Some(OsStr::new(".git")) {
                continue;
            }
            let meta = fs::symlink_metadata(&path).unwrap();
            let name = path.strip_prefix(root).unwrap().as_os_str().as_bytes().to_vec();
            let shown = if meta.is_symlink() {
                format!("-> {}", fs::read_link(&path).unwrap().display())
            } else if meta.is_dir() {
                folders.push(path);
                "directory".to_owned()
            } else {
                let runs = if meta.permissions().mode() & 0o100 != 0 { "!" } else { "" };
                format!("{runs}{}", fs::read(&path).unwrap().escape_ascii())
            };
            tree.insert(name, shown);
        }
    }
    tree
}

fn git(root: &Path, args: &[&str], input: &[u8]) -> Result<Vec<u8>, String> {
    use std::io::Write as _;
    let mut child = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@t", "-c", "core.autocrlf=false"])
        .args(args)
        .current_dir(root)
        .env("HOME", root.parent().unwrap())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CEILING_DIRECTORIES", root.parent().unwrap())
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // It may end without reading all.
    let _ = stdin.write_all(input);
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

fn journal(place: &Place) -> Journal {
    let state = State::new(place.root.parent().unwrap().join("state"));
    Journal::new(state, place.root.clone(), new_id(), false, Vec::new())
}

/// Applies a diff; a failure must leave the tree as it was, a success must be undone without trace.
fn apply(place: &Place, diff: &[u8]) -> Result<Vec<FileChange>, Error> {
    let before = tree(&place.root);
    let workspace = Workspace::open(&place.root, &[], Limits::default()).unwrap();
    let journal = journal(place);
    let set = parse(diff)?;
    let preview = set.preview(&workspace, ".", None);
    assert_eq!(tree(&place.root), before, "a preview changes nothing");
    let label = Label { tool: "patch".into(), ..Label::default() };
    let step = journal.begin(&workspace, label, Approved::default());
    let result = set.apply(&step, ".", None);
    if result.is_err() {
        assert_eq!(tree(&place.root), before, "nothing is touched before all is worked out");
        step.roll_back().unwrap();
        return result;
    }
    assert_eq!(preview.as_ref(), result.as_ref());
    let after = tree(&place.root);
    if step.keep().unwrap().is_some() {
        journal.turn(&workspace, Direction::Undo, None).unwrap();
        assert_eq!(tree(&place.root), before, "undone");
        journal.turn(&workspace, Direction::Redo, None).unwrap();
        assert_eq!(tree(&place.root), after, "redone");
    }
    result
}

/// The same files in a place for git and in one for us.
fn both(files: &[(&str, &str)]) -> (Place, Place) {
    let (theirs, ours) = (place(), place());
    write(&theirs.root, files);
    write(&ours.root, files);
    (theirs, ours)
}

/// Both apply it, with the same result.
#[track_caller]
fn same(files: &[(&str, &str)], diff: &str) -> Vec<FileChange> {
    let (theirs, ours) = both(files);
    let said = git(&theirs.root, &["apply", "-"], diff.as_bytes());
    assert!(said.is_ok(), "git: {said:?}");
    let result = apply(&ours, diff.as_bytes());
    assert!(result.is_ok(), "ours: {}", result.unwrap_err());
    assert_eq!(tree(&ours.root), tree(&theirs.root));
    result.unwrap()
}

/// Git refuses it, and so do we, saying why.
#[track_caller]
fn refused(files: &[(&str, &str)], diff: &str, code: Code, words: &[&str]) -> String {
    let (theirs, _) = both(files);
    assert!(git(&theirs.root, &["apply", "-"], diff.as_bytes()).is_err(), "git takes it");
    refused_by_us(files, diff, code, words)
}

/// We refuse it, whatever git does.
#[track_caller]
fn refused_by_us(files: &[(&str, &str)], diff: &str, code: Code, words: &[&str]) -> String {
    let (_, ours) = both(files);
    let error = apply(&ours, diff.as_bytes()).unwrap_err();
    assert_eq!(error.code, code, "{error}");
    for word in words {
        assert!(error.message.contains(word), "{word:?} is not in: {error}");
    }
    error.message
}

/// Git refuses it or does something else; we make this of it, and leave the other files alone.
#[track_caller]
fn more_than_git(files: &[(&str, &str)], diff: &str, expected: &[(&str, &str)]) -> Vec<FileChange> {
    let (theirs, ours) = both(files);
    let said = git(&theirs.root, &["apply", "-"], diff.as_bytes());
    let result = apply(&ours, diff.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
    let wanted = place();
    write(&wanted.root, expected);
    assert_eq!(tree(&ours.root), tree(&wanted.root));
    assert!(said.is_err() || tree(&theirs.root) != tree(&ours.root), "git does the same");
    result
}

fn numbers(from: usize, to: usize) -> String {
    (from..=to).map(|n| format!("{n}\n")).collect()
}
