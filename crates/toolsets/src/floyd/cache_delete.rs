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
    type Output = Deleted;

    const SPEC: Spec = Spec {
        name: "cache_delete",
        aliases: &[],
        title: "Delete from the cache",
        category: Category::Cache,
        effect: Effect::FORGETS,
        permission: Permission::None,
        errors: &[&[Code::InvalidTier, Code::EmptyKey]],
        examples: &[
            Example {
                about: "Nothing was there",
                given: &[],
                call: r#"{"key": "plan"}"#,
                gives: r#"{"success": true, "tier": "all", "key": "plan", "deleted": false, "message": "`plan` is not in all"}"#,
                leaves: &[],
                fails: None,
            },
            Example {
                about: "A key must have a name",
                given: &[],
                call: r#"{"key": ""}"#,
                gives: r#"{"error": "key: empty; give the entry a name"}"#,
                leaves: &[],
                fails: Some(Code::EmptyKey),
            },
        ],
    };

    fn about(&self) -> String {
        format!("delete the key {} from the cache", self.key)
    }

    fn run(self, cx: &Cx<'_>) -> Result<Deleted> {
        Deleted::delete(cx, self.tier.as_ref(), self.key)
    }
}
