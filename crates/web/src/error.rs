//! Every failure of the web: a kind, and a message that says what to do next.

use std::fmt;
use std::time::Duration;

/// The result of a request.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What kind of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The text is no address of the web, or one that is not used here.
    InvalidUrl,
    /// The address belongs to this machine or its networks.
    AddressRefused,
    /// The site asks programs not to read this page.
    Robots,
    /// The server answered, and the answer is a failure.
    Status,
    /// No answer came, or it broke off.
    Network,
    /// The server could not prove that it is who it should be.
    Certificate,
    /// It took too long.
    Timeout,
    /// There is more than may be read.
    TooLarge,
    /// One redirect too many.
    Redirects,
    /// The content is nothing that can be read as text.
    NotText,
    /// No search engine is configured.
    NoBackend,
    /// The search engine cannot do what is asked.
    Unsupported,
    /// The search engine gave no results that can be understood.
    Search,
    /// Nobody wants the answer any more.
    Stopped,
    /// What came could not be kept.
    Keep(std::io::ErrorKind),
}

/// A failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What kind of failure it is.
    pub kind: Kind,
    /// The URL first, then what happened, then advice after a semicolon.
    pub message: String,
    /// What the server answered, if that is the failure.
    pub status: Option<u16>,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl Error {
    fn new(kind: Kind, url: &str, what: impl fmt::Display) -> Self {
        Self { kind, message: format!("{}: {what}", short(url)), status: None }
    }

    pub(crate) fn invalid_url(url: &str, why: impl fmt::Display) -> Self {
        Self::new(Kind::InvalidUrl, url, format!("{why}; give one like https://example.com/page"))
    }

    pub(crate) fn without_scheme(url: &str, meant: &str) -> Self {
        Self::new(Kind::InvalidUrl, url, format!("it has no scheme; give {meant}"))
    }

    pub(crate) fn credentials(url: &str) -> Self {
        let what =
            "a name or password in the address would be sent to whoever answers; leave it out";
        Self::new(Kind::InvalidUrl, url, what)
    }

    pub(crate) fn refused(url: &str, place: &str, address: &str, why: &str) -> Self {
        let address =
            if place.starts_with(address) { String::new() } else { format!(" ({address})") };
        Self::new(
            Kind::AddressRefused,
            url,
            format!(
                "{place}{address} is {why}, which calls may not reach; the user can allow it with --web-allow {place}"
            ),
        )
    }

    pub(crate) fn not_named(place: &str) -> Self {
        let message = "not one of the hosts that programs may reach; the user can name it with --network HOST,…";
        Self::new(Kind::AddressRefused, place, message)
    }

    pub(crate) fn robots(url: &str, why: &str) -> Self {
        Self::new(
            Kind::Robots,
            url,
            format!("{why}; look for the same content elsewhere, or ask the user to open the page"),
        )
    }

    pub(crate) fn status(url: &str, status: u16, reason: &str) -> Self {
        let advice = match status {
            401 | 403 => "it needs a login, or keeps programs out; try another source",
            404 | 410 => "there is no such page; check the address, or search for it",
            429 => "too many requests; wait before the next one",
            500.. => "the server failed; try again later",
            _ => "this is no page; check the address",
        };
        let answered = format!("the server answered {status} {reason}");
        let mut error = Self::new(Kind::Status, url, format!("{}; {advice}", answered.trim_end()));
        error.status = Some(status);
        error
    }

    pub(crate) fn network(url: &str, why: &str) -> Self {
        Self::new(Kind::Network, url, format!("{why}; check the address and the connection"))
    }

    pub(crate) fn certificate(url: &str, why: &str) -> Self {
        Self::new(
            Kind::Certificate,
            url,
            format!(
                "the certificate of the server is not accepted ({why}); it may be another server than it says, so nothing was sent"
            ),
        )
    }

    pub(crate) fn timeout(url: &str, time: Duration) -> Self {
        let seconds = time.as_secs_f32();
        Self::new(
            Kind::Timeout,
            url,
            format!("no complete answer within {seconds} s; try again later or another source"),
        )
    }

    pub(crate) fn silent(url: &str) -> Self {
        Self::new(Kind::Timeout, url, "the server fell silent; try again later or another source")
    }

    pub(crate) fn too_large(url: &str, declared: Option<u64>, limit: u64, advice: &str) -> Self {
        let size = match declared {
            Some(bytes) => format!("{bytes} bytes, more than the limit of {limit}"),
            None => format!("more than the limit of {limit} bytes"),
        };
        Self::new(Kind::TooLarge, url, format!("{size}; {advice}"))
    }

    pub(crate) fn redirects(url: &str, most: usize) -> Self {
        let what = format!("more than {most} redirects; the site sends programs round in circles");
        Self::new(Kind::Redirects, url, what)
    }

    pub(crate) fn not_text(url: &str, kind: &str) -> Self {
        Self::new(
            Kind::NotText,
            url,
            format!("{kind}, which cannot be shown as text; save it as a file with download"),
        )
    }

    pub(crate) fn no_backend() -> Self {
        let message = "no search engine is configured; the user can name one with --web-search or KITBAG_WEB_SEARCH: the URL of a SearXNG instance, `brave` (with KITBAG_BRAVE_KEY) or `duckduckgo`";
        Self { kind: Kind::NoBackend, message: message.to_owned(), status: None }
    }

    pub(crate) fn unsupported(parameter: &str, why: impl fmt::Display) -> Self {
        Self { kind: Kind::Unsupported, message: format!("{parameter}: {why}"), status: None }
    }

    pub(crate) fn search(name: &str, why: impl fmt::Display) -> Self {
        Self::new(
            Kind::Search,
            name,
            format!("{why}; try again later, or let the user configure another search engine"),
        )
    }

    pub(crate) fn stopped(url: &str) -> Self {
        Self::new(Kind::Stopped, url, "cancelled")
    }

    pub(crate) fn keep(url: &str, error: &std::io::Error) -> Self {
        Self::new(Kind::Keep(error.kind()), url, format!("what came could not be kept: {error}"))
    }

    /// Adds what is left to say.
    pub(crate) fn and(mut self, more: &str) -> Self {
        self.message = format!("{}; {more}", self.message);
        self
    }

    /// A failure to connect, to send or to read, in the words of whoever knows most about it.
    pub(crate) fn of(url: &str, error: &reqwest::Error) -> Self {
        if error.is_timeout() {
            return Self::silent(url);
        }
        let mut why = error.to_string();
        let mut source = std::error::Error::source(error);
        while let Some(inner) = source {
            why = inner.to_string();
            source = inner.source();
        }
        if why.contains("certificate") {
            return Self::certificate(url, why.trim_start_matches("invalid peer certificate: "));
        }
        match why.as_str() {
            "end of file before message length reached" | "unexpected end of file" => {
                Self::network(url, "the answer broke off before its end")
            }
            "connection closed before message completed" => {
                Self::network(url, "the server closed the connection without an answer")
            }
            _ => Self::network(url, &why),
        }
    }
}

/// A URL may be megabytes; its beginning says which it is.
fn short(url: &str) -> String {
    const SHOWN: usize = 300;
    match url.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &url[..end]),
        None => url.to_owned(),
    }
}
