//! Where a name is defined and where it is used.
//!
//! A text search finds the files that can hold the name, and only those are parsed. In a watched
//! root what files define is kept by their content, so that of the definitions only files that
//! changed are parsed. Either way an answer is right after every edit.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use fault::{Cancel, Error, Result};
use files::Workspace;
use files::search::{Grep, Skipped, in_parallel};
use syntax::{Family, Grammars, Language, Parsed, Refusal, Role, Symbol};

use crate::Index;
use crate::spoken::{closeness, declared, qualified};

/// Most lines that hold the name in the text; in a name so frequent nothing is found anyway.
const MOST_LINES: usize = 50_000;
/// Most files that are parsed for one question.
pub(crate) const MOST_FILES: usize = 3_000;
/// Longest that one file may take; it is named as left out then.
const PARSE_TIME: Duration = Duration::from_secs(2);
/// A larger file is not read for symbols among others.
pub(crate) const MOST_BYTES: usize = 1 << 20;
/// How long files are parsed for one question.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// Symbols of a name.
#[derive(Clone, Copy, Debug)]
pub struct Named<'a> {
    /// The name: exact ones are best, then those that differ in case, then those that begin so.
    pub name: &'a str,
    /// The directory or the file to look in.
    pub dir: &'a str,
    /// Only this kind.
    pub family: Option<Family>,
    /// Most symbols in the answer.
    pub max: usize,
}

/// Something found in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located<T> {
    /// How the path of the file is shown.
    pub shown: Arc<str>,
    /// Its language.
    pub language: Language,
    /// What was found.
    pub what: T,
}

/// A use of a name with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What the name does there.
    pub role: Role,
    /// The line, cut if it is very long.
    pub text: String,
}

/// All that was found, and what was not looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places<T> {
    /// In order, at most as many as were asked for.
    pub found: Vec<Located<T>>,
    /// How many there are, also beyond these.
    pub total: usize,
    /// What could not be looked at, in words.
    pub note: Option<String>,
}

/// The symbols of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its language.
    pub language: Language,
    /// In the order of the file, each with its line, cut if it is very long.
    pub symbols: Vec<(Symbol, String)>,
}

impl Index {
    /// Finds definitions by name.
    ///
    /// # Errors
    /// `InvalidInput` for an empty name; `DirectoryNotFound`, `NotAFile`, `PathOutsideWorkspace`,
    /// `Cancelled`.
    pub fn find_symbol(
        &self,
        workspace: &Workspace,
        named: &Named<'_>,
        cancel: &Cancel,
    ) -> Result<Places<Symbol>> {
        let places = self.find_named(workspace, named, cancel)?;
        let name = declared(named.name);
        match places.found.is_empty() && !name.is_empty() && name != named.name {
            true => self.find_named(workspace, &Named { name, ..*named }, cancel),
            false => Ok(places),
        }
    }

