//! The lines of a record, one at a time: a damaged one is named with its number, and those after it are
//! still read.

use std::io::{BufRead, Read as _};

use fault::{Error, Result};

use crate::event::Line;

/// Most bytes of a line. Pictures make lines long; nothing that Kitbag writes is longer than this.
const LINE: u64 = 64 << 20;

/// Reads the events of a record. A last line without its end that is no event was being written when
/// its process was killed, and is left out.
///
/// Fails with `InvalidJSON` and the number of a line that is no event.
#[derive(Debug)]
pub struct Lines<R> {
    name: String,
    from: R,
    number: usize,
    /// The bytes up to the end of the last event.
    good: u64,
    at: u64,
    /// Whether the last event has no end of its line.
    open: bool,
    is_broken: bool,
}

impl<R: BufRead> Lines<R> {
    /// The lines that `from` gives; `name` is the file in errors.
    pub fn new(name: impl Into<String>, from: R) -> Self {
        let name = name.into();
        Self { name, from, number: 0, good: 0, at: 0, open: false, is_broken: false }
    }

    /// How many bytes the events up to here have, and whether the last of them lacks its end.
    pub(crate) fn good(&self) -> (u64, bool) {
        (self.good, self.open)
    }

    fn line(&mut self) -> std::io::Result<Vec<u8>> {
        let mut line = Vec::new();
        self.from.by_ref().take(LINE + 1).read_until(b'\n', &mut line)?;
        self.at += line.len() as u64;
        if line.len() as u64 > LINE && !line.ends_with(b"\n") {
            self.at += self.from.skip_until(b'\n')? as u64;
        }
        Ok(line)
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = Result<Line>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.is_broken {
            let line = match self.line() {
                Ok(line) => line,
                Err(e) => {
                    self.is_broken = true;
                    return Some(Err(Error::io(&self.name, &e)));
                }
            };
            if line.is_empty() {
                return None;
            }
            self.number += 1;
            let (is_whole, is_long) = (line.ends_with(b"\n"), line.len() as u64 > LINE);
            let parse = || serde_json::from_slice(line.trim_ascii_end());
            let problem = match if is_long { Ok(None) } else { parse().map(Some) } {
                Ok(Some(event)) => {
                    (self.good, self.open) = (self.at, !is_whole);
                    return Some(Ok(event));
                }
                Ok(None) => format!("longer than {LINE} bytes"),
                Err(_) if line.trim_ascii().is_empty() || !is_whole => continue,
                Err(e) => e.to_string().replace(" at line 1 column ", " at column "),
            };
            return Some(Err(Error::not_an_event(&self.name, self.number, &problem)));
        }
        None
    }
}
