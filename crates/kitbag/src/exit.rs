//! How a command ends: the exit codes of the program, that of the interrupt key among them.

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

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
