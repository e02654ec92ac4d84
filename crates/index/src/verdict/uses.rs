//! Whether a name in a file means the definition that went.

use std::path::Path;

use syntax::{Kind, Language, Parsed, Reference, Role};

use super::Spot;

/// Names of files that say nothing of what is in them; their directory does.
const ENTRANCES: [&str; 5] = ["mod", "index", "__init__", "lib", "main"];

/// Lines of the longest statement that brings names in, and the words that one begins with.
const LONGEST: usize = 50;
const BEGINNINGS: [&str; 8] = ["import", "from", "use", "pub", "export", "const", "let", "var"];

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
    /// A member has the name still.
    pub(super) is_member_too: bool,
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
        return gone.is_member_too.then(Vec::new);
    }
    // A local variable or function hides it.
    if found.iter().any(|found| found.role == Role::Definition) {
        return Some(Vec::new());
    }
    let lines: Vec<&str> = text.lines().collect();
    let imports = found.iter().filter(|found| found.role == Role::Import);
    let sources: Vec<Source> = imports.map(|found| source(gone, &lines, found.line)).collect();
    let is_imported = !sources.is_empty();
    // It is that of another place.
    if is_imported && sources.iter().all(|source| *source == Source::Other) {
        return Some(Vec::new());
    }
    if gone.is_member_too && !sources.contains(&Source::Own) {
        return Some(Vec::new());
    }
    let file = File::new(gone, path, text, sources.contains(&Source::Own), is_imported);
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

/// Where a name is brought in from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// The place that had the definition, by its name or that of its directory.
    Own,
    /// A place that may pass it on: the package, a path.
    Near,
    Other,
}

/// Where the name in an import on this line, from 1, comes from.
fn source(gone: &Gone<'_>, lines: &[&str], line: usize) -> Source {
    let begins = |line: &str| {
        let word = line.trim_start().split(|c: char| !c.is_alphanumeric()).next();
        word.is_some_and(|word| BEGINNINGS.contains(&word))
    };
    let at = line.clamp(1, lines.len().max(1)) - 1;
    let first = (at.saturating_sub(LONGEST)..=at).rev().find(|at| begins(lines[*at])).unwrap_or(at);
    let (mut open, mut last) = (0, first);
    for line in lines.iter().skip(first).take(LONGEST) {
        open += line.matches(['(', '{']).count() as isize;
        open -= line.matches([')', '}']).count() as isize;
        last += 1;
        if last > at && open <= 0 {
            break;
        }
    }
    let text = lines[first..last].join(" ");
    let dir = Path::new(gone.path).parent().and_then(Path::file_name).and_then(|dir| dir.to_str());
    let dir = dir.filter(|dir| dir.len() >= super::SHORTEST && *dir != "src");
    let names = [module(gone.path), dir, gone.container.as_deref()];
    if names.into_iter().flatten().any(|name| has_word(&text, name)) {
        return Source::Own;
    }
    let near = ["from .", "\".", "'.", "crate::", "super::", "self::"];
    if module(gone.path).is_none() || near.iter().any(|near| text.contains(near)) {
        Source::Near
    } else {
        Source::Other
    }
}

/// What a file knows of the definition.
struct File<'g> {
    gone: &'g Gone<'g>,
    /// It is the file that had it.
    is_home: bool,
    /// It names the module or the container, or is in the same directory.
    knows: bool,
    /// It has a type that says it is built upon the container.
    inherits: bool,
    module: Option<&'g str>,
    is_imported: bool,
}

impl<'g> File<'g> {
    fn new(gone: &'g Gone<'g>, path: &str, text: &str, own: bool, is_imported: bool) -> Self {
        let is_home = path == gone.path;
        let says = |word: Option<&str>| word.is_some_and(|word| has_word(text, word));
        let is_beside = Path::new(path).parent() == Path::new(gone.path).parent();
        let container = gone.container.as_deref().filter(|name| *name != gone.name);
        let module = module(gone.path);
        let has_container = says(container);
        // What is imported is imported from somewhere, and that may be another place.
        let knows = match is_imported {
            true => own || is_home || module.is_none() || says(module) || has_container,
            false => is_home || is_beside || says(module) || has_container,
        };
        let inherits = container.filter(|_| has_container).is_some_and(|name| {
            let words = ["class", "extends", "implements", "impl", "struct", "type", "interface"];
            let says = |line: &str| words.iter().any(|word| has_word(line, word));
            text.lines().any(|line| has_word(line, name) && says(line))
        });
        Self { gone, is_home, knows, inherits, module, is_imported }
    }

    /// Whether a reference behind this part of its line means the definition.
    fn means(&self, found: &Reference, before: &str) -> bool {
        let before = before.trim_end();
        let is_member = [".", "->", "::", "&."].iter().any(|mark| before.ends_with(mark));
        let is_of = |name: &str| {
            let mut marks = [".", "->", "::", "&."].iter();
            marks.any(|mark| before.strip_suffix(mark).is_some_and(|owner| owner.ends_with(name)))
        };
        let is_of_self = ["self", "this", "Self", "cls"].into_iter().any(is_of);
        let is_of_own = is_of_self && (self.is_home || self.inherits)
            || self.gone.container.as_deref().is_some_and(is_of);
        let is_of_module = self.module.is_some_and(is_of);
        let is_member_name = matches!(self.gone.kind, Kind::Method | Kind::Field | Kind::Property);
        if found.role == Role::Import {
            return self.knows && !is_member_name;
        }
        let is_own_name = self.gone.is_own();
        match self.gone.kind {
            _ if !self.knows => false,
            Kind::Method | Kind::Field | Kind::Property | Kind::Variant if is_of_own => true,
            Kind::Method | Kind::Field | Kind::Property if is_of_self => false,
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
