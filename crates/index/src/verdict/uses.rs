//! The uses of a definition that went, and how certain each is.

use std::collections::BTreeSet;

use fault::{Cancel, Result};
use syntax::{Import, Kind, Language, Place, Role, Symbol, Used, Uses};

use super::absent::is_tried;
use super::gone::{Gone, Went};
use super::made::is_beside;
use super::means::{Means, Meant};
use super::paths::{directory, place};
use super::sources::Sources;
use super::{Loss, Missed, Sides, Spot};

/// Places that are told of members of unknown values.
const MOST_PLACES: usize = 3;

/// A file that may use what went.
pub(super) struct File<'f> {
    pub(super) path: &'f str,
    pub(super) text: &'f str,
    pub(super) language: Language,
    pub(super) imports: Vec<Import>,
    pub(super) symbols: Vec<Symbol>,
    pub(super) uses: Uses,
}

/// Whether `word` is in the text and no part of a longer name.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    words(text, word).next().is_some()
}

/// The text before and after each occurrence of a whole word.
pub(super) fn words<'t>(text: &'t str, word: &str) -> impl Iterator<Item = (&'t str, &'t str)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let len = word.len();
    let sides: Vec<_> =
        text.match_indices(word).map(|(at, _)| (&text[..at], &text[at + len..])).collect();
    sides
        .into_iter()
        .filter(move |(before, after)| !before.ends_with(is_part) && !after.starts_with(is_part))
}

/// The uses of a definition that went.
#[derive(Default)]
pub(super) struct Found {
    pub(super) spots: Vec<(Meant, Spot)>,
    /// A file has another member of the name.
    pub(super) is_elsewhere: bool,
}

impl Found {
    pub(super) fn and(mut self, more: Self) -> Self {
        self.is_elsewhere |= more.is_elsewhere;
        self.spots.extend(more.spots);
        self
    }
}

