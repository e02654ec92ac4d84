//! The paths that an import may mean, and the names by which files are called.

use std::path::Path;

use super::uses::has_word;

/// Extensions that an import of JavaScript or TypeScript leaves out, in the order they are tried.
const SCRIPTS: [&str; 10] = ["ts", "tsx", "d.ts", "mts", "cts", "js", "jsx", "mjs", "cjs", "json"];
/// Directories that are commonly searched for modules, from any directory above.
const SOURCES: [&str; 5] = ["", "src", "lib", "include", "app"];
/// Names of files that say nothing of what is in them; their directory does.
const ENTRANCES: [&str; 5] = ["mod", "index", "__init__", "lib", "main"];
/// The name by which other files call this one, and whether it is that of its directory.
pub(super) fn module(path: &str) -> Option<&str> {
    let path = Path::new(path);
    let stem = path.file_stem()?.to_str()?;
    let stem = stem.split('.').next().unwrap_or(stem);
    match ENTRANCES.contains(&stem) {
        true => path.parent()?.file_name()?.to_str().filter(|name| *name != "src"),
        false => Some(stem),
    }
}

/// The same, also of what is in `src`, whose name is in too many lines to be looked for often.
pub(super) fn entrance(path: &str) -> Option<&str> {
    let above = || directory(path).rsplit('/').next().filter(|name| !name.is_empty());
    module(path).or_else(above)
}

/// The name of a file that is also called by that of its directory, if others may call it so.
pub(super) fn stem(path: &str) -> Option<&str> {
    let stem = Path::new(path).file_stem()?.to_str()?;
    (stem == "main").then_some(stem)
}

/// Where a module is, whether it is a file or the entrance of a directory.
pub(super) fn place(path: &str) -> &str {
    let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or(name);
    match ["mod", "index", "__init__"].contains(&stem) {
        true => dir,
        false => &path[..path.len() - name.len() + stem.len()],
    }
}

/// What a module of Python may be, and whether none of these comes before the others.
pub(super) fn python(dir: &str, module: &str) -> (Vec<String>, bool) {
    let name = module.trim_start_matches('.');
    let up = module.len() - name.len();
    let path = name.replace('.', "/");
    let files = |base: &str| {
        let path = join(base, &path);
        [format!("{path}.py"), join(&path, "__init__.py"), format!("{path}.pyi")]
    };
    if up > 0 {
        let base = above(dir).nth(up - 1);
        return (base.map(files).into_iter().flatten().collect(), false);
    }
    let bases = above(dir).flat_map(|above| SOURCES.map(|source| join(above, source)));
    (bases.flat_map(|base| files(&base)).collect(), true)
}

/// What a module of JavaScript or TypeScript may be.
pub(super) fn script(dir: &str, module: &str) -> (Vec<String>, bool) {
    let files = |path: String| {
        let mut all = vec![path.clone()];
        if let Some((stem, "js" | "jsx" | "mjs" | "cjs")) = path.rsplit_once('.') {
            all.extend(["ts", "tsx", "mts", "cts"].map(|end| format!("{stem}.{end}")));
        }
        all.extend(SCRIPTS.map(|end| format!("{path}.{end}")));
        all.extend(SCRIPTS.map(|end| join(&path, &format!("index.{end}"))));
        all
    };
    if module == "." || module == ".." || module.starts_with("./") || module.starts_with("../") {
        return (join_up(dir, module).map(files).unwrap_or_default(), false);
    }
    let aliased =
        ["@/", "~/", "#/", "$lib/", "/"].iter().find_map(|lead| module.strip_prefix(lead));
    match aliased.or_else(|| module.contains('/').then_some(module)) {
        Some(path) => (searched(dir, path, &files), false),
        None => (Vec::new(), false),
    }
}

/// What a path may be that is relative or searched for from the directories above.
pub(super) fn searched(
    dir: &str,
    path: &str,
    files: &dyn Fn(String) -> Vec<String>,
) -> Vec<String> {
    if path.starts_with("./") || path.starts_with("../") {
        return join_up(dir, path).map(files).unwrap_or_default();
    }
    let bases = above(dir).flat_map(|above| SOURCES.map(|source| join(above, source)));
    bases.filter_map(|base| join_up(&base, path)).flat_map(files).collect()
}

/// A directory and those above it, to the root.
pub(super) fn above(dir: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(dir), |dir| (!dir.is_empty()).then(|| directory(dir)))
}

pub(super) fn directory(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(dir, _)| dir)
}

pub(super) fn join(dir: &str, path: &str) -> String {
    match (dir, path) {
        ("", path) => path.to_owned(),
        (dir, "") => dir.to_owned(),
        (dir, path) => format!("{dir}/{path}"),
    }
}

/// A path with `.` and `..` from a directory on; `None` if it leads out of the root.
fn join_up(dir: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = dir.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop()?,
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Whether a path ends with these whole parts.
pub(super) fn ends_with(path: &str, parts: &str) -> bool {
    path.strip_suffix(parts).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// Whether a file is of the package of `home`, or has a line that may bring it in.
pub(super) fn may_import(path: &str, text: &str, home: &str) -> bool {
    let dir = directory(home);
    let names = [module(home), dir.rsplit('/').next().filter(|name| !name.is_empty())];
    let is_import = |line: &&str| {
        let words = ["import", "from", "require", "use", "mod", "include"];
        let first = line.trim_start();
        // Go names what it brings in on lines of their own.
        first.starts_with('"') || words.iter().any(|word| has_word(line, word))
    };
    let names_it = |line: &str| names.iter().flatten().any(|name| has_word(line, name));
    let is_package = home.ends_with(".go") || home.ends_with(".java");
    is_package && directory(path) == dir || text.lines().filter(is_import).any(names_it)
}
