//! Names that an edit brings in from a file of the project that has none of them.

use fault::{Cancel, Result};
use files::search::Grep;
use syntax::{Import, Language};

use super::lost::spot;
use super::made::{is_dynamic, may_give};
use super::paths::{above, directory, join, place};
use super::sources::Sources;
use super::uses::has_word;
use super::{Absent, Adrift, Side, Touched};
use crate::symbols::language_of;

/// Modules of Python whose names projects use too.
const OF_PYTHON: [&str; 48] = [
    "abc",
    "array",
    "ast",
    "asyncio",
    "base64",
    "calendar",
    "code",
    "codecs",
    "collections",
    "concurrent",
    "copy",
    "csv",
    "curses",
    "datetime",
    "email",
    "enum",
    "functools",
    "graphlib",
    "html",
    "http",
    "importlib",
    "inspect",
    "io",
    "json",
    "logging",
    "math",
    "numbers",
    "operator",
    "os",
    "parser",
    "pathlib",
    "platform",
    "profile",
    "queue",
    "random",
    "re",
    "select",
    "signal",
    "socket",
    "string",
    "struct",
    "subprocess",
    "test",
    "time",
    "token",
    "types",
    "typing",
    "xml",
];
/// Files of builds of C.
const BUILDS: [&str; 9] = [
    "BUILD",
    "CMakeLists.txt",
    "Makefile",
    "Makefile.am",
    "SConstruct",
    "compile_commands.json",
    "compile_flags.txt",
    "makefile",
    "meson.build",
];
/// Endings of modules of Python that are no text.
const COMPILED: [&str; 6] = ["", ".so", ".pyd", ".pyx", ".c", ".cpp"];

/// What the imports that came with a change name that is not there.
pub(super) fn absent(
    file: &Touched<'_>,
    [before, after]: &[Side; 2],
    sources: &Sources<'_>,
    stop: &Cancel,
) -> Result<Vec<Absent>> {
    let Some(text) = file.after else { return Ok(Vec::new()) };
    let Some(language) = language_of(file.path, text) else { return Ok(Vec::new()) };
    let is_old = |import: &Import| {
        before.imports.iter().any(|old| (&old.from, &old.name) == (&import.from, &import.name))
    };
    let mut found = Vec::new();
    for import in after.imports.iter().filter(|import| !is_old(import) && !import.is_all()) {
        stop.check()?;
        let Some(name) = import.name.as_deref() else { continue };
        let is_passed_over = match language {
            Language::Python => name.starts_with("__") || is_tried(text, import.line),
            Language::Rust => !is_in_crate(file.path, &import.from) || name == "self",
            // What is not told by its place may be installed.
            script if script.is_script() => {
                !import.from.starts_with(['.', '@', '~', '#', '$', '/'])
            }
            _ => true,
        };
        if is_passed_over {
            continue;
        }
        let homes = sources.candidates(language, file.path, &import.from);
        let has = |home: &String| has_name(language, name, home, sources);
        let is_module = || is_module(language, file.path, import, name, &homes, sources);
        let is_other =
            language == Language::Python && may_be_installed(&import.from, &homes, sources);
        if homes.is_empty() || is_other || homes.iter().any(has) || is_module() {
            continue;
        }
        if language == Language::Rust && is_macro(name, sources, stop)? {
            continue;
        }
        let at = spot(file.path, text, import.line);
        found.push(Absent { at, name: name.to_owned(), home: homes[0].clone() });
    }
    Ok(found)
}

/// What a file that was moved brings in by paths that led to files from where it was.
pub(super) fn adrift(file: &Touched<'_>, after: &Side, sources: &Sources<'_>) -> Vec<Adrift> {
    let mut found: Vec<Adrift> = Vec::new();
    let (Some(from), Some(text)) = (file.moved_from, file.after) else { return found };
    let Some(language) = language_of(file.path, text) else { return found };
    if directory(from) == directory(file.path) {
        return found;
    }
    for import in &after.imports {
        let is_relative = match language {
            Language::Rust => import.from.starts_with("super"),
            _ => import.from.starts_with('.') || language.can_use(Language::C),
        };
        let of_package = import.from.ends_with('.').then_some(import.name.as_ref()).flatten();
        let module = match of_package.filter(|_| language == Language::Python) {
            Some(name) if !import.is_all() => format!("{}{name}", import.from),
            _ => import.from.clone(),
        };
        if !is_relative || found.iter().any(|one| one.module == module) {
            continue;
        }
        if language.can_use(Language::C) && has_search_path(file.path, sources) {
            continue;
        }
        let led = sources.led(language, (from, &module));
        let Some(was) = led.filter(|_| !sources.is_there(language, (file.path, &module))) else {
            continue;
        };
        let at = spot(file.path, text, import.line);
        found.push(Adrift { at, module, was });
    }
    found
}

