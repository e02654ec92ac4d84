//! Floyd `browser_navigate`.

use crate::browser::{OPENING, judge, note};
use crate::prelude::*;

/// Open a web page in the browser and wait until it is loaded. Without tabId it opens in the tab used last, or in a new one. What a page makes the browser download goes to downloads/ in the project.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BrowserNavigate {
    /// URL, http or https
    url: String,
    /// Number of a tab
    tab_id: Option<u64>,
}

/// The page.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// The tab
    pub(crate) tab_id: u64,
    /// Where it is, redirects followed
    pub(crate) url: String,
    /// Title of the page, in its own words
    pub(crate) title: String,
    /// Whether it is loaded
    pub(crate) loaded: bool,
    /// What else is to be known
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
}

impl Tool for BrowserNavigate {
    type Output = Output;

    const SPEC: Spec = Spec::new("browser_navigate", "Open a page", Category::Browser)
        .effect(Effect::CONNECTS.and(Effect::WRITES), Permission::Moderate)
        .errors(OPENING)
        .examples(&[
            Example::of("Files of this machine are not opened")
                .call(r#"{"url": "file:///etc/passwd"}"#)
                .fails(Code::InvalidURL, r#"{"error": "file:///etc/passwd: [..]only http and https are opened, not file[..]"}"#),
            Example::of("Nor are the router's pages")
                .call(r#"{"url": "http://192.168.0.1/"}"#)
                .fails(Code::AddressRefused, r#"{"error": "http://192.168.0.1/: 192.168.0.1:80 is a private address, [..]"}"#),
        ]);

    fn url(&self) -> Option<&str> {
        Some(&self.url)
    }

    fn about(&self) -> String {
        self.url.clone()
    }

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        judge(cx, &self.url)?;
        let mut done = cx.browse(|browser, with| browser.navigate(with, &self.url, self.tab_id))?;
        let note = note(cx, &mut done);
        Ok(Output { tab_id: done.tab, url: done.url, title: done.title, loaded: done.result, note })
    }
}
