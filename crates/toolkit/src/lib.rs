//! What a tool is and how one is called: the library under every face of Kitbag.
//!
//! A tool is its input. Register it, and it can be validated and exported for a model provider and
//! called under the same policy, approval, journal and bounds as Kitbag's own:
//!
//! ```
//! use toolkit::fault::{Code, Error, Result};
//! use toolkit::files::{Limits, State};
//! use toolkit::programs::process;
//! use toolkit::schemars::JsonSchema;
//! use toolkit::serde::Deserialize;
//! use toolkit::serde_json::json;
//! use toolkit::{Body, Call, Cx, Desk, Effect, Permission, Policy, Provider};
//! use toolkit::{Session, Settings, Spec, Tool, Toolset, call};
//!
//! /// Count the lines of a text file.
//! #[derive(Deserialize, JsonSchema)]
//! struct CountLines {
//!     /// Path of the file
//!     path: String,
//! }
//!
//! impl Tool for CountLines {
//!     type Output = usize;
//!
//!     const SPEC: Spec = Spec {
//!         name: "count_lines",
//!         aliases: &[],
//!         title: "Count lines",
//!         category: "Files",
//!         effect: Effect::Reads,
//!         permission: Permission::None,
//!         errors: &[&[Code::FileNotFound]],
//!         examples: &[],
//!     };
//!
//!     fn run(self, cx: &Cx<'_>) -> Result<usize> {
//!         let contents = cx.workspace().read(&self.path)?;
//!         Ok(contents.bytes.split(|b| *b == b'\n').filter(|l| !l.is_empty()).count())
//!     }
//! }
//!
//! # fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
//! let mut toolset = Toolset::new("mine", "my own tools");
//! toolset.register::<CountLines>()?;
//! assert!(toolset.register::<CountLines>().is_err(), "a name is registered once");
//! assert!(toolset.check(Provider::OpenAi).is_empty());
//! let definitions = toolset.export(Provider::OpenAi);
//! assert_eq!(definitions[0]["function"]["name"], "count_lines");
//!
//! let folder = tempfile::tempdir()?;
//! # #[allow(clippy::disallowed_methods)]
//! std::fs::write(folder.path().join("a.txt"), "one\ntwo\n")?;
//! let session = Session::open(toolset, Settings {
//!     root: folder.path().to_owned(),
//!     allow: vec![],
//!     allow_protected: vec![],
//!     state: State::new(folder.path().join("state")),
//!     cache: folder.path().join("cache"),
//!     policy: Policy::ReadOnly,
//!     desk: Desk::empty(),
//!     programs: process::Settings::default(),
//!     web: toolkit::web::Settings::default(),
//!     limits: Limits::default(),
//!     durable: true,
//! })?;
//! let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! let outcome = runtime.block_on(call(&session, Call::new("count_lines", json!({"path": "a.txt"}))));
//! assert_eq!(outcome.body, Body::Json(json!(2)));
//!
//! let outcome = runtime.block_on(call(&session, Call::new("count_lines", json!({"path": "b.txt"}))));
//! assert_eq!(outcome.error.map(|e| e.code), Some(Code::FileNotFound));
//! # Ok(())
//! # }
//! ```

mod approval;
mod audit;
mod call;
mod cx;
mod entry;
mod gateway;
mod kept;
mod policy;
mod provider;
mod reach;
mod schema;
mod session;
mod slots;
mod tool;
mod toolset;
mod truncate;

pub use approval::{Answer, Desk, Pending, Question, Wants, escape};
pub use call::{Asking, Call, Outcome, call};
pub use cx::Cx;
pub use entry::{Definition, Entry, Failure, Hints};
pub use policy::{Decision, Policy, decide};
pub use provider::{Problem, Provider};
pub use session::{Session, Settings};
pub use tool::{ANY_CALL, Effect, Example, GONE, Permission, Spec, Tool};
pub use toolset::{Body, Envelope, Toolset};

/// What this library is built on, for those who make tools of their own.
pub use {fault, files, programs, schemars, serde, serde_json, web};
