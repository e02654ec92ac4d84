//! What a name stands for at each place of a file: a member of something, a key, what is bound
//! around it, or else what the file or another one defines.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

use tree_sitter::Node;

use crate::grammar::Capture;
use crate::languages::Language;
use crate::parsed::{Parsed, Refusal};
use crate::reference::{Reference, Role};
use crate::symbol::Symbol;

/// What has parameters and variables of its own.
const SCOPES: [&str; 34] = [
    "function_definition",
    "function_declaration",
    "function_expression",
    "function_item",
    "function_signature",
    "function_signature_item",
    "function_type",
    "generator_function",
    "generator_function_declaration",
    "arrow_function",
    "lambda",
    "lambda_expression",
    "closure_expression",
    "func_literal",
    "method_definition",
    "method_declaration",
    "method_signature",
    "method_elem",
    "abstract_method_signature",
    "call_signature",
    "construct_signature",
    "constructor_type",
    "constructor_declaration",
    "compact_constructor_declaration",
    "local_function_statement",
    "method",
    "singleton_method",
    "do_block",
    "list_comprehension",
    "set_comprehension",
    "dictionary_comprehension",
    "generator_expression",
    "class_static_block",
    "static_initializer",
];
/// Names that a pattern takes from elsewhere are below these.
const PATHS: [&str; 7] = [
    "attribute",
    "call",
    "field_expression",
    "member_expression",
    "scoped_identifier",
    "scoped_type_identifier",
    "subscript",
];
/// What is in these fields of a pattern or a parameter is not bound by it.
const NOT_BOUND: [&str; 12] = [
    "bounds",
    "condition",
    "constraint",
    "decorator",
    "default_type",
    "default_value",
    "guard",
    "key",
    "right",
    "size",
    "type",
    "value",
];
/// Patterns whose value is bound all the same.
const WITH_VALUES: [&str; 3] = ["pair_pattern", "dict_pattern", "keyword_pattern"];
/// Bytes of the longest expression that is looked at before a member.
const LONGEST_OWNER: usize = 1000;

/// A name where it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Used {
    /// Where it is, and what it does there.
    pub at: Reference,
    /// What it stands for there.
    pub place: Place,
}

/// The uses of names, by the names.
pub type Uses = BTreeMap<String, Vec<Used>>;

/// What a name stands for where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// What the file, or another one, defines under the name.
    Free,
    /// The same, as far as can be told of words in a macro.
    Loose,
    /// A member of an expression.
    Member {
        /// The expression without white space; empty if it is no name.
        owner: String,
        /// It is the path to it, not a value: `::` is between them.
        is_path: bool,
    },
    /// The name of a field, an argument or an attribute that is given something.
    Key,
    /// A parameter or a variable of the code around it.
    Local,
}

