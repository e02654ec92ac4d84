//! Floyd `cache_clear`.

use super::supercache::{Cleared, TierName};
use crate::prelude::*;

/// Delete all entries of a tier of the cache, or of all.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct CacheClear {
    /// Tier (default all)
    tier: Option<TierName>,
}

impl Tool for CacheClear {
    type Output = Cleared;

    const SPEC: Spec = Spec {
        name: "cache_clear",
        aliases: &[],
        title: "Clear the cache",
        category: Category::Cache,
        effect: Effect::FORGETS,
        permission: Permission::None,
        errors: &[&[Code::InvalidTier]],
        examples: &[
            Example {
                about: "An empty cache",
                given: &[],
                call: r#"{}"#,
                gives: r#"{"success": true, "deleted": 0, "tier": "all", "message": "Deleted 0 entries from all"}"#,
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

    fn about(&self) -> String {
        "delete all entries of the cache, or of one tier".to_owned()
    }

    fn run(self, cx: &Cx<'_>) -> Result<Cleared> {
        Cleared::clear(cx, self.tier.as_ref())
    }
}
