//! What a grammar takes though the language does not.

use tree_sitter::Node;

use crate::languages::Language;
use crate::parsed::Parsed;

/// Words that no language here takes for a name.
const RESERVED: [&str; 8] = ["break", "continue", "else", "end", "for", "if", "return", "while"];

/// What is wrong with a node.
pub(crate) enum Wrong {
    /// It is invalid from this row on.
    At(usize),
    /// It is Python 2.
    Old(usize),
}

impl Parsed<'_> {
    /// What is wrong with a node that the grammar takes, this deep in the tree.
    pub(crate) fn wrong(&self, node: Node<'_>, depth: usize) -> Option<Wrong> {
        use Language as L;
        let row = node.start_position().row;
        if let Some(row) = self.out_of_order(node) {
            return Some(Wrong::At(row));
        }
        let is_wrong = match (self.language, node.kind()) {
            (L::Python, "block" | "module") => return self.odd_row(node).map(Wrong::At),
            (L::Python, kind) if self.is_old(node, kind) => return Some(Wrong::Old(row)),
            (L::Python, "parameters") => return after_default(node).map(Wrong::At),
            (L::Python, "argument_list") => return after_keyword(node).map(Wrong::At),
            (L::Go, "literal_value" | "argument_list" | "parameter_list") => {
                return self.no_comma(node).map(Wrong::At);
            }
            (L::Go, "if_statement" | "for_statement") if depth > 1 => {
                return brace_below(node).map(Wrong::At);
            }
            (L::Go, "expression_statement") => {
                has_value(node, &["unary_expression", "binary_expression"])
            }
            (L::Go, "source_file") => {
                node.named_child_count() > 0 && !has_child(node, &["package_clause"])
            }
            (L::Java, _) if self.is_wrong_java(node) => true,
            (L::Rust, "function_item") => self.has_untyped(node),
            (L::C | L::Cpp, "preproc_directive") => self.is_end_too_many(node),
            (script, "lexical_declaration") if script.is_script() => self.is_const_alone(node),
            (script, "expression_statement") if script.is_script() => {
                let first = node.named_child(0).filter(|one| one.kind() == "function_expression");
                // A file that is this alone is put into an expression.
                let is_alone = node.parent().is_none_or(|outer| {
                    let mut walk = outer.walk();
                    outer.named_children(&mut walk).filter(|part| !part.is_extra()).count() == 1
                });
                !is_alone && first.is_some_and(|one| one.child_by_field_name("name").is_none())
            }
            (script, "update_expression") if script.is_script() => {
                node.named_child(0).is_some_and(|value| value.kind() == "number")
            }
            (_, "try_statement") => !has_child(node, &["except", "catch", "finally"]),
            (_, "jsx_element") => return self.other_tag(node).map(Wrong::At),
            (
                L::Python
                | L::JavaScript
                | L::TypeScript
                | L::Tsx
                | L::Go
                | L::Rust
                | L::Java
                | L::Ruby,
                "identifier" | "type_identifier",
            ) => self.is_reserved(node),
            _ => false,
        };
        (is_wrong || self.is_outside(node, depth) || self.is_misplaced(node))
            .then_some(Wrong::At(row))
    }

    /// Whether what only functions have is outside of them.
    fn is_outside(&self, node: Node<'_>, depth: usize) -> bool {
        let kind = node.kind();
        depth == 1
            && match self.language {
                Language::Go => {
                    kind.ends_with("_statement")
                        || ["block", "short_var_declaration"].contains(&kind)
                }
                Language::Java => kind.ends_with("_statement"),
                Language::Rust => {
                    kind == "let_declaration"
                        || kind == "expression_statement" && !has_child(node, &["macro"])
                }
                _ => false,
            }
    }

    fn is_wrong_java(&self, node: Node<'_>) -> bool {
        match node.kind() {
            "expression_statement" => self.is_only_value(node),
            "constructor_declaration" => self.is_of_other(node),
            "method_declaration" => self.is_without_body(node),
            "character_literal" => {
                let text = self.text(node);
                text.chars().count() > 3 && !text.contains('\\')
            }
            _ => false,
        }
    }

    /// Whether a statement of Java is a value that nothing is made of.
    fn is_only_value(&self, statement: Node<'_>) -> bool {
        let values = [
            "array_access",
            "binary_expression",
            "field_access",
            "identifier",
            "string_literal",
            "ternary_expression",
            "unary_expression",
        ];
        let is_arm = statement.parent().is_some_and(|parent| parent.kind() == "switch_rule");
        !is_arm && has_value(statement, &values)
    }

    /// Whether a constructor of Java is not called as its class: a method that says no type.
    fn is_of_other(&self, constructor: Node<'_>) -> bool {
        let mut outer = constructor.parent();
        while let Some(body) = outer.filter(|outer| outer.child_by_field_name("name").is_none()) {
            outer = body.parent();
        }
        let name = |node: Node<'_>| node.child_by_field_name("name").map(|name| self.text(name));
        outer.is_some_and(|outer| name(outer) != name(constructor))
    }

    /// Whether a method of a class of Java has no body and need have one.
    fn is_without_body(&self, method: Node<'_>) -> bool {
        let head = method.child(0).filter(|first| first.kind() == "modifiers");
        let head = head.map(|head| self.text(head)).unwrap_or_default();
        let is_free = ["abstract", "native"].iter().any(|word| head.contains(word));
        let is_in_class = method.parent().is_some_and(|outer| outer.kind() == "class_body");
        is_in_class && !is_free && method.child_by_field_name("body").is_none()
    }

    /// Whether a function of Rust has a parameter without a type.
    fn has_untyped(&self, function: Node<'_>) -> bool {
        let Some(list) = function.child_by_field_name("parameters") else { return false };
        let mut walk = list.walk();
        list.named_children(&mut walk).any(|part| {
            !part.is_extra() && ["identifier", "type_identifier"].contains(&part.kind())
        })
    }

    /// Whether an `#endif` is one of more than there are conditions.
    fn is_end_too_many(&self, directive: Node<'_>) -> bool {
        let text = self.text(directive);
        let is = |line: &str, word: &str| {
            let rest = line.trim_start().strip_prefix('#').map(str::trim_start);
            rest.is_some_and(|rest| rest.starts_with(word))
        };
        if !is(&text, "endif") {
            return false;
        }
        let source = String::from_utf8_lossy(&self.source);
        let count = |word: &str| source.lines().filter(|line| is(line, word)).count();
        count("endif") > count("if")
    }

    /// Whether a `const` has no value and must have one.
    fn is_const_alone(&self, declaration: Node<'_>) -> bool {
        let is_const = declaration.child(0).is_some_and(|word| word.kind() == "const");
        let mut walk = declaration.walk();
        let mut parts = declaration.named_children(&mut walk);
        let is_alone = parts.any(|part| {
            part.kind() == "variable_declarator" && part.child_by_field_name("value").is_none()
        });
        let mut around = declaration.parent();
        while let Some(outer) = around.filter(|_| is_const && is_alone) {
            // A file of declarations has only these.
            if ["ambient_declaration", "export_statement", "internal_module", "module"]
                .contains(&outer.kind())
            {
                return false;
            }
            around = outer.parent();
        }
        is_const && is_alone
    }

    /// Whether a word that is no name is taken for one.
    fn is_reserved(&self, name: Node<'_>) -> bool {
        let bytes = &self.source[name.byte_range()];
        if !RESERVED.iter().any(|word| word.as_bytes() == bytes) {
            return false;
        }
        let around = name.parent().map_or("", |parent| parent.kind());
        match self.language {
            // Any word is the name of a method.
            Language::Ruby => ["program", "body_statement", "block_body", "then", "else", "begin"]
                .contains(&around),
            Language::Rust => {
                !around.starts_with("token_") && around != "macro_definition" && bytes != b"end"
            }
            _ => bytes != b"end",
        }
    }

    fn is_old(&self, node: Node<'_>, kind: &str) -> bool {
        let first = node.child(0);
        match kind {
            "print_statement" => !has_child(node, &["chevron"]),
            "exec_statement" | "<>" => true,
            "raise_statement" => has_child(node, &["expression_list"]),
            "string" => first.is_some_and(|start| self.source[start.byte_range()].ends_with(b"`")),
            "integer" => {
                let digits = &self.source[node.byte_range()];
                digits.len() > 1
                    && digits[0] == b'0'
                    && digits.iter().all(|digit| digit.is_ascii_digit())
                    && digits.iter().any(|digit| *digit != b'0')
            }
            _ => false,
        }
    }

    /// The first row in a block that begins elsewhere than the block, or that of a block that has
    /// nothing in it, or mixes tabs and blanks so that its depth is not certain.
    fn odd_row(&self, node: Node<'_>) -> Option<usize> {
        let mut walk = node.walk();
        let parts: Vec<Node<'_>> =
            node.named_children(&mut walk).filter(|part| !part.is_extra()).collect();
        let Some(first) = parts.first() else {
            return (node.kind() == "block").then(|| node.start_position().row);
        };
        let start = first.start_position();
        // A block on lines of its own is deeper than its head by any measure of tabs.
        let indent = &self.source[first.start_byte() - start.column..first.start_byte()];
        let is_alone = indent.iter().all(u8::is_ascii_whitespace);
        if let Some(head) = node.parent().filter(|_| is_alone) {
            let (outer, inner) = (self.depth(head), self.depth(*first));
            if outer.0 >= inner.0 || outer.1 >= inner.1 {
                return Some(start.row);
            }
        }
        let odd = parts.windows(2).find(|pair| {
            let (above, part) = (pair[0].end_position(), pair[1].start_position());
            // A form feed is no indentation.
            let indent = &self.source[pair[1].start_byte() - part.column..pair[1].start_byte()];
            let indent = indent.iter().filter(|byte| **byte != b'\x0c').count();
            part.row > above.row && indent != start.column
        });
        odd.map(|pair| pair[1].start_position().row)
    }

    /// How far the line of a node begins to the right, with tabs of eight columns and of one.
    fn depth(&self, node: Node<'_>) -> (usize, usize) {
        let line = &self.source[node.start_byte() - node.start_position().column..];
        let blanks = line.iter().take_while(|byte| b" \t\x0c".contains(byte));
        blanks.fold((0, 0), |(wide, narrow), byte| match byte {
            b'\t' => (wide / 8 * 8 + 8, narrow + 1),
            b' ' => (wide + 1, narrow + 1),
            _ => (0, 0),
        })
    }

    /// A list of Go whose last line ends without a comma.
    fn no_comma(&self, node: Node<'_>) -> Option<usize> {
        let mut walk = node.walk();
        let parts: Vec<Node<'_>> =
            node.children(&mut walk).filter(|part| !part.is_extra()).collect();
        let [.., last, end] = parts.as_slice() else { return None };
        let row = last.end_position().row;
        (last.is_named() && row < end.start_position().row).then_some(row)
    }

    /// Where an element of JSX is closed by another name.
    fn other_tag(&self, node: Node<'_>) -> Option<usize> {
        let tag = |field: &str| node.child_by_field_name(field);
        let name = |tag: Node<'_>| tag.child_by_field_name("name").map(|name| self.text(name));
        let (open, close) = (tag("open_tag")?, tag("close_tag")?);
        (name(open) != name(close)).then(|| close.start_position().row)
    }
}

