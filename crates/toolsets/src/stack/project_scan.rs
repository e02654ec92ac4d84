//! Stack `project_scan`.

use files::workspace::Kind;

use crate::prelude::*;

/// Summarize a directory: its files and directories, and what kind of project it is.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct ProjectScan {
    /// Directory (default .)
    path: Option<String>,
}

/// Most files, and most directories, of one answer.
const MOST: usize = 500;

/// The project.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// What the directory has
    project: Project,
    /// What is missing
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// What a directory has.
#[derive(Serialize, JsonSchema)]
struct Project {
    /// Its name
    name: String,
    /// Files in it
    files: Vec<String>,
    /// Directories in it
    dirs: Vec<String>,
    /// Whether it is a git repository
    has_git: bool,
    /// Whether it has a pyproject.toml
    has_pyproject: bool,
    /// Whether it has a package.json
    has_package_json: bool,
    /// Whether it has a Dockerfile
    has_dockerfile: bool,
}

impl Tool for ProjectScan {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("project_scan", "Scan a project", Category::Memory)
        .errors(&[LISTING])
        .examples(&[
            Example::of("A Python project")
                .given(&[("pyproject.toml", ""), ("src/a.py", ""), ("Dockerfile", "")])
                .gives(r##"{"success": true, "project": {"name": "root", "files": ["Dockerfile", "pyproject.toml"], "dirs": ["src"], "has_git": false, "has_pyproject": true, "has_package_json": false, "has_dockerfile": true}}"##),
            Example::of("A directory that does not exist")
                .call(r#"{"path": "app"}"#)
                .fails(Code::DirectoryNotFound, r##"{"success": false, "error": "app: no such directory; [..]", "code": "DirectoryNotFound"}"##),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let path = self.path.as_deref().unwrap_or(".");
        let entries = cx.workspace().list(path)?;
        let of = |kind| entries.iter().filter(move |entry| entry.kind == kind);
        let has = |name: &str| entries.iter().any(|entry| entry.name == name);
        let here = cx.workspace().glance(path).map(|found| found.path);
        let name = here.as_ref().and_then(|path| path.file_name()).map(files::workspace::quote);
        let project = Project {
            name: name.unwrap_or_default(),
            files: of(Kind::File).take(MOST).map(|entry| entry.name.clone()).collect(),
            dirs: of(Kind::Directory).take(MOST).map(|entry| entry.name.clone()).collect(),
            has_git: has(".git"),
            has_pyproject: has("pyproject.toml"),
            has_package_json: has("package.json"),
            has_dockerfile: has("Dockerfile"),
        };
        let left = entries.len().saturating_sub(project.files.len() + project.dirs.len());
        let note =
            (left > 0).then(|| format!("{left} more of {} entries are not listed", entries.len()));
        success(Output { project, note })
    }
}
