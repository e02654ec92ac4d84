//! What a file brings in from other files, as it says it.

use tree_sitter::Node;

use crate::languages::Language;
use crate::parsed::Parsed;

/// What stands for every name of a module.
const ALL: &str = "*";
/// Bytes of the longest path whose names are told.
const LONGEST_PATH: usize = 1000;

/// A name or a module that is brought in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The module, as it is written there.
    pub from: String,
    /// Its name in the module; `None` if the whole module is brought in.
    pub name: Option<String>,
    /// Its name in this file; `None` if it gets none.
    pub local: Option<String>,
    /// The line that names the module, from 1.
    pub line: usize,
}

impl Import {
    /// Whether every name of the module is brought in.
    pub fn is_all(&self) -> bool {
        self.name.as_deref() == Some(ALL)
    }
}

impl Parsed<'_> {
    /// Everything that the file brings in, in its order; nothing for languages that say it otherwise.
    pub fn imports(&self) -> Vec<Import> {
        let mut found = Vec::new();
        self.walk(|node| {
            self.import(node, &mut found);
            true
        });
        found
    }

    /// What one item brings in.
    pub(crate) fn imports_of(&self, item: Node<'_>) -> Vec<Import> {
        let mut found = Vec::new();
        self.import(item, &mut found);
        found
    }

    fn import(&self, node: Node<'_>, found: &mut Vec<Import>) {
        use Language as L;
        let mut push = |at: Node<'_>, from: &str, name: Option<&str>, local: Option<&str>| {
            let owned = |text: &str| text.to_owned();
            let line = at.start_position().row + 1;
            found.push(Import {
                from: owned(from),
                name: name.map(owned),
                local: local.map(owned),
                line,
            });
        };
        match (self.language, node.kind()) {
            (L::Python, "import_statement" | "import_from_statement") => {
                self.python(node, &mut push);
            }
            (script, kind) if script.is_script() => self.script(node, kind, &mut push),
            (L::Go, "import_spec") => self.go(node, &mut push),
            (L::Rust, "use_declaration") => {
                if let Some(tree) = node.child_by_field_name("argument") {
                    self.rust(tree, &mut push);
                }
            }
            (L::Rust, "mod_item") if node.child_by_field_name("body").is_none() => {
                let name = node.child_by_field_name("name").map(|name| self.text(name));
                let from = format!("self::{}", name.unwrap_or_default());
                push(node, &from, None, None);
            }
            (L::Java, "import_declaration") => {
                let text: String = self.text(node).split_whitespace().collect::<Vec<_>>().join(" ");
                let path = text.trim_start_matches("import ").trim_start_matches("static ");
                if let Some((from, name)) = path.trim_end_matches([';', ' ']).rsplit_once('.') {
                    push(node, from, Some(name), (name != ALL).then_some(name));
                }
            }
            (L::Ruby, "call") => self.ruby(node, &mut push),
            (L::C | L::Cpp, "preproc_include") => {
                let path = node.child_by_field_name("path");
                if let Some(path) = path.filter(|path| path.kind() == "string_literal") {
                    push(path, self.text(path).trim_matches('"'), None, None);
                }
            }
            _ => {}
        }
    }

    fn python(&self, node: Node<'_>, push: Push<'_>) {
        let from = node.child_by_field_name("module_name");
        let module = from.map(|from| self.plain(from));
        let mut walk = node.walk();
        for part in node.named_children(&mut walk).filter(|part| Some(*part) != from) {
            let named = part.child_by_field_name("name").unwrap_or(part);
            let (name, alias) = (self.plain(named), part.child_by_field_name("alias"));
            let local = alias.map_or_else(|| name.clone(), |alias| self.plain(alias));
            match (&module, part.kind()) {
                (Some(module), "wildcard_import") => push(node, module, Some(ALL), None),
                (Some(module), "dotted_name" | "aliased_import") => {
                    push(node, module, Some(&name), Some(&local));
                }
                (None, "dotted_name" | "aliased_import") => push(part, &name, None, Some(&local)),
                _ => {}
            }
        }
    }

    /// JavaScript and TypeScript.
    fn script(&self, node: Node<'_>, kind: &str, push: Push<'_>) {
        let text = |node: Node<'_>| self.text(node).trim_matches(['"', '\'', '`']).to_owned();
        match kind {
            "import_statement" | "export_statement" => {
                let Some(source) = node.child_by_field_name("source") else { return };
                let (from, count) = (text(source), node.named_child_count());
                let mut walk = node.walk();
                for part in node.named_children(&mut walk) {
                    self.script_names(part, (&from, source), push);
                }
                match kind {
                    "export_statement" if count == 1 => push(source, &from, Some(ALL), None),
                    "import_statement" => push(source, &from, None, None),
                    _ => {}
                }
            }
            "import_require_clause" => {
                let source = node.child_by_field_name("source");
                if let (Some(source), Some(name)) = (source, node.named_child(0)) {
                    push(source, &text(source), None, Some(&text(name)));
                }
            }
            "call_expression" => {
                let function = node.child_by_field_name("function").map(text);
                let is_import = matches!(function.as_deref(), Some("require" | "import"));
                let arguments = node.child_by_field_name("arguments");
                let source = arguments.and_then(|all| all.named_child(0));
                let source = source.filter(|source| is_import && source.kind() == "string");
                let Some(source) = source else { return };
                let name = node.parent().and_then(|parent| parent.child_by_field_name("name"));
                self.required(name, (&text(source), source), push);
            }
            _ => {}
        }
    }

    /// The names of an import or an export with a source.
    fn script_names(&self, part: Node<'_>, (from, source): (&str, Node<'_>), push: Push<'_>) {
        let (outer, mut open) = (part, vec![part]);
        while let Some(part) = open.pop() {
            match part.kind() {
                "import_clause" | "named_imports" | "export_clause" => open_all(part, &mut open),
                "identifier" if part != outer => {
                    push(source, from, Some("default"), Some(&self.text(part)));
                }
                "namespace_import" | "namespace_export" => {
                    let local = part.named_child(0).map(|name| self.text(name));
                    push(source, from, None, local.as_deref());
                }
                "import_specifier" | "export_specifier" => {
                    let field = |field| part.child_by_field_name(field).map(|name| self.text(name));
                    let Some(name) = field("name") else { continue };
                    let is_import = part.kind() == "import_specifier";
                    let local = is_import.then(|| field("alias").unwrap_or_else(|| name.clone()));
                    push(source, from, Some(&name), local.as_deref());
                }
                _ => {}
            }
        }
    }

    /// `name = require(from)`.
    fn required(&self, name: Option<Node<'_>>, (from, at): (&str, Node<'_>), push: Push<'_>) {
        push(at, from, None, None);
        match name {
            Some(name) if name.kind() == "identifier" => {
                push(at, from, None, Some(&self.text(name)));
            }
            Some(name) if name.kind() == "object_pattern" => {
                let mut walk = name.walk();
                for part in name.named_children(&mut walk) {
                    let field = |field| part.child_by_field_name(field).map(|n| self.text(n));
                    let name = field("key").unwrap_or_else(|| self.text(part));
                    let local = field("value").unwrap_or_else(|| name.clone());
                    push(at, from, Some(&name), Some(&local));
                }
            }
            _ => {}
        }
    }

    fn go(&self, node: Node<'_>, push: Push<'_>) {
        let Some(path) = node.child_by_field_name("path") else { return };
        let text = self.text(path);
        let from = text.trim_matches(['"', '`']);
        let is_version =
            |part: &&str| part.strip_prefix('v').is_none_or(|rest| rest.parse::<u32>().is_err());
        let last = from.rsplit('/').find(is_version).unwrap_or(from);
        let last = last.split(".v").next().unwrap_or(last);
        match node.child_by_field_name("name").map(|name| self.text(name)) {
            None => push(path, from, None, Some(last)),
            Some(name) if name == "." => push(path, from, Some(ALL), None),
            Some(name) => push(path, from, None, (name != "_").then_some(&*name)),
        }
    }

    /// What `use` says. A part is behind as much of `prefix` as was there where it was found.
    fn rust(&self, tree: Node<'_>, push: Push<'_>) {
        let (mut prefix, mut open) = (String::new(), vec![(0, tree)]);
        while let Some((length, node)) = open.pop() {
            prefix.truncate(length);
            let below = |node: Option<Node<'_>>| {
                let text = node.map(|node| self.plain(node)).unwrap_or_default();
                let between = if length == 0 || text.is_empty() { "" } else { "::" };
                format!("{prefix}{between}{text}")
            };
            let one = |path: &str, alias: Option<String>, push: Push<'_>| {
                let path = path.strip_suffix("::self").unwrap_or(path).trim_start_matches("::");
                let (from, name) = path.rsplit_once("::").unwrap_or(("", path));
                let local = alias.unwrap_or_else(|| name.to_owned());
                push(node, from, Some(name), Some(&local));
            };
            match node.kind() {
                _ if length > LONGEST_PATH => {}
                "use_list" => {
                    let mut parts = Vec::new();
                    open_all(node, &mut parts);
                    open.extend(parts.into_iter().map(|part| (length, part)));
                }
                "scoped_use_list" => {
                    prefix = below(node.child_by_field_name("path"));
                    open.extend(node.child_by_field_name("list").map(|list| (prefix.len(), list)));
                }
                "use_wildcard" => push(node, &below(node.named_child(0)), Some(ALL), None),
                "use_as_clause" => {
                    let alias = node.child_by_field_name("alias").map(|alias| self.plain(alias));
                    one(&below(node.child_by_field_name("path")), alias, push);
                }
                _ => one(&below(Some(node)), None, push),
            }
        }
    }

    fn ruby(&self, node: Node<'_>, push: Push<'_>) {
        let method = node.child_by_field_name("method").map(|method| self.text(method));
        let lead = match method.as_deref() {
            Some("require_relative") => "./",
            Some("require" | "load") => "",
            _ => return,
        };
        let argument = node.child_by_field_name("arguments").and_then(|all| all.named_child(0));
        if let Some(path) = argument.filter(|argument| argument.kind() == "string") {
            let from = format!("{lead}{}", self.text(path).trim_matches(['"', '\'']));
            push(path, &from, None, None);
        }
    }

    /// The text of a node without white space.
    fn plain(&self, node: Node<'_>) -> String {
        self.text(node).split_whitespace().collect()
    }
}

/// Puts the named children of a node on a stack, the first on top. Code nests deeper than calls may.
fn open_all<'t>(node: Node<'t>, open: &mut Vec<Node<'t>>) {
    let below = open.len();
    open.extend(node.named_children(&mut node.walk()));
    open[below..].reverse();
}

/// Takes the place that is told, the module, the name in it and the name here.
type Push<'p> = &'p mut dyn FnMut(Node<'_>, &str, Option<&str>, Option<&str>);
