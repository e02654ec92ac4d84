//! The name inside a declarator of C or C++, where it may stand arbitrarily deep.

use tree_sitter::Node;

/// A name, and what its declarator says about it.
pub(crate) struct Declared<'tree> {
    pub(crate) name: Node<'tree>,
    /// `Shape` of `void Shape::draw()`.
    pub(crate) container: Option<Node<'tree>>,
    pub(crate) is_function: bool,
}

/// Walks from the outermost declarator to the name.
pub(crate) fn declared(mut node: Node<'_>) -> Option<Declared<'_>> {
    let mut container = None;
    // What is next to the name decides: `int *f(void)` is a function, `int (*f)(void)` is none.
    let mut is_function = false;
    loop {
        node = match node.kind() {
            "identifier" | "field_identifier" | "type_identifier" | "primitive_type"
            | "operator_name" | "operator_cast" | "destructor_name" => {
                let is_function = is_function || node.kind() == "operator_cast";
                return Some(Declared { name: node, container, is_function });
            }
            "qualified_identifier" => {
                container = node.child_by_field_name("scope").map(bare).or(container);
                node.child_by_field_name("name")?
            }
            "template_function" | "template_method" | "template_type" => bare(node),
            "parenthesized_declarator" => named(node)?,
            kind => {
                is_function = kind == "function_declarator";
                node.child_by_field_name("declarator").or_else(|| named(node))?
            }
        };
    }
}

/// `List` of `List<T>`.
fn bare(node: Node<'_>) -> Node<'_> {
    node.child_by_field_name("name").unwrap_or(node)
}

fn named(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| {
        child.kind().ends_with("declarator")
            || child.kind().ends_with("identifier")
            || child.kind().ends_with("_name")
    })
}
