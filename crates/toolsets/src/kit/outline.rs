//! What a long file defines, line by line, instead of its text.

use syntax::{Outline, Symbol};

/// Deepest level that is shown: a type and what is in it.
const LEVELS: usize = 2;

/// Each definition with its lines, in about `bytes`: of all levels, else of the first one, else the
/// first of those. `None` if there are none.
pub(super) fn outline(symbols: Vec<Symbol>, bytes: usize) -> Option<String> {
    let tree = syntax::outline(symbols);
    let mut text = String::new();
    for levels in (1..=LEVELS).rev() {
        text.clear();
        add(&tree, 0, levels, &mut text);
        if text.len() <= bytes {
            return (!text.is_empty()).then_some(text);
        }
    }
    let head = files::text::head(&text, tree.len(), bytes);
    let (shown, all) = (head.lines, tree.len());
    Some(format!("{}\n[{shown} of {all}; search finds the others by name]\n", head.text))
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
