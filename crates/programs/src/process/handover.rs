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
///
/// # Errors
/// If one was sent and is lost, as where this process has too many files open.
pub(super) fn receive(socket: &OwnedFd) -> Result<Option<OwnedFd>, Errno> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let (mut byte, flags) = ([0; 1], RecvFlags::CMSG_CLOEXEC);
    let message = loop {
        let bytes = &mut [IoSliceMut::new(&mut byte)];
        match rustix::net::recvmsg(socket, bytes, &mut control, flags) {
            Err(Errno::INTR) => {}
            other => break other?,
        }
    };
    let file = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut files) => files.next(),
        _ => None,
    });
    match file {
        None if message.bytes > 0 => Err(Errno::MFILE),
        file => Ok(file),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_descriptor_that_is_lost_is_not_one_that_was_never_sent() {
        let (ours, theirs) = sockets().unwrap();
        send(&theirs, std::os::fd::AsFd::as_fd(&theirs)).unwrap();
        assert!(receive(&ours).unwrap().is_some());
        rustix::io::write(&theirs, &[0]).unwrap();
        assert_eq!(receive(&ours).err(), Some(Errno::MFILE));
        drop(theirs);
        assert!(receive(&ours).unwrap().is_none());
    }
}
