//! Failures on the web; the words of most come from the crate that speaks with it.

use super::{Code, Error};

impl Error {
    /// A request failed; `message` has the URL first and advice after a semicolon.
    pub fn of_the_web(code: Code, message: &str, status: Option<u16>) -> Self {
        let error = Self::new(code, message);
        match status {
            Some(status) => error.with("status", status),
            None => error,
        }
    }

    /// No browser of these names can be run.
    pub fn browser_not_found(names: &[&str]) -> Self {
        Self::new(
            Code::BrowserNotFound,
            format!(
                "no browser: none of {} is in PATH; the user can install Chromium or Chrome",
                names.join(", ")
            ),
        )
    }

    /// The browser ended without a picture of the page.
    pub fn browser_failed(url: &str, how: &str, said: &str) -> Self {
        Self::new(
            Code::BrowserFailed,
            format!(
                "{url}: no screenshot was taken: {how}; try again, or read the page with fetch"
            ),
        )
        .with("output", said)
    }
}
