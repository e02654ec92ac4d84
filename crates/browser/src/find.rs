//! Finding elements by what they are and what they are called.

use fault::Result;

use crate::tree::Node;

/// An element that fits a description.
#[derive(Clone, Debug)]
pub struct Found {
    /// What clicks and pictures take.
    pub selector: String,
    /// What it is.
    pub role: String,
    /// What it is called.
    pub name: String,
    /// How well it fits, from 0 to 1.
    pub score: f64,
}

/// Most elements that are found.
const MOST_FOUND: usize = 10;

/// The worst fit that is told.
const WORST: f64 = 0.3;

/// Words that say nothing about an element.
const EMPTY_WORDS: &[&str] =
    &["the", "a", "an", "of", "to", "for", "in", "on", "at", "with", "my", "this", "that", "named"];

/// Words for roles, and the roles that they may mean.
const ROLE_WORDS: &[(&str, &[&str])] = &[
    ("button", &["button", "togglebutton", "popupbutton", "generic"]),
    ("link", &["link"]),
    ("field", &["textbox", "searchbox", "spinbutton", "combobox", "date", "inputtime"]),
    ("input", &["textbox", "searchbox", "spinbutton", "combobox", "date", "inputtime"]),
    ("box", &["textbox", "searchbox", "checkbox", "combobox"]),
    ("textbox", &["textbox", "searchbox"]),
    ("text", &["textbox", "text", "paragraph"]),
    ("checkbox", &["checkbox", "switch"]),
    ("radio", &["radio"]),
    ("select", &["combobox", "listbox", "popupbutton"]),
    ("dropdown", &["combobox", "listbox", "popupbutton", "button"]),
    ("menu", &["menu", "menuitem", "combobox", "navigation"]),
    ("option", &["option"]),
    ("heading", &["heading"]),
    ("title", &["heading"]),
    ("image", &["image"]),
    ("picture", &["image"]),
    ("tab", &["tab"]),
    ("table", &["table", "grid"]),
    ("dialog", &["dialog", "alertdialog"]),
    ("slider", &["slider"]),
];

/// A description of an element.
pub(crate) struct Query {
    roles: Vec<&'static str>,
    /// All words, and those that are not for a role.
    whole: String,
    words: Vec<String>,
}

impl Query {
    pub(crate) fn of(text: &str) -> Self {
        let all: Vec<String> = words(text);
        let mut roles = Vec::new();
        let mut rest = Vec::new();
        for word in &all {
            let means = ROLE_WORDS.iter().find(|(name, _)| name == word);
            match means {
                Some((_, means)) => roles.extend(means.iter().copied()),
                None if EMPTY_WORDS.contains(&word.as_str()) => {}
                None => rest.push(word.clone()),
            }
        }
        Self { roles, whole: all.join(" "), words: rest }
    }

    /// The nodes that fit, the best first, with what `selector` gives for each.
    pub(crate) fn best(
        &self,
        nodes: &[Node],
        mut selector: impl FnMut(&Node) -> Result<Option<String>>,
    ) -> Result<Vec<Found>> {
        let mut fits: Vec<(f64, &Node)> = Vec::new();
        let mut look = |node| {
            let score = self.score(node);
            if score >= WORST {
                fits.push((score, node));
            }
        };
        nodes.iter().for_each(|node| node.each(&mut look));
        fits.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        let mut found = Vec::new();
        for (score, node) in fits {
            if found.len() == MOST_FOUND {
                break;
            }
            let Some(selector) = selector(node)? else { continue };
            let (role, name) = (node.role.clone(), node.name.clone());
            found.push(Found { selector, role, name, score: (score * 100.0).round() / 100.0 });
        }
        Ok(found)
    }

    /// How well a node fits, from 0 to 1. Only what has a reference can be worked with.
    fn score(&self, node: &Node) -> f64 {
        if node.attribute("ref").is_none() {
            return 0.0;
        }
        let role = self.roles.contains(&node.role.as_str());
        let described = ["description", "value", "options"].into_iter();
        let beside: String =
            described.filter_map(|name| node.attribute(name)).collect::<Vec<_>>().join(" ");
        let name = words(&node.name);
        if !self.whole.is_empty() && name.join(" ") == self.whole {
            return if role || self.roles.is_empty() { 1.0 } else { 0.97 };
        }
        if self.words.is_empty() {
            return if role { 0.6 } else { 0.0 };
        }
        let text = fit(&self.words, &name).max(0.7 * fit(&self.words, &words(&beside)));
        match (self.roles.is_empty(), role) {
            (true, _) => text * 0.95,
            (false, true) => {
                if text > 0.0 {
                    0.3 + 0.69 * text
                } else {
                    0.2
                }
            }
            (false, false) => text * 0.75,
        }
    }
}

/// How much of `wanted` is in `given`, and how little else.
fn fit(wanted: &[String], given: &[String]) -> f64 {
    if given.is_empty() {
        return 0.0;
    }
    let best = |word: &String| {
        let each = given.iter().map(|other| {
            if other == word {
                1.0
            } else if word.len() >= 3
                && (other.starts_with(word.as_str())
                    || word.starts_with(other.as_str()) && other.len() >= 3)
            {
                0.7
            } else {
                0.0
            }
        });
        each.fold(0.0, f64::max)
    };
    let found: f64 = wanted.iter().map(best).sum::<f64>() / wanted.len() as f64;
    let extra = given.len().saturating_sub(wanted.len()) as f64;
    found * (1.0 - 0.3 * (extra / (extra + 4.0)))
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}
