//! A file from the web, whole or not at all, and where it broke off the last time if that is safe.

use std::io;

use crate::error::{Error, Result};
use crate::send::{Arrived, Hop, Request};
use crate::{Client, Stop, link};

/// Where a download is kept until it is whole.
pub trait Part: Send {
    /// How many bytes are there.
    fn length(&self) -> u64;

    /// What the server called the version of which these are the first bytes.
    fn version(&self) -> Option<String>;

    /// Forgets what is there; what follows is of this version.
    ///
    /// # Errors
    /// Those of the file system.
    fn restart(&mut self, version: Option<&str>) -> io::Result<()>;

    /// Adds bytes.
    ///
    /// # Errors
    /// Those of the file system.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;
}

/// What was downloaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Downloaded {
    /// Where it was found, redirects followed.
    pub url: String,
    /// How many bytes it has.
    pub size: u64,
    /// How many of them were there from the last time.
    pub resumed: u64,
    /// The compression in which the server sent it, and in which it was kept.
    pub encoding: Option<String>,
    /// The redirects on the way.
    pub hops: Vec<Hop>,
    /// Whether the way went from an encrypted connection to one that is not.
    pub downgraded: bool,
}

/// How an answer goes with what is there.
struct Rest {
    from: u64,
    total: Option<u64>,
}

impl Client {
    /// Gets what a URL leads to into `part`, which is whole only if this succeeds. What is there is
    /// continued if the server says that it is the same version.
    ///
    /// # Errors
    /// All kinds but those of reading and searching; `Status` leaves what is there as it is.
    pub fn download(&self, url: &str, part: &mut dyn Part, stop: Stop<'_>) -> Result<Downloaded> {
        let parsed = link::parse(url)?;
        let limits = &self.settings.limits;
        self.block(url, limits.download, stop, async {
            let mut arrived = self.ask(&parsed, part).await?;
            let version = version(&arrived);
            let rest = match arrived.status() {
                206 => rest(&arrived).filter(|rest| rest.from == part.length()),
                _ => Some(Rest { from: 0, total: arrived.response.content_length() }),
            };
            let rest = rest.ok_or_else(|| {
                Error::network(url, "the server sent another part than asked for")
            })?;
            let advice = "get it with a program, or ask the user to";
            if let Some(total) = rest.total.filter(|total| *total > limits.download_bytes) {
                return Err(Error::too_large(url, Some(total), limits.download_bytes, advice));
            }
            if rest.from == 0 {
                part.restart(version.as_deref()).map_err(|e| Error::keep(url, &e))?;
            }
            let read = receive(&mut arrived, part, limits.download_bytes, advice).await;
            let complete = rest.total.is_none_or(|total| total == part.length());
            if let Some(error) = read.err().or_else(|| {
                (!complete).then(|| Error::network(url, "the answer broke off before its end"))
            }) {
                return Err(broke_off(error, part, version.is_some(), rest.total));
            }
            Ok(Downloaded {
                size: part.length(),
                resumed: rest.from,
                encoding: arrived.header("content-encoding").map(str::to_owned),
                downgraded: arrived.downgraded,
                hops: arrived.hops,
                url: arrived.url.into(),
            })
        })
    }

    /// Asks for what is missing, or for all of it.
    async fn ask(&self, url: &url::Url, part: &dyn Part) -> Result<Arrived> {
        let known = part.version().filter(|_| part.length() > 0);
        let whole = || Request { decode: false, ..Request::get(url.clone()) };
        if let Some(version) = known {
            let range = format!("bytes={}-", part.length());
            let headers = [("range", range.as_str()), ("if-range", version.as_str())];
            let arrived = self.send(&Request { headers: &headers, ..whole() }).await?;
            // A part that is whole already, or that the server does not understand: from the start.
            let starts = rest(&arrived).is_some_and(|rest| rest.from == part.length());
            match arrived.status() {
                206 if starts && is_of(&arrived, &version) => return Ok(arrived),
                206 | 416 => {}
                _ => return arrived.failure().map_or(Ok(arrived), Err),
            }
        }
        let arrived = self.send(&whole()).await?;
        arrived.failure().map_or(Ok(arrived), Err)
    }
}

async fn receive(
    arrived: &mut Arrived,
    part: &mut dyn Part,
    most: u64,
    advice: &str,
) -> Result<()> {
    let url = arrived.url.as_str();
    while let Some(chunk) = arrived.response.chunk().await.map_err(|e| Error::of(url, &e))? {
        if part.length() + chunk.len() as u64 > most {
            part.restart(None).map_err(|e| Error::keep(url, &e))?;
            return Err(Error::too_large(url, None, most, advice));
        }
        part.append(&chunk).map_err(|e| Error::keep(url, &e))?;
    }
    Ok(())
}

/// Says what is left of a download that broke off.
fn broke_off(error: Error, part: &dyn Part, can_resume: bool, total: Option<u64>) -> Error {
    let length = part.length();
    if length == 0 || !can_resume {
        return error;
    }
    let of = total.map(|total| format!(" of {total}")).unwrap_or_default();
    error.and(&format!("{length}{of} bytes are kept, and the same call goes on from there"))
}

/// What names this version for sure: a tag that is not weak, else the time of the last change.
fn version(arrived: &Arrived) -> Option<String> {
    let tag = arrived.header("etag").filter(|tag| tag.starts_with('"'));
    tag.or_else(|| arrived.header("last-modified")).map(str::to_owned)
}

/// Whether an answer is of this version, by its own words: some servers do not read conditions. A
/// tag must be repeated in such an answer, a time need not.
fn is_of(arrived: &Arrived, known: &str) -> bool {
    match arrived.header("etag").filter(|_| known.starts_with('"')) {
        Some(tag) => tag == known,
        None if known.starts_with('"') => false,
        None => arrived.header("last-modified").is_none_or(|time| time == known),
    }
}

/// `Content-Range: bytes 100-199/200`.
fn rest(arrived: &Arrived) -> Option<Rest> {
    let range = arrived.header("content-range")?.strip_prefix("bytes ")?;
    let (span, total) = range.split_once('/')?;
    let from = span.split_once('-')?.0.parse().ok()?;
    Some(Rest { from, total: total.parse().ok() })
}
