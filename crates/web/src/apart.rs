//! Strangers' bytes are read in a process of its own, and what was made of them comes back as JSON.

use isolate::{Ended, Limits};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Stop;

/// Runs `work`, which may take as long and as much memory as it likes: it is ended then.
pub(crate) fn apart<T: Serialize + DeserializeOwned>(
    stop: Stop<'_>,
    work: impl FnOnce() -> T,
) -> Result<T, Ended> {
    let make = || serde_json::to_vec(&work()).unwrap_or_default();
    let made = isolate::run(&Limits::default(), &|| stop(), make)?;
    serde_json::from_slice(&made).map_err(|_| Ended::Crashed)
}
