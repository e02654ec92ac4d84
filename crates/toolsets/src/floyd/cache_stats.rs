//! Floyd `cache_stats`.

use super::supercache::TierName;
use crate::floyd_0_1_0::cache_stats::Output;
use crate::prelude::*;

/// Tell how many entries each tier of the cache has, and how large it is.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct CacheStats {
    #[schemars(skip)]
    tier: Option<TierName>,
}

impl Tool for CacheStats {
    type Output = Output;

    const SPEC: Spec = Spec {
        name: "cache_stats",
        aliases: &[],
        title: "Cache statistics",
        category: Category::Cache,
        effect: Effect::READS,
        permission: Permission::None,
        errors: &[&[Code::InvalidTier]],
        examples: &[
            Example {
                about: "An empty cache",
                given: &[],
                call: r#"{}"#,
                gives: r#"{"reasoning": {"entries": 0, "active": 0, "sizeBytes": 0}, "project": {"entries": 0, "active": 0, "sizeBytes": 0}, "vault": {"entries": 0, "active": 0, "sizeBytes": 0}}"#,
                leaves: &[],
                fails: None,
            },
            Example {
                about: "A tier that is none",
                given: &[],
                call: r#"{"tier": "attic"}"#,
                gives: r#"{"error": "tier: no tier `attic`; [..]"}"#,
                leaves: &[],
                fails: Some(Code::InvalidTier),
            },
        ],
    };

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let (tiers, _) = TierName::or_all(self.tier.as_ref())?;
        Output::of(cx, &tiers)
    }
}
