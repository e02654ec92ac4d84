//! From the matches of a query to symbols: which name belongs to what, and what is only local.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

use tree_sitter::Node;

use crate::columns::Columns;
use crate::declarator::declared;
use crate::grammar::Capture::{self, Definition};
use crate::parsed::{Parsed, Refusal};
use crate::pattern::Match;
use crate::signature::signature;
use crate::symbol::{Kind, Symbol};

/// Nodes around a definition that belong to it.
const WRAPPERS: &[&str] =
    &["decorated_definition", "export_statement", "template_declaration", "ambient_declaration"];

/// What a match of the query says.
struct Found<'t> {
    role: Capture,
    node: Node<'t>,
    name: Option<Node<'t>>,
    container: Option<Node<'t>>,
    /// The name came out of a declarator.
    declared: bool,
    pattern: usize,
}

/// What the definitions inside of something need to know about it.
struct Around {
    bytes: Range<usize>,
    container: Option<Rc<str>>,
    /// The first byte of the container.
    home: usize,
    /// The innermost type.
    owner: Option<Rc<str>>,
    /// Values in it are local.
    hides: bool,
    /// Nothing in it is a symbol.
    inline: bool,
    /// Functions in it are methods.
    has_methods: bool,
}

/// What a file defines: its symbols, and where the names of all definitions stand.
#[derive(Default)]
pub(crate) struct Definitions {
    pub(crate) symbols: Vec<Symbol>,
    /// First bytes of the names, those of local variables too.
    pub(crate) names: HashSet<usize>,
    /// Variables by the place of the container and the name, where the first assignment is the
    /// definition.
    assigned: HashSet<(usize, Rc<str>)>,
}

