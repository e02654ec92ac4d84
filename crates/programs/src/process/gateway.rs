//! The ways out of a network that holds nothing but a loopback device.
//!
//! Without this module a program could have all of the network or none of it. Init makes listening
//! sockets inside of the program's network and hands them to the server; who serves them is not
//! this crate, which opens no connections. They are listened on at 127.0.0.1 alone.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt::Debug;
use std::io;
use std::os::fd::OwnedFd;

use rustix::io::Errno;

use super::handover;
use super::not_started::NotStarted;
use super::spawn::Confined;

/// What programs reach of the network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Network {
    /// A loopback device of their own, and the ports of the session's background programs.
    #[default]
    Off,
    /// The network of the host.
    On,
    /// As `Off`, and through a proxy the hosts of these names: `HOST`, `HOST:PORT` or `*.HOST`.
    Hosts(Vec<String>),
}

/// Where the connections to a socket inside of a program's network lead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leads {
    /// To an HTTP proxy that connects to the hosts of these names.
    Hosts(Vec<String>),
    /// To this TCP port of the host's loopback device.
    Port(u16),
}

/// Serves the sockets inside of programs' networks.
pub trait Gateway: Debug + Send + Sync {
    /// Serves these listening TCP sockets until what is returned is dropped.
    ///
    /// # Errors
    /// What the host refused.
    fn serve(&self, doors: Vec<(OwnedFd, Leads)>) -> io::Result<Box<dyn Send>>;
}

/// The port of the proxy. Below 1024, where programs that are not root cannot listen, and reserved,
/// so that nothing else is expected there.
const PROXY: u16 = 1023;

/// The variables by which programs find a proxy.
const PROXY_VARIABLES: &[&str] = &[
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "npm_config_proxy",
    "npm_config_https_proxy",
    "PIP_PROXY",
];

/// The ports that init listens on for a program without the network, and where each leads.
/// `background` are the ports of the session's programs that run.
pub(super) fn doors(network: &Network, background: Vec<u16>) -> Vec<(u16, Leads)> {
    let names: &[String] = if let Network::Hosts(names) = network { names } else { &[] };
    let ports = background.into_iter().chain(names.iter().filter_map(|name| own_port(name)));
    let ports: BTreeSet<u16> = ports.filter(|port| *port != PROXY).collect();
    let mut doors: Vec<_> = ports.into_iter().map(|port| (port, Leads::Port(port))).collect();
    if !names.is_empty() {
        doors.push((PROXY, Leads::Hosts(names.to_vec())));
    }
    doors
}

/// The port, if a name is that of one of this machine. Programs use no proxy on the way there, and
/// need not speak HTTP.
fn own_port(name: &str) -> Option<u16> {
    let (host, port) = name.rsplit_once(':')?;
    ["localhost", "127.0.0.1", "[::1]"].contains(&host).then(|| port.parse().ok())?
}

/// What tells a program where its proxy is.
pub(super) fn environment() -> impl Iterator<Item = (OsString, OsString)> {
    let proxy = format!("http://127.0.0.1:{PROXY}");
    let proxies = PROXY_VARIABLES.iter().map(move |name| ((*name).into(), proxy.clone().into()));
    // What is on its own loopback device is not behind the proxy.
    let direct =
        ["NO_PROXY", "no_proxy"].map(|name| (name.into(), "localhost,127.0.0.1,::1".into()));
    // Node's own fetch looks at the variables above only if it is told to.
    proxies.chain(direct).chain([("NODE_USE_ENV_PROXY".into(), "1".into())])
}

/// Has the doors of a program that began served. Who connects before that waits.
pub(super) fn serve(
    gateway: Option<&dyn Gateway>,
    confined: &Confined,
    doors: &OwnedFd,
) -> Result<Option<Box<dyn Send>>, NotStarted> {
    let (Some(gateway), Confined::View(view)) = (gateway, confined) else { return Ok(None) };
    if view.network || view.doors.is_empty() {
        return Ok(None);
    }
    let sent = view.doors.iter().map_while(|(_, leads)| {
        let door = handover::receive(doors).transpose()?;
        Some(door.map(|door| (door, leads.clone())))
    });
    let lost = |e: Errno| NotStarted::Confinement("take over the network".to_owned(), e.into());
    let served = gateway.serve(sent.collect::<Result<_, _>>().map_err(lost)?);
    served.map(Some).map_err(|e| NotStarted::Confinement("serve the network".to_owned(), e))
}
