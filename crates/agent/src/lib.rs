//! The loop between a model and the tools: prompt, answer, calls, results, until the model is done.
//!
//! A [`Model`] is whatever answers a [`Request`]: a server of one of the [`Provider`]s, or the
//! recording of a session. A [`Conversation`] asks it and makes its calls through
//! [`toolkit::call`], under the policy of the session, and writes all that happens to a file of
//! JSON lines, the same events that its face gets.

mod conversation;
mod event;
mod invoke;
mod model;
mod prompt;
mod record;
mod replay;
mod sse;
mod wire;

pub use conversation::{Conversation, Ended, Settings};
pub use event::{Event, Line, Reason};
pub use model::{Answer, CallResult, Hear, Heard, Message, Model};
pub use model::{Reply, Request, Stop, ToolCall, Usage};
pub use prompt::system;
pub use record::{Record, Summary, read, summaries};
pub use replay::Replay;
pub use wire::{Provider, Remote, Server};
