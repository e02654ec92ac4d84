//! The loop between a model and the tools: prompt, answer, calls, results, until the model is done.
//!
//! A [`Model`] is whatever answers a [`Request`]: a server of one of the [`Provider`]s, or the
//! recording of a session. A [`Conversation`] asks it and makes its calls through
//! [`toolkit::call`], under the policy of the session, and writes all that happens to a file of
//! JSON lines, the same events that its face gets.

mod context;
mod conversation;
mod event;
mod history;
mod invoke;
pub mod known;
mod lines;
mod model;
mod prompt;
pub mod record;
mod replay;
mod sse;
mod turn;
mod wire;

pub use conversation::{Conversation, Ended, Settings};
pub use event::{Event, Line, Reason};
pub use history::History;
pub use known::{Budget, Known, Price};
pub use lines::Lines;
pub use model::{Answer, CallResult, Hear, Heard, Message, Model, Picture};
pub use model::{Reply, Request, Stop, ToolCall, Usage};
pub use prompt::{PRESETS, Source, system};
pub use record::{Keep, Record, Spent, Summary, Total};
pub use replay::Replay;
pub use wire::{Provider, Remote, Server};
