//! Whether a name in a file means the definition that went.

use syntax::{Import, Kind, Language, Place, Role, Used};

use super::gone::{Gone, Went, package};
use super::heirs::is_heir;
use super::lost::is_known;
use super::members::{Said, class_of, literal_of, said};
use super::paths::{directory, module};
use super::sources::Sources;
use super::uses::{File, has_word};

/// What is used without the name of its owner.
const SELVES: [&str; 5] = ["self", "this", "Self", "cls", "super()"];

/// How certain it is that a name means what went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Meant {
    Sure,
    /// Sure if nothing else has a member of the name.
    Likely,
    /// It is a member of a value whose type is not said.
    Unknown,
    No,
}

impl Meant {
    fn sure(is_it: bool) -> Self {
        if is_it { Self::Sure } else { Self::No }
    }
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

/// Whether an import of Rust goes through the module that went.
fn is_on_path(gone: &Gone<'_>, file: &File<'_>, sources: &Sources<'_>) -> bool {
    let is_through = |import: &Import| {
        let parts: Vec<&str> = import.from.split("::").collect();
        let mut at = (1..parts.len()).filter(|at| parts[*at] == gone.name);
        at.any(|at| {
            let module = parts[..at].join("::");
            sources.leads(file.language, (file.path, &module), (&gone.name, gone.path))
        })
    };
    file.language == Language::Rust
        && gone.container.is_none()
        && (gone.kind == Kind::Module || gone.went == Went::Export)
        && file.imports.iter().any(is_through)
}

/// Whether the language says where every name comes from.
fn is_strict(gone: &Gone<'_>, file: &File<'_>, sources: &Sources<'_>) -> bool {
    use Language as L;
    let of_modules = |text: &str| text.lines().any(|line| line.starts_with("export "));
    match file.language {
        L::Python | L::Go | L::Java => true,
        L::Rust => gone.kind != Kind::Macro,
        script if script.is_script() => {
            let home = || sources.text(gone.path).unwrap_or_default();
            !file.imports.is_empty() || of_modules(file.text) || of_modules(&home())
        }
        _ => false,
    }
}

/// What a file knows of the definition.
pub(super) struct Means<'m> {
    gone: &'m Gone<'m>,
    file: &'m File<'m>,
    sources: &'m Sources<'m>,
    is_home: bool,
    /// An import of the name brings in what went.
    is_imported: bool,
    /// It has its name here too.
    is_bound_here: bool,
    /// An import binds the name to something else.
    is_other: bool,
    /// Every name of the module is brought in, and of no other.
    has_all: bool,
    /// The language says where every name comes from.
    is_strict: bool,
    /// It names the module or the container, or is in the same directory.
    knows: bool,
    is_beside: bool,
    /// The language has the name itself: what it shadowed is there again.
    is_known: bool,
}

impl<'m> Means<'m> {
    pub(super) fn new(gone: &'m Gone<'m>, file: &'m File<'m>, sources: &'m Sources<'m>) -> Self {
        let is_it = |import: &&Import| brings_in(gone, file, import, sources);
        let is_named = |import: &&Import| import.name.as_deref() == Some(&*gone.name);
        let is_bound = |import: &&Import| import.local.as_deref() == Some(&*gone.name);
        let named = || file.imports.iter().filter(is_named);
        let mut bound = file.imports.iter().filter(is_bound);
        let mut all = file.imports.iter().filter(|import| import.is_all()).peekable();
        let is_home = file.path == gone.path;
        let says = |word: Option<&str>| word.is_some_and(|word| has_word(file.text, word));
        let is_beside = directory(file.path) == directory(gone.path);
        let module = module(gone.path).filter(|module| module.len() >= super::SHORTEST);
        Self {
            is_imported: named().any(|import| is_it(&import)) || is_on_path(gone, file, sources),
            is_bound_here: named().any(|import| is_bound(&import) && is_it(&import)),
            is_other: bound.any(|import| !is_named(&import) || !is_it(&import)),
            has_all: all.peek().is_some() && all.all(|import| is_it(&import)),
            is_home,
            is_strict: is_strict(gone, file, sources),
            knows: is_home || is_beside || says(module) || says(gone.container.as_deref()),
            is_beside,
            is_known: !gone.is_member() && is_known(&gone.name, file.language),
            gone,
            file,
            sources,
        }
    }

