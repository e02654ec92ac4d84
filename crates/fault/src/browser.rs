//! Failures of the browser and of the pages in it. What a page says of itself is quoted with its
//! control characters written out.

use std::time::Duration;

use super::{Code, Error, cut, visible};

/// Most bytes of what a page or the browser says in a message.
const QUOTED: usize = 300;

fn quoted(text: &str) -> String {
    cut(&visible(text), QUOTED).replace('\n', " ")
}

impl Error {
    /// None of these browsers could be found, and no extension is connected.
    pub fn browser_unavailable(names: &[&str]) -> Self {
        Self::new(
            Code::BrowserUnavailable,
            format!(
                "no browser: no extension is connected and none of {} is installed; the user can \
                 install Chromium or Chrome, or connect the extension",
                names.join(", ")
            ),
        )
    }

    /// The browser did not start, or ended: what became of it, and its last words.
    pub fn browser_ended(how: &str, said: &str) -> Self {
        Self::new(
            Code::BrowserFailed,
            format!("the browser {how}; its tabs are gone, the next call starts a new one"),
        )
        .with("output", said)
    }

    /// The browser would run unprotected.
    pub fn browser_unprotected() -> Self {
        Self::new(
            Code::BrowserUnavailable,
            "the browser is not started as root without a sandbox; start Kitbag as an ordinary \
             user, or allow the sandbox (`kitbag doctor` says what is missing)",
        )
    }

    /// The browser gave no answer in time.
    pub fn browser_silent(what: &str, time: Duration) -> Self {
        Self::new(
            Code::Timeout,
            format!(
                "the page gave no answer to {what} within {} s; a script may keep it busy: wait, \
                 or navigate elsewhere",
                time.as_secs()
            ),
        )
    }

    /// The browser refused a request.
    pub fn browser_refused(what: &str, why: &str) -> Self {
        Self::new(Code::BrowserFailed, format!("{what}: the browser said: {}", quoted(why)))
    }

    /// A dialog of the page holds up everything else.
    pub fn dialog_open(kind: &str, text: &str) -> Self {
        let message = match kind {
            "beforeunload" => {
                "the page waits behind a dialog that asks whether it may be left, and \
                               work in it lost; click the selector `dialog=accept` to leave it, or \
                               `dialog=dismiss` to stay"
                    .to_owned()
            }
            _ => format!(
                "the page waits behind a dialog ({kind}: `{}`); click the selector \
                 `dialog=accept` or `dialog=dismiss`, or type an answer to a prompt",
                quoted(text)
            ),
        };
        Self::new(Code::BrowserFailed, message)
    }

    /// There is no dialog to answer.
    pub fn no_dialog() -> Self {
        Self::new(Code::ElementNotFound, "selector: no dialog is open; read the page")
    }

    /// What is no answer to a dialog.
    pub fn not_a_dialog_answer(selector: &str) -> Self {
        let selector = quoted(selector);
        Self::invalid_input(
            "selector",
            format!("`{selector}` answers no dialog; give dialog=accept or dialog=dismiss"),
        )
    }

    /// What no browser takes for a selector, such as those of other programs.
    pub fn not_a_selector(selector: &str) -> Self {
        let selector = quoted(selector);
        Self::invalid_input(
            "selector",
            format!(
                "`{selector}` is not a CSS selector; give one such as `#send`, a reference such as \
                 `e12` from the page as it is read, or coordinates to click at"
            ),
        )
    }

    /// A page could not be opened.
    pub fn navigation_failed(url: &str, why: &str) -> Self {
        Self::new(
            Code::NavigationFailed,
            format!(
                "{}: not opened: {}; check the address, or whether its server runs",
                quoted(url),
                quoted(why)
            ),
        )
    }

    /// There is no tab of this number; `open` are those there are.
    pub fn tab_not_found(tab: Option<u64>, open: &[u64]) -> Self {
        let open: Vec<_> = open.iter().map(u64::to_string).collect();
        let advice = match open.len() {
            0 => "none is open; navigate to a page first".to_owned(),
            _ => format!("open are {}", open.join(", ")),
        };
        match tab {
            Some(tab) => Self::new(Code::TabNotFound, format!("tabId: no tab {tab}; {advice}")),
            None => Self::new(Code::TabNotFound, format!("no tab to use; {advice}")),
        }
    }

    /// A tab shows nothing that could be used.
    pub fn page_not_loaded(tab: u64, why: &str) -> Self {
        Self::new(Code::PageNotLoaded, format!("tab {tab}: {why}; navigate to load a page in it"))
    }

    /// No element fits.
    pub fn element_not_found(selector: &str) -> Self {
        let selector = quoted(selector);
        Self::new(
            Code::ElementNotFound,
            format!(
                "{selector}: no such element; read the page or find the element for references \
                 and selectors that fit"
            ),
        )
        .with("selector", selector)
    }

    /// A reference whose element is gone.
    pub fn reference_gone(reference: &str) -> Self {
        Self::new(
            Code::ElementNotFound,
            format!(
                "{reference}: not on the page now; read the page again, since its elements changed"
            ),
        )
    }

    /// There is no picture.
    pub fn screenshot_failed(why: &str) -> Self {
        Self::new(
            Code::ScreenshotFailed,
            format!("no picture: {}; try again, or read the page", quoted(why)),
        )
    }

    /// A point outside of what is shown.
    pub fn coordinates_invalid(x: f64, y: f64, width: f64, height: f64) -> Self {
        Self::new(
            Code::CoordinatesInvalid,
            format!(
                "({x}, {y}) is not in the viewport of {width} by {height}; give coordinates \
                 inside of it, or a selector, which is scrolled to"
            ),
        )
    }

    /// A click would not reach its element.
    pub fn click_failed(selector: &str, why: &str) -> Self {
        Self::new(Code::ClickFailed, format!("{}: not clicked: {}", quoted(selector), quoted(why)))
    }

    /// Nothing has the focus.
    pub fn no_focused_element() -> Self {
        Self::new(Code::NoFocusedElement, "no element has the focus; click the field first")
    }

    /// What has the focus takes no text.
    pub fn not_editable(what: &str) -> Self {
        Self::new(
            Code::NotEditable,
            format!("{} takes no text; name or click a field", quoted(what)),
        )
    }

    /// The page did not take a text.
    pub fn type_failed(why: &str) -> Self {
        Self::new(Code::TypeFailed, format!("nothing was typed: {}; look at the page", quoted(why)))
    }

    /// No element fits a description.
    pub fn no_results(query: &str) -> Self {
        Self::new(
            Code::NoResults,
            format!(
                "{}: no element of the page fits; use words that are on the page, or read it",
                quoted(query)
            ),
        )
    }
}
