//! One conversation with the browser: its tabs, which no other sees, and which one it is at.

mod state;
mod tabs;

use std::sync::Arc;
use std::time::Duration;

use fault::{Code, Error, Result};
use parking_lot::Mutex;
use serde_json::json;

use crate::act::{Click, Clicked};
use crate::bridge::Extension;
use crate::cdp::Patience;
use crate::files;
use crate::find::Found;
use crate::foreign::Foreign;
use crate::page::Page;
use crate::read::Wanted;
use crate::shot::{Of, Shot};
use crate::told::{Done, Status};
use crate::tree::Node;
use crate::{Browser, With};

use state::{State, Used, close, copy, new_tab, title};

/// How long a call may take: hosts give up after sixty seconds, and some after thirty.
const CALL: Duration = Duration::from_secs(25);

/// The conversation. Dropped, its tabs are closed with all that they kept.
#[derive(Debug)]
pub struct Session {
    browser: Arc<Browser>,
    /// Its name where a browser is shared with others.
    name: String,
    state: Mutex<State>,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.state.get_mut().used.iter().for_each(Used::leave);
    }
}

impl Session {
    /// A conversation of its own; nothing is started.
    pub fn new(browser: Arc<Browser>, name: &str) -> Self {
        Self { browser, name: name.to_owned(), state: Mutex::default() }
    }

    /// What there is to drive; no browser is started for it.
    pub fn status(&self) -> Status {
        let health = self.browser.bridge().map(|bridge| bridge.health());
        let mut state = self.state.lock();
        state.forget_ended(None);
        let own = state.used.iter().find(|used| used.engine.own.is_some());
        let built_in = match own {
            Some(used) => {
                format!("the built-in browser runs with {}", fault::count(used.tabs().len(), "tab"))
            }
            None => "the built-in browser starts with the first page".to_owned(),
        };
        let settings = self.browser.settings.extension.as_ref();
        let (health, wanted) = (health.clone().unwrap_or_default(), health.is_some());
        let trouble = health.trouble.map_or(String::new(), |why| format!(" ({why})"));
        let says = match (&health.connected, wanted) {
            (Some(name), _) => format!("{name} is connected; new tabs open in the user's browser"),
            (None, true) => match health.idle {
                Some(name) => format!(
                    "{name} is connected, but takes no calls over this connection; {built_in}"
                ),
                None => format!("no extension is connected{trouble}; {built_in}"),
            },
            (None, false) => format!("extensions are turned off; {built_in}"),
        };
        Status {
            connected: health.connected.is_some(),
            url: settings.map_or_else(String::new, |one| one.url.clone()),
            attempts: health.attempts,
            most_attempts: settings.map_or(3, |one| one.most_attempts),
            interval: settings.map_or(Duration::from_secs(5), |one| one.interval),
            pid: own.and_then(|used| used.engine.pid()),
            says,
        }
    }

    /// Opens a URL in a tab, a new one if there is none.
    ///
    /// # Errors
    /// `NavigationFailed`, `TabNotFound`, `PageNotLoaded`, and as any call: `BrowserUnavailable`,
    /// `BrowserFailed`, `Timeout`, `Cancelled`.
    pub fn navigate(&self, with: &With<'_>, url: &str, tab: Option<u64>) -> Result<Done<bool>> {
        let patience = Patience::new(CALL, with.cancel);
        let mut state = self.state.lock();
        if let Some(foreign) = self.foreign(&mut state, tab) {
            return foreign.navigate(url, tab, patience);
        }
        let number = match state.choose(tab) {
            Ok(number) => number,
            Err(_) if tab.is_none() => self.open_tab(&mut state, with, patience)?,
            Err(error) => return Err(error),
        };
        // A page that answers nothing, or only opens dialogs, does not even make room for another.
        let stuck = state.used.iter().find(|used| {
            used.engine.cdp.world(|world| world.tab(number).is_some_and(|tab| tab.is_stuck()))
        });
        let Some(stuck) = stuck.cloned() else {
            return self.at(&mut state, with, number, patience, |page| page.open(url));
        };
        close(&stuck.engine, number);
        let new = new_tab(&stuck, patience)?;
        let says = format!("tab {number} could not be left and was closed; this is a new tab");
        let mut done = self.at(&mut state, with, new, patience, |page| page.open(url))?;
        done.says.insert(0, says);
        Ok(done)
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
        self.on_page(
            with,
            tab,
            |page| page.read(wanted).map(|read| (read.nodes, read.says)),
            |foreign, patience| foreign.read(wanted, tab, patience),
        )
    }

