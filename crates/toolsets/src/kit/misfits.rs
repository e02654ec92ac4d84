//! What of several changes does not fit: all of it is told, so that one more call puts it right.

use crate::prelude::*;

/// Bytes of an answer: each misfit shows what is nearest, in some hundred bytes.
const SHOWN: usize = 6000;

/// The failures of changes, by which of them.
#[derive(Default)]
pub(super) struct Misfits(Vec<(usize, Error)>);

impl Misfits {
    /// The value, or a note of why there is none.
    pub(super) fn or<T>(&mut self, at: usize, made: Result<T>) -> Option<T> {
        made.map_err(|error| self.0.push((at, error))).ok()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them as one failure, which is of the kind of the first.
    ///
    /// # Errors
    /// That failure, if there is any.
    pub(super) fn told(mut self) -> Result<()> {
        self.0.sort_by_key(|(at, _)| *at);
        let mut all = self.0.into_iter();
        let Some((first, error)) = all.next() else { return Ok(()) };
        let rest: Vec<_> = all.collect();
        if rest.is_empty() || error.code == Code::Cancelled {
            return Err(error);
        }
        let all = rest.len() + 1;
        let label = |at: usize, error: &Error| match error.message.starts_with("changes[") {
            true => error.message.clone(),
            false => format!("changes[{at}]: {}", error.message),
        };
        let (mut text, mut told) = (label(first, &error), 1);
        for (at, other) in &rest {
            let other = label(*at, other);
            if text.len() + other.len() > SHOWN {
                break;
            }
            text += &format!("\n{other}");
            told += 1;
        }
        if told < all {
            text += &format!("\nand {} more", all - told);
        }
        Err(Error::new(error.code, format!("{all} changes do not fit, none was made:\n{text}")))
    }
}
