//! Requests to a server that the operator named, whose answers are read as they come: a model's.
//!
//! The operator chose the address, so it is not judged; it may well be this machine. Redirects are
//! not followed, since the headers hold a key.

use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use url::Url;

use crate::error::{Error, Result};
use crate::{Client, send};

/// A server by its base URL. Connections are kept between requests.
#[derive(Debug)]
pub struct Endpoint {
    base: String,
    headers: HeaderMap,
    client: reqwest::Client,
}

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsent {
    /// There is no connection to the server, so another try would most likely be in vain.
    Unreachable(String),
    /// The connection broke.
    Broken(String),
    /// The server was silent for too long.
    Silent,
}

impl Unsent {
    fn of(url: &str, error: &reqwest::Error) -> Self {
        if error.is_connect() && error.is_timeout() {
            return Self::Unreachable("no connection in the time for one".to_owned());
        }
        if error.is_timeout() {
            return Self::Silent;
        }
        let why = Error::of(url, error).message;
        let why = why.strip_prefix(&format!("{url}: ")).unwrap_or(&why);
        let why = why.split(';').next().unwrap_or(why).to_owned();
        if error.is_connect() { Self::Unreachable(why) } else { Self::Broken(why) }
    }
}

impl Endpoint {
    /// The server at `base`, which gets `headers` with each request. It may take `connect` to be
    /// reached, and be silent for `silence` at most.
    ///
    /// # Errors
    /// `InvalidUrl` for what is no http or https address, or a header that cannot be sent.
    pub fn new(
        base: &str,
        headers: &[(String, String)],
        connect: Duration,
        silence: Duration,
    ) -> Result<Self> {
        let url = Url::parse(base).map_err(|e| Error::invalid_url(base, e))?;
        if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
            return Err(Error::invalid_url(base, "not an http or https address"));
        }
        let mut sent = HeaderMap::new();
        for (name, value) in headers {
            let bad = || Error::invalid_url(base, format!("`{name}` cannot be sent as a header"));
            let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?;
            let mut value = HeaderValue::from_str(value).map_err(|_| bad())?;
            value.set_sensitive(true); // never shown, also not by a log of the connection
            sent.insert(header, value);
        }
        sent.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let client = builder(connect)?.read_timeout(silence).build();
        let client = client.map_err(|e| Error::of(base, &e))?;
        Ok(Self { base: base.trim_end_matches('/').to_owned(), headers: sent, client })
    }

    /// The base URL.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Sends a body to `path` below the base URL, and gives the answer when its head is there.
    ///
    /// # Errors
    /// If there is no answer; a status that is a failure is an answer.
    pub async fn post(&self, path: &str, body: Vec<u8>) -> Result<Coming, Unsent> {
        let url = format!("{}{path}", self.base);
        let request = self.client.post(&url).headers(self.headers.clone()).body(body);
        match request.send().await {
            Ok(response) => Ok(Coming { response, url }),
            Err(e) => Err(Unsent::of(&url, &e)),
        }
    }
}

fn builder(connect: Duration) -> Result<reqwest::ClientBuilder> {
    Ok(reqwest::Client::builder()
        .tls_backend_preconfigured(Client::default().tls()?.clone())
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(send::AGENT)
        .connect_timeout(connect))
}

/// Connections to servers that the operator named, for a protocol that brings its own requests. They
/// may be silent for any time.
///
/// # Errors
/// If this machine has no certificates.
pub fn connections(connect: Duration) -> Result<reqwest::Client> {
    builder(connect)?.build().map_err(|e| Error::of("", &e))
}

/// An answer whose body is still coming.
#[derive(Debug)]
pub struct Coming {
    response: reqwest::Response,
    url: String,
}

impl Coming {
    /// The status.
    pub fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// A header, as far as it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.response.headers().get(name)?.to_str().ok()
    }

    /// The bytes that came next; `None` at the end.
    ///
    /// # Errors
    /// If the connection breaks or the server falls silent.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, Unsent> {
        let next = self.response.chunk().await;
        next.map(|bytes| bytes.map(Vec::from)).map_err(|e| Unsent::of(&self.url, &e))
    }
}
