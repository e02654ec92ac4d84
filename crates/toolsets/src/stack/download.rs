//! Stack `download`.

use files::partial::Partial;

use crate::prelude::*;
use crate::web::{REACHING, failed, way};

/// Save what a URL leads to as a file, whole or not at all. One that broke off goes on where it was
/// if it is called again.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Download {
    /// URL
    url: String,
    /// File path
    destination: String,
}

/// The file.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// As given
    url: String,
    /// As given
    destination: String,
    /// Bytes
    size: u64,
    /// Where it came from, and what else is to be known
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// What came so far, as the web sees it.
struct Kept(Partial);

impl web::Part for Kept {
    fn length(&self) -> u64 {
        self.0.length()
    }

    fn version(&self) -> Option<String> {
        self.0.version()
    }

    fn restart(&mut self, version: Option<&str>) -> std::io::Result<()> {
        self.0.restart(version)
    }

    fn append(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.0.append(bytes)
    }
}

impl Tool for Download {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("download", "Download a file", Category::Web)
        .effect(Effect::CONNECTS.and(Effect::WRITES), Permission::Moderate)
        .errors(&[WRITING, REACHING, &[Code::HttpError, Code::TooLarge]])
        .examples(&[
            Example::of("A file, in a directory that is made")
                .call(r#"{"url": "http://site.example/data.json", "destination": "data/a.json"}"#)
                .gives(r#"{"success": true, "url": "http://site.example/data.json", "destination": "data/a.json", "size": 16}"#)
                .leaves(&[("data/a.json", "{\"a\":[1,2.50e1]}")]),
            Example::of("A page that says it is not there is not the file")
                .call(r#"{"url": "http://site.example/gone", "destination": "a.json"}"#)
                .fails(Code::HttpError, r#"{"success": false, "error": "http://site.example/gone: the server answered 404 Not Found; [..]", "code": "HttpError"}"#)
                .leaves(&[("a.json", GONE)]),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![self.destination.clone()]
    }

    fn url(&self) -> Option<&str> {
        Some(&self.url)
    }

    fn about(&self) -> String {
        format!("{}\nto {}", self.url, self.destination)
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let (step, to) = (cx.step()?, &self.destination);
        step.expect(to)?;
        let stop = || cx.cancel().is_cancelled();
        let mut part = Kept(cx.partial(&format!("{} to {to}", self.url))?);
        let done = cx.web().download(&self.url, &mut part, &stop).map_err(failed)?;
        step.adopt(to, part.0.file(), Parents::Create)?;
        part.0.discard();
        let mut said = way(&self.url, &done.url, done.hops.len(), done.downgraded);
        if done.resumed > 0 {
            said.push(format!("the first {} bytes were there from the last time", done.resumed));
        }
        if let Some(encoding) = done.encoding {
            said.push(format!("kept as the server sent it, compressed with {encoding}"));
        }
        let note = joined(&said);
        success(Output { url: self.url, destination: self.destination, size: done.size, note })
    }
}
