//! How a definition is declared, on one line.

use tree_sitter::Node;

use crate::symbol::{Family, Kind};

/// Most characters of a signature.
const CHARS: usize = 200;
/// Most bytes before a definition that may be keywords of it (`export default async`).
const PREFIX_BYTES: usize = 40;

/// The code of a definition without its body.
pub(crate) fn signature(source: &[u8], node: Node<'_>, kind: Kind) -> String {
    let start = node.start_byte();
    let body = body(node, kind);
    let end = body.map_or(node.end_byte(), |body| body.start_byte().max(start));
    // Four bytes a character at most: what is behind would be cut anyway.
    let end = end.min(start + 4 * CHARS);
    let mut code = [keywords(&source[..start]), &source[start..end]].concat();
    let first = code.iter().position(|b| *b == b'\n').unwrap_or(code.len());
    let opens = code[..first].trim_ascii_end().ends_with(b"{");
    if body.is_none() && (opens || kind.family() != Family::Function) {
        code.truncate(first);
    }
    one_line(&String::from_utf8_lossy(&code))
}

fn body(node: Node<'_>, kind: Kind) -> Option<Node<'_>> {
    let of = |field| node.child_by_field_name(field);
    of("body")
        .or_else(|| of("value")?.child_by_field_name("body"))
        .or_else(|| of("right")?.child_by_field_name("body"))
        .or_else(|| of("type")?.child_by_field_name("body"))
        .or_else(|| of("value").filter(|_| kind == Kind::Macro))
}

/// What is before a definition on its line, if that is only words.
fn keywords(before: &[u8]) -> &[u8] {
    let near = &before[before.len().saturating_sub(PREFIX_BYTES)..];
    let Some(line) = near
        .iter()
        .rposition(|b| *b == b'\n')
        .map(|at| &near[at + 1..])
        .or_else(|| (near.len() == before.len()).then_some(near))
    else {
        return &[];
    };
    let words = line.iter().all(|b| b.is_ascii_lowercase() || matches!(b, b' ' | b'\t'));
    if words { line } else { &[] }
}

fn one_line(code: &str) -> String {
    let mut line = code.split_whitespace().collect::<Vec<_>>().join(" ");
    for end in ["{", "=>", "=", ":", ";", ",", "\\"] {
        line.truncate(line.trim_end_matches(end).trim_end().len());
    }
    if line.chars().count() > CHARS {
        line = line.chars().take(CHARS - 1).chain(['…']).collect();
    }
    line
}
