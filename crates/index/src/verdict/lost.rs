//! Imports that went: those whose names are used all the same, and those of files that went.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use syntax::{Import, Kind, Language, Place, Role, Symbol, Used};

use super::made::{self, is_dynamic};
use super::paths::{directory, join, place};
use super::sources::Sources;
use super::uses::{File, has_word, words};
use super::{Loss, Missed, Side, Sides, Spot, Touched};
use crate::symbols::language_of;

/// Names that are known without an import. Whoever had one from elsewhere may do without it.
const KNOWN: &str = include_str!("known.txt");
/// How names begin that browsers give to every script.
const OF_BROWSERS: [&str; 6] = ["HTML", "SVG", "RTC", "GPU", "WebGL", "IDB"];
/// Headers that are read to know what a file of C has without one.
const MOST_HEADERS: usize = 30;
/// Files of projects whose build brings in names by itself.
const AUTOMATIC: [&str; 4] =
    ["auto-imports.d.ts", "src/auto-imports.d.ts", "nuxt.config.ts", "nuxt.config.js"];

/// What a file of a change brought in before and does not any more.
#[derive(Default)]
pub(super) struct Lost<'s> {
    imports: Vec<&'s Import>,
    stars: Vec<Star<'s>>,
}

/// All names of a module that were brought in at once.
struct Star<'s> {
    from: &'s str,
    /// The lines in which they were known.
    lines: RangeInclusive<usize>,
    names: BTreeSet<String>,
}

impl<'s> Lost<'s> {
    pub(super) fn new(at: usize, sides: &'s Sides, sources: &Sources<'_>) -> Self {
        let [before, after] = &sides.files[at];
        let bound: BTreeSet<&str> = after.imports.iter().filter_map(local).collect();
        let imports = before
            .imports
            .iter()
            .filter(|import| local(import).is_some_and(|name| !bound.contains(name)));
        let has = |import: &&Import| {
            after.imports.iter().any(|new| new.name == import.name && new.from == import.from)
        };
        let is_header = |import: &Import| {
            [".h", ".hh", ".hpp", ".hxx"].iter().any(|end| import.from.ends_with(end))
        };
        let stars = before
            .imports
            .iter()
            .filter(|import| (import.is_all() || is_header(import)) && !has(import));
        let stars = stars.filter_map(|import| Star::new(import, at, sides, sources));
        Self { imports: imports.collect(), stars: stars.collect() }
    }

    /// The names whose uses are asked for.
    pub(super) fn names(&self) -> BTreeSet<&str> {
        let stars = self.stars.iter().flat_map(|star| star.names.iter().map(String::as_str));
        self.imports.iter().copied().filter_map(local).chain(stars).collect()
    }
}

impl<'s> Star<'s> {
    fn new(import: &'s Import, at: usize, sides: &'s Sides, sources: &Sources<'_>) -> Option<Self> {
        let file = &sources.touched[at];
        let language = language_of(file.path, file.after?)?;
        if language.can_use(Language::C) {
            return Self::header(import, at, sides, sources);
        }
        if !matches!(language, Language::Python | Language::Rust) {
            return None;
        }
        let around = |symbols: &'s [(usize, Language, Symbol)], is_it: &dyn Fn(&Symbol) -> bool| {
            let mut modules = symbols.iter().filter(|(file, _, symbol)| {
                *file == at && symbol.kind == Kind::Module && is_it(symbol)
            });
            modules.next().map(|(.., symbol)| symbol)
        };
        let is_in = |symbol: &Symbol| (symbol.start_line..symbol.end_line).contains(&import.line);
        let after = &sides.files[at][1];
        let Some(module) = around(&sides.before, &is_in) else {
            let [home] = sources.candidates(language, file.path, &import.from).try_into().ok()?;
            let side = (sources.side)(&home, &sources.text(&home)?);
            let mut names = side
                .exports
                .filter(|_| language == Language::Python)
                .map_or(side.outer, |exports| exports.names);
            names.retain(|name| !name.starts_with('_') && !after.outer.contains(name));
            return Some(Self { from: &import.from, lines: 1..=usize::MAX, names });
        };
        if import.from != "super" || module.container.is_some() {
            return None;
        }
        // What is brought in is the rest of the file.
        let now = around(&sides.after, &|symbol| symbol.name == module.name)?;
        let lines = now.start_line..=now.end_line;
        let others = after.imports.iter().filter(|import| !lines.contains(&import.line));
        let within = after.imports.iter().filter(|import| lines.contains(&import.line));
        if within.clone().any(Import::is_all) {
            return None;
        }
        let mut names = after.outer.clone();
        names.extend(others.filter_map(local).map(str::to_owned));
        within.filter_map(local).for_each(|name| _ = names.remove(name));
        Some(Self { from: &import.from, lines, names })
    }
}

