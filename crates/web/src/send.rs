//! One request: every hop is judged, connected to and asked by itself.

use std::net::SocketAddr;
use std::sync::Arc;

use reqwest::header::{ACCEPT_ENCODING, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Method, Response};
use url::{Host, Url};

use crate::address::{Place, addresses};
use crate::error::{Error, Result};
use crate::{Client, link};

/// Redirects that are followed; browsers follow 20, honest sites need three.
pub(crate) const MOST_HOPS: usize = 10;

/// How the program says who it is; also its name in `robots.txt`.
pub(crate) const AGENT: &str =
    concat!("Mozilla/5.0 (compatible; Kitbag/", env!("CARGO_PKG_VERSION"), ")");

/// An answer on the way to the last one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hop {
    /// What was asked for.
    pub url: String,
    /// What was answered.
    pub status: u16,
}

/// What is asked for.
pub(crate) struct Request<'a> {
    pub(crate) method: Method,
    pub(crate) url: Url,
    /// Sent to the host of `url` alone: they may be secrets.
    pub(crate) headers: &'a [(&'static str, &'a str)],
    /// Whether compression is undone; a download wants the bytes that the server has.
    pub(crate) decode: bool,
    /// Whether `robots.txt` is asked first, at every hop.
    pub(crate) robots: bool,
    /// The place that the operator named, which may be on this machine.
    pub(crate) trusted: Option<Place>,
}

impl Request<'_> {
    pub(crate) fn get(url: Url) -> Self {
        Self { method: Method::GET, url, headers: &[], decode: true, robots: false, trusted: None }
    }
}

/// The last answer.
pub(crate) struct Arrived {
    pub(crate) response: Response,
    /// Who gave it.
    pub(crate) url: Url,
    /// The redirects before it.
    pub(crate) hops: Vec<Hop>,
    /// Whether the way went from an encrypted connection to one that is not.
    pub(crate) downgraded: bool,
}

impl Arrived {
    pub(crate) fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// A header, as far as it is text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.response.headers().get(name)?.to_str().ok()
    }

    /// The failure that the status says, if it says one.
    pub(crate) fn failure(&self) -> Option<Error> {
        let status = self.response.status();
        let reason = status.canonical_reason().unwrap_or_default();
        (!status.is_success()).then(|| Error::status(self.url.as_str(), status.as_u16(), reason))
    }
}

impl Client {
    /// Asks, and follows redirects.
    pub(crate) async fn send(&self, request: &Request<'_>) -> Result<Arrived> {
        let mut url = request.url.clone();
        let (mut hops, mut downgraded) = (Vec::new(), false);
        loop {
            let place =
                Place::of(&url).ok_or_else(|| Error::invalid_url(url.as_str(), "no host"))?;
            let trusted = request.trusted.as_ref();
            let found = addresses(url.as_str(), &place, &self.settings, trusted).await?;
            if request.robots {
                self.ask_robots(&url).await?;
            }
            let response = self.hop(request, &url, &place.host, &found).await?;
            let status = response.status();
            let to = response.headers().get(LOCATION).filter(|_| status.is_redirection());
            let Some(to) = to.map(HeaderValue::as_bytes) else {
                return Ok(Arrived { response, url, hops, downgraded });
            };
            let next = link::follow(&url, &String::from_utf8_lossy(to))?;
            downgraded |= url.scheme() == "https" && next.scheme() == "http";
            hops.push(Hop { url: url.into(), status: status.as_u16() });
            if hops.len() > MOST_HOPS {
                return Err(Error::redirects(request.url.as_str(), MOST_HOPS));
            }
            url = next;
        }
    }

    async fn hop(
        &self,
        request: &Request<'_>,
        url: &Url,
        host: &Host,
        found: &[SocketAddr],
    ) -> Result<Response> {
        let limits = &self.settings.limits;
        let mut builder = reqwest::Client::builder()
            .tls_backend_preconfigured(self.tls()?.clone())
            .no_proxy() // it would connect in our place, to addresses that nobody judged
            .redirect(reqwest::redirect::Policy::none())
            .dns_resolver(Arc::new(Nobody))
            .pool_max_idle_per_host(0)
            .retry(reqwest::retry::never())
            .user_agent(AGENT)
            .connect_timeout(limits.connect)
            .read_timeout(limits.idle)
            .gzip(request.decode)
            .brotli(request.decode)
            .deflate(request.decode);
        if let Host::Domain(name) = host {
            builder = builder.resolve_to_addrs(name, found);
        }
        let client = builder.build().map_err(|e| Error::of(url.as_str(), &e))?;
        let mut headers = HeaderMap::new();
        if !request.decode {
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        }
        if request.url.origin() == url.origin() {
            for (name, value) in request.headers {
                let value = HeaderValue::from_str(value)
                    .map_err(|_| Error::network(url.as_str(), &format!("{name} is no header")))?;
                headers.insert(HeaderName::from_static(name), value);
            }
        }
        let asked = client.request(request.method.clone(), url.clone()).headers(headers).send();
        asked.await.map_err(|e| Error::of(url.as_str(), &e))
    }

    /// What is trusted: the certificates of the system, by ring. Read once.
    pub(crate) fn tls(&self) -> Result<&rustls::ClientConfig> {
        use rustls_platform_verifier::BuilderVerifierExt as _;
        if let Some(tls) = self.tls.get() {
            return Ok(tls);
        }
        let fail = |e: rustls::Error| Error::network("TLS", &e.to_string());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut tls = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|b| b.with_platform_verifier())
            .map_err(fail)?
            .with_no_client_auth();
        tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(self.tls.get_or_init(|| tls))
    }
}

/// Resolves nothing: a name that was not judged is not connected to.
struct Nobody;

impl reqwest::dns::Resolve for Nobody {
    fn resolve(&self, name: reqwest::dns::Name) -> reqwest::dns::Resolving {
        let why = format!("{} was not looked up beforehand", name.as_str());
        Box::pin(async { Err(why.into()) })
    }
}
