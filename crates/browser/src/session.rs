//! One conversation with the browser: its tabs, which no other sees, and which one it is at.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use fault::{Error, Result};
use parking_lot::Mutex;
use programs::process::{BROWSERS, Scratch};
use serde_json::json;

use crate::act::{Click, Clicked};
use crate::cdp::Patience;
use crate::engine::Engine;
use crate::files;
use crate::page::Page;
use crate::read::{Found, Wanted};
use crate::shot::{Of, Shot};
use crate::told::{Done, Status, TabInfo};
use crate::tree::Node;
use crate::{Browser, With};

/// How long a call may take: hosts give up after sixty seconds, and some after thirty.
const CALL: Duration = Duration::from_secs(25);

/// The conversation. Dropped, its tabs are closed with all that they kept.
#[derive(Debug)]
pub struct Session {
    browser: Arc<Browser>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    used: Option<Used>,
    /// The tab that is meant where none is named.
    active: Option<u64>,
    /// Copies of files of the project that pages were given.
    given: Vec<Scratch>,
}

/// A browser that the session uses, and its own context in it.
#[derive(Clone, Debug)]
struct Used {
    engine: Arc<Engine>,
    context: String,
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(used) = self.state.get_mut().used.take() {
            used.leave();
        }
    }
}

impl Used {
    /// Closes what the session had open.
    fn leave(&self) {
        let context = json!({"browserContextId": self.context});
        self.engine.cdp.tell(None, "Target.disposeBrowserContext", context);
    }

