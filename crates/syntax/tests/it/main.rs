//! Symbols, references and chunks through the public door.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests look at real files, ask real programs, and say what was not compared"
)]

mod bounds;
mod chunks;
mod ctags;
mod languages;
mod laws;
mod shapes;
mod tables;
mod valid;

use std::path::PathBuf;
use std::sync::LazyLock;

use syntax::{Grammars, Language, Reference, Symbol};

/// Compiled once for all tests of a process.
static GRAMMARS: LazyLock<Grammars> = LazyLock::new(Grammars::default);

fn go_on() -> bool {
    false
}

/// Our sample sources: one of each language.
fn fixtures() -> Vec<(String, Language, Vec<u8>)> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir("tests/fixtures").unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let bytes = std::fs::read(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let language = Language::of(&name, &bytes).unwrap();
        (name, language, bytes)
    };
    paths.into_iter().map(read).collect()
}

fn symbols(language: Language, source: &[u8]) -> Vec<Symbol> {
    GRAMMARS.parse(language, source, &go_on).unwrap().symbols().unwrap()
}

fn references(language: Language, source: &[u8], name: Option<&str>) -> Vec<Reference> {
    GRAMMARS.parse(language, source, &go_on).unwrap().references(name).unwrap()
}
