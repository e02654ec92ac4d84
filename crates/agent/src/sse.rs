//! Server-sent events: from bytes in whatever pieces to the data of each event.

/// Most bytes of one event; a server that sends more is no model.
const MOST: usize = 32 << 20;

/// Takes bytes as they come, gives the data of the events that are whole.
#[derive(Default)]
pub(crate) struct Events {
    /// What came of the next line.
    line: Vec<u8>,
    /// The data lines of the next event.
    data: String,
    /// Whether the last byte was a carriage return, whose line feed may be still to come.
    returned: bool,
}

impl Events {
    /// Takes the next bytes.
    ///
    /// # Errors
    /// If an event is too long.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Result<Vec<String>, String> {
        let mut found = Vec::new();
        for byte in bytes {
            let after_return = std::mem::replace(&mut self.returned, *byte == b'\r');
            match byte {
                b'\n' if after_return => {}
                b'\n' | b'\r' => found.extend(self.line()),
                _ => self.line.push(*byte),
            }
        }
        if self.line.len() + self.data.len() > MOST {
            return Err(format!("an event of the answer has more than {MOST} bytes"));
        }
        Ok(found)
    }

    /// The event that no empty line ended, at the end of the answer.
    pub(crate) fn end(mut self) -> Option<String> {
        let last = self.line();
        last.or_else(|| self.line())
    }

    /// Reads the line that is whole; the data of the event if it ends one.
    fn line(&mut self) -> Option<String> {
        let line = String::from_utf8_lossy(&std::mem::take(&mut self.line)).into_owned();
        if line.is_empty() {
            return Some(std::mem::take(&mut self.data)).filter(|data| !data.is_empty());
        }
        let data = line.strip_prefix("data:")?;
        if !self.data.is_empty() {
            self.data.push('\n');
        }
        self.data += data.strip_prefix(' ').unwrap_or(data);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Events;

    /// However the bytes are cut, the events are the same.
    #[test]
    fn pieces_do_not_matter() {
        let text =
            ": ping\r\ndata: {\"a\":\r\ndata: \"é\"}\r\n\r\nevent: x\ndata:two\n\ndata: last";
        for size in 1..text.len() {
            let mut events = Events::default();
            let mut all: Vec<String> = Vec::new();
            for piece in text.as_bytes().chunks(size) {
                all.extend(events.take(piece).unwrap());
            }
            all.extend(events.end());
            assert_eq!(all, ["{\"a\":\n\"é\"}", "two", "last"], "in pieces of {size}");
        }
    }
}