    /// The elements that a description fits, the best first.
    ///
    /// # Errors
    /// `NoResults`, `TabNotFound`, `PageNotLoaded`, and as any call.
    pub fn find(&self, with: &With<'_>, tab: Option<u64>, query: &str) -> Result<Done<Vec<Found>>> {
        self.on_page(
            with,
            tab,
            |page| page.find(query).map(|found| (found, Vec::new())),
            |foreign, patience| foreign.find(query, tab, patience),
        )
    }

    /// Pictures a page.
    ///
    /// # Errors
    /// `ScreenshotFailed`, `ElementNotFound`, `TabNotFound`, and as any call.
    pub fn picture(&self, with: &With<'_>, tab: Option<u64>, of: Of<'_>) -> Result<Done<Shot>> {
        self.on_page(
            with,
            tab,
            |page| page.picture(of).map(|shot| (shot, Vec::new())),
            |foreign, patience| foreign.picture(of, tab, patience),
        )
    }

    /// Clicks; with `hover` the mouse only moves there.
    ///
    /// # Errors
    /// `ElementNotFound`, `ClickFailed`, `CoordinatesInvalid`, `TabNotFound`, and as any call.
    pub fn click(
        &self,
        with: &With<'_>,
        tab: Option<u64>,
        click: Click<'_>,
        hover: bool,
    ) -> Result<Done<Clicked>> {
        let done = self.on_page(
            with,
            tab,
            |page| {
                let mut clicked = page.click(click, hover)?;
                let says = std::mem::take(&mut clicked.says);
                Ok((clicked, says))
            },
            |foreign, patience| foreign.click(click, hover, tab, patience),
        )?;
        let nothing =
            if hover { "the mouse is there; read the page" } else { "nothing visibly happened" };
        Ok(done.or_says(nothing))
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
        let done = self.on_page(
            with,
            tab,
            |page| page.type_text(text, replace, files).map(|says| ((), says)),
            |foreign, patience| foreign.type_text(text, tab, patience),
        );
        self.state.lock().given.extend(copies);
        done
    }

    /// Opens a page in a tab of its own in the built-in browser, pictures what is shown of it, and
    /// closes it. Gives also whether it was loaded.
    ///
    /// # Errors
    /// As for [`Session::create_tab`] and [`Session::picture`].
    pub fn look_at(&self, with: &With<'_>, url: &str) -> Result<Done<(bool, Shot)>> {
        let patience = Patience::new(CALL, with.cancel);
        let mut state = self.state.lock();
        let active = state.active;
        let used = self.built_in(&mut state, with, patience)?;
        let number = new_tab(&used, patience)?;
        let done = self.at(&mut state, with, number, patience, |page| {
            let (loaded, says) = page.open(url)?;
            Ok(((loaded, page.picture(Of::Viewport)?), says))
        });
        state.active = active;
        close(&used.engine, number);
        done
    }

    /// FloydChrome, if that is what a call about this tab goes to.
    fn foreign(&self, state: &mut State, tab: Option<u64>) -> Option<Arc<Foreign>> {
        let Extension::Tools(foreign) = self.browser.bridge()?.extension()? else { return None };
        state.forget_ended(None);
        let tabs = state.tabs();
        let own = match tab {
            Some(tab) => tabs.iter().any(|own| own.number == tab),
            None => !tabs.is_empty(),
        };
        (!own).then_some(foreign)
    }

