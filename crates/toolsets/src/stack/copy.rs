//! Stack `copy`.

use files::journal::Transfer;
use files::workspace::Kind;

use crate::prelude::*;

/// Copy a file or directory. A directory at the destination gets it under its own name; a file
/// replaces a file.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Copy {
    /// Path of what is there
    source: String,
    /// Path of where it goes
    destination: String,
}

/// What was done.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Where it was
    source: String,
    /// Where it is
    destination: String,
    /// How many files it has
    files: usize,
    /// What was there before
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Output {
    /// What is told of something that was at `source`.
    pub(super) fn of(source: String, done: Transfer) -> Result<Success<Self>> {
        success(Self { source, destination: done.to, files: done.files, note: None })
    }
}

impl Tool for Copy {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("copy", "Copy a file or directory", Category::Files)
        .effect(Effect::WRITES, Permission::Moderate)
        .errors(&[WRITING, &[Code::FileNotFound, Code::FileExists]])
        .examples(&[
            Example::of("A directory with all that is in it")
                .given(&[("src/a.txt", "a\n"), ("src/b/c.txt", "c\n")])
                .call(r#"{"source": "src", "destination": "new/dst"}"#)
                .gives(r#"{"success": true, "source": "src", "destination": "new/dst", "files": 2}"#)
                .leaves(&[("new/dst/a.txt", "a\n"), ("new/dst/b/c.txt", "c\n")]),
            Example::of("Into a directory that is there")
                .given(&[("a.txt", "a\n"), ("dst/", "")])
                .call(r#"{"source": "a.txt", "destination": "dst"}"#)
                .gives(r#"{"success": true, "source": "a.txt", "destination": "dst/a.txt", "files": 1}"#)
                .leaves(&[("dst/a.txt", "a\n")]),
            Example::of("A file replaces a file, and undo brings it back")
                .given(&[("backup/a.txt", "a\n"), ("a.txt", "b\n")])
                .call(r#"{"source": "backup/a.txt", "destination": "a.txt"}"#)
                .gives(r#"{"success": true, "source": "backup/a.txt", "destination": "a.txt", "files": 1, "note": "replaced the file that was there; undo brings it back"}"#)
                .leaves(&[("a.txt", "a\n")]),
            Example::of("A directory does not replace a file")
                .given(&[("a/x", ""), ("b.txt", "b\n")])
                .call(r#"{"source": "a", "destination": "b.txt"}"#)
                .fails(Code::FileExists, r#"{"success": false, "error": "b.txt: [..]", "code": "FileExists"}"#)
                .leaves(&[("b.txt", "b\n")]),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![self.source.clone(), self.destination.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let (step, workspace) = (cx.step()?, cx.workspace());
        let is_file = |path: &str| matches!(workspace.kind(path), Ok(Some(Kind::File)));
        let is_link = |path: &str| workspace.link(path).is_some();
        let (from, to) = (&self.source, &self.destination);
        // A link is no file to be replaced.
        if !is_file(from)
            || !is_file(to)
            || is_link(to)
            || workspace.real(from)? == workspace.real(to)?
        {
            return Output::of(from.clone(), step.copy(from, to)?);
        }
        step.write(to, &workspace.look(from)?.bytes, Parents::Create)?;
        let note = Some("replaced the file that was there; undo brings it back".to_owned());
        success(Output { source: self.source, destination: self.destination, files: 1, note })
    }
}
