//! Floyd 0.1.0 `cache_stats`.

use crate::floyd::cache_stats::Output;
use crate::floyd::supercache::TierName;
use crate::prelude::*;

/// Tell how many entries a tier of the cache has, or each, and how large it is.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct CacheStats {
    /// Tier (default all)
    tier: Option<TierName>,
}

impl Tool for CacheStats {
    type Output = Output;

    const SPEC: Spec = Spec::new("cache_stats", "Cache statistics", Category::Cache)
        .errors(&[&[Code::InvalidTier]])
        .examples(&[
            Example::of("An empty tier")
                .call(r#"{"tier": "vault"}"#)
                .gives(r#"{"vault": {"entries": 0, "active": 0, "sizeBytes": 0}}"#),
            Example::of("An unknown tier").call(r#"{"tier": "attic"}"#).fails(
                Code::InvalidTier,
                r#"{"error": "tier: no tier `attic`; [..]", "code": "InvalidTier"}"#,
            ),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let (tiers, _) = TierName::or_all(self.tier.as_ref())?;
        Output::of(cx, &tiers)
    }
}
