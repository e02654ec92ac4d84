//! Failures on the web; the words of most come from the crate that speaks with it.

use super::{Code, Error, Way};

impl Error {
    /// A place that only a setting opens, so that nobody is asked.
    pub fn address_kept(tool: &str, place: String, why: &str) -> Self {
        let what = format!("{tool}: {place} is {why}, which no answer to a question opens");
        Self::with_ways(Code::AddressRefused, what, vec![Way::setting("--web-allow", place)])
    }

    /// A request failed; `message` has the URL first and advice after a semicolon.
    pub fn of_the_web(code: Code, message: &str, status: Option<u16>) -> Self {
        let error = Self::new(code, message);
        match status {
            Some(status) => error.with("status", status),
            None => error,
        }
    }
}
