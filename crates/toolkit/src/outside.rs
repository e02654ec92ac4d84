//! Tools of other servers beside our own, through the same policy, audit and bounds.

use std::fmt;
use std::sync::Arc;

use fault::Result;
use serde_json::{Map, Value};

use crate::cx::Cx;

/// Calls the server, on a thread that may block. It looks at [`Cx::cancel`], and fails with
/// `ServerFailed`.
pub type Ask = dyn Fn(Map<String, Value>, &Cx<'_>) -> Result<Value> + Send + Sync;

/// A tool of another server. What the server says about it is believed in nothing: it counts as
/// dangerous, and is asked about unless the operator allows it by name.
#[derive(Clone)]
pub struct Outside {
    /// Its name here.
    pub name: String,
    /// What it does, in the words of the server.
    pub description: String,
    /// The schema of its input.
    pub input: Map<String, Value>,
    /// Whether the operator allows it by name.
    pub allowed: bool,
    /// Calls it.
    pub ask: Arc<Ask>,
}

impl fmt::Debug for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outside").field("name", &self.name).finish_non_exhaustive()
    }
}
