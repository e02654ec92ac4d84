//! One tab, as its own events tell of it.

use std::collections::HashSet;
use std::time::Instant;

use fault::{cut, visible};
use serde_json::Value;

use super::{Answered, Apart, Chooser, Dialog, Follows, Request, Tab, begin, text};

/// Most lines that are kept of what a page said; further ones are counted.
const MOST_SAID: usize = 20;

/// Most bytes of one such line.
const SAID: usize = 200;

/// How many dialogs a document may open until its tab is given up.
const MOST_DIALOGS: usize = 4;

/// Most requests whose addresses are remembered.
const MOST_REQUESTS: usize = 2000;

impl Tab {
    /// How the page and its frames are spoken with.
    pub(crate) fn sessions(&self) -> impl Iterator<Item = &str> {
        self.session.as_deref().into_iter().chain(self.frames.iter().map(|f| f.session.as_str()))
    }

    /// Whether the page does not let itself be left.
    pub(crate) fn is_stuck(&self) -> bool {
        let dialog = self.dialog.as_ref().is_some_and(|dialog| dialog.kind != "beforeunload");
        self.stuck || (dialog && self.dialogs >= MOST_DIALOGS)
    }

    pub(super) fn crash(&mut self) {
        self.crashed = true;
        self.loading = false;
        self.references.forget();
    }

    /// Whether a frame is the main one, which no other holds.
    fn is_main(&self, session: &str, frame: &Value) -> bool {
        self.session.as_deref() == Some(session) && !frame["parentId"].is_string()
    }

    /// Takes in an event; `mark` is what refusals of our own proxy begin with.
    pub(super) fn event(
        &mut self,
        session: &str,
        method: &str,
        params: &Value,
        mark: Option<&str>,
    ) -> Vec<Follows> {
        let main_frame = params["frameId"] == *self.main;
        match method {
            "Target.attachedToTarget" => return self.attached(session, params),
            "Inspector.targetCrashed" if self.session.as_deref() == Some(session) => self.crash(),
            "Page.javascriptDialogOpening" => {
                let kind = text(&params["type"]);
                self.dialogs += usize::from(kind != "beforeunload");
                self.dialog = Some(Dialog {
                    kind,
                    text: text(&params["message"]),
                    session: session.to_owned(),
                });
            }
            "Page.javascriptDialogClosed" => self.dialog = None,
            "Page.fileChooserOpened" => {
                self.chooser = params["backendNodeId"].as_i64().map(|backend| Chooser {
                    session: session.to_owned(),
                    backend,
                    several: params["mode"] == "selectMultiple",
                });
            }
            // A load or a download begins, unless another program takes it, as it does mail.
            "Page.frameRequestedNavigation" if main_frame && is_fetched(&params["url"]) => {
                self.begins = Some(Instant::now());
            }
            "Page.frameStartedLoading" if main_frame => (self.loading, self.begins) = (true, None),
            "Page.frameStoppedLoading" if main_frame => (self.loading, self.awaits) = (false, None),
            "Page.frameNavigated" if self.is_main(session, &params["frame"]) => {
                self.url = text(&params["frame"]["url"]);
                self.main = text(&params["frame"]["id"]);
                self.documents += 1;
                self.crashed = false;
                (self.dialog, self.chooser, self.seen) = (None, None, None);
                (self.dialogs, self.awaits) = (0, None);
                self.requests.clear();
                self.references.forget();
            }
            "Page.navigatedWithinDocument" if main_frame => {
                self.url = text(&params["url"]);
                (self.moves, self.begins) = (self.moves + 1, None);
            }
            _ => self.heard(method, params, main_frame, mark),
        }
        Vec::new()
    }

