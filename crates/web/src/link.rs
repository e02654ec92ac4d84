//! From a text to a URL that may be asked for.

use url::Url;

use crate::Settings;
use crate::address::kept_from;
use crate::error::{Error, Result};

/// Longest URL that is taken, in bytes; servers refuse longer ones.
const LONGEST: usize = 8192;

/// The URL that a caller wrote.
pub(crate) fn parse(text: &str) -> Result<Url> {
    if text.len() > LONGEST {
        return Err(Error::invalid_url(text, format!("longer than {LONGEST} bytes")));
    }
    let parsed = Url::parse(text.trim());
    if let Some(with_scheme) = without_scheme(text.trim(), parsed.as_ref().ok()) {
        return Err(Error::without_scheme(text, &with_scheme));
    }
    let url = parsed.map_err(|e| Error::invalid_url(text, e))?;
    usable(text, &url)?;
    if !url.username().is_empty() || url.password().is_some() {
        let mut shown = url;
        strip(&mut shown);
        return Err(Error::credentials(shown.as_str()));
    }
    Ok(url)
}

/// Where a redirect leads; credentials in it are left out.
pub(crate) fn follow(from: &Url, to: &str) -> Result<Url> {
    let mut url = from.join(to).map_err(|e| Error::invalid_url(to, e))?;
    if to.len() > LONGEST {
        return Err(Error::invalid_url(to, format!("longer than {LONGEST} bytes")));
    }
    usable(url.as_str(), &url)?;
    strip(&mut url);
    if url.fragment().is_none() {
        url.set_fragment(from.fragment());
    }
    Ok(url)
}

fn usable(text: &str, url: &Url) -> Result<()> {
    if !matches!(url.scheme(), "http" | "https") {
        let why = format!("only http and https are opened, not {}", url.scheme());
        return Err(Error::invalid_url(text, why));
    }
    if url.port() == Some(0) {
        return Err(Error::invalid_url(text, "nobody listens on port 0"));
    }
    Ok(())
}

/// The URL that is meant by a text such as `localhost:8000` or `example.com/page`; `None` if it has a
/// scheme or is no host.
pub fn with_scheme(text: &str) -> Option<String> {
    let text = text.trim();
    without_scheme(text, Url::parse(text).ok().as_ref())
}

/// What was meant by `localhost:8000` or `example.com/page`; `None` if it has a scheme or is no host.
fn without_scheme(text: &str, parsed: Option<&Url>) -> Option<String> {
    // `localhost:8000` parses, with a scheme of that name.
    let is_port =
        |url: &Url| url.path().split('/').next().is_some_and(|p| p.parse::<u16>().is_ok());
    if text.contains("://") || parsed.is_some_and(|url| !is_port(url)) {
        return None;
    }
    let url = Url::parse(&format!("http://{text}")).ok()?;
    let is_host = |host: &str| host == "localhost" || host.contains('.') || host.starts_with('[');
    let inside = kept_from(url.as_str(), &Settings::default()).is_some();
    let scheme = if inside { "http" } else { "https" };
    url.host_str().is_some_and(is_host).then(|| format!("{scheme}://{text}"))
}

fn strip(url: &mut Url) {
    // Both fail only for URLs without a host, which are none of the web.
    let _ = url.set_username("");
    let _ = url.set_password(None);
}
