//! The patterns of a query file, and the walk that finds what they match.
//!
//! They are written as queries of tree-sitter and mean the same. Its own queries are analysed
//! against all states of the parser before their first use, which takes a tenth of a second for
//! some languages; reading them as they are takes less than a millisecond.

use std::collections::HashMap;
use std::num::NonZeroU16;

use regex::bytes::Regex;
use tree_sitter::{Language, Node, Tree};

use crate::grammar::Capture;

mod read;

/// Steps of a walk between two questions whether to go on.
const STEPS: usize = 1024;

/// Some patterns of a query file.
#[derive(Default)]
pub(crate) struct Patterns {
    all: Vec<Pattern>,
    /// Those that a node of a kind can match, by number, in order.
    roots: HashMap<u16, Vec<usize>>,
}

/// What a node is to look like.
#[derive(Clone)]
struct Pattern {
    /// Its place in the file.
    number: usize,
    /// One of these.
    nodes: Vec<Shape>,
    conditions: Vec<Condition>,
}

#[derive(Clone)]
struct Shape {
    kind: Kind,
    /// By their numbers in the file.
    captures: Vec<usize>,
    /// Fields that it must not have.
    without: Vec<NonZeroU16>,
    /// In this order, with others between them.
    children: Vec<Child>,
    /// No named node comes after the last child.
    is_last: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Any,
    AnyNamed,
    /// As the grammar numbers it.
    Only(u16),
}

#[derive(Clone)]
struct Child {
    /// One of these.
    nodes: Vec<Shape>,
    field: Option<NonZeroU16>,
    /// No named node comes between it and what is before.
    is_next: bool,
}

/// What the text of a capture must be.
#[derive(Clone)]
struct Condition {
    capture: usize,
    text: Text,
}

#[derive(Clone)]
enum Text {
    OneOf(Vec<String>),
    Like(Regex),
}

/// What matches a pattern.
pub(crate) struct Match<'m, 't> {
    /// The place of the pattern in its file.
    pub(crate) pattern: usize,
    pub(crate) captures: &'m [(Capture, Node<'t>)],
}

impl Patterns {
    /// The patterns of a query file: those of definitions, of references, and of what is bound.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub(crate) fn read(text: &str, language: &Language) -> Result<([Self; 3], Captures), String> {
        let (patterns, names) = read::patterns(text, language)?;
        let captures = Captures(names.iter().map(|name| Capture::new(name)).collect());
        let mut parts = [Self::default(), Self::default(), Self::default()];
        for pattern in patterns {
            let part = pattern.nodes.iter().map(|node| node.part(&captures)).max();
            parts[part.unwrap_or_default()].add(pattern)?;
        }
        Ok((parts, captures))
    }

    fn add(&mut self, pattern: Pattern) -> Result<(), String> {
        for node in &pattern.nodes {
            let Kind::Only(kind) = node.kind else { return Err("a pattern of any node".into()) };
            let numbers = self.roots.entry(kind).or_default();
            if numbers.last() != Some(&self.all.len()) {
                numbers.push(self.all.len());
            }
        }
        self.all.push(pattern);
        Ok(())
    }
}

/// What the captures of a file stand for.
pub(crate) struct Captures(Vec<Capture>);

impl Shape {
    /// The part of the query file that it belongs to.
    fn part(&self, captures: &Captures) -> usize {
        let below = self.children.iter().flat_map(|child| &child.nodes);
        let below = below.map(|node| node.part(captures));
        let own = self.captures.iter().map(|at| captures.0[*at].part());
        own.chain(below).max().unwrap_or_default()
    }
}

/// A walk over a tree.
pub(crate) struct Walk<'w, 't> {
    pub(crate) tree: &'t Tree,
    pub(crate) source: &'w [u8],
    pub(crate) captures: &'w Captures,
    /// Whether to go on.
    pub(crate) go_on: &'w dyn Fn() -> bool,
}

/// Where a walk is in a pattern.
struct State<'t> {
    captured: Vec<(usize, Node<'t>)>,
    steps: usize,
    ended: bool,
}

type Next<'n, 't> = &'n mut dyn FnMut(&mut State<'t>);

