//! Floyd `get_file_info`.

use std::time::SystemTime;

use files::workspace::Kind;

use crate::prelude::*;

/// Show what a path is: kind, size, times, permissions, and of a text its lines and encoding.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GetFileInfo {
    /// Path of a file or directory
    file_path: String,
}

/// What is at the path.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// The path as given
    file_path: String,
    /// Its last part
    name: String,
    /// What it is, links followed
    r#type: &'static str,
    /// Bytes of a file
    size: u64,
    /// When the content was changed, ISO 8601
    modified: String,
    /// When it was made, if the file system keeps that
    #[serde(skip_serializing_if = "Option::is_none")]
    created: Option<String>,
    /// Permission bits, octal
    permissions: String,
    /// Where it leads, if it is a link
    #[serde(skip_serializing_if = "Option::is_none")]
    link_target: Option<String>,
    /// Lines, if it is text
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<usize>,
    /// Encoding, if it is text
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'static str>,
}

impl Tool for GetFileInfo {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("get_file_info", "File information", Category::Files)
        .errors(&[&[Code::FileNotFound, Code::NotADirectory]])
        .examples(&[
            Example::of("A text file")
                .given(&[("src/a.ts", "let a;\nlet b;\n")])
                .call(r#"{"filePath": "src/a.ts"}"#)
                .gives(r#"{"success": true, "filePath": "src/a.ts", "name": "a.ts", "type": "file", "size": 14, "modified": "20[..]Z", "created": "20[..]Z", "permissions": "[..]", "lines": 2, "encoding": "UTF-8"}"#),
            Example::of("Nothing is there")
                .given(&[("a.ts", "")])
                .call(r#"{"filePath": "b.ts"}"#)
                .fails(Code::FileNotFound, r#"{"error": "b.ts: no such file; [..]"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let path = self.file_path;
        let info = cx.workspace().info(&path)?;
        let contents = match info.kind {
            Kind::File => cx.workspace().look(&path).ok(),
            _ => None,
        };
        let text = contents.as_ref().and_then(|c| files::text::decode(&path, &c.bytes).ok());
        let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        success(Output {
            name: name.to_owned(),
            r#type: match info.kind {
                Kind::File => "file",
                Kind::Directory => "directory",
                Kind::Link | Kind::Special => "other",
            },
            size: info.size,
            modified: iso(info.modified),
            created: info.created.map(iso),
            permissions: format!("{:04o}", info.mode),
            link_target: info.link,
            lines: text.as_ref().map(|t| files::text::lines(t.as_str()).count()),
            encoding: text.as_ref().map(|t| t.encoding().name()),
            file_path: path,
        })
    }
}

fn iso(time: SystemTime) -> String {
    jiff::Timestamp::try_from(time).map(|time| time.to_string()).unwrap_or_default()
}
