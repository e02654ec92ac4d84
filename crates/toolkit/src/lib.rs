//! What a tool is and how one is called: the library under every face of Kitbag.
//!
//! (a doctest that defines a tool and calls it stands here)

mod approval;
mod audit;
mod call;
mod cx;
pub mod policy;
mod schema;
mod session;
mod tool;
mod toolset;
mod truncate;

pub use approval::{Answer, Desk, Pending, Question, escape};
pub use call::{Asking, Call, Outcome, call};
pub use cx::Cx;
pub use policy::Policy;
pub use session::{Session, Settings};
pub use tool::{ANY_CALL, Effect, Example, GONE, Permission, Spec, Tool};
pub use toolset::{Body, Definition, Entry, Envelope, Hints, Toolset};

/// What this library is built on, for those who make tools of their own.
pub use {engine, schemars, serde, serde_json};
