//! Where a file is no valid code of its language.

use crate::conditional::{Branch, branch};
use crate::languages::Language;
use crate::newer::painted;
use crate::parsed::Parsed;
use crate::strict::Wrong;

/// Places that are told of one file.
const MOST: usize = 50;

/// A place that is no valid code, as far as the grammar knows the language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// Its line, from 1.
    pub line: usize,
    /// The last line that the grammar made nothing of.
    pub end: usize,
    /// What is missing there, if that is what is wrong.
    pub missing: Option<String>,
    /// It was valid in Python 2.
    pub is_old: bool,
}

impl Parsed<'_> {
    /// Every place that is no valid code, in the order of the file; at most the first 50.
    pub fn broken(&self) -> Vec<Broken> {
        if !self.is_broken() {
            return self.invalid();
        }
        let of = |keep| {
            let source = branch(&self.source, keep)?;
            let parsed = Parsed::new(self.grammar, self.language, &source, self.stop).ok()?;
            Some(parsed.painted_over())
        };
        let is_c = self.language.can_use(Language::C);
        // Each line that may be code is in one of them.
        match is_c.then(|| [Branch::First, Branch::Last].map(of)) {
            Some([Some(mut first), Some(last)]) => {
                first.extend(last);
                first.sort_by_key(|broken| broken.line);
                first.dedup_by_key(|broken| broken.line);
                first
            }
            _ => self.painted_over(),
        }
    }

    /// What is invalid though words are painted over that the grammar does not know.
    fn painted_over(&self) -> Vec<Broken> {
        let mut found = self.invalid();
        if !self.is_broken() {
            return found;
        }
        let mut source = None;
        for painter in painted(self.language, &self.source) {
            let next = painter.paint(source.as_deref().unwrap_or(&self.source));
            let Ok(parsed) = Parsed::new(self.grammar, self.language, &next, self.stop) else {
                break;
            };
            let fewer = parsed.invalid();
            if fewer.len() < found.len() {
                drop(parsed);
                (found, source) = (fewer, Some(next));
            }
        }
        found
    }

    fn invalid(&self) -> Vec<Broken> {
        let mut found = Vec::new();
        let (mut cursor, mut depth) = (self.tree.walk(), 0);
        while found.len() < MOST {
            let node = cursor.node();
            let (line, end) = (node.start_position().row + 1, node.end_position().row + 1);
            if node.is_missing() {
                let missing = Some(node.kind().to_owned());
                found.push(Broken { line, end, missing, is_old: false });
            } else if node.is_error() {
                found.push(Broken { line, end, missing: None, is_old: false });
            } else if let Some(wrong) = self.wrong(node, depth) {
                let (row, is_old) = match wrong {
                    Wrong::At(row) => (row, false),
                    Wrong::Old(row) => (row, true),
                };
                found.push(Broken { line: row + 1, end: row + 1, missing: None, is_old });
            }
            if cursor.goto_first_child() {
                depth += 1;
                continue;
            }
            while depth > 0 && !cursor.goto_next_sibling() {
                cursor.goto_parent();
                depth -= 1;
            }
            if depth == 0 {
                break;
            }
        }
        found.sort_by_key(|broken| broken.line);
        found.dedup_by_key(|broken| broken.line);
        found
    }
}
