//! What each file defines, kept by content beside the index of words: a name is found without
//! parsing anything.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use files::search::{Asked, Digest, Digested, Digests, digests};
use files::workspace::Folder;
use files::Workspace;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use syntax::{Grammars, Language, Symbol};

use crate::symbols::{MOST_BYTES, MOST_FILES, PARSE_TIME, language_of};

/// Most bytes of the symbols of one file; no file that is read has more.
const MOST_KEPT: u64 = 64 << 20;

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
        let started = Instant::now();
        let stop = || stop() || started.elapsed() > PARSE_TIME;
        let parsed = self.grammars.parse(language, text.as_bytes(), &stop).ok()?;
        let symbols = parsed.symbols().ok()?;
        let words = symbols.iter().flat_map(|symbol| between_marks(&symbol.name).into_bytes());
        Some(Digested { words: words.collect(), body: pack(language, &symbols) })
    }
}

/// A name as the index of definitions has it: so it is told where it begins and ends.
fn between_marks(name: &str) -> String {
    format!("({name})\n")
}

fn pack(language: Language, symbols: &[Symbol]) -> Vec<u8> {
    if symbols.is_empty() {
        return Vec::new();
    }
    let mut plain = vec![Language::ALL.iter().position(|one| *one == language).unwrap_or(0) as u8];
    Symbol::pack(symbols, &mut plain);
    let mut out = DeflateEncoder::new(Vec::new(), Compression::fast());
    // Nothing can fail in memory; what is empty is read as nothing.
    out.write_all(&plain).and_then(|()| out.finish()).unwrap_or_default()
}

/// What [`pack`] wrote.
pub(crate) fn unpack(body: &[u8]) -> Option<(Language, Vec<Symbol>)> {
    let mut plain = Vec::new();
    DeflateDecoder::new(body).take(MOST_KEPT).read_to_end(&mut plain).ok()?;
    let (language, symbols) = plain.split_first()?;
    Some((*Language::ALL.get(usize::from(*language))?, Symbol::unpack(symbols)?))
}

/// What is known of the definitions of a name below a directory: of exactly this name, of one that
/// differs in case, of one that begins so. `None` if every file that holds it must be read.
pub(crate) fn known(workspace: &Workspace, name: &str, dir: &str) -> Option<(Folder, Digests)> {
    let exact = between_marks(name);
    let exact = exact.trim_end();
    let start = exact.trim_end_matches(')');
    let words = [(exact, true), (exact, false), (start, false)];
    let asked = Asked { dir, text: name, words: &words, most: MOST_FILES };
    // Who reads the files says what is wrong with the directory.
    digests(workspace, &asked).ok()?
}