/// What is found of each definition before any file was looked at; `None` where nothing can be.
pub(super) fn begun(
    gone: &[Gone<'_>],
    sides: &Sides,
    sources: &Sources<'_>,
    stop: &Cancel,
) -> Result<Vec<Option<Found>>> {
    let begun = gone.iter().map(|gone| {
        let found = Found { is_elsewhere: gone.is_of_others(), ..Found::default() };
        Ok((!is_beside(gone, sides, sources, stop)?).then_some(found))
    });
    begun.collect()
}

/// The uses of a definition that went in one file; `None` if the file has one of the same name, so
/// that nothing is known of uses that no import makes certain.
pub(super) fn uses(gone: &Gone<'_>, file: &File<'_>, sources: &Sources<'_>) -> Option<Found> {
    let sees = || file.path == gone.path || gone.is_kept && sees_private(gone, file);
    if gone.went != Went::All && sees() {
        return Some(Found::default());
    }
    let used = file.uses.get(&gone.name).map_or(&[][..], Vec::as_slice);
    let lines: Vec<&str> = file.text.lines().collect();
    let line = |at: usize| lines.get(at - 1).copied().unwrap_or_default();
    // What is brought in by an assignment is a variable too.
    let is_import = |symbol: &Symbol| {
        let mut here = used.iter().filter(|used| used.at.role == Role::Import);
        here.any(|used| (used.at.line, used.at.column) == (symbol.line, symbol.column))
    };
    let is_home = file.path == gone.path;
    let named = file.symbols.iter().filter(|symbol| symbol.name == gone.name);
    let named: Vec<&Symbol> = named.filter(|symbol| !is_import(symbol)).collect();
    let is_beside = directory(file.path) == directory(gone.path);
    let is_twin = file.language == Language::Go && is_beside && !is_home;
    let makes = |used: &Used| is_made(line(used.at.line), &gone.name);
    let is_macro = |used: &Used| used.place == Place::Loose && makes(used);
    if is_twin && named.iter().any(|symbol| symbol.container == gone.container)
        || used.iter().any(is_macro)
    {
        return None;
    }
    let mut found = Found::default();
    if is_guarded(file, &gone.name) {
        return Some(found);
    }
    if gone.is_member() && !is_home && is_given(gone, file, &named) {
        return None;
    }
    if gone.is_member() {
        // Another class of the name is all that the file means.
        let has_class = |symbol: &Symbol| Some(&symbol.name) == gone.container.as_ref();
        if !is_home && !is_beside && file.symbols.iter().any(has_class) {
            return Some(found);
        }
        found.is_elsewhere = !named.is_empty();
    } else {
        let is_outer = |symbol: &&&Symbol| !gone.is_certain() || symbol.container.is_none();
        let defines = named.iter().any(|symbol| is_outer(&symbol));
        if defines && !(is_home && gone.is_member_too && gone.is_certain()) {
            return (gone.is_member_too || gone.is_certain()).then_some(found);
        }
    }
    let means = Means::new(gone, file, sources);
    let is_tried = |at: usize| {
        let mut errors = ["AttributeError", "NameError", "ImportError"].iter();
        file.language == Language::Python
            && errors.any(|error| file.text.contains(error))
            && is_tried(file.text, at)
    };
    let mut used: Vec<&Used> =
        used.iter().filter(|used| used.at.role != Role::Definition).collect();
    used.retain(|used| !is_tried(used.at.line));
    for used in used {
        let text = fault::cut(line(used.at.line).trim(), 120).into_owned();
        let spot = Spot { path: file.path.to_owned(), line: used.at.line, text };
        found.spots.push((means.what(used), spot));
    }
    found.spots.retain(|(meant, _)| *meant != Meant::No);
    found.spots.sort_by_key(|(meant, spot)| (spot.line, *meant));
    found.spots.dedup_by_key(|(_, spot)| spot.line);
    Some(found)
}

/// Whether another file than its own gives the member to its container, or to any that it likes.
fn is_given(gone: &Gone<'_>, file: &File<'_>, named: &[&Symbol]) -> bool {
    use Language as L;
    let outer = gone.container.as_deref().unwrap_or_default();
    let has_class = file.symbols.iter().any(|symbol| symbol.name == outer);
    let has_same = named.iter().any(|symbol| symbol.container.as_deref() == Some(outer));
    let is_assigned = || {
        words(file.text, &gone.name).any(|(before, after)| {
            let owner = before.strip_suffix('.').unwrap_or_default();
            let after = after.trim_start();
            owner.ends_with(outer) && after.starts_with('=') && !after.starts_with("==")
        })
    };
    match file.language {
        L::Ruby | L::CSharp => has_same,
        L::Rust => {
            let traits = file.symbols.iter().filter(|symbol| symbol.kind == Kind::Trait);
            let mut traits = traits.map(|symbol| Some(&symbol.name));
            let of_trait =
                traits.any(|name| named.iter().any(|one| one.container.as_ref() == name));
            has_same && !has_class || of_trait
        }
        L::Python => is_assigned(),
        script if script.is_script() => {
            let is_open =
                ["declare module", "declare global"].iter().any(|w| file.text.contains(w));
            has_same && (is_open || file.path.ends_with(".d.ts") || !has_class) || is_assigned()
        }
        _ => false,
    }
}

/// Whether a file asks for the name in quotes, or whether it is there, before it uses it.
fn is_guarded(file: &File<'_>, name: &str) -> bool {
    let asks = ["hasattr(", "getattr(", "respond_to?", "method_exists(", "property_exists("];
    words(file.text, name).any(|(before, after)| {
        let line = before.rsplit('\n').next().unwrap_or_default();
        let is_quoted = before.ends_with(['"', '\'', '`', ':']);
        let is_asked = is_quoted && asks.iter().any(|ask| line.contains(ask));
        let is_path = |c: char| c.is_alphanumeric() || "_.$?!".contains(c);
        let typed =
            || line.rsplit_once("typeof ").is_some_and(|(_, path)| path.chars().all(is_path));
        let within = || after.get(1..).is_some_and(|rest| rest.trim_start().starts_with("in "));
        let compared = || after.trim_start().starts_with(['=', '!']);
        is_asked
            || file.language.is_script()
                && (compared() && typed() || after.starts_with("?.(") || is_quoted && within())
    })
}

/// Whether a file has what is private in that which had it: in Rust, what is below it.
fn sees_private(gone: &Gone<'_>, file: &File<'_>) -> bool {
    let home = place(gone.path);
    let (dir, stem) = home.rsplit_once('/').unwrap_or(("", home));
    let above = if ["lib", "main"].contains(&stem) { dir } else { home };
    let below = place(file.path).strip_prefix(above);
    gone.language == Language::Rust
        && below.is_some_and(|rest| rest.starts_with('/') || above.is_empty())
}

/// What is told of definitions that went by what was found of each, and what is not certain.
pub(super) fn told(gone: &[Gone<'_>], found: Vec<Option<Found>>) -> (Vec<Missed>, Vec<String>) {
    let (mut missed, mut unsure) = (Vec::new(), Vec::new());
    for (gone, found) in gone.iter().zip(found) {
        let Some(found) = found else { continue };
        let (mut sure, mut left) = (Vec::new(), Vec::new());
        for (meant, spot) in found.spots {
            match meant {
                Meant::Sure => sure.push(spot),
                Meant::Likely if !found.is_elsewhere => sure.push(spot),
                _ => left.push((&*gone.name, spot)),
            }
        }
        // Beside uses that are told, what is left out must not read as none.
        if !found.is_elsewhere || !sure.is_empty() || gone.is_of_others() {
            unsure.extend(left);
        }
        if !sure.is_empty() {
            let now = gone.now.clone();
            let loss = match gone.went {
                Went::All => Loss::Gone,
                Went::Export | Went::Passed | Went::Listed => Loss::NotExported,
            };
            missed.push(Missed { now, loss, ..Missed::new(gone.shown(), sure) });
        }
    }
    (missed, unknown(&unsure))
}

/// What is said of members of values whose type is not said.
fn unknown(found: &[(&str, Spot)]) -> Vec<String> {
    if found.is_empty() {
        return Vec::new();
    }
    let names: BTreeSet<&str> = found.iter().map(|(name, _)| *name).collect();
    let names: Vec<String> = names.into_iter().map(|name| format!("`.{name}`")).collect();
    let places: BTreeSet<String> =
        found.iter().map(|(_, spot)| format!("{}:{}", spot.path, spot.line)).collect();
    let more = match places.len().saturating_sub(MOST_PLACES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let places: Vec<String> = places.into_iter().take(MOST_PLACES).collect();
    let (names, places) = (names.join(", "), places.join(", "));
    vec![format!("{names} of values whose type is not said: {places}{more}")]
}

/// Whether a line of a macro defines the name.
fn is_made(line: &str, name: &str) -> bool {
    let leads = ["fn", "struct", "enum", "static", "ref", "const", "type", "trait", "union", "mod"];
    words(line, name).any(|(before, _)| {
        before.split_whitespace().next_back().is_some_and(|word| leads.contains(&word))
    })
}
