//! What may make definitions that the text of a file does not have: calls and macros where
//! definitions are, what is put on a type, and types that have any member.

use tree_sitter::Node;

use crate::languages::Language;
use crate::parsed::Parsed;

/// Calls in a class or a file of Ruby that make nothing.
const NO_MAKERS: [&str; 16] = [
    "freeze",
    "load",
    "module_function",
    "p",
    "print",
    "private",
    "private_class_method",
    "private_constant",
    "protected",
    "public",
    "public_class_method",
    "puts",
    "raise",
    "require",
    "require_relative",
    "using",
];

/// Something that may make definitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Maker {
    /// What it is.
    pub how: How,
    /// Its text; of an annotation or a trait the name.
    pub text: String,
    /// The type that it makes members of; `None` if it does not say one.
    pub of: Option<String>,
}

/// What makes a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// A call or a macro.
    Call,
    /// An annotation, a decorator or an attribute of a type.
    Annotation,
    /// A trait that a type derives.
    Derive,
    /// A trait that a type has.
    Trait,
    /// The type itself says that it has any member.
    Open,
    /// A program that the build runs.
    Program,
}

impl Parsed<'_> {
    /// What may make definitions, in the order of the file.
    pub fn makers(&self) -> Vec<Maker> {
        use Language as L;
        let mut found = Vec::new();
        match self.language {
            L::Rust => self.walk(|node| self.rust_maker(node, &mut found)),
            L::Ruby => self.walk(|node| {
                let method = node.child_by_field_name("method").map(|method| self.text(method));
                let is_maker = method.is_some_and(|method| !NO_MAKERS.contains(&&*method));
                if node.kind() == "call" && is_maker {
                    found.push(self.maker(How::Call, node, None));
                }
                !["method", "singleton_method"].contains(&node.kind())
            }),
            L::Python => self.walk(|node| {
                self.python_maker(node, &mut found);
                true
            }),
            L::TypeScript | L::Tsx => self.walk(|node| {
                self.open_type(node, &mut found);
                true
            }),
            L::Java => self.walk(|node| {
                if ["annotation", "marker_annotation"].contains(&node.kind()) {
                    let on = node.parent().filter(|part| part.kind() == "modifiers");
                    let of = on.and_then(|on| on.parent()).filter(|on| is_type(*on));
                    let of = of.and_then(|of| of.child_by_field_name("name"));
                    let name = node.child_by_field_name("name");
                    if let (Some(name), Some(of)) = (name, of) {
                        found.push(self.maker(How::Annotation, name, Some(of)));
                    }
                }
                node.kind() != "block"
            }),
            L::Go => self.walk(|node| {
                if node.kind() == "comment" && self.text(node).starts_with("//go:generate ") {
                    found.push(self.maker(How::Program, node, None));
                }
                node.kind() != "block"
            }),
            // What a macro stands for is no part of the tree.
            L::C | L::Cpp => {
                let text = String::from_utf8_lossy(&self.source);
                let is_maker = |line: &&str| {
                    let name = line.find(|c: char| !c.is_alphanumeric() && c != '_');
                    let (name, rest) = line.split_at(name.unwrap_or(line.len()));
                    let end = line.trim_end().trim_end_matches([';', '\\', ' ']);
                    !name.is_empty() && rest.trim_start().starts_with('(') && end.ends_with(')')
                };
                let lines = text.lines().filter(is_maker).map(str::to_owned);
                found.extend(lines.map(|text| Maker { how: How::Call, text, of: None }));
            }
            _ => {}
        }
        found
    }

    fn maker(&self, how: How, text: Node<'_>, of: Option<Node<'_>>) -> Maker {
        let of = of.map(|of| self.text(of).split('<').next().unwrap_or_default().to_owned());
        Maker { how, text: self.text(text).into_owned(), of }
    }

    fn rust_maker(&self, node: Node<'_>, found: &mut Vec<Maker>) -> bool {
        match node.kind() {
            "macro_invocation" | "macro_definition" => {
                found.push(self.maker(How::Call, node, None));
                return false;
            }
            "impl_item" => {
                let field = |field| node.child_by_field_name(field);
                if let (Some(name), Some(of)) = (field("trait"), field("type")) {
                    found.push(self.maker(How::Trait, name, Some(of)));
                    // What a value turns into is said of the other type.
                    let from = name.child_by_field_name("type_arguments");
                    let from = from.and_then(|from| from.named_child(0));
                    found.extend(from.map(|from| self.maker(How::Trait, name, Some(from))));
                }
            }
            "attribute_item" => {
                let mut on = node.next_named_sibling();
                while let Some(next) = on.filter(|on| on.is_extra() || on.kind() == node.kind()) {
                    on = next.next_named_sibling();
                }
                let of = on.filter(|on| is_type(*on)).and_then(|on| {
                    on.child_by_field_name("name").or_else(|| on.child_by_field_name("type"))
                });
                if let (Some(of), Some(attribute)) = (of, node.named_child(0)) {
                    self.attribute(attribute, of, found);
                }
            }
            _ => {}
        }
        node.kind() != "block"
    }

    /// An attribute of a type of Rust, and each of the traits that it derives.
    fn attribute(&self, attribute: Node<'_>, of: Node<'_>, found: &mut Vec<Maker>) {
        let text = self.text(attribute);
        let of = Some(self.text(of).split('<').next().unwrap_or_default().to_owned());
        let mut push =
            |how, text: &str| found.push(Maker { how, text: text.to_owned(), of: of.clone() });
        for list in text.split("derive(").skip(1) {
            let list = list.split(')').next().unwrap_or_default();
            list.split(',').for_each(|name| push(How::Derive, name.trim()));
        }
        let name = text.split(|c: char| !c.is_alphanumeric() && !"_:".contains(c)).next();
        push(How::Annotation, name.unwrap_or_default());
    }

    fn python_maker(&self, node: Node<'_>, found: &mut Vec<Maker>) {
        let field = |field| node.child_by_field_name(field);
        match node.kind() {
            "decorator" => {
                let on = node.parent().and_then(|on| on.child_by_field_name("definition"));
                let of = on.filter(|on| is_type(*on)).and_then(|on| on.child_by_field_name("name"));
                let name = node.named_child(0).map(|name| match name.kind() {
                    "call" => name.child_by_field_name("function").unwrap_or(name),
                    _ => name,
                });
                if let (Some(name), Some(of)) = (name, of) {
                    found.push(self.maker(How::Annotation, name, Some(of)));
                }
            }
            "call" if field("function").is_some_and(|name| self.text(name) == "setattr") => {
                let of = field("arguments").and_then(|all| all.named_child(0));
                found.push(self.maker(How::Call, node, of));
            }
            _ => {}
        }
    }

    /// A type of TypeScript that may have members of any name.
    fn open_type(&self, node: Node<'_>, found: &mut Vec<Maker>) {
        let is_open = match node.kind() {
            "index_signature" => {
                let outer = node.parent().and_then(|body| body.parent());
                let name = outer.filter(|outer| is_type(*outer));
                let name = name.and_then(|outer| outer.child_by_field_name("name"));
                found.extend(name.map(|name| self.maker(How::Open, node, Some(name))));
                return;
            }
            "type_alias_declaration" => {
                node.child_by_field_name("value").is_some_and(|value| value.kind() != "object_type")
            }
            "extends_type_clause" => {
                let outer = node.parent().and_then(|outer| outer.child_by_field_name("name"));
                if self.text(node).contains("Record<") {
                    found.extend(outer.map(|name| self.maker(How::Open, node, Some(name))));
                }
                return;
            }
            _ => false,
        };
        if let Some(name) = node.child_by_field_name("name").filter(|_| is_open) {
            found.push(self.maker(How::Open, node, Some(name)));
        }
    }
}

/// Whether a node defines a type, or what a type has.
fn is_type(node: Node<'_>) -> bool {
    let kinds = [
        "abstract_class_declaration",
        "class",
        "class_declaration",
        "class_definition",
        "enum_declaration",
        "enum_item",
        "impl_item",
        "interface_declaration",
        "record_declaration",
        "struct_item",
        "trait_item",
        "type_alias_declaration",
        "union_item",
    ];
    kinds.contains(&node.kind())
}