impl Parsed<'_> {
    /// Every use of these names, and what the file defines.
    ///
    /// # Errors
    /// `TooSlow` or `Stopped`.
    pub fn uses(&self, names: &BTreeSet<&str>) -> Result<(Uses, Vec<Symbol>), Refusal> {
        let defined = self.definitions()?;
        let is_one = |bytes: &[u8]| std::str::from_utf8(bytes).is_ok_and(|n| names.contains(n));
        let found = self.references_of(&defined.names, &is_one)?;
        let outer: BTreeSet<(usize, usize)> =
            defined.symbols.iter().map(|symbol| (symbol.line, symbol.column)).collect();
        let mut scopes: Vec<(&str, usize, Range<usize>)> = Vec::new();
        let imports = found.iter().filter(|(_, at)| at.role == Role::Import);
        let imports: BTreeSet<usize> = imports.map(|(start, _)| *start).collect();
        let mut bind = |name: &str, node: Node<'_>| {
            if let Some(name) = names.get(name).filter(|_| !imports.contains(&node.start_byte())) {
                scopes.push((name, node.start_byte(), self.scope(node)));
            }
        };
        for (start, at) in &found {
            if at.role == Role::Definition && !outer.contains(&(at.line, at.column)) {
                self.node(*start).inspect(|node| bind(&at.name, *node));
            }
        }
        let mut seen = HashSet::new();
        self.matches(&self.grammar.bound, |found| {
            let bound = found.captures.iter().filter(|(what, _)| *what == Capture::Bound);
            bound.for_each(|(_, node)| self.bound(*node, &mut seen, &mut bind));
        })?;
        let mut uses = Uses::new();
        for (start, at) in found {
            let mut mine = scopes.iter().filter(|(name, ..)| *name == at.name);
            let is_bound =
                mine.any(|(_, binder, scope)| *binder == start || scope.contains(&start));
            let place = self.place(start, &at, is_bound);
            uses.entry(at.name.clone()).or_default().push(Used { at, place });
        }
        Ok((uses, defined.symbols))
    }

    fn node(&self, start: usize) -> Option<Node<'_>> {
        self.tree.root_node().descendant_for_byte_range(start, start + 1)
    }

    /// Gives the names that a pattern or parameters bind to `bind`, but for what was `seen` before:
    /// one pattern is in another.
    fn bound(
        &self,
        pattern: Node<'_>,
        seen: &mut HashSet<usize>,
        bind: &mut impl FnMut(&str, Node<'_>),
    ) {
        let mut open = vec![pattern];
        while let Some(node) = open.pop().filter(|_| self.go_on().is_ok()) {
            if !seen.insert(node.id()) {
                continue;
            }
            match node.kind() {
                "identifier" | "shorthand_field_identifier" if self.language == Language::Rust => {
                    let name = self.text(node);
                    if !name.starts_with(char::is_uppercase) {
                        bind(&name, node);
                    }
                }
                "identifier"
                | "type_identifier"
                | "hash_key_symbol"
                | "shorthand_field_identifier"
                | "shorthand_property_identifier_pattern" => bind(&self.text(node), node),
                "dotted_name" if node.named_child_count() > 1 => {}
                kind if PATHS.contains(&kind) => {}
                _ => binding_parts(node, &mut open),
            }
        }
    }

    /// Where a name that is bound here is known: in the function around it, or the whole file.
    fn scope(&self, name: Node<'_>) -> Range<usize> {
        use Language as L;
        let in_order = matches!(
            self.language,
            L::Rust | L::Go | L::Java | L::C | L::Cpp | L::CSharp | L::Ruby
        );
        let mut from = if in_order { name.start_byte() } else { 0 };
        let mut declared = None;
        // The parent of a node is looked for from the root each time.
        let mut around = vec![self.tree.root_node()];
        while let Some(inner) = around.last().and_then(|node| node.child_with_descendant(name)) {
            around.push(inner);
        }
        for node in around.iter().rev().filter(|node| **node != name) {
            match node.kind() {
                "let_declaration" | "let_condition" | "short_var_declaration" | "var_spec" => {
                    from = from.max(node.end_byte());
                }
                "assignment" if self.language == L::Ruby => from = from.max(node.end_byte()),
                "function_declarator" => declared = declared.or(Some(node.byte_range())),
                kind if SCOPES.contains(&kind) || kind == "block" && self.language == L::Ruby => {
                    return from.max(node.start_byte())..node.end_byte();
                }
                // The parameters of a function that is only declared.
                "declaration" | "field_declaration" | "type_definition" if declared.is_some() => {
                    return declared.unwrap_or_default();
                }
                _ => {}
            }
        }
        from..self.source.len()
    }

    fn place(&self, start: usize, at: &Reference, is_bound: bool) -> Place {
        let Some(node) = self.node(start) else { return Place::Free };
        let parent = node.parent();
        let kind = parent.map_or("", |parent| parent.kind());
        if at.role == Role::Import {
            return Place::Free;
        }
        if let Some((owner, is_path)) = owner(self.language, &self.source, start) {
            return Place::Member { owner, is_path };
        }
        let is_field =
            |field: &str| parent.and_then(|parent| parent.child_by_field_name(field)) == Some(node);
        let is_key = match kind {
            "keyword_argument" | "attribute_argument" => is_field("name"),
            "element_value_pair" => is_field("key"),
            "literal_element" => parent.is_some_and(|literal| {
                let pair = literal.parent().filter(|pair| pair.kind() == "keyed_element");
                pair.and_then(|pair| pair.named_child(0)) == Some(literal)
            }),
            "lifetime" | "label" | "jsx_attribute" => true,
            _ => matches!(
                node.kind(),
                "property_identifier" | "field_identifier" | "private_property_identifier"
            ),
        };
        // A method is called though a variable has its name.
        let is_apart = matches!(self.language, Language::Java | Language::Ruby)
            && at.role == Role::Call
            && node.kind() != "type_identifier";
        match kind {
            _ if is_key => Place::Key,
            _ if is_bound && !is_apart => Place::Local,
            "token_tree" => Place::Loose,
            _ => Place::Free,
        }
    }
}

