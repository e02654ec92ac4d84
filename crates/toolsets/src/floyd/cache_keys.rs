//! Floyd `cache_keys`.

use crate::cache::{Cache, KeyGlob};

use super::supercache::{TierName, unreadable};
use crate::prelude::*;

/// List the keys in the cache, newest first.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct CacheKeys {
    /// Tier (default all)
    tier: Option<TierName>,
    /// Only keys such as plan-*
    pattern: Option<String>,
}

/// The keys.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// By name
    keys: Vec<String>,
    /// How many
    count: usize,
    /// Files that could not be read
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Tool for CacheKeys {
    type Output = Output;

    const SPEC: Spec = Spec::new("cache_keys", "Keys of the cache", Category::Cache)
        .aliases(&["cache_list"])
        .errors(&[&[Code::InvalidTier, Code::InvalidGlob]])
        .examples(&[
            Example::of("An empty cache")
                .call(r#"{"tier": "vault"}"#)
                .gives(r#"{"keys": [], "count": 0}"#),
            Example::of("An invalid glob")
                .call(r#"{"pattern": "[a"}"#)
                .fails(Code::InvalidGlob, r#"{"error": "pattern [a: [..]"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let (tiers, _) = TierName::or_all(self.tier.as_ref())?;
        let wanted = self.pattern.as_deref().map(KeyGlob::new).transpose()?;
        let mut keys = Vec::new();
        let mut broken = Vec::new();
        for tier in tiers {
            let content = Cache::of(cx).content(tier)?;
            broken.extend(content.broken);
            keys.extend(content.entries.into_iter().map(|entry| entry.key));
        }
        keys.retain(|key| wanted.as_ref().is_none_or(|glob| glob.matches(key)));
        keys.sort();
        keys.dedup();
        Ok(Output { count: keys.len(), keys, note: unreadable(&broken) })
    }
}
