//! What languages say that their grammars do not know yet, and what has the same effect there.
//!
//! The one place for that: a code that is only invalid for its being new is parsed again with these
//! words painted over. A row goes when the grammar has learnt it.

use std::sync::OnceLock;

use regex::bytes::Regex;

use crate::languages::Language;

/// Languages, a pattern, and what its first group is painted over with.
type Row = (&'static [Language], &'static str, &'static str);

const SCRIPT: &[Language] = &[Language::JavaScript, Language::TypeScript, Language::Tsx];
const TYPED: &[Language] = &[Language::TypeScript, Language::Tsx];
const CPP: &[Language] = &[Language::Cpp];
const C: &[Language] = &[Language::C];
const BOTH_C: &[Language] = &[Language::C, Language::Cpp];
const RUST: &[Language] = &[Language::Rust];
const JAVA: &[Language] = &[Language::Java];

const ROWS: [Row; 35] = [
    (RUST, r"\b(safe)\s+(?:fn|static)\b", ""),
    (RUST, r"\b(gen)\s+(?:fn\b|move\b|\{)", ""),
    (RUST, r"\bimpl\b[^{;]*?\s(const)\s+[A-Z]", ""),
    (RUST, r"\b(async)\s+Fn(?:Mut|Once)?\s*\(", ""),
    // Default values of parameters of types.
    (
        &[Language::Python],
        r"(?m)^[ \t]*(?:async +)?(?:def|class|type)\s+\w+(\[[^(\n]*?\])\s*[(:=]",
        "",
    ),
    (SCRIPT, r"\b(accessor)\s+[\w#\[$]", ""),
    (SCRIPT, r"\bimport\s+(defer)\s+\*", ""),
    (SCRIPT, r"\bimport\s+(source)\s+\w+\s+from\b", ""),
    (SCRIPT, r"\b((?:await\s+)?using)\s+\w+\s*(?:of\b|=[^=])", "let"),
    (TYPED, r"[<,]\s*((?:in\s+out|in|out))\s+\w", ""),
    (TYPED, r"\bexport\s+(type)\s+\*", ""),
    (TYPED, r#"\b(import\s*\(\s*["'][^"'\n]*["']\s*\))\s*\.\s*\w+\s*<"#, "A"),
    (&[Language::Go], r#"\b(new)\(\s*(?:["'`0-9&-]|\w+\s*[-+*/(])"#, "neu"),
    (JAVA, r"\bimport\s+(module)\s+\w", ""),
    // Statements before it in a constructor.
    (JAVA, r"[;}]\s*(super|this)\s*\(", "sup"),
    (
        &[Language::Ruby],
        r#"\bdef\s+[\w.?!]+(?:\([^)\n]*\))?\s*=\s*(\w+[?!]?\s+["':\w@\[{][^\n]*)"#,
        "0",
    ),
    // Locals of a lambda.
    (&[Language::Ruby], r"->\s*\([^)\n]*?(;[^)\n]*)\)", ""),
    (C, r"(?m)^[ \t]*(#[ \t]*embed\b[^\n]*)$", "0"),
    (C, r"\b(typeof_unqual)\s*\(", "typeof"),
    (C, r"\b(_BitInt\s*\([^)\n]*\))", "int"),
    (C, r"\b(_Thread_local|thread_local)\b", "static"),
    (C, r"(?m)(?:^|[;{}])\s*(?:static\s+|const\s+)*(auto)\s+\w+\s*=", "int"),
    (C, r"\benum\s+\w+\s*(:\s*[\w\s]+?)\{", ""),
    // A head without a type.
    (C, r"(?m)^([a-z_]\w*[ \t]*\([\w\s,]*\))[ \t]*\n(?:[ \t]*[\w*, \t\[\]]+;[ \t]*\n)*\{", "a b()"),
    // A field of bits without a name.
    (BOTH_C, r"[;{/]\s*(?:\w+\s+)*\w+\s*(:\s*\w+)\s*;", "a"),
    // A label with nothing behind it.
    (BOTH_C, r"(?:[;{}:/]|\n)\s*[A-Za-z_]\w*\s*(:)\s*(?:/\*[^/]*\*/\s*)*\}", ";"),
    (BOTH_C, r"\bcase\s[^:;\n]*?(\.\.\.[^:;\n]*):", ""),
    (BOTH_C, r"(__attribute__\s*\(\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)\))", ""),
    (CPP, r"(?m)^[ \t]*((?:export\s+)?(?:module|import)\b[^;\n]*;)", ""),
    (CPP, r"(?m)^[ \t]*(export)\s", ""),
    // A call of an operator, and a value that is made of a call.
    (CPP, r"[;{}]\s*(operator\s*(?:\+\+|--))\s*\([^)]*\)\s*;", "f"),
    (CPP, r"\w\s*\*+\s*\w+(\([\w.>:-]+\(\)\));", ""),
    (CPP, r"\(\s*(this)\s+\w", ""),
    (CPP, r"\bif\s*(!?\s*consteval)\s*\{", "(1)"),
    (CPP, r"\b(static)\s+\w+\s+operator\s*\(\)", ""),
];

/// What paints over the source, for each row that finds something in it. Lines and columns stay.
pub(crate) fn painted(language: Language, source: &[u8]) -> Vec<Painter> {
    static PATTERNS: [OnceLock<Option<Regex>>; ROWS.len()] =
        [const { OnceLock::new() }; ROWS.len()];
    let rows =
        ROWS.iter().zip(&PATTERNS).filter(|((languages, ..), _)| languages.contains(&language));
    let painters = rows.filter_map(|((_, pattern, put), read)| {
        Some(Painter(read.get_or_init(|| Regex::new(pattern).ok()).as_ref()?, put))
    });
    painters.filter(|painter| painter.0.is_match(source)).collect()
}

/// Paints over what one row knows.
pub(crate) struct Painter(&'static Regex, &'static str);

impl Painter {
    pub(crate) fn paint(&self, source: &[u8]) -> Vec<u8> {
        let mut painted = source.to_vec();
        for found in self.0.captures_iter(source) {
            let Some(group) = found.get(1).filter(|group| group.len() >= self.1.len()) else {
                continue;
            };
            let mut put = self.1.bytes();
            for byte in &mut painted[group.range()] {
                let next = put.next().unwrap_or(b' ');
                *byte = if *byte == b'\n' { b'\n' } else { next };
            }
        }
        painted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_can_be_read() {
        for (_, pattern, _) in ROWS {
            assert!(Regex::new(pattern).is_ok_and(|regex| regex.captures_len() == 2), "{pattern}");
        }
    }
}
