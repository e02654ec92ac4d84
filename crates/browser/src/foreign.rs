//! FloydChrome, an extension with tools of its own: their names and results as ours.
//!
//! Its two builds name their tools differently and give other fields than their documents say, so
//! names are learnt when it connects, and what is missing is asked for or left out.

use std::collections::HashMap;
use std::sync::Arc;

use fault::{Error, Result};
use serde_json::{Value, json};

use crate::act::{Click, Clicked};
use crate::cdp::{Cdp, Patience};
use crate::find::{Found, Query};
use crate::read::Wanted;
use crate::shot::{Of, Shot};
use crate::told::{Done, TabInfo};
use crate::tree::{self, Clickable, Node, Raw};
use crate::world::{Place, References};

/// What its tools are called, by what they do; the names of one build, then of the other.
const NAMES: &[(&str, &[&str])] = &[
    ("navigate", &["browser_navigate", "navigate"]),
    ("read", &["browser_read_page", "read_page"]),
    ("picture", &["browser_screenshot", "screenshot"]),
    ("click", &["browser_click", "click"]),
    ("type", &["browser_type", "type"]),
    ("tabs", &["browser_get_tabs", "get_tabs"]),
    ("create", &["tabs_create", "browser_create_tab"]),
];

/// Roles of what acts when it is clicked and takes no text.
const ACTING: &[&str] =
    &["button", "checkbox", "link", "menuitem", "option", "radio", "switch", "tab"];

/// The extension.
pub(crate) struct Foreign {
    cdp: Arc<Cdp>,
    names: Vec<String>,
}

impl Foreign {
    pub(crate) fn new(cdp: Arc<Cdp>, names: Vec<String>) -> Self {
        Self { cdp, names }
    }

    pub(crate) fn cdp(&self) -> &Cdp {
        &self.cdp
    }

    /// The names of its tools.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Calls the tool that does this, and gives its fields.
    fn call(&self, does: &str, arguments: Value, patience: Patience<'_>) -> Result<Value> {
        let known = NAMES.iter().find(|(name, _)| *name == does).map_or(&[][..], |(_, all)| all);
        let Some(name) = known.iter().find(|name| self.names.iter().any(|own| own == *name)) else {
            let why =
                "FloydChrome has no such tool; use Kitbag's extension or the built-in browser";
            return Err(Error::browser_refused(does, why));
        };
        let params = json!({"name": name, "arguments": arguments});
        let answer = self.cdp.call(None, "tools/call", params, patience)?;
        let text = answer["content"][0]["text"].as_str();
        let parsed = text.and_then(|text| serde_json::from_str::<Value>(text).ok());
        let mut fields = parsed.unwrap_or(answer);
        if fields["success"] == false {
            let why = fields["error"].as_str().unwrap_or("it failed");
            return Err(match why.to_lowercase() {
                why if why.contains("tab not found") || why.contains("no active tab") => {
                    Error::tab_not_found(arguments["tabId"].as_u64(), &[])
                }
                why if why.contains("element not found") || why.contains("not found") => {
                    Error::element_not_found(arguments["selector"].as_str().unwrap_or_default())
                }
                _ => Error::browser_refused(name, why),
            });
        }
        Ok(if fields["data"].is_object() { fields["data"].take() } else { fields })
    }

    pub(crate) fn tabs(&self, patience: Patience<'_>) -> Result<Vec<TabInfo>> {
        let answer = self.call("tabs", json!({}), patience)?;
        let shown = |value: &Value| fault::visible(value.as_str().unwrap_or_default()).into_owned();
        let all = answer["tabs"].as_array().into_iter().flatten();
        let tabs = all.filter_map(|tab| {
            Some(TabInfo {
                number: tab["id"].as_u64()?,
                url: shown(&tab["url"]),
                title: shown(&tab["title"]),
                active: tab["active"] == true,
            })
        });
        Ok(tabs.collect())
    }

    /// A result with what is known of its tab.
    fn done<T>(
        &self,
        answer: &Value,
        result: T,
        says: Vec<String>,
        patience: Patience<'_>,
    ) -> Result<Done<T>> {
        let tabs = self.tabs(patience)?;
        let number = answer["tabId"].as_u64();
        let tab = tabs.into_iter().find(|tab| number.map_or(tab.active, |n| n == tab.number));
        let (url, title) =
            tab.as_ref().map(|t| (t.url.clone(), t.title.clone())).unwrap_or_default();
        let tab = number.or(tab.map(|tab| tab.number)).unwrap_or_default();
        Ok(Done { tab, url, title, result, says, files: Vec::new() })
    }

