//! A page as text: what the server sent, read by what it is.

use std::sync::{Arc, PoisonError};

use crate::error::{Error, Result};
use crate::html::readable;
use crate::send::{Arrived, Hop, Request};
use crate::{Client, Stop, answer, charset, link};

/// What a page says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// What was asked for.
    pub asked: String,
    /// Where it was found, redirects followed.
    pub url: String,
    /// The redirects on the way.
    pub hops: Vec<Hop>,
    /// Whether the way went from an encrypted connection to one that is not.
    pub downgraded: bool,
    /// What it calls itself; mostly empty if it is no HTML.
    pub title: String,
    /// The text: Markdown of a page, anything else as it is.
    pub text: String,
    /// How many characters the text has.
    pub length: usize,
    /// Whether menus and the like were left out.
    pub is_article: bool,
    /// Whether a page of HTML could not be converted in time, so that its tags were only taken out.
    pub is_stripped: bool,
    /// The encoding of the page, if some of its bytes were none of it and were replaced.
    pub damaged: Option<&'static str>,
}

impl Client {
    /// Reads a page, in the encoding it has. With `on`, the page that was read last will do if it is
    /// this one, so that its parts fit together.
    ///
    /// # Errors
    /// All kinds but those of searching.
    pub fn fetch(&self, url: &str, on: bool, stop: Stop<'_>) -> Result<Arc<Page>> {
        let last = || self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if on && let Some(page) = last().as_ref().filter(|page| page.asked == url) {
            return Ok(Arc::clone(page));
        }
        let parsed = link::parse(url)?;
        let request = Request { robots: true, ..Request::get(parsed) };
        let limits = &self.settings.limits;
        let (bytes, arrived) = self.block(url, limits.whole, stop, async {
            let mut arrived = self.send(&request).await?;
            if let Some(failure) = arrived.failure() {
                return Err(failure);
            }
            if let Some(kind) = unreadable(&arrived) {
                return Err(Error::not_text(arrived.url.as_str(), &kind));
            }
            let advice = "save it as a file with download and read a part of that";
            let bytes = answer::whole(&mut arrived, limits.page_bytes, advice).await?;
            Ok((bytes, arrived))
        })?;
        let page = Arc::new(page(url, &bytes, arrived, stop)?);
        *last() = Some(Arc::clone(&page));
        Ok(page)
    }
}

fn page(asked: &str, bytes: &[u8], arrived: Arrived, stop: Stop<'_>) -> Result<Page> {
    let kind = kind(&arrived);
    let declared = arrived.header("content-type").and_then(|value| {
        let (_, parameters) = value.split_once(';')?;
        let mut parameters = parameters.split(';').filter_map(|p| p.trim().split_once('='));
        let (_, name) = parameters.find(|(name, _)| name.eq_ignore_ascii_case("charset"))?;
        Some(name.trim_matches(['"', '\'', ' ']))
    });
    let is_html = is_html(&kind, bytes);
    if !is_html && declared.is_none() && is_binary(bytes) {
        let what = if kind.is_empty() { "binary data".to_owned() } else { kind };
        return Err(Error::not_text(arrived.url.as_str(), &what));
    }
    let (text, damaged) = charset::decode(bytes, declared, is_html);
    let mut page = Page {
        asked: asked.to_owned(),
        url: arrived.url.to_string(),
        hops: arrived.hops,
        downgraded: arrived.downgraded,
        title: String::new(),
        text,
        length: 0,
        is_article: false,
        is_stripped: false,
        damaged,
    };
    if is_html {
        let read = readable(&page.text, &arrived.url, stop).ok_or_else(|| Error::stopped(asked))?;
        (page.title, page.text, page.is_article) = (read.title, read.text, read.is_article);
        page.is_stripped = read.is_stripped;
    }
    page.length = page.text.chars().count();
    Ok(page)
}

/// The media type without parameters, in small letters; empty if there is none.
fn kind(arrived: &Arrived) -> String {
    let value = arrived.header("content-type").unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// What kinds are no text, so that they need not be read to know it.
fn unreadable(arrived: &Arrived) -> Option<String> {
    let kind = kind(arrived);
    let binary = ["image/", "audio/", "video/", "font/", "application/pdf", "application/zip"];
    let is_binary = binary.iter().any(|b| kind.starts_with(b)) && !kind.ends_with("+xml");
    is_binary.then_some(kind)
}

fn is_html(kind: &str, bytes: &[u8]) -> bool {
    match kind {
        "text/html" | "application/xhtml+xml" => true,
        "" => {
            let start =
                String::from_utf8_lossy(&bytes[..bytes.len().min(512)]).to_ascii_lowercase();
            let start = start.trim_start_matches('\u{feff}').trim_start();
            start.starts_with("<!doctype html") || start.starts_with("<html")
        }
        _ => false,
    }
}

fn is_binary(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(8192)];
    let marked = start.starts_with(&[0xff, 0xfe]) || start.starts_with(&[0xfe, 0xff]);
    !marked && start.contains(&0)
}
