//! Floyd `apply_unified_diff`.

use std::path::Path;

use files::patch::{Base, What, parse};

use super::patches::{Risk, Status, notes, would};
use crate::prelude::*;

/// Apply a unified diff to all its files, or to none if a part does not fit. Hunks are found where
/// their lines are; wrong counts in @@ do not matter.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ApplyUnifiedDiff {
    /// The diff
    diff: String,
    /// Try it and change nothing
    #[serde(default)]
    dry_run: bool,
    /// Directory its paths start at (default: project)
    root_path: Option<String>,
    /// Judge the risk too (default true)
    assess_risk: Option<bool>,
}

/// What was done.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// Whether all of it was applied, or could be
    success: bool,
    /// Paths that were changed, below rootPath; of a renamed file both
    applied_files: Vec<String>,
    /// What does not fit, by file
    errors: Vec<String>,
    /// What a dry run found
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<Vec<String>>,
    /// How much can go wrong
    #[serde(skip_serializing_if = "Option::is_none")]
    risk: Option<Risk>,
    /// What the diff says
    #[serde(skip_serializing_if = "Option::is_none")]
    parsed_files: Option<Vec<ParsedFile>>,
    /// What to be careful about; begins with a code
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    /// Hunks that stood elsewhere, or had wrong counts or line endings
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// What the diff says of a file.
#[derive(Serialize, JsonSchema)]
struct ParsedFile {
    /// Its path
    path: String,
    /// What is done with it
    status: Status,
    /// How many hunks it has
    hunks: usize,
}

impl Tool for ApplyUnifiedDiff {
    type Output = Output;

    const SPEC: Spec = Spec::new("apply_unified_diff", "Apply a diff", Category::Patches)
        .effect(Effect::WRITES, Permission::Dangerous)
        .errors(&[
            READING,
            &[
                Code::DirectoryNotFound,
                Code::NoValidDiff,
                Code::PatchFailed,
                Code::BinaryFile,
                Code::FileExists,
                Code::FileChanged,
                Code::RiskLevelHigh,
            ],
        ])
        .examples(&[
            Example::of("Two files, one of them new; the counts in @@ are wrong and the place too")
                .given(&[("a.txt", "zero\none\ntwo\nthree\n")])
                .call(r#"{"diff": "--- a/a.txt\n+++ b/a.txt\n@@ -4,9 +4,9 @@\n one\n-two\n+2\n three\n--- /dev/null\n+++ b/new/b.txt\n@@ -0,0 +1 @@\n+hi\n", "assessRisk": false}"#)
                .gives(r#"{"success": true, "appliedFiles": ["a.txt", "new/b.txt"], "errors": [], "parsedFiles": [{"path": "a.txt", "status": "modified", "hunks": 1}, {"path": "new/b.txt", "status": "added", "hunks": 1}], "notes": ["a.txt: hunk 1 applied at line 2 (2 above where the diff says, wrong counts)"]}"#)
                .leaves(&[("a.txt", "zero\none\n2\nthree\n"), ("new/b.txt", "hi\n")]),
            Example::of("An error for each file that does not fit")
                .given(&[("a.txt", "one\ntwo\nthree\n"), ("b.txt", "eins\n")])
                .call(r#"{"diff": "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-tow\n+2\n three\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-zwei\n+2\n", "assessRisk": false}"#)
                .fails(Code::PatchFailed, r#"{"success": false, "appliedFiles": [], "errors": ["a.txt: hunk 1 of 1 [..] the nearest is at line 1[..]", "b.txt: hunk 1 of 1 [..]"], "parsedFiles": [{"path": "a.txt", "status": "modified", "hunks": 1}, {"path": "b.txt", "status": "modified", "hunks": 1}], "error": "a.txt: [..]b.txt: [..]"}"#)
                .leaves(&[("b.txt", "eins\n")]),
            Example::of("One file does not fit, so none is changed")
                .given(&[("a.txt", "one\n"), ("b.txt", "eins\n")])
                .call(r#"{"diff": "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-zwei\n+2\n", "assessRisk": false}"#)
                .fails(Code::PatchFailed, r#"{"success": false, "appliedFiles": [], "errors": ["b.txt: hunk 1 of 1 [..] does not apply: [..]"], "parsedFiles": [{"path": "a.txt", "status": "modified", "hunks": 1}, {"path": "b.txt", "status": "modified", "hunks": 1}], "error": "b.txt: hunk 1 of 1 [..] does not apply: [..]"}"#)
                .leaves(&[("a.txt", "one\n"), ("b.txt", "eins\n")]),
        ]);

    fn permission(&self) -> Permission {
        if self.dry_run { Permission::None } else { Self::SPEC.permission }
    }

    fn paths(&self) -> Vec<String> {
        let Ok(set) = parse(&self.diff) else { return Vec::new() };
        let root = Path::new(self.root_path.as_deref().unwrap_or("."));
        let paths = set.paths(&Base::new(Path::new(""), &[]), None).into_iter();
        paths.filter_map(|path| root.join(path).to_str().map(str::to_owned)).collect()
    }

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let root = self.root_path.as_deref().unwrap_or(".");
        let mut out = Output::none();
        let set = match parse(&self.diff) {
            Ok(set) => set,
            Err(error) => return Err(out.failed(error)),
        };
        let parsed = |file: &files::patch::FilePatch| ParsedFile {
            path: file.path().display().to_string(),
            status: file.what().into(),
            hunks: file.hunks(),
        };
        out.parsed_files = Some(set.files().iter().map(parsed).collect());
        if self.assess_risk != Some(false) {
            let risk = Risk::of(&set);
            out.warnings.extend(risk.warning());
            out.risk = Some(risk);
        }
        let done = if self.dry_run {
            set.preview(cx.workspace(), root, None)
        } else {
            set.apply(cx.step()?, root, None)
        };
        let files = match done {
            Ok(files) => files,
            Err(error) => return Err(out.failed(error)),
        };
        out.notes = files.iter().flat_map(notes).collect();
        if self.dry_run {
            out.preview = Some(files.iter().map(would).collect());
        } else {
            let paths = files.iter().flat_map(|f| {
                let gone = f.from.as_ref().filter(|_| f.what == What::Renamed);
                gone.into_iter().chain([&f.path]).cloned()
            });
            out.applied_files = paths.collect();
        }
        Ok(out)
    }
}

impl Output {
    fn none() -> Self {
        Self {
            success: true,
            applied_files: Vec::new(),
            errors: Vec::new(),
            preview: None,
            risk: None,
            parsed_files: None,
            warnings: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn failed(self, error: Error) -> Error {
        let errors = error.message.split("\n\n").map(str::to_owned).collect();
        failed(error, &Self { success: false, errors, ..self })
    }
}
