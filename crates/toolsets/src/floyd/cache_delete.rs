//! Floyd `cache_delete`.

use super::supercache::{Deleted, TierName};
use crate::prelude::*;

/// Delete a key from the cache, in all tiers.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct CacheDelete {
    /// Its name
    key: String,
    #[schemars(skip)]
    tier: Option<TierName>,
}

impl Tool for CacheDelete {
    type Output = Success<Deleted>;

    const SPEC: Spec = Spec::new("cache_delete", "Delete from the cache", Category::Cache)
        .effect(Effect::FORGETS, Permission::None)
        .errors(&[&[Code::InvalidTier, Code::EmptyKey]])
        .examples(&[
            Example::of("Nothing was there")
                .call(r#"{"key": "plan"}"#)
                .gives(r#"{"success": true, "tier": "all", "key": "plan", "deleted": false, "message": "`plan` is in no tier"}"#),
            Example::of("A key must have a name")
                .call(r#"{"key": ""}"#)
                .fails(Code::EmptyKey, r#"{"error": "key: empty; give the entry a name"}"#),
        ]);

    fn about(&self) -> String {
        format!("delete the key {} from the cache", self.key)
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Deleted>> {
        Deleted::delete(cx, self.tier.as_ref(), self.key)
    }
}
