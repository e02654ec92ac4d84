//! Changes of files as callers write them.

use index::Named;
use serde::de::{Deserializer, Error as _};
use toolkit::serde_json::{Map, Value};

use super::corrected::{bare, names};
use super::parts::{show, text_of as decoded_text};
use super::place::{Part, Place, lines as range};
use super::sent::{Sent, digests};
use crate::prelude::*;

/// What happens to one file, or to one place in it. Its parameters have the names that they have
/// beside a list of such.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub(crate) struct Change {
    #[serde(default)]
    pub(super) path: String,
    #[serde(default, deserialize_with = "or_null")]
    pub(super) old: Option<String>,
    pub(super) new: Option<String>,
    pub(super) all: Option<bool>,
    pub(super) lines: Option<String>,
    pub(super) move_to: Option<String>,
    pub(super) remove: Option<bool>,
    /// Which of several it is.
    #[serde(skip)]
    pub(super) at: usize,
}

const PARAMETERS: [&str; 7] = ["path", "old", "new", "all", "lines", "move_to", "remove"];

impl<'de> Deserialize<'de> for Change {
    fn deserialize<D: Deserializer<'de>>(given: D) -> Result<Self, D::Error> {
        let given = Given::deserialize(given)?.0;
        let mut plain = Map::new();
        for (name, value) in given {
            let meant =
                PARAMETERS.iter().find(|known| names(known).any(|one| bare(one) == bare(&name)));
            let name = meant.map_or(name.as_str(), |meant| meant);
            // As beside a list: a switch that came as text, and lines as a number.
            let value = match (name, &value) {
                ("all" | "remove", Value::String(text)) => {
                    text.to_lowercase().parse().map_or(value, Value::Bool)
                }
                ("lines", Value::Number(line)) => line.to_string().into(),
                _ => value,
            };
            if plain.insert(name.to_owned(), value).is_some() {
                return Err(D::Error::custom(format!("`{name}` is given twice")));
            }
        }
        Self::deserialize(Value::Object(plain)).map_err(D::Error::custom)
    }
}

/// An object, and what is said of anything else.
#[derive(Deserialize)]
#[serde(transparent, expecting = "an object with `path` and what to change there")]
struct Given(Map<String, Value>);

/// A text; null is an empty one, which is not the same as none: a caller that has no text to be replaced
/// may not mean the whole file.
pub(super) fn or_null<'de, D: Deserializer<'de>>(given: D) -> Result<Option<String>, D::Error> {
    Ok(Some(Option::deserialize(given)?.unwrap_or_default()))
}

