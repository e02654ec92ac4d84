//! The Brave Search API, which needs a subscription.

use url::Url;

use super::{Engine, Freshness, Hit, Query, from_json, with};
use crate::error::Result;

/// Where the API is.
pub(super) const BASE: &str = "https://api.search.brave.com/res/v1/web/search";

/// As many results as one request gives.
const MOST: usize = 20;

pub(super) struct Brave<'a> {
    pub(super) base: &'a str,
    pub(super) key: &'a str,
}

impl Engine for Brave<'_> {
    fn name(&self) -> &str {
        "Brave Search"
    }

    fn url(&self, query: &Query<'_>) -> Result<Url> {
        let count = query.count.min(MOST).to_string();
        let mut parameters = vec![("q", query.text), ("count", &count)];
        parameters.extend(query.language.map(|language| ("search_lang", language)));
        let freshness = query.freshness.map(|freshness| match freshness {
            Freshness::Day => "pd",
            Freshness::Week => "pw",
            Freshness::Month => "pm",
            Freshness::Year => "py",
        });
        parameters.extend(freshness.map(|freshness| ("freshness", freshness)));
        with(self.base, &parameters)
    }

    fn headers(&self) -> Vec<(&'static str, &str)> {
        vec![("accept", "application/json"), ("x-subscription-token", self.key)]
    }

    fn hits(&self, answer: &str) -> Result<Vec<Hit>, String> {
        let json: serde_json::Value =
            serde_json::from_str(answer).map_err(|_| "its answer is no JSON")?;
        if json["type"] != "search" {
            return Err("its answer holds no search results".to_owned());
        }
        // Without a hit the whole section is missing.
        Ok(from_json(&json["web"]["results"], "description").unwrap_or_default())
    }
}
