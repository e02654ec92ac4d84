//! One tab at work: its frames, its elements, scripts in a world that the page cannot see, and what
//! came of an action.

use std::time::Duration;

use fault::{Error, Result};
use serde_json::{Value, json};

use crate::cdp::{Cdp, Patience};
use crate::engine::{Engine, WINDOW};
use crate::world::{Place, Tab, begin};

/// The name of the world that scripts of ours run in.
const OURS: &str = "kitbag";

/// How long a page that follows from an action, or a file, is waited for.
pub(crate) const COMES: Duration = Duration::from_secs(10);

/// A tab that is attached to.
pub(crate) struct Page<'a> {
    pub(crate) cdp: &'a Cdp,
    pub(crate) number: u64,
    pub(crate) session: String,
    pub(crate) target: String,
    /// The name of its main frame.
    pub(crate) main: String,
    pub(crate) patience: Patience<'a>,
}

/// A frame of a page.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) session: String,
    pub(crate) id: String,
    /// The session of the frame that holds it, which knows its element.
    pub(crate) parent: Option<String>,
}

/// An element that a script has hold of.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub(crate) frame: Frame,
    pub(crate) object: String,
    pub(crate) backend: i64,
}

impl<'a> Page<'a> {
    /// The tab of this number, attached to.
    ///
    /// # Errors
    /// `TabNotFound` if it is gone.
    pub(crate) fn attach(engine: &'a Engine, number: u64, patience: Patience<'a>) -> Result<Self> {
        let cdp = &*engine.cdp;
        let known = cdp
            .world(|world| world.tab(number).map(|tab| (tab.target.clone(), tab.session.clone())));
        let Some((target, session)) = known else {
            return Err(Error::tab_not_found(Some(number), &[]));
        };
        let session = match session {
            Some(session) => session,
            None => Self::begin(engine, number, &target, patience)?,
        };
        let main = cdp.world(|world| Some(world.tab(number)?.main.clone())).unwrap_or_default();
        Ok(Self { cdp, number, session, target, main, patience })
    }

    /// Attaches to a tab for the first time.
    fn begin(engine: &Engine, number: u64, target: &str, patience: Patience<'_>) -> Result<String> {
        let cdp = &*engine.cdp;
        let params = json!({"targetId": target, "flatten": true});
        let answer = cdp.call(None, "Target.attachToTarget", params, patience)?;
        let session = answer["sessionId"].as_str().unwrap_or_default().to_owned();
        cdp.world(|world| {
            world.tab(number).into_iter().for_each(|tab| tab.session = Some(session.clone()));
        });
        let (width, height) = WINDOW;
        let size =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        let ours = engine.own.is_some();
        let size = ours.then_some(("Emulation.setDeviceMetricsOverride", size));
        let focus = ("Emulation.setFocusEmulationEnabled", json!({"enabled": true}));
        let all = begin(&session).into_iter().map(|(_, method, params)| (method, params));
        for (method, params) in all.chain(size).chain([focus]) {
            cdp.tell(Some(&session), method, params);
        }
        // The answers come in order; a dialog may hold them up.
        let tree = cdp.send(Some(&session), "Page.getFrameTree", json!({}));
        let tree = cdp.answer_or(&tree, patience.at_most(COMES), |world| {
            world.tab_of(number).is_none_or(|tab| tab.dialog.is_some())
        })?;
        let main = tree.as_ref().and_then(|tree| tree["frameTree"]["frame"]["id"].as_str());
        let main = main.unwrap_or(target).to_owned();
        cdp.world(|world| world.tab(number).into_iter().for_each(|tab| tab.main.clone_from(&main)));
        Ok(session)
    }

    /// What is known of the tab.
    ///
    /// # Errors
    /// `TabNotFound` if it was closed meanwhile.
    pub(crate) fn tab<T>(&self, look: impl FnOnce(&mut Tab) -> T) -> Result<T> {
        let found = self.cdp.world(|world| world.tab(self.number).map(look));
        found.ok_or_else(|| Error::tab_not_found(Some(self.number), &[]))
    }

    /// Refuses while a dialog is open, and for a tab that crashed.
    pub(crate) fn must_work(&self) -> Result<()> {
        let (dialog, crashed) = self.tab(|tab| (tab.dialog.clone(), tab.crashed))?;
        if let Some(dialog) = dialog {
            return Err(Error::dialog_open(&dialog.kind, &dialog.text));
        }
        if crashed {
            return Err(Error::page_not_loaded(self.number, "the page crashed"));
        }
        Ok(())
    }

    /// Asks the page, or a frame of it; a dialog that opens ends the wait.
    pub(crate) fn call(&self, session: &str, what: &'static str, params: Value) -> Result<Value> {
        let asked = self.cdp.send(Some(session), what, params);
        match self.call_or_dialog(&asked)? {
            Some(answer) => Ok(answer),
            None => {
                self.must_work()?;
                Err(Error::tab_not_found(Some(self.number), &[]))
            }
        }
    }

    /// The answer to a request; `None` if a dialog opened, the tab crashed or was closed.
    pub(crate) fn call_or_dialog(&self, asked: &crate::cdp::Asked) -> Result<Option<Value>> {
        self.cdp.answer_or(asked, self.patience, |world| {
            world.tab_of(self.number).is_none_or(|tab| tab.dialog.is_some() || tab.crashed)
        })
    }

