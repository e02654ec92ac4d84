//! What is known of a browser's tabs, from the events that it sends.

mod tab;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::tree::Seen;

/// Largest file that a page may give, in bytes: it is held in memory on its way into the project.
pub(crate) const MOST_DOWNLOADED: u64 = 64 << 20;

/// Everything that is known.
#[derive(Debug, Default)]
pub(crate) struct World {
    pub(crate) tabs: Vec<Tab>,
    pub(crate) downloads: Vec<Download>,
    /// How many downloads began.
    pub(crate) begun: u64,
    /// What the refusals of our own proxy begin with.
    mark: Option<String>,
    numbers: Arc<Numbers>,
}

/// Numbers of tabs, of all browsers of a project, by what the browsers call them: an extension that
/// connects anew has the tabs that it had.
#[derive(Debug, Default)]
pub(crate) struct Numbers(Mutex<HashMap<String, u64>>);

impl Numbers {
    fn of(&self, target: &str) -> u64 {
        let mut all = self.0.lock();
        let next = all.len() as u64 + 1;
        *all.entry(target.to_owned()).or_insert(next)
    }
}

/// A page in the browser.
#[derive(Debug, Default)]
pub(crate) struct Tab {
    pub(crate) number: u64,
    pub(crate) target: String,
    pub(crate) context: String,
    /// The name of its main frame, once it was attached to.
    pub(crate) main: String,
    /// The target that opened it.
    pub(crate) opener: Option<String>,
    pub(crate) url: String,
    pub(crate) title: String,
    /// How it is spoken with, once it was attached to.
    pub(crate) session: Option<String>,
    /// Frames in processes of their own.
    pub(crate) frames: Vec<Apart>,
    pub(crate) dialog: Option<Dialog>,
    /// How many dialogs its document opened.
    pub(crate) dialogs: usize,
    pub(crate) chooser: Option<Chooser>,
    pub(crate) crashed: bool,
    /// It gave no answer in time.
    pub(crate) stuck: bool,
    pub(crate) loading: bool,
    /// How many documents its main frame had.
    pub(crate) documents: u64,
    /// How often the page moved without a new document.
    pub(crate) moves: u64,
    /// The answer to the last request for a document of the main frame.
    pub(crate) answered: Option<Answered>,
    /// The document that the main frame asked for and does not have yet.
    pub(crate) awaits: Option<String>,
    /// Since when the browser is to begin a load or a download that the page asked for.
    pub(crate) begins: Option<Instant>,
    /// What the page said and what it could not load, since somebody was told.
    pub(crate) said: Vec<String>,
    pub(crate) unsaid: usize,
    pub(crate) references: References,
    pub(crate) seen: Option<Seen>,
    requests: HashMap<String, Request>,
}

/// A request of a page that is on its way.
#[derive(Debug)]
struct Request {
    url: String,
    /// Whether it is for data that a script wants.
    data: bool,
}

/// A frame in a process of its own.
#[derive(Clone, Debug)]
pub(crate) struct Apart {
    pub(crate) session: String,
    pub(crate) frame: String,
    pub(crate) parent: String,
}

/// A dialog that a script opened.
#[derive(Clone, Debug)]
pub(crate) struct Dialog {
    pub(crate) kind: String,
    pub(crate) text: String,
    /// Where it is answered.
    pub(crate) session: String,
}

/// A file input that asks for files.
#[derive(Clone, Debug)]
pub(crate) struct Chooser {
    pub(crate) session: String,
    pub(crate) backend: i64,
    pub(crate) several: bool,
}

/// What a server, or the proxy, answered.
#[derive(Clone, Debug)]
pub(crate) struct Answered {
    pub(crate) status: i64,
    /// Why the proxy did not connect.
    pub(crate) refused: Option<String>,
}

/// A file that a page gave.
#[derive(Clone, Debug)]
pub(crate) struct Download {
    pub(crate) id: String,
    /// Which it is of all downloads of the browser, from 1.
    pub(crate) number: u64,
    /// The context of the tab that it belongs to, once that is known.
    pub(crate) context: Option<String>,
    pub(crate) name: String,
    pub(crate) bytes: u64,
    pub(crate) state: Progress,
}

/// How far a download is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    Coming,
    Complete,
    Broken,
    /// It was stopped, since it is larger than what is kept.
    TooLarge,
}

/// The elements that were named, by number. A number is never given to another element.
#[derive(Debug, Default)]
pub(crate) struct References {
    numbers: HashMap<(String, i64), u64>,
    nodes: HashMap<u64, Place>,
    last: u64,
}

/// Where an element is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) session: String,
    pub(crate) frame: String,
    pub(crate) backend: i64,
}

impl References {
    /// The number of an element.
    pub(crate) fn number(&mut self, place: &Place) -> u64 {
        let next = self.last + 1;
        let key = (place.session.clone(), place.backend);
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.last = next;
            self.nodes.insert(number, place.clone());
        }
        number
    }

    pub(crate) fn place(&self, number: u64) -> Option<Place> {
        self.nodes.get(&number).cloned()
    }

    /// After a new document no number means anything, and none is given again.
    fn forget(&mut self) {
        self.numbers.clear();
        self.nodes.clear();
    }
}

