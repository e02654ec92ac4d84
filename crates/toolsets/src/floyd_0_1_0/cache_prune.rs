//! Floyd 0.1.0 `cache_prune`.

use crate::cache::Cache;
use crate::floyd::supercache::TierName;
use crate::prelude::*;

/// Delete what has expired from a tier of the cache, or from all.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct CachePrune {
    /// Tier (default all)
    tier: Option<TierName>,
}

/// What was deleted.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// How many entries went
    pruned: usize,
    /// The tier, or all
    tier: String,
    /// What was done
    message: String,
}

impl Tool for CachePrune {
    type Output = Success<Output>;

    const FAILED: &'static str = r#"{"pruned": 0, "tier": null}"#;

    const SPEC: Spec = Spec::new("cache_prune", "Prune the cache", Category::Cache)
        .effect(Effect::FORGETS, Permission::Moderate)
        .errors(&[&[Code::InvalidTier]])
        .examples(&[
            Example::of("Nothing has expired")
                .call(r#"{"tier": "project"}"#)
                .gives(r#"{"success": true, "pruned": 0, "tier": "project", "message": "Deleted 0 expired entries from project"}"#),
            Example::of("An unknown tier")
                .call(r#"{"tier": "attic"}"#)
                .fails(Code::InvalidTier, r#"{"success": false, "pruned": 0, "tier": "attic", "error": "tier: no tier `attic`; [..]", "code": "InvalidTier"}"#),
        ]);

    fn about(&self) -> String {
        "delete what has expired from the cache".to_owned()
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let (tiers, tier) = TierName::or_all(self.tier.as_ref())?;
        let pruned = Cache::of(cx).prune(&tiers)?;
        let entries = if pruned == 1 { "entry" } else { "entries" };
        let message = format!("Deleted {pruned} expired {entries} from {tier}");
        success(Output { pruned, tier, message })
    }
}
