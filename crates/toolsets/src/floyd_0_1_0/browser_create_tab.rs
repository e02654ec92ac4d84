//! Floyd 0.1.0 `browser_create_tab`.

use crate::browser::{OPENING, judge, note};
use crate::prelude::*;

/// Open a new tab, and a page in it if a URL is given. The tab is used from then on.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct BrowserCreateTab {
    /// URL, http or https
    url: Option<String>,
}

/// The tab.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// What the other tools take as tabId
    tab_id: u64,
    /// Where it is
    url: String,
    /// True
    created: bool,
    /// What else is to be known
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Tool for BrowserCreateTab {
    type Output = Output;

    const SPEC: Spec = Spec::new("browser_create_tab", "Open a tab", Category::Browser)
        .effect(Effect::CONNECTS.and(Effect::WRITES), Permission::Moderate)
        .errors(OPENING)
        .examples(&[
            Example::of("What is no URL opens no tab")
                .call(r#"{"url": "no url"}"#)
                .fails(Code::InvalidURL, r#"{"error": "no url: [..]"}"#),
            Example::of("Files of this machine are not opened")
                .call(r#"{"url": "file:///etc/passwd"}"#)
                .fails(Code::InvalidURL, r#"{"error": "file:///etc/passwd: [..]"}"#),
        ]);

    fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    fn about(&self) -> String {
        self.url.clone().unwrap_or_else(|| "an empty tab".to_owned())
    }

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let url = self.url.as_deref();
        url.map_or(Ok(()), |url| judge(cx, url))?;
        let mut done = cx.browse(|browser, with| browser.create_tab(with, url))?;
        let note = note(cx, &mut done);
        Ok(Output { tab_id: done.tab, url: done.url, created: true, note })
    }
}
