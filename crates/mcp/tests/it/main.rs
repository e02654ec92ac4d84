//! The server as a client sees it: lines in, lines out.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests look at the real files, and stop where something is missing"
)]

mod calls;
mod client;
mod ending;
mod nasty;
mod questions;
mod start;
mod tools;
