//! Which file an import means: told by the paths of both, and by which files there are.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use fault::{Cancel, Result};
use files::Workspace;
use files::workspace::Kind;
use syntax::{Import, Language};

use super::gone::package;
use super::paths::{
    above, directory, ends_with, join, may_import, place, python, script, searched,
};
use super::{MOST_FILES, Side, Touched};
use crate::symbols::language_of;

/// Files that one after the other pass a name on.
const DEEPEST: usize = 3;

/// The files of a change and of the project, by their paths as they are shown.
pub(super) struct Sources<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) touched: &'a [Touched<'a>],
    /// What a file brings in.
    pub(super) imports: &'a dyn Fn(&str, &str) -> Vec<Import>,
    /// What a file says of names.
    pub(super) side: &'a dyn Fn(&str, &str) -> Side,
    /// What was looked up before.
    pub(super) known: RefCell<Known>,
}

/// What was looked up of files, by their paths.
#[derive(Default)]
pub(super) struct Known {
    /// Whether they are there.
    files: BTreeMap<String, bool>,
    /// Directories, whether they are there: an import may mean dozens of files in some that are not.
    directories: BTreeMap<String, bool>,
    /// The texts of manifests.
    manifests: BTreeMap<String, Option<Rc<str>>>,
    /// What they bring in.
    imports: BTreeMap<String, Rc<[Import]>>,
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
        let text = Some(&path).filter(|path| self.is_now(path)).and_then(|path| self.text(path));
        let text: Option<Rc<str>> = text.map(Rc::from);
        self.known.borrow_mut().manifests.insert(path, text.clone());
        text
    }

    /// Whether there was such a file before the change, or is one after it.
    fn is_file(&self, path: &str) -> bool {
        if let Some(known) = self.known.borrow().files.get(path) {
            return *known;
        }
        let is_file = self.touched.iter().any(|file| file.path == path) || self.is_now(path);
        self.known.borrow_mut().files.insert(path.to_owned(), is_file);
        is_file
    }

    /// Whether there is such a file after the change.
    fn is_now(&self, path: &str) -> bool {
        let is_file = |kind| kind == Some(Kind::File);
        self.may_hold(directory(path)) && self.workspace.kind(path).is_ok_and(is_file)
    }

    /// Whether anything can be in a directory: false if there is none.
    fn may_hold(&self, dir: &str) -> bool {
        if dir.is_empty() {
            return true;
        }
        if let Some(known) = self.known.borrow().directories.get(dir) {
            return *known;
        }
        let may = self.may_hold(directory(dir)) && !matches!(self.workspace.kind(dir), Ok(None));
        self.known.borrow_mut().directories.insert(dir.to_owned(), may);
        may
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

    /// Whether an import brings in the file at `home`, or something that it has.
    pub(super) fn brings(
        &self,
        (language, importer): (Language, &str),
        import: &Import,
        home: &str,
    ) -> bool {
        let is_it = |module: &str| self.is_home(language, importer, module, home);
        let whole = match (&import.name, language) {
            (Some(name), Language::Python) if import.from.ends_with('.') => {
                Some(format!("{}{name}", import.from))
            }
            (Some(name), Language::Python | Language::Java) => {
                Some(format!("{}.{name}", import.from))
            }
            (Some(name), Language::Rust) => Some(format!("{}::{name}", import.from)),
            _ => None,
        };
        is_it(&import.from) || whole.as_deref().is_some_and(is_it)
    }

    /// Whether a file of tests brings in one of `homes`, or one of the names that changed there.
    pub(super) fn tests(&self, (path, text): (&str, &str), homes: &[&str], names: &[&str]) -> bool {
        let Some(language) = language_of(path, text) else { return false };
        let imports = (self.imports)(path, text);
        homes.iter().any(|home| {
            let is_beside = match language {
                Language::Go => directory(path) == directory(home),
                Language::Java => {
                    self.text(home).is_some_and(|home| package(&home) == package(text))
                }
                _ => false,
            };
            is_beside
                || imports.iter().any(|import| {
                    let is_name = |name: &&str| import.is_all() || names.contains(name);
                    let passed = import.name.as_deref().filter(is_name).is_some_and(|name| {
                        self.leads(language, (path, &import.from), (name, home))
                    });
                    let whole = || {
                        let targets = match import.name {
                            None => self.targets(language, (path, &import.from), home, false),
                            Some(_) => Vec::new(),
                        };
                        targets.iter().any(|target| {
                            let mut inner = self.imports_of(target).to_vec().into_iter();
                            target != home
                                && inner.any(|one| self.brings((language, target), &one, home))
                        })
                    };
                    passed || self.brings((language, path), import, home) || whole()
                })
        })
    }

    /// The files that a module may be, and that are there.
    pub(super) fn candidates(
        &self,
        language: Language,
        importer: &str,
        module: &str,
    ) -> Vec<String> {
        let mut all = self.paths(language, (importer, module), importer).0;
        all.retain(|path| self.is_now(path) && self.text(path).is_some());
        all.sort();
        all.dedup();
        all
    }

    /// The file that a module was before the change, if there was one.
    pub(super) fn led(
        &self,
        language: Language,
        (importer, module): (&str, &str),
    ) -> Option<String> {
        let all = self.paths(language, (importer, module), importer).0;
        all.into_iter().find(|path| self.is_file(path))
    }

    /// Whether a module is a file after the change.
    pub(super) fn is_there(&self, language: Language, (importer, module): (&str, &str)) -> bool {
        let is_c = language.can_use(Language::C);
        let all = match is_c {
            true => vec![join(directory(importer), module)],
            false => self.paths(language, (importer, module), importer).0,
        };
        all.iter().any(|path| self.is_now(path))
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

    /// Whether a module gives, as all of `name`, the module that `home` is or passes on.
    pub(super) fn gives_whole(
        &self,
        language: Language,
        (importer, module, whole): (&str, &str, &str),
        (name, home): (&str, &str),
    ) -> bool {
        let targets = self.targets(language, (importer, module), home, false);
        targets.iter().any(|target| {
            self.imports_of(target).iter().any(|import| {
                let is_it = import.name.is_none() && import.local.as_deref() == Some(whole);
                is_it && self.leads(language, (target, &import.from), (name, home))
            })
        })
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
        let (all, are_equal) = self.paths(language, (importer, module), home);
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

    /// The paths of the files that a module may be, and whether none of them comes before the others.
    fn paths(
        &self,
        language: Language,
        (importer, module): (&str, &str),
        home: &str,
    ) -> (Vec<String>, bool) {
        let dir = directory(importer);
        match language {
            Language::Python => python(dir, module),
            language if language.is_script() => script(dir, module),
            Language::Rust => (self.rust(importer, module, home), false),
            Language::Ruby => {
                (searched(dir, module, &|path| vec![format!("{path}.rb"), path]), false)
            }
            Language::C | Language::Cpp => (searched(dir, module, &|path| vec![path]), false),
            _ => (Vec::new(), false),
        }
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
