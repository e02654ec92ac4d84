//! Floyd `cache_retrieve`.

use super::supercache::{Retrieved, TierName};
use crate::prelude::*;

/// Get the text stored under a key in the cache, in any tier.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct CacheRetrieve {
    /// Its name
    key: String,
    #[schemars(skip)]
    tier: Option<TierName>,
}

impl Tool for CacheRetrieve {
    type Output = Retrieved;

    const SPEC: Spec = Spec::new("cache_retrieve", "Look up in the cache", Category::Cache)
        .errors(&[&[Code::InvalidTier, Code::EmptyKey]])
        .examples(&[
            Example::of("A key that has none is no failure")
                .call(r#"{"key": "plan"}"#)
                .gives(r#"{"tier": "all", "key": "plan", "found": false}"#),
            Example::of("A key must have a name")
                .call(r#"{"key": " "}"#)
                .fails(Code::EmptyKey, r#"{"error": "key: empty; give the entry a name"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Retrieved> {
        Retrieved::find(cx, self.tier.as_ref(), self.key)
    }
}