impl Parsed<'_> {
    /// The symbols of the file in the order of their names in it.
    ///
    /// Local variables and parameters are none.
    ///
    /// # Errors
    /// `TooSlow` or `Stopped`.
    pub fn symbols(&self) -> Result<Vec<Symbol>, Refusal> {
        Ok(self.definitions()?.symbols)
    }

    pub(crate) fn definitions(&self) -> Result<Definitions, Refusal> {
        let mut all = Vec::new();
        self.matches(&self.grammar.definitions, |found| all.extend(Self::found(found)))?;
        keep_first(&mut all);
        all.sort_by_key(|f| (f.node.start_byte(), Reverse(f.node.end_byte()), f.pattern));
        let mut definitions = Definitions::default();
        let mut around: Vec<Around> = Vec::new();
        for found in all {
            self.go_on()?;
            // One node with several names: they stand beside each other.
            let bytes = found.node.byte_range();
            let ended = |a: &Around| a.bytes.end < bytes.end || a.bytes == bytes;
            while around.last().is_some_and(ended) {
                around.pop();
            }
            let inner = self.add(&found, around.last(), &mut definitions);
            around.push(inner);
        }
        definitions.symbols.sort_by_key(|s| (s.column, s.bytes.start));
        let mut columns = Columns::default();
        for symbol in &mut definitions.symbols {
            // Until here it is the byte.
            symbol.column = columns.at(&self.source, symbol.line - 1, symbol.column);
        }
        Ok(definitions)
    }

    fn found<'t>(found: &Match<'_, 't>) -> Option<Found<'t>> {
        let (mut node, mut role, mut container, mut name) = (None, None, None, None);
        let mut declarator = None;
        for (what, captured) in found.captures {
            match *what {
                Capture::Name => name = Some(*captured),
                Capture::Declarator => declarator = Some(declared(*captured)?),
                Capture::Container => container = Some(*captured),
                Capture::Unused => {}
                what => (node, role) = (Some(*captured), Some(what)),
            }
        }
        let (node, mut role) = (node?, role?);
        let is_declared = declarator.is_some();
        if let Some(declared) = declarator {
            // A body after what is no function: a macro before it broke the code.
            if role == Definition(Kind::Function) && !declared.is_function {
                return None;
            }
            name = Some(declared.name);
            container = declared.container;
            if declared.is_function && matches!(role, Definition(Kind::Variable | Kind::Field)) {
                role = Definition(Kind::Function);
            }
        }
        // The parser puts in names where broken code has none.
        let named = !name.is_some_and(|n| n.byte_range().is_empty());
        let pattern = found.pattern;
        named.then_some(Found { role, node, name, container, declared: is_declared, pattern })
    }

    /// Takes what was found; returns what it is for the definitions inside of it.
    fn add(&self, found: &Found, around: Option<&Around>, all: &mut Definitions) -> Around {
        let mut inner = Around {
            bytes: found.node.byte_range(),
            container: around.and_then(|a| a.container.clone()),
            home: around.map_or(0, |a| a.home),
            owner: around.and_then(|a| a.owner.clone()),
            hides: around.is_some_and(|a| a.hides),
            inline: around.is_some_and(|a| a.inline),
            has_methods: false,
        };
        let (kind, node) = match (found.role, found.name) {
            (Definition(kind), Some(node)) => (kind, node),
            (Capture::Scope, node) => {
                let name = node.map(|n| self.name(n));
                inner.container = name.clone().or(inner.container);
                return Around { owner: name, hides: false, has_methods: true, ..inner };
            }
            (Capture::Inline, _) => return Around { inline: true, ..inner },
            _ => return Around { hides: true, ..inner },
        };
        let local = inner.inline || inner.hides && kind.is_value();
        if local && !self.language.row().assigns {
            all.names.insert(node.start_byte());
            return inner;
        }
        let name = self.name(node);
        let again = self.language.row().assigns
            && kind.is_value()
            && !all.assigned.insert((inner.home, name.clone()));
        if !again {
            all.names.insert(node.start_byte());
        }
        if again || local {
            return inner;
        }
        let kind = match kind {
            Kind::Function if found.container.is_some() => Kind::Method,
            Kind::Function if around.is_some_and(|a| a.has_methods) => Kind::Method,
            Kind::Variable if around.is_some_and(|a| a.has_methods) => Kind::Field,
            kind => kind,
        };
        // A parameter of a constructor may be a property of the type.
        let outer = if kind == Kind::Property { &inner.owner } else { &inner.container };
        let container = found.container.map(|c| self.name(c)).or_else(|| outer.clone());
        all.symbols.push(Symbol {
            name: name.to_string(),
            kind,
            line: node.start_position().row + 1,
            column: node.start_byte(),
            start_line: wrapped(found.node).start_position().row + 1,
            end_line: last_row(found.node) + 1,
            container: container.map(|c| c.to_string()),
            signature: signature(&self.source, found.node, kind),
            bytes: found.node.byte_range(),
        });
        if kind == Kind::Type && found.declared {
            return inner; // what is in a typedef of C does not belong to it
        }
        if kind.has_methods() || kind == Kind::Type {
            inner.owner = Some(name.clone());
        }
        inner.container = Some(name);
        inner.home = found.node.start_byte();
        inner.has_methods = kind.has_methods();
        inner.hides = if kind.is_value() { inner.hides } else { kind.hides() };
        inner
    }

    /// `name` of `name`, `:name`, `"name"`, `name=`; `operator bool` of `operator  bool() const`.
    fn name(&self, node: Node<'_>) -> Rc<str> {
        let text = self.text(node);
        let text = match node.kind() {
            "string" | "string_literal" | "simple_symbol" => {
                text.trim_matches(['"', '\'', ':', '`'])
            }
            "word" => text.trim_end_matches('='),
            "operator_cast" => text.split('(').next().unwrap_or(&text),
            _ => &text,
        };
        text.split_whitespace().collect::<Vec<_>>().join(" ").into()
    }
}

/// Of several matches for one name the pattern that occurs first in the query file.
fn keep_first(all: &mut Vec<Found>) {
    let name = |found: &Found| match found.role {
        Definition(_) => found.name.map(|n| n.start_byte()),
        _ => None,
    };
    all.sort_by_key(|found| (name(found), found.pattern));
    all.dedup_by(|later, first| name(later).is_some() && name(later) == name(first));
}

fn wrapped(mut node: Node<'_>) -> Node<'_> {
    while let Some(parent) = node.parent().filter(|p| WRAPPERS.contains(&p.kind())) {
        node = parent;
    }
    node
}

/// The row of the last character: some nodes end with the line end.
fn last_row(node: Node<'_>) -> usize {
    let end = node.end_position();
    if end.column == 0 { end.row.saturating_sub(1).max(node.start_position().row) } else { end.row }
}
