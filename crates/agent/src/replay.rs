//! A model that answers as it did in a recorded session, while the tools are real.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::BufRead;

use fault::{Error, Result};

use crate::event::Event;
use crate::lines::Lines;
use crate::model::{Answer, Hear, Heard, Model, Reply, Request};

/// The answers of a recording, in their order.
#[derive(Debug)]
pub struct Replay {
    replies: RefCell<VecDeque<Reply>>,
    count: usize,
}

impl Replay {
    /// The answers in the record of a session, or in lines written by hand.
    ///
    /// # Errors
    /// `InvalidJSON` with the line that cannot be read.
    pub fn new(lines: Lines<impl BufRead>) -> Result<Self> {
        let mut replies = VecDeque::new();
        for line in lines {
            if let Event::Reply { reply, .. } | Event::Compaction { reply, .. } = line?.event {
                replies.push_back(reply);
            }
        }
        Ok(Self { count: replies.len(), replies: RefCell::new(replies) })
    }
}

impl Model for Replay {
    fn ask<'a>(&'a self, _: &'a Request<'a>, heard: Hear<'a>) -> Answer<'a> {
        let reply = self.replies.borrow_mut().pop_front();
        let reply = reply.ok_or_else(|| Error::recording_ended(self.count));
        if let Ok(reply) = &reply
            && !reply.text.is_empty()
        {
            heard(Heard::Text(&reply.text));
        }
        Box::pin(async { reply })
    }
}
