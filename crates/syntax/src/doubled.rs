//! What a language has once, or in one order, and a grammar takes in any.

use std::collections::BTreeSet;

use tree_sitter::Node;

use crate::languages::Language;
use crate::parsed::Parsed;

impl Parsed<'_> {
    /// The row from which on a list of a kind that its language orders is wrong.
    pub(crate) fn out_of_order(&self, node: Node<'_>) -> Option<usize> {
        use Language as L;
        let script = self.language.is_script();
        match (self.language, node.kind()) {
            (_, "arguments" | "object" | "object_pattern") if script => no_element(node),
            (_, "switch_body") if script => self.second(node, "switch_default"),
            (_, "program" | "statement_block") if script => {
                self.declared_twice(node).or_else(|| self.second_default(node))
            }
            (_, "formal_parameters") if script => after_rest(node),
            (
                L::Go,
                "expression_switch_statement" | "type_switch_statement" | "select_statement",
            ) => self.second(node, "default_case"),
            (L::Java, "switch_block") | (L::C | L::Cpp, "compound_statement") => {
                self.second(node, "default")
            }
            (L::Python, "try_statement") => {
                let mut walk = node.walk();
                let mut clauses =
                    node.children(&mut walk).filter(|part| part.kind() == "except_clause");
                clauses.find(|clause| clause.named_child_count() == 1)?;
                clauses.next().map(|clause| clause.start_position().row)
            }
            (L::Python, "parameters" | "argument_list") => self.named_twice(node),
            _ => None,
        }
    }

    /// The row of the second part of a kind, or that has one as its label.
    fn second(&self, node: Node<'_>, kind: &str) -> Option<usize> {
        let is_it = |part: &Node<'_>| part.kind() == kind;
        let has_it = |part: &Node<'_>| {
            let label = part.child(0).filter(|_| part.kind() != "default_case");
            label.is_some_and(|label| {
                is_it(&label) || label.child(0).is_some_and(|word| is_it(&word))
            })
        };
        let mut walk = node.walk();
        let mut all = node.named_children(&mut walk).filter(|part| is_it(part) || has_it(part));
        all.nth(1).map(|part| part.start_position().row)
    }

    /// A name that `let`, `const` or `class` binds twice in one block.
    fn declared_twice(&self, block: Node<'_>) -> Option<usize> {
        let mut names = BTreeSet::new();
        let mut walk = block.walk();
        for part in block.named_children(&mut walk) {
            let item = part.child_by_field_name("declaration").unwrap_or(part);
            if item.kind() != "lexical_declaration" {
                continue;
            }
            let mut inner = item.walk();
            for one in item.named_children(&mut inner) {
                let name = one.child_by_field_name("name").filter(|n| n.kind() == "identifier");
                if name.is_some_and(|name| !names.insert(self.text(name))) {
                    return Some(one.start_position().row);
                }
            }
        }
        None
    }

    /// The second `export default`; in TypeScript it may be an overload.
    fn second_default(&self, program: Node<'_>) -> Option<usize> {
        let mut walk = program.walk();
        let mut all = program.named_children(&mut walk).filter(|part| {
            part.kind() == "export_statement"
                && part.child(1).is_some_and(|word| word.kind() == "default")
        });
        let second = all.nth(1).filter(|_| self.language == Language::JavaScript)?;
        Some(second.start_position().row)
    }

    /// A parameter or an argument of Python whose name another has.
    fn named_twice(&self, list: Node<'_>) -> Option<usize> {
        let mut names = BTreeSet::new();
        let mut walk = list.walk();
        for part in list.named_children(&mut walk) {
            let name = match part.kind() {
                "identifier" if list.kind() == "parameters" => Some(part),
                "default_parameter" | "typed_default_parameter" | "keyword_argument" => {
                    part.child_by_field_name("name")
                }
                "typed_parameter" => part.named_child(0).filter(|name| name.kind() == "identifier"),
                _ => None,
            };
            if name.is_some_and(|name| !names.insert(self.text(name))) {
                return Some(part.start_position().row);
            }
        }
        None
    }
}

/// A comma of JavaScript with nothing before it.
fn no_element(list: Node<'_>) -> Option<usize> {
    let mut walk = list.walk();
    let mut is_open = true;
    for part in list.children(&mut walk).filter(|part| !part.is_extra()) {
        if part.kind() == "," && is_open {
            return Some(part.start_position().row);
        }
        is_open = ["(", "{", ","].contains(&part.kind());
    }
    None
}

/// A parameter behind that which takes the rest, or a required one behind an optional one.
fn after_rest(list: Node<'_>) -> Option<usize> {
    let mut walk = list.walk();
    let (mut is_last, mut is_optional) = (false, false);
    for part in list.named_children(&mut walk).filter(|part| !part.is_extra()) {
        let field = |field| part.child_by_field_name(field);
        let is_rest = |node: Node<'_>| node.kind() == "rest_pattern";
        let rest = is_rest(part) || field("pattern").is_some_and(is_rest);
        let is_required = part.kind() == "required_parameter" && field("value").is_none() && !rest;
        let is_wrong = is_last
            || is_optional && is_required
            || part.kind() == "optional_parameter" && field("value").is_some();
        if is_wrong && part.kind() != "decorator" {
            return Some(part.start_position().row);
        }
        is_last |= rest;
        is_optional |= part.kind() == "optional_parameter";
    }
    None
}
