//! Floyd 0.1.0 `cache_store`.

use toolkit::serde_json::{Map, Value};

use crate::floyd::supercache::{Stored, TierName};
use crate::prelude::*;

/// Keep a text in the cache, over sessions. Tiers: reasoning (5 minutes), project (a day), vault (a week).
#[derive(Deserialize, JsonSchema)]
pub(crate) struct CacheStore {
    /// Tier
    tier: TierName,
    /// Its name
    key: String,
    /// The text
    value: String,
    /// Whatever belongs to it
    metadata: Option<Map<String, Value>>,
    #[schemars(skip)]
    ttl: Option<u64>,
}

impl Tool for CacheStore {
    type Output = Success<Stored>;

    const FAILED: &'static str = r#"{"key": null, "tier": null, "message": "Nothing was stored"}"#;

    const SPEC: Spec = Spec::new("cache_store", "Store in the cache", Category::Cache)
        .effect(Effect::STORES, Permission::None)
        .errors(&[&[Code::InvalidTier, Code::EmptyKey, Code::EmptyValue]])
        .examples(&[
            Example::of("Kept for a week")
                .call(r#"{"tier": "vault", "key": "hook", "value": "useHook()", "metadata": {"lang": "ts"}}"#)
                .gives(r#"{"success": true, "tier": "vault", "key": "hook", "message": "Stored 9 bytes as `hook` in vault", "expires": "[..]"}"#),
            Example::of("Nothing to keep")
                .call(r#"{"tier": "vault", "key": "hook", "value": ""}"#)
                .fails(Code::EmptyValue, r#"{"success": false, "key": "hook", "tier": "vault", "message": "Nothing was stored", "error": "value: empty; [..]", "code": "EmptyValue"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Success<Stored>> {
        let tier = self.tier.tier()?;
        Stored::store(cx, tier, self.key, &self.value, self.ttl, self.metadata)
    }
}
