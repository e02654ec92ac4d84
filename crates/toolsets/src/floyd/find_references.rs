//! Floyd `find_references`.

use index::{Located, Use};

use crate::prelude::*;

/// Most uses of one answer.
const MOST: usize = 500;

/// Find where a symbol is used in code, by its exact name. Comments and strings do not count.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct FindReferences {
    /// Name
    symbol: String,
    /// Directory or file (default: project)
    path: Option<String>,
}

/// The uses.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// By file, then by line
    references: Vec<Reference>,
    /// How many there are, also beyond these
    total_references: usize,
    /// What was not searched
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// A use.
#[derive(Serialize, JsonSchema)]
struct Reference {
    /// Its file
    file: String,
    /// Line, from 1
    line: usize,
    /// Column, from 1
    column: usize,
    /// definition, call, import or other
    role: &'static str,
    /// The line
    content: String,
}

impl Tool for FindReferences {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("find_references", "Find references", Category::Search)
        .errors(&[LISTING, &[Code::FileNotFound, Code::NotAFile]])
        .examples(&[
            Example::of("What the name does at each place; comments are not references")
                .given(&[
                    ("a.py", "def load(path):\n    return open(path)  # load it\n"),
                    ("b.py", "from a import load\n\nload('x')\nreload = 'load'\n"),
                ])
                .call(r#"{"symbol": "load"}"#)
                .gives(r#"{"success": true, "references": [{"file": "a.py", "line": 1, "column": 5, "role": "definition", "content": "def load(path):"}, {"file": "b.py", "line": 1, "column": 15, "role": "import", "content": "from a import load"}, {"file": "b.py", "line": 3, "column": 1, "role": "call", "content": "load('x')"}], "totalReferences": 3}"#),
            Example::of("A name is needed")
                .given(&[("a.py", "x = 1\n")])
                .call(r#"{"symbol": ""}"#)
                .fails(Code::InvalidInput, r#"{"error": "symbol: empty; [..]"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let dir = self.path.as_deref().unwrap_or(".");
        let index = cx.index();
        let places = index.find_references(cx.workspace(), &self.symbol, dir, MOST, cx.cancel())?;
        let reference = |at: Located<Use>| Reference {
            file: at.shown.to_string(),
            line: at.what.line,
            column: at.what.column,
            role: at.what.role.as_str(),
            content: at.what.text,
        };
        let references = places.found.into_iter().map(reference).collect();
        success(Output { references, total_references: places.total, note: places.note })
    }
}
