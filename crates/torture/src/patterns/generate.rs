//! Patterns: those of a list, and some made at random from what is in the files.

use std::fs;
use std::path::Path;

use crate::answers::Question;
use crate::changes;
use crate::dice::Dice;
use crate::texts;

/// Flags (`i` ignores case, `F` is plain text, `U` goes over lines, `-` is none), a blank, a pattern.
const LIST: &str = include_str!("by_hand.txt");
/// What a pattern may hold anywhere.
const PIECES: &[&str] = &[
    ".",
    r"\w",
    r"\W",
    r"\d",
    r"\s",
    r"\S",
    r"\b",
    r"\B",
    "^",
    "$",
    "[a-z]",
    "[A-Z]+",
    "[^a-z]",
    "[ab]",
    "[[:alpha:]]",
    "[[:^digit:]]",
    "[a-f&&[^b]]",
    r"[\w--_]",
    r"\p{Lu}",
    r"\p{Greek}",
    r"\P{L}",
    r"\pN",
    "(?i:k)",
    "(?i:s)",
    "(?i:alpha)",
    "(?-u:\\w)",
    r"(?-u:\xe9)",
    r"(?-u:[^a])",
    "a*",
    "a+?",
    "a{2}",
    "(ab)+",
    "(?:x|y|)",
    "(|alpha)",
    "(foo|bar|bazaar)",
    "(?P<n>beta)",
    ".*",
    ".+?",
    ".{3}",
    ".{0,5}",
    r"\x41",
    r"\u{130}",
    r"\u{212a}",
    r"\x{17f}",
    r"\t",
    r"\\",
    r"\.",
    r"\b{start}",
    r"\b{end}",
    r"\<",
    r"\>",
    r"\b{start-half}",
    r"\A",
    r"\z",
    "(?m:^)",
    "(?s:.)",
    "(?x: a  b )",
    "(?R:$)",
    "(?U:a+)",
    "é",
    "ß",
    "ſ",
    "İ",
    "K",
    "日",
    "[а-я]",
    r"[^\x00-\x7f]",
    "alpha",
    "_",
    "-",
    " ",
    "::",
    "==",
    "42",
];

/// The patterns of the list.
pub(super) fn by_hand() -> Vec<Question> {
    let asked = |line: &str| {
        let (flags, pattern) = line.split_once(' ').unwrap_or(("-", line));
        Question {
            pattern: pattern.to_owned(),
            literal: flags.contains('F'),
            ignore_case: flags.contains('i'),
            multiline: flags.contains('U'),
            dir: ".".to_owned(),
        }
    };
    LIST.lines().map(asked).collect()
}

/// One at random, most of them such that something may match.
pub(crate) fn at_random(root: &Path, dice: &mut Dice) -> Question {
    let literal = dice.once_in(8);
    let multiline = !literal && dice.once_in(6);
    let mut ignore_case = dice.once_in(4);
    let mut pattern = match literal {
        true => some_text(root, dice, 24),
        false if dice.once_in(4) => soup(dice),
        false => from_text(root, dice, multiline),
    };
    // kit takes no blank pattern, and one with an upper-case letter at its word.
    let of_kit = literal || multiline;
    if of_kit && pattern.trim().is_empty() {
        pattern = "alpha".to_owned();
    }
    if of_kit && pattern.chars().any(char::is_uppercase) {
        ignore_case = false;
    }
    let dir = match dice.below(5) {
        0 => format!("d{}", dice.below(20)),
        _ => ".".to_owned(),
    };
    let dir = if root.join(&dir).is_dir() { dir } else { ".".to_owned() };
    Question { pattern, literal, ignore_case, multiline, dir }
}

