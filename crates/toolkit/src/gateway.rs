//! The ways out of programs' own networks, served by the crate that knows which addresses may be
//! reached. The crate `programs` opens no connections.

use std::io;
use std::os::fd::OwnedFd;

use programs::process::{Gateway, Leads};
use web::Door;

/// Under the settings of a session.
#[derive(Debug)]
pub(crate) struct Doors(pub(crate) web::Client);

impl Gateway for Doors {
    fn serve(&self, doors: Vec<(OwnedFd, Leads)>) -> io::Result<Box<dyn Send>> {
        let doors = doors.into_iter().map(|(socket, leads)| {
            let door = match leads {
                Leads::Hosts(names) => Door::Hosts(names),
                Leads::Port(port) => Door::Port(port),
            };
            (socket.into(), door)
        });
        let served = self.0.serve(doors.collect());
        Ok(Box::new(served.map_err(|e| io::Error::other(e.message))?))
    }
}
