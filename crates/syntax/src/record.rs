//! Symbols as bytes, to be kept and read again by the same version.

use std::hash::{DefaultHasher, Hasher as _};

use crate::languages::Language;
use crate::symbol::{Kind, Symbol};

/// Changes with whatever changes the symbols of a file: the queries, this program, this module.
pub fn version() -> u64 {
    let mut hash = DefaultHasher::new();
    hash.write(env!("CARGO_PKG_VERSION").as_bytes());
    hash.write_u8(3);
    for language in Language::ALL {
        hash.write(language.row().queries.as_bytes());
    }
    hash.finish()
}

impl Symbol {
    /// All of a file, after what is in `out` already.
    pub fn pack(symbols: &[Self], out: &mut Vec<u8>) {
        for symbol in symbols {
            out.push(Kind::ALL.iter().position(|kind| *kind == symbol.kind).unwrap_or(0) as u8);
            let Self { line, column, start_line, end_line, bytes, .. } = symbol;
            let numbers = [*line, *column, *start_line, *end_line, bytes.start, bytes.end];
            out.extend(numbers.iter().flat_map(|n| (*n as u32).to_le_bytes()));
            out.push(u8::from(symbol.container.is_some()));
            let container = symbol.container.as_deref().unwrap_or_default();
            for text in [&symbol.name, container, &symbol.signature] {
                out.extend((text.len() as u32).to_le_bytes());
                out.extend(text.as_bytes());
            }
        }
    }

    /// What [`Self::pack`] wrote; `None` if it did not write these bytes.
    pub fn unpack(mut bytes: &[u8]) -> Option<Vec<Self>> {
        let mut symbols = Vec::new();
        while let Some((kind, rest)) = bytes.split_first() {
            bytes = rest;
            let mut numbers = [0; 6];
            for number in &mut numbers {
                *number = take(&mut bytes)?;
            }
            let [line, column, start_line, end_line, start, end] = numbers;
            let (contained, rest) = bytes.split_first()?;
            bytes = rest;
            let mut text = || {
                let length = take(&mut bytes)?;
                let (text, rest) = bytes.split_at_checked(length)?;
                bytes = rest;
                String::from_utf8(text.to_vec()).ok()
            };
            let (name, container, signature) = (text()?, text()?, text()?);
            symbols.push(Self {
                name,
                kind: *Kind::ALL.get(usize::from(*kind))?,
                line,
                column,
                start_line,
                end_line,
                container: (*contained != 0).then_some(container),
                signature,
                bytes: start..end,
            });
        }
        Some(symbols)
    }
}

fn take(bytes: &mut &[u8]) -> Option<usize> {
    let (number, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u32::from_le_bytes(*number) as usize)
}
