//! Floyd `assess_patch_risk`.

use files::patch::{FilePatch, parse};

use super::patches::{Risk, Status};
use crate::prelude::*;

/// Judge how risky a diff is: binary or sensitive files and deletions are high, large hunks and
/// many files medium.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct AssessPatchRisk {
    /// The diff
    diff: String,
}

/// The judgement.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    risk: Risk,
    /// What the diff says of each file
    files: Vec<File>,
    /// Why the diff could not be read, if it could not
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// What the diff says of a file.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct File {
    /// Its path
    path: String,
    /// What is done with it
    status: Status,
    /// How many hunks it has
    hunk_count: usize,
}

impl Tool for AssessPatchRisk {
    type Output = Output;

    const SPEC: Spec = Spec::new("assess_patch_risk", "Assess a diff", Category::Patches)
        .examples(&[
            Example::of("A sensitive file")
                .call(r#"{"diff": "--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-A=1\n+A=2\n"}"#)
                .gives(r#"{"riskLevel": "high", "warnings": ["Sensitive file (.env): .env"], "isBinary": false, "affectsMultipleFiles": false, "totalChanges": 1, "files": [{"path": ".env", "status": "modified", "hunkCount": 1}]}"#),
            Example::of("What is no diff is no risk, and cannot be applied")
                .call(r#"{"diff": "hello"}"#)
                .gives(r#"{"riskLevel": "low", "warnings": [], "isBinary": false, "affectsMultipleFiles": false, "totalChanges": 0, "files": [], "note": "[..]diff[..]"}"#),
            Example::of("The diff is missing")
                .call("{}")
                .fails(Code::InvalidInput, r#"{"error": "diff: missing field[..]"}"#),
        ]);

    fn run(self, _: &Cx<'_>) -> Result<Output> {
        let set = match parse(&self.diff) {
            Ok(set) => set,
            Err(error) => {
                return Ok(Output {
                    risk: Risk::none(),
                    files: Vec::new(),
                    note: Some(error.message),
                });
            }
        };
        let file = |file: &FilePatch| File {
            path: file.path().display().to_string(),
            status: file.what().into(),
            hunk_count: file.hunks(),
        };
        let files = set.files().iter().map(file).collect();
        Ok(Output { risk: Risk::of(&set), files, note: None })
    }
}
