//! Stack `install`.

use std::time::Duration;

use files::Workspace;
use programs::project::Purpose;

use super::line::{Chosen, FINDING, How, OfProject};
use super::project_path::ProjectPath;
use crate::prelude::*;

/// Packages come from the network, one after another.
const TIME: Duration = Duration::from_secs(300);

/// Install what the project depends on.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Install {
    /// Project directory, or a list of requirements for pip (default .)
    path: Option<String>,
    /// pip, poetry, npm, uv, pnpm, yarn, cargo… (default: the project's, else pip)
    package_manager: Option<String>,
}

impl OfProject for Install {
    const SPEC: Spec = Spec::new("install", "Install dependencies", Category::Programs)
        .effect(Effect::RUNS.and(Effect::CONNECTS), Permission::Dangerous)
        .errors(&[FINDING])
        .examples(&[
            Example::of("An unknown package manager")
                .given(&[("package.json", "{}")])
                .call(r#"{"package_manager": "npmm"}"#)
                .fails(Code::InvalidInput, r#"{"success": false, "error": "package_manager: npmm: not known for this; choose one of pip, poetry, uv, npm, [..]", "code": "InvalidInput"}"#),
            Example::of("A package without dependencies")
                .given(&[
                    ("Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\n[workspace]\n"),
                    ("src/lib.rs", ""),
                ])
                .gives(r#"{"success": true, "output": "", "errors": "[..]", "returncode": 0, "command": "cargo fetch"}"#),
        ]);

    fn chosen(&self, workspace: &Workspace) -> Result<Chosen> {
        let mut place = ProjectPath::find(workspace, self.path.as_deref())?;
        let asked = self.package_manager.as_deref();
        let mut chosen = match (asked, place.target.take()) {
            (None, None) => place.own(Purpose::Install),
            (Some("pip") | None, target) => {
                let has = |name: &str| place.project.config_files.iter().any(|file| file == name);
                let list =
                    target.as_deref().or(has("requirements.txt").then_some("requirements.txt"));
                let what = list.map_or(["-e", "."], |list| ["-r", list]);
                let words = place.project.line(Purpose::Install, "pip", &what);
                Ok(place.chosen(How::Words(words.unwrap_or_default())))
            }
            (Some(manager), None) => place.program(Purpose::Install, "package_manager", manager),
            (Some(manager), Some(target)) => Err(Error::invalid_input(
                "path",
                format!(
                    "{target}: no project that {manager} installs; name the project's directory"
                ),
            )),
        }?;
        (chosen.time, chosen.online) = (Some(TIME), true);
        Ok(chosen)
    }
}
