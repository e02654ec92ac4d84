//! Stack `copy`.

use files::journal::Transfer;

use crate::prelude::*;

/// Copy a file or directory. A directory at the destination gets it under its own name; nothing is
/// overwritten.
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
}

impl Output {
    /// What is told of something that was at `source`.
    pub(super) fn of(source: String, done: Transfer) -> Result<Success<Self>> {
        success(Self { source, destination: done.to, files: done.files })
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
            Example::of("An existing file is not overwritten")
                .given(&[("a.txt", "a\n"), ("b.txt", "b\n")])
                .call(r#"{"source": "a.txt", "destination": "b.txt"}"#)
                .fails(Code::FileExists, r#"{"success": false, "error": "b.txt: [..]", "code": "FileExists"}"#)
                .leaves(&[("a.txt", "a\n"), ("b.txt", "b\n")]),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![self.source.clone(), self.destination.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let done = cx.step()?.copy(&self.source, &self.destination)?;
        Output::of(self.source, done)
    }
}
