//! Floyd `cache_retrieve`.

use super::supercache::{Retrieved, TierName};
use crate::prelude::*;

/// Give the text that a key has in the cache, in any tier.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct CacheRetrieve {
    /// Its name
    key: String,
    #[schemars(skip)]
    tier: Option<TierName>,
}

impl Tool for CacheRetrieve {
    type Output = Retrieved;

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
                call: r#"{"key": "plan"}"#,
                gives: r#"{"tier": "all", "key": "plan", "found": false}"#,
                leaves: &[],
                fails: None,
            },
            Example {
                about: "A key must have a name",
                given: &[],
                call: r#"{"key": " "}"#,
                gives: r#"{"error": "key: empty; give the entry a name"}"#,
                leaves: &[],
                fails: Some(Code::EmptyKey),
            },
        ],
    };

    fn run(self, cx: &Cx<'_>) -> Result<Retrieved> {
        Retrieved::find(cx, self.tier.as_ref(), self.key)
    }
}
