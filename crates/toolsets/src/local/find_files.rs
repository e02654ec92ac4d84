//! LocalCliTool `find_files`.

use files::search;

use crate::prelude::*;

/// Most paths of one answer.
const MOST: usize = 1000;

/// Find files by a pattern: one without a slash is matched against names in every directory, one
/// with a slash against paths. What .gitignore leaves out is not shown.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct FindFiles {
    /// Pattern such as *.ts or src/**/*.ts
    pattern: String,
    /// Search subdirectories too; true if absent
    recursive: Option<bool>,
}

/// What was found.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Paths relative to the base directory, sorted
    files: Vec<String>,
    /// What the list leaves out, if it leaves out anything
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Tool for FindFiles {
    type Output = Output;

    const FAILED: &'static str = r#"{"files": []}"#;

    const SPEC: Spec = Spec::new("find_files", "Find files", Category::Search)
        .errors(&[&[Code::InvalidGlob]])
        .examples(&[
            Example::of("A pattern for names")
                .given(&[("a.ts", ""), ("src/b.ts", ""), ("src/c.js", "")])
                .call(r#"{"pattern": "*.ts", "recursive": true}"#)
                .gives(r#"{"files": ["a.ts", "src/b.ts"]}"#),
            Example::of("A pattern for paths")
                .given(&[("a.ts", ""), ("src/b.ts", ""), ("src/deep/c.ts", "")])
                .call(r#"{"pattern": "src/*.ts"}"#)
                .gives(r#"{"files": ["src/b.ts"]}"#),
            Example::of("An invalid glob").call(r#"{"pattern": "[a"}"#).fails(
                Code::InvalidGlob,
                r#"{"files": [], "error": "[..]", "code": "InvalidGlob"}"#,
            ),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let files = search::Find::files(&self.pattern, ".", MOST);
        let find = search::Find { recursive: self.recursive.unwrap_or(true), ..files };
        let found = search::find(cx.workspace(), &find, cx.cancel())?;
        let note = found.note();
        Ok(Output { files: found.spots.into_iter().map(|p| p.shown).collect(), note })
    }
}
