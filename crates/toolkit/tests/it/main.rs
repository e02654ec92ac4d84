//! The chain of a call, with tools made for the purpose.

#![expect(clippy::disallowed_methods, reason = "tests look at the real files")]
#![expect(clippy::unwrap_used, reason = "a test may stop at what should not happen")]

mod approvals;
mod events;
mod inputs;
mod many;
mod sharing;
mod tools;

use std::sync::Arc;

use files::Limits;
use toolkit::testing::Place;
use toolkit::{Policy, Session, Toolset};

/// A place whose results are cut early.
pub(crate) fn place() -> Place {
    Place::with(&[], |settings| {
        settings.limits = Limits { body_bytes: 10_000, ..Limits::default() };
    })
}

/// A session of the tools that are made for the purpose.
pub(crate) fn session(place: &Place, policy: Policy) -> Arc<Session> {
    let mut toolset = Toolset::new("test", "tools for tests");
    toolset.register::<tools::Take>().unwrap();
    toolset.register::<tools::Put>().unwrap();
    toolset.register::<tools::Panic>().unwrap();
    toolset.register::<tools::Undeclared>().unwrap();
    toolset.register::<tools::Wait>().unwrap();
    place.session(toolset, policy)
}
