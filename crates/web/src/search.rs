//! Searching the web with whoever the operator chose. Nobody chosen: an error, never made-up results.

mod brave;
mod duckduckgo;
mod searxng;

use isolate::Ended;
use url::Url;

use crate::address::Place;
use crate::apart::apart;
use crate::error::{Error, Kind, Result};
use crate::send::Request;
use crate::{Client, Stop, answer, link};

/// Who is asked.
#[derive(Clone)]
pub enum Backend {
    /// A SearXNG instance that gives JSON, by its URL; the operator may name one of this machine.
    Searxng(String),
    /// The Brave Search API.
    Brave {
        /// Where it is.
        base: String,
        /// The subscription.
        key: String,
    },
    /// The HTML page of DuckDuckGo.
    DuckDuckGo {
        /// Where it is.
        base: String,
    },
    /// A fixed list, in which the words of the query are looked for.
    Listed(Vec<Hit>),
}

impl Backend {
    /// Brave with a key.
    pub fn brave(key: impl Into<String>) -> Self {
        Self::Brave { base: brave::BASE.to_owned(), key: key.into() }
    }

    /// DuckDuckGo.
    pub fn duckduckgo() -> Self {
        Self::DuckDuckGo { base: duckduckgo::BASE.to_owned() }
    }
}

impl std::fmt::Debug for Backend {
    /// Without the key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Searxng(base) => write!(f, "Searxng({base})"),
            Self::Brave { base, .. } => write!(f, "Brave({base})"),
            Self::DuckDuckGo { base } => write!(f, "DuckDuckGo({base})"),
            Self::Listed(hits) => write!(f, "Listed({})", hits.len()),
        }
    }
}

/// How old a result may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// A day.
    Day,
    /// A week.
    Week,
    /// A month.
    Month,
    /// A year.
    Year,
}

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The words.
    pub text: &'a str,
    /// Most results.
    pub count: usize,
    /// How old they may be.
    pub freshness: Option<Freshness>,
    /// The code of their language, such as `en`.
    pub language: Option<&'a str>,
}

/// One result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// What the page calls itself.
    pub title: String,
    /// Where it is.
    pub url: String,
    /// What it says about the query, as plain text.
    pub snippet: String,
}

/// How one search engine is asked and understood.
trait Engine: Sync {
    /// What messages call it.
    fn name(&self) -> &str;

    /// The URL of its answer; an error if it cannot do what is asked.
    fn url(&self, query: &Query<'_>) -> Result<Url>;

    /// What it must be sent beside the URL.
    fn headers(&self) -> Vec<(&'static str, &str)>;

    /// The results in its answer; why there are none, if that is not what it says.
    fn hits(&self, answer: &str) -> Result<Vec<Hit>, String>;
}

impl Client {
    /// Searches the web.
    ///
    /// # Errors
    /// `NoBackend`, `Unsupported`, `Search` if the answer cannot be understood; those of a request.
    pub fn search(&self, query: &Query<'_>, stop: Stop<'_>) -> Result<Vec<Hit>> {
        let mut hits = match self.settings.search.as_ref().ok_or_else(Error::no_backend)? {
            Backend::Searxng(base) => self.ask_engine(&searxng::Searxng { base }, query, stop)?,
            Backend::Brave { base, key } => {
                self.ask_engine(&brave::Brave { base, key }, query, stop)?
            }
            Backend::DuckDuckGo { base } => {
                self.ask_engine(&duckduckgo::DuckDuckGo { base }, query, stop)?
            }
            Backend::Listed(all) => listed(all, query)?,
        };
        hits.truncate(query.count);
        Ok(hits)
    }

    fn ask_engine(
        &self,
        engine: &dyn Engine,
        query: &Query<'_>,
        stop: Stop<'_>,
    ) -> Result<Vec<Hit>> {
        let url = engine.url(query)?;
        let name = engine.name();
        let limits = &self.settings.limits;
        let trusted = Place::of(&url);
        let request = Request { headers: &engine.headers(), trusted, ..Request::get(url) };
        let answer = self.block(name, limits.whole, stop, async {
            let mut arrived = self.send(&request).await?;
            if let Some(failure) = arrived.failure() {
                let why = format!("it answered {}", failure.status.unwrap_or_default());
                return Err(Error::search(name, why));
            }
            answer::whole(&mut arrived, limits.page_bytes, "ask for fewer results").await
        });
        let answer = answer.map_err(|e| match e.kind {
            // The key or the words stand in the URL; the name of the engine says as much.
            Kind::Network => Error::search(name, "it cannot be reached"),
            _ => e,
        })?;
        let read = || {
            let hits = engine.hits(&String::from_utf8_lossy(&answer))?;
            Ok(hits.into_iter().map(|hit| (hit.title, hit.url, hit.snippet)).collect::<Vec<_>>())
        };
        let hits = apart(stop, read).map_err(|ended| match ended {
            Ended::Stopped => Error::stopped(name),
            ended => Error::search(name, format!("reading its answer {ended}")),
        })?;
        let hits: Vec<_> = hits.map_err(|why: String| Error::search(name, why))?;
        Ok(hits.into_iter().map(|(title, url, snippet)| Hit { title, url, snippet }).collect())
    }
}

fn listed(all: &[Hit], query: &Query<'_>) -> Result<Vec<Hit>> {
    if query.freshness.is_some() || query.language.is_some() {
        return Err(Error::unsupported(
            "freshness",
            "a fixed list has no dates and languages; leave it out",
        ));
    }
    let words: Vec<_> = query.text.split_whitespace().map(str::to_lowercase).collect();
    let has_all = |hit: &&Hit| {
        let text = format!("{} {}", hit.title, hit.snippet).to_lowercase();
        words.iter().all(|word| text.contains(word))
    };
    Ok(all.iter().filter(has_all).cloned().collect())
}

/// A URL with these parameters.
fn with(base: &str, parameters: &[(&str, &str)]) -> Result<Url> {
    let mut url = link::parse(base)?;
    url.query_pairs_mut().extend_pairs(parameters);
    Ok(url)
}

/// Plain text of a piece of HTML.
fn plain(html: &str) -> String {
    let text = dom_query::Document::fragment(html).text();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The results in a list of JSON objects, by the names of their fields.
fn from_json(list: &serde_json::Value, snippet: &str) -> Option<Vec<Hit>> {
    let hit = |one: &serde_json::Value| {
        let text = |name: &str| one.get(name).and_then(|v| v.as_str()).unwrap_or_default();
        let url = text("url").to_owned();
        (!url.is_empty()).then(|| Hit {
            title: plain(text("title")),
            url,
            snippet: plain(text(snippet)),
        })
    };
    Some(list.as_array()?.iter().filter_map(hit).collect())
}
