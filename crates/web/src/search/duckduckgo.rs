//! DuckDuckGo's page for browsers without scripts; it has no API, needs no key and sometimes asks
//! whether one is a person.

use dom_query::Document;
use url::Url;

use super::{Engine, Freshness, Hit, Query, with};
use crate::error::{Error, Result};

/// Where the page is.
pub(super) const BASE: &str = "https://html.duckduckgo.com/html/";

pub(super) struct DuckDuckGo<'a> {
    pub(super) base: &'a str,
}

impl Engine for DuckDuckGo<'_> {
    fn name(&self) -> &str {
        "DuckDuckGo"
    }

    fn url(&self, query: &Query<'_>) -> Result<Url> {
        if query.language.is_some() {
            let why = "DuckDuckGo knows regions, not languages; leave it out, or write the query in the language";
            return Err(Error::unsupported("language", why));
        }
        let mut parameters = vec![("q", query.text)];
        let freshness = query.freshness.map(|freshness| match freshness {
            Freshness::Day => "d",
            Freshness::Week => "w",
            Freshness::Month => "m",
            Freshness::Year => "y",
        });
        parameters.extend(freshness.map(|freshness| ("df", freshness)));
        with(self.base, &parameters)
    }

    fn headers(&self) -> Vec<(&'static str, &str)> {
        vec![("accept", "text/html")]
    }

    fn hits(&self, answer: &str) -> Result<Vec<Hit>, String> {
        let page = Document::from(answer);
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let hits: Vec<Hit> = page
            .select(".result:not(.result--ad)")
            .iter()
            .filter_map(|result| {
                let link = result.select_single("a.result__a");
                let snippet = words(&result.select_single(".result__snippet").text());
                Some(Hit { title: words(&link.text()), url: target(&link.attr("href")?)?, snippet })
            })
            .collect();
        if hits.is_empty() && !page.select_single(".no-results").exists() {
            return Err("it gave no results and did not say that there are none; it may take this for a robot".to_owned());
        }
        Ok(hits)
    }
}

/// Links lead over a page of DuckDuckGo's that counts them: `//duckduckgo.com/l/?uddg=<url>`.
fn target(link: &str) -> Option<String> {
    let url = Url::parse(BASE).ok()?.join(link).ok()?;
    let own = url.host_str().is_some_and(|host| host.ends_with("duckduckgo.com"));
    match url.query_pairs().find(|(name, _)| own && name == "uddg") {
        Some((_, target)) => Some(target.into_owned()),
        None if own => None, // an advertisement
        None => Some(url.into()),
    }
}
