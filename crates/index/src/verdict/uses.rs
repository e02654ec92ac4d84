//! Whether a name in a file means the definition that went.

use std::path::Path;

use syntax::{Import, Kind, Language, Place, Role, Symbol, Used, Uses};

use super::Spot;
use super::gone::{Gone, package};
use super::sources::{Sources, module};

/// What is used without the name of its owner.
const SELVES: [&str; 5] = ["self", "this", "Self", "cls", "super()"];

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

/// The uses of a definition that went in one file; `None` if the file has one of the same name, so
/// that nothing is known of uses that no import makes certain.
pub(super) fn uses(gone: &Gone<'_>, file: &File<'_>, sources: &Sources<'_>) -> Option<Vec<Spot>> {
    let found = file.uses.get(&gone.name).map_or(&[][..], Vec::as_slice);
    // What is brought in by an assignment is a variable too.
    let is_import = |symbol: &Symbol| {
        let mut here = found.iter().filter(|used| used.at.role == Role::Import);
        here.any(|used| (used.at.line, used.at.column) == (symbol.line, symbol.column))
    };
    let mut named = file.symbols.iter().filter(|symbol| symbol.name == gone.name);
    let defines = named.any(|symbol| !is_import(symbol));
    let is_home = file.path == gone.path;
    if defines && !(is_home && gone.is_member_too && gone.is_certain()) {
        return (gone.is_member_too || gone.is_certain()).then(Vec::new);
    }
    let means = Means::new(gone, file, sources);
    let lines: Vec<&str> = file.text.lines().collect();
    let used = found.iter().filter(|used| used.at.role != Role::Definition && means.is_it(used));
    let mut spots: Vec<Spot> = used
        .map(|used| {
            let text = lines.get(used.at.line - 1).copied().unwrap_or_default();
            let text = fault::cut(text.trim(), 120).into_owned();
            Spot { path: file.path.to_owned(), line: used.at.line, text }
        })
        .collect();
    spots.dedup_by_key(|spot| spot.line);
    Some(spots)
}

/// Whether an import of the name, or of all names, brings in what went.
fn brings_in(gone: &Gone<'_>, file: &File<'_>, import: &Import, sources: &Sources<'_>) -> bool {
    let (language, from) = (file.language, &*import.from);
    let mark = if language == Language::Rust { "::" } else { "." };
    let (module, tail) = from.rsplit_once(mark).unwrap_or(("", from));
    let lead =
        |module: &str, name: &str| sources.leads(language, (file.path, module), (name, gone.path));
    match (language, gone.container.as_deref()) {
        (Language::Java, None) => lead(&format!("{from}.{}", gone.name), &gone.name),
        (Language::Java, Some(outer)) => tail == outer && lead(from, outer),
        (Language::Rust, Some(outer)) => tail == outer && lead(module, outer),
        (_, Some(_)) => false,
        (_, None) => lead(from, &gone.name),
    }
}

/// Whether the language says where every name comes from.
fn is_strict(gone: &Gone<'_>, file: &File<'_>, sources: &Sources<'_>) -> bool {
    use Language as L;
    let of_modules = |text: &str| text.lines().any(|line| line.starts_with("export "));
    match file.language {
        L::Python | L::Go | L::Java => true,
        L::Rust => gone.kind != Kind::Macro,
        L::JavaScript | L::TypeScript | L::Tsx => {
            let home = || sources.text(gone.path).unwrap_or_default();
            !file.imports.is_empty() || of_modules(file.text) || of_modules(&home())
        }
        _ => false,
    }
}

/// What a file knows of the definition.
struct Means<'m> {
    gone: &'m Gone<'m>,
    file: &'m File<'m>,
    sources: &'m Sources<'m>,
    is_home: bool,
    /// An import of the name brings in what went.
    is_own: bool,
    /// It has its name here too.
    is_own_here: bool,
    /// An import binds the name to something else.
    is_other: bool,
    /// Every name of the module is brought in, and of no other.
    has_all: bool,
    /// The language says where every name comes from.
    is_strict: bool,
    /// It names the module or the container, or is in the same directory.
    knows: bool,
}

impl<'m> Means<'m> {
    fn new(gone: &'m Gone<'m>, file: &'m File<'m>, sources: &'m Sources<'m>) -> Self {
        let is_it = |import: &&Import| brings_in(gone, file, import, sources);
        let is_named = |import: &&Import| import.name.as_deref() == Some(&*gone.name);
        let is_bound = |import: &&Import| import.local.as_deref() == Some(&*gone.name);
        let named = || file.imports.iter().filter(is_named);
        let mut bound = file.imports.iter().filter(is_bound);
        let mut all = file.imports.iter().filter(|import| import.is_all()).peekable();
        let is_home = file.path == gone.path;
        let says = |word: Option<&str>| word.is_some_and(|word| has_word(file.text, word));
        let is_beside = Path::new(file.path).parent() == Path::new(gone.path).parent();
        let module = module(gone.path).filter(|module| module.len() >= super::SHORTEST);
        Self {
            is_own: named().any(|import| is_it(&import)),
            is_own_here: named().any(|import| is_bound(&import) && is_it(&import)),
            is_other: bound.any(|import| !is_named(&import) || !is_it(&import)),
            has_all: all.peek().is_some() && all.all(|import| is_it(&import)),
            is_home,
            is_strict: is_strict(gone, file, sources),
            knows: is_home || is_beside || says(module) || says(gone.container.as_deref()),
            gone,
            file,
            sources,
        }
    }

