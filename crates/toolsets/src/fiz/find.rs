//! fiz `find`.

use engine::search;

use crate::prelude::*;

/// Most paths of one answer.
const MOST: usize = 500;

/// Find files and folders by a path pattern such as **/*.go or cmd/**/main.go. A * stays within
/// one folder name, ** crosses folders. What .gitignore leaves out is not shown.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Find {
    /// Path pattern, matched against the path below dir
    pattern: String,
    /// Folder to search in; the working directory if absent
    dir: Option<String>,
    /// Folders to leave out instead of .git, .hg, .svn, node_modules and vendor; an empty list
    /// searches everything, ignored files too
    exclude_dirs: Option<Vec<String>>,
}

impl Tool for Find {
    type Output = String;

    const SPEC: Spec = Spec {
        name: "find",
        aliases: &[],
        title: "Find files",
        category: "Search",
        effect: Effect::Reads,
        permission: Permission::None,
        errors: &[Code::DirectoryNotFound, Code::NotADirectory, Code::InvalidGlob],
        examples: &[
            Example {
                about: "Every Go file below cmd",
                given: &[
                    ("cmd/a/main.go", ""),
                    ("cmd/b.go", ""),
                    ("main.go", ""),
                    ("vendor/cmd/c.go", ""),
                ],
                call: r#"{"pattern": "cmd/**/*.go"}"#,
                gives: "cmd/a/main.go\ncmd/b.go",
                leaves: &[],
                fails: None,
            },
            Example {
                about: "Nothing found, and why that may be",
                given: &[(".gitignore", "*.log\n"), ("run.log", "")],
                call: r#"{"pattern": "**/*.log"}"#,
                gives: "(no matches)\n([..]ignored[..])",
                leaves: &[],
                fails: None,
            },
            Example {
                about: "A pattern that is none",
                given: &[],
                call: r#"{"pattern": "src/[a"}"#,
                gives: "error: [..]",
                leaves: &[],
                fails: Some(Code::InvalidGlob),
            },
        ],
    };

    fn run(self, cx: &Cx<'_>) -> Result<String> {
        let find = search::Find {
            pattern: &self.pattern,
            dir: self.dir.as_deref().unwrap_or("."),
            ignore: super::ignore(self.exclude_dirs.as_deref()),
            max: MOST,
            kinds: search::Kinds::All,
            names: false,
            ignore_case: false,
            recursive: true,
        };
        let found = search::find(cx.workspace(), &find, cx.cancel())?;
        let mut lines: Vec<String> = found.spots.iter().map(|p| p.shown.clone()).collect();
        if lines.is_empty() {
            lines.push("(no matches)".to_owned());
            lines.extend(found.skipped.note().map(|n| format!("({n}{})", super::SEARCH_ALL)));
        } else if found.more {
            lines.push(format!("(results truncated at {MOST} matches)"));
        }
        Ok(lines.join("\n"))
    }
}
