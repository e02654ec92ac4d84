//! From a text to a URL that may be asked for.

use url::Url;

use crate::error::{Error, Result};

/// Longest URL that is taken, in bytes; servers refuse longer ones.
const LONGEST: usize = 8192;

/// The URL that a caller wrote.
pub(crate) fn parse(text: &str) -> Result<Url> {
    if text.len() > LONGEST {
        return Err(Error::invalid_url(text, format!("longer than {LONGEST} bytes")));
    }
    let url = Url::parse(text.trim()).map_err(|e| Error::invalid_url(text, e))?;
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
        let why = format!("{} is not a scheme of the web (http, https)", url.scheme());
        return Err(Error::invalid_url(text, why));
    }
    if url.port() == Some(0) {
        return Err(Error::invalid_url(text, "nobody listens on port 0"));
    }
    Ok(())
}

fn strip(url: &mut Url) {
    // Both fail only for URLs without a host, which are none of the web.
    let _ = url.set_username("");
    let _ = url.set_password(None);
}