/// Whether a statement is one of these values.
fn has_value(statement: Node<'_>, kinds: &[&str]) -> bool {
    let value = statement.named_child(0).filter(|value| kinds.contains(&value.kind()));
    // What is received is taken from where it comes.
    value.is_some_and(|value| value.child(0).is_none_or(|mark| mark.kind() != "<-"))
}

/// The row of a block of Go that does not begin where its head ends, which ends the statement.
fn brace_below(statement: Node<'_>) -> Option<usize> {
    let mut walk = statement.walk();
    let parts: Vec<Node<'_>> =
        statement.children(&mut walk).filter(|part| !part.is_extra()).collect();
    let pair = parts.windows(2).find(|pair| pair[1].kind() == "block")?;
    let row = pair[1].start_position().row;
    (pair[0].end_position().row < row).then_some(row)
}

fn has_child(node: Node<'_>, kinds: &[&str]) -> bool {
    let mut walk = node.walk();
    node.children(&mut walk).any(|child| kinds.iter().any(|kind| child.kind().starts_with(kind)))
}

/// A parameter without a default value behind one that has one.
fn after_default(node: Node<'_>) -> Option<usize> {
    let mut walk = node.walk();
    let mut has_default = false;
    for part in node.named_children(&mut walk).filter(|part| !part.is_extra()) {
        match part.kind() {
            "default_parameter" | "typed_default_parameter" => has_default = true,
            "identifier" if has_default => return Some(part.start_position().row),
            "typed_parameter" if !has_child(part, &["identifier"]) => return None,
            "typed_parameter" if has_default => return Some(part.start_position().row),
            "identifier" | "typed_parameter" | "positional_separator" => {}
            _ => return None,
        }
    }
    None
}

/// An argument by its place behind one by its name.
fn after_keyword(node: Node<'_>) -> Option<usize> {
    let mut walk = node.walk();
    let mut has_keyword = false;
    let mut parts = node.named_children(&mut walk).filter(|part| !part.is_extra());
    let late = parts.find(|part| {
        has_keyword |= part.kind() == "keyword_argument";
        let is_placed =
            !["keyword_argument", "dictionary_splat", "list_splat"].contains(&part.kind());
        has_keyword && is_placed
    });
    late.map(|part| part.start_position().row)
}
