//! What a page was when it was read, to tell what changed since.

use std::collections::{HashMap, HashSet};

use fault::cut;

use super::Node;

/// What a page was when it was read.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// What the nodes are, with their states.
    keys: HashSet<u64>,
    /// The elements, and what they are called in a message.
    elements: HashMap<i64, String>,
}

impl Seen {
    pub(crate) fn of(nodes: &[Node]) -> Self {
        let mut seen = Self::default();
        let mut note = |node: &Node| {
            seen.keys.insert(node.key());
            let says = format!("{} `{}`", node.role, cut(&node.name, 60));
            seen.elements.extend(node.identity.map(|identity| (identity, says)));
        };
        nodes.iter().for_each(|node| node.each(&mut note));
        seen
    }

    /// What of `nodes` was not there, in what holds it, and what is there no more. An element that has
    /// another name or state is still there, and so is one whose place an equal one took.
    pub(crate) fn compare(&self, nodes: Vec<Node>) -> (Vec<Node>, Vec<String>) {
        let now = Self::of(&nodes);
        let mut new: Vec<&String> = now.missing_in(self);
        let mut gone = self.missing_in(&now);
        gone.retain(|says| match new.iter().position(|other| other == says) {
            Some(at) => {
                new.swap_remove(at);
                false
            }
            None => true,
        });
        gone.sort();
        let gone = gone.into_iter().cloned().collect();
        (nodes.into_iter().filter_map(|node| self.differing(node)).collect(), gone)
    }

    fn missing_in<'a>(&'a self, other: &Self) -> Vec<&'a String> {
        let missing = self.elements.iter().filter(|(id, _)| !other.elements.contains_key(id));
        missing.map(|(_, says)| says).collect()
    }

    fn differing(&self, mut node: Node) -> Option<Node> {
        let new = !self.keys.contains(&node.key());
        node.children = node.children.into_iter().filter_map(|c| self.differing(c)).collect();
        (new || !node.children.is_empty()).then_some(node)
    }
}
