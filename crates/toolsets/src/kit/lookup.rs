//! How each mode of `search` looks.

use files::search::{self, Find, Fuzzy, Grep, path_matcher};
use index::{Named, Purpose};

use super::found::{Found, Line};
use super::search::{Mode, Search};
use crate::prelude::*;

/// As many places are put in order: code before tests before documentation.
const RANKED: usize = 10_000;
/// As many are looked through that were found by meaning.
const MEANT: usize = 200;

impl Search {
    pub(super) fn dir(&self) -> &str {
        self.path.as_deref().unwrap_or(".")
    }

    /// Whether upper and lower case are the same.
    pub(super) fn ignores_case(&self) -> bool {
        !self.case && !self.query.chars().any(char::is_uppercase)
    }

    /// Whether a match may go over several lines: a line break cannot be meant otherwise.
    fn is_multiline(&self) -> bool {
        let breaks = self.mode == Mode::Regex && self.query.contains(r"\n");
        self.mode == Mode::Multiline || breaks || self.query.contains('\n')
    }

    /// What is looked for in the files.
    pub(super) fn grep(&self) -> Grep<'_> {
        Grep {
            literal: !matches!(self.mode, Mode::Regex | Mode::Multiline),
            multiline: self.is_multiline(),
            ignore_case: self.ignores_case(),
            glob: self.glob.as_deref(),
            context: self.context,
            ..Grep::new(&self.query, self.dir(), RANKED)
        }
    }

    pub(super) fn lines(&self, cx: &Cx<'_>) -> Result<Found> {
        let hits = search::grep(cx.workspace(), &self.grep(), cx.cancel())?;
        let mut found = Found::new(hits.more);
        found.notes.extend(hits.skipped.beside(!hits.hits.is_empty()));
        for hit in hits.hits {
            let (first, last) = (hit.line as usize, hit.last as usize);
            let around = Some((hit.before, hit.after)).filter(|_| self.context > 0);
            found.add(&hit.shown, Line { first, last, text: hit.text, around });
        }
        Ok(found)
    }

    pub(super) fn files(&self, cx: &Cx<'_>) -> Result<Found> {
        let (workspace, cancel) = (cx.workspace(), cx.cancel());
        let wanted = self.filter()?;
        let query = if self.query.trim().is_empty() { "*" } else { &self.query };
        let (spots, more, note) = match query.contains(['*', '?', '[', '{']) {
            true => {
                let asked = Find::files(query, self.dir(), RANKED);
                let places = search::find(workspace, &asked, cancel)?;
                let note = places.skipped.beside(!places.spots.is_empty());
                (places.spots, places.more, note)
            }
            false => {
                let asked = Fuzzy { pattern: query, dir: self.dir(), max: RANKED };
                let fitting = search::fuzzy(workspace, &asked, cancel)?;
                let more = fitting.total > fitting.spots.len();
                (fitting.spots, more, None)
            }
        };
        let mut found = Found::new(more);
        found.names = true;
        found.notes.extend(note);
        let spots = spots.iter().filter(|spot| wanted(&spot.shown));
        spots.for_each(|spot| found.add_name(&spot.shown));
        Ok(found)
    }

    pub(super) fn symbols(&self, cx: &Cx<'_>) -> Result<Found> {
        let named = Named { name: &self.query, dir: self.dir(), family: None, max: RANKED };
        let places = cx.index().find_symbol(cx.workspace(), &named, cx.cancel())?;
        let (mut found, wanted) = (Found::default(), self.filter()?);
        found.notes.extend(places.note);
        for at in places.found.into_iter().filter(|at| wanted(&at.shown)) {
            let symbol = at.what;
            let of = symbol.container.map(|of| format!(" [in {of}]")).unwrap_or_default();
            let text = symbol.signature + &of;
            let (first, last) = (symbol.start_line, symbol.end_line);
            found.add(&at.shown, Line { first, last, text, around: None });
        }
        Ok(found)
    }

    pub(super) fn uses(&self, cx: &Cx<'_>) -> Result<Found> {
        let (index, workspace) = (cx.index(), cx.workspace());
        let places =
            index.find_references(workspace, &self.query, self.dir(), RANKED, cx.cancel())?;
        let (mut found, wanted) = (Found::default(), self.filter()?);
        found.notes.extend(places.note);
        for at in places.found.into_iter().filter(|at| wanted(&at.shown)) {
            let defines = at.what.role == syntax::Role::Definition;
            let mark = if defines { " [definition]" } else { "" };
            let (first, last) = (at.what.line, at.what.line);
            found.add(&at.shown, Line { first, last, text: at.what.text + mark, around: None });
        }
        Ok(found)
    }

    pub(super) fn meaning(&self, cx: &Cx<'_>) -> Result<Found> {
        let search = index::Search {
            query: &self.query,
            dir: self.dir(),
            tests: true,
            docs: true,
            max: MEANT,
        };
        let mut answer = cx.index().search(cx.workspace(), &search, cx.cancel())?;
        let (mut found, wanted) = (Found::default(), self.filter()?);
        found.notes.extend(answer.note);
        answer.hits.retain(|hit| wanted(&hit.shown));
        answer.hits.sort_by_key(|hit| Purpose::of(hit.shown.as_ref()));
        for hit in answer.hits {
            let text = hit.best.into_iter().next().unwrap_or_default().1;
            let (first, last) = hit.lines;
            found.add(&hit.shown, Line { first, last, text, around: None });
        }
        Ok(found)
    }

    /// Whether a path has the glob, if one is asked for.
    pub(super) fn filter(&self) -> Result<impl Fn(&str) -> bool + use<>> {
        let matches = self.glob.as_deref().map(path_matcher).transpose()?;
        Ok(move |path: &str| matches.as_ref().is_none_or(|matches| matches(path)))
    }
}
