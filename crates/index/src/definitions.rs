//! What each file defines, kept by content beside the index of words: a name is found without
//! parsing anything.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fault::{Cancel, Result};
use files::Workspace;
use files::search::{Asked, Digest, Digested, Digests, Grep, digests};
use files::workspace::Folder;
use miniz_oxide::deflate::{CompressionLevel, compress_to_vec};
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use syntax::{Grammars, Language, Refusal, Symbol};

use crate::Index;
use crate::document::{Span, spans};
use crate::spoken::closeness;
use crate::symbols::{MOST_BYTES, MOST_FILES, PATIENCE, Places, grep, language_of, places};

/// How long files are parsed for one question while the index is being made, which will know them.
const GROWING: Duration = Duration::from_secs(2);
/// How often a file is parsed that takes too long.
const TRIES: usize = 4;
/// Most bytes of the symbols of one file; no file that is read has more.
const MOST_KEPT: usize = 64 << 20;

/// Reads what files define.
pub(crate) struct Definitions {
    grammars: Arc<Grammars>,
    name: String,
}

impl Definitions {
    pub(crate) fn new(grammars: Arc<Grammars>) -> Self {
        Self { grammars, name: format!("symbols-{:016x}", syntax::version()) }
    }
}

impl Digest for Definitions {
    fn name(&self) -> &str {
        &self.name
    }

    fn of(&self, path: &Path, content: &[u8], stop: &dyn Fn() -> bool) -> Option<Digested> {
        let nothing = Some(Digested::default());
        let Some(name) = path.to_str() else { return nothing };
        let Ok(text) = files::text::decode(name, content) else { return nothing };
        let text = text.as_str();
        let Some(language) = language_of(name, text) else { return nothing };
        if text.len() > MOST_BYTES {
            return None;
        }
        // On a busy machine time passes in which nothing is done here.
        let parse = || self.grammars.parse(language, text.as_bytes(), stop);
        let read = || parse().and_then(|parsed| Ok((parsed.symbols()?, spans(&parsed)?)));
        let mut tries = std::iter::repeat_with(read).take(TRIES);
        let (symbols, spans) = tries.find(|read| *read != Err(Refusal::TooSlow))?.ok()?;
        let words = symbols.iter().flat_map(|symbol| between_marks(&symbol.name).into_bytes());
        let words = words.collect();
        Some(Digested { words, body: pack(language, &symbols, &spans) })
    }
}

/// A name as the index of definitions has it: so it is told where it begins and ends.
fn between_marks(name: &str) -> String {
    format!("({name})\n")
}

/// The symbols are compressed by themselves: who looks for a name needs nothing else.
fn pack(language: Language, symbols: &[Symbol], spans: &[Span]) -> Vec<u8> {
    let compressed = |plain: &[u8]| compress_to_vec(plain, CompressionLevel::BestSpeed as u8);
    let mut plain = Vec::new();
    Symbol::pack(symbols, &mut plain);
    let symbols = compressed(&plain);
    let mut out = vec![Language::ALL.iter().position(|one| *one == language).unwrap_or(0) as u8];
    out.extend((symbols.len() as u32).to_le_bytes());
    out.extend(symbols);
    plain.clear();
    let mut last = 0;
    for (name, lines) in spans {
        syntax::put(lines.start().wrapping_sub(last), &mut plain);
        syntax::put(lines.end().wrapping_sub(*lines.start()), &mut plain);
        syntax::put(name.len(), &mut plain);
        plain.extend(name.as_bytes());
        last = *lines.end();
    }
    out.extend(compressed(&plain));
    out
}

/// The two parts of what [`pack`] wrote.
fn parts(body: &[u8]) -> Option<(Language, &[u8], &[u8])> {
    let (language, rest) = body.split_first()?;
    let (length, rest) = rest.split_first_chunk()?;
    let (symbols, spans) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    Some((*Language::ALL.get(usize::from(*language))?, symbols, spans))
}

