//! What other files could bring in from one, or use of a type, and cannot any more.

use std::collections::BTreeSet;

use syntax::{Import, Kind, Language, Symbol};

use super::gone::{Gone, Went};
use super::lost::{may_give, spot};
use super::made::{self, is_dynamic};
use super::paths::{directory, join};
use super::sources::Sources;
use super::uses::{File, words};
use super::{Loss, SHORTEST, Side, Sides, Spot};
use crate::symbols::language_of;

/// The names that other files could bring in from a file of the change and cannot any more.
pub(super) fn unexported<'t>(sides: &Sides, sources: &Sources<'t>) -> Vec<Gone<'t>> {
    let touched = sources.touched;
    // That `__all__` has a name brings it in from nowhere.
    let is_elsewhere = |name: &str, (at, went): (usize, Went)| {
        let mut others = sides.files.iter().enumerate();
        others.any(|(other, [_, after])| {
            let has = after.exports.as_ref().is_some_and(|exports| exports.names.contains(name));
            has && (other != at || went != Went::Passed)
        })
    };
    let mut all = Vec::new();
    for (at, (file, side)) in touched.iter().zip(&sides.files).enumerate() {
        let Some(language) = language_of(file.path, file.before.unwrap_or_default()) else {
            continue;
        };
        let listed = match language {
            Language::Python => not_listed(side),
            _ if file.after.is_some() => not_exported(language, file.path, side, sources),
            _ => BTreeSet::new(),
        };
        let passed = match language {
            Language::Python => not_passed_on(at, sides, sources),
            _ => BTreeSet::new(),
        };
        let listed = listed.difference(&passed).cloned().map(|name| (name, Went::Listed));
        let went = match language {
            Language::Python => listed.collect::<Vec<_>>(),
            _ => listed.map(|(name, _)| (name, Went::Export)).collect(),
        };
        let went = went.into_iter().chain(passed.iter().cloned().map(|name| (name, Went::Passed)));
        for (name, went) in went {
            if name.len() < SHORTEST || name == "default" || is_elsewhere(&name, (at, went)) {
                continue;
            }
            let is_it =
                |(file, _, symbol): &&(usize, Language, Symbol)| *file == at && symbol.name == name;
            let kind = sides.before.iter().find(is_it).map(|(.., symbol)| symbol.kind);
            let has = |import: &Import| import.local.as_deref() == Some(&*name);
            let is_kept =
                sides.after.iter().any(|one| is_it(&one)) || side[1].imports.iter().any(has);
            all.push(Gone {
                container: None,
                kind: kind.unwrap_or(Kind::Function),
                language,
                path: file.path,
                package: None,
                now: None,
                is_member_too: false,
                is_inherited: false,
                went,
                is_kept,
                aliases: Vec::new(),
                name,
            });
        }
    }
    all
}

/// The names that `__all__` had and has no more.
fn not_listed([before, after]: &[Side; 2]) -> BTreeSet<String> {
    match (&before.exports, &after.exports) {
        (Some(old), Some(new)) if !new.is_open => {
            old.names.difference(&new.names).cloned().collect()
        }
        _ => BTreeSet::new(),
    }
}

/// The names that a file exported, or passed on with all of a module, and does not any more.
fn not_exported(
    language: Language,
    path: &str,
    [before, after]: &[Side; 2],
    sources: &Sources<'_>,
) -> BTreeSet<String> {
    let (Some(old), new) = (&before.exports, after.exports.clone().unwrap_or_default()) else {
        return BTreeSet::new();
    };
    let mut names: BTreeSet<String> = old.names.difference(&new.names).cloned().collect();
    let went = old.stars.iter().filter(|star| !new.stars.contains(star));
    names.extend(went.flat_map(|star| of_module((language, path), star, sources)));
    names.retain(|name| {
        let gives = |star: &String| may_give((language, path), star, name, sources);
        let is_new = !new.is_open && !new.names.contains(name);
        is_new && !made::may_give(after, name) && !new.stars.iter().any(gives)
    });
    names
}

/// The names that a file of Python brought in, so that others could bring them in from there, and
/// does not have any more.
fn not_passed_on(at: usize, sides: &Sides, sources: &Sources<'_>) -> BTreeSet<String> {
    let (file, [before, after]) = (&sources.touched[at], &sides.files[at]);
    let (language, dir) = (Language::Python, directory(file.path));
    let is_init = file.path.ends_with("__init__.py");
    let text = file.after.unwrap_or_default();
    // A file that went is told by its own name.
    if file.after.is_none() && !is_init
        || is_dynamic(language, text, false)
        || text.starts_with("def __getattr__")
    {
        return BTreeSet::new();
    }
    let local = |import: &Import| {
        let local = import.local.as_deref()?;
        Some(local.split('.').next().unwrap_or(local).to_owned())
    };
    let mut names: BTreeSet<String> = before.imports.iter().filter_map(local).collect();
    let stars = |side: &Side| -> Vec<String> {
        side.imports.iter().filter(|one| one.is_all()).map(|one| one.from.clone()).collect()
    };
    let (old, new) = (stars(before), stars(after));
    let went = old.iter().filter(|star| !new.contains(star));
    names.extend(went.flat_map(|star| of_module((language, file.path), star, sources)));
    let here: BTreeSet<String> = after.imports.iter().filter_map(local).collect();
    names.retain(|name| {
        let is_module = || {
            let path = join(dir, name);
            let ends = ["", ".py", ".pyi", ".so", ".pyd"];
            is_init
                && ends
                    .iter()
                    .any(|end| sources.workspace.glance(&format!("{path}{end}")).is_some())
        };
        let gives = |star: &String| may_give((language, file.path), star, name, sources);
        !here.contains(name)
            && !after.outer.contains(name)
            && !new.iter().any(gives)
            && !is_module()
    });
    names
}