    fn is_it(&self, used: &Used) -> bool {
        let is_call = used.at.role == Role::Call;
        match &used.place {
            Place::Key | Place::Local => false,
            _ if used.at.role == Role::Import && !self.is_strict => {
                self.knows && !self.gone.is_member()
            }
            _ if used.at.role == Role::Import => self.is_own && !self.is_other,
            Place::Member { owner, is_path } => {
                self.is_member((owner, *is_path), used.at.line, is_call)
            }
            Place::Free | Place::Loose if self.is_other => false,
            Place::Free | Place::Loose => self.is_plain(is_call),
        }
    }

    /// Whether the name alone means it.
    fn is_plain(&self, is_call: bool) -> bool {
        let gone = self.gone;
        if self.is_own_here {
            return true;
        }
        if gone.is_member() {
            use Language as L;
            let implied = matches!(self.file.language, L::Java | L::Ruby | L::Cpp | L::CSharp);
            return gone.kind == Kind::Method && self.is_home && is_call && implied;
        }
        if self.is_home || self.has_all {
            return true;
        }
        if self.is_strict {
            let is_beside = Path::new(self.file.path).parent() == Path::new(gone.path).parent();
            let is_go = self.file.language == Language::Go;
            return gone.kind != Kind::Variant
                && gone.package.is_some()
                && package(self.file.text) == gone.package
                && (is_beside || !is_go);
        }
        match gone.kind {
            _ if !self.knows => false,
            Kind::Variable | Kind::Variant => false,
            Kind::Function | Kind::Macro => is_call || gone.is_own(),
            _ => true,
        }
    }

    /// Whether it is meant as a member of `owner`.
    fn is_member(&self, (owner, is_path): (&str, bool), line: usize, is_call: bool) -> bool {
        let gone = self.gone;
        let outer = gone.container.as_deref();
        if SELVES.contains(&owner) {
            return outer.is_some_and(|outer| self.is_within(outer, line))
                && (gone.now.is_some() || !gone.is_inherited);
        }
        let is_rust = self.file.language == Language::Rust;
        if let Some(leads) = self.leads(owner).filter(|_| is_path || !is_rust) {
            return leads;
        }
        if let Some(class) = class_of(owner) {
            return self.knows && outer == Some(class) && self.has_class(class);
        }
        match gone.kind {
            Kind::Method | Kind::Field | Kind::Property => {
                let is_named_so = gone.kind == Kind::Method
                    && outer
                        .is_some_and(|outer| owner.to_lowercase().ends_with(&outer.to_lowercase()));
                let last = owner.rsplit(['.', '>', ':']).next().unwrap_or_default();
                self.knows
                    && (gone.is_own() || is_named_so)
                    && outer.is_none_or(|outer| !is_of_other(self.file.text, last, outer))
            }
            _ if self.is_strict => false,
            Kind::Variant | Kind::Variable => self.knows && gone.is_own(),
            _ => {
                self.knows && is_call && gone.is_own()
                    || outer.is_some_and(|outer| owner.ends_with(outer))
            }
        }
    }

    /// Whether `owner` is the module, or the container in it; `None` if no import tells.
    fn leads(&self, owner: &str) -> Option<bool> {
        let (file, gone) = (self.file, self.gone);
        let mark = if file.language == Language::Rust { "::" } else { "." };
        let owner = owner.replace("?.", ".");
        let rest = |import: &Import| {
            let rest = owner.strip_prefix(import.local.as_deref()?)?;
            (rest.is_empty() || rest.starts_with(mark))
                .then(|| rest.trim_start_matches(mark).to_owned())
        };
        let bound: Vec<(&Import, String)> =
            file.imports.iter().filter_map(|import| Some((import, rest(import)?))).collect();
        let is_path = |text: &str| !text.contains(['(', '[', '<']);
        let means = |path: &str| {
            let leads =
                |path: &str, name: &str| sources_lead(self.sources, file, path, name, gone.path);
            let inner = gone.container.as_deref().and_then(|outer| {
                path.strip_suffix(outer)?.strip_suffix(mark).map(|module| leads(module, outer))
            });
            inner.unwrap_or(false) || gone.container.is_none() && leads(path, &gone.name)
        };
        if bound.is_empty() {
            let is_crate = ["crate", "self", "super"].iter().any(|lead| owner.starts_with(lead));
            let is_rust = file.language == Language::Rust && is_path(&owner);
            let is_module = is_crate || !owner.starts_with(char::is_uppercase);
            return (is_rust && is_module && !owner.contains('.')).then(|| means(&owner));
        }
        let of = |(import, rest): &(&Import, String)| {
            let joined = |parts: &[&str]| {
                let parts: Vec<&str> =
                    parts.iter().copied().filter(|part| !part.is_empty()).collect();
                parts.join(mark)
            };
            match &import.name {
                _ if !is_path(rest) => false,
                None => means(&joined(&[&import.from, rest])),
                Some(name) if name == "default" => rest.is_empty() && means(&import.from),
                Some(name) if file.language == Language::Python && import.from.ends_with('.') => {
                    means(&format!("{}{}", import.from, joined(&[name, rest])))
                }
                Some(name) => means(&joined(&[&import.from, name, rest])),
            }
        };
        if bound.iter().any(of) {
            return Some(true);
        }
        // A whole module, or a class, of elsewhere; but a value may be of any type.
        let is_class = bound.iter().any(|(import, rest)| {
            let is_it = rest.is_empty() && import.local.as_deref() == gone.container.as_deref();
            is_it && import.name.is_some()
        });
        let is_whole = bound.iter().all(|(import, _)| import.name.is_none());
        (is_whole || !gone.is_member() && !is_class).then_some(false)
    }

