//! What sites ask programs not to read, in their `robots.txt`.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

use texting_robots::Robot;
use url::Url;

use crate::Client;
use crate::apart::apart;
use crate::error::{Error, Kind, Result};
use crate::send::Request;

/// The name under which sites speak of this program.
const NAME: &str = "Kitbag";

/// As much of a `robots.txt` as is looked at; other programs stop there too.
const MOST_BYTES: u64 = 500 << 10;

/// Most sites that are remembered.
const MOST_SITES: usize = 256;

/// What is known of the sites of a session, by origin.
pub(crate) type Known = HashMap<String, Arc<Rules>>;

/// What a site asks.
#[derive(Debug)]
pub(crate) enum Rules {
    Anything,
    /// It has rules, and failed to tell them.
    Unknown,
    /// The text that tells them.
    Asked(Vec<u8>),
}

impl Client {
    /// Fails if the site asks that this page not be read.
    pub(crate) async fn ask_robots(&self, url: &Url) -> Result<()> {
        let origin = url.origin().ascii_serialization();
        let known = |client: &Self| {
            client.robots.lock().unwrap_or_else(PoisonError::into_inner).get(&origin).cloned()
        };
        let rules = match known(self) {
            Some(rules) => rules,
            None => {
                let rules = Arc::new(self.read_robots(url).await?);
                let mut all = self.robots.lock().unwrap_or_else(PoisonError::into_inner);
                if all.len() >= MOST_SITES {
                    all.clear();
                }
                all.insert(origin, Arc::clone(&rules));
                rules
            }
        };
        match &*rules {
            Rules::Anything => Ok(()),
            Rules::Unknown => Err(Error::robots(
                url.as_str(),
                "its robots.txt cannot be read now, which means no",
            )),
            Rules::Asked(text) => allowed(text, url),
        }
    }

    async fn read_robots(&self, url: &Url) -> Result<Rules> {
        let robots = crate::link::follow(url, "/robots.txt")?;
        let sent = Box::pin(self.send(&Request::get(robots))).await;
        let mut arrived = match sent {
            Ok(arrived) => arrived,
            // It leads to where nobody may look: as good as not there. If the host itself cannot be
            // reached, the page will say so.
            Err(Error {
                kind: Kind::Redirects | Kind::InvalidUrl | Kind::AddressRefused | Kind::Network,
                ..
            }) => return Ok(Rules::Anything),
            Err(e) => return Err(e),
        };
        match arrived.status() {
            200..300 => {}
            500.. | 429 => return Ok(Rules::Unknown),
            _ => return Ok(Rules::Anything),
        }
        let mut text = Vec::new();
        while let Ok(Some(chunk)) = arrived.response.chunk().await {
            text.extend_from_slice(&chunk);
            if text.len() as u64 > MOST_BYTES {
                text.truncate(MOST_BYTES as usize);
                break;
            }
        }
        Ok(Rules::Asked(text))
    }
}

/// Whether the rules allow a page. Half a megabyte of them takes seconds to understand, so that is
/// done apart.
fn allowed(text: &[u8], url: &Url) -> Result<()> {
    let work = || Robot::new(NAME, text).map_or(true, |robot| robot.allowed(url.as_str()));
    let why = match apart(&|| false, work) {
        Ok(true) => return Ok(()),
        Ok(false) => "the robots.txt of the site asks programs not to read it".to_owned(),
        Err(ended) => format!("its robots.txt cannot be read ({ended}), which means no"),
    };
    Err(Error::robots(url.as_str(), &why))
}
