//! What a tool is and how one is called: the library under every face of Kitbag.
//!
//! A tool is its input. Register it, and it can be validated and exported for a model provider and
//! called under the same policy, approval, journal and bounds as Kitbag's own:
//!
//! ```
//! use fault::{Code, Result};
//! use files::State;
//! use toolkit::schemars::JsonSchema;
//! use toolkit::serde::Deserialize;
//! use toolkit::serde_json::json;
//! use toolkit::{Body, Call, Category, Cx, Policy, Project, Provider};
//! use toolkit::{Settings, Spec, Tool, Toolset, call};
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
//!     const SPEC: Spec = Spec::new("count_lines", "Count lines", Category::Files)
//!         .errors(&[&[Code::FileNotFound]]);
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
//! let openai = Provider::named("openai").unwrap();
//! assert!(toolset.check(openai).is_empty());
//! let definitions = toolset.export(openai);
//! assert_eq!(definitions[0]["function"]["name"], "count_lines");
//!
//! let directory = tempfile::tempdir()?;
//! # #[allow(clippy::disallowed_methods)]
//! std::fs::write(directory.path().join("a.txt"), "one\ntwo\n")?;
//! let state = State::new(directory.path().join("state"));
//! let project = Project::open(Settings::new(directory.path(), state))?;
//! let session = project.session(toolset, Policy::ReadOnly);
//! let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! let outcome = runtime.block_on(call(&session, Call::new("count_lines", json!({"path":
//! "a.txt"})))); assert_eq!(outcome.done()?.body, Body::Json(json!(2)));
//!
//! let outcome = runtime.block_on(call(&session, Call::new("count_lines", json!({"path":
//! "b.txt"})))); assert_eq!(outcome.done()?.error.map(|e| e.code), Some(Code::FileNotFound));
//! # Ok(())
//! # }
//! ```

mod audit;
mod call;
mod cx;
mod desk;
mod effect;
mod entry;
mod events;
mod found;
mod gate;
mod gateway;
mod kept;
mod outside;
mod parameters;
mod person;
mod picture;
mod policy;
mod project;
mod provider;
mod question;
mod reach;
mod schema;
mod session;
mod slots;
#[cfg(feature = "testing")]
pub mod testing;
mod tool;
mod toolset;
mod truncate;

pub use call::{Asking, Call, Done, Outcome, call};
pub use cx::{Cx, Live};
pub use desk::{Pending, Seat};
pub use effect::Effect;
pub use entry::{Definition, Entry, Hints};
pub use events::{Event, Happening, Heard, Stream};
pub use found::Found;
pub use outside::{Ask, Outside};
pub use person::Person;
pub use picture::{Picture, Shown};
pub use policy::{Decision, KINDS, Policy, decide, decide_protected};
pub use project::{Project, Settings};
pub use provider::{Problem, Provider};
pub use question::{Answer, Question, Wants, escape};
pub use schema::{Field, fields};
pub use session::Session;
pub use tool::{ANY_CALL, Category, Example, GONE, Permission, Spec, Tool, failed};
pub use toolset::{Body, Envelope, TEXT, Toolset};

/// What this library is built on, for those who make tools of their own.
pub use {browser, fault, files, programs, schemars, serde, serde_json, web};
