//! Floyd `browser_read_page`.

use std::collections::BTreeMap;

use browser::{Node, Wanted};

use crate::browser::{IN_TAB, UNTRUSTED};
use crate::prelude::*;

/// Read the page as a tree of roles and names, frames included. What can be operated has attributes.ref, such as e12, which browser_click takes as selector. With part, a selector or reference, only that part is read; with changed: true only what is new since the last reading.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BrowserReadPage {
    /// Number of a tab
    tab_id: Option<u64>,
    #[schemars(skip)]
    #[serde(alias = "selector")]
    part: Option<String>,
    #[serde(default)]
    #[schemars(skip)]
    changed: bool,
}

/// The page.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// The tab
    tab_id: u64,
    /// Where it is
    url: String,
    /// Title of the page, in its own words
    title: String,
    /// How to take what the page says
    untrusted: &'static str,
    /// Parts of the page: role, name, attributes and children, which are such parts
    tree: Vec<Part>,
    /// What else is to be known
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// A part of a page.
#[derive(Serialize, JsonSchema)]
struct Part {
    /// What it is: button, link, text
    role: String,
    /// What it is called
    name: String,
    /// States, and ref
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    attributes: BTreeMap<&'static str, String>,
    /// What is in it
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<toolkit::serde_json::Value>")]
    children: Vec<Part>,
}

impl From<Node> for Part {
    fn from(node: Node) -> Self {
        Self {
            role: node.role,
            name: node.name,
            attributes: node.attributes.into_iter().collect(),
            children: node.children.into_iter().map(Self::from).collect(),
        }
    }
}

impl Tool for BrowserReadPage {
    type Output = Output;

    const SPEC: Spec = Spec::new("browser_read_page", "Read the page", Category::Browser)
        .effect(Effect::CONNECTS, Permission::Moderate)
        .errors(&[IN_TAB, &[Code::ElementNotFound]])
        .examples(&[
            Example::of("No page was opened yet").fails(
                Code::TabNotFound,
                r#"{"error": "no tab to use; none is open; navigate to a page first"}"#,
            ),
            Example::of("There is no such tab")
                .call(r#"{"tabId": 7}"#)
                .fails(Code::TabNotFound, r#"{"error": "tabId: no tab 7; none is open; [..]"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        // The fields around the tree take some hundred bytes.
        let bytes = cx.result_bytes().saturating_sub(1000);
        let wanted = Wanted { part: self.part.as_deref(), changed: self.changed, bytes };
        let done = cx.browse(|browser, with| browser.read(with, self.tab_id, &wanted))?;
        Ok(Output {
            tab_id: done.tab,
            url: done.url,
            title: done.title,
            untrusted: UNTRUSTED,
            tree: done.result.into_iter().map(Part::from).collect(),
            note: joined(&done.says),
        })
    }
}
