//! What a change took away, and what it touched.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use syntax::{Import, Kind, Language, Symbol};

use super::exports::{hidden, unexported};
use super::made::may_make;
use super::paths::module;
use super::sources::Sources;
use super::uses::{has_word, words};
use super::{MOST_NAMES, SHORTEST, Sides, Touched};
use crate::place::is_test;

/// What of a definition went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Went {
    /// The definition.
    All,
    /// What lets other files bring it in, or use it.
    Export,
    /// An import of it, by which others could bring it in from there.
    Passed,
    /// Its place in `__all__`, which is only about who brings in all names.
    Listed,
}

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
    /// What of it went.
    pub(super) went: Went,
    /// Its own file has it still.
    pub(super) is_kept: bool,
    /// Other names of what it was a member of.
    pub(super) aliases: Vec<String>,
}

impl Gone<'_> {
    pub(super) fn shown(&self) -> String {
        let container = self.container.as_ref().map(|outer| format!("{outer}."));
        container.unwrap_or_default() + &self.name
    }

    /// Whether its type has lost it and others have a member of the name.
    pub(super) fn is_of_others(&self) -> bool {
        self.is_member() && self.is_member_too && self.went == Went::All
    }

    pub(super) fn is_member(&self) -> bool {
        matches!(self.kind, Kind::Method | Kind::Field | Kind::Property)
    }

    /// Whether imports tell every use of it.
    pub(super) fn is_certain(&self) -> bool {
        self.language.imports_names() && !self.is_member() && self.kind != Kind::Macro
    }

    /// Whether a text may mean it. What is only passed on may have any name, and is looked for
    /// where it is taken from its module.
    pub(super) fn may_be_in(&self, text: &str) -> bool {
        if self.went != Went::Passed {
            return has_word(text, &self.name);
        }
        let module = module(self.path).unwrap_or_default();
        let is_taken = |(before, _): (&str, &str)| {
            let Some(at) = before.rfind("from ") else { return false };
            let (from, names) = before[at..].split_once("import").unwrap_or_default();
            let is_open = !names.contains('\n') || names.contains('(') && !names.contains(')');
            is_open && (has_word(from, module) || from.trim_end().ends_with('.'))
        };
        let is_member = |(before, _): (&str, &str)| before.ends_with('.') && has_word(text, module);
        let has_all = text.contains("import *") && has_word(text, module);
        words(text, &self.name).any(|around| has_all || is_taken(around) || is_member(around))
    }

    pub(super) fn is_distinct(&self) -> bool {
        is_distinct(&self.name)
    }
}

/// Whether a name is unlikely to be one of a library: it has several words.
pub(super) fn is_distinct(name: &str) -> bool {
    let inner = name.trim_matches('_');
    let humps = inner.chars().zip(inner.chars().skip(1));
    inner.contains('_') || humps.filter(|(a, b)| a.is_lowercase() && b.is_uppercase()).count() > 0
}

/// The names that a file gives to the container of a member: `typedef struct stock stock_t`.
fn aliases(sides: &Sides, file: usize, member: &Symbol) -> Vec<String> {
    let Some(outer) = &member.container else { return Vec::new() };
    let types = sides.before.iter().filter(|(at, _, symbol)| {
        *at == file && symbol.kind == Kind::Type && has_word(&symbol.signature, outer)
    });
    types.map(|(.., symbol)| symbol.name.clone()).collect()
}

/// A name without what only parts its words.
pub(super) fn joined(name: &str) -> String {
    name.replace(['_', '-'], "").to_lowercase()
}

/// Whether the container of a member says that it is built upon something, which may have the
/// member too; `file` has it.
fn is_inherited(sides: &Sides, member: &Symbol, file: Touched<'_>) -> bool {
    let text = file.after.or(file.before).unwrap_or_default();
    let Some(outer) = &member.container else { return false };
    let has_line = |leads: &[&str]| {
        text.lines().any(|line| leads.iter().any(|lead| line.trim_start().starts_with(lead)))
    };
    let both = sides.before.iter().chain(&sides.after);
    let mut containers = both.filter(|(.., symbol)| symbol.name == *outer);
    containers.any(|(_, language, symbol)| {
        let rest = symbol.signature.split_once(&**outer).map_or("", |(_, rest)| rest.trim_start());
        match language {
            Language::Python => {
                let bases = rest.trim_matches(['(', ')', ':', ' ']);
                !["", "object"].contains(&bases)
            }
            Language::Ruby => {
                rest.starts_with('<') || has_line(&["include ", "extend ", "prepend "])
            }
            Language::Cpp | Language::CSharp => rest.contains(':'),
            Language::Rust => text.contains(&format!("Deref for {outer}")),
            Language::Go => {
                let lines = text.lines().skip(symbol.start_line);
                lines.take(symbol.end_line - symbol.start_line).any(is_embedded)
            }
            _ => rest.contains("extends ") || rest.contains("implements "),
        }
    })
}

/// Whether a line of a struct of Go is a type alone, whose methods are those of the struct too.
fn is_embedded(line: &str) -> bool {
    let line = line.split("//").next().unwrap_or_default().split('`').next().unwrap_or_default();
    let is_type = |c: char| c.is_alphanumeric() || "_.*[]".contains(c);
    !line.trim().is_empty() && line.trim().chars().all(is_type)
}

/// The package of Go or Java that a text says it is of.
pub(super) fn package(text: &str) -> Option<&str> {
    let line = text.lines().find_map(|line| line.strip_prefix("package "))?;
    line.split(';').next().map(str::trim)
}

