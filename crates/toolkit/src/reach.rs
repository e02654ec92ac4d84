//! What a call touches, so that calls on the same files take turns and small reads need no thread.

use std::path::PathBuf;
use std::sync::Arc;

use fault::{Cancel, Result};

use crate::effect::Effect;
use crate::entry::Prepared;
use crate::gate::Lane;
use crate::session::Session;
use crate::slots::blocking;

/// A file up to this size is read in less time than handing the work to another thread takes:
/// measured, 5 µs against 25 µs, of the 50 µs that a small read may take in all.
const SMALL_BYTES: u64 = 256 << 10;

/// What a call touches, as far as its input says.
pub(crate) struct Reach {
    /// The real paths, one for all spellings.
    pub(crate) paths: Vec<PathBuf>,
    /// It may look anywhere, or into a directory.
    pub(crate) is_wide: bool,
    /// It touches a few small files or directories of this machine's own and nothing else.
    pub(crate) is_small: bool,
    /// The paths that need a person to be changed, if it changes any.
    pub(crate) protected: Vec<PathBuf>,
    /// Held until the call is before the gates, if looking took a thread: so calls on the
    /// same files come there in their order.
    pub(crate) lane: Option<Lane>,
}

impl Reach {
    /// Looks at what a call touches: at once where that cannot take long, else on a thread, so
    /// that a file system that does not answer holds up no other call and no cancellation.
    pub(crate) async fn of(
        session: &Arc<Session>,
        prepared: &Prepared,
        cancel: &Cancel,
    ) -> Result<Self> {
        let (paths, effect) = (&prepared.paths, prepared.effect);
        if paths.iter().all(|path| session.workspace.is_at_hand(path)) {
            return Ok(Self::look(session, paths, effect));
        }
        let lane = session.project.gates.lane(cancel).await?;
        let paths = paths.clone();
        let look = move |session: &Session| Self::look(session, &paths, effect);
        let reach = blocking(session, Effect::READS, cancel, look).await?;
        Ok(Self { is_small: false, lane: Some(lane), ..reach })
    }

    fn look(session: &Session, paths: &[String], effect: Effect) -> Self {
        let few = (1..=4).contains(&paths.len());
        let (mut real, mut is_wide, mut is_small) = (Vec::new(), paths.is_empty(), few);
        for path in paths {
            match session.workspace.glance(path) {
                Some(found) => {
                    is_small &= found.size <= SMALL_BYTES;
                    is_wide |= found.folder;
                    real.push(found.path);
                }
                None => real.push(session.workspace.real(path).unwrap_or_else(|_| path.into())),
            }
        }
        let protected = if effect.has(Effect::WRITES) {
            session.project.journal.protected(&session.workspace, paths)
        } else {
            Vec::new()
        };
        Self { paths: real, is_wide, is_small, protected, lane: None }
    }
}
