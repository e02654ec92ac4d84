//! What a long file defines, line by line, instead of its text.

use syntax::{Outline, Symbol};

/// Deepest level that is shown: a type and what is in it.
const LEVELS: usize = 2;

/// Each definition with its lines, as many as `bytes` hold: of all levels, else of the first one.
/// `None` if not even those fit.
pub(super) fn outline(symbols: Vec<Symbol>, bytes: usize) -> Option<String> {
    let tree = syntax::outline(symbols);
    (1..=LEVELS).rev().find_map(|levels| {
        let mut text = String::new();
        add(&tree, 0, levels, &mut text);
        (!text.is_empty() && text.len() <= bytes).then_some(text)
    })
}

fn add(tree: &[Outline], level: usize, levels: usize, text: &mut String) {
    for Outline { symbol, children } in tree {
        let Symbol { start_line, end_line, signature, .. } = symbol;
        *text += &format!("{:level$}{start_line}-{end_line} {signature}\n", "");
        if level + 1 < levels {
            add(children, level + 1, levels, text);
        }
    }
}
