//! SearXNG, a search engine that asks others and that anybody can run.

use url::Url;

use super::{Engine, Freshness, Hit, Query, from_json, with};
use crate::error::Result;

pub(super) struct Searxng<'a> {
    pub(super) base: &'a str,
}

impl Engine for Searxng<'_> {
    fn name(&self) -> &str {
        self.base
    }

    fn url(&self, query: &Query<'_>) -> Result<Url> {
        let base = self.base.trim_end_matches('/');
        let base =
            if base.ends_with("/search") { base.to_owned() } else { format!("{base}/search") };
        let mut parameters = vec![("q", query.text), ("format", "json")];
        parameters.extend(query.language.map(|language| ("language", language)));
        let range = query.freshness.map(|freshness| match freshness {
            Freshness::Day => "day",
            Freshness::Week => "week",
            Freshness::Month => "month",
            Freshness::Year => "year",
        });
        parameters.extend(range.map(|range| ("time_range", range)));
        with(&base, &parameters)
    }

    fn headers(&self) -> Vec<(&'static str, &str)> {
        vec![("accept", "application/json")]
    }

    fn hits(&self, answer: &str) -> Result<Vec<Hit>, String> {
        let json: serde_json::Value = serde_json::from_str(answer)
            .map_err(|_| "its answer is no JSON (the format must be enabled in its settings)")?;
        let hits = from_json(&json["results"], "content").ok_or("its answer has no results")?;
        let broken = json["unresponsive_engines"].as_array().is_some_and(|list| !list.is_empty());
        if hits.is_empty() && broken {
            return Err("none of the engines that it asks gave an answer".to_owned());
        }
        Ok(hits)
    }
}
