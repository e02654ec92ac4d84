//! A file in pieces.

use expect_test::expect;
use syntax::{CHUNK_LINES, Chunk, Language};

use crate::{GRAMMARS, fixtures, go_on};

/// What holds for the chunks of any source.
pub(crate) fn check(source: &[u8], chunks: &[Chunk]) {
    let mut next = 1;
    let says = |line: &[u8]| line.iter().any(u8::is_ascii_alphanumeric);
    let lines: Vec<&[u8]> = source.split(|b| *b == b'\n').collect();
    for chunk in chunks {
        let (first, last) = (*chunk.lines.start(), *chunk.lines.end());
        assert!(next <= first && first <= last && last <= lines.len(), "{chunk:?}");
        assert!(last - first < CHUNK_LINES, "{chunk:?}");
        assert!(!lines[next - 1..first - 1].iter().any(|l| says(l)), "lost before {chunk:?}");
        next = last + 1;
    }
    assert!(!lines[next - 1..].iter().any(|l| says(l)), "lost at the end");
}

fn show(language: Language, source: &[u8]) -> String {
    let chunks = GRAMMARS.parse(language, source, &go_on).unwrap().chunks().unwrap();
    check(source, &chunks);
    let show = |c: &Chunk| {
        let kind = c.kind.map_or("-", |k| k.as_str());
        let name = c.name.as_deref().unwrap_or("-");
        let container = c.container.as_deref().unwrap_or("-");
        format!("{}-{} {kind} {name} {container} {:?}\n", c.lines.start(), c.lines.end(), c.doc)
    };
    chunks.iter().map(show).collect()
}

#[test]
fn no_line_is_lost_or_in_two_chunks() {
    for (_, language, source) in fixtures() {
        show(language, &source);
    }
}

#[test]
fn functions_and_types_come_with_their_comments() {
    let (_, language, source) =
        fixtures().into_iter().find(|(name, ..)| name == "shapes.rs").unwrap();
    expect![[r#"
        1-7 - - - ""
        9-18 trait Area - "/// Anything with an area."
        20-23 struct Circle - ""
        25-28 enum Shape - ""
        30-32 - - - ""
        33-36 method area Circle ""
        37-39 - - - ""
        40-43 method fmt Shape ""
        46-48 macro square - ""
        50-50 - - - ""
        52-60 function area_of - ""
        62-65 union Bits - ""
        67-69 - - - ""
        71-76 function größe tests ""
    "#]]
    .assert_eq(&show(language, &source));
}

#[test]
fn long_functions_are_cut_and_long_types_give_their_methods() {
    let statement = "        step();\n";
    let source = format!(
        "// Makes.\nclass Maker {{\n    // Does all.\n    void all() {{\n{}    }}\n\n    void none() {{}}\n}}\n",
        statement.repeat(100)
    );
    expect![[r#"
        1-2 class Maker - "// Makes."
        3-82 method all Maker "// Does all."
        83-105 method all Maker "// Does all."
        107-107 method none Maker ""
    "#]]
    .assert_eq(&show(Language::Java, source.as_bytes()));
}
