//! What the edit of a call broke, in lines.

use std::time::Instant;

use index::{Absent, Adrift, Loss, Missed, Spot, Touched};

use super::changed::File;
use super::data;
use crate::prelude::*;

/// Places of one name that are told.
const PLACES: usize = 5;

/// A line for each thing that is to be known; none if there is nothing.
pub(super) fn verdict(cx: &Cx<'_>, files: &[File]) -> Vec<String> {
    let touched = touched(files);
    if touched.is_empty() {
        return Vec::new();
    }
    let until = Instant::now() + cx.limits().verdict_time;
    let verdict = match cx.index().verdict(cx.workspace(), &touched, until, cx.cancel()) {
        Ok(verdict) => verdict,
        Err(error) => return vec![format!("not checked: {error}")],
    };
    let spot =
        |what: &str, spot: &Spot| format!("{what}: {}:{}: {}", spot.path, spot.line, spot.text);
    let mut lines: Vec<String> =
        verdict.broken.iter().map(|broken| spot("syntax error", broken)).collect();
    lines.extend(
        touched.iter().filter_map(data::broken).map(|broken| spot("syntax error", &broken)),
    );
    lines.extend(verdict.still.iter().map(|still| spot("syntax error as before", still)));
    lines.extend(verdict.missed.iter().map(missed));
    lines.extend(verdict.absent.iter().map(|absent| {
        let Absent { at, name, home } = absent;
        format!("{}:{} imports `{name}`, which {home} does not define", at.path, at.line)
    }));
    lines.extend(verdict.adrift.iter().map(|adrift| {
        let Adrift { at, module, was } = adrift;
        format!("{}:{} imports `{module}`, which is not there; it was {was}", at.path, at.line)
    }));
    if !verdict.tests.is_empty() {
        lines.push(format!("tests: {}", verdict.tests.join(", ")));
    }
    lines.extend(verdict.unchecked.iter().map(|what| format!("not checked: {what}")));
    let large = files.iter().filter(|file| file.unjudged);
    lines.extend(large.map(|file| {
        format!("not checked: files of {} after the first {}", file.path, file.inner.len())
    }));
    lines
}

/// The files as they were before all of the changes and are after them: what one moved, another may
/// change under its new path.
fn touched(files: &[File]) -> Vec<Touched<'_>> {
    let mut touched: Vec<Touched<'_>> = Vec::new();
    let all = files.iter().flat_map(|file| std::iter::once(file).chain(&file.inner));
    for file in all.filter(|file| file.before != file.after || file.moved_to.is_some()) {
        let (before, after) = (file.before.as_deref(), file.after.as_deref());
        match file.moved_to.as_deref() {
            Some(to) => {
                let mine = Touched { path: &file.path, moved_from: None, before, after: None };
                let from = put(&mut touched, mine).or(Some(&*file.path));
                put(&mut touched, Touched { path: to, moved_from: from, before: None, after });
            }
            None => {
                put(&mut touched, Touched { path: &file.path, moved_from: None, before, after });
            }
        }
    }
    touched.retain(|file| file.before.is_some() || file.after.is_some());
    touched
}

/// Adds what became of a path; where its file had been moved from, if it was.
fn put<'f>(touched: &mut Vec<Touched<'f>>, new: Touched<'f>) -> Option<&'f str> {
    let Some(old) = touched.iter_mut().find(|old| old.path == new.path) else {
        touched.push(new);
        return None;
    };
    let from = old.moved_from;
    (old.after, old.moved_from) = (new.after, from.or(new.moved_from));
    from
}

fn missed(missed: &Missed) -> String {
    let Missed { name, now, loss, uses } = missed;
    let now = now.as_ref().map(|now| format!(" (now `{now}`?)")).unwrap_or_default();
    let places = uses.iter().take(PLACES).map(|spot| format!("{}:{}", spot.path, spot.line));
    let places: Vec<String> = places.collect();
    let more = match uses.len().saturating_sub(PLACES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let what = match loss {
        Loss::Gone => "gone",
        Loss::NotImported => "no longer imported",
        Loss::NotExported => "no longer exported",
    };
    format!("`{name}` is {what}{now} and still used: {}{more}", places.join(", "))
}
