//! What is at a place, as text: lines with their numbers, definitions, a directory, an outline; a
//! picture beside it.

use std::cell::Cell;

use files::search;
use files::text::{Line, lines};
use files::workspace::Kind;
use index::{Located, Named};
use syntax::Symbol;
use toolkit::Picture;

use super::outline::outline;
use super::parts::{text_of, without_lines};
use super::place::{Part, Place, meant_lines};
use super::search::Mode;
use super::sent::{Sent, digest_of_bytes, digests};
use super::{pdf, picture, try_next};
use crate::prelude::*;

/// Most definitions of one name.
const DEFINITIONS: usize = 10;
/// Most lines that are shown above the first definition of a long file.
const HEAD: usize = 40;
/// A shorter text is sent again: it takes no more than to say that it did not change.
const SHORT_BYTES: usize = 120;

/// Reads places for one call.
pub(super) struct Reader<'a> {
    pub(super) cx: &'a Cx<'a>,
    /// Also what was sent and did not change.
    pub(super) again: bool,
    /// Each place begins with a line that names it.
    pub(super) headed: bool,
    /// Bytes of the pictures that were shown.
    pub(super) pictures: Cell<usize>,
}

/// What is at a place.
pub(super) struct Shown {
    pub(super) text: String,
    /// Where to go on, if it is not all.
    pub(super) next: Option<Next>,
}

/// Where a place goes on, and how many of its lines were shown.
pub(super) struct Next {
    pub(super) place: String,
    pub(super) shown: usize,
    pub(super) total: usize,
}

/// Lines of a file that was read.
struct Source<'a> {
    path: &'a str,
    real: &'a std::path::Path,
    text: &'a str,
    lines: Vec<Line>,
    digests: Vec<u64>,
}

