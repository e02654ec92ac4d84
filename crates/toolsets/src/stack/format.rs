//! Stack `format`.

use files::Workspace;
use programs::project::Purpose;

use super::line::{Chosen, FINDING, OfProject};
use super::project_path::ProjectPath;
use crate::prelude::*;

/// Format with ruff or black, or with the project's own formatter.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Format {
    /// File or directory (default .)
    path: Option<String>,
    /// ruff, black (default: the project's, else ruff)
    formatter: Option<String>,
}

impl OfProject for Format {
    const SPEC: Spec = Spec::new("format", "Format the sources", Category::Programs)
        .effect(Effect::RUNS, Permission::Dangerous)
        .errors(&[FINDING])
        .examples(&[
            Example::of("The makefile's target formats")
                .given(&[("Makefile", "fmt:\n\t@echo tidy > a.txt\n"), ("a.txt", "messy\n")])
                .gives(r#"{"success": true, "output": "", "errors": "", "returncode": 0, "command": "make fmt"}"#)
                .leaves(&[("a.txt", "tidy\n")]),
            Example::of("A path that does not exist")
                .call(r#"{"path": "gone.py"}"#)
                .fails(Code::FileNotFound, r#"{"success": false, "error": "gone.py: no such file; [..]", "code": "FileNotFound"}"#),
        ]);

    fn chosen(&self, workspace: &Workspace) -> Result<Chosen> {
        let place = ProjectPath::find(workspace, self.path.as_deref())?;
        place.choose(Purpose::Format, ("formatter", self.formatter.as_deref()), "ruff")
    }
}
