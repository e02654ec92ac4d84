//! What a change of files broke, as far as their text tells: code that is no longer valid, uses of
//! what was taken away, and the tests that concern it.
//!
//! Names are compared, not types, so whatever could be meant otherwise is passed over: a name that
//! is still defined anywhere, a use in a file that does not know the place it was taken from.

mod broken;
mod gone;
mod lost;
mod sources;
mod uses;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::PoisonError;
use std::time::Instant;

use fault::{Cancel, Code, Result};
use files::Workspace;
use files::search::{Grep, Hit};
use syntax::{Import, Language, Parsed, Symbol};

use crate::Index;
use crate::place::{is_foreign, is_test};
use crate::symbols::language_of;
use broken::{Invalid, has_macros, of_change, spots};
use gone::{Gone, changed, gone};
use sources::Sources;
use uses::{File, has_word, uses};

/// Names that one change is looked at for, of those that went and of those that changed each.
const MOST_NAMES: usize = 30;
/// Lines with one of them that are looked at.
const MOST_LINES: usize = 2000;
/// Files that are parsed to find uses.
const MOST_FILES: usize = 50;
/// Invalid places that are told of one file.
const MOST_BROKEN: usize = 3;
/// A name in more files of tests than this says nothing about which of them are concerned.
const COMMON: usize = 10;
/// A shorter name is in too many lines that mean something else.
const SHORTEST: usize = 3;

/// A file before and after a change; `None` where there is none.
#[derive(Clone, Copy, Debug)]
pub struct Touched<'a> {
    /// The path as it is shown.
    pub path: &'a str,
    /// Its text before.
    pub before: Option<&'a str>,
    /// Its text after.
    pub after: Option<&'a str>,
}

/// What a change broke.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Code that is not valid and was before.
    pub broken: Vec<Spot>,
    /// The first place of each file that is not valid, was not before, and was told before.
    pub still: Vec<Spot>,
    /// What went and is still used.
    pub missed: Vec<Missed>,
    /// The files of tests that concern what was changed, the most concerned first.
    pub tests: Vec<String>,
    /// What was not looked at in time.
    pub unchecked: Vec<String>,
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The path of the file as it is shown.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// Its text, or what is missing there.
    pub text: String,
}

/// A definition that went and is still used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missed {
    /// Its name, with that of its container.
    pub name: String,
    /// The name that came in its place, if just one did.
    pub now: Option<String>,
    /// It is there as it was, but not brought in any more.
    pub is_import: bool,
    /// Where it is used.
    pub uses: Vec<Spot>,
}

impl Missed {
    fn new(name: String, uses: Vec<Spot>) -> Self {
        Self { name, now: None, is_import: false, uses }
    }
}

/// What both sides of the change define.
#[derive(Default)]
struct Sides {
    broken: Vec<Spot>,
    still: Vec<Spot>,
    before: Vec<(usize, Language, Symbol)>,
    after: Vec<(usize, Language, Symbol)>,
    /// What each file brought in before, and does after.
    imports: Vec<[Vec<Import>; 2]>,
}

