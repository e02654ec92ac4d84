//! Stack `web_search`.

use fault::cut;
use web::Freshness;

use crate::prelude::*;
use crate::web::{REACHING, failed};

/// The document's number of results.
const COUNT: usize = 5;

/// Most results; engines give about as many on a page.
const MOST: usize = 20;

/// Most bytes of a snippet.
const SNIPPET: usize = 500;

/// Search the web with the engine that the user configured.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct WebSearch {
    /// Search words
    query: String,
    /// Results, 1 to 20 (default 5)
    count: Option<usize>,
    /// How old: day, week, month or year
    freshness: Option<String>,
    /// Code such as en
    language: Option<String>,
}

/// What was found.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// As given
    query: String,
    /// The best first
    results: Vec<Found>,
}

/// A page.
#[derive(Serialize, JsonSchema)]
struct Found {
    /// Its title
    title: String,
    /// Where it is
    url: String,
    /// What it says about it
    snippet: String,
}

impl Tool for WebSearch {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("web_search", "Search the web", Category::Web)
        .effect(Effect::CONNECTS, Permission::Moderate)
        .errors(&[
            REACHING,
            &[Code::NoSearchBackend, Code::SearchUnsupported, Code::SearchFailed, Code::TooLarge],
        ])
        .examples(&[
            Example::of("Pages about something")
                .call(r#"{"query": "guide begins"}"#)
                .gives(r#"{"success": true, "query": "guide begins", "results": [{"title": "Guide", "url": "http://site.example/guide", "snippet": "It begins here"}]}"#),
            Example::of("Nothing found is nothing, not an invention")
                .call(r#"{"query": "xyzzy"}"#)
                .gives(r#"{"success": true, "query": "xyzzy", "results": []}"#),
            Example::of("An engine that knows no dates says so")
                .call(r#"{"query": "guide", "freshness": "week"}"#)
                .fails(Code::SearchUnsupported, r#"{"success": false, "error": "freshness: a fixed list [..]; leave it out", "code": "SearchUnsupported"}"#),
        ]);

    fn about(&self) -> String {
        format!("search the web for: {}", self.query)
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        if self.query.trim().is_empty() {
            return Err(Error::invalid_input("query", "empty; say what to look for"));
        }
        let count = self.count.unwrap_or(COUNT);
        if !(1..=MOST).contains(&count) {
            let problem = format!("{count}; give a number from 1 to {MOST}");
            return Err(Error::invalid_input("count", problem));
        }
        let freshness = match self.freshness.as_deref() {
            None | Some("") => None,
            Some("day") => Some(Freshness::Day),
            Some("week") => Some(Freshness::Week),
            Some("month") => Some(Freshness::Month),
            Some("year") => Some(Freshness::Year),
            Some(other) => {
                let problem = format!("{}: give day, week, month or year", cut(other, 100));
                return Err(Error::invalid_input("freshness", problem));
            }
        };
        let language = self.language.as_deref().filter(|language| !language.is_empty());
        let query = web::Query { text: &self.query, count, freshness, language };
        let stop = || cx.cancel().is_cancelled();
        let hits = cx.web().search(&query, &stop).map_err(failed)?;
        let found = |hit: web::Hit| Found {
            title: cut(&hit.title, SNIPPET).into_owned(),
            url: hit.url,
            snippet: cut(&hit.snippet, SNIPPET).into_owned(),
        };
        let results = hits.into_iter().map(found).collect();
        success(Output { results, query: self.query })
    }
}
