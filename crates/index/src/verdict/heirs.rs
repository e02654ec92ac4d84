//! Classes that are built upon the one that had a member, and so have it no more.

use syntax::Language;

use super::gone::Gone;
use super::paths::{directory, join};
use super::sources::Sources;
use super::uses::{File, has_word, words};

/// Whether a class, as a file calls it, says that it is built upon that which had the member, and has
/// none of the name itself.
pub(super) fn is_heir(
    class: &str,
    gone: &Gone<'_>,
    file: &File<'_>,
    sources: &Sources<'_>,
) -> bool {
    use Language as L;
    let says_it = matches!(file.language, L::Python | L::Java) || file.language.is_script();
    let Some(outer) = gone.container.as_deref().filter(|outer| says_it && *outer != class) else {
        return false;
    };
    let import = file.imports.iter().find(|one| one.local.as_deref() == Some(class));
    let (name, home) = match import {
        Some(import) => {
            let homes = sources.candidates(file.language, file.path, &import.from);
            let [home] = homes.as_slice() else { return false };
            (import.name.as_deref().unwrap_or(class), home.clone())
        }
        None if file.language == L::Java => {
            (class, join(directory(file.path), &format!("{class}.java")))
        }
        None => (class, file.path.to_owned()),
    };
    let Some(text) = sources.text(&home) else { return false };
    let head = text
        .lines()
        .find(|line| words(line, name).any(|(before, _)| before.trim_end().ends_with("class")));
    let rest = head.and_then(|head| head.split_once(name)).map(|(_, rest)| rest.trim());
    let is_built = |rest: &str| match file.language {
        L::Python => rest.strip_suffix("):").and_then(|rest| rest.strip_prefix('(')) == Some(outer),
        _ => words(rest, outer).any(|(before, _)| before.trim_end().ends_with("extends")),
    };
    let defines = || {
        let mut mine = file.symbols.iter().filter(|symbol| symbol.name == gone.name);
        mine.any(|symbol| symbol.container.as_deref() == Some(name))
    };
    let is_own = || match home == file.path {
        true => defines(),
        false => has_word(&text, &gone.name),
    };
    rest.is_some_and(is_built) && !is_own()
}