/// Some characters in a row of a line, `most` of them.
fn some_text(root: &Path, dice: &mut Dice, most: usize) -> String {
    for _ in 0..20 {
        let file = changes::some_file(root, dice).and_then(|path| fs::read(path).ok());
        let text = String::from_utf8_lossy(&file.unwrap_or_default()).into_owned();
        let lines: Vec<&str> = text.lines().filter(|l| !l.is_empty() && l.len() < 4000).collect();
        if lines.is_empty() {
            continue;
        }
        let line: Vec<char> = dice.pick(&lines).chars().filter(|c| !"\r\0".contains(*c)).collect();
        let from = dice.below(line.len().max(1));
        let part: String = line.iter().skip(from).take(1 + dice.below(most)).collect();
        if !part.is_empty() {
            return part;
        }
    }
    texts::line(dice) + "alpha"
}

/// A text with its characters loosened here and there, and something around it.
fn from_text(root: &Path, dice: &mut Dice, multiline: bool) -> String {
    let part = some_text(root, dice, 14);
    let loose = 1 + dice.below(12);
    let mut pattern: String = part.chars().map(|c| atom(c, loose, dice)).collect();
    for _ in 0..dice.below(3) {
        let other = some_text(root, dice, 8);
        let other: String = other.chars().map(escaped).collect();
        pattern = match dice.below(16) {
            0 => format!(r"\b{pattern}\b"),
            1 => format!("^{pattern}"),
            2 => format!("{pattern}$"),
            3 => format!("(?:{pattern}|{other})"),
            4 => format!("{pattern}.*{other}"),
            5 => format!(r"\w+{pattern}"),
            6 => format!(r"{pattern}\w*"),
            7 => format!("(?i){pattern}"),
            8 => format!("({pattern}){{1,2}}"),
            9 => format!("(?:{pattern})?{other}"),
            10 => format!(r"\s*{pattern}\s*$"),
            11 => format!("[A-Za-z]+{pattern}|^{other}"),
            12 if multiline => format!(r"{pattern}[^\n]*\n{other}"),
            13 if multiline => format!(r"(?s){pattern}.{{0,40}}{other}"),
            14 if multiline => format!(r"{pattern}\s+\w+"),
            12 => format!(r"\B{pattern}"),
            13 => format!("^[^a]*{pattern}"),
            14 => format!("(?-u:{pattern})"),
            _ => format!("{pattern}{}", dice.pick(PIECES)),
        };
    }
    pattern
}

/// Something that matches the character, itself in `loose` of so many cases and one more.
fn atom(c: char, loose: usize, dice: &mut Dice) -> String {
    if dice.below(loose + 1) > 0 {
        return escaped(c);
    }
    let itself = escaped(c);
    match dice.below(13) {
        0 => ".".to_owned(),
        1 if c.is_alphanumeric() => r"\w".to_owned(),
        1 => r"\W".to_owned(),
        2 if c.is_ascii_digit() => r"\d".to_owned(),
        2 if c.is_uppercase() => r"\p{Lu}".to_owned(),
        2 => r"\S".to_owned(),
        3 => format!("[{itself}x-z]"),
        4 => "[^_]".to_owned(),
        5 => format!("{itself}?"),
        6 => format!("{itself}+"),
        7 => format!("{itself}{{1,3}}"),
        8 => format!("{itself}*"),
        9 => format!(r"\x{{{:x}}}", u32::from(c)),
        10 => format!("(?i:{itself})"),
        11 => format!("(?:{itself}|{})", dice.pick(PIECES)),
        _ => format!("[{}{itself}]", if c.is_lowercase() { "A-Z" } else { "a-z" }),
    }
}

/// Pieces of patterns without sense.
fn soup(dice: &mut Dice) -> String {
    let mut pattern = String::new();
    for _ in 0..1 + dice.below(5) {
        pattern += *dice.pick(PIECES);
        match dice.below(14) {
            0 => pattern = format!("({pattern})"),
            1 => pattern += "|",
            2 => pattern = format!("(?i){pattern}"),
            3 => pattern = format!("(?:{pattern})*"),
            _ => {}
        }
    }
    pattern
}

fn escaped(c: char) -> String {
    match c {
        '\n' => r"\n".to_owned(),
        c if r"\.+*?()|[]{}^$#&-~".contains(c) => format!(r"\{c}"),
        c => c.to_string(),
    }
}