fn unpack(body: &[u8]) -> Option<(Language, Vec<Symbol>)> {
    let (language, symbols, _) = parts(body)?;
    let plain = decompress_to_vec_with_limit(symbols, MOST_KEPT).ok()?;
    Some((language, Symbol::unpack(&plain)?))
}

/// The pieces of the file; `None` if it is no code.
pub(crate) fn unpack_spans(body: &[u8]) -> Option<Vec<Span>> {
    let plain = decompress_to_vec_with_limit(parts(body)?.2, MOST_KEPT).ok()?;
    let (mut rest, mut spans, mut last) = (plain.as_slice(), Vec::new(), 0_usize);
    while !rest.is_empty() {
        let first = last.wrapping_add(syntax::take(&mut rest)?);
        last = first.wrapping_add(syntax::take(&mut rest)?);
        let length = syntax::take(&mut rest)?;
        let (name, after) = rest.split_at_checked(length)?;
        rest = after;
        spans.push((String::from_utf8(name.to_vec()).ok()?, first..=last));
    }
    Some(spans)
}

impl Index {
    /// The symbols that fit by what is known of the files, and of those of which nothing is known
    /// by reading them. `None` if every file that holds the name must be read.
    pub(crate) fn known_places(
        &self,
        workspace: &Workspace,
        (name, dir): (&str, &str),
        cancel: &Cancel,
        fits: &(impl Fn(&Symbol) -> bool + Sync),
    ) -> Result<Option<Places<Symbol>>> {
        let started = Instant::now();
        let (mut files, mut left) = Default::default();
        for level in LEVELS {
            let Some((folder, known)) = known_names(workspace, name, dir, level) else {
                return Ok(None);
            };
            let (covered, all) = known.covered;
            let grows = all - covered >= workspace.limits().words_changed_files;
            let until = started + if grows { GROWING } else { PATIENCE };
            let file = |rel: &Path| {
                let path = folder.path().join(rel);
                let shown = Arc::from(workspace.show(&path));
                (path, shown)
            };
            let unknown = known.unknown.iter().map(|rel| file(rel)).collect();
            (files, left) =
                self.read_all(workspace, (name, unknown), until, cancel, |parsed, _| {
                    Ok(parsed.symbols()?.into_iter().filter(fits).collect())
                });
            left.growing = grows.then_some((covered, all));
            left.more = known.known.len() > MOST_FILES;
            for one in known.known.iter().take(MOST_FILES) {
                cancel.check()?;
                if let Some((language, symbols)) = unpack(one.body()) {
                    let (path, shown) = file(&one.rel);
                    let symbols = symbols.into_iter().filter(fits).collect();
                    files.insert(path, (shown, language, symbols));
                }
            }
            let mut found =
                files.values().flat_map(|(_, _, symbols): &(_, _, Vec<Symbol>)| symbols);
            if found.any(|symbol| closeness(&symbol.name, name) <= Some(level)) {
                let skipped = files::search::left_out(workspace, dir, cancel)?;
                return Ok(Some(places(files, &left, &skipped)));
            }
        }
        cancel.check()?;
        let grep = Grep { max_hits: 0, ..grep(name, dir, true) };
        let skipped = files::search::grep(workspace, &grep, cancel)?.skipped;
        Ok(Some(places(files, &left, &skipped)))
    }
}

/// How close a name may be to the one that is looked for, the closest first; see `closeness`.
const LEVELS: std::ops::RangeInclusive<u8> = 0..=2;

/// What is known of definitions that are so close to a name, below a directory. `None` if every
/// file that holds it must be read.
fn known_names(
    workspace: &Workspace,
    name: &str,
    dir: &str,
    level: u8,
) -> Option<(Folder, Digests)> {
    let words = between_marks(name);
    let words = words.trim_end();
    let words = if level == *LEVELS.end() { words.trim_end_matches(')') } else { words };
    let asked = Asked { dir, words, text: name, loose: level > 0, most: MOST_FILES };
    // Who reads the files says what is wrong with the directory.
    digests(workspace, &asked).ok()?
}