/// A request that follows from an event: a session, or none for the browser as a whole, a method and
/// its parameters.
pub(crate) type Follows = (Option<String>, &'static str, Value);

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

impl World {
    /// Nothing is known yet; `mark` is what the refusals of our own proxy begin with.
    pub(crate) fn new(numbers: Arc<Numbers>, mark: Option<String>) -> Self {
        Self { numbers, mark, ..Self::default() }
    }

    pub(crate) fn tab(&mut self, number: u64) -> Option<&mut Tab> {
        self.tabs.iter_mut().find(|tab| tab.number == number)
    }

    /// The same, only looked at.
    pub(crate) fn tab_of(&self, number: u64) -> Option<&Tab> {
        self.tabs.iter().find(|tab| tab.number == number)
    }

    fn of_session(&mut self, session: &str) -> Option<&mut Tab> {
        self.tabs.iter_mut().find(|tab| tab.sessions().any(|own| own == session))
    }

    /// A tab of this target, known from now on.
    pub(crate) fn know(&mut self, info: &Value) -> &mut Tab {
        let target = text(&info["targetId"]);
        let at = self.tabs.iter().position(|tab| tab.target == target).unwrap_or_else(|| {
            let number = self.numbers.of(&target);
            self.tabs.push(Tab {
                number,
                target,
                context: text(&info["browserContextId"]),
                opener: info["openerId"].as_str().map(str::to_owned),
                ..Tab::default()
            });
            self.tabs.len() - 1
        });
        let tab = &mut self.tabs[at];
        (tab.url, tab.title) = (text(&info["url"]), text(&info["title"]));
        tab
    }

    /// Takes in an event.
    pub(crate) fn event(
        &mut self,
        session: Option<&str>,
        method: &str,
        params: &Value,
    ) -> Vec<Follows> {
        match (method, session) {
            ("Target.targetCreated" | "Target.targetInfoChanged", _) => {
                let info = &params["targetInfo"];
                if info["type"] == "page" {
                    self.know(info);
                }
            }
            ("Target.targetDestroyed", _) => {
                self.tabs.retain(|tab| params["targetId"] != *tab.target);
            }
            ("Target.targetCrashed", _) => {
                let target = text(&params["targetId"]);
                let tab = self.tabs.iter_mut().find(|tab| tab.target == target);
                tab.into_iter().for_each(Tab::crash);
            }
            ("Target.detachedFromTarget", _) => {
                let gone = text(&params["sessionId"]);
                for tab in &mut self.tabs {
                    tab.frames.retain(|apart| apart.session != gone);
                    if tab.session.as_ref() == Some(&gone) {
                        tab.session = None;
                    }
                }
            }
            ("Browser.downloadWillBegin" | "Page.downloadWillBegin", _) => {
                self.download(session, params);
            }
            ("Browser.downloadProgress" | "Page.downloadProgress", _) => {
                let one = self.downloads.iter_mut().find(|one| params["guid"] == *one.id);
                return one.and_then(|one| one.progress(params)).into_iter().collect();
            }
            (_, Some(session)) => {
                let mark = self.mark.clone();
                if let Some(tab) = self.of_session(session) {
                    return tab.event(session, method, params, mark.as_deref());
                }
            }
            _ => {}
        }
        Vec::new()
    }

    /// A download begins, which is told of the browser and of the page, in any order.
    fn download(&mut self, session: Option<&str>, params: &Value) {
        let (id, frame) = (text(&params["guid"]), text(&params["frameId"]));
        let of_page = |tab: &Tab| {
            session.is_some_and(|session| tab.sessions().any(|own| own == session))
                || [&tab.main, &tab.target].contains(&&frame)
                || tab.frames.iter().any(|apart| apart.frame == frame)
        };
        let tab = self.tabs.iter_mut().find(|tab| of_page(tab));
        let context = tab.map(|tab| {
            tab.begins = None;
            tab.context.clone()
        });
        if let Some(known) = self.downloads.iter_mut().find(|known| known.id == id) {
            known.context = context.or(known.context.take());
            return;
        }
        self.begun += 1;
        self.downloads.push(Download {
            id,
            number: self.begun,
            context,
            name: text(&params["suggestedFilename"]),
            bytes: 0,
            state: Progress::Coming,
        });
    }
}

impl Download {
    /// How far it is now; one that grows too large is stopped.
    fn progress(&mut self, params: &Value) -> Option<Follows> {
        let bytes = |name: &str| params[name].as_f64().unwrap_or_default() as u64;
        self.bytes = bytes("receivedBytes");
        let too_large = self.bytes.max(bytes("totalBytes")) > MOST_DOWNLOADED;
        match (self.state, params["state"].as_str()) {
            (Progress::TooLarge, _) => {}
            (_, Some("completed")) => self.state = Progress::Complete,
            (_, Some("canceled")) => self.state = Progress::Broken,
            _ if too_large => {
                self.state = Progress::TooLarge;
                let mut which = json!({"guid": self.id});
                if let Some(context) = &self.context {
                    which["browserContextId"] = context.as_str().into();
                }
                return Some((None, "Browser.cancelDownload", which));
            }
            _ => {}
        }
        None
    }
}

/// What is asked of every page and frame when it is attached to.
pub(crate) fn begin(session: &str) -> Vec<Follows> {
    let attach = json!({"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true});
    let follows: [(&'static str, Value); 7] = [
        ("Page.enable", json!({})),
        ("DOM.enable", json!({})),
        ("Runtime.enable", json!({})),
        ("Network.enable", json!({})),
        // The page of a project may have changed since, by the hand of the one who asks.
        ("Network.setCacheDisabled", json!({"cacheDisabled": true})),
        ("Page.setInterceptFileChooserDialog", json!({"enabled": true})),
        ("Target.setAutoAttach", attach),
    ];
    let of_session = |(method, params)| (Some(session.to_owned()), method, params);
    follows.into_iter().map(of_session).collect()
}
