//! How the web fails in the words of tools, and what is said of what comes from it.

use toolkit::web::{self, Kind};

use crate::prelude::*;

/// How reaching a URL fails.
pub(crate) const REACHING: &[Code] = &[
    Code::InvalidURL,
    Code::AddressRefused,
    Code::NetworkError,
    Code::CertificateInvalid,
    Code::Timeout,
    Code::TooManyRedirects,
];

/// A failure of the web as one of a tool.
pub(crate) fn failed(error: web::Error) -> Error {
    let code = match error.kind {
        Kind::InvalidUrl => Code::InvalidURL,
        Kind::AddressRefused => Code::AddressRefused,
        Kind::Robots => Code::RobotsRefused,
        Kind::Status => Code::HttpError,
        Kind::Network => Code::NetworkError,
        Kind::Certificate => Code::CertificateInvalid,
        Kind::Timeout => Code::Timeout,
        Kind::TooLarge => Code::TooLarge,
        Kind::Redirects => Code::TooManyRedirects,
        Kind::NotText => Code::NotText,
        Kind::NoBackend => Code::NoSearchBackend,
        Kind::Unsupported => Code::SearchUnsupported,
        Kind::Search => Code::SearchFailed,
        Kind::Stopped => return Error::cancelled(),
        Kind::Keep(kind) => return Error::io("the state directory", &kind.into()),
    };
    Error::of_the_web(code, &error.message, error.status)
}

/// What is said of the way to a page: where it ended, and whether it was safe throughout.
pub(crate) fn way(asked: &str, url: &str, redirects: usize, downgraded: bool) -> Vec<String> {
    let mut said = Vec::new();
    if redirects > 0 && asked != url {
        said.push(format!("redirected to {url}"));
    }
    if downgraded {
        said.push(
            "a redirect led from https to http: anybody on the way could change it".to_owned(),
        );
    }
    said
}
