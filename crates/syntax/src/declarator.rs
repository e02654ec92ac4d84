//! The name inside a declarator of C or C++, where it may stand arbitrarily deep.

use tree_sitter::Node;

use crate::languages::Language;
use crate::parsed::Parsed;

impl Parsed<'_> {
    /// The names that a file of C or C++ declares outside of functions, wherever they are defined.
    pub fn promised(&self) -> Vec<String> {
        let mut found = Vec::new();
        if !self.language.can_use(Language::C) {
            return found;
        }
        self.walk(|node| {
            if node.kind() == "declaration" {
                let mut walk = node.walk();
                let all = node.children_by_field_name("declarator", &mut walk);
                found.extend(all.filter_map(innermost).map(|one| self.text(one.name).into_owned()));
            }
            node.kind() != "compound_statement"
        });
        found
    }
}

/// A name, and what its declarator says about it.
pub(crate) struct Declared<'tree> {
    pub(crate) name: Node<'tree>,
    /// `Shape` of `void Shape::draw()`.
    pub(crate) container: Option<Node<'tree>>,
    pub(crate) is_function: bool,
}

/// What a declarator declares. `None` if that is defined elsewhere, or has no name of its own.
pub(crate) fn declared(node: Node<'_>) -> Option<Declared<'_>> {
    let declared = innermost(node)?;
    // `uint8_t` can be the name of a type; elsewhere what is before it is a macro.
    let is_type = node.parent().is_some_and(|parent| parent.kind() == "type_definition");
    let has_name = is_type || declared.name.kind() != "primitive_type";
    (has_name && !is_forward(node, declared.is_function)).then_some(declared)
}

/// Whether a declaration is only a promise: of a function outside of a class, or of a variable that
/// is `extern` and has no value. What a class declares is what it consists of. One whose end the
/// parser had to put in is none either: macros before a name look so.
fn is_forward(declarator: Node<'_>, is_function: bool) -> bool {
    let Some(declaration) = declarator.parent().filter(|p| p.kind() == "declaration") else {
        return false;
    };
    if is_function {
        let mut around = declaration.parent();
        while let Some(node) = around
            && (node.kind() == "template_declaration" || node.kind().starts_with("preproc_"))
        {
            around = node.parent();
        }
        return around.is_none_or(|node| node.kind() != "field_declaration_list");
    }
    let mut cursor = declaration.walk();
    let mut children = declaration.children(&mut cursor);
    let is_extern = |child: Node<'_>| child.child(0).is_some_and(|word| word.kind() == "extern");
    let is_promise =
        |c: Node<'_>| c.is_missing() || c.kind() == "storage_class_specifier" && is_extern(c);
    declarator.kind() != "init_declarator" && children.any(is_promise)
}

/// Walks from the outermost declarator to the name.
fn innermost(mut node: Node<'_>) -> Option<Declared<'_>> {
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
                let inner = node.child_by_field_name("declarator").or_else(|| named(node))?;
                match kind {
                    "function_declarator" | "array_declarator" => argument(inner).unwrap_or(inner),
                    _ => inner,
                }
            }
        };
    }
}

/// `name` of `CALLBACK(name)`: no function gives a function, and no array holds any, so that what
/// looks so is a macro.
fn argument(node: Node<'_>) -> Option<Node<'_>> {
    let is_call = node.kind() == "function_declarator";
    let parameters = node.child_by_field_name("parameters").filter(|_| is_call)?;
    let only = (parameters.named_child_count() == 1).then(|| parameters.named_child(0))??;
    only.child_by_field_name("type").filter(|name| name.kind() == "type_identifier")
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
