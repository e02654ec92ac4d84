//! Comments and the functions that they stand before: what was meant, in words and in code.

use std::path::Path;

use syntax::{Family, Grammars, Language};

/// A function with the first sentence of its comment.
#[derive(Clone, Debug)]
pub(crate) struct Commented {
    /// Its path below the directory that was looked through.
    pub(crate) path: String,
    pub(crate) language: Language,
    /// The name of the function.
    pub(crate) name: String,
    /// The first sentence of the comment.
    pub(crate) sentence: String,
    /// The lines of the function, from 1, without the comment.
    pub(crate) lines: (usize, usize),
    /// The lines of the comment, from 1; in Python they stand in the function.
    pub(crate) comment: (usize, usize),
}

/// Fewest and most words of a sentence that says something.
const WORDS: std::ops::RangeInclusive<usize> = 5..=40;
/// A shorter function is nothing that one would search for.
const FEWEST_LINES: usize = 4;

/// The commented functions of a source file.
pub(crate) fn commented(
    grammars: &Grammars,
    path: &Path,
    shown: &str,
    text: &str,
) -> Vec<Commented> {
    let Some(language) = Language::of(&path.to_string_lossy(), text.as_bytes()) else {
        return Vec::new();
    };
    let lines: Vec<&str> = text.lines().collect();
    let Ok(parsed) = grammars.parse(language, text.as_bytes(), &|| false) else {
        return Vec::new();
    };
    let symbols = parsed.symbols().unwrap_or_default();
    let functions = symbols.into_iter().filter(|s| s.kind.family() == Family::Function);
    let mut found = Vec::new();
    for symbol in functions {
        let (start, end) = (symbol.start_line, symbol.end_line.min(lines.len()));
        let comment = match language {
            Language::Python => inside(&lines, start, end),
            _ => before(&lines, start),
        };
        let Some(comment) = comment else { continue };
        let sentence = first_sentence(&lines[comment.0 - 1..comment.1]);
        let inside = if language == Language::Python { comment.1 + 1 - comment.0 } else { 0 };
        if end + 1 < start + FEWEST_LINES + inside || !says_something(&sentence) {
            continue;
        }
        found.push(Commented {
            path: shown.to_owned(),
            language,
            name: symbol.name,
            sentence,
            lines: (start, end),
            comment,
        });
    }
    found
}

/// The comment that ends right above a line, attributes between them aside.
fn before(lines: &[&str], start: usize) -> Option<(usize, usize)> {
    let mut last = start - 1;
    while last > 0 && ["#[", "@"].iter().any(|mark| lines[last - 1].trim().starts_with(mark)) {
        last -= 1;
    }
    let text = lines.get(last.checked_sub(1)?)?.trim();
    let block = text.ends_with("*/");
    let mut first = last;
    while first > 0 {
        let line = lines[first - 1].trim();
        if block && line.starts_with("/*") {
            return Some((first, last));
        }
        if !block && !line.starts_with("//") {
            break;
        }
        first -= 1;
    }
    (!block && first < last).then_some((first + 1, last))
}

/// The string at the beginning of a function of Python.
fn inside(lines: &[&str], start: usize, end: usize) -> Option<(usize, usize)> {
    let opens = |line: &str| ["\"\"\"", "r\"\"\"", "'''"].iter().any(|q| line.starts_with(q));
    let first = (start + 1..=end).find(|at| opens(lines[at - 1].trim()))?;
    if !lines[first - 2].trim_end().ends_with(':') {
        return None;
    }
    let text = lines[first - 1].trim();
    let quotes = if text.contains("'''") { "'''" } else { "\"\"\"" };
    if text.matches(quotes).count() > 1 {
        return Some((first, first));
    }
    let last = (first + 1..=end).find(|at| lines[at - 1].contains(quotes))?;
    Some((first, last))
}

fn first_sentence(comment: &[&str]) -> String {
    let mut text = String::new();
    for line in comment {
        let line = line.trim().trim_start_matches(['/', '*', '!', '"', '\'', 'r']).trim();
        let line = if line.len() < 3 { "" } else { line };
        let line =
            line.trim_end_matches("*/").trim_end_matches("\"\"\"").trim_end_matches("'''").trim();
        if line.is_empty() && text.is_empty() {
            continue;
        }
        if line.is_empty() || line.starts_with('@') || line.starts_with("```") {
            break;
        }
        text.push_str(line);
        text.push(' ');
    }
    let end = text.find(". ").map_or(text.len(), |at| at + 1);
    let mut plain = String::new();
    let mut tag = false;
    for c in text[..end].chars() {
        match c {
            '<' => tag = true,
            '>' => tag = false,
            '`' | '{' | '}' | '*' | '[' | ']' => {}
            c if !tag => plain.push(c),
            _ => {}
        }
    }
    plain.replace("@link", "").replace("@code", "").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn says_something(sentence: &str) -> bool {
    let words = sentence.split_whitespace().filter(|w| w.chars().any(char::is_alphabetic)).count();
    let odd = ["TODO", "eslint", "@", "http", "==", "();", "---", "Copyright", "#region", "=>"];
    let lower = sentence.to_lowercase();
    WORDS.contains(&words)
        && sentence.is_ascii()
        && !odd.iter().any(|word| sentence.contains(word))
        && !["test", "see ", "deprecated", "internal"].iter().any(|start| lower.starts_with(start))
}
