//! Floyd `find_symbol`.

use index::{Located, Named};
use syntax::{Family, Symbol};

use crate::prelude::*;

/// Most symbols of one answer.
const MOST: usize = 200;

/// Find where a symbol is defined; if none is named exactly so, those that begin so.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FindSymbol {
    /// Name
    symbol: String,
    /// Directory or file (default: project)
    path: Option<String>,
    /// Only this kind
    symbol_type: Option<SymbolType>,
}

/// What a symbol is, coarsely.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SymbolType {
    /// A function or method
    Function,
    /// A class, struct or enum
    Class,
    /// An interface or trait
    Interface,
    /// A variable
    Variable,
    /// A constant
    Constant,
}

/// The definitions.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// By file, then by line
    symbols: Vec<Definition>,
    /// How many there are, also beyond these
    total_results: usize,
    /// What was not searched
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// A definition.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Definition {
    /// Name
    name: String,
    /// What it is, in its language
    r#type: &'static str,
    /// Its file
    file: String,
    /// Line of the name, from 1
    line: usize,
    /// Column of the name, from 1
    column: usize,
    /// Last line of the definition, from 1
    end_line: usize,
    /// What it belongs to
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<String>,
    /// How it is declared
    signature: String,
}

impl Tool for FindSymbol {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("find_symbol", "Find a symbol", Category::Search)
        .errors(&[LISTING, &[Code::FileNotFound, Code::NotAFile]])
        .examples(&[
            Example::of("The definition, not its uses")
                .given(&[(
                    "src/a.ts",
                    "import x from 'y';\n\nexport class Engine {\n  start() {}\n}\nnew Engine();\n",
                )])
                .call(r#"{"symbol": "Engine", "symbolType": "class"}"#)
                .gives(r#"{"success": true, "symbols": [{"name": "Engine", "type": "class", "file": "src/a.ts", "line": 3, "column": 14, "endLine": 5, "signature": "export class Engine"}], "totalResults": 1}"#),
            Example::of("Nothing of that name: what begins so")
                .given(&[(
                    "a.py",
                    "def parse_line(text):\n    pass\n\n\ndef other():\n    parse_line('')\n",
                )])
                .call(r#"{"symbol": "PARSE"}"#)
                .gives(r#"{"success": true, "symbols": [{"name": "parse_line", "type": "function", "file": "a.py", "line": 1, "column": 5, "endLine": 2, "signature": "def parse_line(text)"}], "totalResults": 1}"#),
            Example::of("A path that does not exist")
                .given(&[("a.py", "")])
                .call(r#"{"symbol": "x", "path": "b"}"#)
                .fails(Code::DirectoryNotFound, r#"{"error": "b: no such directory; [..]"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let family = self.symbol_type.map(|kind| match kind {
            SymbolType::Function => Family::Function,
            SymbolType::Class => Family::Class,
            SymbolType::Interface => Family::Interface,
            SymbolType::Variable => Family::Variable,
            SymbolType::Constant => Family::Constant,
        });
        let dir = self.path.as_deref().unwrap_or(".");
        let named = Named { name: &self.symbol, dir, family, max: MOST };
        let places = cx.index().find_symbol(cx.workspace(), &named, cx.cancel())?;
        let definition = |at: Located<Symbol>| Definition {
            r#type: at.what.kind.as_str(),
            file: at.shown.to_string(),
            line: at.what.line,
            column: at.what.column,
            end_line: at.what.end_line,
            container: at.what.container,
            signature: at.what.signature,
            name: at.what.name,
        };
        let symbols = places.found.into_iter().map(definition).collect();
        success(Output { symbols, total_results: places.total, note: places.note })
    }
}
