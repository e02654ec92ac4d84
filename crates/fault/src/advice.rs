//! What would let a call do what it could not, worded for whoever reads it.

use std::borrow::Cow;

/// Who reads a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// A model: somebody else starts its server, and its client may be able to ask its user.
    Model,
    /// A person who typed a command.
    CommandLine,
}

/// Something that suffices by itself to let the call do what it could not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// What the caller can do as things are.
    Caller(String),
    /// A command that only a person can run, and what it does.
    Command(String),
    /// Somebody who can be asked.
    Asking,
    /// Kitbag started with all of these settings.
    Settings(Vec<Setting>),
    /// The same, and somebody who can be asked.
    SettingsAndAsking(Vec<Setting>),
}

impl Way {
    /// One setting.
    pub fn setting(flag: &'static str, value: impl Into<String>) -> Self {
        Self::Settings(vec![Setting { flag, value: value.into(), meaning: "" }])
    }

    /// Also takes this setting.
    pub fn takes(&mut self, setting: Setting) {
        match self {
            Self::Caller(_) | Self::Command(_) => {}
            Self::Asking => *self = Self::SettingsAndAsking(vec![setting]),
            Self::Settings(settings) | Self::SettingsAndAsking(settings) => settings.push(setting),
        }
    }

    fn told(&self, reader: Reader) -> String {
        let start = match reader {
            Reader::Model => "start Kitbag with",
            Reader::CommandLine => "use",
        };
        match (self, reader) {
            (Self::Caller(what), _) => what.clone(),
            (Self::Command(what), Reader::Model) => format!("ask the user to run {what}"),
            (Self::Command(what), Reader::CommandLine) => format!("use {what}"),
            (Self::Asking, Reader::Model) => "connect a client that can ask its user".to_owned(),
            (Self::Asking, Reader::CommandLine) => "run this on a terminal".to_owned(),
            (Self::Settings(settings), _) => format!("{start} {}", flags(settings)),
            (Self::SettingsAndAsking(settings), Reader::Model) => {
                format!("{start} {} and a client that can ask its user", flags(settings))
            }
            (Self::SettingsAndAsking(settings), Reader::CommandLine) => {
                format!("{start} {} on a terminal", flags(settings))
            }
        }
    }
}

/// A setting with the value that it should have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its flag on the command line, with the dashes.
    pub flag: &'static str,
    /// The value.
    pub value: String,
    /// What the value means; empty if it says so itself.
    pub meaning: &'static str,
}

/// A word as a shell takes it for one.
pub fn quoted(word: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_alphanumeric() || "-_=./:,@+".contains(c);
    match word {
        word if !word.is_empty() && word.chars().all(plain) => Cow::Borrowed(word),
        word => Cow::Owned(format!("'{}'", word.replace('\'', r"'\''"))),
    }
}

fn flags(settings: &[Setting]) -> String {
    let flag = |Setting { flag, value, meaning }: &Setting| match (*meaning, quoted(value)) {
        ("", value) => format!("{flag} {value}"),
        (meaning, value) => format!("{flag} {value} ({meaning})"),
    };
    settings.iter().map(flag).collect::<Vec<_>>().join(" and ")
}

/// A failure without its advice, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Advice {
    pub(crate) what: String,
    pub(crate) ways: Vec<Way>,
}

impl Advice {
    /// What happened, then each of the ways.
    pub(crate) fn told(&self, reader: Reader) -> String {
        let ways: Vec<String> = self.ways.iter().map(|way| way.told(reader)).collect();
        format!("{}; {}", self.what, ways.join(", or "))
    }
}

#[cfg(test)]
mod tests {
    use super::{Reader, Setting, Way};
    use crate::{Code, Error};

    #[test]
    fn each_reader_is_told_what_is_of_use_there() {
        let trust = || Setting { flag: "--policy", value: "trust".into(), meaning: "all runs" };
        let ask = || Setting { flag: "--policy", value: "ask".into(), meaning: "" };
        let error = Error::approval_required(
            "run",
            "it runs a program",
            vec![Way::Asking, Way::SettingsAndAsking(vec![ask()]), Way::Settings(vec![trust()])],
        );
        let what = "run: a person must allow this (it runs a program), and nobody answered";
        assert_eq!(
            error.message,
            format!(
                "{what}; connect a client that can ask its user, or start Kitbag with --policy ask \
                 and a client that can ask its user, or start Kitbag with --policy trust (all runs)"
            )
        );
        assert_eq!(
            error.told(Reader::CommandLine),
            format!(
                "{what}; run this on a terminal, or use --policy ask on a terminal, or use --policy \
                 trust (all runs)"
            )
        );
        assert_eq!(error.told(Reader::Model), error.message);
        let plain = Error::new(Code::Io, "a: broken; mend it");
        assert_eq!(plain.told(Reader::CommandLine), plain.message);
    }
}