/// Puts the children of a pattern that bind names on a stack.
fn binding_parts<'t>(node: Node<'t>, open: &mut Vec<Node<'t>>) {
    let kind = node.kind();
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    // What is matched is of a class of elsewhere.
    if more && kind == "class_pattern" {
        more = cursor.goto_next_sibling();
    }
    while more {
        let field = cursor.field_name().unwrap_or_default();
        let is_value = field == "value" && WITH_VALUES.contains(&kind);
        let is_key = field == "key" && kind == "keyword_pattern";
        let is_alone = is_key && node.child_by_field_name("value").is_none();
        if !NOT_BOUND.contains(&field) || is_value || is_alone {
            open.push(cursor.node());
        }
        more = cursor.goto_next_sibling();
    }
}

/// The expression whose member begins at `start`, without white space, and whether `::` is between
/// them; `None` if it is no member.
fn owner(language: Language, source: &[u8], start: usize) -> Option<(String, bool)> {
    let trimmed = |end: usize| source[..end].trim_ascii_end().len();
    let mark = |end: usize| -> Option<usize> {
        let before = &source[..end];
        if before.ends_with(b"..") && !before.ends_with(b"?..") {
            return None;
        }
        marks(language).iter().find_map(|mark| before.strip_suffix(*mark)).map(<[u8]>::len)
    };
    let end = mark(trimmed(start))?;
    let mut at = trimmed(end);
    let last = at;
    let limit = at.saturating_sub(LONGEST_OWNER);
    while at > limit {
        match source[at - 1] {
            b')' | b']' => at = opening(source, at, limit)?,
            b'>' if source[at..].starts_with(b"::") => at = opening(source, at, limit)?,
            b'?' | b'!' => at -= 1,
            byte if is_part(byte) => {
                at -= source[..at].iter().rev().take_while(|byte| is_part(**byte)).count();
                let before = trimmed(at);
                match mark(before) {
                    Some(next) => at = trimmed(next),
                    None => {
                        if source[..before].ends_with(b"new") && before < at {
                            at = before - 3;
                        }
                        break;
                    }
                }
            }
            _ => break,
        }
    }
    let text = String::from_utf8_lossy(&source[at..last]);
    let words: Vec<&str> = text.split_whitespace().collect();
    let owner = match words.split_first() {
        Some((&"new", rest)) => format!("new {}", rest.concat()),
        _ => words.concat(),
    };
    Some((owner, source[end..].starts_with(b"::")))
}

/// What is between an expression and its member.
fn marks(language: Language) -> &'static [&'static [u8]] {
    use Language as L;
    match language {
        L::Python | L::Go => &[b"."],
        L::JavaScript | L::TypeScript | L::Tsx | L::CSharp => &[b"?.", b"."],
        L::Ruby => &[b"&.", b"::", b"."],
        L::C | L::Cpp | L::Php => &[b"->", b"::", b"."],
        L::Java | L::Rust | L::Bash => &[b"::", b"."],
    }
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80 || b"_@$".contains(&byte)
}

/// Where what closes before `end` is opened.
fn opening(source: &[u8], end: usize, limit: usize) -> Option<usize> {
    let mut open = 0_usize;
    for at in (limit..end).rev() {
        match source[at] {
            b')' | b']' | b'}' | b'>' => open += 1,
            b'(' | b'[' | b'{' | b'<' => open = open.checked_sub(1)?,
            _ => {}
        }
        if open == 0 {
            return Some(at);
        }
    }
    None
}