    fn find_named(
        &self,
        workspace: &Workspace,
        named: &Named<'_>,
        cancel: &Cancel,
    ) -> Result<Places<Symbol>> {
        let (container, name) = qualified(named.name.trim());
        let fits = |s: &Symbol| {
            container.is_none_or(|wanted| s.container.as_deref() == Some(wanted))
                && named.family.is_none_or(|family| s.kind.family() == family)
                && closeness(&s.name, name).is_some()
        };
        let read = |parsed: &Parsed<'_>, _: &[&str]| -> std::result::Result<Vec<_>, Refusal> {
            Ok(parsed.symbols()?.into_iter().filter(fits).collect())
        };
        let mut places = match self.known_places(workspace, (name, named.dir), cancel, &fits)? {
            Some(places) => places,
            None => self.places(workspace, (name, named.dir, true), cancel, read)?,
        };
        // The closest ones only: who asks for `Parser` is not helped by `parser_new` beside it.
        let closest = places.found.iter().filter_map(|f| closeness(&f.what.name, name)).min();
        places.found.retain(|f| closeness(&f.what.name, name) == closest);
        places.total = places.found.len();
        places.found.truncate(named.max);
        Ok(places)
    }

    /// Finds every use of a name, in code alone: not comments and strings. Of a member, such as
    /// `Stock.take`, the uses of its last name are found, and a note says so.
    ///
    /// # Errors
    /// As [`Self::find_symbol`].
    pub fn find_references(
        &self,
        workspace: &Workspace,
        name: &str,
        dir: &str,
        max: usize,
        cancel: &Cancel,
    ) -> Result<Places<Use>> {
        let places = self.find_uses(workspace, (name.trim(), false), dir, max, cancel)?;
        let whole = declared(name);
        let (of, last) = qualified(whole);
        if !places.found.is_empty() || last.is_empty() || last == name.trim() {
            return Ok(places);
        }
        let Some(of) = of else {
            return self.find_uses(workspace, (last, false), dir, max, cancel);
        };
        // A member has uses under its last name; whose they are, the text does not say.
        let named = Named { name: whole, dir: ".", family: None, max: 1 };
        let found = self.find_symbol(workspace, &named, cancel)?.found;
        let Some(member) = found.into_iter().find(|at| at.what.name == last) else {
            return Ok(Places { found: Vec::new(), total: 0, note: None });
        };
        let is_method = member.what.kind == syntax::Kind::Method;
        let mut places = self.find_uses(workspace, (last, is_method), dir, max, cancel)?;
        let all = format!("every `{last}`, also of others than `{of}`");
        places.note = Some(places.note.map_or(all.clone(), |note| format!("{all}; {note}")));
        Ok(places)
    }

    fn find_uses(
        &self,
        workspace: &Workspace,
        (name, is_method): (&str, bool),
        dir: &str,
        max: usize,
        cancel: &Cancel,
    ) -> Result<Places<Use>> {
        let most = workspace.limits().hit_line_bytes;
        let read = |parsed: &Parsed<'_>, lines: &[&str]| -> std::result::Result<Vec<_>, Refusal> {
            let used = |r: syntax::Reference| Use {
                line: r.line,
                column: r.column,
                role: r.role,
                text: shown_line(lines, r.line, most),
            };
            let mut all = parsed.references(Some(name))?;
            let language = parsed.language();
            if is_method && language.imports_names() {
                let is_own = |role| language.calls_alone() && role == Role::Call;
                all.retain(|one| {
                    one.role == Role::Definition || is_own(one.role) || has_owner(lines, one)
                });
            }
            Ok(all.into_iter().map(used).collect())
        };
        let mut places = self.places(workspace, (name, dir, false), cancel, read)?;
        places.total = places.found.len();
        places.found.truncate(max);
        Ok(places)
    }

    /// The symbols of one file.
    ///
    /// # Errors
    /// `FileNotFound`, `IsDirectory`, `NotAFile`, `FileTooLarge`, `BinaryFile`; `InvalidInput` if
    /// its language is not known or it cannot be parsed.
    pub fn list_symbols(
        &self,
        workspace: &Workspace,
        path: &str,
        cancel: &Cancel,
    ) -> Result<Listed> {
        let bytes = workspace.look(path)?.bytes;
        let text = files::text::decode(path, &bytes)?.into_str();
        let unknown = || Error::no_symbols(path, "in no language whose symbols are known");
        let language = language_of(path, &text).ok_or_else(unknown)?;
        let stop = || cancel.is_cancelled();
        let symbols =
            self.grammars.parse(language, text.as_bytes(), &stop).and_then(|p| p.symbols());
        cancel.check()?;
        let symbols = symbols.map_err(|why| Error::no_symbols(path, &why.to_string()))?;
        let lines: Vec<&str> = text.lines().collect();
        let most = workspace.limits().hit_line_bytes;
        let with_line = |symbol: Symbol| {
            let line = shown_line(&lines, symbol.line, most);
            (symbol, line)
        };
        Ok(Listed { language, symbols: symbols.into_iter().map(with_line).collect() })
    }

    /// What `read` gives for each file that holds the name, by path.
    fn places<T: Send>(
        &self,
        workspace: &Workspace,
        (name, dir, ignore_case): (&str, &str, bool),
        cancel: &Cancel,
        read: impl Fn(&Parsed<'_>, &[&str]) -> std::result::Result<Vec<T>, Refusal> + Sync,
    ) -> Result<Places<T>> {
        if name.is_empty() {
            return Err(Error::invalid_input("symbol", "empty; give the name to find"));
        }
        let hits = files::search::grep(workspace, &grep(name, dir, ignore_case), cancel)?;
        let mut files: Vec<(PathBuf, Arc<str>)> =
            hits.hits.iter().map(|h| (h.path.to_path_buf(), Arc::clone(&h.shown))).collect();
        files.dedup_by(|a, b| a.0 == b.0);
        let more = hits.more || files.len() > MOST_FILES;
        files.truncate(MOST_FILES);
        let (files, mut left) =
            self.read_all(workspace, (name, files), Instant::now() + PATIENCE, cancel, read);
        cancel.check()?;
        left.more = more;
        Ok(places(files, &left, &hits.skipped))
    }

    /// What `read` gives for each of the files that holds the name, until there is no time any more.
    pub(crate) fn read_all<T: Send>(
        &self,
        workspace: &Workspace,
        (name, files): (&str, Vec<(PathBuf, Arc<str>)>),
        until: Instant,
        cancel: &Cancel,
        read: impl Fn(&Parsed<'_>, &[&str]) -> std::result::Result<Vec<T>, Refusal> + Sync,
    ) -> (Files<T>, Left) {
        let (next, all) = (AtomicUsize::new(0), Mutex::new((Files::new(), Left::default())));
        let name = name.to_lowercase();
        let work = || {
            while let Some((path, shown)) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                if cancel.is_cancelled() {
                    break;
                }
                let late = Instant::now() > until;
                let found = match late {
                    true => None,
                    false => read_one(&self.grammars, workspace, (path, &name), cancel, &read),
                };
                let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
                all.1.unread += usize::from(late);
                match found {
                    Some(Ok((language, found))) => {
                        _ = all.0.insert(path.clone(), (Arc::clone(shown), language, found));
                    }
                    Some(Err(_)) => all.1.refused.push(shown.to_string()),
                    None => {}
                }
            }
        };
        in_parallel(files.len(), work);
        all.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What was found in each file.
pub(crate) type Files<T> = BTreeMap<PathBuf, (Arc<str>, Language, Vec<T>)>;

pub(crate) fn grep<'a>(name: &'a str, dir: &'a str, ignore_case: bool) -> Grep<'a> {
    Grep { literal: true, ignore_case, ..Grep::new(name, dir, MOST_LINES) }
}

pub(crate) fn places<T>(files: Files<T>, left: &Left, skipped: &Skipped) -> Places<T> {
    let mut found = Vec::new();
    for (shown, language, mine) in files.into_values() {
        let place = |what| Located { shown: Arc::clone(&shown), language, what };
        found.extend(mine.into_iter().map(place));
    }
    let note = left.note(skipped, found.is_empty());
    Places { total: found.len(), found, note }
}

/// `None` for a file that is no code or does not hold the name, which is in lower case.
fn read_one<T>(
    grammars: &Grammars,
    workspace: &Workspace,
    (path, lower): (&Path, &str),
    cancel: &Cancel,
    read: impl Fn(&Parsed<'_>, &[&str]) -> std::result::Result<Vec<T>, Refusal>,
) -> Option<std::result::Result<(Language, Vec<T>), Refusal>> {
    let name = path.to_str()?;
    let bytes = workspace.look(name).ok()?.bytes; // gone meanwhile: nothing is in it
    let text = files::text::decode(name, &bytes).ok()?.into_str();
    let language = language_of(name, &text)?;
    if text.len() > MOST_BYTES {
        return Some(Err(Refusal::TooLarge(text.len())));
    }
    if !text.to_lowercase().contains(lower) {
        return None;
    }
    let started = Instant::now();
    let stop = || cancel.is_cancelled() || started.elapsed() > PARSE_TIME;
    let lines: Vec<&str> = text.lines().collect();
    let parsed = grammars.parse(language, text.as_bytes(), &stop);
    Some(parsed.and_then(|parsed| read(&parsed, &lines)).map(|found| (language, found)))
}

pub(crate) fn language_of(path: &str, text: &str) -> Option<Language> {
    Language::of(path, &text.as_bytes()[..text.len().min(4096)])
}

/// Whether a name is written as that of a member.
fn has_owner(lines: &[&str], used: &syntax::Reference) -> bool {
    let line = lines.get(used.line - 1).copied().unwrap_or_default();
    let before = used.column.checked_sub(2).and_then(|at| line.chars().nth(at));
    matches!(before, Some('.' | ':'))
}

fn shown_line(lines: &[&str], line: usize, most: usize) -> String {
    fault::cut(lines.get(line - 1).copied().unwrap_or_default().trim_end(), most).into_owned()
}

/// Files that hold the name but were not read for it.
#[derive(Default)]
pub(crate) struct Left {
    pub(crate) more: bool,
    refused: Vec<String>,
    /// Files that there was no time for.
    unread: usize,
    /// How many files the index of definitions covers, of how many, if it is being made.
    pub(crate) growing: Option<(usize, usize)>,
}

impl Left {
    fn note(&self, skipped: &Skipped, empty: bool) -> Option<String> {
        let mut parts = Vec::new();
        if self.more {
            parts.push(format!(
                "the name is in more than {MOST_FILES} files or {MOST_LINES} lines; give a path"
            ));
        }
        if !self.refused.is_empty() {
            let mut names = self.refused.clone();
            names.sort();
            let more = if names.len() > 5 { ", …" } else { "" };
            names.truncate(5);
            let count = self.refused.len();
            parts.push(format!(
                "{count} too large or too hard to parse: {}{more}",
                names.join(", ")
            ));
        }
        if self.unread > 0 {
            let files = fault::count(self.unread, "file");
            let why = match self.growing {
                Some((covered, all)) => format!(
                    "the index of definitions covers {covered} of {all} files; ask again later"
                ),
                None => "that takes too long; give a path".to_owned(),
            };
            parts.push(format!("{files} that may hold the name not looked at: {why}"));
        }
        parts.extend(skipped.beside(!empty));
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}
