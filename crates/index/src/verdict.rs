//! What a change of files broke, as far as their text tells: code that is no longer valid, uses of
//! what was taken away, and the tests that concern it.
//!
//! Names are compared, not types, so whatever could be meant otherwise is passed over: a name that
//! is still defined anywhere, a use in a file that does not know the place it was taken from.

mod broken;
mod uses;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Instant;

use fault::{Cancel, Code, Result};
use files::Workspace;
use files::search::{Grep, Hit};
use syntax::{Language, Parsed, Symbol};

use crate::Index;
use crate::place::is_test;
use crate::symbols::language_of;
use broken::{of_change, spots};
use uses::{Gone, has_word, uses};

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
    /// Where it is used.
    pub uses: Vec<Spot>,
}

/// What both sides of the change define.
#[derive(Default)]
struct Sides {
    broken: Vec<Spot>,
    before: Vec<(usize, Language, Symbol)>,
    after: Vec<(usize, Language, Symbol)>,
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
        // Of a file that cannot be read whole, what it defines is not known either.
        let (gone, more) =
            if sides.broken.is_empty() { gone(touched, &sides) } else { Default::default() };
        verdict.broken = sides.broken.clone();
        let changed = changed(touched, &sides);
        if more > 0 {
            verdict.unchecked.push(format!("uses of {more} further definitions that went"));
        }
        let names: BTreeSet<&str> =
            gone.iter().map(|gone| gone.name.as_str()).chain(changed.iter().copied()).collect();
        if names.is_empty() {
            return Ok(());
        }
        let hits = lines_with(workspace, &names, stop)?;
        if hits.len() >= MOST_LINES {
            verdict.unchecked.push("not every line that has the names".to_owned());
        }
        let mut by_file: BTreeMap<&str, Vec<&Hit>> = BTreeMap::new();
        for hit in &hits {
            by_file.entry(&*hit.shown).or_default().push(hit);
        }
        verdict.tests = tests(touched, &by_file, &changed);
        *left = "uses";
        verdict.missed = files_missed(touched, &by_file);
        if !gone.is_empty() {
            let all = by_file.keys().copied();
            verdict.missed.extend(self.missed(workspace, touched, &gone, all, stop)?);
        }
        Ok(())
    }

    fn sides(&self, touched: &[Touched<'_>], stop: &Cancel) -> Result<Sides> {
        let mut sides = Sides::default();
        for (at, file) in touched.iter().enumerate() {
            let read = |text: Option<&str>, symbols: &mut Vec<_>| -> Result<Vec<(Spot, usize)>> {
                let Some(text) = text else { return Ok(Vec::new()) };
                let Some(language) = language_of(file.path, text) else { return Ok(Vec::new()) };
                let found = self.read(language, text, stop, |parsed| {
                    let mine = parsed.symbols().unwrap_or_default();
                    symbols.extend(mine.into_iter().map(|symbol| (at, language, symbol)));
                    spots(file.path, text, parsed)
                });
                stop.check()?;
                Ok(found.unwrap_or_default())
            };
            let before = read(file.before, &mut sides.before)?;
            let after = read(file.after, &mut sides.after)?;
            let is_old = |spot: &Spot| before.iter().any(|(old, _)| old.text == spot.text);
            if after.len() > before.len() || before.is_empty() {
                let new = after.into_iter().filter(|(spot, _)| !is_old(spot)).collect();
                sides.broken.extend(of_change(file, new).into_iter().take(MOST_BROKEN));
            }
        }
        Ok(sides)
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

    /// What of `gone` is still used in these files and the touched ones.
    fn missed<'p>(
        &self,
        workspace: &Workspace,
        touched: &[Touched<'_>],
        gone: &[Gone<'_>],
        paths: impl Iterator<Item = &'p str>,
        stop: &Cancel,
    ) -> Result<Vec<Missed>> {
        let mut found: Vec<Option<Vec<Spot>>> = vec![Some(Vec::new()); gone.len()];
        let mut look = |path: &str, text: &str| {
            let Some(language) = language_of(path, text) else { return };
            let wanted = |gone: &&Gone<'_>| has_word(text, &gone.name);
            if !gone.iter().any(|gone| wanted(&gone)) {
                return;
            }
            self.read(language, text, stop, |parsed| {
                for (gone, found) in gone.iter().zip(&mut found).filter(|(gone, _)| wanted(gone)) {
                    let here = found.take().and_then(|mut found| {
                        found.extend(uses(gone, path, text, parsed)?);
                        Some(found)
                    });
                    *found = here;
                }
            });
        };
        for file in touched {
            file.after.into_iter().for_each(|text| look(file.path, text));
        }
        let others = paths.filter(|path| touched.iter().all(|file| file.path != *path));
        for path in others.take(MOST_FILES) {
            stop.check()?;
            let Ok(contents) = workspace.look(path) else { continue };
            if let Ok(text) = files::text::decode(path, &contents.bytes) {
                look(path, text.as_str());
            }
        }
        stop.check()?;
        let missed = gone.iter().zip(found).filter_map(|(gone, uses)| {
            let uses = uses.filter(|uses| !uses.is_empty())?;
            Some(Missed { name: gone.shown(), now: gone.now.clone(), uses })
        });
        Ok(missed.collect())
    }
}

/// The definitions whose name none of the touched files has any more, but as that of a member: the
/// first of them, and how many more there are.
fn gone<'t>(touched: &[Touched<'t>], sides: &Sides) -> (Vec<Gone<'t>>, usize) {
    let is_inner = |symbol: &Symbol| symbol.container.is_some();
    let names: BTreeSet<&str> = sides.after.iter().map(|(.., symbol)| &*symbol.name).collect();
    let outer = sides.after.iter().filter(|(.., symbol)| !is_inner(symbol));
    let outer: BTreeSet<&str> = outer.map(|(.., symbol)| &*symbol.name).collect();
    let known: BTreeSet<&str> = sides.before.iter().map(|(.., symbol)| &*symbol.name).collect();
    let mut found: Vec<&(usize, Language, Symbol)> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for one in &sides.before {
        let (.., symbol) = one;
        let stays = if is_inner(symbol) { &names } else { &outer };
        if symbol.name.len() < SHORTEST || stays.contains(&*symbol.name) {
            continue;
        }
        match places.get(&*symbol.name) {
            // What others bring in by the name is not a member.
            Some(at) if is_inner(&found[*at].2) && !is_inner(symbol) => found[*at] = one,
            Some(_) => {}
            None => {
                places.insert(&symbol.name, found.len());
                found.push(one);
            }
        }
    }
    let more = found.len().saturating_sub(MOST_NAMES);
    let gone = found.into_iter().take(MOST_NAMES).map(|(at, language, symbol)| {
        let is_like =
            |other: &Symbol| other.kind == symbol.kind && other.container == symbol.container;
        let count = |side: &[(usize, Language, Symbol)], others: &BTreeSet<&str>| {
            let new = side.iter().filter(|(file, _, other)| {
                file == at && is_like(other) && !others.contains(&*other.name)
            });
            new.take(2).map(|(.., other)| other.name.clone()).collect::<Vec<_>>()
        };
        let (went, mut came) = (count(&sides.before, &names), count(&sides.after, &known));
        Gone {
            name: symbol.name.clone(),
            container: symbol.container.clone(),
            kind: symbol.kind,
            language: *language,
            path: touched[*at].path,
            now: if went.len() == 1 && came.len() == 1 { came.pop() } else { None },
            is_member_too: names.contains(&*symbol.name),
        }
    });
    (gone.collect(), more)
}

