//! Floyd `cache_store`.

use crate::cache::Tier;
use toolkit::serde_json::{Map, Value};

use super::supercache::{Stored, TierName};
use crate::prelude::*;

/// Keep a text in the cache, over sessions. Tiers: reasoning (5 minutes), project (a day), vault (a
/// week).
#[derive(Deserialize, JsonSchema)]
pub(crate) struct CacheStore {
    /// Its name
    key: String,
    /// The text
    value: String,
    /// Tier (default project)
    tier: Option<TierName>,
    /// Milliseconds it lives (default: as its tier says)
    ttl: Option<u64>,
    #[schemars(skip)]
    metadata: Option<Map<String, Value>>,
}

impl Tool for CacheStore {
    type Output = Success<Stored>;

    const SPEC: Spec = Spec::new("cache_store", "Store in the cache", Category::Cache)
        .effect(Effect::STORES, Permission::None)
        .errors(&[&[Code::InvalidTier, Code::EmptyKey, Code::EmptyValue]])
        .examples(&[
            Example::of("Kept for a day")
                .call(r#"{"key": "plan", "value": "first the tests"}"#)
                .gives(r#"{"success": true, "tier": "project", "key": "plan", "message": "Stored 15 bytes as `plan` in project", "expires": "[..]"}"#),
            Example::of("An unknown tier")
                .call(r#"{"key": "plan", "value": "x", "tier": "attic"}"#)
                .fails(Code::InvalidTier, r#"{"error": "tier: no tier `attic`; use reasoning, project or vault"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Success<Stored>> {
        let tier = self.tier.as_ref().map_or(Ok(Tier::Project), TierName::tier)?;
        Stored::store(cx, tier, self.key, &self.value, self.ttl, self.metadata)
    }
}
