//! Stack `typecheck`.

use files::Workspace;
use programs::project::Purpose;

use super::line::{Chosen, FINDING, OfProject};
use super::project_path::ProjectPath;
use crate::prelude::*;

/// Check types with mypy, or with what the project uses.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Typecheck {
    /// File or directory (default .)
    path: Option<String>,
}

impl OfProject for Typecheck {
    const SPEC: Spec = Spec::new("typecheck", "Check types", Category::Programs)
        .effect(Effect::RUNS, Permission::Dangerous)
        .errors(&[FINDING])
        .examples(&[
            Example::of("A makefile's target checks")
                .given(&[("Makefile", "typecheck:\n\t@echo no errors\n")])
                .gives(r#"{"success": true, "output": "no errors\n", "errors": "", "returncode": 0, "command": "make typecheck"}"#),
            Example::of("A path outside of the project")
                .call(r#"{"path": ".."}"#)
                .fails(Code::PathOutsideWorkspace, r#"{"success": false, "error": "..: outside the workspace[..]", "code": "PathOutsideWorkspace"}"#),
        ]);

    fn chosen(&self, workspace: &Workspace) -> Result<Chosen> {
        let place = ProjectPath::find(workspace, self.path.as_deref())?;
        place.choose(Purpose::Typecheck, ("path", None), "mypy")
    }
}
