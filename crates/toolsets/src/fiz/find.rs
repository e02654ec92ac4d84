//! fiz `find`.

use files::search;

use crate::prelude::*;

/// Most paths of one answer.
const MOST: usize = 500;

/// Find files and directories by path pattern, such as **/*.go or cmd/**/main.go. Skips what
/// .gitignore names.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Find {
    /// Pattern of the path below dir; ** crosses directories
    pattern: String,
    /// Directory (default: working directory)
    dir: Option<String>,
    /// Directories to skip instead of .git, node_modules, vendor and the like; [] searches all
    exclude_dirs: Option<Vec<String>>,
}

impl Tool for Find {
    type Output = String;

    const SPEC: Spec = Spec::new("find", "Find files", Category::Search)
        .errors(&[LISTING, &[Code::InvalidGlob]])
        .examples(&[
            Example::of("Every Go file below cmd")
                .given(&[
                    ("cmd/a/main.go", ""),
                    ("cmd/b.go", ""),
                    ("main.go", ""),
                    ("vendor/cmd/c.go", ""),
                ])
                .call(r#"{"pattern": "cmd/**/*.go"}"#)
                .gives("cmd/a/main.go\ncmd/b.go\n(skipped 1 directory (vendor; name one to look into it))"),
            Example::of("Nothing found, and why that may be")
                .given(&[(".gitignore", "*.log\n"), ("run.log", "")])
                .call(r#"{"pattern": "**/*.log"}"#)
                .gives("(no matches)\n([..]ignored[..])"),
            Example::of("A pattern without a slash is for the directory itself")
                .given(&[("src/main.go", "")])
                .call(r#"{"pattern": "*.go"}"#)
                .gives("(no matches)\n(only . itself was looked at; **/*.go looks below it too)"),
            Example::of("An invalid glob")
                .call(r#"{"pattern": "src/[a"}"#)
                .fails(Code::InvalidGlob, "error: [..]"),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<String> {
        let dir = self.dir.as_deref().unwrap_or(".");
        let find = search::Find {
            ignore: super::ignore(self.exclude_dirs.as_deref()),
            kinds: search::Kinds::All,
            names: false,
            ..search::Find::files(&self.pattern, dir, MOST)
        };
        let found = search::find(cx.workspace(), &find, cx.cancel())?;
        let mut lines: Vec<String> = found.spots.iter().map(|p| p.shown.clone()).collect();
        let is_found = !lines.is_empty();
        if !is_found {
            lines.push("(no matches)".to_owned());
            if !self.pattern.contains('/') {
                lines.push(format!(
                    "(only {dir} itself was looked at; **/{} looks below it too)",
                    self.pattern
                ));
            }
        } else if found.more {
            lines.push(format!("(results truncated at {MOST} matches)"));
        }
        lines.extend(super::left_out(&found.skipped, is_found, self.exclude_dirs.as_deref()));
        Ok(lines.join("\n"))
    }
}
