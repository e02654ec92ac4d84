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
                .gives("two\nthree\n[1 more line]\n[Read on with offset 3]"),
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
        let (offset, most) = (self.offset.unwrap_or(0), cx.limits().result_lines);
        let part = files::text::part(text.as_str(), offset, self.limit, most, cx.result_bytes());
        let next = part.next();
        let mut shown = part.head.text;
        if part.head.cut > 0 {
            let line = next - 1;
            shown += &format!(
                "\n[Line {line} is too long: {} bytes of it omitted; search it with grep or cut it with bash]",
                part.head.cut
            );
        }
        if part.head.omitted > 0 {
            shown += &format!(
                "\n[Truncated: {} lines omitted]\n[Read on with offset {next}]",
                part.head.omitted
            );
        } else if next < part.total {
            let more = fault::count(part.total - next, "more line");
            shown += &format!("\n[{more}]\n[Read on with offset {next}]");
        }
        Ok(shown)
    }
}
