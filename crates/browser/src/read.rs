//! Reading a page, and finding elements in it by what they are called.

use std::collections::HashSet;

use fault::{Error, Result};
use serde_json::{Value, json};

use crate::find::{Found, Query};
use crate::page::{Frame, Page};
use crate::tree::{self, Clickable, Node, Raw, Seen};
use crate::world::Place;

/// What of a page is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'a> {
    /// The part that begins at this element.
    pub part: Option<&'a str>,
    /// What is not as it was when the page was read before.
    pub changed: bool,
    /// Most bytes.
    pub bytes: usize,
}

/// A tree, and what is to be said about it.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    pub(crate) nodes: Vec<Node>,
    pub(crate) says: Vec<String>,
}

impl Page<'_> {
    /// The tree of the page or of a part of it.
    pub(crate) fn read(&self, wanted: &Wanted<'_>) -> Result<Reading> {
        if let Some(dialog) = self.tab(|tab| tab.dialog.clone())? {
            return Ok(Reading { nodes: vec![of_dialog(&dialog)], says: vec![dialog.to_string()] });
        }
        let part = wanted.part.map(|part| self.element(part)).transpose()?.map(|element| Place {
            session: element.frame.session.clone(),
            frame: element.frame.id.clone(),
            backend: element.backend,
        });
        let mut nodes = self.fold(part.as_ref())?;
        let mut says = Vec::new();
        let seen = Seen::of(&nodes);
        if wanted.changed && part.is_none() {
            match self.tab(|tab| tab.seen.take())? {
                Some(old) => {
                    let (new, gone) = old.compare(nodes);
                    nodes = new;
                    if nodes.is_empty() && gone.is_empty() {
                        says.push("nothing changed since the page was read".to_owned());
                    }
                    says.extend(of_gone(&gone));
                }
                None => says.push("this page was not read before, so all of it is new".to_owned()),
            }
        }
        if part.is_none() {
            self.tab(|tab| tab.seen = Some(seen))?;
        }
        let mut most = wanted.bytes;
        let left_out = tree::bound(&mut nodes, &mut most);
        if left_out > 0 {
            says.push(format!(
                "{left_out} nodes are left out; read a part by the selector or reference of what \
                 holds it, or find what you look for"
            ));
        }
        says.extend(self.tab(|tab| tab.loads_data())?);
        Ok(Reading { nodes, says })
    }

    fn fold(&self, part: Option<&Place>) -> Result<Vec<Node>> {
        self.must_work()?;
        // Everything is asked for at once: the browser works while the frames are listed.
        let snapshot = json!({"computedStyles": ["cursor"]});
        let send = |session: &str, what, params| self.cdp.send(Some(session), what, params);
        let main = send(&self.session, "Accessibility.getFullAXTree", json!({}));
        let clickable = send(&self.session, "DOMSnapshot.captureSnapshot", snapshot.clone());
        let frames = self.frames()?;
        let mut asked = Vec::new();
        for frame in frames.iter().skip(1) {
            let params = json!({"frameId": frame.id});
            let owner = frame
                .parent
                .as_ref()
                .map(|parent| (parent.clone(), send(parent, "DOM.getFrameOwner", params.clone())));
            let tree = send(&frame.session, "Accessibility.getFullAXTree", params);
            asked.push((frame, owner, tree));
        }
        let of_session: Vec<_> = frames
            .iter()
            .map(|frame| &frame.session)
            .filter(|session| **session != self.session)
            .collect::<HashSet<_>>()
            .into_iter()
            .map(|s| (s, send(s, "DOMSnapshot.captureSnapshot", snapshot.clone())))
            .collect();
        let Some(first) = frames.first() else {
            return Err(Error::page_not_loaded(self.number, "it shows nothing"));
        };
        let mut raws = vec![self.raw(first, None, &main)?];
        for (frame, owner, tree) in asked {
            let owner = owner.and_then(|(parent, asked)| {
                let answer = self.call_or_dialog(&asked).ok()??;
                Some((parent, answer["backendNodeId"].as_i64()?))
            });
            // A frame that went meanwhile is left out.
            raws.extend(self.raw(frame, owner, &tree).ok());
        }
        let mut takes_clicks = Clickable::new();
        let first = (&self.session, clickable);
        for (session, asked) in std::iter::once(first).chain(of_session) {
            if let Ok(Some(answer)) = self.call_or_dialog(&asked) {
                clicks(session, &answer, &mut takes_clicks);
            }
        }
        let mut nodes =
            self.tab(|tab| tree::fold(&raws, &takes_clicks, &mut tab.references, part))?;
        tree::finish(&mut nodes);
        Ok(nodes)
    }

    fn raw(
        &self,
        frame: &Frame,
        owner: Option<(String, i64)>,
        asked: &crate::cdp::Asked,
    ) -> Result<Raw> {
        let mut answer = self.call_or_dialog(asked)?.unwrap_or_default();
        let Value::Array(nodes) = answer["nodes"].take() else {
            self.must_work()?;
            return Err(Error::page_not_loaded(self.number, "it has no content"));
        };
        Ok(Raw { session: frame.session.clone(), frame: frame.id.clone(), nodes, owner })
    }

    /// The elements that a description fits, the best first.
    ///
    /// # Errors
    /// `NoResults`.
    pub(crate) fn find(&self, query: &str) -> Result<Vec<Found>> {
        let nodes = self.fold(None)?;
        let found = Query::of(query).best(&nodes, |node| self.selector(node))?;
        if found.is_empty() { Err(Error::no_results(query)) } else { Ok(found) }
    }

    /// A selector that fits a node alone, or its reference where no selector reaches it.
    fn selector(&self, node: &Node) -> Result<Option<String>> {
        let Some(named) = node.attribute("ref") else { return Ok(None) };
        let place = crate::page::reference(named)
            .map(|number| self.tab(|tab| tab.references.place(number)))
            .transpose()?
            .flatten();
        let Some(place) = place else { return Ok(None) };
        if place.session != self.session || place.frame != self.main {
            return Ok(Some(named.to_owned()));
        }
        let Ok(element) = self.at(&place) else { return Ok(None) };
        let path = self.on(&element, include_str!("js/path.js"), json!([]))?;
        let path = path.as_str().filter(|path| !path.is_empty() && path.len() < 500);
        Ok(Some(path.unwrap_or(named).to_owned()))
    }
}