    pub(super) fn what(&self, used: &Used) -> Meant {
        let is_call = used.at.role == Role::Call;
        let is_free = used.place == Place::Free && used.at.role != Role::Import;
        // `__all__` is only about who brings in all.
        if self.gone.went == Went::Listed {
            return Meant::sure(is_free && self.has_all && !self.is_bound_here && !self.is_other);
        }
        if is_free && self.is_known && !self.is_bound_here {
            return Meant::No;
        }
        match &used.place {
            Place::Key => Meant::sure(self.is_key(used)),
            Place::Local => Meant::No,
            _ if used.at.role == Role::Import && !self.is_strict => {
                Meant::sure(self.knows && !self.gone.is_member())
            }
            _ if used.at.role == Role::Import => Meant::sure(self.is_imported && !self.is_other),
            // `.name = …` in a literal of C.
            Place::Member { owner, .. } if owner.is_empty() && self.is_key(used) => Meant::Sure,
            Place::Member { owner, is_path } => {
                self.member((owner, *is_path), used.at.line, is_call)
            }
            Place::Free | Place::Loose if self.is_other => Meant::No,
            Place::Free | Place::Loose => Meant::sure(self.is_plain(is_call)),
        }
    }

    /// Whether a field is given a value in a literal of the type.
    fn is_key(&self, used: &Used) -> bool {
        use Language as L;
        let language = self.file.language;
        let is_known = matches!(language, L::Rust | L::Go | L::TypeScript | L::Tsx | L::C | L::Cpp);
        if !matches!(self.gone.kind, Kind::Field | Kind::Property) || !is_known {
            return false;
        }
        let head: usize =
            self.file.text.split_inclusive('\n').take(used.at.line - 1).map(str::len).sum();
        let line = self.file.text[head..].lines().next().unwrap_or_default();
        let before: usize = line.chars().take(used.at.column - 1).map(char::len_utf8).sum();
        let before = &self.file.text[..head + before];
        literal_of(before, language).is_some_and(|name| self.is_type(name))
    }

    /// Whether a type, as it is written with its path, is that which had the member.
    fn is_type(&self, path: &str) -> bool {
        let Some(outer) = self.gone.container.as_deref() else { return false };
        let mark = if self.file.language == Language::Rust { "::" } else { "." };
        if path.contains(mark) {
            return path.rsplit(mark).next() == Some(outer) && self.leads(path) == Some(true);
        }
        let mut imports = self.file.imports.iter();
        match imports.find(|import| import.local.as_deref() == Some(path)) {
            Some(import) => {
                let name = import.name.as_deref().unwrap_or(path);
                name == outer && self.has_class(path) || name == "default" && self.brings()
            }
            None => {
                (path == outer || self.gone.aliases.iter().any(|alias| alias == path))
                    && (self.is_home || self.has_all || self.is_near())
            }
        }
    }

    fn is_heir(&self, class: &str) -> bool {
        is_heir(class, self.gone, self.file, self.sources)
    }

    /// Whether the file may know the type without an import of its name.
    fn is_near(&self) -> bool {
        use Language as L;
        match self.file.language {
            L::Go | L::Java => self.is_beside && package(self.file.text) == self.gone.package,
            language => {
                matches!(language, L::C | L::Cpp | L::Ruby | L::CSharp | L::Php) && self.knows
            }
        }
    }

    /// Whether it brings in the file that had it, or something of that.
    fn brings(&self) -> bool {
        let mut imports = self.file.imports.iter();
        let from = (self.file.language, self.file.path);
        imports.any(|import| self.sources.brings(from, import, self.gone.path))
    }

