//! Floyd 0.1.0 `cache_list`.

use crate::cache::{Cache, Entry};
use toolkit::serde_json::{Map, Value};

use crate::floyd::supercache::{TierName, unreadable};
use crate::prelude::*;

/// List the entries of a tier of the cache, or of all, newest first.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct CacheList {
    /// Tier (default all)
    tier: Option<TierName>,
}

/// The entries.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// How many
    count: usize,
    /// Each without its text
    entries: Vec<Listed>,
    /// Files that could not be read
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// One entry.
#[derive(Serialize, JsonSchema)]
struct Listed {
    /// Its name
    key: String,
    /// Its tier
    tier: &'static str,
    /// When it was stored, milliseconds since 1970
    timestamp: i64,
    /// When it expires
    expires: i64,
    /// Whatever belongs to it
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Map<String, Value>>,
}

impl From<Entry> for Listed {
    fn from(entry: Entry) -> Self {
        let Entry { key, tier, timestamp, expires, metadata, .. } = entry;
        Self { key, tier: tier.name(), timestamp, expires, metadata }
    }
}

impl Tool for CacheList {
    type Output = Output;

    const FAILED: &'static str = r#"{"count": 0, "entries": []}"#;

    const SPEC: Spec = Spec::new("cache_list", "List the cache", Category::Cache)
        .aliases(&["cache_keys"])
        .errors(&[&[Code::InvalidTier]])
        .examples(&[
            Example::of("An empty cache")
                .gives(r#"{"count": 0, "entries": []}"#),
            Example::of("An unknown tier")
                .call(r#"{"tier": "attic"}"#)
                .fails(Code::InvalidTier, r#"{"count": 0, "entries": [], "error": "tier: no tier `attic`; [..]", "code": "InvalidTier"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let (tiers, _) = TierName::or_all(self.tier.as_ref())?;
        let (mut entries, mut broken) = (Vec::new(), Vec::new());
        for tier in tiers {
            let content = Cache::of(cx).content(tier)?;
            broken.extend(content.broken);
            entries.extend(content.entries.into_iter().map(Listed::from));
        }
        Ok(Output { count: entries.len(), entries, note: unreadable(&broken) })
    }
}