    pub(crate) fn navigate(
        &self,
        url: &str,
        tab: Option<u64>,
        patience: Patience<'_>,
    ) -> Result<Done<bool>> {
        let answer = self.call("navigate", named(json!({"url": url}), tab), patience)?;
        let warning = answer["warning"].as_str().map(str::to_owned);
        let loaded = warning.is_none();
        self.done(&answer, loaded, warning.into_iter().collect(), patience)
    }

    pub(crate) fn create_tab(
        &self,
        url: Option<&str>,
        patience: Patience<'_>,
    ) -> Result<Done<bool>> {
        let arguments = url.map_or_else(|| json!({}), |url| json!({"url": url}));
        let answer = self.call("create", arguments, patience)?;
        self.done(&answer, true, Vec::new(), patience)
    }

    /// Neither build says that it closes tabs.
    pub(crate) fn close(&self, tab: u64, patience: Patience<'_>) -> Result<()> {
        self.call("close", named(json!({}), Some(tab)), patience).map(drop)
    }

    pub(crate) fn click(
        &self,
        click: Click<'_>,
        hover: bool,
        tab: Option<u64>,
        patience: Patience<'_>,
    ) -> Result<Done<Clicked>> {
        if hover {
            return Err(Error::invalid_input("hover", "FloydChrome only clicks"));
        }
        if let Click::Field(selector) = click {
            self.must_take_text(selector, tab, patience)?;
        }
        let arguments = match click {
            Click::Element(selector) | Click::Field(selector) => json!({"selector": selector}),
            Click::At(x, y) => json!({"x": x, "y": y}),
        };
        let answer = self.call("click", named(arguments, tab), patience)?;
        let at = answer["coordinates"].clone();
        let clicked = Clicked {
            at: at["x"].as_f64().zip(at["y"].as_f64()),
            hit: "not known".to_owned(),
            says: Vec::new(),
        };
        let says =
            vec!["FloydChrome does not say what a click brought about; read the page".into()];
        self.done(&answer, clicked, says, patience)
    }

    /// Refuses to click what acts and takes no text. An element that its tree does not tell is clicked.
    fn must_take_text(
        &self,
        selector: &str,
        tab: Option<u64>,
        patience: Patience<'_>,
    ) -> Result<()> {
        let (_, nodes) = self.tree(tab, patience)?;
        let mut acting = None;
        nodes.iter().for_each(|node| {
            node.each(&mut |node| {
                if node.attribute("ref") == Some(selector) && ACTING.contains(&&*node.role) {
                    acting = Some(format!("{} `{}`", node.role, node.name));
                }
            });
        });
        acting.map_or(Ok(()), |what| Err(Error::not_editable(&what)))
    }

    pub(crate) fn type_text(
        &self,
        text: &str,
        tab: Option<u64>,
        patience: Patience<'_>,
    ) -> Result<Done<()>> {
        let answer = self.call("type", named(json!({"text": text}), tab), patience)?;
        self.done(&answer, (), Vec::new(), patience)
    }

    pub(crate) fn picture(
        &self,
        of: Of<'_>,
        tab: Option<u64>,
        patience: Patience<'_>,
    ) -> Result<Done<Shot>> {
        let arguments = match of {
            Of::Viewport => json!({}),
            Of::Page => json!({"fullPage": true}),
            Of::Element(selector) => json!({"selector": selector}),
        };
        let answer = self.call("picture", named(arguments, tab), patience)?;
        let data = answer["dataUrl"].as_str().or(answer["imageData"].as_str()).unwrap_or_default();
        let data = data.split_once("base64,").map_or(data, |(_, data)| data);
        let shot = Shot::of_base64(data)?;
        self.done(&answer, shot, Vec::new(), patience)
    }

