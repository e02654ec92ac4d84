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
}
