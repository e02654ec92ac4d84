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
    type Output = Deleted;

    const FAILED: &'static str = r#"{"tier": null, "deleted": false}"#;

    const SPEC: Spec = Spec {
        name: "cache_delete",
        aliases: &[],
        title: "Delete from the cache",
        category: Category::Cache,
        effect: Effect::FORGETS,
        permission: Permission::Moderate,
        errors: &[&[Code::InvalidTier, Code::EmptyKey]],
        examples: &[
            Example {
                about: "Nothing was there",
                given: &[],
                call: r#"{"tier": "vault", "key": "hook"}"#,
                gives: r#"{"success": true, "tier": "vault", "key": "hook", "deleted": false, "message": "`hook` is not in vault"}"#,
                leaves: &[],
                fails: None,
            },
            Example {
                about: "A key must have a name",
                given: &[],
                call: r#"{"tier": "vault", "key": ""}"#,
                gives: r#"{"success": false, "tier": "vault", "deleted": false, "error": "key: empty; [..]", "code": "EmptyKey"}"#,
                leaves: &[],
                fails: Some(Code::EmptyKey),
            },
        ],
    };

    fn about(&self) -> String {
        format!("delete the key {} from the cache", self.key)
    }

    fn run(self, cx: &Cx<'_>) -> Result<Deleted> {
        Deleted::delete(cx, Some(&self.tier), self.key)
    }
}
