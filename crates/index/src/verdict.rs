//! What a change of files broke, as far as their text tells: code that is no longer valid, uses of
//! what was taken away, and the tests that concern it.
//!
//! Names are compared, and types only as far as the text around a value says them, so whatever could
//! be meant otherwise is passed over: a name that is still defined anywhere, a use in a file that does
//! not know the place it was taken from.

mod absent;
mod broken;
mod concerned;
mod exports;
mod gone;
mod heirs;
mod lost;
mod made;
mod means;
mod members;
mod paths;
mod plain;
mod sources;
mod told;
mod uses;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;
use std::time::Instant;

use fault::{Cancel, Code, Result};
use files::Workspace;
use files::search::Hit;
use syntax::{Exports, Import, Language, Maker, Parsed, Symbol};

use crate::Index;
use crate::symbols::language_of;
use absent::{absent, adrift};
use broken::{Invalid, of_change, spots, without_macros};
use concerned::{lines_with, tests};
use gone::{Gone, Went, changed, gone};
use lost::Lost;
use sources::Sources;
pub use told::{Absent, Adrift, Loss, Missed, Spot, Touched, Verdict};
use uses::{File, has_word, uses};

/// Names that one change is looked at for, of those that went and of those that changed each.
const MOST_NAMES: usize = 30;
/// Lines with one of them that are looked at.
const MOST_LINES: usize = 2000;
/// Files that are parsed to find uses.
const MOST_FILES: usize = 50;
/// Invalid places that are told of one file.
const MOST_BROKEN: usize = 3;
/// A shorter name is in too many lines that mean something else.
const SHORTEST: usize = 3;

/// What both sides of the change define.
#[derive(Default)]
struct Sides {
    broken: Vec<Spot>,
    still: Vec<Spot>,
    before: Vec<(usize, Language, Symbol)>,
    after: Vec<(usize, Language, Symbol)>,
    /// What each file says of names beside, before and after.
    files: Vec<[Side; 2]>,
}

/// What a file says of names beside its definitions.
#[derive(Default)]
struct Side {
    imports: Vec<Import>,
    /// What may make definitions.
    makers: Vec<Maker>,
    /// What it lets others bring in, if it says so.
    exports: Option<Exports>,
    /// What it defines outside of types, or says that another file does.
    outer: BTreeSet<String>,
}