impl Change {
    /// The same, of this path and in all places, if it does not say otherwise.
    pub(super) fn or_of(self, path: &str, all: Option<bool>) -> Self {
        let path = if self.path.is_empty() { path.to_owned() } else { self.path };
        Self { path, all: self.all.or(all), ..self }
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = String> {
        let path = Place::written(&self.path).path;
        std::iter::once(path).chain(self.move_to.as_deref()).map(str::to_owned)
    }

    /// The same with the lines that came as part of the path. A definition is not replaced by its
    /// name: the answer says which lines it is.
    pub(super) fn settled(mut self, cx: &Cx<'_>) -> Result<Self> {
        let Place { path, part } = Place::of(&self.path, cx.workspace());
        // In what is empty or not there, there is no text that could be replaced.
        let is_empty = || match cx.workspace().glance(path) {
            None => true,
            Some(_) => text_of(cx, path).is_some_and(|text| text.is_empty()),
        };
        if self.old.as_deref() == Some("") && self.new.is_some() && is_empty() {
            self.old = None;
        }
        match part {
            // A new file may have any name, but not that of a place by mistake.
            Part::Lines(..) if cx.workspace().glance(&self.path).is_none() => {
                cx.workspace().open_file(path)?;
            }
            _ if cx.workspace().glance(path).is_none() => return Ok(self),
            _ => {}
        }
        match part {
            Part::Whole => Ok(self.closed(cx)),
            Part::Lines(..) if self.lines.is_some() => {
                Err(Error::invalid_input("lines", "`path` has lines too; give one of them"))
            }
            Part::Lines(first, last) => {
                let last = last.map_or(String::new(), |last| last.to_string());
                let lines = Some(format!("{first}-{last}"));
                Ok(Self { path: path.to_owned(), lines, ..self }.closed(cx))
            }
            Part::Symbol(name) => {
                let named = Named { name, dir: path, family: None, max: 1 };
                let found = cx.index().find_symbol(cx.workspace(), &named, cx.cancel())?.found;
                let Some(found) = found.first().map(|found| &found.what) else {
                    return Err(Error::undefined(path, name, &[]));
                };
                let lines = format!("{}-{}", found.start_line, found.end_line);
                let mut problem = format!("a definition; name its lines, {path}:{lines}");
                if let Some(shown) = shown(cx, path, (found.start_line, found.end_line)) {
                    problem += &format!("; now\n{shown}");
                }
                let error = Error::invalid_input("path", problem).with("path", &self.path);
                Err(error.with("near", format!("{path}:{lines}")))
            }
        }
    }

    /// The same with the last line of the file in a range that has no end.
    fn closed(self, cx: &Cx<'_>) -> Self {
        let Some((first, None)) = self.lines.as_deref().and_then(range) else { return self };
        let last = text_of(cx, &self.path).map_or(0, |text| text.lines().count()).max(first);
        Self { lines: Some(fault::range(first, last)), ..self }
    }

    /// Refuses what says nothing or contradicts itself; `at` is where it is in the call.
    pub(super) fn check(&self, at: &str) -> Result<()> {
        let Self { old, new, lines, move_to, remove, all, .. } = self;
        let removes = *remove == Some(true);
        let changes = old.is_some() || new.is_some() || lines.is_some();
        let (field, problem) = match () {
            () if self.path.is_empty() => ("path", "empty; give a path"),
            () if removes && (changes || move_to.is_some()) => {
                ("remove", "a file that is removed is not changed or moved; leave the rest out")
            }
            () if removes => return Ok(()),
            () if old.as_deref() == Some("") => {
                // Without it, `new` would be the whole file: nobody is led to that by an empty text.
                let problem = "empty, so it names no place; give the text to replace, or in `lines` \
                               the line to insert at, with that line in `new`; `new` alone writes \
                               the whole file anew";
                let error = Error::invalid_input(&format!("{at}old"), problem);
                return Err(match lines.is_some() || new.is_none() {
                    true => error.with("without", "old"),
                    false => error.with("placeless", &self.path),
                });
            }
            // A call that was cut short has none; taking that for "" would remove the text.
            () if (old.is_some() || lines.is_some()) && new.is_none() => {
                ("new", r#"missing; give "" to remove the text"#)
            }
            () if !changes && move_to.is_none() => {
                ("new", "missing; give `old` and `new`, `new` alone, `move_to` or `remove`")
            }
            () if *all == Some(true) && old.is_none() => {
                ("all", "it is about every `old`; give that, or leave it out")
            }
            () if lines.is_some() && self.range().is_none() => {
                ("lines", "not a range of lines such as `10-20`, `10-` or `10`")
            }
            () => return Ok(()),
        };
        Err(Error::invalid_input(&format!("{at}{field}"), problem))
    }

    /// The lines that it replaces, or in which `old` is, from 1, both included.
    pub(super) fn range(&self) -> Option<(usize, usize)> {
        let (first, last) = range(self.lines.as_deref()?)?;
        Some((first, last?))
    }

    /// Whether it could change the number of lines.
    pub(super) fn moves_lines(&self) -> bool {
        let breaks =
            |text: &Option<String>| text.iter().flat_map(|text| text.matches('\n')).count();
        match (&self.old, self.range(), self.new.as_deref()) {
            (None, Some((first, last)), Some(new)) => new.lines().count() != last + 1 - first,
            _ => breaks(&self.old) != breaks(&self.new),
        }
    }

    /// Whether it writes the whole file.
    pub(super) fn is_whole(&self) -> bool {
        self.new.is_some() && self.old.is_none() && self.lines.is_none()
    }
}

/// Lines that the session has not seen.
fn shown(cx: &Cx<'_>, path: &str, lines: (usize, usize)) -> Option<String> {
    let (sent, text) = (cx.kept::<Sent>(), text_of(cx, path)?);
    let (real, now) = (cx.workspace().real(path).ok()?, digests(text.lines()));
    if sent.has(&real, &now, lines) {
        return None;
    }
    show(&sent, &real, (&text, &now), &[lines])
}

/// The text of a file that is there.
pub(super) fn text_of(cx: &Cx<'_>, path: &str) -> Option<String> {
    let contents = cx.workspace().look(path).ok()?;
    let text = decoded_text(&cx.kept::<Sent>(), &contents.path, path, &contents.bytes).ok()?;
    Some(text.into_str().into_owned())
}
