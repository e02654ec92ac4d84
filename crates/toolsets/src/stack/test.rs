//! Stack `test`.

use files::Workspace;
use programs::project::Purpose;

use super::line::{Chosen, FINDING, How, OfProject};
use super::project_path::ProjectPath;
use crate::prelude::*;

/// Run tests with pytest, or with the project's own runner; says which failed, why and where.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Test {
    /// File or directory (default .)
    path: Option<String>,
    /// pytest: names of test files
    pattern: Option<String>,
    /// pytest: name each test (default true)
    verbose: Option<bool>,
}

impl OfProject for Test {
    const SPEC: Spec = Spec::new("test", "Run the tests", Category::Programs)
        .effect(Effect::RUNS, Permission::Dangerous)
        .errors(&[FINDING])
        .examples(&[
            Example::of("Failed tests are an answer, with a summary")
                .given(&[(
                    "Makefile",
                    "test:\n\t@echo '===== 1 failed, 2 passed in 0.10s ====='; false\n",
                )])
                .gives(r#"{"success": false, "output": "[..]", "errors": "[..]", "returncode": 2, "command": "make test", "summary": {"runner": "pytest", "passed": 2, "failed": 1, "skipped": 0, "failures": [], "more": 0}}"#),
            Example::of("A path that does not exist")
                .given(&[("tests/test_a.py", "")])
                .call(r#"{"path": "test"}"#)
                .fails(Code::FileNotFound, r#"{"success": false, "error": "test: no such file; [..]", "code": "FileNotFound"}"#),
        ]);

    const TESTS: bool = true;

    fn chosen(&self, workspace: &Workspace) -> Result<Chosen> {
        let place = ProjectPath::find(workspace, self.path.as_deref())?;
        let own = place.project.command(Purpose::Test);
        let is_other = own.is_some_and(|line| !line.contains("pytest")) && !place.is_python_file();
        if is_other || !place.is_python() {
            let mut chosen = place.own(Purpose::Test)?;
            if self.pattern.is_some() {
                chosen.notes.push("pattern is for pytest and was not used".to_owned());
            }
            return Ok(chosen);
        }
        let targets: Vec<&str> = place.target.iter().map(String::as_str).collect();
        let mut words = place.project.line(Purpose::Test, "pytest", &targets).unwrap_or_default();
        if self.verbose.unwrap_or(true) {
            words.push("-v".to_owned());
        }
        if let Some(pattern) = &self.pattern {
            words.extend(["-o".to_owned(), format!("python_files={pattern}")]);
        }
        Ok(place.chosen(How::Words(words)))
    }
}
