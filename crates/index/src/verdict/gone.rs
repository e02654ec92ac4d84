//! What a change took away, and what it touched.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use syntax::{Import, Kind, Language, Symbol};

use super::sources::module;
use super::uses::words;
use super::{MOST_NAMES, SHORTEST, Sides, Touched};
use crate::place::is_test;

/// A definition that went.
pub(super) struct Gone<'t> {
    pub(super) name: String,
    pub(super) container: Option<String>,
    pub(super) kind: Kind,
    pub(super) language: Language,
    /// The file that had it.
    pub(super) path: &'t str,
    /// The package that the file says it is of.
    pub(super) package: Option<&'t str>,
    /// The name that came in its place.
    pub(super) now: Option<String>,
    /// A member has the name still.
    pub(super) is_member_too: bool,
    /// What it was a member of is built upon something else.
    pub(super) is_inherited: bool,
}

impl Gone<'_> {
    pub(super) fn shown(&self) -> String {
        let container = self.container.as_ref().map(|outer| format!("{outer}."));
        container.unwrap_or_default() + &self.name
    }

    pub(super) fn is_member(&self) -> bool {
        matches!(self.kind, Kind::Method | Kind::Field | Kind::Property)
    }

    /// Whether imports tell every use of it.
    pub(super) fn is_certain(&self) -> bool {
        use Language as L;
        let is_strict = matches!(
            self.language,
            L::Python | L::Go | L::Java | L::Rust | L::JavaScript | L::TypeScript | L::Tsx
        );
        is_strict && !self.is_member() && self.kind != Kind::Macro
    }

    /// Whether the name is unlikely to be one of a library: it has several words.
    pub(super) fn is_own(&self) -> bool {
        let inner = self.name.trim_matches('_');
        let humps = inner.chars().zip(inner.chars().skip(1));
        inner.contains('_')
            || humps.filter(|(a, b)| a.is_lowercase() && b.is_uppercase()).count() > 0
    }
}

/// Whether the container of a member says that it is built upon something, which may have the
/// member too.
fn is_inherited(sides: &Sides, member: &Symbol) -> bool {
    let Some(outer) = &member.container else { return false };
    let mut containers = sides.before.iter().filter(|(.., symbol)| symbol.name == *outer);
    containers.any(|(_, language, symbol)| {
        let rest = symbol.signature.split_once(&**outer).map_or("", |(_, rest)| rest.trim_start());
        match language {
            Language::Python => {
                let bases = rest.trim_matches(['(', ')', ':', ' ']);
                !["", "object"].contains(&bases)
            }
            Language::Ruby => rest.starts_with('<'),
            Language::Cpp | Language::CSharp => rest.starts_with(':'),
            _ => rest.contains("extends ") || rest.contains("implements "),
        }
    })
}

/// The package of Go or Java that a text says it is of.
pub(super) fn package(text: &str) -> Option<&str> {
    let line = text.lines().find_map(|line| line.strip_prefix("package "))?;
    line.split(';').next().map(str::trim)
}

