//! Stack `memory_list`.

use crate::memory::{self, Entry};

use crate::prelude::*;

/// List the entries of MEMORY.md and memory/.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct MemoryList {}

/// The entries.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// By file, then by line
    entries: Vec<Listed>,
    /// How many
    count: usize,
    /// What is missing
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// One entry.
#[derive(Serialize, JsonSchema)]
struct Listed {
    /// Its title
    title: String,
    /// Its beginning
    content_preview: String,
}

impl From<Entry> for Listed {
    fn from(entry: Entry) -> Self {
        Self {
            content_preview: super::preview(&entry.content),
            title: super::preview(&entry.title),
        }
    }
}

impl Tool for MemoryList {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("memory_list", "List memories", Category::Memory)
        .examples(&[
            Example::of("One entry")
                .given(&[(
                    "MEMORY.md",
                    "# Memory\n\n### Client\n_2026-01-31 09:30_\nAlpha pays late\n",
                )])
                .gives(r##"{"success": true, "entries": [{"title": "Client", "content_preview": "Alpha pays late"}], "count": 1}"##),
            Example::of("The arguments are an object")
                .call(r#"[]"#)
                .fails(Code::InvalidInput, r##"{"success": false, "error": "[..]must be an object", "code": "InvalidInput"}"##),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let (entries, unread) = memory::entries(cx.workspace(), cx.cancel())?;
        let note = super::not_read(&unread);
        let entries: Vec<Listed> = entries.into_iter().map(Listed::from).collect();
        success(Output { count: entries.len(), entries, note })
    }
}
