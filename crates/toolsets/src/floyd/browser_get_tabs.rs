//! Floyd `browser_get_tabs`.

use crate::browser::BROWSING;
use crate::prelude::*;

/// List the open tabs of the session.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct BrowserGetTabs {}

/// The tabs.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Each open tab
    tabs: Vec<Tab>,
}

/// A tab.
#[derive(Serialize, JsonSchema)]
struct Tab {
    /// What the other tools take as tabId
    id: u64,
    /// Where it is
    url: String,
    /// Title of its page, in the words of the page
    title: String,
    /// Whether it is meant where no tabId is given
    active: bool,
}

impl Tool for BrowserGetTabs {
    type Output = Output;

    const SPEC: Spec = Spec::new("browser_get_tabs", "List tabs", Category::Browser)
        .effect(Effect::CONNECTS, Permission::Moderate)
        .errors(&[BROWSING])
        .examples(&[
            Example::of("No page was opened yet").gives(r#"{"tabs": []}"#),
            Example::of("It takes no parameters").call(r#"{"active": true}"#).fails(
                Code::InvalidInput,
                r#"{"error": "active: no such parameter; the tool takes none"}"#,
            ),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let tabs = cx.browse(|browser, with| browser.tabs(with))?.into_iter().map(|tab| Tab {
            id: tab.number,
            url: tab.url,
            title: tab.title,
            active: tab.active,
        });
        Ok(Output { tabs: tabs.collect() })
    }
}
