//! Stack `lint`.

use files::Workspace;
use programs::project::Purpose;

use super::line::{Chosen, FINDING, OfProject};
use super::project_path::ProjectPath;
use crate::prelude::*;

/// Lint with ruff, pylint or mypy, or with the project's own linter.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Lint {
    /// File or directory (default .)
    path: Option<String>,
    /// ruff, pylint, mypy (default: the project's, else ruff)
    linter: Option<String>,
}

impl OfProject for Lint {
    const SPEC: Spec = Spec::new("lint", "Lint the sources", Category::Programs)
        .effect(Effect::RUNS, Permission::Dangerous)
        .errors(&[FINDING])
        .examples(&[
            Example::of("The project's own linter; findings are an answer")
                .given(&[("Makefile", "lint:\n\t@echo 'a.c:1: unused'; false\n")])
                .gives(r#"{"success": false, "output": "a.c:1: unused\n", "errors": "[..]", "returncode": 2, "command": "make lint"}"#),
            Example::of("An unknown linter")
                .call(r#"{"linter": "rough"}"#)
                .fails(Code::InvalidInput, r#"{"success": false, "error": "linter: rough: not known for this; choose one of ruff, [..]", "code": "InvalidInput"}"#),
        ]);

    fn chosen(&self, workspace: &Workspace) -> Result<Chosen> {
        let place = ProjectPath::find(workspace, self.path.as_deref())?;
        place.choose(Purpose::Lint, ("linter", self.linter.as_deref()), "ruff")
    }
}
