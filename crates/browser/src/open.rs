//! Opening a page, and leaving the one before it.

use std::time::{Duration, Instant};

use fault::{Error, Result};
use serde_json::json;

use crate::page::Page;

/// How long a page may load before that is said.
const LOADS: Duration = Duration::from_secs(15);

/// How long a loaded page may go on asking for data, and how long it must not to be done.
const SETTLES: Duration = Duration::from_secs(5);
const QUIET: Duration = Duration::from_millis(500);

impl Page<'_> {
    /// Dismisses the dialog that is open, which is to be said. One that asks whether the page may be
    /// left is not: work in the page could be lost.
    fn dismiss(&self) -> Result<Option<String>> {
        let Some(dialog) = self.tab(|tab| tab.dialog.clone())? else { return Ok(None) };
        if dialog.kind == "beforeunload" {
            return Err(Error::dialog_open(&dialog.kind, &dialog.text));
        }
        self.answer_dialog(false, None)?;
        Ok(Some(format!("dismissed {}", dialog.name())))
    }

    /// Opens a URL and waits until it is loaded. Gives whether it was, and what is to be said.
    pub(crate) fn open(&self, url: &str) -> Result<(bool, Vec<String>)> {
        let dismissed = self.dismiss()?;
        let (loaded, says) = self.load(url)?;
        Ok((loaded, dismissed.into_iter().chain(says).collect()))
    }

    fn load(&self, url: &str) -> Result<(bool, Vec<String>)> {
        let before = self.before()?;
        let had_crashed = self.tab(|tab| {
            (tab.chooser, tab.answered) = (None, None);
            std::mem::take(&mut tab.crashed)
        })?;
        let params = json!({"url": url});
        let asked = self.cdp.send(Some(&self.session), "Page.navigate", params);
        let answer = self.cdp.answer_or(&asked, self.patience, |world| {
            world.tab_of(self.number).is_none_or(|tab| tab.dialog.is_some())
        })?;
        let Some(answer) = answer else {
            let happened = self.cdp.world(|world| self.happened(world, &before));
            return Ok((false, happened));
        };
        if let Some(why) = answer["errorText"].as_str().filter(|_| answer["isDownload"] != true) {
            return Err(self.not_opened(url, why));
        }
        if answer["isDownload"] == true {
            return Ok((true, self.outcome(&before)?));
        }
        let new = answer["loaderId"].is_string();
        let loaded = self.cdp.until(self.patience.at_most(LOADS), |world| {
            let Some(tab) = world.tab(self.number) else { return Some(false) };
            let there = !new || tab.documents > before.documents;
            // A crash is told twice, the second time perhaps only now.
            let is_old = had_crashed && tab.documents == before.documents;
            let stops = tab.dialog.is_some() || tab.crashed && !is_old;
            (stops || (there && !tab.loading)).then_some(!stops)
        })?;
        if let Some(why) = self.tab(|tab| tab.answered.as_ref()?.refused.clone())? {
            return Err(self.not_opened(url, &why));
        }
        let mut says = self.cdp.world(|world| {
            let mut says = self.happened(world, &before);
            says.retain(|one| !one.starts_with("it led to"));
            let status = world.tab(self.number).and_then(|tab| Some(tab.answered.as_ref()?.status));
            says.extend(status.filter(|s| *s >= 400).map(|s| format!("the server answered {s}")));
            says
        });
        if loaded.is_none() {
            says.push(format!("still loading after {} s", LOADS.as_secs()));
        }
        if loaded == Some(true) {
            says.extend(self.settle()?);
        }
        Ok((loaded.unwrap_or(false), says))
    }

    /// Waits for the data that the page asks for, until it asked for none for a while, and says if it
    /// still does.
    fn settle(&self) -> Result<Option<String>> {
        let mut quiet_since = None;
        self.cdp.until(self.patience.at_most(SETTLES), |world| {
            let pending = world.tab(self.number).map_or(0, |tab| tab.pending());
            if pending > 0 {
                quiet_since = Some(Instant::now());
            }
            // A page that asked for nothing is not waited for.
            quiet_since.is_none_or(|since: Instant| since.elapsed() >= QUIET).then_some(())
        })?;
        self.tab(|tab| tab.loads_data())
    }

    fn not_opened(&self, url: &str, why: &str) -> Error {
        let error = Error::navigation_failed(url, why);
        // What the page of the failure says of itself is nobody's.
        let _ = self.tab(|tab| tab.take_said());
        error
    }
}