impl Side {
    fn new(parsed: &Parsed<'_>, symbols: &[Symbol]) -> Self {
        let outer = symbols.iter().filter(|symbol| symbol.container.is_none());
        Self {
            imports: parsed.imports(),
            makers: parsed.makers(),
            exports: parsed.exports(),
            outer: outer.map(|symbol| symbol.name.clone()).chain(parsed.promised()).collect(),
        }
    }
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
        let imports = |path: &str, text: &str| self.imports(path, text, stop);
        let side = |path: &str, text: &str| self.side(path, text, stop);
        let known = Default::default();
        let sources = Sources { workspace, touched, imports: &imports, side: &side, known };
        let (gone, more) = if is_whole { gone(&sides, &sources) } else { Default::default() };
        let changed = changed(touched, &sides);
        if more > 0 {
            verdict.unchecked.push(format!("uses of {more} further definitions that went"));
        }
        let names = gone.iter().filter(|gone| gone.went != Went::Passed);
        let names: BTreeSet<&str> = names.map(|gone| gone.name.as_str()).collect();
        let hits = lines_with(workspace, touched, (&names, &changed), stop)?;
        if hits.len() >= MOST_LINES && !names.is_empty() {
            verdict.unchecked.push("not every line that has the names".to_owned());
        }
        let mut by_file: BTreeMap<&str, Vec<&Hit>> = BTreeMap::new();
        for hit in &hits {
            by_file.entry(&*hit.shown).or_default().push(hit);
        }
        verdict.tests = tests(&sources, &by_file, &changed, stop)?;
        *left = "uses";
        if is_whole {
            let all = by_file.keys().copied();
            let (missed, notes) = self.missed(&sources, (&gone, &sides), all, stop)?;
            verdict.missed = missed;
            verdict.unchecked.extend(notes);
            *left = "imports";
            for (file, sides) in touched.iter().zip(&sides.files) {
                let adrift = adrift(file, &sides[1], &sources);
                let mut absent = absent(file, sides, &sources, stop)?;
                absent.retain(|one| adrift.iter().all(|other| other.at != one.at));
                verdict.absent.extend(absent);
                verdict.adrift.extend(adrift);
            }
        }
        Ok(())
    }

    fn sides(&self, touched: &[Touched<'_>], stop: &Cancel) -> Result<Sides> {
        let mut sides = Sides::default();
        for (at, file) in touched.iter().enumerate() {
            let mut beside = <[Side; 2]>::default();
            let mut read = |side: usize, text: Option<&str>, symbols: &mut Vec<_>| {
                let Some(text) = text else { return Ok(Vec::new()) };
                let Some(language) = language_of(file.path, text) else { return Ok(Vec::new()) };
                let found = self.read(language, text, stop, |parsed| {
                    let mine = parsed.symbols().unwrap_or_default();
                    beside[side] = Side::new(parsed, &mine);
                    let mine = mine.into_iter().chain(parsed.attributes());
                    symbols.extend(mine.map(|symbol| (at, language, symbol)));
                    spots(file.path, text, parsed)
                });
                stop.check()?;
                Ok(found.unwrap_or_default())
            };
            let before: Result<Vec<Invalid>> = read(0, file.before, &mut sides.before);
            let (before, after) = (before?, read(1, file.after, &mut sides.after)?);
            sides.files.push(beside);
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
        let new = of_change(file, without_macros(file, new));
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

    /// What went and is still used in the touched files and these, and what was not looked at.
    fn missed<'p>(
        &self,
        sources: &Sources<'_>,
        (gone, sides): (&[Gone<'_>], &Sides),
        paths: impl Iterator<Item = &'p str>,
        stop: &Cancel,
    ) -> Result<(Vec<Missed>, Vec<String>)> {
        let touched = sources.touched;
        let (mut missed, mut away) = (Vec::new(), BTreeMap::<_, Vec<Spot>>::new());
        let mut found = uses::begun(gone, sides, sources, stop)?;
        let away_files = touched.iter().filter(|file| lost::is_away(file, touched));
        let mut homes: Vec<&str> = away_files.map(|file| file.path).collect();
        let plain = exports::without_default(sources, sides);
        homes.extend(plain.iter().map(|at| touched[*at].path));
        let modules: Vec<&str> = homes.iter().filter_map(|path| paths::entrance(path)).collect();
        homes.extend(gone.iter().map(|gone| gone.path));
        let concerns = |text: &str| {
            gone.iter().any(|gone| gone.may_be_in(text))
                || modules.iter().any(|module| has_word(text, module))
        };
        let mut look = |path: &str, text: &str, lost: &Lost<'_>| {
            let names = lost.names();
            if names.is_empty() && !concerns(text) {
                return;
            }
            let Some(file) = self.file(path, text, (&names, gone), stop) else { return };
            missed.extend(lost::imports(lost, &file, sources));
            missed.extend(lost::stars(lost, &file));
            let defaults = exports::defaults(&plain, &file, sources);
            for (what, spot) in lost::files(touched, &file, sources).into_iter().chain(defaults) {
                away.entry(what).or_default().push(spot);
            }
            let mine = gone.iter().zip(&mut found);
            for (gone, found) in mine.filter(|(gone, _)| {
                file.language.can_use(gone.language) && file.uses.contains_key(&gone.name)
            }) {
                let here = found.take();
                *found = here.and_then(|found| Some(found.and(uses(gone, &file, sources)?)));
            }
        };
        for (at, file) in touched.iter().enumerate() {
            if let Some(text) = file.after {
                look(file.path, text, &Lost::new(at, sides, sources));
            }
        }
        if gone.is_empty() && modules.is_empty() {
            return Ok((missed, Vec::new()));
        }
        let others = paths.filter(|path| touched.iter().all(|file| file.path != *path));
        let (others, left) = sources.first(others.collect(), &homes, &concerns, stop)?;
        for path in others {
            stop.check()?;
            if let Some(text) = sources.text(path) {
                look(path, &text, &Lost::default());
            }
        }
        stop.check()?;
        missed.extend(away.into_iter().map(|((at, loss), uses)| {
            let path = touched[at].path;
            let name =
                if loss == Loss::Gone { path.to_owned() } else { format!("default of {path}") };
            Missed { loss, ..Missed::new(name, uses) }
        }));
        let (uses, mut notes) = uses::told(gone, found);
        missed.extend(uses);
        if left > 0 {
            notes.push(format!("uses in {left} further files"));
        }
        Ok((missed, notes))
    }

    fn imports(&self, path: &str, text: &str, stop: &Cancel) -> Vec<Import> {
        let Some(language) = language_of(path, text) else { return Vec::new() };
        self.read(language, text, stop, |parsed| parsed.imports()).unwrap_or_default()
    }

    fn side(&self, path: &str, text: &str, stop: &Cancel) -> Side {
        let Some(language) = language_of(path, text) else { return Side::default() };
        let read = |parsed: &Parsed<'_>| Side::new(parsed, &parsed.symbols().unwrap_or_default());
        self.read(language, text, stop, read).unwrap_or_default()
    }

    /// What a file uses of what went, and of the imports that it lost.
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
            let symbols = symbols.into_iter().chain(parsed.attributes()).collect();
            Some(File { path, text, language, imports, symbols, uses })
        });
        read?
    }
}