    /// The tabs of the session, the newest last.
    fn tabs(&self) -> Vec<TabInfo> {
        self.engine.cdp.world(|world| {
            let own = world.tabs.iter().filter(|tab| tab.context == self.context);
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

/// Copies of files of the project for a page: what the browser opens is what was read here.
fn copy(with: &With<'_>, text: &str) -> Result<(Vec<PathBuf>, Scratch)> {
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

impl Session {
    /// A conversation of its own; nothing is started.
    pub fn new(browser: Arc<Browser>) -> Self {
        Self { browser, state: Mutex::default() }
    }

    /// What there is to drive; nothing is started for it.
    pub fn status(&self) -> Status {
        let state = self.state.lock();
        let used = state.used.as_ref().filter(|used| used.engine.lives());
        let says = match used {
            Some(used) => {
                format!("the built-in browser runs; {} tabs are open", used.tabs().len())
            }
            None => "the built-in browser starts with the first page".to_owned(),
        };
        let pid = used.and_then(|used| used.engine.pid());
        let settings = &self.browser.settings;
        Status {
            connected: false,
            url: settings.extension_url.clone(),
            attempts: 0,
            most_attempts: settings.most_attempts,
            interval: settings.interval,
            pid,
            says: format!("no extension is connected; {says}"),
        }
    }

    /// Opens a URL, in a new tab if there is none or `tab` asks for one.
    ///
    /// # Errors
    /// `InvalidURL`, `AddressRefused` and the like from [`web::Client::judge`], `NavigationFailed`,
    /// `TabNotFound`, and as any call: `BrowserUnavailable`, `BrowserFailed`, `Timeout`,
    /// `Cancelled`.
    pub fn navigate(&self, with: &With<'_>, url: &str, tab: Option<u64>) -> Result<Done<bool>> {
        let patience = Patience::new(CALL, with.cancel);
        let mut state = self.state.lock();
        let number = match self.choose(&mut state, tab) {
            Ok(number) => number,
            Err(_) if tab.is_none() => self.open_tab(&mut state, with, patience)?,
            Err(error) => return Err(error),
        };
        self.at(&mut state, with, number, patience, |page| page.open(url))
    }

    /// Opens a new tab, and a URL in it if one is given.
    ///
    /// # Errors
    /// As for [`Session::navigate`].
    pub fn create_tab(&self, with: &With<'_>, url: Option<&str>) -> Result<Done<bool>> {
        let patience = Patience::new(CALL, with.cancel);
        let mut state = self.state.lock();
        let number = self.open_tab(&mut state, with, patience)?;
        self.at(&mut state, with, number, patience, |page| match url {
            Some(url) => page.open(url),
            None => Ok((true, Vec::new())),
        })
    }

    /// Reads a page.
    ///
    /// # Errors
    /// `TabNotFound`, `PageNotLoaded`, `ElementNotFound` for the part, and as any call.
    pub fn read(
        &self,
        with: &With<'_>,
        tab: Option<u64>,
        wanted: &Wanted<'_>,
    ) -> Result<Done<Vec<Node>>> {
        self.on_page(with, tab, |page| page.read(wanted).map(|read| (read.nodes, read.says)))
    }

    /// The elements that a description fits, the best first.
    ///
    /// # Errors
    /// `NoResults`, `TabNotFound`, `PageNotLoaded`, and as any call.
    pub fn find(&self, with: &With<'_>, tab: Option<u64>, query: &str) -> Result<Done<Vec<Found>>> {
        self.on_page(with, tab, |page| page.find(query).map(|found| (found, Vec::new())))
    }

    /// Pictures a page.
    ///
    /// # Errors
    /// `ScreenshotFailed`, `ElementNotFound`, `TabNotFound`, and as any call.
    pub fn picture(&self, with: &With<'_>, tab: Option<u64>, of: Of<'_>) -> Result<Done<Shot>> {
        self.on_page(with, tab, |page| page.picture(of).map(|shot| (shot, Vec::new())))
    }

    /// Clicks.
    ///
    /// # Errors
    /// `ElementNotFound`, `ClickFailed`, `CoordinatesInvalid`, `TabNotFound`, and as any call.
    pub fn click(
        &self,
        with: &With<'_>,
        tab: Option<u64>,
        click: Click<'_>,
    ) -> Result<Done<Clicked>> {
        self.on_page(with, tab, |page| {
            page.click(click).map(|mut clicked| {
                let says = std::mem::take(&mut clicked.says);
                (clicked, says)
            })
        })
    }

    /// Types into what has the focus; with `replace` instead of what is in it.
    ///
    /// # Errors
    /// `NoFocusedElement`, `NotEditable`, `TypeFailed`, the failures of reading a file of the
    /// project, `TabNotFound`, and as any call.
    pub fn type_text(
        &self,
        with: &With<'_>,
        tab: Option<u64>,
        text: &str,
        replace: bool,
    ) -> Result<Done<()>> {
        let mut copies = None;
        let files = |text: &str| {
            let (paths, scratch) = copy(with, text)?;
            copies = Some(scratch);
            Ok(paths)
        };
        let done = self
            .on_page(with, tab, |page| page.type_text(text, replace, files).map(|says| ((), says)));
        self.state.lock().given.extend(copies);
        done
    }

    /// The open tabs.
    pub fn tabs(&self) -> Vec<TabInfo> {
        let state = self.state.lock();
        let used = state.used.as_ref().filter(|used| used.engine.lives());
        let mut tabs = used.map(Used::tabs).unwrap_or_default();
        for tab in &mut tabs {
            tab.active = state.active == Some(tab.number);
        }
        tabs
    }

    /// Opens a page in a tab of its own, pictures what is shown of it, and closes it. Gives also
    /// whether it was loaded.
    ///
    /// # Errors
    /// As for [`Session::create_tab`] and [`Session::picture`].
    pub fn look_at(&self, with: &With<'_>, url: &str) -> Result<Done<(bool, Shot)>> {
        let patience = Patience::new(CALL, with.cancel);
        let mut state = self.state.lock();
        let active = state.active;
        let number = self.open_tab(&mut state, with, patience)?;
        let done = self.at(&mut state, with, number, patience, |page| {
            let (loaded, says) = page.open(url)?;
            Ok(((loaded, page.picture(Of::Viewport)?), says))
        });
        state.active = active;
        if let Some(used) = &state.used {
            let target = used.engine.cdp.world(|world| Some(world.tab(number)?.target.clone()));
            let target = json!({"targetId": target});
            used.engine.cdp.tell(None, "Target.closeTarget", target);
        }
        done
    }

    /// The number of a tab that is there: the one named, else the one last used, else the newest.
    fn choose(&self, state: &mut State, tab: Option<u64>) -> Result<u64> {
        if state.used.as_ref().is_some_and(|used| !used.engine.lives()) {
            *state = State::default();
            if tab.is_some() {
                return Err(Error::browser_ended("ended", ""));
            }
        }
        let tabs = state.used.as_ref().map(Used::tabs).unwrap_or_default();
        let open: Vec<u64> = tabs.iter().map(|tab| tab.number).collect();
        let wanted = tab.or(state.active.filter(|active| open.contains(active)));
        match wanted.or(open.last().copied()) {
            Some(number) if open.contains(&number) => Ok(number),
            _ => Err(Error::tab_not_found(tab, &open)),
        }
    }

    /// Opens an empty tab, and the browser if need be.
    fn open_tab(&self, state: &mut State, with: &With<'_>, patience: Patience<'_>) -> Result<u64> {
        if state.used.as_ref().is_none_or(|used| !used.engine.lives()) {
            *state = State::default();
            state.used = Some(self.begin(with, patience)?);
        }
        let Some(used) = &state.used else { return Err(Error::browser_unavailable(BROWSERS)) };
        let params = json!({"url": "about:blank", "browserContextId": used.context});
        let answer = used.engine.cdp.call(None, "Target.createTarget", params, patience)?;
        let info = json!({
            "targetId": answer["targetId"], "browserContextId": used.context, "url": "about:blank",
        });
        Ok(used.engine.cdp.world(|world| world.know(&info).number))
    }

    /// A context of its own in the browser of the project.
    fn begin(&self, with: &With<'_>, patience: Patience<'_>) -> Result<Used> {
        let engine = self.browser.own(with)?;
        let call = |what, params| engine.cdp.call(None, what, params, patience);
        let context = call("Target.createBrowserContext", json!({"disposeOnDetach": true}))?;
        let context = context["browserContextId"].as_str().unwrap_or_default().to_owned();
        if let Some(own) = &engine.own {
            let folder = own.scratch.path().join(&context).display().to_string();
            let params = json!({
                "behavior": "allowAndName", "browserContextId": context, "downloadPath": folder,
                "eventsEnabled": true,
            });
            call("Browser.setDownloadBehavior", params)?;
        }
        Ok(Used { engine, context })
    }

    fn on_page<T>(
        &self,
        with: &With<'_>,
        tab: Option<u64>,
        work: impl FnOnce(&Page<'_>) -> Result<(T, Vec<String>)>,
    ) -> Result<Done<T>> {
        let patience = Patience::new(CALL, with.cancel);
        let mut state = self.state.lock();
        let number = self.choose(&mut state, tab)?;
        self.at(&mut state, with, number, patience, work)
    }

    /// Works in a tab, which is the one that is meant from now on.
    fn at<T>(
        &self,
        state: &mut State,
        with: &With<'_>,
        number: u64,
        patience: Patience<'_>,
        work: impl FnOnce(&Page<'_>) -> Result<(T, Vec<String>)>,
    ) -> Result<Done<T>> {
        let Some(Used { engine, context }) = state.used.clone() else {
            return Err(Error::tab_not_found(Some(number), &[]));
        };
        if let Some(own) = &engine.own {
            own.proxy.set_own_ports(with.ports);
        }
        let done = Page::attach(&engine.cdp, number, patience).and_then(|page| {
            state.active = Some(number);
            work(&page)
        });
        let (result, mut says) = match done {
            Ok(done) => done,
            Err(error) if engine.lives() => return Err(error),
            Err(error) => {
                *state = State::default();
                return Err(engine.why_ended().unwrap_or(error));
            }
        };
        let (files, more) = files::take(&engine, &context);
        says.extend(more);
        let info = json!({"targetId": engine.cdp.world(|w| Some(w.tab(number)?.target.clone()))});
        let info =
            engine.cdp.call(None, "Target.getTargetInfo", info, patience).unwrap_or_default();
        let (url, title) = engine.cdp.world(|world| {
            if info["targetInfo"].is_object() && world.tab_of(number).is_some() {
                world.know(&info["targetInfo"]);
            }
            let Some(tab) = world.tab(number) else { return Default::default() };
            if let Some(said) = tab.take_said() {
                says.push(format!("the page's console and requests: {said}"));
            }
            let shown = |text: &str| fault::visible(text).into_owned();
            (shown(&tab.url), shown(&tab.title))
        });
        Ok(Done { tab: number, url, title, result, says, files })
    }
}
