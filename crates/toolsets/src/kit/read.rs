//! kit `read`.

use crate::prelude::*;

/// Read files, ranges of lines or definitions by name.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Read {
    /// `a.rs`, `a.rs:10-40`
    path: String,
}

impl Tool for Read {
    type Output = String;

    const SPEC: Spec = Spec::new("read", "Read", Category::Files)
        .errors(&[READING, &[Code::BinaryFile]])
        .examples(&[
            Example::of("A file with the numbers of its lines")
                .given(&[("a.txt", "one\ntwo\n")])
                .call(r#"{"path": "a.txt"}"#)
                .gives("1\tone\n2\ttwo"),
            Example::of("A misspelt name is answered with the likely one")
                .given(&[("src/main.rs", "fn main() {}\n")])
                .call(r#"{"path": "src/mian.rs"}"#)
                .fails(
                    Code::FileNotFound,
                    "error: src/mian.rs: no such file; did you mean src/main.rs?",
                ),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<String> {
        let contents = cx.workspace().read(&self.path)?;
        let text = files::text::decode(&self.path, &contents.bytes)?;
        let lines = text.as_str().lines().enumerate();
        Ok(lines.map(|(n, line)| format!("{}\t{line}", n + 1)).collect::<Vec<_>>().join("\n"))
    }
}
