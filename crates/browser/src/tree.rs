//! A page as people who do not see it get it told: roles, names and states, without what only lays
//! it out, and with a reference for whatever can be operated.

mod roles;
mod seen;

use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash as _, Hasher as _};

use fault::{cut, visible};
use serde_json::Value;

use crate::world::{Place, References};

pub(crate) use seen::Seen;

use roles::{NAMED_BY_CONTENT, OPERABLE, STRUCTURE, TRANSPARENT};

/// A part of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// What it is: `button`, `link`, `text`.
    pub role: String,
    /// What it is called.
    pub name: String,
    /// States, and `ref` for what can be operated.
    pub attributes: Vec<(&'static str, String)>,
    /// What is in it.
    pub children: Vec<Node>,
    /// The element of the browser, as long as it is the same.
    pub(crate) identity: Option<i64>,
}

/// Deepest nesting that is followed; pages nest some dozens deep.
const DEEPEST: usize = 300;

/// Most bytes of one name or value.
const LONGEST: usize = 1000;

/// What was read of one frame.
#[derive(Debug)]
pub(crate) struct Raw {
    pub(crate) session: String,
    pub(crate) frame: String,
    /// The nodes as the browser lists them.
    pub(crate) nodes: Vec<Value>,
    /// The element that holds the frame; none for the main one.
    pub(crate) owner: Option<(String, i64)>,
}

/// Elements, by session and number, that take clicks without a role that says so.
pub(crate) type Clickable = HashSet<(String, i64)>;

struct Fold<'a> {
    frames: &'a [Raw],
    clickable: &'a Clickable,
    references: &'a mut References,
    /// Nodes by frame and id.
    nodes: Vec<HashMap<&'a str, &'a Value>>,
    /// Names of the controls, which their labels repeat.
    controls: HashSet<String>,
}

/// The tree of a page, or of the part that begins at `part`.
pub(crate) fn fold(
    frames: &[Raw],
    clickable: &Clickable,
    references: &mut References,
    part: Option<&Place>,
) -> Vec<Node> {
    let index = |raw: &'_ Raw| -> HashMap<_, _> { HashMap::with_capacity(raw.nodes.len()) };
    let mut nodes: Vec<HashMap<&str, &Value>> = frames.iter().map(index).collect();
    let mut controls = HashSet::new();
    for (raw, index) in frames.iter().zip(&mut nodes) {
        for node in &raw.nodes {
            index.insert(node["nodeId"].as_str().unwrap_or_default(), node);
            if OPERABLE.contains(&role(node).as_str()) {
                controls.insert(squash(name(node)));
            }
        }
    }
    let mut fold = Fold { frames, clickable, references, nodes, controls };
    let start = match part {
        Some(place) => frames.iter().enumerate().find_map(|(at, raw)| {
            let is_it = |node: &&Value| node["backendDOMNodeId"] == place.backend;
            let found = raw.nodes.iter().find(is_it).filter(|_| raw.session == place.session)?;
            Some((at, found))
        }),
        None => frames.first().and_then(|raw| Some((0, raw.nodes.first()?))),
    };
    start.map(|(at, node)| joined(fold.node(at, node, 0))).unwrap_or_default()
}

fn role(node: &Value) -> String {
    let role = node["role"]["value"].as_str().unwrap_or_default().to_ascii_lowercase();
    if node["ignored"] == true { "ignored".to_owned() } else { role }
}

fn name(node: &Value) -> &str {
    node["name"]["value"].as_str().unwrap_or_default()
}

/// A text as one line, with what cannot be seen written out.
fn line(text: &str) -> String {
    let text = squash(text);
    cut(&visible(&text), LONGEST).into_owned()
}

fn squash(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn property<'a>(node: &'a Value, name: &str) -> &'a Value {
    let all = node["properties"].as_array();
    let found = all.into_iter().flatten().find(|one| one["name"] == name);
    found.map_or(&Value::Null, |one| &one["value"]["value"])
}