impl<'s> Star<'s> {
    /// What a header of C gave, if no other that is still brought in may give it.
    fn header(
        import: &'s Import,
        at: usize,
        sides: &'s Sides,
        sources: &Sources<'_>,
    ) -> Option<Self> {
        let file = &sources.touched[at];
        let language = language_of(file.path, file.after?)?;
        // What a header needs may be brought in before it.
        if [".c", ".cc", ".cpp", ".cxx"].iter().all(|end| !file.path.ends_with(end)) {
            return None;
        }
        let [home] = sources.candidates(language, file.path, &import.from).try_into().ok()?;
        let name = home.rsplit('/').next().unwrap_or(&home).to_owned();
        let is_included = |line: &str| line.trim_start().starts_with('#') && line.contains(&name);
        if file.after?.lines().any(is_included) {
            return None;
        }
        let after = &sides.files[at][1];
        let mut names = (sources.side)(&home, &sources.text(&home)?).outer;
        let text = file.after?;
        names.retain(|name| {
            !after.outer.contains(name) && !is_known(name, language) && !is_declared(text, name)
        });
        // Those of all that is still brought in.
        let mut open: Vec<(String, String)> = Vec::new();
        open.extend(after.imports.iter().map(|one| (file.path.to_owned(), one.from.clone())));
        let mut seen = BTreeSet::new();
        while let Some((importer, from)) = open.pop() {
            let [other] = sources.candidates(language, &importer, &from).try_into().ok()?;
            if other == home || seen.len() > MOST_HEADERS {
                return None;
            }
            if !seen.insert(other.clone()) {
                continue;
            }
            let text = sources.text(&other)?;
            names.retain(|name| !has_word(&text, name));
            let side = (sources.side)(&other, &text);
            open.extend(side.imports.into_iter().map(|one| (other.clone(), one.from)));
        }
        Some(Self { from: &import.from, lines: 1..=usize::MAX, names })
    }
}

/// Whether a text of C has a type before a name and its parameters, as in `int take(int n);`.
fn is_declared(text: &str, name: &str) -> bool {
    words(text, name).any(|(before, after)| {
        let line = before.rsplit('\n').next().unwrap_or_default().trim();
        let last = line.rsplit(|c: char| c.is_whitespace() || c == '*').next().unwrap_or_default();
        let is_type = line.ends_with(|c: char| c.is_alphanumeric() || "_*".contains(c));
        after.starts_with('(') && is_type && !["return", "else", "do", "case"].contains(&last)
    })
}

/// All names of a module that are not brought in any more, and of which some are used.
pub(super) fn stars(lost: &Lost<'_>, file: &File<'_>) -> Vec<Missed> {
    let used = |star: &Star<'_>| {
        let mut uses = Vec::new();
        for name in &star.names {
            let mine = file.uses.get(name).map_or(&[][..], Vec::as_slice);
            let mine: Vec<_> =
                mine.iter().filter(|used| star.lines.contains(&used.at.line)).collect();
            if mine.iter().any(|used| [Role::Definition, Role::Import].contains(&used.at.role)) {
                continue;
            }
            let free = mine.into_iter().filter(|used| is_free(used, file));
            uses.extend(free.map(|used| spot(file.path, file.text, used.at.line)));
        }
        uses.sort_by_key(|spot| spot.line);
        uses.dedup_by_key(|spot| spot.line);
        let name = match file.language {
            Language::Rust => format!("{}::*", star.from),
            Language::Python => format!("{}.*", star.from),
            _ => star.from.to_owned(),
        };
        (!uses.is_empty()).then_some(Missed { loss: Loss::NotImported, ..Missed::new(name, uses) })
    };
    lost.stars.iter().filter_map(used).collect()
}

