//! What a person is asked before a call runs, and what was answered. What a yes is good for is decided
//! in `call/approval.rs`.

/// What a person is asked before a call runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The tool that was called.
    pub tool: String,
    /// Why a person is asked, one line; or the question itself, where text is wanted.
    pub reason: String,
    /// What it does exactly: a diff, a command line, paths. Control characters are escaped.
    pub shown: String,
    /// What kind of answer is wanted.
    pub wants: Wants,
    /// Binds an answer to this very effect; another effect has another digest.
    pub digest: String,
}

/// What kind of answer is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wants {
    /// Whether the call may run.
    Decision {
        /// Whether a yes may hold for all such calls of the session.
        may_last: bool,
    },
    /// Words, in answer to what the tool asks.
    Text,
}

impl Wants {
    /// Whether a yes for the session is offered.
    pub fn may_last(self) -> bool {
        self == Self::Decision { may_last: true }
    }
}

/// What the person said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// This call may run.
    Yes,
    /// This call and others of the same tool may run as long as the session lives; of what is
    /// dangerous, only those with the very same effect.
    YesForSession,
    /// What was asked for in words.
    Text(String),
    /// It may not run; no words are given.
    No,
    /// Nobody answered.
    Nobody,
}

/// Text as it is shown to a person who decides: control, direction and invisible characters
/// cannot change what is seen. Line breaks and tabs stay.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\n' || c == '\t' || !(c.is_control() || fault::is_invisible(c)) {
            out.push(c);
        } else {
            out.extend(c.escape_unicode());
        }
    }
    out
}
