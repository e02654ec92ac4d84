//! Floyd `browser_find`.

use crate::browser::{IN_TAB, UNTRUSTED};
use crate::prelude::*;

/// Find what can be operated on the page by role, name, text or label, such as "send button". The selectors are those that browser_click takes.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BrowserFind {
    /// What it is and what it is called, at least 3 characters
    query: String,
    /// Number of a tab
    tab_id: Option<u64>,
}

/// What was found, the best first.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// The tab
    tab_id: u64,
    /// How to take what the page says
    untrusted: &'static str,
    /// At most 10
    elements: Vec<Found>,
    /// What else is to be known
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// An element.
#[derive(Serialize, JsonSchema)]
struct Found {
    /// What browser_click and browser_screenshot take
    selector: String,
    /// What it is
    role: String,
    /// What it is called
    name: String,
    /// How well it fits, from 0 to 1
    score: f64,
}

impl Tool for BrowserFind {
    type Output = Output;

    const SPEC: Spec = Spec::new("browser_find", "Find on the page", Category::Browser)
        .effect(Effect::CONNECTS, Permission::Moderate)
        .errors(&[IN_TAB, &[Code::NoResults, Code::QueryTooShort]])
        .examples(&[
            Example::of("Two letters fit too much")
                .call(r#"{"query": "ok"}"#)
                .fails(Code::QueryTooShort, r#"{"error": "query: [..]"}"#),
            Example::of("No page was opened yet")
                .call(r#"{"query": "send button"}"#)
                .fails(Code::TabNotFound, r#"{"error": "no tab to use; none is open; [..]"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        if self.query.trim().chars().count() < 3 {
            return Err(Error::query_too_short(3));
        }
        let done = cx.browse(|browser, with| browser.find(with, self.tab_id, &self.query))?;
        let elements = done.result.into_iter().map(|found| Found {
            selector: found.selector,
            role: found.role,
            name: found.name,
            score: found.score,
        });
        Ok(Output {
            tab_id: done.tab,
            untrusted: UNTRUSTED,
            elements: elements.collect(),
            note: joined(&done.says),
        })
    }
}
