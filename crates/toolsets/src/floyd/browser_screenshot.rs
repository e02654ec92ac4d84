//! Floyd `browser_screenshot`.

use browser::Of;
use toolkit::Shown;

use crate::browser::IN_TAB;
use crate::prelude::*;

/// Take a screenshot of the page: what is shown of it, all of it, or one element.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BrowserScreenshot {
    /// All of the page, not only what is shown (default false)
    full_page: Option<bool>,
    /// CSS selector or reference of one element
    selector: Option<String>,
    /// Number of a tab
    tab_id: Option<u64>,
}

/// The picture.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// The tab
    tab_id: u64,
    /// PNG in base64; where pictures are shown, it is beside the text
    image_data: Shown,
    /// Pixels
    width: u32,
    /// Pixels
    height: u32,
    /// Whether it is all of the page
    full_page: bool,
    /// As given
    #[serde(skip_serializing_if = "Option::is_none")]
    selector: Option<String>,
    /// Pixels of the picture to one of the page, if it had to be made smaller
    #[serde(skip_serializing_if = "Option::is_none")]
    scale: Option<f64>,
    /// What else is to be known
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Tool for BrowserScreenshot {
    type Output = Output;

    const SPEC: Spec = Spec::new("browser_screenshot", "Take a screenshot", Category::Browser)
        .effect(Effect::CONNECTS, Permission::Moderate)
        .errors(&[IN_TAB, &[Code::ElementNotFound, Code::ScreenshotFailed]])
        .pictures()
        .examples(&[
            Example::of("No page was opened yet")
                .call(r#"{"fullPage": true}"#)
                .fails(Code::TabNotFound, r#"{"error": "no tab to use; none is open; [..]"}"#),
            Example::of("An element of all of the page is a contradiction")
                .call(r#"{"fullPage": true, "selector": "h1"}"#)
                .fails(Code::InvalidInput, r#"{"error": "selector: [..]"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let full_page = self.full_page.unwrap_or_default();
        let of = match &self.selector {
            Some(_) if full_page => {
                let why = "not together with fullPage; give one of them";
                return Err(Error::invalid_input("selector", why));
            }
            Some(selector) => Of::Element(selector),
            None if full_page => Of::Page,
            None => Of::Viewport,
        };
        let mut done = cx.browse(|browser, with| browser.picture(with, self.tab_id, of))?;
        done.says.extend(done.result.note());
        let shot = done.result;
        Ok(Output {
            tab_id: done.tab,
            image_data: cx.show(&shot.png),
            width: shot.width,
            height: shot.height,
            full_page,
            scale: (shot.scale < 1.0).then(|| (shot.scale * 1000.0).round() / 1000.0),
            selector: self.selector,
            note: joined(&done.says),
        })
    }
}
