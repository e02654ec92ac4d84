//! Which file an import means: told by the paths of both, and by which files there are.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use fault::{Cancel, Result};
use files::Workspace;
use files::workspace::Kind;
use syntax::{Import, Language};

use super::uses::has_word;
use super::{MOST_FILES, Touched};
use crate::symbols::language_of;

/// Extensions that an import of JavaScript or TypeScript leaves out, in the order they are tried.
const SCRIPTS: [&str; 10] = ["ts", "tsx", "d.ts", "mts", "cts", "js", "jsx", "mjs", "cjs", "json"];
/// Directories that are commonly searched for modules, from any directory above.
const SOURCES: [&str; 5] = ["", "src", "lib", "include", "app"];
/// Names of files that say nothing of what is in them; their directory does.
const ENTRANCES: [&str; 5] = ["mod", "index", "__init__", "lib", "main"];
/// Files that one after the other pass a name on.
const DEEPEST: usize = 3;

/// The files of a change and of the project, by their paths as they are shown.
pub(super) struct Sources<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) touched: &'a [Touched<'a>],
    /// What a file brings in.
    pub(super) imports: &'a dyn Fn(&str, &str) -> Vec<Import>,
    /// What was looked up before.
    pub(super) known: RefCell<Known>,
}

/// What was looked up of files, by their paths.
#[derive(Default)]
pub(super) struct Known {
    /// Whether they are there.
    files: BTreeMap<String, bool>,
    /// The texts of manifests.
    manifests: BTreeMap<String, Option<Rc<str>>>,
    /// What they bring in.
    imports: BTreeMap<String, Rc<[Import]>>,
}

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

/// Where a module is, whether it is a file or the entrance of a directory.
pub(super) fn place(path: &str) -> &str {
    let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or(name);
    match ["mod", "index", "__init__"].contains(&stem) {
        true => dir,
        false => &path[..path.len() - name.len() + stem.len()],
    }
}