impl<'t> Walk<'_, 't> {
    /// Gives every match to `each`, node by node; false if the walk was ended.
    pub(crate) fn matches(
        &self,
        patterns: &Patterns,
        mut each: impl FnMut(&Match<'_, 't>),
    ) -> bool {
        let mut state = State { captured: Vec::new(), steps: 0, ended: false };
        let mut cursor = self.tree.walk();
        loop {
            let node = cursor.node();
            for at in patterns.roots.get(&node.kind_id()).into_iter().flatten() {
                let pattern = &patterns.all[*at];
                self.one_of(&pattern.nodes, node, &mut state, &mut |state| {
                    self.give(pattern, &state.captured, &mut each);
                });
            }
            self.step(&mut state);
            if state.ended {
                return false;
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return true;
                }
            }
        }
    }

    fn give(
        &self,
        pattern: &Pattern,
        captured: &[(usize, Node<'t>)],
        each: &mut impl FnMut(&Match<'_, 't>),
    ) {
        let holds = |condition: &Condition| {
            let mut nodes = captured.iter().filter(|(at, _)| *at == condition.capture);
            nodes.all(|(_, node)| condition.text.fits(&self.source[node.byte_range()]))
        };
        if pattern.conditions.iter().all(holds) {
            let captures = captured.iter().map(|(at, node)| (self.captures.0[*at], *node));
            let captures: Vec<_> = captures.collect();
            each(&Match { pattern: pattern.number, captures: &captures });
        }
    }

    fn step(&self, state: &mut State<'_>) {
        state.steps += 1;
        if state.steps.is_multiple_of(STEPS) {
            state.ended |= !(self.go_on)();
        }
    }

    /// Calls `next` for every way in which the node is one of these.
    fn one_of(&self, shapes: &[Shape], node: Node<'t>, state: &mut State<'t>, next: Next<'_, 't>) {
        for shape in shapes.iter().filter(|shape| shape.is_of(node)) {
            let before = state.captured.len();
            state.captured.extend(shape.captures.iter().map(|at| (*at, node)));
            if shape.children.is_empty() {
                next(state);
            } else {
                self.children(shape, &children(node), 0, state, next);
            }
            state.captured.truncate(before);
        }
    }

    /// The same for the children of a node from this one of the shape on; `rest` are those behind
    /// what the one before it is.
    fn children(
        &self,
        shape: &Shape,
        rest: &[(Node<'t>, Option<NonZeroU16>)],
        at: usize,
        state: &mut State<'t>,
        next: Next<'_, 't>,
    ) {
        let Some(child) = shape.children.get(at) else {
            let is_over = !shape.is_last || rest.iter().all(|(node, _)| !node.is_named());
            return if is_over {
                next(state)
            };
        };
        for (number, (node, field)) in rest.iter().enumerate() {
            self.step(state);
            if state.ended {
                return;
            }
            if child.field.is_none() || child.field == *field {
                let rest = &rest[number + 1..];
                self.one_of(&child.nodes, *node, state, &mut |state| {
                    self.children(shape, rest, at + 1, state, next);
                });
            }
            if child.is_next && node.is_named() {
                return;
            }
        }
    }
}

fn children<'t>(node: Node<'t>) -> Vec<(Node<'t>, Option<NonZeroU16>)> {
    let mut cursor = node.walk();
    let mut all = Vec::with_capacity(node.child_count() as usize);
    let mut more = cursor.goto_first_child();
    while more {
        all.push((cursor.node(), cursor.field_id()));
        more = cursor.goto_next_sibling();
    }
    all
}

impl Shape {
    fn is_of(&self, node: Node<'_>) -> bool {
        let fits = match self.kind {
            Kind::Any => !node.is_error(),
            Kind::AnyNamed => node.is_named() && !node.is_error(),
            Kind::Only(kind) => node.kind_id() == kind,
        };
        fits && self.without.iter().all(|field| node.child_by_field_id(field.get()).is_none())
    }
}

impl Text {
    fn fits(&self, text: &[u8]) -> bool {
        match self {
            Self::OneOf(all) => all.iter().any(|one| one.as_bytes() == text),
            Self::Like(regex) => regex.is_match(text),
        }
    }
}

#[cfg(test)]
mod tests;
