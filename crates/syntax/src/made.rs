//! What a class has though no definition in it says so: attributes that are assigned.

use tree_sitter::Node;

use crate::languages::Language;
use crate::parsed::Parsed;
use crate::signature::signature;
use crate::symbol::{Kind, Symbol};

impl Parsed<'_> {
    /// What methods assign to what they are called on, as fields of its class: `self.name = …`.
    pub fn attributes(&self) -> Vec<Symbol> {
        use Language as L;
        let (assignment, selves): (_, &[&str]) = match self.language {
            L::Python => ("assignment", &["self", "cls"]),
            script if script.is_script() => ("assignment_expression", &["this"]),
            _ => return Vec::new(),
        };
        let (mut found, mut classes) = (Vec::new(), Vec::<Node<'_>>::new());
        self.walk(|node| {
            while classes.last().is_some_and(|class| class.end_byte() <= node.start_byte()) {
                classes.pop();
            }
            if ["class_definition", "class_declaration", "class"].contains(&node.kind()) {
                classes.push(node);
            }
            if node.kind() == assignment {
                let outer = classes.last().and_then(|class| class.child_by_field_name("name"));
                for name in self.assigned(node, selves) {
                    found.push(Symbol {
                        name: self.text(name).into_owned(),
                        kind: Kind::Field,
                        line: name.start_position().row + 1,
                        column: name.start_position().column + 1,
                        start_line: node.start_position().row + 1,
                        end_line: node.end_position().row + 1,
                        container: outer.map(|outer| self.text(outer).into_owned()),
                        signature: signature(&self.source, node, Kind::Field),
                        bytes: node.byte_range(),
                    });
                }
            }
            true
        });
        found
    }

    /// The attributes of `selves` on the left of an assignment, alone or among others.
    fn assigned<'t>(&self, assignment: Node<'t>, selves: &[&str]) -> Vec<Node<'t>> {
        let Some(left) = assignment.child_by_field_name("left") else { return Vec::new() };
        let mut walk = left.walk();
        let parts: Vec<Node<'t>> = match left.kind() {
            "pattern_list" | "tuple_pattern" => left.named_children(&mut walk).collect(),
            _ => vec![left],
        };
        let names = parts.into_iter().filter_map(|part| {
            let object = part.child_by_field_name("object")?;
            let is_self = selves.contains(&&*self.text(object));
            let name = ["attribute", "property"].iter().find_map(|f| part.child_by_field_name(f));
            name.filter(|_| is_self)
        });
        names.collect()
    }
}
