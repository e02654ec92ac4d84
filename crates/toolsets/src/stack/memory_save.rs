//! Stack `memory_save`.

use crate::stack::memory;

use crate::prelude::*;

/// Add an entry to MEMORY.md.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct MemorySave {
    /// Title, one line
    key: String,
    /// What to remember
    value: String,
}

/// What was done.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// True
    success: bool,
    /// The title
    key: String,
    /// True
    saved: bool,
}

impl Tool for MemorySave {
    type Output = Output;

    const SPEC: Spec = Spec {
        name: "memory_save",
        aliases: &[],
        title: "Save a memory",
        category: Category::Memory,
        effect: Effect::WRITES,
        permission: Permission::Moderate,
        errors: &[WRITING, &[Code::BinaryFile, Code::InvalidEncoding]],
        examples: &[
            Example {
                about: "An entry at the end",
                given: &[("notes.txt", "")],
                call: r#"{"key": "Client", "value": "Alpha pays late"}"#,
                gives: r##"{"success": true, "key": "Client", "saved": true}"##,
                leaves: &[],
                fails: None,
            },
            Example {
                about: "A title is one line",
                given: &[],
                call: r#"{"key": "", "value": "x"}"#,
                gives: r##"{"success": false, "error": "key: give a title of one line", "code": "InvalidInput"}"##,
                leaves: &[("MEMORY.md", GONE)],
                fails: Some(Code::InvalidInput),
            },
        ],
    };

    fn paths(&self) -> Vec<String> {
        vec![memory::FILE.to_owned()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let now = jiff::Zoned::now().strftime("%Y-%m-%d %H:%M").to_string();
        memory::save(cx.step()?, &self.key, &self.value, &now)?;
        Ok(Output { success: true, key: self.key, saved: true })
    }
}
