//! Floyd 0.1.0 `cache_search`.

use crate::cache::{Cache, Entry};
use toolkit::serde_json::{Map, Value};

use crate::floyd::supercache::{TierName, unreadable};
use crate::prelude::*;

/// Find entries of a tier of the cache whose key or text has the query, best first.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct CacheSearch {
    /// Tier
    tier: TierName,
    /// Text to look for, case ignored
    query: String,
}

/// What was found.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The query
    query: String,
    /// The tier
    tier: String,
    /// How many
    count: usize,
    /// Each without its text
    results: Vec<Match>,
    /// Files that could not be read
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// One entry.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Match {
    /// Its name
    key: String,
    /// When it was stored, milliseconds since 1970
    timestamp: i64,
    /// When it expires
    expires: i64,
    /// Whatever belongs to it
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Map<String, Value>>,
    /// 1 is the key itself, less is a part of the key, least a part of the text
    match_score: f64,
}

impl From<(f64, Entry)> for Match {
    fn from((match_score, entry): (f64, Entry)) -> Self {
        let Entry { key, timestamp, expires, metadata, .. } = entry;
        Self { key, timestamp, expires, metadata, match_score }
    }
}

/// How well an entry fits; `None` if it does not.
fn score(entry: &Entry, wanted: &str) -> Option<f64> {
    let key = entry.key.to_lowercase();
    if key == wanted {
        Some(1.0)
    } else if key.starts_with(wanted) {
        Some(0.9)
    } else if key.contains(wanted) {
        Some(0.8)
    } else {
        entry.value.to_lowercase().contains(wanted).then_some(0.5)
    }
}

impl Tool for CacheSearch {
    type Output = Output;

    const FAILED: &'static str = r#"{"query": null, "tier": null, "count": 0, "results": []}"#;

    const SPEC: Spec = Spec::new("cache_search", "Search the cache", Category::Cache)
        .errors(&[&[Code::InvalidTier, Code::QueryTooShort]])
        .examples(&[
            Example::of("Nothing is like it")
                .call(r#"{"tier": "vault", "query": "hook"}"#)
                .gives(r#"{"query": "hook", "tier": "vault", "count": 0, "results": []}"#),
            Example::of("One letter is not enough")
                .call(r#"{"tier": "vault", "query": "h"}"#)
                .fails(Code::QueryTooShort, r#"{"query": "h", "tier": "vault", "count": 0, "results": [], "error": "query: shorter than 2 characters; [..]", "code": "QueryTooShort"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let tier = self.tier.tier()?;
        if self.query.trim().chars().count() < 2 {
            return Err(Error::query_too_short(2));
        }
        let wanted = self.query.to_lowercase();
        let content = Cache::of(cx).content(tier)?;
        let scored = |entry: Entry| Some((score(&entry, &wanted)?, entry));
        let mut found: Vec<_> = content.entries.into_iter().filter_map(scored).collect();
        found.sort_by(|(a, _), (b, _)| b.total_cmp(a)); // stable: the newest first among equals
        let results: Vec<Match> = found.into_iter().map(Match::from).collect();
        let (count, note) = (results.len(), unreadable(&content.broken));
        Ok(Output { query: self.query, tier: tier.name().to_owned(), count, results, note })
    }
}
