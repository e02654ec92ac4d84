//! Where a file is no valid code of its language.

use tree_sitter::Node;

use crate::parsed::Parsed;

/// Places that are told of one file.
const MOST: usize = 50;

/// A place that is no valid code, as far as the grammar knows the language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// Its line, from 1.
    pub line: usize,
    /// The last line that the grammar made nothing of.
    pub end: usize,
    /// What is missing there, if that is what is wrong.
    pub missing: Option<String>,
}

impl Parsed<'_> {
    /// Every place that is no valid code, in the order of the file; at most the first 50.
    pub fn broken(&self) -> Vec<Broken> {
        let mut found = Vec::new();
        let mut open = vec![self.tree.root_node()];
        while let Some(node) = open.pop() {
            if found.len() >= MOST {
                break;
            }
            let (line, end) = (node.start_position().row + 1, node.end_position().row + 1);
            if node.is_missing() {
                found.push(Broken { line, end, missing: Some(node.kind().to_owned()) });
            } else if node.is_error() {
                found.push(Broken { line, end, missing: None });
            } else if self.language.row().indents {
                let odd = odd_line(node, &self.source);
                found.extend(odd.map(|line| Broken { line, end: line, missing: None }));
            }
            if node.has_error() || self.language.row().indents {
                let mut walk = node.walk();
                let children: Vec<Node<'_>> = node.children(&mut walk).collect();
                open.extend(children.into_iter().rev());
            }
        }
        found.sort_by_key(|broken| broken.line);
        found.dedup_by_key(|broken| broken.line);
        found
    }
}

/// The first line in a block that begins elsewhere than the block, or the line of a block that has
/// nothing in it; the grammar takes both.
fn odd_line(node: Node<'_>, source: &[u8]) -> Option<usize> {
    if !matches!(node.kind(), "block" | "module") {
        return None;
    }
    let mut walk = node.walk();
    let parts: Vec<Node<'_>> =
        node.named_children(&mut walk).filter(|part| !part.is_extra()).collect();
    let Some(first) = parts.first() else {
        return (node.kind() == "block").then(|| node.start_position().row + 1);
    };
    let column = first.start_position().column;
    let odd = parts.windows(2).find(|pair| {
        let (above, part) = (pair[0].end_position(), pair[1].start_position());
        // A form feed is no indentation.
        let indent = &source[pair[1].start_byte() - part.column..pair[1].start_byte()];
        let indent = indent.iter().filter(|byte| **byte != b'\x0c').count();
        part.row > above.row && indent != column
    });
    odd.map(|pair| pair[1].start_position().row + 1)
}
