//! What came of an action: another page, a dialog, a download, or what can be seen of it.

use std::time::{Duration, Instant};

use fault::{Error, Result};
use serde_json::json;

use crate::act::visible;
use crate::page::{COMES, Element, Page};
use crate::world::{Dialog, Download, Progress, World};

/// How long after an action something may begin that follows from it.
const FOLLOWS: Duration = Duration::from_millis(120);

/// How long a load or a download may take to begin once the page asked for it.
const BEGINS: Duration = Duration::from_secs(2);

/// The state before an action, to say afterwards what came of it.
pub(crate) struct Before {
    pub(crate) documents: u64,
    moves: u64,
    tabs: Vec<u64>,
    downloads: u64,
    url: String,
}

impl Page<'_> {
    /// What is to be compared with after an action.
    pub(crate) fn before(&self) -> Result<Before> {
        self.cdp
            .world(|world| {
                let tabs = world.tabs.iter().map(|tab| tab.number).collect();
                let downloads = world.begun;
                let tab = world.tab(self.number)?;
                let (documents, moves, url) = (tab.documents, tab.moves, tab.url.clone());
                Some(Before { documents, moves, tabs, downloads, url })
            })
            .ok_or_else(|| Error::tab_not_found(Some(self.number), &[]))
    }

    /// Waits for what an action brings about, and says what that is.
    pub(crate) fn outcome(&self, before: &Before) -> Result<Vec<String>> {
        let begun = Instant::now();
        let soon = self.patience.at_most(COMES);
        self.cdp.until(soon, |world| {
            let mut began = self.began(world, before);
            let coming = began.any(|one| one.state == Progress::Coming);
            drop(began);
            let Some(tab) = world.tab(self.number) else { return Some(()) };
            let begins = tab.begins.is_some_and(|since| since.elapsed() < BEGINS);
            let quiet = begun.elapsed() >= FOLLOWS && !tab.loading && !begins && !coming;
            (quiet || tab.dialog.is_some() || tab.chooser.is_some() || tab.crashed).then_some(())
        })?;
        Ok(self.cdp.world(|world| self.happened(world, before)))
    }

    /// The downloads of the session that began since.
    fn began<'w>(
        &self,
        world: &'w World,
        before: &Before,
    ) -> impl Iterator<Item = &'w Download> + use<'w> {
        let context = world.tab_of(self.number).map(|tab| tab.context.clone());
        let since = before.downloads;
        world.downloads.iter().filter(move |one| {
            one.number > since && (one.context.is_none() || one.context == context)
        })
    }

    /// Whether a download began since.
    pub(crate) fn downloads(&self, before: &Before) -> bool {
        self.cdp.world(|world| self.began(world, before).next().is_some())
    }

    pub(crate) fn happened(&self, world: &mut World, before: &Before) -> Vec<String> {
        let mut says = Vec::new();
        let new = world.tabs.iter().filter(|tab| !before.tabs.contains(&tab.number));
        for tab in new.filter(|tab| tab.opener.as_deref() == Some(&self.target)) {
            says.push(format!("it opened tab {} ({})", tab.number, fault::visible(&tab.url)));
        }
        match world.tab(self.number) {
            None => says.push("the tab was closed".to_owned()),
            Some(tab) => {
                let url = fault::visible(&tab.url).into_owned();
                let awaits = tab.awaits.as_ref().filter(|_| tab.loading);
                if tab.documents > before.documents {
                    let loading = if tab.loading { ", which is still loading" } else { "" };
                    says.push(format!("it led to {url}{loading}"));
                } else if let Some(awaited) = awaits {
                    let awaited = fault::cut(&fault::visible(awaited), 300).into_owned();
                    says.push(format!("it leads to {awaited}, which has not answered yet"));
                } else if tab.moves > before.moves && tab.url != before.url {
                    says.push(format!("the page moved to {url}"));
                }
                if let Some(dialog) = &tab.dialog {
                    says.push(dialog.to_string());
                }
                if let Some(chooser) = &tab.chooser {
                    let files = if chooser.several { "paths, one a line," } else { "the path" };
                    says.push(format!("it asks for a file: type {files} of files of the project"));
                }
                if tab.crashed {
                    says.push("the page crashed; navigate to load one".to_owned());
                }
            }
        }
        says
    }

    /// Begins to count the changes of an element's document.
    pub(crate) fn watch(&self, element: &Element) -> Option<Element> {
        let answer = self.run(&element.frame, include_str!("js/watch.js"), json!([])).ok()?;
        let object = answer["result"]["objectId"].as_str()?.to_owned();
        Some(Element { object, ..element.clone() })
    }

    /// What can be seen of a click that led nowhere else.
    pub(crate) fn seen(&self, element: Option<&Element>, watch: Option<&Element>) -> Vec<String> {
        let on = |element, script| self.on(element, script, json!([{"value": false}])).ok();
        let changes = watch.and_then(|watch| on(watch, include_str!("js/watched.js")));
        let Some((element, changes)) = element.zip(changes) else {
            return vec!["what came of it is not known; read the page".to_owned()];
        };
        let mut says = Vec::new();
        let after = on(element, include_str!("js/describe.js")).unwrap_or_default();
        let state = visible(&after["state"]);
        if !state.is_empty() {
            says.push(format!("it is {state} now"));
        }
        says.extend(self.blocked(element, false));
        if changes.as_u64().is_some_and(|changes| changes > 0) {
            says.push("the page changed".to_owned());
        }
        says.extend(self.tab(|tab| tab.loads_data()).ok().flatten());
        says
    }

    /// Why the browser kept a form from being submitted that this button submits, or Enter in this
    /// field.
    pub(crate) fn blocked(&self, element: &Element, enter: bool) -> Option<String> {
        let arguments = json!([{"value": enter}]);
        let why = self.on(element, include_str!("js/blocked.js"), arguments).ok()?;
        let why = visible(&why);
        (!why.is_empty()).then(|| format!("the form was not submitted: {}", fault::cut(&why, 300)))
    }
}

impl Dialog {
    fn quoted(&self) -> String {
        let text = fault::visible(&self.text).replace('\n', " ");
        fault::cut(&text, 300).into_owned()
    }

    pub(crate) fn name(&self) -> String {
        format!("the dialog ({}: `{}`)", self.kind, self.quoted())
    }
}

impl std::fmt::Display for Dialog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.kind == "beforeunload" {
            return f.write_str(
                "the page asks whether it may be left, and work in it lost: click the selector \
                 `dialog=accept` to leave it, or `dialog=dismiss` to stay",
            );
        }
        let text = self.quoted();
        write!(
            f,
            "a dialog is open ({}: `{text}`): click the selector `dialog=accept`",
            self.kind
        )?;
        match self.kind.as_str() {
            "alert" => Ok(()),
            "prompt" => write!(f, " or `dialog=dismiss`, or type the answer"),
            _ => write!(f, " or `dialog=dismiss`"),
        }
    }
}