impl Reader<'_> {
    /// What is at the place `given`, in about `bytes`.
    pub(super) fn show(&self, given: &str, bytes: usize) -> Result<Shown> {
        let Place { path, part } = Place::of(given, self.cx.workspace());
        if let Part::Symbol(name) = part {
            return self.definitions(path, name, bytes);
        }
        let mut shown = match part {
            Part::Whole if self.cx.workspace().kind(path)? == Some(Kind::Directory) => {
                self.directory(path, bytes)?
            }
            part => self.file(path, part, bytes).map_err(|error| self.misread(given, error))?,
        };
        if self.headed {
            shown.text.insert_str(0, &format!("== {path}\n"));
        }
        Ok(shown)
    }

    /// What is wrong with a place that is not there: perhaps what should be its lines.
    fn misread(&self, given: &str, error: Error) -> Error {
        match given.rsplit_once(':') {
            Some((path, lines))
                if error.code == Code::FileNotFound
                    && self.cx.workspace().glance(path).is_some() =>
            {
                Error::not_a_range(path, lines, meant_lines(lines).as_deref())
            }
            _ if error.code == Code::FileNotFound && error.detail("near").is_none() => {
                self.only_file(&error).unwrap_or(error)
            }
            _ => error,
        }
    }

    /// The failure with the one file of the root whose path ends with that which is not there.
    fn only_file(&self, error: &Error) -> Option<Error> {
        let is_plain = |path: &&str| !path.contains(['*', '?', '[', '{', '\\']);
        let path = error.detail("path").filter(is_plain)?;
        let pattern = format!("**/{path}");
        let all = search::Find::files(&pattern, ".", 2);
        let all = search::find(self.cx.workspace(), &all, self.cx.cancel()).ok()?;
        let [only] = all.spots.as_slice() else { return None };
        Some(Error::file_not_found(path, std::slice::from_ref(&only.shown)))
    }

    fn directory(&self, path: &str, bytes: usize) -> Result<Shown> {
        let entries = self.cx.workspace().list(path)?;
        let (directories, files): (Vec<_>, Vec<_>) =
            entries.into_iter().partition(|entry| entry.kind == Kind::Directory);
        let directories = directories.into_iter().map(|entry| entry.name + "/\n");
        let names: Vec<String> =
            directories.chain(files.into_iter().map(|entry| entry.name + "\n")).collect();
        if names.is_empty() {
            return Ok(Shown::all("(empty directory)\n".to_owned()));
        }
        let head = files::text::head(&names.concat(), names.len(), bytes);
        let cut = format!("\n[{} of {}; search finds files by name]\n", head.lines, names.len());
        Ok(Shown::all(head.text + if head.omitted > 0 { &cut } else { "" }))
    }

    fn file(&self, path: &str, part: Part<'_>, bytes: usize) -> Result<Shown> {
        let contents = self.cx.workspace().read(path)?;
        if let Some(mime) = picture::kind(&contents.bytes) {
            return self.picture(path, mime, (&contents.path, &contents.bytes));
        }
        let from_pdf;
        let decoded;
        let text = if contents.bytes.starts_with(b"%PDF-") {
            from_pdf = pdf::text(path, &contents.bytes, self.cx.cancel())?;
            from_pdf.as_str()
        } else {
            let sent = self.cx.kept::<Sent>();
            decoded = text_of(&sent, &contents.path, path, &contents.bytes)?;
            decoded.as_str()
        };
        let lines: Vec<Line> = lines(text).collect();
        let digests = digests(text.lines());
        let source = Source { path, real: &contents.path, text, lines, digests };
        let mut shown = match part {
            Part::Lines(first, last) => self.lines(&source, first, last, bytes),
            _ if self.is_long(text, source.lines.len()) => self.long(&source, bytes),
            _ => self.lines(&source, 1, None, bytes),
        }?;
        if let Some(note) = without_lines(text) {
            shown.text += &format!("({note})\n");
        }
        Ok(shown)
    }

    /// Whether a text would not fit into an answer that holds nothing else.
    fn is_long(&self, text: &str, lines: usize) -> bool {
        let limits = self.cx.limits();
        text.len() + lines * 5 > self.cx.result_bytes() || lines > limits.result_lines
    }

    /// The lines from `first` to `last`, as many as `bytes` hold.
    fn lines(
        &self,
        source: &Source<'_>,
        first: usize,
        last: Option<usize>,
        bytes: usize,
    ) -> Result<Shown> {
        let Source { path, lines, .. } = source;
        let total = lines.len();
        if first > total {
            return match total {
                0 => Ok(Shown::all("(empty file)\n".to_owned())),
                _ => Err(Error::past_the_end(path, first, total)),
            };
        }
        let last = last.unwrap_or(total).min(total);
        let (text, end, whole) = source.numbered(first, last, self.cx.limits().result_lines, bytes);
        let next = (end < last).then(|| Next {
            place: match last == total {
                true => format!("{path}:{}-", end + 1),
                false => format!("{path}:{}-{last}", end + 1),
            },
            shown: end + 1 - first,
            total: last + 1 - first,
        });
        let sent = self.cx.kept::<Sent>();
        let known = whole && sent.has(source.real, &source.digests, (first, end));
        if known && !self.again && text.len() > SHORT_BYTES {
            let text = format!(
                "unchanged since you saw it ({} of {total}); again: true sends it\n",
                fault::lines(first, end)
            );
            return Ok(Shown { text, next });
        }
        if whole {
            let (real, digests) = (source.real.to_owned(), source.digests.clone());
            self.cx.when_kept(move || sent.note(&real, &digests, &[(first, end)]));
        }
        Ok(Shown { text, next })
    }

    /// What a long file defines, and the lines above that; of one that is no code its first lines.
    fn long(&self, source: &Source<'_>, bytes: usize) -> Result<Shown> {
        let listed =
            self.cx.index().list_symbols(self.cx.workspace(), source.path, self.cx.cancel());
        let symbols = match listed {
            Err(error) if error.code == Code::Cancelled => return Err(error),
            Err(_) => Vec::new(), // in no known language
            Ok(listed) => listed.symbols.into_iter().map(|(symbol, _)| symbol).collect(),
        };
        let above = symbols.iter().map(|symbol: &Symbol| symbol.start_line).min().unwrap_or(1) - 1;
        let Some(outline) = outline(symbols, bytes / 4) else {
            return self.lines(source, 1, None, bytes);
        };
        let total = source.lines.len();
        let define = format!("{total} lines, which define\n{outline}");
        let head = match above.min(HEAD) {
            0 => String::new(),
            last => {
                format!("the first lines:\n{}", self.lines(source, 1, Some(last), bytes / 8)?.text)
            }
        };
        let shown = above.min(HEAD);
        let place = format!("{}:{}-", source.path, shown + 1);
        Ok(Shown { text: define + &head, next: Some(Next { place, shown, total }) })
    }

    /// Every definition of a name, in a file, a directory or, with an empty path, the project.
    fn definitions(&self, path: &str, name: &str, bytes: usize) -> Result<Shown> {
        let (cx, workspace) = (self.cx, self.cx.workspace());
        if !path.is_empty() && workspace.kind(path)?.is_none() {
            workspace.open_file(path)?; // its failure has near names
        }
        let dir = if path.is_empty() { "." } else { path };
        let named = Named { name, dir, family: None, max: DEFINITIONS };
        let places = cx.index().find_symbol(workspace, &named, cx.cancel())?;
        // As it is, or as a declaration has it.
        let written = index::declared(name);
        let is_written = |found: &Located<Symbol>| found.what.name == last_part(written);
        let name = if places.found.iter().any(is_written) { written } else { name };
        let last = last_part(name.trim());
        if places.found.iter().all(|found| found.what.name != last) {
            let outer = name.trim().strip_suffix(last).unwrap_or_default();
            let found = places.found.into_iter().map(|found| outer.to_owned() + &found.what.name);
            let mut near: Vec<_> = found.collect();
            near.dedup();
            let whose = if path.is_empty() { "the project" } else { path };
            let error = match near.is_empty() {
                true => self.undefined(path, name),
                false => Error::undefined(whose, name, &near),
            };
            // It may be in what is not looked into, such as the packages of others.
            return Err(match &places.note {
                Some(note) if error.code == Code::StringNotFound => {
                    error.noting(note).with("skipped", note)
                }
                _ => error,
            });
        }
        let (mut text, mut next, mut file) = (String::new(), None, "");
        for found in &places.found {
            let (first, last) = (found.what.start_line, found.what.end_line);
            if *file != *found.shown {
                file = &found.shown;
                text += &format!("== {file}\n");
            }
            let left = bytes.saturating_sub(text.len());
            let shown = self.file(&found.shown, Part::Lines(first, Some(last)), left)?;
            text += &shown.text;
            next = shown.next;
            if next.is_some() {
                break;
            }
        }
        if places.total > places.found.len() {
            let more = places.total - places.found.len();
            let advice = match workspace.kind(dir)? {
                Some(Kind::File) => "say what it is in, as in `Type.name`, or read its lines",
                _ => "name the file before the #",
            };
            text += &format!("({more} more of this name; {advice})\n");
        }
        Ok(Shown { text, next })
    }

    /// That a name is not defined, with those that may be meant: of what it is said to be in first.
    fn undefined(&self, path: &str, name: &str) -> Error {
        let (cx, name) = (self.cx, name.trim());
        let last = last_part(name);
        let outer = name.strip_suffix(last).unwrap_or_default();
        let of = last_part(outer.trim_end_matches(['.', ':', '#']));
        let listed = match path.is_empty() {
            true => return Error::undefined("the project", name, &self.near(outer, last)),
            false => cx.index().list_symbols(cx.workspace(), path, cx.cancel()),
        };
        let symbols = match listed {
            Ok(listed) => listed.symbols.into_iter().map(|(symbol, _)| symbol),
            Err(error) if error.code == Code::InvalidInput => return error,
            Err(_) => return Error::undefined(path, name, &self.near(outer, last)),
        };
        let (inner, others): (Vec<_>, Vec<_>) =
            symbols.partition(|symbol| !of.is_empty() && symbol.container.as_deref() == Some(of));
        let near = |all: Vec<Symbol>| {
            files::spelling::nearest(last, all.into_iter().map(|symbol| symbol.name), 3)
        };
        let mut names: Vec<_> =
            near(inner).into_iter().map(|name| outer.to_owned() + &name).collect();
        if names.is_empty() {
            names = near(others);
        }
        Error::undefined(path, name, &names)
    }

    /// Names that the project defines like `last`, with what it is in where they are in that.
    fn near(&self, outer: &str, last: &str) -> Vec<String> {
        let near = try_next::near(self.cx, last, Mode::Symbols).into_iter();
        let full = near.map(|name| {
            let full = outer.to_owned() + &name;
            let is_there = !outer.is_empty() && try_next::is_defined(self.cx, &full, &name);
            if is_there { full } else { name }
        });
        full.collect()
    }

    fn picture(
        &self,
        path: &str,
        mime: &'static str,
        (real, bytes): (&std::path::Path, &[u8]),
    ) -> Result<Shown> {
        let size = bytes.len();
        if size > picture::MOST_BYTES {
            let advice = "show a smaller one, made with a program";
            let most = picture::MOST_BYTES as u64;
            return Err(Error::file_too_large(path, size as u64, most, advice));
        }
        let (sent, digest) = (self.cx.kept::<Sent>(), digest_of_bytes(bytes));
        if sent.has(real, &digest, (1, 1)) && !self.again {
            let text = "unchanged since you saw it; again: true sends it\n".to_owned();
            return Ok(Shown::all(text));
        }
        self.pictures.set(self.pictures.get() + size);
        self.cx.show_picture(Picture::new(mime, bytes));
        let real = real.to_owned();
        self.cx.when_kept(move || sent.note(&real, &digest, &[(1, 1)]));
        Ok(Shown::all(format!("{mime}\n")))
    }
}

/// The name of a definition without what it is in.
fn last_part(name: &str) -> &str {
    name.rsplit(['.', ':', '#']).next().unwrap_or(name)
}

impl Shown {
    fn all(text: String) -> Self {
        Self { text, next: None }
    }
}

impl Source<'_> {
    /// The lines from `first` to `last` with their numbers, and the last one that there was room for.
    /// Of a first line that is too long its beginning is shown; then they are not whole.
    fn numbered(
        &self,
        first: usize,
        last: usize,
        lines: usize,
        bytes: usize,
    ) -> (String, usize, bool) {
        let (mut text, mut end, mut whole) = (String::new(), first - 1, true);
        for (number, line) in (first..=last).zip(&self.lines[first - 1..last]).take(lines) {
            let line = &self.text[line.text.clone()];
            if text.len() + line.len() + 8 > bytes {
                if text.is_empty() {
                    let kept = &line[..line.floor_char_boundary(bytes)];
                    let more = line.len() - kept.len();
                    text =
                        format!("{number}\t{kept}\n({more} more bytes of this line; search it)\n");
                    (end, whole) = (number, false);
                }
                break;
            }
            text += &format!("{number}\t{line}\n");
            end = number;
        }
        (text, end, whole)
    }
}
