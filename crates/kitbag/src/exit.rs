//! How a command ends: the exit codes of the program, that of the interrupt key among them.

use agent::{Ended, Reason};
use fault::{Code, Error};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It did what was asked.
    Success = 0,
    /// A tool failed.
    Failure = 1,
    /// The command line cannot be used.
    Usage = 2,
    /// The policy or a person refused.
    Refused = 3,
    /// A model made as many requests as it may.
    TurnLimit = 4,
    /// A session used as much as it may.
    Budget = 5,
    /// A model made the same calls again and again.
    Loop = 6,
    /// The conversation is too long for the model.
    Context = 7,
    /// Ended by the interrupt key.
    Interrupted = 130,
}

impl Exit {
    /// How a command ends that fails with `error`; whether a call was refused, its outcome says.
    pub(crate) fn of(error: &Error) -> Self {
        match error.code {
            Code::InvalidInput | Code::UnknownTool => Self::Usage,
            Code::Cancelled => Self::Interrupted,
            _ => Self::Failure,
        }
    }
}

impl From<&Ended> for Exit {
    fn from(ended: &Ended) -> Self {
        match ended.reason {
            Reason::Success => Self::Success,
            Reason::TurnLimit => Self::TurnLimit,
            Reason::Cancelled => Self::Interrupted,
            Reason::Budget => Self::Budget,
            Reason::Loop => Self::Loop,
            Reason::Context => Self::Context,
            Reason::Error => ended.error.as_ref().map_or(Self::Failure, Self::of),
        }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