impl Sources<'_> {
    /// The text of a file after the change.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        if let Some(file) = self.touched.iter().find(|file| file.path == path) {
            return file.after.map(str::to_owned);
        }
        let contents = self.workspace.look(path).ok()?;
        Some(files::text::decode(path, &contents.bytes).ok()?.into_str().into_owned())
    }

    /// Of these files those to look at, and how many are left out: where there are many, those
    /// first that may bring in one of `homes`.
    pub(super) fn first<'p>(
        &self,
        paths: Vec<&'p str>,
        homes: &[&str],
        concerns: &dyn Fn(&str) -> bool,
        stop: &Cancel,
    ) -> Result<(Vec<&'p str>, usize)> {
        if paths.len() <= MOST_FILES {
            return Ok((paths, 0));
        }
        let mut ranked = Vec::new();
        for path in paths {
            stop.check()?;
            let Some(text) = self.text(path).filter(|text| concerns(text)) else { continue };
            if language_of(path, &text).is_some() {
                ranked.push((!homes.iter().any(|home| may_import(path, &text, home)), path));
            }
        }
        ranked.sort_unstable();
        let left = ranked.len().saturating_sub(MOST_FILES);
        Ok((ranked.into_iter().take(MOST_FILES).map(|(_, path)| path).collect(), left))
    }

    /// The text of a manifest, which many imports ask for.
    fn manifest(&self, path: String) -> Option<Rc<str>> {
        if let Some(known) = self.known.borrow().manifests.get(&path) {
            return known.clone();
        }
        let text: Option<Rc<str>> = self.text(&path).map(Rc::from);
        self.known.borrow_mut().manifests.insert(path, text.clone());
        text
    }

    /// Whether there was such a file before the change, or is one after it.
    fn is_file(&self, path: &str) -> bool {
        if let Some(known) = self.known.borrow().files.get(path) {
            return *known;
        }
        let kind = || self.workspace.kind(path).ok().flatten();
        let is_file =
            self.touched.iter().any(|file| file.path == path) || kind() == Some(Kind::File);
        self.known.borrow_mut().files.insert(path.to_owned(), is_file);
        is_file
    }

    /// Whether `module`, as `importer` writes it, is the file at `home`.
    pub(super) fn is_home(
        &self,
        language: Language,
        importer: &str,
        module: &str,
        home: &str,
    ) -> bool {
        match language {
            Language::Go => self.is_package(module, home),
            Language::Java => ends_with(place(home), &module.replace('.', "/")),
            _ => self.targets(language, (importer, module), home, true) == [home],
        }
    }

    /// Whether `name` of `module`, as `importer` writes it, is what `home` defines, there or passed
    /// on.
    pub(super) fn leads(
        &self,
        language: Language,
        (importer, module): (&str, &str),
        (name, home): (&str, &str),
    ) -> bool {
        self.leads_on(language, (importer, module), (name, home), DEEPEST)
    }

    fn leads_on(
        &self,
        language: Language,
        (importer, module): (&str, &str),
        (name, home): (&str, &str),
        depth: usize,
    ) -> bool {
        if self.is_home(language, importer, module, home) {
            return true;
        }
        if depth == 0 || matches!(language, Language::Go | Language::Java) {
            return false;
        }
        let targets = self.targets(language, (importer, module), home, false);
        let [target] = targets.as_slice() else { return false };
        target != home
            && self.imports_of(target).iter().any(|import| {
                let is_it = import.is_all() || import.name.as_deref() == Some(name);
                is_it && self.leads_on(language, (target, &import.from), (name, home), depth - 1)
            })
    }

    /// What a file brings in, which many ask for.
    fn imports_of(&self, path: &str) -> Rc<[Import]> {
        if let Some(known) = self.known.borrow().imports.get(path) {
            return known.clone();
        }
        let text = self.text(path);
        let imports: Rc<[Import]> =
            text.map(|text| (self.imports)(path, &text)).unwrap_or_default().into();
        self.known.borrow_mut().imports.insert(path.to_owned(), imports.clone());
        imports
    }

    /// The files that a module may be; more than one if that is not certain. Where `home` alone is
    /// asked for, nothing is looked up if it is none of them.
    fn targets(
        &self,
        language: Language,
        (importer, module): (&str, &str),
        home: &str,
        alone: bool,
    ) -> Vec<String> {
        let dir = directory(importer);
        let (all, are_equal) = match language {
            Language::Python => python(dir, module),
            Language::JavaScript | Language::TypeScript | Language::Tsx => script(dir, module),
            Language::Rust => (self.rust(importer, module, home), false),
            Language::Ruby => {
                (searched(dir, module, &|path| vec![format!("{path}.rb"), path]), false)
            }
            Language::C | Language::Cpp => (searched(dir, module, &|path| vec![path]), false),
            _ => return Vec::new(),
        };
        if alone && all.iter().all(|path| path != home) {
            return Vec::new();
        }
        let mut there = all.into_iter().filter(|path| self.is_file(path));
        if !are_equal {
            return there.next().into_iter().collect();
        }
        let mut found: Vec<String> = there.collect();
        found.dedup();
        found
    }

    /// Whether a package of Go is that of a file.
    fn is_package(&self, package: &str, home: &str) -> bool {
        let dir = directory(home);
        for above in above(dir) {
            let Some(text) = self.manifest(join(above, "go.mod")) else { continue };
            let name = text.lines().find_map(|line| line.trim().strip_prefix("module "));
            let name = name.unwrap_or_default().trim().trim_matches('"');
            let inner = dir[above.len()..].trim_start_matches('/');
            return package
                .strip_prefix(name)
                .is_some_and(|rest| rest.trim_start_matches('/') == inner);
        }
        !dir.is_empty() && ends_with(package, dir)
    }

    /// The files that a path of Rust may be the module of; `home` is in the crate it may name.
    fn rust(&self, importer: &str, module: &str, home: &str) -> Vec<String> {
        let (names, mut source) = self.package(importer);
        let inner = place(importer).strip_prefix(&*source).map(|rest| rest.trim_matches('/'));
        let mut here: Vec<&str> = inner.unwrap_or_default().split('/').collect();
        here.retain(|part| !part.is_empty() && !["lib", "main"].contains(part));
        let parts: Vec<&str> = module.split("::").filter(|part| !part.is_empty()).collect();
        let first = parts.first().copied().unwrap_or_default();
        let below = |count: usize| parts.get(count..).unwrap_or_default().to_vec();
        let paths = match first {
            "crate" => vec![below(1)],
            "self" => vec![[here, below(1)].concat()],
            "super" => {
                let up = parts.iter().take_while(|part| **part == "super").count();
                let outer =
                    |up: usize| [&here[..here.len().saturating_sub(up)], &below(up)].concat();
                // In a module within the file, `super` is the file.
                let within = [&here[..here.len().saturating_sub(up - 1)], &below(up)].concat();
                vec![outer(up), within]
            }
            first if names.iter().any(|name| name == first) => vec![below(1)],
            // Without a manifest, tests may call the crate by any name.
            _ if inner.is_none() && names.is_empty() => vec![below(1)],
            first => {
                let (others, theirs) = self.package(home);
                match others.iter().any(|name| name == first) {
                    true => {
                        source = theirs;
                        vec![below(1)]
                    }
                    false => vec![[here, parts].concat()],
                }
            }
        };
        let files = paths.into_iter().flat_map(|path| match path.join("/") {
            path if path.is_empty() => ["lib.rs", "main.rs"].map(|name| join(&source, name)),
            path => [".rs", "/mod.rs"].map(|end| join(&source, &path) + end),
        });
        files.collect()
    }

    /// The names of the crate that a file is in, and where its modules are.
    fn package(&self, path: &str) -> (Vec<String>, String) {
        let mut source = None;
        for above in above(directory(path)) {
            if above == "src" || above.ends_with("/src") {
                source = source.or(Some(above));
            }
            let Some(text) = self.manifest(join(above, "Cargo.toml")) else { continue };
            let names = text.lines().filter_map(|line| line.trim().strip_prefix("name"));
            let names = names.map(|name| name.trim_matches([' ', '=', '"']).replace('-', "_"));
            let source = source.map_or_else(|| join(above, "src"), str::to_owned);
            return (names.collect(), source);
        }
        (Vec::new(), source.unwrap_or("src").to_owned())
    }
}

/// Whether a file is of the package of `home`, or has a line that may bring it in.
fn may_import(path: &str, text: &str, home: &str) -> bool {
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

/// What a module of Python may be, and whether none of these comes before the others.
fn python(dir: &str, module: &str) -> (Vec<String>, bool) {
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
fn script(dir: &str, module: &str) -> (Vec<String>, bool) {
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
fn searched(dir: &str, path: &str, files: &dyn Fn(String) -> Vec<String>) -> Vec<String> {
    if path.starts_with("./") || path.starts_with("../") {
        return join_up(dir, path).map(files).unwrap_or_default();
    }
    let bases = above(dir).flat_map(|above| SOURCES.map(|source| join(above, source)));
    bases.filter_map(|base| join_up(&base, path)).flat_map(files).collect()
}

/// A directory and those above it, to the root.
fn above(dir: &str) -> impl Iterator<Item = &str> {
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
fn ends_with(path: &str, parts: &str) -> bool {
    path.strip_suffix(parts).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}
