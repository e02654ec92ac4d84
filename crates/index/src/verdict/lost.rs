//! Imports that went: those whose names are used all the same, and those of files that went.

use std::collections::BTreeSet;

use syntax::{Import, Language, Place, Role};

use super::sources::{Sources, directory, join, place};
use super::uses::File;
use super::{Missed, Spot, Touched};

/// Names that are known without an import. Whoever had one from elsewhere may do without it.
const KNOWN: &str = include_str!("known.txt");
/// How names begin that browsers give to every script.
const OF_BROWSERS: [&str; 6] = ["HTML", "SVG", "RTC", "GPU", "WebGL", "IDB"];
/// Files of projects whose build brings in names by itself.
const AUTOMATIC: [&str; 4] =
    ["auto-imports.d.ts", "src/auto-imports.d.ts", "nuxt.config.ts", "nuxt.config.js"];

/// The names that a file brought in before, does not any more, and still uses.
pub(super) fn imports(before: &[Import], file: &File<'_>, sources: &Sources<'_>) -> Vec<Missed> {
    let after = &file.imports;
    let is_auto = || AUTOMATIC.iter().any(|path| sources.text(path).is_some());
    if after.iter().any(Import::is_all) || is_script(file.language) && is_auto() {
        return Vec::new();
    }
    let bound: BTreeSet<&str> = after.iter().filter_map(local).collect();
    let mut seen = BTreeSet::new();
    let lost = before.iter().filter_map(|import| Some((import, local(import)?)));
    let lost = lost.filter(|(import, name)| {
        !bound.contains(name) && seen.insert(*name) && is_needed(import, name, file, sources)
    });
    let missed = lost.filter_map(|(_, name)| {
        let used = file.uses.get(name)?;
        if used.iter().any(|used| used.at.role == Role::Definition) {
            return None;
        }
        let free = used.iter().filter(|used| {
            used.at.role != Role::Import
                && match &used.place {
                    Place::Free => true,
                    Place::Loose => used.at.role == Role::Call,
                    _ => false,
                }
        });
        let mut uses: Vec<Spot> =
            free.map(|used| spot(file.path, file.text, used.at.line)).collect();
        uses.dedup_by_key(|spot| spot.line);
        let name = name.to_owned();
        (!uses.is_empty()).then_some(Missed { name, now: None, is_import: true, uses })
    });
    missed.collect()
}

/// The names that imports of a text bind which those of another do not.
pub(super) fn names<'i>(before: &'i [Import], after: &[Import]) -> BTreeSet<&'i str> {
    let bound: BTreeSet<&str> = after.iter().filter_map(local).collect();
    before.iter().filter_map(local).filter(|name| !bound.contains(name)).collect()
}

/// The name that an import binds: of `import a.b` it is `a`.
fn local(import: &Import) -> Option<&str> {
    let name = import.local.as_deref().filter(|name| *name != "_")?;
    name.split('.').next()
}

/// Whether nothing but the import is known to give the name.
fn is_needed(import: &Import, name: &str, file: &File<'_>, sources: &Sources<'_>) -> bool {
    let lists = KNOWN.lines().filter_map(|line| line.split_once(": "));
    let mut lists = lists.filter(|(language, _)| is_list_of(language, file.language));
    if lists.any(|(_, names)| names.split(' ').any(|known| known == name)) {
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
        _ => !is_script(file.language) || !OF_BROWSERS.iter().any(|lead| name.starts_with(lead)),
    }
}

fn is_script(language: Language) -> bool {
    matches!(language, Language::JavaScript | Language::TypeScript | Language::Tsx)
}

fn is_list_of(list: &str, language: Language) -> bool {
    list == match language {
        Language::Python => "Python",
        Language::Rust => "Rust",
        Language::Java => "Java",
        Language::Go => "Go",
        _ => "JavaScript",
    }
}

/// Files that went and are still brought in by this one.
pub(super) fn files(
    touched: &[Touched<'_>],
    file: &File<'_>,
    sources: &Sources<'_>,
) -> Vec<(usize, Spot)> {
    let mut found = Vec::new();
    // What Go brings in is a directory.
    if file.language == Language::Go {
        return found;
    }
    for (at, went) in touched.iter().enumerate().filter(|(_, went)| is_away(went, touched)) {
        for import in &file.imports {
            let whole = match (&import.name, file.language) {
                (Some(name), Language::Python) if import.from.ends_with('.') => {
                    Some(format!("{}{name}", import.from))
                }
                (Some(name), Language::Python | Language::Java) => {
                    Some(format!("{}.{name}", import.from))
                }
                (Some(name), Language::Rust) => Some(format!("{}::{name}", import.from)),
                _ => None,
            };
            let is_it = |module: &str| sources.is_home(file.language, file.path, module, went.path);
            if is_it(&import.from) || whole.as_deref().is_some_and(is_it) {
                found.push((at, spot(file.path, file.text, import.line)));
            }
        }
    }
    found.dedup_by_key(|(at, spot)| (*at, spot.line));
    found
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
