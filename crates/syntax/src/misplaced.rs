//! What a grammar takes anywhere, though the language takes it only in some places.

use tree_sitter::Node;

use crate::languages::Language;
use crate::parsed::Parsed;

/// What has code of its own, to which `return`, `break` and `await` belong.
const FUNCTIONS: [&str; 18] = [
    "arrow_function",
    "async_block",
    "class_declaration",
    "class_definition",
    "class_static_block",
    "closure_expression",
    "const_block",
    "func_literal",
    "function_declaration",
    "function_definition",
    "function_expression",
    "function_item",
    "generator_function",
    "generator_function_declaration",
    "lambda",
    "lambda_expression",
    "method_declaration",
    "method_definition",
];
/// What `break` leaves, and `continue` goes on with if it is a loop.
const LEFT: [&str; 15] = [
    "do_statement",
    "enhanced_for_statement",
    "expression_switch_statement",
    "for_expression",
    "for_in_statement",
    "for_statement",
    "loop_expression",
    "select_statement",
    "switch_expression",
    "switch_statement",
    "type_switch_statement",
    "while_expression",
    "while_let_expression",
    "while_statement",
    "yield_statement",
];

impl Parsed<'_> {
    /// Whether a node is where its language does not take it.
    pub(crate) fn is_misplaced(&self, node: Node<'_>) -> bool {
        use Language as L;
        let is_in = |kind: &str| node.parent().is_some_and(|parent| parent.kind() == kind);
        match (self.language, node.kind()) {
            // A loop of C may be a macro.
            (L::C | L::Cpp | L::Ruby | L::Php | L::Bash | L::CSharp, _) => false,
            (
                _,
                kind @ ("break_statement"
                | "continue_statement"
                | "break_expression"
                | "continue_expression"),
            ) => {
                let is_plain =
                    |part: Node<'_>| part.kind() != "label" && !part.kind().contains("identifier");
                let mut walk = node.walk();
                let has_label = node.named_children(&mut walk).any(|part| !is_plain(part));
                let is_loop = |kind: &str| !kind.contains("switch") && kind != "select_statement";
                !has_label
                    && self.place_of(node, &LEFT).is_none_or(|left| {
                        kind.starts_with("continue") && !is_loop(left.kind()) && {
                            self.place_of(left, &LEFT).is_none()
                        }
                    })
            }
            (L::Python, "return_statement" | "yield") => {
                function_around(node).is_none_or(|around| around.kind() == "class_definition")
            }
            (L::Python, "wildcard_import") => function_around(node).is_some(),
            (_, "await" | "await_expression") if self.language != L::Rust => {
                is_plain_function(node)
            }
            (L::Python, "with_statement" | "for_statement") => {
                node.child(0).is_some_and(|first| first.kind() == "async")
                    && is_plain_function(node)
            }
            (script, "import_statement" | "export_statement") if script.is_script() => {
                is_in("statement_block")
                    && node
                        .parent()
                        .and_then(|block| block.parent())
                        .is_some_and(|outer| FUNCTIONS.contains(&outer.kind()))
            }
            (L::Rust, "self_parameter") => {
                let function = node.parent().and_then(|all| all.parent());
                let function = function.filter(|function| function.kind() == "function_item");
                let outer = function.and_then(|function| function.parent());
                outer.is_some_and(|outer| ["source_file", "block"].contains(&outer.kind()))
            }
            (L::Rust, "function_signature_item") => self.has_no_body(node),
            (L::Rust, "visibility_modifier") => is_in("enum_variant"),
            (L::Go | L::Java, "import_declaration") => {
                let mut before = node.prev_named_sibling();
                while let Some(one) =
                    before.filter(|one| one.is_extra() || one.kind() == node.kind())
                {
                    before = one.prev_named_sibling();
                }
                before.is_some_and(|before| !before.kind().starts_with("package_"))
            }
            _ => false,
        }
    }

    /// The nearest of these around a node, in the same function.
    fn place_of<'t>(&self, node: Node<'t>, kinds: &[&str]) -> Option<Node<'t>> {
        let mut around = node.parent();
        while let Some(outer) = around.filter(|outer| !FUNCTIONS.contains(&outer.kind())) {
            if kinds.contains(&outer.kind()) {
                return Some(outer);
            }
            around = outer.parent();
        }
        None
    }

    /// Whether a function of Rust is declared where it must be written out. An attribute may write it.
    fn has_no_body(&self, node: Node<'_>) -> bool {
        let is_attribute = |one: Node<'_>| one.kind() == "attribute_item";
        let mut around = Some(node);
        while let Some(outer) = around {
            if ["trait_item", "foreign_mod_item"].contains(&outer.kind())
                || outer.prev_named_sibling().is_some_and(is_attribute)
            {
                return false;
            }
            around = outer.parent();
        }
        true
    }
}

/// The function or class that a node is in.
fn function_around(node: Node<'_>) -> Option<Node<'_>> {
    let mut around = node.parent();
    while let Some(outer) = around.filter(|outer| !FUNCTIONS.contains(&outer.kind())) {
        around = outer.parent();
    }
    around
}

/// Whether a node is in a function that is not `async`, and in no generator, which is so by it.
fn is_plain_function(node: Node<'_>) -> bool {
    let mut around = node.parent();
    while let Some(outer) = around.filter(|outer| !FUNCTIONS.contains(&outer.kind())) {
        if outer.kind() == "generator_expression" {
            return false;
        }
        around = outer.parent();
    }
    function_around(node).is_some_and(|function| {
        let mut walk = function.walk();
        let is_async = function.children(&mut walk).any(|part| part.kind() == "async");
        !is_async && !function.kind().starts_with("class") && !function.kind().starts_with("lambda")
    })
}
