//! Whether anybody listens on a port of this machine, without connecting to it: a connection would
//! be a visit that the server answers or logs.

#![expect(clippy::disallowed_methods, reason = "which ports are open is in /proc")]

use std::io::{self, BufRead as _, BufReader};

/// The state of a socket that waits for connections.
const LISTENS: &str = "0A";

/// Whether somebody listens on this TCP port, at whatever address.
///
/// # Errors
/// The operating system does not tell.
pub(super) fn is_open(port: u16) -> io::Result<bool> {
    let wanted = format!(":{port:04X}");
    let four = listens("/proc/net/tcp", &wanted)?;
    // There is none of the second where the kernel knows no IPv6.
    Ok(four || listens("/proc/net/tcp6", &wanted).unwrap_or(false))
}

fn listens(table: &str, port: &str) -> io::Result<bool> {
    for line in BufReader::new(std::fs::File::open(table)?).lines() {
        let line = line?;
        let mut fields = line.split_ascii_whitespace().skip(1);
        let here = fields.next().is_some_and(|address| address.ends_with(port));
        if here && fields.nth(1) == Some(LISTENS) {
            return Ok(true);
        }
    }
    Ok(false)
}