/// Whether a file that defined a name has it from elsewhere now, for itself and for who brings it in
/// from there; or may have it, with all the names of a module.
fn is_brought_in(touched: &[Touched<'_>], sides: &Sides, file: usize, name: &str) -> bool {
    let [before, after] = match sides.imports.get(file) {
        Some([before, after]) => [before.as_slice(), after.as_slice()],
        None => [&[][..]; 2],
    };
    let has =
        |import: &Import| import.local.as_ref().or(import.name.as_ref()).is_some_and(|n| n == name);
    let is_new_all = |import: &Import| {
        import.is_all() && !before.iter().any(|old| old.is_all() && old.from == import.from)
    };
    let text = touched[file].after.unwrap_or_default();
    after.iter().any(|import| has(import) || is_new_all(import))
        || words(text, name).any(|(before, _)| before.ends_with(" as "))
}

/// The definitions whose name none of the touched files has any more, but as that of a member: the
/// first of them, and how many more there are.
pub(super) fn gone<'t>(touched: &[Touched<'t>], sides: &Sides) -> (Vec<Gone<'t>>, usize) {
    let is_inner = |symbol: &Symbol| symbol.container.is_some();
    let names: BTreeSet<&str> = sides.after.iter().map(|(.., symbol)| &*symbol.name).collect();
    let outer = sides.after.iter().filter(|(.., symbol)| !is_inner(symbol));
    let outer: BTreeSet<&str> = outer.map(|(.., symbol)| &*symbol.name).collect();
    let known: BTreeSet<&str> = sides.before.iter().map(|(.., symbol)| &*symbol.name).collect();
    let mut found: Vec<&(usize, Language, Symbol)> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for one in &sides.before {
        let (.., symbol) = one;
        let stays = if is_inner(symbol) { &names } else { &outer };
        if symbol.name.len() < SHORTEST || stays.contains(&*symbol.name) {
            continue;
        }
        if !is_inner(symbol) && is_brought_in(touched, sides, one.0, &symbol.name) {
            continue;
        }
        match places.get(&*symbol.name) {
            // What others bring in by the name is not a member.
            Some(at) if is_inner(&found[*at].2) && !is_inner(symbol) => found[*at] = one,
            Some(_) => {}
            None => {
                places.insert(&symbol.name, found.len());
                found.push(one);
            }
        }
    }
    let more = found.len().saturating_sub(MOST_NAMES);
    let gone = found.into_iter().take(MOST_NAMES).map(|(at, language, symbol)| {
        let is_like =
            |other: &Symbol| other.kind == symbol.kind && other.container == symbol.container;
        let count = |side: &[(usize, Language, Symbol)], others: &BTreeSet<&str>| {
            let new = side.iter().filter(|(file, _, other)| {
                file == at && is_like(other) && !others.contains(&*other.name)
            });
            new.take(2).map(|(.., other)| other.name.clone()).collect::<Vec<_>>()
        };
        let (went, mut came) = (count(&sides.before, &names), count(&sides.after, &known));
        Gone {
            name: symbol.name.clone(),
            container: symbol.container.clone(),
            kind: symbol.kind,
            language: *language,
            path: touched[*at].path,
            now: if went.len() == 1 && came.len() == 1 { came.pop() } else { None },
            is_member_too: names.contains(&*symbol.name),
            package: touched[*at].before.and_then(package),
            is_inherited: is_inherited(sides, symbol),
        }
    });
    (gone.collect(), more)
}

/// The names of what the change touched: definitions whose text is another, and the files.
pub(super) fn changed<'s>(touched: &[Touched<'s>], sides: &'s Sides) -> Vec<&'s str> {
    let mut names: BTreeSet<&'s str> = BTreeSet::new();
    for (at, file) in touched.iter().enumerate() {
        if is_test(Path::new(file.path)) {
            continue;
        }
        let of = |side: &'s [(usize, Language, Symbol)], text: Option<&'s str>| {
            let lines: Vec<&str> = text.unwrap_or_default().lines().collect();
            let mine = side.iter().filter(move |(file, ..)| *file == at);
            mine.map(move |(.., symbol)| {
                let last = symbol.end_line.min(lines.len());
                (&*symbol.name, lines[symbol.start_line.min(last + 1) - 1..last].join("\n"))
            })
            .collect::<BTreeSet<(&str, String)>>()
        };
        let (before, after) = (of(&sides.before, file.before), of(&sides.after, file.after));
        let differ = before.symmetric_difference(&after).map(|(name, _)| *name);
        names.extend(differ.filter(|name| name.len() >= SHORTEST));
        names.extend(module(file.path).filter(|name| name.len() >= SHORTEST));
    }
    names.into_iter().take(MOST_NAMES).collect()
}
