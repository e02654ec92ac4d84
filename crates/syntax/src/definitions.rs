//! From the matches of a query to symbols: which name belongs to what, and what is only local.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use tree_sitter::{Node, QueryMatch};

use crate::columns::Columns;
use crate::declarator::declared;
use crate::grammar::Capture;
use crate::language::Language;
use crate::parsed::{Parsed, Refusal};
use crate::signature::signature;
use crate::symbol::{Kind, Symbol};

/// Nodes around a definition that belong to it.
const WRAPPERS: &[&str] =
    &["decorated_definition", "export_statement", "template_declaration", "ambient_declaration"];

/// What a match of the query says.
struct Found {
    role: Capture,
    name: Option<Name>,
    container: Option<Rc<str>>,
    bytes: Range<usize>,
    lines: Range<usize>,
    signature: String,
    pattern: usize,
}

struct Name {
    text: Rc<str>,
    byte: usize,
    row: usize,
}

/// What the definitions inside of something need to know about it.
struct Around {
    end: usize,
    container: Option<Rc<str>>,
    hides: bool,
    has_methods: bool,
}

/// What a file defines: its symbols, and where the names of all definitions stand.
#[derive(Default)]
pub(crate) struct Definitions {
    pub(crate) symbols: Vec<Symbol>,
    /// First bytes of the names, those of local variables too.
    pub(crate) names: HashSet<usize>,
    /// Variables by container and name, where the first assignment is the definition.
    assigned: HashSet<(Option<Rc<str>>, Rc<str>)>,
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
        self.matches(&self.grammar.definitions, |found| all.extend(self.found(found)))?;
        keep_first(&mut all);
        all.sort_by_key(|f| (f.bytes.start, std::cmp::Reverse(f.bytes.end), f.pattern));
        let mut definitions = Definitions::default();
        let mut around: Vec<Around> = Vec::new();
        for found in all {
            while around.last().is_some_and(|a| a.end < found.bytes.end) {
                around.pop();
            }
            let inner = definitions.add(found, around.last(), self.language.assigns());
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

    fn found(&self, found: &QueryMatch<'_, '_>) -> Option<Found> {
        let (mut node, mut role, mut container, mut name) = (None, None, None, None);
        let mut declarator = None;
        for capture in found.captures() {
            match self.grammar.captures[capture.index as usize] {
                Capture::Name => name = Some(capture.node),
                Capture::Declarator => declarator = Some(declared(capture.node)?),
                Capture::Container => container = Some(capture.node),
                Capture::Unused => {}
                what => (node, role) = (Some(capture.node), Some(what)),
            }
        }
        let (node, mut role) = (node?, role?);
        if let Some(declared) = declarator {
            name = Some(declared.name);
            container = declared.container;
            if declared.is_function && matches!(role, Capture::Definition(k) if k != Kind::Type) {
                role = Capture::Definition(Kind::Function);
            }
        }
        if name.is_some_and(|n| n.byte_range().is_empty()) {
            return None; // the parser put it in where the code has none
        }
        let outer = wrapped(node);
        Some(Found {
            name: name.map(|n| Name {
                text: self.name(n),
                byte: n.start_byte(),
                row: n.start_position().row,
            }),
            container: container.map(|c| self.name(c)),
            bytes: outer.byte_range(),
            lines: outer.start_position().row..last_row(node),
            signature: match role {
                Capture::Definition(kind) => signature(&self.source, node, kind),
                _ => String::new(),
            },
            pattern: found.pattern_index,
            role,
        })
    }

    /// `name` of `name`, `:name`, `"name"` and `operator  <`.
    fn name(&self, node: Node<'_>) -> Rc<str> {
        let text = self.text(node);
        let text = match node.kind() {
            "string" | "string_literal" | "simple_symbol" => {
                text.trim_matches(['"', '\'', ':', '`'])
            }
            _ => &text,
        };
        text.split_whitespace().collect::<Vec<_>>().join(" ").into()
    }
}

impl Definitions {
    /// Takes what was found; returns what it is for the definitions inside of it.
    fn add(&mut self, found: Found, around: Option<&Around>, assigns: bool) -> Around {
        let end = found.bytes.end;
        let outer = around.and_then(|a| a.container.clone());
        let hidden = around.is_some_and(|a| a.hides);
        let in_type = around.is_some_and(|a| a.has_methods);
        let name = found.name.as_ref().map(|n| n.text.clone());
        let Capture::Definition(kind) = found.role else {
            let scope = found.role == Capture::Scope;
            let container = if scope { name.or(outer) } else { outer };
            return Around { end, container, hides: !scope, has_methods: scope };
        };
        let Some(Name { text, byte, row }) = found.name else {
            return Around { end, container: outer, hides: hidden, has_methods: in_type };
        };
        let again = assigns
            && kind.is_value()
            && !self.assigned.insert((outer.clone(), text.clone()));
        if !again {
            self.names.insert(byte);
        }
        if again || hidden && kind.is_value() {
            return Around { end, container: outer, hides: hidden, has_methods: false };
        }
        let kind = match kind {
            Kind::Function if in_type || found.container.is_some() => Kind::Method,
            Kind::Variable if in_type => Kind::Field,
            kind => kind,
        };
        self.symbols.push(Symbol {
            name: text.to_string(),
            kind,
            line: row + 1,
            column: byte,
            start_line: found.lines.start + 1,
            end_line: found.lines.end + 1,
            container: found.container.or(outer).map(|c| c.to_string()),
            signature: found.signature,
            bytes: found.bytes,
        });
        let (hides, has_methods) = match kind {
            kind if kind.is_value() => (hidden, false),
            kind => (kind.hides(), kind.has_methods()),
        };
        Around { end, container: Some(text), hides, has_methods }
    }
}

impl Language {
    /// Whether a variable comes to be by its first assignment.
    fn assigns(self) -> bool {
        matches!(self, Self::Bash | Self::Php | Self::Python | Self::Ruby)
    }
}

/// Of several matches for one name the pattern that stands first in the query file.
fn keep_first(all: &mut Vec<Found>) {
    let mut best: HashMap<usize, usize> = HashMap::new();
    for found in all.iter() {
        if let (Some(name), Capture::Definition(_)) = (&found.name, found.role) {
            let pattern = best.entry(name.byte).or_insert(found.pattern);
            *pattern = found.pattern.min(*pattern);
        }
    }
    let mut seen = HashSet::new();
    all.retain(|found| match (&found.name, found.role) {
        (Some(name), Capture::Definition(_)) => {
            best[&name.byte] == found.pattern && seen.insert(name.byte)
        }
        _ => true,
    });
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