impl Index {
    /// Judges a change. Files that it touches are taken as `touched` says, all others as they are.
    /// What is not found out `until` then is named in the answer.
    ///
    /// # Errors
    /// `Cancelled`; what a search of the root fails with.
    pub fn verdict(
        &self,
        workspace: &Workspace,
        touched: &[Touched<'_>],
        until: Instant,
        cancel: &Cancel,
    ) -> Result<Verdict> {
        let stop = cancel.until(until);
        let (mut verdict, mut left) = (Verdict::default(), "syntax, uses and tests");
        let judged = self.judge(workspace, touched, &stop, &mut verdict, &mut left);
        cancel.check()?;
        match judged {
            Err(error) if error.code == Code::Cancelled => {
                verdict.unchecked.push(format!("{left}, which took too long"));
            }
            judged => judged?,
        }
        Ok(verdict)
    }

    fn judge(
        &self,
        workspace: &Workspace,
        touched: &[Touched<'_>],
        stop: &Cancel,
        verdict: &mut Verdict,
        left: &mut &'static str,
    ) -> Result<()> {
        let sides = self.sides(touched, stop)?;
        *left = "uses and tests";
        verdict.broken = sides.broken.clone();
        verdict.still = sides.still.clone();
        // Of a file that cannot be read whole, what it defines is not known either.
        let is_whole = sides.broken.is_empty() && sides.still.is_empty();
        let (gone, more) = if is_whole { gone(touched, &sides) } else { Default::default() };
        let changed = changed(touched, &sides);
        if more > 0 {
            verdict.unchecked.push(format!("uses of {more} further definitions that went"));
        }
        let names: BTreeSet<&str> =
            gone.iter().map(|gone| gone.name.as_str()).chain(changed.iter().copied()).collect();
        let hits = lines_with(workspace, &names, &modules(touched), stop)?;
        if hits.len() >= MOST_LINES {
            verdict.unchecked.push("not every line that has the names".to_owned());
        }
        let mut by_file: BTreeMap<&str, Vec<&Hit>> = BTreeMap::new();
        for hit in hits.iter().filter(|hit| !is_foreign(Path::new(&*hit.shown))) {
            by_file.entry(&*hit.shown).or_default().push(hit);
        }
        verdict.tests = tests(touched, &by_file, &changed);
        *left = "uses";
        if is_whole {
            let all = by_file.keys().copied();
            let (missed, left) = self.missed(workspace, touched, (&gone, &sides), all, stop)?;
            verdict.missed = missed;
            if left > 0 {
                verdict.unchecked.push(format!("uses in {left} further files"));
            }
        }
        Ok(())
    }

    fn sides(&self, touched: &[Touched<'_>], stop: &Cancel) -> Result<Sides> {
        let mut sides = Sides::default();
        for (at, file) in touched.iter().enumerate() {
            let mut imports = [Vec::new(), Vec::new()];
            let mut read = |side: usize, text: Option<&str>, symbols: &mut Vec<_>| {
                let Some(text) = text else { return Ok(Vec::new()) };
                let Some(language) = language_of(file.path, text) else { return Ok(Vec::new()) };
                let found = self.read(language, text, stop, |parsed| {
                    let mine = parsed.symbols().unwrap_or_default();
                    symbols.extend(mine.into_iter().map(|symbol| (at, language, symbol)));
                    imports[side] = parsed.imports();
                    spots(file.path, text, parsed)
                });
                stop.check()?;
                Ok(found.unwrap_or_default())
            };
            let before: Result<Vec<Invalid>> = read(0, file.before, &mut sides.before);
            let (before, after) = (before?, read(1, file.after, &mut sides.after)?);
            sides.imports.push(imports);
            self.compare(file, (before, after), &mut sides);
        }
        Ok(sides)
    }

    /// What of the invalid places is of the change, and what was told before.
    fn compare(
        &self,
        file: &Touched<'_>,
        (before, mut after): (Vec<Invalid>, Vec<Invalid>),
        sides: &mut Sides,
    ) {
        if before.iter().any(|invalid| invalid.is_old) {
            after.retain(|invalid| !invalid.is_old);
        }
        let is_old = |spot: &Spot| before.iter().any(|old| old.spot.text == spot.text);
        let still = after.first().map(|invalid| invalid.spot.clone());
        let new = match after.len() > before.len() || before.is_empty() {
            true => after.into_iter().filter(|invalid| !is_old(&invalid.spot)).collect(),
            false => Vec::new(),
        };
        let new = if has_macros(file) { Vec::new() } else { of_change(file, new) };
        let mut told = self.broken.lock().unwrap_or_else(PoisonError::into_inner);
        match still {
            None => _ = told.remove(file.path),
            Some(_) if !new.is_empty() => _ = told.insert(file.path.to_owned()),
            Some(still) if told.contains(file.path) => sides.still.push(still),
            Some(_) => {}
        }
        sides.broken.extend(new.into_iter().take(MOST_BROKEN));
    }

    /// What is made of a parsed text; `None` if it could not be parsed.
    fn read<T>(
        &self,
        language: Language,
        text: &str,
        stop: &Cancel,
        read: impl FnOnce(&Parsed<'_>) -> T,
    ) -> Option<T> {
        let stop = || stop.is_cancelled();
        let parsed = self.grammars.parse(language, text.as_bytes(), &stop).ok()?;
        Some(read(&parsed))
    }

    /// What went and is still used in the touched files and these, and how many of these were not
    /// looked at.
    fn missed<'p>(
        &self,
        workspace: &Workspace,
        touched: &[Touched<'_>],
        (gone, sides): (&[Gone<'_>], &Sides),
        paths: impl Iterator<Item = &'p str>,
        stop: &Cancel,
    ) -> Result<(Vec<Missed>, usize)> {
        let imports = |path: &str, text: &str| self.imports(path, text, stop);
        let known = Default::default();
        let sources = Sources { workspace, touched, imports: &imports, known };
        let (mut missed, mut away) = (Vec::new(), vec![Vec::new(); touched.len()]);
        let mut found: Vec<Option<Vec<Spot>>> = vec![Some(Vec::new()); gone.len()];
        let away_files = touched.iter().filter(|file| lost::is_away(file, touched));
        let mut homes: Vec<&str> = away_files.map(|file| file.path).collect();
        let modules: Vec<&str> = homes.iter().filter_map(|path| sources::module(path)).collect();
        homes.extend(gone.iter().map(|gone| gone.path));
        let concerns = |text: &str| {
            gone.iter().any(|gone| has_word(text, &gone.name))
                || modules.iter().any(|module| has_word(text, module))
        };
        let mut look = |path: &str, text: &str, lost: &BTreeSet<&str>, old: &[Import]| {
            if lost.is_empty() && !concerns(text) {
                return;
            }
            let Some(file) = self.file(path, text, (lost, gone), stop) else { return };
            missed.extend(lost::imports(old, &file, &sources));
            for (at, spot) in lost::files(touched, &file, &sources) {
                away[at].push(spot);
            }
            let mine = gone.iter().zip(&mut found);
            for (gone, found) in mine.filter(|(gone, _)| {
                file.language.can_use(gone.language) && file.uses.contains_key(&gone.name)
            }) {
                let here = found.take().and_then(|mut found| {
                    found.extend(uses(gone, &file, &sources)?);
                    Some(found)
                });
                *found = here;
            }
        };
        for (file, [old, new]) in touched.iter().zip(&sides.imports) {
            if let Some(text) = file.after {
                look(file.path, text, &lost::names(old, new), old);
            }
        }
        if gone.is_empty() && modules.is_empty() {
            return Ok((missed, 0));
        }
        let others = paths.filter(|path| touched.iter().all(|file| file.path != *path));
        let (others, left) = sources.first(others.collect(), &homes, &concerns, stop)?;
        for path in others {
            stop.check()?;
            if let Some(text) = sources.text(path) {
                look(path, &text, &BTreeSet::new(), &[]);
            }
        }
        stop.check()?;
        let away = touched.iter().zip(away).filter(|(_, uses)| !uses.is_empty());
        missed.extend(away.map(|(file, uses)| Missed::new(file.path.to_owned(), uses)));
        let gone = gone.iter().zip(found).filter_map(|(gone, uses)| {
            let uses = uses.filter(|uses| !uses.is_empty())?;
            Some(Missed { now: gone.now.clone(), ..Missed::new(gone.shown(), uses) })
        });
        missed.extend(gone);
        Ok((missed, left))
    }

    fn imports(&self, path: &str, text: &str, stop: &Cancel) -> Vec<Import> {
        let Some(language) = language_of(path, text) else { return Vec::new() };
        self.read(language, text, stop, |parsed| parsed.imports()).unwrap_or_default()
    }

    /// What is in a file of what went, and of the imports that it lost.
    fn file<'f>(
        &self,
        path: &'f str,
        text: &'f str,
        (lost, gone): (&BTreeSet<&str>, &[Gone<'_>]),
        stop: &Cancel,
    ) -> Option<File<'f>> {
        let language = language_of(path, text)?;
        let read = self.read(language, text, stop, |parsed| {
            let imports = parsed.imports();
            let names = gone.iter().map(|gone| &*gone.name).filter(|name| has_word(text, name));
            let names = names.chain(lost.iter().copied()).collect();
            let (uses, symbols) = parsed.uses(&names).ok()?;
            Some(File { path, text, language, imports, symbols, uses })
        });
        read?
    }
}

/// Patterns of the lines that bring in files that went, by names that may be short.
fn modules(touched: &[Touched<'_>]) -> Vec<String> {
    let went = touched.iter().filter(|file| lost::is_away(file, touched));
    let names = went.filter_map(|file| {
        let name = sources::module(file.path)?;
        let is_plain = name.chars().all(|c| c.is_alphanumeric() || "_-".contains(c));
        is_plain.then(|| match name.len() >= SHORTEST {
            true => format!(r"\b{name}\b"),
            false => format!(r#"(?:['"/.]|\b(?:import|from|mod|use)\s(?:.*\W)?){name}\b"#),
        })
    });
    names.take(MOST_NAMES).collect()
}

fn lines_with(
    workspace: &Workspace,
    names: &BTreeSet<&str>,
    modules: &[String],
    stop: &Cancel,
) -> Result<Vec<Hit>> {
    let is_plain = |name: &&&str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let words: Vec<&str> = names.iter().filter(is_plain).copied().collect();
    let words = (!words.is_empty()).then(|| format!(r"\b(?:{})\b", words.join("|")));
    let patterns: Vec<&str> = words.iter().chain(modules).map(String::as_str).collect();
    if patterns.is_empty() {
        return Ok(Vec::new());
    }
    let pattern = patterns.join("|");
    Ok(files::search::grep(workspace, &Grep::new(&pattern, ".", MOST_LINES), stop)?.hits)
}

/// The three files of tests that say most of what was changed: a name counts the more the fewer of
/// them have it.
fn tests(
    touched: &[Touched<'_>],
    by_file: &BTreeMap<&str, Vec<&Hit>>,
    changed: &[&str],
) -> Vec<String> {
    let is_touched = |path: &str| touched.iter().any(|file| file.path == path);
    let tests = by_file.iter().filter(|(path, _)| is_test(Path::new(path)) && !is_touched(path));
    let mut scores: BTreeMap<&str, f64> = BTreeMap::new();
    let tests: Vec<_> = tests.collect();
    for name in changed {
        let have =
            tests.iter().filter(|(_, hits)| hits.iter().any(|hit| has_word(&hit.text, name)));
        let have: Vec<&str> = have.map(|(path, _)| **path).collect();
        if have.len() <= COMMON {
            have.iter()
                .for_each(|path| *scores.entry(path).or_default() += 1.0 / have.len() as f64);
        }
    }
    let mut ranked: Vec<(&str, f64)> = scores.into_iter().collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    ranked.into_iter().take(3).map(|(path, _)| path.to_owned()).collect()
}
