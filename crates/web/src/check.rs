//! Whether a URL is there.

use reqwest::Method;

use crate::error::Result;
use crate::send::{Arrived, Hop, Request};
use crate::{Client, Stop, link};

/// What became of the question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    /// Who answered, redirects followed.
    pub url: String,
    /// The last answer.
    pub status: u16,
    /// The status in words, if it has some.
    pub reason: &'static str,
    /// The redirects on the way.
    pub hops: Vec<Hop>,
    /// Whether the way went from an encrypted connection to one that is not.
    pub downgraded: bool,
}

impl Client {
    /// Asks for the head of a page; where a server refuses that, for the page, of which nothing is
    /// read.
    ///
    /// # Errors
    /// `InvalidUrl`, `AddressRefused`, `Network`, `Certificate`, `Timeout`, `Redirects`, `Stopped`. A
    /// status is no error.
    pub fn check(&self, url: &str, stop: Stop<'_>) -> Result<Reached> {
        let head = Request { method: Method::HEAD, ..Request::get(link::parse(url)?) };
        self.block(url, self.settings.limits.whole, stop, async {
            let first = self.send(&head).await;
            // Many servers do not know HEAD and say so in ways of their own.
            let refused = |arrived: &Arrived| matches!(arrived.status(), 400 | 403..=405 | 500..);
            let arrived = match first {
                Ok(arrived) if !refused(&arrived) => arrived,
                Err(error) if error.kind != crate::Kind::Network => return Err(error),
                _ => self.send(&Request { method: Method::GET, ..head }).await?,
            };
            Ok(Reached {
                status: arrived.status(),
                reason: arrived.response.status().canonical_reason().unwrap_or_default(),
                url: arrived.url.into(),
                hops: arrived.hops,
                downgraded: arrived.downgraded,
            })
        })
    }
}
