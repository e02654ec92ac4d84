//! Handing a file descriptor from one process to another, over a pair of sockets made before the
//! fork. Nothing here allocates: the child of a `clone3` uses it too.

use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
};

/// Two ends of which either can send.
pub(super) fn sockets() -> Result<(OwnedFd, OwnedFd), Errno> {
    rustix::net::socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)
}

/// Sends a descriptor; the other side gets one of its own for the same file.
pub(super) fn send(socket: &OwnedFd, file: BorrowedFd<'_>) -> Result<(), Errno> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let files = [file];
    control.push(SendAncillaryMessage::ScmRights(&files));
    rustix::net::sendmsg(socket, &[IoSlice::new(&[0])], &mut control, SendFlags::empty()).map(drop)
}

/// The next descriptor that was sent; nothing once the other end is closed.
pub(super) fn receive(socket: &OwnedFd) -> Option<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let (mut byte, flags) = ([0; 1], RecvFlags::CMSG_CLOEXEC);
    rustix::net::recvmsg(socket, &mut [IoSliceMut::new(&mut byte)], &mut control, flags).ok()?;
    control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut files) => files.next(),
        _ => None,
    })
}
