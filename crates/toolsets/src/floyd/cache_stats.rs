//! Floyd `cache_stats`.

use std::collections::BTreeMap;

use super::supercache::TierName;
use crate::cache::{Cache, Entry, Tier};
use crate::prelude::*;

/// Show how many entries each tier of the cache has, and its size.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct CacheStats {
    #[schemars(skip)]
    tier: Option<TierName>,
}

/// The tiers.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    tiers: BTreeMap<&'static str, Stats>,
}

/// One tier.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Stats {
    /// Entries, expired ones too
    entries: usize,
    /// Entries that have not expired
    active: usize,
    /// Bytes of their files
    size_bytes: u64,
    /// The oldest that has not expired
    #[serde(skip_serializing_if = "Option::is_none")]
    oldest: Option<Named>,
    /// The newest
    #[serde(skip_serializing_if = "Option::is_none")]
    newest: Option<Named>,
    /// Files that could not be read
    #[serde(skip_serializing_if = "Vec::is_empty")]
    broken: Vec<String>,
}

/// An entry and its time.
#[derive(Serialize, JsonSchema)]
struct Named {
    /// Its key
    key: String,
    /// When it was stored, milliseconds since 1970
    timestamp: i64,
}

impl Output {
    /// The statistics of these tiers.
    pub(crate) fn of(cx: &Cx<'_>, tiers: &[Tier]) -> Result<Self> {
        let stats = |tier: &Tier| {
            let content = Cache::of(cx).content(*tier)?;
            let named =
                |entry: &Entry| Named { key: entry.key.clone(), timestamp: entry.timestamp };
            let stats = Stats {
                entries: content.entries.len() + content.expired,
                active: content.entries.len(),
                size_bytes: content.bytes,
                oldest: content.entries.last().map(named),
                newest: content.entries.first().map(named),
                broken: content.broken,
            };
            Ok((tier.name(), stats))
        };
        Ok(Self { tiers: tiers.iter().map(stats).collect::<Result<_>>()? })
    }
}

impl Tool for CacheStats {
    type Output = Output;

    const SPEC: Spec = Spec::new("cache_stats", "Cache statistics", Category::Cache)
        .errors(&[&[Code::InvalidTier]])
        .examples(&[
            Example::of("An empty cache")
                .gives(r#"{"reasoning": {"entries": 0, "active": 0, "sizeBytes": 0}, "project": {"entries": 0, "active": 0, "sizeBytes": 0}, "vault": {"entries": 0, "active": 0, "sizeBytes": 0}}"#),
            Example::of("An unknown tier")
                .call(r#"{"tier": "attic"}"#)
                .fails(Code::InvalidTier, r#"{"error": "tier: no tier `attic`; [..]"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let (tiers, _) = TierName::or_all(self.tier.as_ref())?;
        Output::of(cx, &tiers)
    }
}
