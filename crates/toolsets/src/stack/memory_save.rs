//! Stack `memory_save`.

use crate::memory;

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
    /// The title
    key: String,
    /// True
    saved: bool,
}

impl Tool for MemorySave {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("memory_save", "Save a memory", Category::Memory)
        .effect(Effect::WRITES, Permission::Moderate)
        .errors(&[WRITING, &[Code::BinaryFile, Code::InvalidEncoding]])
        .examples(&[
            Example::of("An entry at the end")
                .given(&[("notes.txt", "")])
                .call(r#"{"key": "Client", "value": "Alpha pays late"}"#)
                .gives(r##"{"success": true, "key": "Client", "saved": true}"##),
            Example::of("A title is one line")
                .call(r#"{"key": "", "value": "x"}"#)
                .fails(Code::InvalidInput, r##"{"success": false, "error": "key: give a title of one line", "code": "InvalidInput"}"##)
                .leaves(&[("MEMORY.md", GONE)]),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![memory::FILE.to_owned()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let now = jiff::Zoned::now().strftime("%Y-%m-%d %H:%M").to_string();
        memory::save(cx.step()?, &self.key, &self.value, &now)?;
        success(Output { key: self.key, saved: true })
    }
}