/// The elements that take clicks by a listener or a cursor, without those inside of one that has
/// the same cursor.
fn clicks(session: &str, snapshot: &Value, into: &mut Clickable) {
    let strings = &snapshot["strings"];
    let pointer = strings.as_array().and_then(|all| all.iter().position(|one| one == "pointer"));
    for document in snapshot["documents"].as_array().into_iter().flatten() {
        let nodes = &document["nodes"];
        let backend = |at: usize| nodes["backendNodeId"][at].as_i64();
        let parent = |at: usize| nodes["parentIndex"][at].as_u64().map(|at| at as usize);
        let layout = &document["layout"];
        let laid_out = layout["nodeIndex"].as_array().into_iter().flatten();
        let styles = laid_out.zip(layout["styles"].as_array().into_iter().flatten());
        let points =
            |style: &Value| pointer.is_some() && style[0].as_u64() == pointer.map(|p| p as u64);
        let pointing: HashSet<usize> = styles
            .filter(|(_, style)| points(style))
            .filter_map(|(at, _)| Some(at.as_u64()? as usize))
            .collect();
        let listening = nodes["isClickable"]["index"].as_array().into_iter().flatten();
        let listening = listening.filter_map(|at| Some(at.as_u64()? as usize));
        let outer = pointing
            .iter()
            .copied()
            .filter(|at| parent(*at).is_none_or(|parent| !pointing.contains(&parent)));
        // Text nodes have the cursor of what they stand in; a listener of the whole document says
        // nothing.
        let is_element = |at: &usize| nodes["nodeType"][*at] == 1;
        let is_whole = |at: &usize| {
            let name = nodes["nodeName"][*at].as_u64().map(|at| &strings[at as usize]);
            name.is_some_and(|name| name == "BODY" || name == "HTML")
        };
        let all = outer.chain(listening).filter(|at| is_element(at) && !is_whole(at));
        into.extend(all.filter_map(backend).map(|backend| (session.to_owned(), backend)));
    }
}

fn of_dialog(dialog: &crate::world::Dialog) -> Node {
    let button = |name: &str, reference: &str| Node {
        role: "button".to_owned(),
        name: name.to_owned(),
        attributes: vec![("ref", reference.to_owned())],
        ..Node::default()
    };
    let mut children = vec![button("OK", "dialog=accept")];
    if dialog.kind != "alert" {
        children.push(button("Cancel", "dialog=dismiss"));
    }
    let name = fault::cut(&fault::visible(&dialog.text), 1000).into_owned();
    Node { role: "alertdialog".to_owned(), name, children, ..Node::default() }
}

fn of_gone(gone: &[String]) -> Option<String> {
    let first = gone.iter().take(20).cloned().collect::<Vec<_>>().join(", ");
    let more = gone.len().saturating_sub(20);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!gone.is_empty()).then(|| format!("gone: {first}{more}"))
}
