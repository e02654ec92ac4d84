//! What every tool file imports.

pub(crate) use engine::journal::Parents;
pub(crate) use engine::{Code, Error, Result};
pub(crate) use schemars::JsonSchema;
pub(crate) use serde::{Deserialize, Serialize};
pub(crate) use toolkit::{Cx, Effect, Example, GONE, Permission, Spec, Tool};
