//! The server as a client sees it: lines in, lines out.

mod calls;
mod client;
mod ending;
mod nasty;
mod questions;
mod start;
mod tools;