    /// Whether a class of this name is that which had the member, as far as the imports tell.
    fn has_class(&self, class: &str) -> bool {
        let import = self.file.imports.iter().find(|import| import.local.as_deref() == Some(class));
        import.is_none_or(|import| {
            let whole = match self.file.language {
                Language::Java => format!("{}.{class}", import.from),
                _ => import.from.clone(),
            };
            sources_lead(self.sources, self.file, &whole, class, self.gone.path)
        })
    }

    /// Whether the line is in the container, or in what says that it is built upon it.
    fn is_within(&self, outer: &str, line: usize) -> bool {
        let mut around = self
            .file
            .symbols
            .iter()
            .filter(|symbol| (symbol.start_line..=symbol.end_line).contains(&line));
        around.any(|symbol| {
            let is_type = !matches!(symbol.kind, Kind::Function | Kind::Method);
            let is_home = self.is_home && symbol.container.as_deref() == Some(outer);
            is_home || is_type && has_word(&symbol.signature, outer)
        })
    }
}

fn sources_lead(
    sources: &Sources<'_>,
    file: &File<'_>,
    path: &str,
    name: &str,
    home: &str,
) -> bool {
    sources.leads(file.language, (file.path, path), (name, home))
}

/// The class that an expression names or makes one of, by how such names are written.
fn class_of(owner: &str) -> Option<&str> {
    let name = owner.strip_prefix("new ").unwrap_or(owner);
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
    let (name, rest) = name.split_at(end);
    let makes = ["::new(", "::default(", ".new(", "(", "<", "{"];
    let is_made = rest.is_empty()
        || rest == ".new"
        || makes.iter().any(|make| rest.starts_with(make)) && rest.matches(')').count() <= 1;
    (is_class(name) && is_made).then_some(name)
}

fn is_class(name: &str) -> bool {
    name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase)
}

/// Whether a variable is only said to be of other types: `x: T`, `x = T(`, `x := &T{`, `T x`.
fn is_of_other(text: &str, variable: &str, class: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let marks = [':', '=', ' ', '&', '*'];
    let mut is_typed = false;
    for (before, after) in words(text, variable).filter(|_| !variable.is_empty()) {
        let after = after.lines().next().unwrap_or_default();
        let mut rest = after.trim_start_matches(marks);
        for word in ["new ", "mut ", "await "] {
            rest = rest.strip_prefix(word).unwrap_or(rest);
        }
        let before = before.lines().next_back().unwrap_or_default();
        let typed = before.strip_suffix(marks).map_or("", |rest| rest.trim_end_matches(marks));
        let behind = after.starts_with(marks).then(|| rest.split(|c| !is_part(c)).next());
        // `Name.make()` says nothing of what it gives.
        let behind = behind.flatten().filter(|name| {
            let rest = &rest[name.len()..];
            !rest.starts_with(['.', ':'])
                || [".new", "::new(", "::default("].iter().any(|new| rest.starts_with(new))
        });
        let typed = typed.rsplit(|c| !is_part(c)).next().filter(|name| is_class(name));
        let behind = behind.filter(|name| is_class(name)).map(|_| type_at(rest));
        for name in typed.into_iter().chain(behind) {
            is_typed = true;
            if has_word(name, class) {
                return false;
            }
        }
    }
    is_typed
}

/// A type at the beginning of a text, with what is in its brackets.
fn type_at(text: &str) -> &str {
    let mut open = 0_usize;
    let end = text.find(|c: char| match c {
        '<' | '[' | '(' => {
            open += 1;
            false
        }
        '>' | ']' | ')' if open > 0 => {
            open -= 1;
            false
        }
        ',' | ';' | ')' | '=' | '{' => open == 0,
        _ => false,
    });
    &text[..end.unwrap_or(text.len())]
}