/// The names that a module gives to who brings in all of them, if it is known which it is.
fn of_module(
    (language, path): (Language, &str),
    module: &str,
    sources: &Sources<'_>,
) -> BTreeSet<String> {
    let homes: Result<[String; 1], _> = sources.candidates(language, path, module).try_into();
    let Some((text, home)) = homes.ok().and_then(|[home]| Some((sources.text(&home)?, home)))
    else {
        return BTreeSet::new();
    };
    let side = (sources.side)(&home, &text);
    let mut names = side.exports.map_or(side.outer, |exports| exports.names);
    names.retain(|name| !name.starts_with('_'));
    names
}

/// The members that other files could use and cannot any more: `pub` went, or `private` came.
pub(super) fn hidden<'t>(sides: &Sides, sources: &Sources<'t>) -> Vec<Gone<'t>> {
    use Language as L;
    let is_member = |symbol: &Symbol| {
        matches!(symbol.kind, Kind::Method | Kind::Field | Kind::Property)
            && symbol.container.is_some()
    };
    let is_private = |language: Language, symbol: &Symbol| {
        let head = symbol.signature.split(['(', '=', '{', ':']).next().unwrap_or_default();
        match language {
            L::Rust => !symbol.signature.starts_with("pub"),
            L::Java | L::TypeScript | L::Tsx => {
                head.split_whitespace().any(|word| word == "private")
            }
            _ => false,
        }
    };
    let mut all = Vec::new();
    for (at, language, symbol) in sides.before.iter().filter(|(.., symbol)| is_member(symbol)) {
        let is_it =
            |other: &Symbol| (&other.name, &other.container) == (&symbol.name, &symbol.container);
        let count = sides.before.iter().filter(|(.., other)| is_it(other)).count();
        let mut now = sides.after.iter().filter(|(.., other)| is_it(other));
        let (Some((home, _, now)), None) = (now.next(), now.next()) else { continue };
        let went = home == at
            && count == 1
            && !is_private(*language, symbol)
            && is_private(*language, now);
        if !went || symbol.name.len() < SHORTEST {
            continue;
        }
        let file = &sources.touched[*at];
        let lines: Vec<&str> =
            file.after.unwrap_or_default().lines().take(now.start_line).collect();
        let head = lines.iter().rev().map(|line| line.trim_start());
        let mut head =
            head.filter(|line| line.starts_with("impl") || line.starts_with("unsafe impl"));
        // What a trait has is as public as the trait.
        if *language == L::Rust && head.next().is_some_and(|line| line.contains(" for ")) {
            continue;
        }
        all.push(Gone {
            name: symbol.name.clone(),
            container: symbol.container.clone(),
            kind: symbol.kind,
            language: *language,
            path: file.path,
            package: file.before.and_then(super::gone::package),
            now: None,
            is_member_too: true,
            is_inherited: false,
            went: Went::Export,
            is_kept: true,
            aliases: Vec::new(),
        });
    }
    all
}

/// Which files of a change gave something as `default` and do not any more.
pub(super) fn without_default(sources: &Sources<'_>, sides: &Sides) -> Vec<usize> {
    let leads = ["export ", " as "];
    let gives = |text: &str| {
        words(text, "default").any(|(before, _)| leads.iter().any(|lead| before.ends_with(lead)))
    };
    let is_it = |at: &usize| {
        let (file, [_, after]) = (&sources.touched[*at], &sides.files[*at]);
        let (Some(before), Some(now)) = (file.before, file.after) else { return false };
        let is_open = after.exports.as_ref().is_none_or(|exports| exports.is_open);
        let is_common = ["module.exports", "export = "].iter().any(|word| now.contains(word));
        language_of(file.path, before).is_some_and(Language::is_script)
            && gives(before)
            && !(gives(now) || is_open || is_common)
    };
    (0..sources.touched.len()).filter(is_it).collect()
}

/// Where a file brings in what these files gave as `default`.
pub(super) fn defaults(
    homes: &[usize],
    file: &File<'_>,
    sources: &Sources<'_>,
) -> Vec<((usize, Loss), Spot)> {
    let mine = file.imports.iter().filter(|import| import.name.as_deref() == Some("default"));
    let found = mine.filter(|_| file.language.is_script()).filter_map(|import| {
        let from = (file.path, &*import.from);
        let leads = |home: &str| sources.leads(file.language, from, ("default", home));
        let home = homes.iter().find(|at| leads(sources.touched[**at].path))?;
        Some(((*home, Loss::NotExported), spot(file.path, file.text, import.line)))
    });
    found.collect()
}
