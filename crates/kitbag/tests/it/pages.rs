//! The `console` blocks of the README and the guide, run as they are written: page by page, in
//! order, each page in a directory of its own. Below a command is what it prints; `[..]` is any text.

use std::path::{Path, PathBuf};
use std::process::Command;

use toolkit::testing::fits;

use crate::place::{Place, Ran};

/// Commands that are not run here: `cargo xtask test` runs the first and is the second, the others
/// install Kitbag or need a host.
const ELSEWHERE: &[&str] = &[
    "cargo run --release -- demo",
    "cargo xtask test",
    "cargo install --path crates/kitbag",
    "claude mcp add kitbag -- kitbag serve --root . --policy auto",
];

/// The commands of a page, each with what it prints.
fn commands(page: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        match (line, line.strip_prefix("$ "), found.last_mut()) {
            ("```console", ..) => inside = true,
            ("```", ..) => inside = false,
            _ if !inside => {}
            (_, Some(command), _) => found.push((command.to_owned(), String::new())),
            (_, None, Some((_, printed))) => *printed += &format!("{line}\n"),
            (_, None, None) => panic!("output before the first command: {line}"),
        }
    }
    found
}

#[test]
fn what_fits_what_was_written() {
    for (written, text, right) in [
        ("a\n", "a\n", true),
        ("a\n", "a\nb\n", false),
        ("a[..]c", "abc", true),
        ("a[..]c", "abd", false),
        ("[..]b[..]", "abc", true),
        ("", "x", false),
    ] {
        assert_eq!(fits(text, written), right, "{written:?} {text:?}");
    }
}

#[test]
fn each_step_of_the_demo_shows_what_it_is_held_to() {
    let ran = Place::of_a_newcomer().run(&["demo"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.contains("every step did what it shows"), "{ran:?}");
}

fn run_page(page: &Path) -> usize {
    let place = Place::of_a_newcomer();
    let bin = place.dir.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_kitbag"), bin.join("kitbag")).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let commands = commands(&std::fs::read_to_string(page).unwrap());
    let here = commands.iter().filter(|(command, _)| !ELSEWHERE.contains(&command.as_str()));
    let mut count = 0;
    for (command, written) in here {
        let with_errors = format!("exec 2>&1 < /dev/null\n{command}");
        let mut bash = Command::new("bash");
        bash.args(["-c", &with_errors]).current_dir(place.root()).env("PATH", &path);
        bash.env("HOME", place.dir.path().join("home")).env("TZ", "UTC");
        for (name, value) in place.program(&[]).get_envs() {
            match value {
                Some(value) if name != "KITBAG_ROOT" => bash.env(name, value),
                _ => bash.env_remove(name),
            };
        }
        let ran = Ran::of(bash.output().unwrap());
        let page = page.display();
        assert_eq!(ran.code, Some(0), "{page}: {command}: {ran:?}");
        // A page cannot show that the last line has no end.
        let end = if ran.out.is_empty() || ran.out.ends_with('\n') { "" } else { "\n" };
        assert!(
            fits(&(ran.out.clone() + end), written),
            "{page}: $ {command}\n{}\nis not\n{written}",
            ran.out
        );
        count += 1;
    }
    count
}

#[test]
fn the_commands_of_readme_and_guide_do_what_the_pages_show() {
    let repository = std::path::absolute("../..").unwrap();
    let guide = std::fs::read_dir(repository.join("docs/guide")).unwrap();
    let mut pages: Vec<PathBuf> = guide.map(|entry| entry.unwrap().path()).collect();
    pages.push(repository.join("README.md"));
    let count: usize = pages.iter().map(|page| run_page(page)).sum();
    assert!(count >= 20, "only {count} commands were run");
}