    pub(crate) fn read(
        &self,
        wanted: &Wanted<'_>,
        tab: Option<u64>,
        patience: Patience<'_>,
    ) -> Result<Done<Vec<Node>>> {
        if wanted.part.is_some() || wanted.changed {
            let why = "FloydChrome reads only whole pages";
            return Err(Error::invalid_input("part", why));
        }
        let (answer, mut nodes) = self.tree(tab, patience)?;
        let left_out = tree::bound(&mut nodes, &mut { wanted.bytes });
        let says = (left_out > 0).then(|| format!("{left_out} nodes are left out"));
        self.done(&answer, nodes, says.into_iter().collect(), patience)
    }

    pub(crate) fn find(
        &self,
        query: &str,
        tab: Option<u64>,
        patience: Patience<'_>,
    ) -> Result<Done<Vec<Found>>> {
        let (answer, nodes) = self.tree(tab, patience)?;
        let found =
            Query::of(query).best(&nodes, |node| Ok(node.attribute("ref").map(str::to_owned)))?;
        if found.is_empty() {
            return Err(Error::no_results(query));
        }
        self.done(&answer, found, Vec::new(), patience)
    }

    /// The tree of a page, with selectors as references where its document tells some.
    fn tree(&self, tab: Option<u64>, patience: Patience<'_>) -> Result<(Value, Vec<Node>)> {
        let mut answer = self.call("read", named(json!({}), tab), patience)?;
        let listed = ["accessibilityTree", "accessibility", "tree"].into_iter();
        let listed = listed.map(|name| &answer[name]).find(|tree| !tree.is_null());
        let nodes = listed.map(|tree| if tree["nodes"].is_array() { &tree["nodes"] } else { tree });
        let nodes = nodes.and_then(Value::as_array).cloned().unwrap_or_default();
        if nodes.is_empty() {
            return Err(Error::page_not_loaded(tab.unwrap_or_default(), "it has no content"));
        }
        let raw = Raw { session: String::new(), frame: String::new(), nodes, owner: None };
        let mut references = References::default();
        let mut nodes = tree::fold(&[raw], &Clickable::new(), &mut references, None);
        tree::finish(&mut nodes);
        let dom = ["domStructure", "dom"].into_iter().map(|name| answer[name].take());
        let dom = dom.into_iter().find(|dom| !dom.is_null()).unwrap_or_default();
        let selectors = selectors(&dom["nodes"]);
        rename(&mut nodes, &|number| {
            let place: Place = references.place(number)?;
            selectors.get(&place.backend).cloned()
        });
        Ok((answer, nodes))
    }
}

fn named(mut arguments: Value, tab: Option<u64>) -> Value {
    if let Some(tab) = tab {
        arguments["tabId"] = tab.into();
    }
    arguments
}

/// Puts selectors in the place of references.
fn rename(nodes: &mut [Node], selector: &dyn Fn(u64) -> Option<String>) {
    for node in nodes {
        let named = node.attribute("ref").and_then(crate::page::reference);
        node.attributes.retain(|(name, _)| *name != "ref");
        if let Some(selector) = named.and_then(selector) {
            node.attributes.push(("ref", selector));
        }
        rename(&mut node.children, selector);
    }
}

/// Selectors of elements that have an id or a name of their own, from a flattened document.
fn selectors(dom: &Value) -> HashMap<i64, String> {
    let mut all: HashMap<i64, String> = HashMap::new();
    let mut times: HashMap<String, usize> = HashMap::new();
    for node in dom.as_array().into_iter().flatten() {
        let attributes = node["attributes"].as_array().map_or(&[][..], Vec::as_slice);
        let value = |name: &str| {
            let pair = attributes.chunks(2).find(|pair| pair[0] == name)?;
            pair.get(1)?.as_str().filter(|v| !v.is_empty())
        };
        let plain = |text: &&str| text.chars().all(|c| c.is_alphanumeric() || "-_".contains(c));
        let tag = node["nodeName"].as_str().unwrap_or_default().to_lowercase();
        let id = value("id").filter(plain).filter(|id| !id.starts_with(|c: char| c.is_numeric()));
        let name = value("name").filter(plain);
        let selector =
            id.map(|id| format!("#{id}")).or_else(|| name.map(|n| format!("{tag}[name=\"{n}\"]")));
        if let Some((selector, backend)) = selector.zip(node["backendNodeId"].as_i64()) {
            *times.entry(selector.clone()).or_default() += 1;
            all.insert(backend, selector);
        }
    }
    all.retain(|_, selector| times.get(selector) == Some(&1));
    all
}
