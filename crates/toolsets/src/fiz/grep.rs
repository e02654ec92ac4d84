//! fiz `grep`.

use files::search;

use crate::prelude::*;

/// Most hits of one answer.
const MOST: usize = 200;

/// Search file contents for a regular expression; gives file:line:text. Skips what .gitignore
/// names.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Grep {
    /// Regular expression
    pattern: String,
    /// Directory (default: working directory)
    dir: Option<String>,
    /// Only file names such as *.go
    glob: Option<String>,
    /// Ignore case
    #[serde(default)]
    case_insensitive: bool,
    /// Directories to skip instead of .git, node_modules, vendor and the like; [] searches all
    exclude_dirs: Option<Vec<String>>,
}

impl Tool for Grep {
    type Output = String;

    const SPEC: Spec = Spec::new("grep", "Search in files", Category::Search)
        .errors(&[
            LISTING,
            &[Code::FileNotFound, Code::NotAFile, Code::InvalidRegex, Code::InvalidGlob],
        ])
        .examples(&[
            Example::of("A word in files of one kind")
                .given(&[
                    ("b.go", "x\nfunc main() {}\n"),
                    ("a.go", "// main\n"),
                    ("a.txt", "main\n"),
                ])
                .call(r#"{"pattern": "\\bmain\\b", "glob": "*.go"}"#)
                .gives("a.go:1:// main\nb.go:2:func main() {}"),
            Example::of("An invalid regular expression")
                .given(&[("a.go", "f(\n")])
                .call(r#"{"pattern": "f("}"#)
                .fails(Code::InvalidRegex, "error: pattern f(: invalid regular expression[..]"),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<String> {
        let grep = search::Grep {
            ignore_case: self.case_insensitive,
            glob: self.glob.as_deref(),
            ignore: super::ignore(self.exclude_dirs.as_deref()),
            ..search::Grep::new(&self.pattern, self.dir.as_deref().unwrap_or("."), MOST)
        };
        let found = search::grep(cx.workspace(), &grep, cx.cancel())?;
        let mut lines: Vec<String> =
            found.hits.iter().map(|h| format!("{}:{}:{}", h.shown, h.line, h.text)).collect();
        let is_found = !lines.is_empty();
        if !is_found {
            lines.push("(no matches)".to_owned());
        } else if found.more {
            lines.push(format!("(results truncated at {MOST} matches)"));
        }
        lines.extend(super::left_out(&found.skipped, is_found, self.exclude_dirs.as_deref()));
        Ok(lines.join("\n"))
    }
}
