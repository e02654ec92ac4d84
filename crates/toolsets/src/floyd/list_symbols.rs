//! Floyd `list_symbols`, of both versions.

use syntax::{Kind, Language};

use crate::prelude::*;

/// List the symbols that a source file defines.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListSymbols {
    /// File path
    file_path: String,
}

/// The symbols.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// In the order of the file
    symbols: Vec<Symbol>,
}

/// A symbol.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Symbol {
    /// Name
    name: String,
    /// class, function, interface, rust_fn, rust_struct, or what its language calls it
    r#type: &'static str,
    /// Line of the name, from 1
    line: usize,
    /// Last line of the definition, from 1
    end_line: usize,
    /// What it belongs to
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<String>,
    /// The line of the name
    preview: String,
}

/// The word of the document where it has one.
fn word(kind: Kind, language: Language) -> &'static str {
    match (kind, language) {
        (Kind::Function | Kind::Method, Language::Rust) => "rust_fn",
        (Kind::Struct, Language::Rust) => "rust_struct",
        (Kind::Function | Kind::Method, _) => "function",
        (kind, _) => kind.as_str(),
    }
}

impl Tool for ListSymbols {
    type Output = Output;

    const SPEC: Spec = Spec::new("list_symbols", "List symbols", Category::Build)
        .errors(&[READING, &[Code::BinaryFile]])
        .examples(&[
            Example::of("Rust has words of its own")
                .given(&[(
                    "a.rs",
                    "struct A;\n\nimpl A {\n    fn new() -> A { A }\n}\nenum E { X }\n",
                )])
                .call(r#"{"filePath": "a.rs"}"#)
                .gives(r#"{"symbols": [{"name": "A", "type": "rust_struct", "line": 1, "endLine": 1, "preview": "struct A;"}, {"name": "new", "type": "rust_fn", "line": 4, "endLine": 4, "container": "A", "preview": "    fn new() -> A { A }"}, {"name": "E", "type": "enum", "line": 6, "endLine": 6, "preview": "enum E { X }"}, {"name": "X", "type": "variant", "line": 6, "endLine": 6, "container": "E", "preview": "enum E { X }"}]}"#),
            Example::of("Functions in variables are functions")
                .given(&[("a.ts", "interface I {}\nexport const f = (x: number) => x;\n")])
                .call(r#"{"path": "a.ts"}"#)
                .gives(r#"{"symbols": [{"name": "I", "type": "interface", "line": 1, "endLine": 1, "preview": "interface I {}"}, {"name": "f", "type": "function", "line": 2, "endLine": 2, "preview": "export const f = (x: number) => x;"}]}"#),
            Example::of("A misspelt name is answered with the likely one")
                .given(&[("main.go", "package main\n")])
                .call(r#"{"filePath": "mian.go"}"#)
                .fails(Code::FileNotFound, r#"{"error": "mian.go: no such file; did you mean main.go?"}"#),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![self.file_path.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let listed = cx.index().list_symbols(cx.workspace(), &self.file_path, cx.cancel())?;
        let symbol = |(symbol, preview): (syntax::Symbol, String)| Symbol {
            r#type: word(symbol.kind, listed.language),
            line: symbol.line,
            end_line: symbol.end_line,
            container: symbol.container,
            preview,
            name: symbol.name,
        };
        Ok(Output { symbols: listed.symbols.into_iter().map(symbol).collect() })
    }
}
