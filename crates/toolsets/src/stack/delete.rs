//! Stack `delete`.

use files::search::{self, Ignore};
use files::workspace::Kind;

use crate::prelude::*;

/// Delete a file or a directory with all in it. Without force nothing is deleted and the answer
/// says what would be.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Delete {
    /// Path
    path: String,
    /// Really delete it
    #[serde(default)]
    force: bool,
}

/// What was done.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether it was deleted
    success: bool,
    /// What was deleted
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted: Option<String>,
    /// What would be deleted
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
    /// What that means
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
}

impl Tool for Delete {
    type Output = Output;

    const SPEC: Spec = Spec::new("delete", "Delete a file or directory", Category::Files)
        .effect(Effect::WRITES, Permission::Moderate)
        .errors(&[&[
            Code::FileNotFound,
            Code::DirectoryNotFound,
            Code::NotADirectory,
            Code::IsDirectory,
            Code::FileTooLarge,
        ]])
        .examples(&[
            Example::of("Asked first, nothing goes")
                .given(&[("old/a.txt", ""), ("old/b.txt", "")])
                .call(r#"{"path": "old"}"#)
                .gives(r#"{"success": false, "warning": "old: would delete the directory with 2 files: old/a.txt, old/b.txt; call again with force to do it", "note": "nothing was deleted"}"#)
                .leaves(&[("old/a.txt", "")]),
            Example::of("It goes, and undo brings it back")
                .given(&[("old/a.txt", "")])
                .call(r#"{"path": "old", "force": true}"#)
                .gives(r#"{"success": true, "deleted": "old"}"#)
                .leaves(&[("old", GONE)]),
            Example::of("Nothing is there")
                .given(&[("a.txt", "")])
                .call(r#"{"path": "b.txt", "force": true}"#)
                .fails(Code::FileNotFound, r#"{"success": false, "error": "b.txt: no such file; [..]", "code": "FileNotFound"}"#),
        ]);

    fn permission(&self) -> Permission {
        if self.force { Self::SPEC.permission } else { Permission::None }
    }

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let (path, workspace) = (&self.path, cx.workspace());
        let is_folder =
            workspace.link(path).is_none() && workspace.kind(path)? == Some(Kind::Directory);
        workspace.must_not_be_root(path)?;
        if !self.force {
            let warning = warning(cx, path, is_folder)?;
            let note = Some("nothing was deleted");
            return Ok(Output { success: false, deleted: None, warning: Some(warning), note });
        }
        if is_folder {
            cx.step()?.remove_directory(path)?;
        } else {
            cx.step()?.remove_file(path)?;
        }
        Ok(Output { success: true, deleted: Some(self.path), warning: None, note: None })
    }
}

/// What would go.
fn warning(cx: &Cx<'_>, path: &str, is_folder: bool) -> Result<String> {
    const NAMED: usize = 10;
    if !is_folder {
        let what = match cx.workspace().link(path) {
            Some(target) => format!("link, not {target} to which it leads"),
            None => format!("file of {} bytes", cx.workspace().info(path)?.size),
        };
        return Ok(format!("{path}: would delete the {what}; call again with force to do it"));
    }
    let find = search::Find {
        pattern: "**",
        dir: path,
        names: false,
        ignore_case: false,
        kinds: search::Kinds::Files,
        ignore: Ignore::Nothing,
        max: 100_000,
        recursive: true,
        exclude: &[],
    };
    let found = search::find(cx.workspace(), &find, cx.cancel())?;
    let count = found.spots.len();
    let names: Vec<&str> = found.spots.iter().take(NAMED).map(|spot| spot.shown.as_str()).collect();
    let more = if count > NAMED { format!(" and {} more", count - NAMED) } else { String::new() };
    let names = names.join(", ");
    Ok(format!(
        "{path}: would delete the directory with {count} files: {names}{more}; call again with force to do it"
    ))
}
