//! Floyd `browser_type`.

use crate::browser::{IN_TAB, note};
use crate::prelude::*;

/// Type text into the element that has the focus; click it first. In a field of one line, \n presses Enter and \t Tab. In a list it chooses the option of that text, in a file field it gives the project's files of these paths, one a line. With replace: true it replaces what is there.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BrowserType {
    /// The text
    text: String,
    /// Number of a tab
    tab_id: Option<u64>,
    #[serde(default)]
    #[schemars(skip)]
    replace: bool,
}

/// What was typed.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// The tab
    tab_id: u64,
    /// True
    typed: bool,
    /// How many characters
    characters: usize,
    /// Into what, and what came of it
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Tool for BrowserType {
    type Output = Output;

    const SPEC: Spec = Spec::new("browser_type", "Type", Category::Browser)
        .effect(Effect::CONNECTS.and(Effect::WRITES), Permission::Dangerous)
        .errors(&[
            IN_TAB,
            WRITING,
            &[Code::FileNotFound, Code::NoFocusedElement, Code::NotEditable, Code::TypeFailed],
        ])
        .examples(&[
            Example::of("No page was opened yet")
                .call(r#"{"text": "Hello"}"#)
                .fails(Code::TabNotFound, r#"{"error": "no tab to use; none is open; [..]"}"#),
            Example::of("Nothing is typed")
                .fails(Code::InvalidInput, r#"{"error": "text: missing field[..]"}"#),
        ]);

    fn about(&self) -> String {
        format!("type {}", self.text)
    }

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let mut done = cx.browse(|browser, with| {
            browser.type_text(with, self.tab_id, &self.text, self.replace)
        })?;
        let note = note(cx, &mut done);
        let characters = self.text.chars().count();
        Ok(Output { tab_id: done.tab, typed: true, characters, note })
    }
}
