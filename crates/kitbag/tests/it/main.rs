//! The real program, from outside: what a client, a careless model, an attacker or a power cut does
//! to it.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests look at the real files and processes, and stop where something is missing"
)]

mod acp;
mod attack;
mod browser;
mod chat;
mod client;
mod codes;
mod command;
mod covered;
mod crash;
mod damaged;
mod edits;
mod elicit;
mod escapes;
mod help;
mod hostile;
mod kit;
mod lifecycle;
#[path = "../../../agent/tests/it/server.rs"]
#[expect(dead_code, reason = "the tests of the crate agent use all of it")]
mod model_server;
mod nasty_files;
mod nasty_input;
mod network;
mod ordinary;
mod originals;
mod pages;
mod passing;
mod place;
mod policy;
mod records;
mod resident;
mod run;
mod servers;
mod sessions;
mod settings;
mod setup;
mod stack;
mod staging;
mod terminal;
mod together;
#[cfg(target_arch = "x86_64")]
mod torture;
mod undo;
mod web;
mod whose;