/// Whether nobody calls a method by its name.
fn is_special(name: &str) -> bool {
    name.starts_with("__") && name.ends_with("__")
        || ["constructor", "initialize", "deref", "method_missing"].contains(&name)
}

/// Whether a file that defined a name has it from elsewhere now, for itself and for who brings it in
/// from there; or may have it, with all the names of a module.
fn is_brought_in(touched: &[Touched<'_>], sides: &Sides, file: usize, name: &str) -> bool {
    let [before, after] = &sides.files[file];
    let (before, after) = (&before.imports, &after.imports);
    let has =
        |import: &Import| import.local.as_ref().or(import.name.as_ref()).is_some_and(|n| n == name);
    let is_new_all = |import: &Import| {
        import.is_all() && !before.iter().any(|old| old.is_all() && old.from == import.from)
    };
    let text = touched[file].after.unwrap_or_default();
    after.iter().any(|import| has(import) || is_new_all(import))
        || words(text, name).any(|(before, _)| before.ends_with(" as "))
}

/// Whether a type that is still there has lost a method whose name others have.
fn has_lost(
    sides: &Sides,
    touched: &[Touched<'_>],
    (file, language, symbol): &(usize, Language, Symbol),
) -> bool {
    use Language as L;
    let is_known =
        matches!(language, L::Python | L::Rust | L::Go | L::Java) || language.is_script();
    let Some(outer) = symbol.container.as_ref().filter(|_| symbol.kind == Kind::Method) else {
        return false;
    };
    let after = || sides.after.iter().map(|(.., symbol)| symbol);
    let count = |side: &[(usize, Language, Symbol)]| {
        side.iter().filter(|(.., other)| other.name == *outer && other.container.is_none()).count()
    };
    // What a trait has, any type may have of it.
    let is_of_trait = |one: &Symbol| {
        let is_it = |other: &Symbol| {
            Some(&other.name) == one.container.as_ref() && other.kind == Kind::Trait
        };
        one.name == symbol.name && after().any(is_it)
    };
    let mut here = sides.after.iter().filter(|(at, ..)| at == file).map(|(.., symbol)| symbol);
    let Some(now) = here.find(|other| other.name == *outer && other.container.is_none()) else {
        return false;
    };
    let text: Vec<&str> = touched[*file].after.unwrap_or_default().lines().collect();
    let text = text[now.start_line - 1..now.end_line.min(text.len())].join("\n");
    let is_here = |one: &Symbol| {
        let of = one.container.as_deref().unwrap_or_default();
        // A struct of Go has what those in it have.
        one.name == symbol.name && (of == outer || *language == L::Go && has_word(&text, of))
    };
    is_known
        && (count(&sides.before), count(&sides.after)) == (1, 1)
        && !after().any(|one| is_here(one) || is_of_trait(one))
}

/// The definitions whose name none of the touched files has any more, but as that of a member: the
/// first of them, and how many more there are.
pub(super) fn gone<'t>(sides: &Sides, sources: &Sources<'t>) -> (Vec<Gone<'t>>, usize) {
    let touched = sources.touched;
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
        let is_certain = is_inner(symbol) || one.1.imports_names();
        if symbol.name.len() < if is_certain { SHORTEST - 1 } else { SHORTEST } {
            continue;
        }
        if stays.contains(&*symbol.name) && !has_lost(sides, touched, one) {
            continue;
        }
        if !is_inner(symbol) && is_brought_in(touched, sides, one.0, &symbol.name) {
            continue;
        }
        let mine = sides.after.iter().filter(|(at, ..)| *at == one.0).map(|(.., symbol)| symbol);
        if may_make(&touched[one.0], &sides.files[one.0], symbol, one.1, mine) {
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
    let mut gone: Vec<Gone<'t>> = Vec::new();
    gone.extend(found.into_iter().take(MOST_NAMES).map(|(at, language, symbol)| {
        let is_like =
            |other: &Symbol| other.kind == symbol.kind && other.container == symbol.container;
        let count = |side: &[(usize, Language, Symbol)], others: &BTreeSet<&str>| {
            let new = side.iter().filter(|(file, _, other)| {
                let is_new = !others.contains(&*other.name) && !is_special(&other.name);
                file == at && is_like(other) && is_new
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
            aliases: aliases(sides, *at, symbol),
            went: Went::All,
            is_kept: false,
            is_inherited: is_inherited(sides, symbol, touched[*at]),
        }
    }));
    let mut exports = unexported(sides, sources);
    exports.extend(hidden(sides, sources));
    exports.retain(|one| gone.iter().all(|gone| gone.name != one.name));
    let more = more + exports.len().saturating_sub(MOST_NAMES);
    exports.truncate(MOST_NAMES);
    gone.extend(exports);
    (gone, more)
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
        let differ: BTreeSet<&str> = differ.collect();
        // Tests know a method by its type, which may be written apart.
        let both = sides.before.iter().chain(&sides.after).filter(|(file, ..)| *file == at);
        let of_type = both.filter(|(.., symbol)| differ.contains(&*symbol.name));
        let outer = of_type.filter_map(|(.., symbol)| symbol.container.as_deref());
        names.extend(outer.chain(differ.iter().copied()).filter(|name| name.len() >= SHORTEST));
        names.extend(module(file.path).filter(|name| name.len() >= SHORTEST));
    }
    names.into_iter().take(MOST_NAMES).collect()
}
