//! Floyd 0.1.0 `cache_delete`.

use crate::floyd::supercache::{Deleted, TierName};
use crate::prelude::*;

/// Delete a key from a tier of the cache.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct CacheDelete {
    /// Tier
    tier: TierName,
    /// Its name
    key: String,
}

impl Tool for CacheDelete {
    type Output = Success<Deleted>;

    const FAILED: &'static str = r#"{"tier": null, "deleted": false}"#;

    const SPEC: Spec = Spec::new("cache_delete", "Delete from the cache", Category::Cache)
        .effect(Effect::FORGETS, Permission::Moderate)
        .errors(&[&[Code::InvalidTier, Code::EmptyKey]])
        .examples(&[
            Example::of("Nothing was there")
                .call(r#"{"tier": "vault", "key": "hook"}"#)
                .gives(r#"{"success": true, "tier": "vault", "key": "hook", "deleted": false, "message": "`hook` is not in the tier vault"}"#),
            Example::of("A key must have a name")
                .call(r#"{"tier": "vault", "key": ""}"#)
                .fails(Code::EmptyKey, r#"{"success": false, "tier": "vault", "deleted": false, "error": "key: empty; [..]", "code": "EmptyKey"}"#),
        ]);

    fn about(&self) -> String {
        format!("delete the key {} from the cache", self.key)
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Deleted>> {
        Deleted::delete(cx, Some(&self.tier), self.key)
    }
}
