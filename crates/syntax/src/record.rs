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
        let (mut line, mut start) = (0, 0);
        for symbol in symbols {
            out.push(Kind::ALL.iter().position(|kind| *kind == symbol.kind).unwrap_or(0) as u8);
            // Small numbers, which are alike from one symbol to the next.
            put(symbol.line.wrapping_sub(line), out);
            put(symbol.column, out);
            put(symbol.line.wrapping_sub(symbol.start_line), out);
            put(symbol.end_line.wrapping_sub(symbol.line), out);
            put(symbol.bytes.start.wrapping_sub(start), out);
            put(symbol.bytes.len(), out);
            (line, start) = (symbol.line, symbol.bytes.start);
            out.push(u8::from(symbol.container.is_some()));
            let container = symbol.container.as_deref().unwrap_or_default();
            for text in [&symbol.name, container, &symbol.signature] {
                put(text.len(), out);
                out.extend(text.as_bytes());
            }
        }
    }

    /// What [`Self::pack`] wrote; `None` if it did not write these bytes.
    pub fn unpack(mut bytes: &[u8]) -> Option<Vec<Self>> {
        let (mut symbols, mut line, mut start) = (Vec::new(), 0_usize, 0_usize);
        while let Some((kind, rest)) = bytes.split_first() {
            bytes = rest;
            let mut numbers = [0; 6];
            for number in &mut numbers {
                *number = take(&mut bytes)?;
            }
            let [lines, column, before, after, from, length] = numbers;
            line = line.wrapping_add(lines);
            start = start.wrapping_add(from);
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
                start_line: line.wrapping_sub(before),
                end_line: line.wrapping_add(after),
                container: (*contained != 0).then_some(container),
                signature,
                bytes: start..start.checked_add(length)?,
            });
        }
        Some(symbols)
    }
}

/// Adds a number, seven bits a byte.
pub fn put(mut number: usize, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number that [`put`] added off the front; `None` if the bytes end before it does.
pub fn take(bytes: &mut &[u8]) -> Option<usize> {
    let (mut number, mut shift) = (0_usize, 0);
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= usize::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(number);
        }
        shift += 7;
    }
}
