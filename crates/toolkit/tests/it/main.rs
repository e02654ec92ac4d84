//! The chain of a call, with tools made for the purpose.

#![expect(clippy::disallowed_methods, reason = "tests look at the real files")]
#![expect(clippy::unwrap_used, reason = "a test may stop at what should not happen")]

mod approvals;
mod inputs;
mod many;
mod tools;

use std::path::Path;
use std::sync::Arc;

use files::{Limits, State};
use programs::process;
use toolkit::serde_json::Value;
use toolkit::{Call, Desk, Outcome, Policy, Session, Settings, Toolset, call};

pub(crate) struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("root")).unwrap();
        Self { dir }
    }

    pub(crate) fn root(&self) -> std::path::PathBuf {
        self.dir.path().join("root")
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        std::fs::write(self.root().join(path), text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root().join(path)).unwrap_or_default()
    }

    pub(crate) fn session(&self, policy: Policy, desk: Desk) -> Arc<Session> {
        let mut toolset = Toolset::new("test", "tools for tests");
        toolset.register::<tools::Take>().unwrap();
        toolset.register::<tools::Put>().unwrap();
        toolset.register::<tools::Panic>().unwrap();
        toolset.register::<tools::Undeclared>().unwrap();
        toolset.register::<tools::Wait>().unwrap();
        open(&self.root(), &self.dir.path().join("state"), policy, desk, toolset)
    }
}

fn open(root: &Path, state: &Path, policy: Policy, desk: Desk, toolset: Toolset) -> Arc<Session> {
    let settings = Settings {
        root: root.to_owned(),
        allow: Vec::new(),
        allow_protected: Vec::new(),
        state: State::new(state),
        cache: state.join("cache"),
        policy,
        desk,
        programs: process::Settings::default(),
        limits: Limits { body_bytes: 10_000, ..Limits::default() },
        web: toolkit::web::Settings::default(),
        durable: false,
    };
    Session::open(toolset, settings).unwrap()
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

pub(crate) fn run(session: &Arc<Session>, tool: &str, input: Value) -> Outcome {
    block_on(call(session, Call::new(tool, input)))
}
