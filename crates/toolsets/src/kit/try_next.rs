//! What a search that found nothing says instead: which other one would have found something.

use std::collections::BTreeSet;

use files::search::{self, Find, Grep};
use index::Named;

use super::search::{Mode, Search};
use crate::prelude::*;

/// As many hits are counted of another search.
const COUNTED: usize = 100;
/// Lines that are looked through for names like the one that was asked for.
const LINES: usize = 2000;

/// What was not found, and what to try next.
pub(super) fn nothing(asked: &Search, notes: &[String], cx: &Cx<'_>) -> Result<String> {
    let query = &asked.query;
    let quoted = fault::cut(query, 100);
    let what = match asked.mode {
        Mode::Text => format!("no line has `{quoted}`"),
        Mode::Regex => format!("no line matches {quoted}"),
        Mode::Multiline => format!("no text matches {quoted}"),
        Mode::Files => format!("no file is called like {quoted}"),
        Mode::Symbols => format!("no definition of {quoted}"),
        Mode::Refs => format!("no use of {quoted} in code"),
        Mode::Meaning => "no code to search".to_owned(),
    };
    let mut tries = Vec::new();
    let mut also = |change: String, count: usize| {
        if count > 0 {
            let more = if count >= COUNTED { "at least " } else { "" };
            tries.push(format!("{change} finds {more}{count}"));
        }
    };
    if asked.mode != Mode::Meaning {
        let narrow = asked.grep();
        let has_regex = query.contains(['.', '*', '+', '?', '|', '^', '$', '[', '\\']);
        if asked.mode == Mode::Text && has_regex {
            also("{\"mode\": \"regex\"}".into(), lines(cx, Grep { literal: false, ..narrow }));
        }
        if asked.mode == Mode::Regex {
            also("{\"mode\": \"multiline\"}".into(), lines(cx, Grep { multiline: true, ..narrow }));
        }
        let named = matches!(asked.mode, Mode::Symbols | Mode::Refs | Mode::Files);
        if named || asked.mode == Mode::Regex {
            also("{\"mode\": \"text\"}".into(), lines(cx, Grep { literal: true, ..narrow }));
        }
        if !asked.ignores_case() {
            let lower = serde_json::json!({"query": query.to_lowercase(), "case": false});
            also(lower.to_string(), lines(cx, Grep { ignore_case: true, ..narrow }));
        }
        if asked.path.is_some() || asked.glob.is_some() {
            let wide = Grep { dir: ".", glob: None, ..narrow };
            also("without path and glob it".into(), lines(cx, wide));
        }
        if asked.mode == Mode::Text && !query.contains(char::is_whitespace) {
            let pattern = format!("*{}*", query.trim_matches('*'));
            let files = Find { ignore_case: true, ..Find::files(&pattern, asked.dir(), COUNTED) };
            let files = search::find(cx.workspace(), &files, cx.cancel());
            let spots = files.map_or_else(|_| Vec::new(), |found| found.spots);
            let wanted = asked.filter()?;
            let count = spots.iter().filter(|spot| wanted(&spot.shown)).count();
            also("{\"mode\": \"files\"}".into(), count);
        }
        cx.cancel().check()?;
        let near = near(cx, query, asked.mode);
        if !near.is_empty() {
            tries.push(format!("near: {}", near.join(", ")));
        }
    }
    // Only a question in words is one for it.
    let is_question = query.split_whitespace().count() > 2;
    match asked.mode {
        _ if !tries.is_empty() => {}
        Mode::Files => tries.push("read {\"path\": \".\"} lists the root".to_owned()),
        Mode::Meaning => {}
        _ if is_question => {
            tries.push("{\"mode\": \"meaning\"} takes a question in words".to_owned());
        }
        _ => {}
    }
    tries.extend(notes.iter().cloned());
    Ok([what].into_iter().chain(tries).collect::<Vec<_>>().join("; "))
}

/// How many lines another search finds; none if it cannot be made.
fn lines(cx: &Cx<'_>, grep: Grep<'_>) -> usize {
    let grep = Grep { max_hits: COUNTED, context: 0, ..grep };
    search::grep(cx.workspace(), &grep, cx.cancel()).map_or(0, |found| found.hits.len())
}

/// Names in the code like one that is not there.
pub(super) fn near(cx: &Cx<'_>, name: &str, mode: Mode) -> Vec<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let last = name.rsplit(['.', ':', '#']).next().unwrap_or(name);
    let letters = last.chars().count();
    if letters < 3 || !last.chars().all(is_name) {
        return Vec::new();
    }
    // A slip is in one half or the other.
    let half: String = last.chars().take(letters.div_ceil(2).max(2)).collect();
    let rest: String = last.chars().skip(letters / 2).collect();
    let mut words = BTreeSet::new();
    for part in [half, rest] {
        let grep = Grep { literal: true, ignore_case: true, ..Grep::new(&part, ".", LINES) };
        let Ok(found) = search::grep(cx.workspace(), &grep, cx.cancel()) else { continue };
        let texts = found.hits.iter().flat_map(|hit| hit.text.split(|c| !is_name(c)));
        words.extend(texts.filter(|word| word.len() > 2).map(str::to_owned));
    }
    words.remove(last);
    let mut near = files::spelling::nearest(last, words, 10);
    if mode == Mode::Symbols {
        near.retain(|name| is_defined(cx, name, name));
    }
    near.truncate(3);
    near
}

/// Whether the code defines what `full` names, which ends with `name`.
pub(super) fn is_defined(cx: &Cx<'_>, full: &str, name: &str) -> bool {
    let named = Named { name: full, dir: ".", family: None, max: 1 };
    let found = cx.index().find_symbol(cx.workspace(), &named, cx.cancel());
    found.is_ok_and(|found| found.found.iter().any(|one| one.what.name == name))
}
