//! What a file lets other files bring in, where its language says so.

use std::collections::BTreeSet;

use tree_sitter::Node;

use crate::languages::Language;
use crate::parsed::Parsed;

/// The names that others may bring in from a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exports {
    /// Those that are certain.
    pub names: BTreeSet<String>,
    /// There may be more, beside those of `stars`.
    pub is_open: bool,
    /// The modules all of whose names are passed on.
    pub stars: Vec<String>,
}

impl Parsed<'_> {
    /// What the file exports, as JavaScript, TypeScript and Rust say it, and `__all__` of Python;
    /// `None` if it does not say it.
    pub fn exports(&self) -> Option<Exports> {
        use Language as L;
        let mut all = Exports::default();
        let root = self.tree.root_node();
        let mut walk = root.walk();
        let items = root.named_children(&mut walk);
        match self.language {
            L::Rust => items.for_each(|item| self.public(item, &mut all)),
            L::Python => return self.listed(items),
            script if script.is_script() => {
                let items: Vec<Node<'_>> = items.collect();
                let is_export = |item: &&Node<'_>| item.kind() == "export_statement";
                if !items.iter().any(|item| is_export(&item)) {
                    return self.common(&items);
                }
                items.iter().filter(is_export).for_each(|item| self.exported(*item, &mut all));
            }
            _ => return None,
        }
        Some(all)
    }

    /// The names of an item of Rust that is not private.
    fn public(&self, item: Node<'_>, all: &mut Exports) {
        let mut walk = item.walk();
        let is_public = item.children(&mut walk).any(|part| part.kind() == "visibility_modifier");
        match item.kind() {
            "macro_invocation" | "expression_statement" => all.is_open = true,
            "use_declaration" if is_public => {
                for import in self.imports_of(item) {
                    match import.is_all() {
                        true => all.stars.push(import.from),
                        false => all.names.extend(import.local),
                    }
                }
            }
            _ if !is_public => {}
            _ => all.names.extend(self.field(item, "name")),
        }
    }

    /// `__all__`, if it is a plain list.
    fn listed<'t>(&self, items: impl Iterator<Item = Node<'t>>) -> Option<Exports> {
        let is_list = |list: &Node<'_>| ["list", "tuple"].contains(&list.kind());
        let mut lists = items.filter_map(|item| {
            let assignment = item.named_child(0).filter(|part| part.kind() == "assignment")?;
            (self.field(assignment, "left")? == "__all__")
                .then(|| assignment.child_by_field_name("right"))?
        });
        let list = lists.next()?;
        let mentions = String::from_utf8_lossy(&self.source).matches("__all__").count();
        let mut all = Exports { is_open: mentions > 1 || !is_list(&list), ..Exports::default() };
        let mut walk = list.walk();
        for part in list.named_children(&mut walk).filter(|part| !part.is_extra()) {
            all.is_open |= part.kind() != "string";
            all.names.insert(self.text(part).trim_matches(['"', '\'']).to_owned());
        }
        Some(all)
    }

    /// The names of an `export`.
    fn exported(&self, item: Node<'_>, all: &mut Exports) {
        let mut walk = item.walk();
        let declaration = item.child_by_field_name("declaration");
        let mut is_read = declaration.is_some();
        for part in item.children(&mut walk) {
            is_read |= ["default", "export_clause", "namespace_export"].contains(&part.kind());
            match part.kind() {
                "default" => _ = all.names.insert("default".to_owned()),
                "export_clause" => {
                    let mut walk = part.walk();
                    let names = part.named_children(&mut walk).filter_map(|one| {
                        self.field(one, "alias").or_else(|| self.field(one, "name"))
                    });
                    all.names.extend(names.map(|name| name.trim_matches(['"', '\'']).to_owned()));
                }
                "namespace_export" => {
                    let name = part.named_child(0).map(|name| self.text(name));
                    all.names.extend(name.map(|name| name.trim_matches(['"', '\'']).to_owned()));
                }
                _ => {}
            }
        }
        match item.child_by_field_name("source").filter(|_| !is_read) {
            Some(source) => all.stars.push(self.text(source).trim_matches(['"', '\'']).to_owned()),
            None => all.is_open |= !is_read,
        }
        if let Some(declaration) = declaration {
            self.declared_names(declaration, all);
        }
    }

    fn declared_names(&self, declaration: Node<'_>, all: &mut Exports) {
        let mut open = vec![declaration];
        while let Some(node) = open.pop() {
            let mut walk = node.walk();
            match node.kind() {
                "identifier" | "shorthand_property_identifier_pattern" => {
                    all.names.insert(self.text(node).into_owned());
                }
                "lexical_declaration"
                | "variable_declaration"
                | "ambient_declaration"
                | "object_pattern"
                | "array_pattern"
                | "rest_pattern" => open.extend(node.named_children(&mut walk)),
                "variable_declarator" => open.extend(node.child_by_field_name("name")),
                "pair_pattern" => open.extend(node.child_by_field_name("value")),
                "assignment_pattern" | "object_assignment_pattern" => {
                    open.extend(node.child_by_field_name("left"));
                }
                "comment" => {}
                _ => match self.field(node, "name") {
                    Some(name) => _ = all.names.insert(name),
                    None => all.is_open = true,
                },
            }
        }
    }

    /// What `module.exports` and `exports` are given.
    fn common(&self, items: &[Node<'_>]) -> Option<Exports> {
        let mut mentions = String::from_utf8_lossy(&self.source).matches("exports").count();
        if mentions == 0 {
            return None;
        }
        let mut all = Exports::default();
        for item in items {
            let mut next = item.named_child(0);
            while let Some(one) = next.filter(|one| one.kind() == "assignment_expression") {
                let (left, right) = (self.field(one, "left")?, one.child_by_field_name("right")?);
                next = Some(right);
                let tail = left.strip_prefix("module.").unwrap_or(&left).strip_prefix("exports");
                let Some(tail) = tail else { continue };
                mentions = mentions.saturating_sub(1);
                match tail.strip_prefix('.') {
                    Some(name) => _ = all.names.insert(name.to_owned()),
                    None if tail.is_empty() => self.object(right, &mut all),
                    None => all.is_open = true,
                }
            }
        }
        all.is_open |= mentions > 0;
        Some(all)
    }

    /// The keys of an object that is given away whole.
    fn object(&self, value: Node<'_>, all: &mut Exports) {
        if value.kind() != "object" {
            all.is_open |= value.kind() != "assignment_expression";
            return;
        }
        let mut walk = value.walk();
        for part in value.named_children(&mut walk).filter(|part| !part.is_extra()) {
            let key = match part.kind() {
                "shorthand_property_identifier" => Some(self.text(part).into_owned()),
                _ => self.field(part, "key").or_else(|| self.field(part, "name")),
            };
            match key.filter(|key| !key.starts_with('[')) {
                Some(key) => _ = all.names.insert(key.trim_matches(['"', '\'']).to_owned()),
                None => all.is_open = true,
            }
        }
    }

    fn field(&self, node: Node<'_>, field: &str) -> Option<String> {
        node.child_by_field_name(field).map(|field| self.text(field).into_owned())
    }
}
