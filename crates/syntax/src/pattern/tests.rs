//! What tree-sitter's own queries find is what is found here, in whole sources and in broken ones.

#![expect(clippy::disallowed_methods, reason = "samples of the crate itself")]

use std::collections::BTreeSet;
use std::path::Path;

use proptest::prelude::*;
use tree_sitter::{Parser, Query, QueryCursor, StreamingIterator as _, Tree};

use super::{Patterns, Walk};
use crate::grammar::Capture;
use crate::languages::Language;

/// The pattern, and what is captured where.
type Matches = BTreeSet<(usize, Vec<(String, usize, usize)>)>;

fn samples() -> Vec<(Language, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let paths = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let sample = |path: &Path| {
        let source = std::fs::read(path).unwrap();
        (Language::of(&path.to_string_lossy(), &source).unwrap(), source)
    };
    let mut paths: Vec<_> = paths.collect();
    paths.sort();
    paths.iter().map(|path| sample(path)).collect()
}

fn add(
    found: &mut Matches,
    pattern: usize,
    captures: impl Iterator<Item = (Capture, usize, usize)>,
) {
    let used = captures.filter(|(what, ..)| *what != Capture::Unused);
    let mut used: Vec<_> =
        used.map(|(what, start, end)| (format!("{what:?}"), start, end)).collect();
    used.sort();
    found.insert((pattern, used));
}

fn theirs(language: Language, tree: &Tree, source: &[u8]) -> Matches {
    let grammar = (language.row().grammar)();
    let query = Query::new(&grammar, language.row().queries).unwrap();
    let (mut cursor, mut found) = (QueryCursor::new(), Matches::new());
    let mut matches = cursor.matches(&query, tree.root_node(), source);
    while let Some(one) = matches.next() {
        let captures = one.captures().iter().map(|c| {
            let name = query.capture_names()[c.index as usize];
            (Capture::new(name), c.node.start_byte(), c.node.end_byte())
        });
        add(&mut found, one.pattern_index, captures);
    }
    found
}

fn ours(language: Language, tree: &Tree, source: &[u8]) -> Matches {
    let grammar = (language.row().grammar)();
    let (both, captures) = Patterns::read(language.row().queries, &grammar).unwrap();
    let walk = Walk { tree, source, captures: &captures, go_on: &|| true };
    let mut found = Matches::new();
    for patterns in &both {
        assert!(walk.matches(patterns, |one| {
            let captures = one.captures.iter();
            let captures = captures.map(|(what, node)| (*what, node.start_byte(), node.end_byte()));
            add(&mut found, one.pattern, captures);
        }));
    }
    found
}

fn compare(language: Language, source: &[u8]) {
    crate::bounded::install();
    let mut parser = Parser::new();
    parser.set_language(&(language.row().grammar)()).unwrap();
    let tree = parser.parse(source, None).unwrap();
    let (theirs, ours) = (theirs(language, &tree, source), ours(language, &tree, source));
    assert!(!theirs.is_empty(), "{language:?}");
    let text = String::from_utf8_lossy(source);
    let (missed, more): (Vec<_>, Vec<_>) =
        (theirs.difference(&ours).collect(), ours.difference(&theirs).collect());
    assert!(missed.is_empty() && more.is_empty(), "{language:?}: {missed:?} {more:?}\n{text}");
}

#[test]
fn the_samples_match_as_the_queries_of_tree_sitter_do() {
    for (language, source) in samples() {
        compare(language, &source);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

    #[test]
    fn broken_sources_match_as_the_queries_of_tree_sitter_do(
        sample in 0_usize..13, from in 0.0..1.0_f64, length in 1_usize..40, again in 0.0..1.0_f64,
    ) {
        let (language, mut source) = samples().swap_remove(sample);
        let from = (from * source.len() as f64) as usize;
        let piece: Vec<u8> = source.drain(from..(from + length).min(source.len())).collect();
        let at = (again * source.len() as f64) as usize;
        source.splice(at..at, piece);
        compare(language, &source);
    }
}
