//! The tabs of a session: opening, listing and closing them.

use std::time::Duration;

use fault::{Error, Result};
use serde_json::json;

use super::{CALL, Session};
use crate::With;
use crate::cdp::Patience;
use crate::told::{Done, TabInfo};

/// How long a tab takes to close at most.
const CLOSES: Duration = Duration::from_secs(5);

impl Session {
    /// Opens a new tab, and a URL in it if one is given.
    ///
    /// # Errors
    /// As for [`Session::navigate`].
    pub fn create_tab(&self, with: &With<'_>, url: Option<&str>) -> Result<Done<bool>> {
        let patience = Patience::new(CALL, with.cancel);
        let mut state = self.state.lock();
        if let Some(foreign) = self.foreign(&mut state, None) {
            return foreign.create_tab(url, patience);
        }
        let number = self.open_tab(&mut state, with, patience)?;
        self.at(&mut state, with, number, patience, |page| match url {
            Some(url) => page.open(url),
            None => Ok((true, Vec::new())),
        })
    }

    /// The open tabs.
    ///
    /// # Errors
    /// As any call.
    pub fn tabs(&self, with: &With<'_>) -> Result<Vec<TabInfo>> {
        let mut state = self.state.lock();
        if let Some(foreign) = self.foreign(&mut state, None) {
            return foreign.tabs(Patience::new(CALL, with.cancel));
        }
        state.forget_ended(None);
        Ok(state.tabs())
    }

    /// Closes a tab that was opened here; what is left open. One of the person's own stays.
    ///
    /// # Errors
    /// `TabNotFound`, `BrowserFailed` if it stays open, and as any call.
    pub fn close_tab(&self, with: &With<'_>, tab: u64) -> Result<Vec<TabInfo>> {
        let patience = Patience::new(CALL, with.cancel);
        let mut state = self.state.lock();
        if let Some(foreign) = self.foreign(&mut state, Some(tab)) {
            foreign.close(tab, patience)?;
            return foreign.tabs(patience);
        }
        let number = state.choose(Some(tab))?;
        let has = |tabs: Vec<TabInfo>| tabs.iter().any(|tab| tab.number == number);
        if let Some(used) = state.used.iter().find(|used| has(used.tabs())) {
            let cdp = &used.engine.cdp;
            let target = cdp.world(|world| world.tab(number).map(|tab| tab.target.clone()));
            cdp.call(None, "Target.closeTarget", json!({"targetId": target}), patience)?;
            let closed = cdp
                .until(patience.at_most(CLOSES), |world| world.tab(number).is_none().then_some(()));
            closed?.ok_or_else(|| {
                Error::browser_refused(&format!("tab {number}"), "it stays open, it is the user's")
            })?;
        }
        if state.active == Some(number) {
            state.active = state.tabs().last().map(|tab| tab.number);
        }
        Ok(state.tabs())
    }
}
