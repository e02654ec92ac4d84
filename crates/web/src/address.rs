//! Which addresses may be reached: those of the public internet, and what the operator names.
//!
//! A model reads pages that somebody else wrote, and such a page may ask it to look at the router,
//! at a database on this machine or at the cloud's own credentials.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use tokio::net::TcpStream;
use url::{Host, Url};

use crate::Settings;
use crate::error::{Error, Result};

/// Host and port as calls name them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) host: Host,
    pub(crate) port: u16,
}

impl Place {
    /// Where a URL leads.
    pub(crate) fn of(url: &Url) -> Option<Self> {
        Some(Self { host: url.host()?.to_owned(), port: url.port_or_known_default()? })
    }

    fn is(&self, allowed: &str) -> bool {
        let (host, port) = match allowed.rsplit_once(':') {
            // More colons without brackets: an IPv6 address without a port.
            Some((host, port)) if !host.contains(':') || host.ends_with(']') => (host, Some(port)),
            _ => (allowed, None),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let own = self.host.to_string();
        let own = own.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.');
        host.eq_ignore_ascii_case(own) && port.is_none_or(|port| port.parse() == Ok(self.port))
    }
}

/// Whether a place is one of those that are named `HOST`, `HOST:PORT` or `*.HOST`.
pub(crate) fn is_named(place: &Place, names: &[String]) -> bool {
    names.iter().any(|name| match (name.strip_prefix('*'), &place.host) {
        (None, _) => place.is(name),
        (Some(end), Host::Domain(host)) => host.match_indices('.').any(|(dot, _)| {
            let above = Host::Domain(host[dot..].to_owned());
            dot > 0 && Place { host: above, port: place.port }.is(end)
        }),
        (Some(_), _) => false,
    })
}

/// Whether a name by itself says which machine it leads to: an address, or this machine.
pub(crate) fn is_address(name: &str) -> bool {
    let host =
        Url::parse(&format!("http://{name}/")).ok().and_then(|url| Some(url.host()?.to_owned()));
    match host {
        Some(Host::Domain(host)) => host == "localhost",
        Some(_) => true,
        None => name.parse::<Ipv6Addr>().is_ok(),
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// The addresses of a place, each of which may be connected to. Whoever connects uses these and
/// does not ask again: the next answer for the same name may be another. `trusted` is a place that
/// the operator named.
///
/// # Errors
/// `AddressRefused` if one of them is not public and the operator does not name the place; `Network`
/// if the name has no address.
pub(crate) async fn addresses(
    url: &str,
    place: &Place,
    settings: &Settings,
    trusted: Option<&Place>,
) -> Result<Vec<SocketAddr>> {
    let name = place.host.to_string();
    if let Some((_, address)) = settings.hosts.iter().find(|(host, _)| *host == name) {
        return Ok(vec![*address]);
    }
    let found: Vec<SocketAddr> = match &place.host {
        Host::Ipv4(ip) => vec![(*ip, place.port).into()],
        Host::Ipv6(ip) => vec![(*ip, place.port).into()],
        Host::Domain(name) => {
            let looked_up = tokio::net::lookup_host((name.as_str(), place.port)).await;
            let no_such = |_| Error::network(url, &format!("no such host {name}"));
            looked_up.map_err(no_such)?.collect()
        }
    };
    if found.is_empty() {
        return Err(Error::network(url, &format!("{} has no address", place.host)));
    }
    let allowed = settings.allow.iter().any(|one| place.is(one.trim()));
    if !allowed && trusted != Some(place) {
        // One address that is not public is enough: which one is taken is not ours to choose.
        for address in &found {
            if let Some(why) = refusal(address.ip()) {
                let (place, ip) = (place.to_string(), address.ip().to_string());
                return Err(Error::refused(url, &place, &ip, why));
            }
        }
    }
    Ok(found)
}

/// A connection to a place that may be reached.
pub(crate) async fn connect(place: &Place, settings: &Settings) -> Result<TcpStream> {
    let name = place.to_string();
    let patience = settings.limits.connect;
    let mut last = Error::network(&name, "no address");
    for address in addresses(&name, place, settings, None).await? {
        match tokio::time::timeout(patience, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => last = Error::network(&name, &error.to_string()),
            Err(_) => last = Error::timeout(&name, patience),
        }
    }
    Err(last)
}

/// What keeps a URL from being reached whose host by itself says which machine it is: the place, and
/// why. Names are not looked up.
pub(crate) fn kept_from(url: &str, settings: &Settings) -> Option<(String, &'static str)> {
    let place = Place::of(&Url::parse(url.trim()).ok()?)?;
    let ip = match &place.host {
        Host::Ipv4(ip) => IpAddr::V4(*ip),
        Host::Ipv6(ip) => IpAddr::V6(*ip),
        Host::Domain(name) if name == "localhost" => IpAddr::V4(Ipv4Addr::LOCALHOST),
        Host::Domain(_) => return None,
    };
    let allowed = settings.allow.iter().any(|one| place.is(one.trim()));
    refusal(ip).filter(|_| !allowed).map(|why| (place.to_string(), why))
}

/// Why an address is not one of the public internet; `None` if it is.
pub fn refusal(ip: IpAddr) -> Option<&'static str> {
    match ip {
        IpAddr::V4(ip) => refusal_v4(ip),
        IpAddr::V6(ip) => refusal_v6(ip),
    }
}

fn refusal_v4(ip: Ipv4Addr) -> Option<&'static str> {
    Some(match ip.octets() {
        [0, ..] => "an unspecified address",
        [127, ..] => "a loopback address",
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => "a private address",
        [169, 254, 169, 254] | [168, 63, 129, 16] | [100, 100, 100, 200] => {
            "the metadata service of a cloud"
        }
        [169, 254, ..] => "a link-local address",
        [100, 64..=127, ..] => "an address of a provider's inner network",
        [192, 0, 0 | 2, _] | [198, 51, 100, _] | [203, 0, 113, _] | [198, 18 | 19, ..] => {
            "an address for documentation or tests"
        }
        [192, 88, 99, _] => "the address of a relay",
        [224..=239, ..] => "a multicast address",
        [240..=255, ..] => "a reserved address",
        _ => return None,
    })
}

fn refusal_v6(ip: Ipv6Addr) -> Option<&'static str> {
    let low = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Ipv4Addr::new(a, b, c, d)
    };
    match ip.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => Some("an unspecified address"),
        [0, 0, 0, 0, 0, 0, 0, 1] => Some("a loopback address"),
        // Addresses of the old kind in clothes of the new: mapped, translated, 6to4.
        [0, 0, 0, 0, 0, 0xffff, a, b] | [0x64, 0xff9b, 0, 0, 0, 0, a, b] | [0x2002, a, b, ..] => {
            refusal_v4(low(a, b))
        }
        [0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254] => Some("the metadata service of a cloud"),
        [0xfc00..=0xfdff, ..] => Some("a private address"),
        [0xfe80..=0xfebf, ..] => Some("a link-local address"),
        [0xff00..=0xffff, ..] => Some("a multicast address"),
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => {
            Some("an address for documentation or tests")
        }
        [0x2001, 0..=0x1ff, ..] => Some("the address of a tunnel or a test"),
        [0x2000..=0x3fff, ..] => None,
        _ => Some("a reserved address"),
    }
}
