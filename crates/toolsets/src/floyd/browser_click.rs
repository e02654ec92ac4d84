//! Floyd `browser_click`.

use browser::Click;

use crate::browser::{IN_TAB, note};
use crate::prelude::*;

/// Click an element, by selector, by reference (e12) or by x and y in the viewport. It is scrolled to first; the result says what was hit and what came of it. A dialog is answered by the selector dialog=accept or dialog=dismiss. With hover: true the mouse only moves there.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BrowserClick {
    /// CSS pixels from the left of the viewport
    x: Option<f64>,
    /// CSS pixels from its top
    y: Option<f64>,
    /// CSS selector, or reference from browser_read_page
    #[serde(alias = "ref")]
    selector: Option<String>,
    /// Number of a tab
    tab_id: Option<u64>,
    #[serde(default)]
    #[schemars(skip)]
    hover: bool,
}

/// What was clicked.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// The tab
    tab_id: u64,
    /// False if the mouse only moved there
    clicked: bool,
    /// As given
    #[serde(skip_serializing_if = "Option::is_none")]
    selector: Option<String>,
    /// Where it was clicked
    #[serde(skip_serializing_if = "Option::is_none")]
    coordinates: Option<Point>,
    /// What is there, in the words of the page
    hit: String,
    /// Where the tab is now
    url: String,
    /// What came of it
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// A point of the viewport.
#[derive(Serialize, JsonSchema)]
struct Point {
    /// From the left
    x: f64,
    /// From the top
    y: f64,
}

impl BrowserClick {
    fn click(&self) -> Result<Click<'_>> {
        match (&self.selector, self.x, self.y) {
            (Some(selector), None, None) => Ok(Click::Element(selector)),
            (None, Some(x), Some(y)) => Ok(Click::At(x, y)),
            (Some(_), ..) => {
                Err(Error::invalid_input("selector", "not together with x and y; give one of them"))
            }
            _ => Err(Error::invalid_input("selector", "missing; give a selector, or x and y")),
        }
    }
}

impl Tool for BrowserClick {
    type Output = Output;

    const SPEC: Spec = Spec::new("browser_click", "Click", Category::Browser)
        .effect(Effect::CONNECTS.and(Effect::WRITES), Permission::Dangerous)
        .errors(&[
            IN_TAB,
            WRITING,
            &[Code::ElementNotFound, Code::CoordinatesInvalid, Code::ClickFailed],
        ])
        .examples(&[
            Example::of("No page was opened yet")
                .call(r##"{"selector": "#send"}"##)
                .fails(Code::TabNotFound, r#"{"error": "no tab to use; none is open; [..]"}"#),
            Example::of("Nothing is named").call(r#"{"x": 10}"#).fails(
                Code::InvalidInput,
                r#"{"error": "selector: missing; give a selector, or x and y"}"#,
            ),
        ]);

    fn about(&self) -> String {
        let (does, at) = if self.hover { ("move the mouse to", "") } else { ("click", "at ") };
        match (&self.selector, self.x, self.y) {
            (Some(selector), ..) => format!("{does} {selector}"),
            (None, x, y) => {
                format!("{does} {at}({}, {})", x.unwrap_or_default(), y.unwrap_or_default())
            }
        }
    }

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let click = self.click()?;
        let mut done =
            cx.browse(|browser, with| browser.click(with, self.tab_id, click, self.hover))?;
        let note = note(cx, &mut done);
        let coordinates = done.result.at.map(|(x, y)| Point { x, y });
        Ok(Output {
            tab_id: done.tab,
            clicked: !self.hover,
            selector: self.selector,
            coordinates,
            hit: done.result.hit,
            url: done.url,
            note,
        })
    }
}
