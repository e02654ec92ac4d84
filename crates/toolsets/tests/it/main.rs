//! The toolsets through their one door, `toolkit::call`.

#![expect(clippy::disallowed_methods, reason = "tests look at the real files")]
#![expect(clippy::unwrap_used, reason = "a test may stop at what should not happen")]

mod bounds;
mod bridge;
mod bridge_strangers;
mod browser;
mod browser_told;
mod dialects;
mod economy;
mod examples;
mod git;
mod golden;
mod hung;
mod kit_browse;
mod kit_bytes;
mod kit_call;
mod kit_corrected;
mod kit_edit;
mod kit_lines;
mod kit_read;
mod kit_remember;
mod kit_reports;
mod kit_run;
mod kit_search;
mod kit_tokens;
mod kit_undo;
mod kit_verdicts;
mod laws;
mod parameters;
mod permissions;
mod projects;
mod said;
mod site;
mod spilled;
mod stack_programs;
mod web;

use std::sync::Arc;

use toolkit::testing::Place;
use toolkit::{Policy, Session, Settings};

/// A place whose programs get the environment of the tests, but not where these were built: that
/// is no place for what they build.
pub(crate) fn place(files: &[(&str, &str)], set: impl FnOnce(&mut Settings)) -> Place {
    Place::with(files, |settings| {
        let env = std::env::vars_os().filter(|(name, _)| name != "CARGO_TARGET_DIR");
        settings.programs.env = env.collect();
        // A machine that is busy with other tests takes longer than a person would wait.
        settings.limits.verdict_time = std::time::Duration::from_secs(60);
        set(settings);
    })
}

/// A session of the toolset of this name.
pub(crate) fn open(place: &Place, toolset: &str, policy: Policy) -> Arc<Session> {
    place.session(toolsets::toolset(toolset).unwrap(), policy)
}
