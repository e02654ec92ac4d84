//! What an ignore file ignores is what git ignores by it.

#![expect(clippy::disallowed_methods, reason = "git says what is right")]

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use super::patterns::Patterns;

/// Paths with what ignore files care about; a slash at the end is a directory.
const PATHS: &[&str] = &[
    "a",
    "b",
    "ab",
    "ba",
    "aa",
    "a.o",
    "b.o",
    ".a",
    "a b",
    "a ",
    "a-b",
    "[a]",
    "a]",
    "a*",
    "a?",
    "a\\",
    "#a",
    "!a",
    "é",
    "a1",
    "B",
    "d/",
    "d/a",
    "d/b",
    "d/ab",
    "d/a.o",
    "d/d/",
    "d/d/a",
    "d/d/b",
    "d/d/e/",
    "d/d/e/a",
    "d/d/e/a.o",
    "d/e/",
    "d/e/a",
    "e/",
    "e/a",
    "e/d/",
    "e/d/a",
    "a-/",
    "a-/b",
    "da/",
    "da/a",
    "dab/",
    "dab/d/",
    "dab/d/a",
    "^a",
    "a\u{7f}",
    "-",
    "x{a,b}",
    "xa",
];

/// Patterns with a meaning of their own.
const PATTERNS: &[&str] = &[
    "a",
    "/a",
    "a/",
    "d/",
    "/d/",
    "d/a",
    "/d/a",
    "*",
    "*.o",
    "/*",
    "/*\n!/d",
    "*\n!*/\n!a.o",
    "d/*\n!d/a",
    "**/a",
    "d/**",
    "d/**/a",
    "**",
    "/**",
    "**/",
    "d**",
    "d**/a",
    "da**/a",
    "a**",
    "/a**",
    "*/a",
    "d/*/a",
    "*/*",
    "d/?",
    "?",
    "??",
    "[ab]",
    "[!a]",
    "[^a]",
    "[]]",
    "[]a]",
    "[a-]",
    "[-a]",
    "[a-c]",
    "[c-a]",
    "[[:alpha:]]",
    "[[:digit:]a]",
    "a[[:digit:]]",
    "[[:none:]]",
    "[[:alpha]",
    "[a",
    "a[",
    "[",
    "[!",
    "[a\\]",
    "[\\]a]*",
    "\\a",
    "a\\",
    "\\#a",
    "#a",
    "\\!a",
    "!a",
    "a\n!a",
    "!a\na",
    "a ",
    "a\\ ",
    "a  ",
    "a\\  ",
    " a",
    "a\t",
    "a\r",
    "a\r\n",
    "a\\?",
    "a\\*",
    "\\[a]",
    "é",
    "[é]",
    "??\n!?",
    "x{a,b}",
    "x{a}",
    "[a/b]",
    "d[/]a",
    "d?a",
    "d*a",
    "***",
    "d/***/a",
    "***/a",
    "/",
    "//",
    "!",
    "!/",
    "d//a",
    "d/**/",
    "d/**/e",
    "d\\/a",
    "**\\/a",
    "d/**\\/a",
    "[B-a]",
    "[[.a.]]",
    "[a-\\b]",
    "[\\a-b]",
    "\u{feff}a",
    "a\u{0}b",
    "d/d\n!d/d/a",
    "d\n!d",
    ".*",
    "*a*",
    "*a*b",
    "*-*",
    "e/d\n!e/d\n/e/d/a",
    "**/d/a",
    "**/d/**",
    "*/d",
    "/*/d/a",
    "a*\n!a.?\n",
    "[a-b][ab]",
    "[^]a]",
];

fn ours(text: &str, path: &str) -> bool {
    let patterns = Patterns::parse(text.as_bytes());
    let ends = path.match_indices('/').map(|(at, _)| (at, true));
    let own = (!path.ends_with('/')).then_some((path.len(), false));
    let mut all = ends.chain(own);
    // The first thing on the way that is ignored takes all below it along.
    all.any(|(end, is_directory)| {
        patterns.say(&path.as_bytes()[..end], is_directory).unwrap_or(false)
    })
}

fn gits(root: &Path, text: &str) -> Vec<String> {
    fs::write(root.join(".gitignore"), text).unwrap();
    let mut git = Command::new("git");
    git.args(["check-ignore", "--no-index", "-z", "--stdin"]).current_dir(root);
    git.env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", root).stdin(Stdio::piped());
    let mut git = git.stdout(Stdio::piped()).spawn().unwrap();
    let names: Vec<&str> = PATHS.iter().map(|path| path.trim_end_matches('/')).collect();
    git.stdin.take().unwrap().write_all((names.join("\0") + "\0").as_bytes()).unwrap();
    let out = git.wait_with_output().unwrap();
    assert!(out.status.code().is_some_and(|code| code < 2), "{text:?}");
    let out = String::from_utf8(out.stdout).unwrap();
    out.split_terminator('\0').map(str::to_owned).collect()
}

#[test]
fn patterns_mean_what_they_mean_to_git() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    assert!(Command::new("git").args(["init", "-q"]).current_dir(root).status().unwrap().success());
    for path in PATHS {
        match path.strip_suffix('/') {
            Some(path) => fs::create_dir_all(root.join(path)).unwrap(),
            None => {
                fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
                fs::write(root.join(path), "").unwrap();
            }
        }
    }
    let (mut hits, mut differ) = (0, Vec::new());
    let mut check = |text: &str| {
        let gits = gits(root, text);
        let ours = PATHS.iter().filter(|path| ours(text, path));
        let ours: Vec<String> = ours.map(|path| path.trim_end_matches('/').to_owned()).collect();
        hits += gits.len();
        if ours != gits {
            differ.push(format!("{text:?}: ours {ours:?}, git {gits:?}"));
        }
    };
    PATTERNS.iter().for_each(|text| check(text));
    // And what nobody would write.
    let pieces = [
        "a",
        "b",
        "d",
        "e",
        "*",
        "**",
        "?",
        "[ab]",
        "[!a]",
        "[a-",
        "]",
        "/",
        "/",
        "\\",
        ".o",
        " ",
        "!",
        "-",
        "a*",
        "**/",
        "/**",
        "[[:alpha:]]",
        "\n",
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    for _ in 0..600 {
        let text: String = (0..1 + random(6)).map(|_| pieces[random(pieces.len())]).collect();
        check(&text);
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    assert!(hits > 3000, "only {hits} paths were ignored");
}
