//! Whether a name in a file means the definition that went.

use std::path::Path;

use syntax::{Kind, Language, Parsed, Reference, Role};

use super::Spot;

/// Names of files that say nothing of what is in them; their directory does.
const ENTRANCES: [&str; 5] = ["mod", "index", "__init__", "lib", "main"];

/// A definition that went.
pub(super) struct Gone<'t> {
    pub(super) name: String,
    pub(super) container: Option<String>,
    pub(super) kind: Kind,
    pub(super) language: Language,
    /// The file that had it.
    pub(super) path: &'t str,
    /// The name that came in its place.
    pub(super) now: Option<String>,
}

impl Gone<'_> {
    pub(super) fn shown(&self) -> String {
        let container = self.container.as_ref().map(|outer| format!("{outer}."));
        container.unwrap_or_default() + &self.name
    }

    /// Whether the name is unlikely to be one of a library: it has several words.
    fn is_own(&self) -> bool {
        let inner = self.name.trim_matches('_');
        let humps = inner.chars().zip(inner.chars().skip(1));
        inner.contains('_')
            || humps.filter(|(a, b)| a.is_lowercase() && b.is_uppercase()).count() > 0
    }
}

/// The name by which other files call this one.
pub(super) fn module(path: &str) -> Option<&str> {
    let path = Path::new(path);
    let stem = path.file_stem()?.to_str()?;
    let stem = stem.split('.').next().unwrap_or(stem);
    let name = match ENTRANCES.contains(&stem) {
        true => path.parent()?.file_name()?.to_str()?,
        false => stem,
    };
    (name.len() >= super::SHORTEST && name != "src").then_some(name)
}

/// Whether `word` is in the text and no part of a longer name.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let after = at + word.len();
        !text[..at].ends_with(is_part) && !text[after..].starts_with(is_part)
    })
}

/// Whether a line brings in a module of this name, in the words of any language.
pub(super) fn brings_in(line: &str, module: &str) -> bool {
    const WORDS: [&str; 7] =
        ["import", "from", "use", "mod", "require", "require_relative", "include"];
    has_word(line, module) && WORDS.iter().any(|word| has_word(line, word))
}

/// The uses of a definition that went in one file; `None` if the file has one of the same name, so
/// that nothing is known of any use.
pub(super) fn uses(
    gone: &Gone<'_>,
    path: &str,
    text: &str,
    parsed: &Parsed<'_>,
) -> Option<Vec<Spot>> {
    if !parsed.language().can_use(gone.language) {
        return Some(Vec::new());
    }
    let found = parsed.references(Some(&gone.name)).unwrap_or_default();
    if parsed.symbols().unwrap_or_default().iter().any(|symbol| symbol.name == gone.name) {
        return None;
    }
    // A local variable or function hides it.
    if found.iter().any(|found| found.role == Role::Definition) {
        return Some(Vec::new());
    }
    let is_imported = found.iter().any(|found| found.role == Role::Import);
    let file = File::new(gone, path, text, is_imported);
    let lines: Vec<&str> = text.lines().collect();
    let spot = |found: &Reference| {
        let line = lines.get(found.line - 1).copied().unwrap_or_default();
        let before: String = line.chars().take(found.column - 1).collect();
        file.means(found, &before).then(|| Spot {
            path: path.to_owned(),
            line: found.line,
            text: fault::cut(line.trim(), 120).into_owned(),
        })
    };
    let mut spots: Vec<Spot> = found.iter().filter_map(spot).collect();
    spots.dedup_by_key(|spot| spot.line);
    Some(spots)
}

/// What a file knows of the definition.
struct File<'g> {
    gone: &'g Gone<'g>,
    /// It is the file that had it.
    is_home: bool,
    /// It names the module or the container, or is in the same directory.
    knows: bool,
    module: Option<&'g str>,
    is_imported: bool,
}

impl<'g> File<'g> {
    fn new(gone: &'g Gone<'g>, path: &str, text: &str, is_imported: bool) -> Self {
        let is_home = path == gone.path;
        let says = |word: Option<&str>| word.is_some_and(|word| has_word(text, word));
        let is_beside = Path::new(path).parent() == Path::new(gone.path).parent();
        let container = gone.container.as_deref().filter(|name| *name != gone.name);
        let module = module(gone.path);
        let has_container = says(container);
        // What is imported is imported from somewhere, and that may be another place.
        let knows = match is_imported {
            true => is_home || module.is_none() || says(module) || has_container,
            false => is_home || is_beside || says(module) || has_container,
        };
        Self { gone, is_home, knows, module, is_imported }
    }

    /// Whether a reference behind this part of its line means the definition.
    fn means(&self, found: &Reference, before: &str) -> bool {
        let before = before.trim_end();
        let is_member = [".", "->", "::", "&."].iter().any(|mark| before.ends_with(mark));
        let is_of = |name: &str| {
            let mut marks = [".", "->", "::", "&."].iter();
            marks.any(|mark| before.strip_suffix(mark).is_some_and(|owner| owner.ends_with(name)))
        };
        let mut own =
            ["self", "this", "Self", "cls"].into_iter().chain(self.gone.container.as_deref());
        let is_of_own = own.any(is_of);
        let is_of_module = self.module.is_some_and(is_of);
        if found.role == Role::Import {
            return self.knows;
        }
        let is_own_name = self.gone.is_own();
        match self.gone.kind {
            _ if !self.knows => false,
            Kind::Method | Kind::Field | Kind::Property | Kind::Variant if is_of_own => true,
            Kind::Method if is_member => is_own_name || self.is_named_so(before),
            Kind::Method => found.role == Role::Call && self.is_home,
            Kind::Field | Kind::Property => is_member && is_own_name,
            Kind::Variable | Kind::Variant => {
                self.is_imported || self.is_home || is_of_module || is_member && is_own_name
            }
            Kind::Function | Kind::Macro if is_member => is_own_name || is_of_module,
            Kind::Function | Kind::Macro => {
                found.role == Role::Call || self.is_imported || self.is_home || is_own_name
            }
            _ => true,
        }
    }

    /// Whether what is before the mark has the name of the container, as in `self.stock.`.
    fn is_named_so(&self, before: &str) -> bool {
        let owner = before.trim_end_matches(['.', '-', '>', ':', '&']).to_lowercase();
        let container = self.gone.container.as_deref().unwrap_or_default().to_lowercase();
        !container.is_empty() && owner.ends_with(&container)
    }
}