    /// Whether the name alone means it.
    fn is_plain(&self, is_call: bool) -> bool {
        let gone = self.gone;
        if self.is_bound_here {
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
            let is_go = self.file.language == Language::Go;
            return gone.kind != Kind::Variant
                && gone.package.is_some()
                && package(self.file.text) == gone.package
                && (self.is_beside || !is_go);
        }
        match gone.kind {
            _ if !self.knows => false,
            Kind::Variable => false,
            Kind::Variant => gone.is_distinct(),
            Kind::Function | Kind::Macro => is_call || gone.is_distinct(),
            _ => true,
        }
    }

    /// Whether it is meant as a member of `owner`.
    fn member(&self, (owner, is_path): (&str, bool), line: usize, is_call: bool) -> Meant {
        let gone = self.gone;
        let outer = gone.container.as_deref();
        // What is private is there for who says that the type does not matter.
        if gone.went == Went::Export && owner.ends_with("asany)") {
            return Meant::No;
        }
        if SELVES.contains(&owner) {
            return Meant::sure(
                outer.is_some_and(|outer| self.is_within(outer, line))
                    && (gone.now.is_some() || !gone.is_inherited),
            );
        }
        let is_rust = self.file.language == Language::Rust;
        if let Some(leads) = self.leads(owner).filter(|_| is_path || !is_rust) {
            return Meant::sure(leads);
        }
        if let Some(class) = class_of(owner) {
            let may_have = gone.now.is_some() || !gone.is_inherited || is_path;
            return Meant::sure(
                self.knows && outer == Some(class) && self.has_class(class) && may_have
                    || !is_path && self.is_heir(class),
            );
        }
        match gone.kind {
            Kind::Method | Kind::Field | Kind::Property => self.of_value(owner, line),
            _ if self.is_strict => Meant::No,
            Kind::Variant | Kind::Variable => Meant::sure(self.knows && gone.is_distinct()),
            _ => Meant::sure(
                self.knows && is_call && gone.is_distinct()
                    || outer.is_some_and(|outer| owner.ends_with(outer)),
            ),
        }
    }

    /// Whether it is meant as a member of a value.
    fn of_value(&self, owner: &str, line: usize) -> Meant {
        let gone = self.gone;
        let outer = gone.container.as_deref();
        let last = owner.rsplit(['.', '>', ':']).next().unwrap_or_default();
        let place = (self.file.text, self.file.symbols.as_slice());
        let is_it = |path: &str| self.is_type(path) || self.is_heir(path);
        let said = said(place, (last, line), self.file.language, &is_it);
        if said == Said::Other || gone.is_inherited && gone.now.is_none() {
            return Meant::No;
        }
        let is_named_so = gone.kind == Kind::Method
            && outer.is_some_and(|outer| owner.to_lowercase().ends_with(&outer.to_lowercase()));
        match () {
            () if said == Said::It => Meant::Sure,
            () if self.knows && (gone.is_distinct() || is_named_so) => Meant::Likely,
            () if last.is_empty() => Meant::No,
            () if self.is_home || self.is_near() || self.brings() => Meant::Unknown,
            () => Meant::No,
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
            let leads = |path: &str, name: &str| self.lead(path, name);
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
                Some(name) if file.language.is_script() && rest.is_empty() => {
                    let from = (file.path, &*import.from, &**name);
                    let gives =
                        || self.sources.gives_whole(file.language, from, (&gone.name, gone.path));
                    gone.container.is_none() && gives()
                        || means(&joined(&[&import.from, name, rest]))
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
            self.lead(&whole, class)
        })
    }

    /// Whether a name of a module, as the file writes it, is what the file had that it went from.
    fn lead(&self, module: &str, name: &str) -> bool {
        self.sources.leads(self.file.language, (self.file.path, module), (name, self.gone.path))
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