    /// What a page says, and what it loads.
    fn heard(&mut self, method: &str, params: &Value, main_frame: bool, mark: Option<&str>) {
        match method {
            "Runtime.consoleAPICalled" => {
                let words = params["args"].as_array().into_iter().flatten().map(|one| {
                    let plain = one["value"].as_str().map(str::to_owned);
                    let described = || one["description"].as_str().map(str::to_owned);
                    plain.or_else(described).unwrap_or_else(|| one["value"].to_string())
                });
                let words: Vec<_> = words.collect();
                self.say(&format!("console.{}: {}", text(&params["type"]), words.join(" ")));
            }
            "Runtime.exceptionThrown" => {
                let details = &params["exceptionDetails"];
                let thrown = details["exception"]["description"].as_str();
                let thrown = thrown.or(details["text"].as_str()).unwrap_or_default();
                self.say(&format!("uncaught: {}", thrown.lines().next().unwrap_or_default()));
            }
            "Network.requestWillBeSent" => {
                if self.requests.len() >= MOST_REQUESTS {
                    self.requests.clear();
                }
                let (id, url) = (text(&params["requestId"]), text(&params["request"]["url"]));
                if params["type"] == "Document" && main_frame {
                    (self.awaits, self.answered) = (Some(url.clone()), None);
                }
                let data = matches!(params["type"].as_str(), Some("XHR" | "Fetch"));
                self.requests.insert(id, Request { url, data });
            }
            "Network.responseReceived" => {
                let response = &params["response"];
                let status = response["status"].as_i64().unwrap_or_default();
                let refused = header(&response["headers"], web::REFUSED).and_then(|why| {
                    // Any server can send such a header, and does not know the mark.
                    Some(why.strip_prefix(mark?)?.trim().to_owned())
                });
                if params["type"] == "Document" && main_frame {
                    self.answered = Some(Answered { status, refused });
                } else if let Some(why) = refused {
                    self.say(&format!("not reached: {why}"));
                } else if status >= 400 && !is_icon(&text(&response["url"])) {
                    self.say(&format!("{status} {}", text(&response["url"])));
                }
            }
            "Network.loadingFailed" => {
                let request = self.requests.remove(&text(&params["requestId"]));
                let canceled = params["canceled"] == true;
                if canceled && params["type"] == "Document" && self.awaits.take().is_some() {
                    // The answer is no page: where it has content, it becomes a download.
                    let content = |answer: &Answered| matches!(answer.status, 200..=203);
                    let becomes = self.answered.as_ref().is_some_and(content);
                    self.begins = becomes.then(Instant::now);
                }
                if !canceled {
                    let url = request.map(|request| request.url).unwrap_or_default();
                    self.say(&format!("not loaded: {url}: {}", text(&params["errorText"])));
                }
            }
            "Network.loadingFinished" => {
                self.requests.remove(&text(&params["requestId"]));
            }
            _ => {}
        }
    }

    fn attached(&mut self, parent: &str, params: &Value) -> Vec<Follows> {
        if params["targetInfo"]["type"] != "iframe" {
            return Vec::new();
        }
        let session = text(&params["sessionId"]);
        self.frames.push(Apart {
            session: session.clone(),
            frame: text(&params["targetInfo"]["targetId"]),
            parent: parent.to_owned(),
        });
        begin(&session)
    }

    /// How many requests for data are on their way.
    pub(crate) fn pending(&self) -> usize {
        self.requests.values().filter(|request| request.data).count()
    }

    /// That it still loads data, if it does.
    pub(crate) fn loads_data(&self) -> Option<String> {
        let pending = self.pending();
        let requests = fault::count(pending, "request");
        (pending > 0)
            .then(|| format!("the page still loads data ({requests} on the way); read it again"))
    }

    fn say(&mut self, line: &str) {
        if self.said.len() < MOST_SAID {
            self.said.push(cut(&visible(line).replace('\n', " "), SAID).into_owned());
        } else {
            self.unsaid += 1;
        }
    }

    /// What the page said since the last question, as one line.
    pub(crate) fn take_said(&mut self) -> Option<String> {
        let mut counted: Vec<(String, usize)> = Vec::new();
        let mut known = HashSet::new();
        for line in std::mem::take(&mut self.said) {
            if known.insert(line.clone()) {
                counted.push((line, 1));
            } else if let Some((_, count)) = counted.iter_mut().find(|(other, _)| *other == line) {
                *count += 1;
            }
        }
        let lines = counted.into_iter().map(|(line, count)| match count {
            1 => line,
            _ => format!("{line} ({count} times)"),
        });
        let mut lines: Vec<_> = lines.collect();
        match std::mem::take(&mut self.unsaid) {
            0 => {}
            more => lines.push(format!("{more} more")),
        }
        (!lines.is_empty()).then(|| lines.join("; "))
    }
}

/// Whether the browser itself fetches what an address names.
fn is_fetched(url: &Value) -> bool {
    let scheme = url.as_str().and_then(|url| url.split_once(':')).unwrap_or_default().0;
    matches!(scheme, "http" | "https" | "blob" | "data" | "file")
}

/// Whether the browser asked for it by itself.
fn is_icon(url: &str) -> bool {
    url.ends_with("/favicon.ico")
}

/// The value of a header, whatever the case of its name.
fn header(headers: &Value, name: &str) -> Option<String> {
    let mut all = headers.as_object()?.iter();
    all.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| text(value))
}