    /// The frames of the page, the main one first.
    pub(crate) fn frames(&self) -> Result<Vec<Frame>> {
        let apart = self.tab(|tab| tab.frames.clone())?;
        let mut frames = Vec::new();
        let whole = self.call(&self.session, "Page.getFrameTree", json!({}))?;
        walk(&self.session, &whole["frameTree"], None, &mut frames);
        for one in apart {
            // A frame that went meanwhile is left out.
            if let Ok(tree) = self.call(&one.session, "Page.getFrameTree", json!({})) {
                walk(&one.session, &tree["frameTree"], Some(&one.parent), &mut frames);
            }
        }
        Ok(frames)
    }

    /// Runs a function of ours in a frame.
    pub(crate) fn run(&self, frame: &Frame, function: &str, arguments: Value) -> Result<Value> {
        let world = json!({"frameId": frame.id, "worldName": OURS});
        let world = self.call(&frame.session, "Page.createIsolatedWorld", world)?;
        let params = json!({
            "functionDeclaration": function,
            "executionContextId": world["executionContextId"],
            "arguments": arguments,
        });
        self.call(&frame.session, "Runtime.callFunctionOn", params)
    }

    /// Runs a function of ours on an element, and gives what it returns.
    pub(crate) fn on(&self, element: &Element, function: &str, arguments: Value) -> Result<Value> {
        let params = json!({
            "functionDeclaration": function,
            "objectId": element.object,
            "arguments": arguments,
            "returnByValue": true,
        });
        let mut answer = self.call(&element.frame.session, "Runtime.callFunctionOn", params)?;
        thrown(&answer).map_or(Ok(()), |why| Err(Error::browser_refused("a script", &why)))?;
        Ok(answer["result"]["value"].take())
    }

    /// The element that a selector or a reference such as `e12` names.
    ///
    /// # Errors
    /// `ElementNotFound`, and `InvalidInput` for what is no selector.
    pub(crate) fn element(&self, selector: &str) -> Result<Element> {
        self.must_work()?;
        if let Some(number) = reference(selector) {
            let place = self.tab(|tab| tab.references.place(number))?;
            let gone = || Error::reference_gone(selector.trim());
            return self.at(&place.ok_or_else(gone)?).map_err(|_| gone());
        }
        for frame in self.frames()? {
            let arguments = json!([{"value": selector}]);
            let Ok(answer) = self.run(&frame, include_str!("js/select.js"), arguments) else {
                continue;
            };
            if thrown(&answer).is_some() {
                return Err(Error::not_a_selector(selector));
            }
            if let Some(element) = self.hold(&frame, &answer)? {
                return Ok(element);
            }
        }
        Err(Error::element_not_found(selector))
    }

    /// The element that a script gave; `None` if it gave none.
    pub(crate) fn hold(&self, frame: &Frame, answer: &Value) -> Result<Option<Element>> {
        let Some(object) = answer["result"]["objectId"].as_str() else { return Ok(None) };
        let node = json!({"objectId": object});
        let node = self.call(&frame.session, "DOM.describeNode", node)?;
        let backend = node["node"]["backendNodeId"].as_i64().unwrap_or_default();
        Ok(Some(Element { frame: frame.clone(), object: object.to_owned(), backend }))
    }

    /// The element at a place, held in the world of our scripts.
    pub(crate) fn at(&self, place: &Place) -> Result<Element> {
        let frames = self.frames()?;
        let frame = frames.into_iter().find(|f| f.id == place.frame && f.session == place.session);
        let frame = frame.ok_or_else(|| Error::element_not_found("its frame"))?;
        let world = json!({"frameId": frame.id, "worldName": OURS});
        let world = self.call(&frame.session, "Page.createIsolatedWorld", world)?;
        let params = json!({
            "backendNodeId": place.backend,
            "executionContextId": world["executionContextId"],
        });
        let answer = self.call(&frame.session, "DOM.resolveNode", params)?;
        let object = answer["object"]["objectId"].as_str();
        let object = object.ok_or_else(|| Error::element_not_found("it"))?.to_owned();
        Ok(Element { frame, object, backend: place.backend })
    }
}

/// The number of a reference such as `e12`, also written `[ref=e12]` or `ref=e12`.
pub(crate) fn reference(selector: &str) -> Option<u64> {
    let bare = selector.trim().trim_start_matches('[').trim_end_matches(']');
    let bare = bare.strip_prefix("ref=").unwrap_or(bare);
    let digits = bare.strip_prefix('e')?;
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// What a script threw.
fn thrown(answer: &Value) -> Option<String> {
    let details = &answer["exceptionDetails"];
    let words = details["exception"]["description"].as_str().or(details["text"].as_str());
    details.is_object().then(|| words.unwrap_or_default().to_owned())
}

fn walk(session: &str, tree: &Value, parent: Option<&str>, frames: &mut Vec<Frame>) {
    let id = tree["frame"]["id"].as_str().unwrap_or_default().to_owned();
    frames.push(Frame { session: session.to_owned(), id, parent: parent.map(str::to_owned) });
    for child in tree["childFrames"].as_array().into_iter().flatten() {
        walk(session, child, Some(session), frames);
    }
}
