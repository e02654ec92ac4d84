//! The toolsets through their one door, `toolkit::call`.

#![expect(clippy::disallowed_methods, reason = "tests look at the real files")]
#![expect(clippy::unwrap_used, reason = "a test may stop at what should not happen")]

mod examples;
mod git;
mod golden;
mod laws;
mod permissions;
mod projects;
mod site;
mod spilled;
mod stack_programs;
mod web;

use std::path::Path;
use std::sync::Arc;

use files::{Limits, State};
use programs::process;
use toolkit::{Answer, Desk, Pending, Policy, Session, Settings, Wants};

/// A session of a toolset in `root`, under the policy that allows everything; whoever is asked
/// for words says `blue`.
pub(crate) fn session(toolset: &str, root: &Path, state: &Path) -> Arc<Session> {
    let (desk, mut questions) = Desk::new();
    std::thread::spawn(move || {
        while let Some(Pending { question, answer }) = questions.blocking_recv() {
            if question.wants == Wants::Text {
                let _ = answer.send(Answer::Text("blue".to_owned())); // the call may be gone
            }
        }
    });
    open(toolset, root, state, Policy::Trust, desk)
}

/// A session of a toolset in `root`, with its questions at `desk`.
pub(crate) fn open(
    toolset: &str,
    root: &Path,
    state: &Path,
    policy: Policy,
    desk: Desk,
) -> Arc<Session> {
    let settings = Settings {
        root: root.to_owned(),
        allow: Vec::new(),
        allow_protected: Vec::new(),
        state: State::new(state),
        cache: state.join("cache"),
        policy,
        desk,
        programs: process::Settings {
            env: std::env::vars_os().collect(),
            ..process::Settings::default()
        },
        limits: Limits::default(),
        web: site::settings(),
        durable: false,
    };
    Session::open(toolsets::toolset(toolset).unwrap(), settings).unwrap()
}

/// A runtime as the server uses it.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}
