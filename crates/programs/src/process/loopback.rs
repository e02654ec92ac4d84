//! The loopback device of a network namespace that init made. Nothing here allocates.

#![expect(unsafe_code, reason = "there is no safe wrapper for the flags of a device")]

use std::os::fd::{AsFd as _, OwnedFd};

use rustix::io::Errno;
use rustix::net::{AddressFamily, Ipv4Addr, SocketAddrV4, SocketFlags, SocketType, socket_with};

use super::{handover, mount};

/// Connections to a door that wait to be taken.
const BACKLOG: i32 = 128;

/// Brings up the loopback device of a new network namespace.
pub(super) fn up() -> Result<(), Errno> {
    // SAFETY: a structure of numbers, a name of two letters in it, and calls that read it.
    unsafe {
        let socket = libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
        if socket < 0 {
            return Err(mount::last_errno());
        }
        let mut request: libc::ifreq = std::mem::zeroed();
        request.ifr_name[0] = b'l' as libc::c_char;
        request.ifr_name[1] = b'o' as libc::c_char;
        request.ifr_ifru.ifru_flags = libc::IFF_UP as libc::c_short;
        let done = libc::ioctl(socket, libc::SIOCSIFFLAGS as _, &raw const request);
        let errno = mount::last_errno();
        libc::close(socket);
        if done < 0 { Err(errno) } else { Ok(()) }
    }
}

/// Listens on a port of the loopback device, for the server.
pub(super) fn open_door(port: u16, doors: &OwnedFd) -> Result<(), Errno> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::INET, SocketType::STREAM, flags, None)?;
    rustix::net::bind(&socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, port))?;
    rustix::net::listen(&socket, BACKLOG)?;
    handover::send(doors, socket.as_fd())
}
