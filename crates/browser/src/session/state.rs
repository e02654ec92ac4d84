//! What a session keeps: the browsers that it uses and its tabs in them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use fault::{Error, Result};
use programs::process::{BROWSERS, Scratch};
use serde_json::json;

use crate::With;
use crate::cdp::Patience;
use crate::engine::Engine;
use crate::told::TabInfo;

#[derive(Debug, Default)]
pub(super) struct State {
    /// The browsers that it uses: our own, that of a person, or both.
    pub(super) used: Vec<Used>,
    /// The tab that is meant where none is named.
    pub(super) active: Option<u64>,
    /// Copies of files of the project that pages were given.
    pub(super) given: Vec<Scratch>,
}

/// A browser that the session uses, and its own context in it.
#[derive(Clone, Debug)]
pub(super) struct Used {
    pub(super) engine: Arc<Engine>,
    pub(super) context: String,
}

impl Used {
    /// Closes what the session opened.
    pub(super) fn leave(&self) {
        let context = json!({"browserContextId": self.context});
        self.engine.cdp.tell(None, "Target.disposeBrowserContext", context);
    }

    /// The tabs of the session, the newest last; in the browser of a person, those too that the
    /// person shares with everybody.
    pub(super) fn tabs(&self) -> Vec<TabInfo> {
        let shared = self.engine.own.is_none();
        self.engine.cdp.world(|world| {
            let own = world
                .tabs
                .iter()
                .filter(|tab| tab.context == self.context || (shared && tab.context.is_empty()));
            own.map(|tab| TabInfo {
                number: tab.number,
                url: fault::visible(&tab.url).into_owned(),
                title: fault::visible(&tab.title).into_owned(),
                active: false,
            })
            .collect()
        })
    }
}

impl State {
    /// Forgets the browsers that ended; whether the one did that had the tab.
    pub(super) fn forget_ended(&mut self, tab: Option<u64>) -> bool {
        let (used, ended): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.used).into_iter().partition(|used| used.engine.lives());
        self.used = used;
        let had = |number: u64| {
            ended.iter().any(|used| used.tabs().iter().any(|tab| tab.number == number))
        };
        let lost = tab.is_some_and(had);
        if self.active.is_some_and(had) {
            self.active = None;
        }
        lost
    }

    pub(super) fn tabs(&self) -> Vec<TabInfo> {
        let mut tabs: Vec<_> = self.used.iter().flat_map(Used::tabs).collect();
        tabs.iter_mut().for_each(|tab| tab.active = self.active == Some(tab.number));
        tabs
    }

    /// The number of a tab that is there: the one named, else the one last used, else the newest.
    pub(super) fn choose(&mut self, tab: Option<u64>) -> Result<u64> {
        if self.forget_ended(tab) {
            return Err(Error::browser_ended("ended", ""));
        }
        let open: Vec<u64> = self.tabs().iter().map(|tab| tab.number).collect();
        let wanted = tab.or(self.active.filter(|active| open.contains(active)));
        match wanted.or(open.last().copied()) {
            Some(number) if open.contains(&number) => Ok(number),
            _ => Err(Error::tab_not_found(tab, &open)),
        }
    }
}

/// Copies of files of the project for a page: what the browser opens is what was read here.
pub(super) fn copy(with: &With<'_>, text: &str) -> Result<(Vec<PathBuf>, Scratch)> {
    let scratch = with.runner.scratch()?;
    let paths = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let copies = paths.map(|path| {
        let bytes = with.workspace.look(path)?.bytes;
        scratch.write(path.rsplit('/').next().unwrap_or("file"), &bytes)
    });
    let copies: Vec<_> = copies.collect::<Result<_>>()?;
    if copies.is_empty() {
        return Err(Error::invalid_input("text", "empty; give the path of a file of the project"));
    }
    Ok((copies, scratch))
}

/// What a page is called. Our own browser knows that at once, also of a page that is busy; that of a
/// person may learn of it later, so the page itself is asked.
pub(super) fn title(engine: &Engine, number: u64, patience: Patience<'_>) -> Option<String> {
    let (target, session, waits) = engine.cdp.world(|world| {
        let tab = world.tab(number)?;
        let waits = tab.dialog.is_some() || tab.crashed;
        Some((tab.target.clone(), tab.session.clone(), waits))
    })?;
    if engine.own.is_none() && !waits {
        let asks = json!({"expression": "document.title"});
        let (session, patience) = (session.as_deref(), patience.at_most(Duration::from_secs(1)));
        let answer = engine.cdp.call(session, "Runtime.evaluate", asks, patience).ok();
        if let Some(title) = answer.and_then(|a| Some(a["result"]["value"].as_str()?.to_owned())) {
            return Some(title);
        }
    }
    let info = json!({"targetId": target});
    let info = engine.cdp.call(None, "Target.getTargetInfo", info, patience).ok()?;
    info["targetInfo"]["title"].as_str().map(str::to_owned)
}

/// Closes a tab.
pub(super) fn close(engine: &Engine, number: u64) {
    let target = engine.cdp.world(|world| Some(world.tab(number)?.target.clone()));
    engine.cdp.tell(None, "Target.closeTarget", json!({"targetId": target}));
}

/// Opens an empty tab in a browser.
pub(super) fn new_tab(used: &Used, patience: Patience<'_>) -> Result<u64> {
    let params = json!({"url": "about:blank", "browserContextId": used.context});
    let answer = used.engine.cdp.call(None, "Target.createTarget", params, patience)?;
    let info = json!({
        "targetId": answer["targetId"], "browserContextId": used.context, "url": "about:blank",
    });
    if !used.engine.lives() {
        return Err(Error::browser_unavailable(BROWSERS));
    }
    Ok(used.engine.cdp.world(|world| world.know(&info).number))
}
