//! What a session tells of the browser.

use std::time::Duration;

use crate::files::Downloaded;

/// What came of a call.
#[derive(Clone, Debug)]
pub struct Done<T> {
    /// The tab.
    pub tab: u64,
    /// Where it is now.
    pub url: String,
    /// What its page is called, in the words of the page.
    pub title: String,
    /// What was asked for.
    pub result: T,
    /// What is to be said beside it, in our words and, quoted, in those of the page.
    pub says: Vec<String>,
    /// Files that the page gave.
    pub files: Vec<Downloaded>,
}

impl<T> Done<T> {
    /// The same, or these words where nothing else is said and no file came.
    pub(crate) fn or_says(mut self, nothing: &str) -> Self {
        if self.says.is_empty() && self.files.is_empty() {
            self.says.push(nothing.to_owned());
        }
        self
    }
}

/// An open tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TabInfo {
    /// Its number.
    pub number: u64,
    /// Where it is.
    pub url: String,
    /// What its page is called.
    pub title: String,
    /// Whether it is the one that is meant where none is named.
    pub active: bool,
}

/// What there is to drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// Whether an extension is connected.
    pub connected: bool,
    /// Where extensions connect to.
    pub url: String,
    /// How often connecting failed since it last succeeded.
    pub attempts: u64,
    /// After how many failures it is left to the next call.
    pub most_attempts: u64,
    /// Between attempts.
    pub interval: Duration,
    /// The process id of the built-in browser, if it runs.
    pub pid: Option<i32>,
    /// In words.
    pub says: String,
}