/// The names of what the change touched: definitions whose text is another, and the files.
fn changed<'s>(touched: &[Touched<'s>], sides: &'s Sides) -> Vec<&'s str> {
    let mut names: BTreeSet<&'s str> = BTreeSet::new();
    for (at, file) in touched.iter().enumerate() {
        if is_test(Path::new(file.path)) {
            continue;
        }
        let of = |side: &'s [(usize, Language, Symbol)], text: Option<&'s str>| {
            let lines: Vec<&str> = text.unwrap_or_default().lines().collect();
            let mine = side.iter().filter(move |(file, ..)| *file == at);
            mine.map(move |(.., symbol)| {
                let last = symbol.end_line.min(lines.len());
                (&*symbol.name, lines[symbol.start_line.min(last + 1) - 1..last].join("\n"))
            })
            .collect::<BTreeSet<(&str, String)>>()
        };
        let (before, after) = (of(&sides.before, file.before), of(&sides.after, file.after));
        let differ = before.symmetric_difference(&after).map(|(name, _)| *name);
        names.extend(differ.filter(|name| name.len() >= SHORTEST));
        names.extend(uses::module(file.path));
    }
    names.into_iter().take(MOST_NAMES).collect()
}

fn lines_with(workspace: &Workspace, names: &BTreeSet<&str>, stop: &Cancel) -> Result<Vec<Hit>> {
    let is_plain = |name: &&&str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let words: Vec<&str> = names.iter().filter(is_plain).copied().collect();
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let pattern = format!(r"\b(?:{})\b", words.join("|"));
    Ok(files::search::grep(workspace, &Grep::new(&pattern, ".", MOST_LINES), stop)?.hits)
}

/// Files that went and are still brought in by others, as far as a line shows that.
fn files_missed(touched: &[Touched<'_>], by_file: &BTreeMap<&str, Vec<&Hit>>) -> Vec<Missed> {
    let went = touched.iter().filter(|file| file.after.is_none());
    let missed = went.filter_map(|file| {
        let module = uses::module(file.path)?;
        let language = language_of(file.path, file.before?)?;
        let same = |other: &&Touched<'_>| {
            let place = |path: &'_ str| Path::new(path).with_extension("");
            other.after.is_some() && place(other.path) == place(file.path)
        };
        if touched.iter().any(|other| same(&other)) {
            return None;
        }
        let is_use = |hit: &&&Hit| {
            let others = touched.iter().all(|file| file.path != &*hit.shown);
            let mixes = language_of(&hit.shown, "").is_some_and(|other| other.can_use(language));
            others && mixes && uses::brings_in(&hit.text, module)
        };
        let spot = |hit: &&Hit| Spot {
            path: hit.shown.to_string(),
            line: hit.line as usize,
            text: fault::cut(hit.text.trim(), 120).into_owned(),
        };
        let uses: Vec<Spot> = by_file.values().flatten().filter(is_use).map(spot).collect();
        (!uses.is_empty()).then(|| Missed { name: file.path.to_owned(), now: None, uses })
    });
    missed.collect()
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
