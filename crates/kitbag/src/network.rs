//! What programs reach of the network, as a setting.

use std::str::FromStr;

use programs::process;

/// `on`, `off`, or hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Network(pub(crate) process::Network);

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(Self(match text {
            "on" => process::Network::On,
            "off" => process::Network::Off,
            hosts => {
                let hosts = hosts.split(',').map(str::trim);
                process::Network::Hosts(hosts.map(host).collect::<Result<_, _>>()?)
            }
        }))
    }
}

/// A name as a proxy can hold requests against it: not a URL, and no star but in front.
fn host(name: &str) -> Result<String, String> {
    let bare = name.strip_prefix("*.").unwrap_or(name);
    let port = match bare.rsplit_once(':') {
        // More colons without brackets: an IPv6 address without a port.
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => Some(port),
        _ => None,
    };
    let plain = |c: char| c.is_alphanumeric() || ".-_:[]".contains(c);
    let right = !bare.is_empty()
        && !bare.starts_with([':', '.'])
        && bare.chars().all(plain)
        && port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0));
    if right {
        Ok(name.to_owned())
    } else {
        Err(format!(
            "`{name}` is not a host; give on, off, or HOST, HOST:PORT or *.HOST, separated by commas"
        ))
    }
}
