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
    type Output = Cleared;

    const FAILED: &'static str = r#"{"deleted": 0, "tier": null}"#;

    const SPEC: Spec = Spec {
        name: "cache_clear",
        aliases: &[],
        title: "Clear the cache",
        category: Category::Cache,
        effect: Effect::FORGETS,
        permission: Permission::Dangerous,
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
                gives: r#"{"success": false, "deleted": 0, "tier": "attic", "error": "tier: no tier `attic`; [..]", "code": "InvalidTier"}"#,
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
