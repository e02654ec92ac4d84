//! Floyd 0.1.0 `cache_retrieve`.

use crate::floyd::supercache::{Retrieved, TierName};
use crate::prelude::*;

/// Give the text that a key has in a tier of the cache.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct CacheRetrieve {
    /// Tier
    tier: TierName,
    /// Its name
    key: String,
}

impl Tool for CacheRetrieve {
    type Output = Retrieved;

    const FAILED: &'static str = r#"{"tier": null, "key": null, "found": false}"#;

    const SPEC: Spec = Spec::new("cache_retrieve", "Look up in the cache", Category::Cache)
        .errors(&[&[Code::InvalidTier, Code::EmptyKey]])
        .examples(&[
            Example::of("A key that has none is no failure")
                .call(r#"{"tier": "vault", "key": "hook"}"#)
                .gives(r#"{"tier": "vault", "key": "hook", "found": false}"#),
            Example::of("An unknown tier")
                .call(r#"{"tier": "attic", "key": "hook"}"#)
                .fails(Code::InvalidTier, r#"{"tier": "attic", "key": "hook", "found": false, "error": "tier: no tier `attic`; [..]", "code": "InvalidTier"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Retrieved> {
        Retrieved::find(cx, Some(&self.tier), self.key)
    }
}
