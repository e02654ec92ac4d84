//! LocalCliTool `read_file`.

use crate::prelude::*;

/// Read a text file, a long one in parts. A file that cannot be read gives empty content, and the
/// reason in a second field.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct ReadFile {
    /// Path of the file, relative to the base directory
    path: String,
    /// Line to start at, counted from 0; the note of a cut result gives it
    #[serde(default)]
    #[schemars(skip)]
    offset: usize,
}

/// The file.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The content of the file
    content: String,
    /// What was left out, and how to read on
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Tool for ReadFile {
    type Output = Output;

    const FAILED: &'static str = r#"{"content": ""}"#;

    const SPEC: Spec = Spec::new("read_file", "Read a file", Category::Files)
        .errors(&[READING, &[Code::BinaryFile]])
        .examples(&[
            Example::of("A file as it is")
                .given(&[("projects/existing-project/README.md", "# Hello\r\n")])
                .call(r#"{"path": "projects/existing-project/README.md"}"#)
                .gives(r##"{"content": "# Hello\r\n"}"##),
            Example::of("A missing file reads as empty, and says that it is missing")
                .call(r#"{"path": "nothing.txt"}"#)
                .fails(Code::FileNotFound, r#"{"content": "", "error": "nothing.txt: no such file; [..]", "code": "FileNotFound"}"#),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let contents = cx.workspace().read(&self.path)?;
        let text = files::text::decode(&self.path, &contents.bytes)?;
        let bytes = cx.result_bytes();
        let part = files::text::part(text.as_str(), self.offset, None, usize::MAX, bytes);
        // The document has no such parameter, so a client may refuse it.
        let unlisted = "; offset is taken though no schema lists it, and where that is refused \
                        search_codebase finds lines behind the first";
        let is_cut = part.head.omitted > 0 || part.head.cut > 0;
        let note = part.note().map(|note| if is_cut { note + unlisted } else { note });
        Ok(Output { note, content: part.head.text })
    }
}
