//! A page as text.

use std::fmt::Write as _;

use browser::Node;

/// A part of a page in a line, and what is in it below: `button Send [e12]`; text as it is.
pub(super) fn show(node: &Node, depth: usize, text: &mut String) {
    let mut line = " ".repeat(depth);
    line += match node.role.as_str() {
        "text" => &node.name,
        role => role,
    };
    if node.role != "text" && !node.name.is_empty() {
        let _ = write!(line, " {}", node.name);
    }
    for (name, value) in &node.attributes {
        let _ = match *name {
            "ref" => write!(line, " [{value}]"),
            name if value == "true" => write!(line, " {name}"),
            name => write!(line, " {name}={value}"),
        };
    }
    text.push_str(&line);
    text.push('\n');
    node.children.iter().for_each(|child| show(child, depth + 1, text));
}
