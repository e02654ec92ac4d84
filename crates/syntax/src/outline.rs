//! The symbols of a file as a tree, for maps of a project.

use crate::symbol::Symbol;

/// Deepest level of an outline; what nests deeper is on this level.
pub const OUTLINE_DEPTH: usize = 32;

/// A symbol with what belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// The symbol.
    pub symbol: Symbol,
    /// What is in it, and methods that name it as their type from elsewhere in the file.
    pub children: Vec<Self>,
}

/// The tree of a file's symbols, as [`Parsed::symbols`](crate::Parsed::symbols) gives them.
pub fn outline(symbols: Vec<Symbol>) -> Vec<Outline> {
    let mut symbols = symbols;
    symbols.sort_by_key(|s| (s.bytes.start, std::cmp::Reverse(s.bytes.end)));
    let mut roots = Vec::new();
    let mut open: Vec<Outline> = Vec::new();
    for symbol in symbols {
        while open.last().is_some_and(|o| o.symbol.bytes.end < symbol.bytes.end)
            || open.len() >= OUTLINE_DEPTH
        {
            close(&mut open, &mut roots);
        }
        open.push(Outline { symbol, children: Vec::new() });
    }
    while !open.is_empty() {
        close(&mut open, &mut roots);
    }
    adopt(roots)
}

fn close(open: &mut Vec<Outline>, roots: &mut Vec<Outline>) {
    if let Some(done) = open.pop() {
        open.last_mut().map_or(roots, |outer| &mut outer.children).push(done);
    }
}

/// Gives methods from outside of a type to the type: `impl` of Rust, receivers of Go, `A::b` of
/// C++.
fn adopt(roots: Vec<Outline>) -> Vec<Outline> {
    let (mut homes, strays): (Vec<Outline>, Vec<Outline>) =
        roots.into_iter().partition(|o| o.symbol.container.is_none());
    let mut places = std::collections::HashMap::new();
    for (at, home) in homes.iter().enumerate() {
        if home.symbol.kind.has_methods() || home.symbol.kind == crate::Kind::Type {
            places.entry(home.symbol.name.clone()).or_insert(at);
        }
    }
    for stray in strays {
        let place = stray.symbol.container.as_ref().and_then(|c| places.get(c));
        match place {
            Some(at) => homes[*at].children.push(stray),
            None => homes.push(stray),
        }
    }
    homes.sort_by_key(|o| o.symbol.bytes.start);
    homes
}
