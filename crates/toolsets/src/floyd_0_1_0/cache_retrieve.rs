//! Floyd 0.1.0 `cache_retrieve`.

use crate::floyd::supercache::{Retrieved, TierName};
use crate::prelude::*;

/// Give the text that a key has in a tier of the cache.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct CacheRetrieve {
    /// Tier
    tier: TierName,
    /// Its name
    key: String,
}

impl Tool for CacheRetrieve {
    type Output = Retrieved;

    const FAILED: &'static str = r#"{"tier": null, "key": null, "found": false}"#;

    const SPEC: Spec = Spec {
        name: "cache_retrieve",
        aliases: &[],
        title: "Look up in the cache",
        category: Category::Cache,
        effect: Effect::READS,
        permission: Permission::None,
        errors: &[&[Code::InvalidTier, Code::EmptyKey]],
        examples: &[
            Example {
                about: "A key that has none is no failure",
                given: &[],
                call: r#"{"tier": "vault", "key": "hook"}"#,
                gives: r#"{"tier": "vault", "key": "hook", "found": false}"#,
                leaves: &[],
                fails: None,
            },
            Example {
                about: "A tier that is none",
                given: &[],
                call: r#"{"tier": "attic", "key": "hook"}"#,
                gives: r#"{"tier": "attic", "key": "hook", "found": false, "error": "tier: no tier `attic`; [..]", "code": "InvalidTier"}"#,
                leaves: &[],
                fails: Some(Code::InvalidTier),
            },
        ],
    };

    fn run(self, cx: &Cx<'_>) -> Result<Retrieved> {
        Retrieved::find(cx, Some(&self.tier), self.key)
    }
}
