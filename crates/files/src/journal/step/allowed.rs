//! Which paths a call may change: not those of a root for reading only, and protected ones only if a
//! person allowed them.

use std::ops::Bound;
use std::path::Path;

use fault::{Error, Result};

use super::super::allows;
use super::Step;
use crate::workspace::Access;

impl Step<'_> {
    pub(super) fn check(
        &self,
        real: &Path,
        access: Access,
        path: &str,
        folder: bool,
    ) -> Result<()> {
        if access == Access::Read {
            return Err(Error::read_only_root(path));
        }
        if let Some(why) = self.journal.needs_person(self.workspace, real, folder)
            && !self.is_allowed(real, folder)
        {
            if !self.dry {
                return Err(Error::protected_path(path, why));
            }
            self.lock().needs.insert(real.to_owned());
        }
        Ok(())
    }

    /// Whether a person allowed this path: it covers the making of the directories on the way too.
    fn is_allowed(&self, real: &Path, folder: bool) -> bool {
        let mut from = self.allowed.range::<Path, _>((Bound::Included(real), Bound::Unbounded));
        from.next().is_some_and(|allowed| allows(allowed, real, folder))
    }
}
