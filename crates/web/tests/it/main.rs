//! The web against servers that fail, lie, stall and lead astray; all of them on this machine.

#![expect(clippy::disallowed_methods, reason = "tests are the servers")]
#![expect(clippy::unwrap_used, reason = "a test may stop at what should not happen")]

mod addresses;
mod browsing;
mod checks;
mod downloads;
mod pages;
mod searching;
mod site;

use std::time::Duration;

use web::{Client, Error, Limits, Settings};

/// A client that may reach these places, and that loses its patience soon.
fn client(allow: &[String]) -> Client {
    let limits = Limits {
        idle: Duration::from_secs(2),
        whole: Duration::from_secs(8),
        page_bytes: 1 << 20,
        download_bytes: 4 << 20,
        ..Limits::default()
    };
    Client::new(Settings { allow: allow.to_vec(), limits, ..Settings::default() })
}

/// A client under the limits of the product.
fn full(allow: &[String]) -> Client {
    Client::new(Settings { allow: allow.to_vec(), ..Settings::default() })
}

fn never() -> bool {
    false
}

#[track_caller]
fn fails<T: std::fmt::Debug>(result: Result<T, Error>, kind: web::Kind) -> String {
    let error = result.unwrap_err();
    assert_eq!(error.kind, kind, "{error}");
    error.message
}