impl Fold<'_> {
    fn node(&mut self, frame: usize, node: &Value, depth: usize) -> Vec<Node> {
        let role = role(node);
        if matches!(role.as_str(), "inlinetextbox" | "linebreak" | "listmarker") || depth > DEEPEST
        {
            return Vec::new();
        }
        if role == "statictext" {
            let name = line(name(node));
            let identity = node["backendDOMNodeId"].as_i64();
            let text = Node { role: "text".to_owned(), name, identity, ..Node::default() };
            return if text.name.is_empty() { Vec::new() } else { vec![text] };
        }
        let raw = &self.frames[frame];
        let backend = node["backendDOMNodeId"].as_i64();
        let key = backend.map(|backend| (raw.session.clone(), backend));
        let place = |(session, backend): (String, i64)| Place {
            session,
            frame: raw.frame.clone(),
            backend,
        };
        // A label takes clicks for its control.
        let clickable =
            role != "labeltext" && key.as_ref().is_some_and(|key| self.clickable.contains(key));
        let editable =
            property(node, "editable").is_string() && property(node, "focusable") == true;
        let operable =
            OPERABLE.contains(&role.as_str()) || clickable || (editable && role != "rootwebarea");
        let mut children = self.children(frame, node, key.as_ref(), depth);
        if TRANSPARENT.contains(&role.as_str()) && !operable {
            if role == "labeltext" && self.repeats(&children) {
                children.retain(|child| child.role != "text");
            }
            return as_block(&role, children);
        }
        let name = own_name(&role, node);
        let mut own = Node { name, children, identity: backend, ..Node::default() };
        own.role = if TRANSPARENT.contains(&role.as_str()) { "generic".into() } else { role };
        own.tidy();
        if !operable && STRUCTURE.contains(&own.role.as_str()) && own.name.is_empty() {
            match own.children.len() {
                0 => return Vec::new(),
                1 => return own.children,
                _ => {}
            }
        }
        own.states(node);
        if let Some(key) = key.filter(|_| operable) {
            let number = self.references.number(&place(key));
            own.attributes.push(("ref", format!("e{number}")));
        }
        vec![own]
    }

    fn children(
        &mut self,
        frame: usize,
        node: &Value,
        key: Option<&(String, i64)>,
        depth: usize,
    ) -> Vec<Node> {
        let inner =
            key.and_then(|key| self.frames.iter().position(|raw| raw.owner.as_ref() == Some(key)));
        if let Some(inner) = inner.filter(|inner| *inner != frame) {
            let root = self.frames[inner].nodes.first();
            return root.map(|root| joined(self.node(inner, root, depth + 1))).unwrap_or_default();
        }
        let ids = node["childIds"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let mut children = Vec::new();
        for id in ids {
            if let Some(child) = self.nodes[frame].get(id).copied() {
                children.extend(self.node(frame, child, depth + 1));
            }
        }
        joined(children)
    }

    /// Whether texts only say again what a control is called.
    fn repeats(&self, children: &[Node]) -> bool {
        let texts = children.iter().filter(|child| child.role == "text");
        texts.into_iter().all(|text| self.controls.contains(&squash(&text.name)))
    }
}

/// What stands in a block of its own does not run together with the text beside it.
fn as_block(role: &str, children: Vec<Node>) -> Vec<Node> {
    let block = matches!(role, "paragraph" | "listitem" | "section" | "generic" | "labeltext");
    let Some(last) = children.len().checked_sub(1).filter(|_| block) else { return children };
    let mut children = joined(children);
    let last = last.min(children.len() - 1);
    if children[last].role == "text" {
        children[last].attributes.push(("block", String::new()));
    }
    children
}

/// Texts that follow each other in one block as one.
fn joined(nodes: Vec<Node>) -> Vec<Node> {
    let mut out: Vec<Node> = Vec::with_capacity(nodes.len());
    for node in nodes {
        match out.last_mut() {
            Some(last)
                if last.role == "text" && node.role == "text" && last.attributes.is_empty() =>
            {
                last.name = format!("{} {}", last.name, node.name);
                last.attributes = node.attributes;
            }
            _ => out.push(node),
        }
    }
    out
}

