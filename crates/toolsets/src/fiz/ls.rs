//! fiz `ls`.

use files::workspace::Kind;

use crate::prelude::*;

/// List a directory, hidden entries too.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Ls {
    /// Directory (default: working directory)
    path: Option<String>,
}

impl Tool for Ls {
    type Output = String;

    const SPEC: Spec =
        Spec::new("ls", "List a directory", Category::Files).errors(&[LISTING]).examples(&[
            Example::of("Directories first")
                .given(&[
                    ("src/b.rs", ""),
                    ("src/a.rs", ""),
                    ("src/bin/x.rs", ""),
                    ("src/.hidden", ""),
                ])
                .call(r#"{"path": "src"}"#)
                .gives("src/\nbin/\n.hidden\na.rs\nb.rs"),
            Example::of("A file is not a directory")
                .given(&[("a.txt", "x")])
                .call(r#"{"path": "a.txt"}"#)
                .fails(Code::NotADirectory, "error: a.txt: not a directory; [..]"),
        ]);

    fn paths(&self) -> Vec<String> {
        self.path.clone().into_iter().collect()
    }

    fn run(self, cx: &Cx<'_>) -> Result<String> {
        let path = self.path.as_deref().filter(|p| !p.is_empty()).unwrap_or(".");
        let entries = cx.workspace().list(path)?;
        let (folders, files): (Vec<_>, Vec<_>) =
            entries.into_iter().partition(|e| e.kind == Kind::Directory);
        let mut lines = vec![format!("{}/", path.trim_end_matches('/'))];
        lines.extend(folders.into_iter().map(|f| f.name + "/"));
        lines.extend(files.into_iter().map(|f| f.name));
        if lines.len() == 1 {
            lines.push("(empty directory)".to_owned());
        }
        let cut = files::text::head(&lines.join("\n"), lines.len(), cx.result_bytes());
        Ok(match cut.omitted {
            0 => cut.text,
            omitted => format!(
                "{}\n[Truncated: {omitted} entries omitted; use find with a pattern]",
                cut.text
            ),
        })
    }
}
