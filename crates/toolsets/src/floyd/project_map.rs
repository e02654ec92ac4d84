//! Floyd `project_map`.

use crate::prelude::*;

/// Draw the directories and files of the project as a tree, without what is ignored.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProjectMap {
    /// Levels (default 3)
    max_depth: Option<usize>,
}

/// The tree.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// One line an entry; directories end in `/`, links in `@`
    tree: String,
    /// ascii
    format: &'static str,
    /// What is left out
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Tool for ProjectMap {
    type Output = Output;

    const SPEC: Spec = Spec::new("project_map", "Map the project", Category::Build)
        .examples(&[
            Example::of("What is below the last level is counted, what is ignored is named")
                .given(&[
                    (".gitignore", "target\n"),
                    ("src/main.rs", ""),
                    ("src/deep/a.rs", ""),
                    ("src/deep/b.rs", ""),
                    ("target/debug/main", ""),
                ])
                .call(r#"{"maxDepth": 2}"#)
                .gives(r#"{"tree": "root/  [ignored: target/]\n|-- .gitignore\n`-- src/\n    |-- deep/  (2 files)\n    `-- main.rs\n", "format": "ascii"}"#),
            Example::of("No level at all shows nothing")
                .call(r#"{"maxDepth": 0}"#)
                .fails(Code::InvalidInput, r#"{"error": "maxDepth: 0 levels show nothing; give at least 1"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let depth = self.max_depth.unwrap_or(3);
        if depth == 0 {
            return Err(Error::invalid_input("maxDepth", "0 levels show nothing; give at least 1"));
        }
        let map = files::search::map(cx.workspace(), ".", depth, cx.cancel())?;
        Ok(Output { tree: map.tree, format: "ascii", note: map.note })
    }
}
