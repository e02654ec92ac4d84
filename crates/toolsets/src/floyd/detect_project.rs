//! Floyd `detect_project`.

use programs::project::{Purpose, detect};

use crate::prelude::*;

/// Detect the kind of a project, its package manager, and its test, format, lint and build commands.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DetectProject {
    /// Project directory (default: the root)
    project_path: Option<String>,
}

/// What speaks in the directory for itself.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// node, go, rust, python or unknown
    #[serde(rename = "type")]
    kind: &'static str,
    /// From 0 to 1; evidence for another kind lowers it
    confidence: f64,
    /// npm, yarn, pnpm, bun, go, cargo, pip, poetry or uv
    #[serde(skip_serializing_if = "Option::is_none")]
    package_manager: Option<&'static str>,
    /// Lines for a shell in the directory
    commands: Commands,
    /// Manifests and settings that were found
    has_config_files: Vec<String>,
    /// Other projects, manifests that cannot be read
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// Only what there is.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Commands {
    /// Runs the tests
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<String>,
    /// Formats the sources
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<String>,
    /// Lints the sources
    #[serde(skip_serializing_if = "Option::is_none")]
    lint: Option<String>,
    /// Builds the project
    #[serde(skip_serializing_if = "Option::is_none")]
    build: Option<String>,
}

impl Tool for DetectProject {
    type Output = Output;

    const SPEC: Spec = Spec::new("detect_project", "Detect the project", Category::Build)
        .errors(&[LISTING])
        .examples(&[
            Example::of("A Rust package with a list of Python requirements is a Rust package")
                .given(&[
                    ("Cargo.toml", "[package]\nname = \"a\"\n"),
                    ("requirements.txt", "mkdocs\n"),
                ])
                .gives(r#"{"type": "rust", "confidence": 0.7, "packageManager": "cargo", "commands": {"test": "cargo test", "format": "cargo fmt", "lint": "cargo clippy --all-targets", "build": "cargo build"}, "hasConfigFiles": ["Cargo.toml", "requirements.txt"], "note": "also in this directory: python (requirements.txt; no commands)"}"#),
            Example::of("Only scripts that there are become commands")
                .given(&[
                    ("web/package.json", "{\"scripts\": {\"build\": \"vite build\"}}"),
                    ("web/pnpm-lock.yaml", ""),
                ])
                .call(r#"{"projectPath": "web"}"#)
                .gives(r#"{"type": "node", "confidence": 0.94, "packageManager": "pnpm", "commands": {"build": "pnpm run build"}, "hasConfigFiles": ["package.json", "pnpm-lock.yaml"]}"#),
            Example::of("A directory that does not exist")
                .call(r#"{"projectPath": "gone"}"#)
                .fails(Code::DirectoryNotFound, r#"{"error": "gone: no such directory; [..]"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let project = detect(cx.workspace(), self.project_path.as_deref().unwrap_or("."))?;
        let command = |purpose| project.command(purpose).map(str::to_owned);
        Ok(Output {
            kind: project.kind.as_str(),
            confidence: project.confidence,
            package_manager: project.manager,
            commands: Commands {
                test: command(Purpose::Test),
                format: command(Purpose::Format),
                lint: command(Purpose::Lint),
                build: command(Purpose::Build),
            },
            note: joined(&project.notes),
            has_config_files: project.config_files,
        })
    }
}
