//! Floyd 0.1.0 `cache_clear`.

use crate::floyd::supercache::{Cleared, TierName};
use crate::prelude::*;

/// Delete all entries of a tier of the cache, or of all.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct CacheClear {
    /// Tier (default all)
    tier: Option<TierName>,
}

impl Tool for CacheClear {
    type Output = Success<Cleared>;

    const FAILED: &'static str = r#"{"deleted": 0, "tier": null}"#;

    const SPEC: Spec = Spec::new("cache_clear", "Clear the cache", Category::Cache)
        .effect(Effect::FORGETS, Permission::Dangerous)
        .errors(&[&[Code::InvalidTier]])
        .examples(&[
            Example::of("An empty cache")
                .gives(r#"{"success": true, "deleted": 0, "tier": "all", "message": "Deleted 0 entries from all"}"#),
            Example::of("An unknown tier")
                .call(r#"{"tier": "attic"}"#)
                .fails(Code::InvalidTier, r#"{"success": false, "deleted": 0, "tier": "attic", "error": "tier: no tier `attic`; [..]", "code": "InvalidTier"}"#),
        ]);

    fn about(&self) -> String {
        "delete all entries of the cache, or of one tier".to_owned()
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Cleared>> {
        Cleared::clear(cx, self.tier.as_ref())
    }
}