    /// Opens an empty tab: in the browser of the person if one is connected, else in our own.
    fn open_tab(&self, state: &mut State, with: &With<'_>, patience: Patience<'_>) -> Result<u64> {
        state.forget_ended(None);
        let used = match self.persons(state, patience)? {
            Some(used) => used,
            None => self.built_in(state, with, patience)?,
        };
        new_tab(&used, patience)
    }

    /// The browser of the person, if our extension is connected.
    fn persons(&self, state: &mut State, patience: Patience<'_>) -> Result<Option<Used>> {
        let extension = self.browser.bridge().and_then(|bridge| bridge.extension());
        let Some(Extension::Browser(engine)) = extension else { return Ok(None) };
        if let Some(used) = state.used.iter().find(|used| Arc::ptr_eq(&used.engine, &engine)) {
            return Ok(Some(used.clone()));
        }
        let targets = engine.cdp.call(None, "Target.getTargets", json!({}), patience)?;
        engine.cdp.world(|world| {
            for info in targets["targetInfos"].as_array().into_iter().flatten() {
                world.know(info);
            }
        });
        let used = Used { engine, context: self.name.clone() };
        state.used.push(used.clone());
        Ok(Some(used))
    }

    /// A context of its own in the browser of the project.
    fn built_in(&self, state: &mut State, with: &With<'_>, patience: Patience<'_>) -> Result<Used> {
        state.forget_ended(None);
        if let Some(used) = state.used.iter().find(|used| used.engine.own.is_some()) {
            return Ok(used.clone());
        }
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
        let used = Used { engine, context };
        state.used.push(used.clone());
        Ok(used)
    }

    fn on_page<T>(
        &self,
        with: &With<'_>,
        tab: Option<u64>,
        work: impl FnOnce(&Page<'_>) -> Result<(T, Vec<String>)>,
        foreign: impl FnOnce(&Foreign, Patience<'_>) -> Result<Done<T>>,
    ) -> Result<Done<T>> {
        let patience = Patience::new(CALL, with.cancel);
        let mut state = self.state.lock();
        if let Some(extension) = self.foreign(&mut state, tab) {
            return foreign(&extension, patience);
        }
        // What the person shares is there before anything was opened.
        self.persons(&mut state, patience)?;
        let number = state.choose(tab)?;
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
        let has = |used: &&Used| used.tabs().iter().any(|tab| tab.number == number);
        let Some(Used { engine, context }) = state.used.iter().find(has).cloned() else {
            return Err(Error::tab_not_found(Some(number), &[]));
        };
        if let Some(own) = &engine.own {
            own.proxy.set_own_ports(with.ports);
        }
        let done = Page::attach(&engine, number, patience).and_then(|page| {
            state.active = Some(number);
            work(&page)
        });
        let (result, mut says) = match done {
            Ok(done) => done,
            Err(error) if engine.lives() => {
                let stuck = error.code == Code::Timeout;
                engine.cdp.world(|world| {
                    world.tab(number).into_iter().for_each(|tab| tab.stuck |= stuck);
                });
                return Err(error);
            }
            Err(error) => {
                state.forget_ended(None);
                return Err(engine.why_ended().unwrap_or(error));
            }
        };
        let (files, more) = files::take(&engine, &context);
        says.extend(more);
        let title = title(&engine, number, patience);
        let (url, title) = engine.cdp.world(|world| {
            let Some(tab) = world.tab(number) else { return Default::default() };
            if let Some(said) = tab.take_said() {
                says.push(format!("the page's console and requests: {said}"));
            }
            tab.title = title.unwrap_or_default();
            let shown = |text: &str| fault::visible(text).into_owned();
            (shown(&tab.url), shown(&tab.title))
        });
        Ok(Done { tab: number, url, title, result, says, files })
    }
}