fn is_free(used: &Used, file: &File<'_>) -> bool {
    let line = || file.text.lines().nth(used.at.line - 1).unwrap_or_default();
    match &used.place {
        Place::Free => true,
        Place::Loose => used.at.role == Role::Call || line().contains("#[derive("),
        _ => false,
    }
}

/// Whether a module that a file brings in whole may give it a name.
pub(super) fn may_give(
    (language, path): (Language, &str),
    module: &str,
    name: &str,
    sources: &Sources<'_>,
) -> bool {
    let homes = sources.candidates(language, path, module);
    let gives = |home: &String| {
        home != path
            && sources.text(home).is_none_or(|text| {
                let is_open = |side: Side| {
                    side.imports.iter().any(Import::is_all) || made::may_give(&side, name)
                };
                has_word(&text, name)
                    || is_dynamic(language, &text, false)
                    || is_open((sources.side)(home, &text))
            })
    };
    homes.is_empty() || homes.iter().any(gives)
}

/// The names that a file brought in before, does not any more, and still uses.
pub(super) fn imports(lost: &Lost<'_>, file: &File<'_>, sources: &Sources<'_>) -> Vec<Missed> {
    let after = &file.imports;
    let is_auto = || AUTOMATIC.iter().any(|path| sources.text(path).is_some());
    if lost.imports.is_empty() || file.language.is_script() && is_auto() {
        return Vec::new();
    }
    let mut seen = BTreeSet::new();
    let lost = lost.imports.iter().filter_map(|import| Some((*import, local(import)?)));
    let lost = lost.filter(|(import, name)| {
        let mut stars = after.iter().filter(|import| import.is_all());
        seen.insert(*name)
            && is_needed(import, name, file, sources)
            && !stars.any(|star| may_give((file.language, file.path), &star.from, name, sources))
    });
    let missed = lost.filter_map(|(_, name)| {
        let used = file.uses.get(name)?;
        if used.iter().any(|used| used.at.role == Role::Definition && !is_method(used, file)) {
            return None;
        }
        let free = used.iter().filter(|used| {
            ![Role::Import, Role::Definition].contains(&used.at.role) && is_free(used, file)
        });
        let mut uses: Vec<Spot> =
            free.map(|used| spot(file.path, file.text, used.at.line)).collect();
        uses.dedup_by_key(|spot| spot.line);
        let missed = Missed::new(name.to_owned(), uses);
        (!missed.uses.is_empty()).then_some(Missed { loss: Loss::NotImported, ..missed })
    });
    missed.collect()
}

/// Whether it is the definition of a method, where that binds no name.
fn is_method(used: &Used, file: &File<'_>) -> bool {
    use Language as L;
    let is_apart =
        matches!(file.language, L::Python | L::Rust | L::Go) || file.language.is_script();
    let is_it = |symbol: &Symbol| {
        (symbol.line, symbol.column) == (used.at.line, used.at.column) && symbol.container.is_some()
    };
    let mut methods = file
        .symbols
        .iter()
        .filter(|symbol| matches!(symbol.kind, Kind::Method | Kind::Field | Kind::Property));
    // What a class of Python has is known in the class.
    is_apart
        && methods.any(|symbol| {
            is_it(symbol) && (file.language != L::Python || symbol.kind == Kind::Method)
        })
}

/// The name that an import binds: of `import a.b` it is `a`.
fn local(import: &Import) -> Option<&str> {
    let name = import.local.as_deref().filter(|name| *name != "_")?;
    name.split('.').next()
}

/// Whether a language has a name that nothing brings in.
pub(super) fn is_known(name: &str, language: Language) -> bool {
    let lists = KNOWN.lines().filter_map(|line| line.split_once(": "));
    let mut lists = lists.filter(|(list, _)| is_list_of(list, language));
    lists.any(|(_, names)| names.split(' ').any(|known| known == name))
}

