//! Clicking and typing as a person does it: with the events of a mouse and a keyboard, on what is
//! really there.

use std::path::PathBuf;

use fault::{Error, Result};
use serde_json::{Value, json};

use crate::page::{Element, Page};

/// What is clicked.
#[derive(Clone, Copy, Debug)]
pub enum Click<'a> {
    /// The element that a selector or a reference names.
    Element(&'a str),
    /// The same to be typed into: what acts when it is clicked, such as a link, is not.
    Field(&'a str),
    /// A point of the viewport, in CSS pixels.
    At(f64, f64),
}

/// What came of a click.
#[derive(Clone, Debug, Default)]
pub struct Clicked {
    /// Where it was.
    pub at: Option<(f64, f64)>,
    /// What was hit.
    pub hit: String,
    /// What came of it.
    pub says: Vec<String>,
}

/// What has the focus and can be typed into.
struct Field {
    element: Element,
    kind: String,
    what: String,
    value: String,
    several: bool,
    set: bool,
}

impl Page<'_> {
    /// Clicks, or answers an open dialog; with `hover` the mouse only moves there.
    pub(crate) fn click(&self, click: Click<'_>, hover: bool) -> Result<Clicked> {
        if let Click::Element(selector) | Click::Field(selector) = click
            && let Some(how) = selector.trim().strip_prefix("dialog=")
        {
            let accept = match how {
                "accept" => true,
                "dismiss" => false,
                _ => return Err(Error::not_a_dialog_answer(selector)),
            };
            return self.answer_dialog(accept, None);
        }
        self.must_work()?;
        let before = self.before()?;
        let (at, element) = match click {
            Click::Element(selector) => self.aim(selector, false)?,
            Click::Field(selector) => self.aim(selector, true)?,
            Click::At(x, y) => ((x, y), self.look_at(x, y)?),
        };
        let hit = match &element {
            Some(element) => visible(&self.describe(element)?["what"]),
            None => "the page".to_owned(),
        };
        self.tab(|tab| tab.chooser = None)?;
        let watch = element.as_ref().and_then(|element| self.watch(element));
        if hover {
            self.point(at)?
        } else {
            self.press(at)?
        }
        let mut says = self.outcome(&before)?;
        // Where the page went elsewhere, or waits, nothing is known of it; a download is told apart.
        if says.is_empty() && !self.downloads(&before) {
            says = self.seen(element.as_ref(), watch.as_ref());
        }
        Ok(Clicked { at: Some(at), hit, says })
    }

    fn describe(&self, element: &Element) -> Result<Value> {
        self.on(element, include_str!("js/describe.js"), json!([]))
    }

    /// Where an element is to be clicked, after it was scrolled to.
    fn aim(&self, selector: &str, to_type: bool) -> Result<((f64, f64), Option<Element>)> {
        let element = self.element(selector)?;
        let about = self.describe(&element)?;
        let what = visible(&about["what"]);
        let fail = |why: &str| Err(Error::click_failed(selector, why));
        if about["disabled"] == true {
            return fail(&format!("{what} is disabled; do first what enables it"));
        }
        if to_type && about["acts"] == true {
            return Err(Error::not_editable(&what));
        }
        if about["option"] == true {
            return fail(&format!(
                "{what} is in a list; click the list and type the option's text"
            ));
        }
        let session = &element.frame.session;
        let object = json!({"objectId": element.object});
        let scrolled = self.call(session, "DOM.scrollIntoViewIfNeeded", object.clone());
        let quads = scrolled.and_then(|_| self.call(session, "DOM.getContentQuads", object));
        let Some(inner) = quads.ok().as_ref().and_then(middle) else {
            return fail(&format!("{what} has no size; it may be hidden"));
        };
        let at = self.in_page(&element, inner)?;
        if let Some(other) = self.covered(&element, inner)? {
            return fail(&format!("{what} is covered by {other}; close or move that first"));
        }
        Ok((at, Some(element)))
    }

    /// A point of a frame as one of the page.
    pub(crate) fn in_page(
        &self,
        element: &Element,
        (mut x, mut y): (f64, f64),
    ) -> Result<(f64, f64)> {
        let mut session = element.frame.session.clone();
        while session != self.session {
            let apart =
                self.tab(|tab| tab.frames.iter().find(|f| f.session == session).cloned())?;
            let Some(apart) = apart else { break };
            let owner = json!({"frameId": apart.frame});
            let owner = self.call(&apart.parent, "DOM.getFrameOwner", owner)?;
            let model = json!({"backendNodeId": owner["backendNodeId"]});
            let model = self.call(&apart.parent, "DOM.getBoxModel", model)?;
            let corner = |at: usize| model["model"]["content"][at].as_f64().unwrap_or_default();
            (x, y) = (x + corner(0), y + corner(1));
            session = apart.parent;
        }
        Ok((x, y))
    }

    /// What a click at this point of the element's frame would reach instead of it.
    fn covered(&self, element: &Element, (x, y): (f64, f64)) -> Result<Option<String>> {
        let session = &element.frame.session;
        let Some(hit) = self.node_at(session, x, y)? else { return Ok(None) };
        if hit == element.backend {
            return Ok(None);
        }
        let place = crate::world::Place {
            session: session.clone(),
            frame: element.frame.id.clone(),
            backend: hit,
        };
        let Ok(hit) = self.at(&place) else { return Ok(None) };
        let arguments = json!([{"objectId": hit.object}]);
        let other = self.on(element, include_str!("js/reaches.js"), arguments)?;
        Ok(other.as_str().filter(|other| !other.is_empty()).map(str::to_owned))
    }

    fn node_at(&self, session: &str, x: f64, y: f64) -> Result<Option<i64>> {
        let point = json!({"x": x as i64, "y": y as i64, "includeUserAgentShadowDOM": false});
        let asked = self.cdp.send(Some(session), "DOM.getNodeForLocation", point);
        Ok(self.call_or_dialog(&asked).ok().flatten().and_then(|a| a["backendNodeId"].as_i64()))
    }

    /// What is at a point of the viewport.
    fn look_at(&self, x: f64, y: f64) -> Result<Option<Element>> {
        let metrics = self.call(&self.session, "Page.getLayoutMetrics", json!({}))?;
        let view = &metrics["cssLayoutViewport"];
        let side = |name: &str| view[name].as_f64().unwrap_or_default();
        let (width, height) = (side("clientWidth"), side("clientHeight"));
        if !(0.0..width).contains(&x) || !(0.0..height).contains(&y) {
            return Err(Error::coordinates_invalid(x, y, width, height));
        }
        let Some(backend) = self.node_at(&self.session, x, y)? else {
            return Ok(None);
        };
        let (session, frame) = (self.session.clone(), self.main.clone());
        // What is in a frame of its own cannot be held from here.
        Ok(self.at(&crate::world::Place { session, frame, backend }).ok())
    }

    fn point(&self, at: (f64, f64)) -> Result<()> {
        let moved = mouse(at, "mouseMoved", "none", 0);
        let asked = self.cdp.send(Some(&self.session), MOUSE, moved);
        self.call_or_dialog(&asked).map(drop)
    }

    fn press(&self, at: (f64, f64)) -> Result<()> {
        let event = |kind, button, buttons| mouse(at, kind, button, buttons);
        let (session, what) = (Some(self.session.as_str()), MOUSE);
        // A movement alone waits for the next frame, which a tab in the background seldom draws;
        // what follows it hurries it on.
        self.cdp.tell(session, what, event("mouseMoved", "none", 0));
        self.cdp.tell(session, what, event("mousePressed", "left", 1));
        let released = self.cdp.send(session, what, event("mouseReleased", "left", 0));
        // A dialog that opens meanwhile holds up the answer.
        self.call_or_dialog(&released).map(drop)
    }

    /// Answers the dialog that is open.
    pub(crate) fn answer_dialog(&self, accept: bool, text: Option<&str>) -> Result<Clicked> {
        let before = self.before()?;
        let Some(dialog) = self.tab(|tab| tab.dialog.take())? else {
            return Err(Error::no_dialog());
        };
        let mut params = json!({"accept": accept});
        if let Some(text) = text {
            params["promptText"] = text.into();
        }
        let what = "Page.handleJavaScriptDialog";
        self.cdp.call(Some(&dialog.session), what, params, self.patience)?;
        let mut says =
            vec![format!("{} the dialog", if accept { "accepted" } else { "dismissed" })];
        says.extend(self.outcome(&before)?);
        Ok(Clicked { at: None, hit: format!("the dialog ({})", dialog.kind), says })
    }

    /// Types into what has the focus; `files` are the paths that the text names, if it names files
    /// of the project. Gives what is said about it.
    pub(crate) fn type_text(
        &self,
        text: &str,
        replace: bool,
        files: impl FnOnce(&str) -> Result<Vec<PathBuf>>,
    ) -> Result<Vec<String>> {
        let dialog = self.tab(|tab| tab.dialog.clone())?;
        if dialog.is_some_and(|dialog| dialog.kind == "prompt") {
            return Ok(self.answer_dialog(true, Some(text))?.says);
        }
        self.must_work()?;
        let before = self.before()?;
        if let Some(chooser) = self.tab(|tab| tab.chooser.take())? {
            let files = files(text)?;
            self.give_files(&chooser.session, chooser.backend, &files)?;
            return Ok(vec![format!("gave it {}", fault::count(files.len(), "file"))]);
        }
        let field = self.field()?;
        let mut says = vec![format!("into {}", field.what)];
        match field.kind.as_str() {
            "file" => {
                let files = files(text)?;
                if files.len() > 1 && !field.several {
                    return Err(Error::type_failed("the field takes one file"));
                }
                let (session, backend) = (&field.element.frame.session, field.element.backend);
                self.give_files(session, backend, &files)?;
            }
            "select" => says.push(self.choose(&field, text)?),
            _ if field.set => {
                let set = include_str!("js/set.js");
                let form = self.on(&field.element, set, json!([{"value": text}]))?;
                if let Some(form) = form.as_str() {
                    let why =
                        format!("`{text}` is not of the form {form} that {} takes", field.what);
                    return Err(Error::type_failed(&why));
                }
                self.must_have_changed(&field, text)?;
            }
            kind => {
                if replace {
                    self.on(&field.element, include_str!("js/clear.js"), json!([]))?;
                }
                self.insert(&field, text, kind == "line", replace)?;
            }
        }
        let outcome = self.outcome(&before)?;
        if outcome.is_empty() && field.kind == "line" && text.contains('\n') {
            says.extend(self.blocked(&field.element, true));
        }
        says.extend(outcome);
        Ok(says)
    }

    /// Puts text where the caret is. In a field of one line, a line break is the key Enter and a tab
    /// the key Tab.
    fn insert(&self, field: &Field, text: &str, one_line: bool, replace: bool) -> Result<()> {
        let session = &field.element.frame.session;
        let keys = |c: char| one_line && (c == '\n' || c == '\t');
        let mut first = true;
        for part in text.split_inclusive(keys) {
            let words = part.trim_end_matches(keys);
            if !words.is_empty() || (first && replace) {
                let asked =
                    self.cdp.send(Some(session), "Input.insertText", json!({"text": words}));
                self.call_or_dialog(&asked)?;
            }
            if first && !words.is_empty() {
                self.must_have_changed(field, words)?;
            }
            first = false;
            match part.chars().last() {
                Some('\n') if one_line => self.key(session, "Enter", 13, "\r")?,
                Some('\t') if one_line => self.key(session, "Tab", 9, "")?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Refuses if a field holds neither the text nor anything else than before.
    fn must_have_changed(&self, field: &Field, text: &str) -> Result<()> {
        let Ok(after) = self.on(&field.element, include_str!("js/field.js"), json!([])) else {
            return Ok(()); // the page went elsewhere
        };
        let after = after["value"].as_str().unwrap_or_default();
        if after == field.value && !after.contains(text) && field.kind != "rich" {
            return Err(Error::type_failed("the field holds what it held before"));
        }
        Ok(())
    }

    fn key(&self, session: &str, key: &str, code: u32, text: &str) -> Result<()> {
        for kind in ["keyDown", "keyUp"] {
            let mut params = json!({
                "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code,
                "nativeVirtualKeyCode": code,
            });
            if kind == "keyDown" && !text.is_empty() {
                params["text"] = text.into();
            }
            let asked = self.cdp.send(Some(session), "Input.dispatchKeyEvent", params);
            if self.call_or_dialog(&asked)?.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// What has the focus.
    fn field(&self) -> Result<Field> {
        for frame in self.frames()? {
            let Ok(answer) = self.run(&frame, include_str!("js/focused.js"), json!([])) else {
                continue;
            };
            let Some(element) = self.hold(&frame, &answer)? else { continue };
            let about = self.on(&element, include_str!("js/field.js"), json!([]))?;
            let (kind, what) = (visible(&about["kind"]), visible(&about["what"]));
            if kind == "none" || kind == "fixed" {
                return Err(Error::not_editable(&what));
            }
            let value = about["value"].as_str().unwrap_or_default().to_owned();
            let (several, set) = (about["several"] == true, about["set"] == true);
            return Ok(Field { element, kind, what, value, several, set });
        }
        Err(Error::no_focused_element())
    }

    fn choose(&self, field: &Field, text: &str) -> Result<String> {
        let wanted = json!([{"value": text.trim()}]);
        let answer = self.on(&field.element, include_str!("js/choose.js"), wanted)?;
        if let Some(chosen) = answer["chosen"].as_str() {
            return Ok(format!("chose `{}`", fault::visible(chosen)));
        }
        if let Some(disabled) = answer["disabled"].as_str() {
            let why = format!("the option `{}` is disabled", fault::visible(disabled));
            return Err(Error::type_failed(&why));
        }
        let options = answer["options"].as_array().into_iter().flatten().map(visible);
        let options = options.collect::<Vec<_>>().join(", ");
        Err(Error::type_failed(&format!("no such option; there are {options}")))
    }

    fn give_files(&self, session: &str, backend: i64, files: &[PathBuf]) -> Result<()> {
        let files: Vec<_> = files.iter().map(|path| path.display().to_string()).collect();
        let params = json!({"backendNodeId": backend, "files": files});
        self.call(session, "DOM.setFileInputFiles", params).map(drop)
    }
}

const MOUSE: &str = "Input.dispatchMouseEvent";

fn mouse((x, y): (f64, f64), kind: &str, button: &str, buttons: u32) -> Value {
    json!({
        "type": kind, "x": x, "y": y, "button": button, "buttons": buttons,
        "clickCount": i32::from(kind != "mouseMoved"),
    })
}

pub(crate) fn visible(value: &Value) -> String {
    fault::visible(value.as_str().unwrap_or_default()).into_owned()
}

/// The middle of the first area that is not empty.
fn middle(quads: &Value) -> Option<(f64, f64)> {
    let quads = quads["quads"].as_array()?.iter();
    let corners = quads.filter_map(|quad| {
        let at: Vec<f64> = quad.as_array()?.iter().filter_map(Value::as_f64).collect();
        (at.len() == 8).then_some(at)
    });
    let area = |at: &Vec<f64>| {
        ((at[2] - at[0]).abs() + (at[3] - at[1]).abs())
            * ((at[6] - at[0]).abs() + (at[7] - at[1]).abs())
    };
    let quad = corners.into_iter().find(|at| area(at) > 0.5)?;
    let side = |from: usize| (quad[from] + quad[from + 2] + quad[from + 4] + quad[from + 6]) / 4.0;
    Some((side(0), side(1)))
}
