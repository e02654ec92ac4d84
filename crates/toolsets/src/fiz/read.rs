//! fiz `read`.

use crate::prelude::*;

/// Read a text file. Long ones are cut at 2000 lines or 50 KB: read on with offset.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Read {
    /// File path
    path: String,
    /// First line, counted from 0
    offset: Option<usize>,
    /// Most lines
    limit: Option<usize>,
}

impl Tool for Read {
    type Output = String;

    const SPEC: Spec = Spec::new("read", "Read a file", Category::Files)
        .errors(&[READING, &[Code::BinaryFile]])
        .examples(&[
            Example::of("Two lines from the second on")
                .given(&[("a.txt", "one\ntwo\nthree\nfour\n")])
                .call(r#"{"path": "a.txt", "offset": 1, "limit": 2}"#)
                .gives("two\nthree"),
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
        let part = files::text::lines_from(text.as_str(), self.offset.unwrap_or(0), self.limit);
        let cut = files::text::head(part, cx.limits().result_lines, cx.result_bytes());
        let next = self.offset.unwrap_or(0) + cut.lines;
        let mut shown = cut.text;
        if cut.cut > 0 {
            let line = next - 1;
            shown += &format!(
                "\n[Line {line} is too long: {} bytes of it omitted; search it with grep or cut it with bash]",
                cut.cut
            );
        }
        if cut.omitted > 0 {
            shown += &format!(
                "\n[Truncated: {} lines omitted]\n[Read on with offset {next}]",
                cut.omitted
            );
        }
        Ok(shown)
    }
}