/// Whether a build tells a compiler of C where else to look for headers.
fn has_search_path(path: &str, sources: &Sources<'_>) -> bool {
    above(directory(path)).any(|dir| {
        BUILDS.iter().filter_map(|name| sources.text(&join(dir, name))).any(|text| {
            ["-I", "include_dir", "INCLUDE", "includes"].iter().any(|word| text.contains(word))
        })
    })
}

/// Whether a module of Python may be none of the project, though files have its name.
fn may_be_installed(from: &str, homes: &[String], sources: &Sources<'_>) -> bool {
    let first = from.split('.').next().unwrap_or_default();
    let path = from.replace('.', "/");
    let is_inner = |home: &String| {
        let base = place(home).strip_suffix(&*path).unwrap_or_default().trim_end_matches('/');
        !base.is_empty() && sources.text(&join(base, "__init__.py")).is_some()
    };
    !from.starts_with('.') && (OF_PYTHON.contains(&first) || homes.iter().any(is_inner))
}

/// Whether a file has the name, or may have it.
fn has_name(language: Language, name: &str, home: &str, sources: &Sources<'_>) -> bool {
    let Some(text) = sources.text(home) else { return true };
    let is_script = !matches!(language, Language::Python | Language::Rust);
    if !is_script && has_word(&text, name)
        || home.ends_with(".d.ts")
        || !language_of(home, &text).is_some_and(|other| other.can_use(language))
        || !is_script && is_dynamic(language, &text, false)
    {
        return true;
    }
    let side = (sources.side)(home, &text);
    if !is_script {
        return side.imports.iter().any(Import::is_all) || may_give(&side, name);
    }
    // Without an export the whole is run, or is taken whole.
    let Some(exports) = side.exports else { return true };
    let is_common = !text.lines().any(|line| line.starts_with("export "));
    exports.is_open
        || !exports.stars.is_empty()
        || exports.names.contains(name)
        || name == "default" && is_common
}

/// Whether the name is that of a module below.
fn is_module(
    language: Language,
    importer: &str,
    import: &Import,
    name: &str,
    homes: &[String],
    sources: &Sources<'_>,
) -> bool {
    if language != Language::Python {
        return false;
    }
    let mark = if import.from.ends_with('.') { "" } else { "." };
    let whole = format!("{}{mark}{name}", import.from);
    let is_there = |home: &String| {
        let dir = match home.rsplit('/').next().is_some_and(|file| file.starts_with("__init__.")) {
            true => directory(home),
            false => place(home),
        };
        let path = join(dir, name);
        COMPILED.iter().any(|end| sources.workspace.glance(&format!("{path}{end}")).is_some())
    };
    !sources.candidates(language, importer, &whole).is_empty() || homes.iter().any(is_there)
}

/// Whether a line of Python is in a `try`, for what may not be there.
pub(super) fn is_tried(text: &str, line: usize) -> bool {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<&str> = text.lines().take(line).collect();
    let Some((last, above)) = lines.split_last() else { return false };
    let mut inner = depth(last);
    above.iter().rev().filter(|line| !line.trim().is_empty()).any(|line| {
        let is_around = depth(line) < inner;
        inner = inner.min(depth(line));
        is_around && ["try:", "except", "with "].iter().any(|word| line.trim().starts_with(word))
    })
}

/// Whether a path of Rust is told by the files of the crate.
fn is_in_crate(importer: &str, from: &str) -> bool {
    let first = from.split("::").next().unwrap_or_default();
    let own = ["bin", "tests", "examples", "benches"];
    let is_apart = directory(importer).split('/').any(|part| own.contains(&part));
    ["crate", "self", "super"].contains(&first) && !is_apart
}

/// Whether the project has a macro of the name, which is known where no module says so.
fn is_macro(name: &str, sources: &Sources<'_>, stop: &Cancel) -> Result<bool> {
    let pattern = format!(r"(?:macro_rules!|macro)\s*{name}\b");
    let found = files::search::grep(sources.workspace, &Grep::new(&pattern, ".", 1), stop)?;
    Ok(!found.hits.is_empty())
}