fn own_name(role: &str, node: &Value) -> String {
    // The name of a row is that of all its cells.
    if role == "row" { String::new() } else { line(name(node)) }
}

impl Node {
    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(n, _)| *n == name).map(|(_, value)| value.as_str())
    }

    /// Leaves out what is said twice.
    fn tidy(&mut self) {
        let by_content = NAMED_BY_CONTENT.contains(&self.role.as_str());
        if by_content && !self.name.is_empty() {
            self.children.retain(Self::has_operable);
        }
        if matches!(self.role.as_str(), "combobox" | "listbox") {
            // Also those in groups.
            let mut options = Vec::new();
            let mut note = |node: &Self| match (node.role.as_str(), node.attribute("disabled")) {
                ("option", Some(_)) => options.push(format!("{} (disabled)", node.name)),
                ("option", None) => options.push(node.name.clone()),
                _ => {}
            };
            self.children.iter().for_each(|child| child.each(&mut note));
            if self.role == "combobox" && !options.is_empty() {
                self.children.clear();
                self.attributes.push(("options", cut(&options.join(" | "), LONGEST).into_owned()));
            }
        }
        if matches!(self.role.as_str(), "textbox" | "searchbox" | "spinbutton") {
            self.children.retain(|child| child.role != "text");
        }
        let texts = !self.children.is_empty() && self.children.iter().all(|c| c.role == "text");
        if texts {
            let said = self.children.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(" ");
            if self.name.is_empty() {
                self.name = said;
                self.children.clear();
            } else if squash(&self.name) == squash(&said) {
                self.children.clear();
            }
        }
    }

    fn has_operable(&self) -> bool {
        self.attribute("ref").is_some() || self.children.iter().any(Self::has_operable)
    }

    fn states(&mut self, node: &Value) {
        let mut say = |name: &'static str, value: String| {
            if !value.is_empty() {
                self.attributes.push((name, value));
            }
        };
        let plain = |value: &Value| match value {
            Value::String(text) => line(text),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        let value = plain(&node["value"]["value"]);
        if value != self.name {
            say("value", value);
        }
        let described = plain(&node["description"]["value"]);
        if described != self.name {
            say("description", described);
        }
        for state in ["checked", "pressed", "expanded", "level"] {
            say(state, plain(property(node, state)));
        }
        for state in ["selected", "disabled", "required", "readonly", "focused", "modal"] {
            if property(node, state) == true {
                say(state, "true".to_owned());
            }
        }
        let invalid = plain(property(node, "invalid"));
        if invalid != "false" {
            say("invalid", invalid);
        }
    }

    fn key(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.role, &self.name, &self.attributes).hash(&mut hasher);
        hasher.finish()
    }

    /// About how many bytes it takes by itself, as JSON.
    fn size(&self) -> usize {
        let attributes = self.attributes.iter().map(|(n, v)| n.len() + v.len() + 6);
        self.role.len() + self.name.len() + 40 + attributes.sum::<usize>()
    }

    fn count(&self) -> usize {
        1 + self.children.iter().map(Self::count).sum::<usize>()
    }

    /// Every node, the outer ones first.
    pub(crate) fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a Self)) {
        visit(self);
        self.children.iter().for_each(|child| child.each(visit));
    }
}

/// Drops the marks of blocks, which only the folding needs.
pub(crate) fn finish(nodes: &mut [Node]) {
    for node in nodes {
        node.attributes.retain(|(name, _)| *name != "block");
        finish(&mut node.children);
    }
}

/// Takes what fits into `most` bytes from the front, and gives how many nodes were left out.
pub(crate) fn bound(nodes: &mut Vec<Node>, most: &mut usize) -> usize {
    let mut left_out = 0;
    let mut at = 0;
    while at < nodes.len() {
        let Some(rest) = most.checked_sub(nodes[at].size()) else {
            left_out += nodes.drain(at..).map(|node| node.count()).sum::<usize>();
            break;
        };
        *most = rest;
        left_out += bound(&mut nodes[at].children, most);
        at += 1;
    }
    left_out
}