/// Whether nothing but the import is known to give the name.
fn is_needed(import: &Import, name: &str, file: &File<'_>, sources: &Sources<'_>) -> bool {
    if is_known(name, file.language) {
        return false;
    }
    match file.language {
        // The name of a crate, or a module that is beside.
        Language::Rust => !import.from.is_empty(),
        Language::Java => {
            let own = super::gone::package(file.text).unwrap_or_default();
            let beside = join(directory(file.path), &format!("{name}.java"));
            import.from != own && import.from != "java.lang" && sources.text(&beside).is_none()
        }
        // A package may have another name than its path says.
        Language::Go => !file.imports.iter().any(|other| other.from.contains(name)),
        _ => !file.language.is_script() || !OF_BROWSERS.iter().any(|lead| name.starts_with(lead)),
    }
}

fn is_list_of(list: &str, language: Language) -> bool {
    list == match language {
        Language::Python => "Python",
        Language::Rust => "Rust",
        Language::Java => "Java",
        Language::Go => "Go",
        Language::Ruby => "Ruby",
        Language::C | Language::Cpp => "C",
        language if language.is_script() => "JavaScript",
        _ => return false,
    }
}

/// Files that went and are still brought in by this one.
pub(super) fn files(
    touched: &[Touched<'_>],
    file: &File<'_>,
    sources: &Sources<'_>,
) -> Vec<((usize, Loss), Spot)> {
    let mut found = Vec::new();
    // What Go brings in is a directory.
    if file.language == Language::Go {
        return found;
    }
    let is_away = |went: &Touched<'_>| {
        let is_elsewhere = is_namespace(went.path, sources) || is_mapped(went.path, sources);
        is_away(went, touched) && !is_elsewhere
    };
    for (at, went) in touched.iter().enumerate().filter(|(_, went)| is_away(went)) {
        let mine = file.imports.iter();
        for import in
            mine.filter(|import| sources.brings((file.language, file.path), import, went.path))
        {
            found.push(((at, Loss::Gone), spot(file.path, file.text, import.line)));
        }
        let lines = file.text.lines().enumerate().filter(|_| file.language == Language::Rust);
        for (line, text) in lines.filter(|(_, text)| text.trim_start().starts_with("#[path")) {
            let written = text.split('"').nth(1).unwrap_or_default();
            if join(directory(file.path), written) == went.path {
                found.push(((at, Loss::Gone), spot(file.path, file.text, line + 1)));
            }
        }
    }
    found.dedup_by_key(|(at, spot)| (*at, spot.line));
    found
}

/// Whether a module of Rust is in another file, as `#[path = "…"]` says.
fn is_mapped(path: &str, sources: &Sources<'_>) -> bool {
    let Some((dir, name)) = place(path).rsplit_once('/').filter(|_| path.ends_with(".rs")) else {
        return false;
    };
    let item = format!("mod {name};");
    let has_path = |text: String| {
        let mut lines = text.lines().map(str::trim);
        let is_it = |line: &str| line == item || line.ends_with(&format!(" {item}"));
        let head = lines.by_ref().take_while(|line| !is_it(line)).collect::<Vec<_>>();
        let mut above = head.iter().rev().take_while(|line| line.starts_with("#["));
        above.any(|line| line.starts_with("#[path"))
    };
    let above =
        [join(dir, "lib.rs"), join(dir, "main.rs"), join(dir, "mod.rs"), format!("{dir}.rs")];
    above.iter().filter_map(|path| sources.text(path)).any(has_path)
}

/// Whether a package of Python is one without its `__init__.py` too.
fn is_namespace(path: &str, sources: &Sources<'_>) -> bool {
    let is_init = path.rsplit('/').next() == Some("__init__.py");
    is_init && sources.workspace.kind(directory(path)).is_ok_and(|kind| kind.is_some())
}

/// Whether a file went and none of the change is in its place.
pub(super) fn is_away(went: &Touched<'_>, touched: &[Touched<'_>]) -> bool {
    let is_same =
        |other: &Touched<'_>| other.after.is_some() && place(other.path) == place(went.path);
    went.after.is_none() && went.before.is_some() && !touched.iter().any(is_same)
}

pub(super) fn spot(path: &str, text: &str, line: usize) -> Spot {
    let text = text.lines().nth(line - 1).unwrap_or_default().trim();
    Spot { path: path.to_owned(), line, text: fault::cut(text, 120).into_owned() }
}
