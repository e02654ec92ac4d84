//! Between the bytes of a file and its text, without losing one.
//!
//! A file is edited as text but kept as bytes. [`decode`] finds out how the bytes are to be read,
//! and [`Text`] leads every span of the text back to the exact bytes it came from, so that an edit
//! can leave all others alone, whatever the encoding.

mod lines;
mod part;
mod rewrite;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{DecoderResult, EncoderResult, UTF_16BE, UTF_16LE, WINDOWS_1252};
use fault::{Error, Result};

pub use lines::{Ending, Line, ends_with_cr, lines};
pub use part::{Head, Part, head, part};
pub use rewrite::{Rewritten, endings, rewritten};

/// How a file writes its characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Utf8,
    /// UTF-8 in which some bytes are not; each such place reads as U+FFFD and is kept as it is.
    Damaged,
    Other(&'static encoding_rs::Encoding),
}

impl Encoding {
    /// UTF-8, what every new file gets.
    pub const UTF_8: Self = Self(Kind::Utf8);

    /// The name people know it by.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Utf8 => "UTF-8",
            Kind::Damaged => "UTF-8 with invalid bytes",
            Kind::Other(other) => other.name(),
        }
    }

    fn bom(self) -> &'static [u8] {
        match self.0 {
            Kind::Utf8 | Kind::Damaged => b"\xef\xbb\xbf",
            Kind::Other(e) if e == UTF_16LE => b"\xff\xfe",
            Kind::Other(e) if e == UTF_16BE => b"\xfe\xff",
            Kind::Other(_) => b"",
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The text of a file, and the way back to its bytes.
#[derive(Clone, Debug)]
pub struct Text<'a> {
    bytes: &'a [u8],
    text: Cow<'a, str>,
    encoding: Encoding,
    /// Bytes of the mark at the start, which are no part of the text.
    bom: usize,
}

/// Reads `bytes` as text: by their mark if they have one, else as UTF-8, else by a guess.
///
/// # Errors
/// `BinaryFile` if they hold NUL (and are not plainly UTF-16) or are no text in any encoding.
pub fn decode<'a>(path: &str, bytes: &'a [u8]) -> Result<Text<'a>> {
    read(bytes).ok_or_else(|| Error::binary_file(path, bytes.len() as u64))
}

/// Reads `bytes` in the encoding that they are known to be written in.
///
/// # Errors
/// As [`decode`], which reads them if they are no text in it.
pub fn decode_as<'a>(path: &str, bytes: &'a [u8], encoding: Encoding) -> Result<Text<'a>> {
    let known = match encoding.0 {
        Kind::Other(other) if !bytes.starts_with(encoding.bom()) || encoding.bom().is_empty() => {
            legacy(bytes, 0, other)
        }
        _ => None,
    };
    known.map_or_else(|| decode(path, bytes), Ok)
}

fn read(bytes: &[u8]) -> Option<Text<'_>> {
    for encoding in [UTF_16LE, UTF_16BE] {
        if bytes.starts_with(Encoding(Kind::Other(encoding)).bom()) {
            return legacy(bytes, 2, encoding);
        }
    }
    if memchr::memchr(0, bytes).is_some() {
        return legacy(bytes, 0, plain_utf16(bytes)?);
    }
    let bom = if bytes.starts_with(Encoding::UTF_8.bom()) { 3 } else { 0 };
    let rest = &bytes[bom..];
    let text = |text, kind| Some(Text { bytes, text, encoding: Encoding(kind), bom });
    if let Ok(valid) = std::str::from_utf8(rest) {
        return text(Cow::Borrowed(valid), Kind::Utf8);
    }
    if bom > 0 || mostly_utf8(rest) {
        return text(String::from_utf8_lossy(rest), Kind::Damaged);
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(rest, true);
    let guess = detector.guess(None, Utf8Detection::Deny);
    legacy(bytes, 0, guess).or_else(|| legacy(bytes, 0, WINDOWS_1252))
}

/// What a file in an encoding other than UTF-8 reads as; `None` if its bytes are the text, as far as
/// they are one.
pub(crate) fn converted(bytes: &[u8]) -> Option<String> {
    if std::str::from_utf8(bytes).is_ok() || memchr::memchr(0, bytes).is_some() {
        return None;
    }
    read(bytes)
        .filter(|text| matches!(text.encoding.0, Kind::Other(_)))
        .map(|t| t.text.into_owned())
}

/// The text in an encoding other than UTF-8, if it is one that a person could have typed.
fn legacy<'a>(
    bytes: &'a [u8],
    bom: usize,
    encoding: &'static encoding_rs::Encoding,
) -> Option<Text<'a>> {
    let text = encoding.decode_without_bom_handling_and_without_replacement(&bytes[bom..])?;
    let typed = |c: char| match c {
        '\t' | '\n' | '\r' | '\x0b' | '\x0c' | '\x08' | '\x1a' | '\x1b' | '\u{85}' => true,
        '\u{fffe}' | '\u{ffff}' => false,
        c => !c.is_control(),
    };
    let encoding = Encoding(Kind::Other(encoding));
    text.chars().all(typed).then_some(Text { bytes, text, encoding, bom })
}

/// UTF-16 without a mark shows itself by ASCII characters, each with a NUL on the same side.
fn plain_utf16(bytes: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    if bytes.len() < 4 || !bytes.len().is_multiple_of(2) {
        return None;
    }
    let start = &bytes[..bytes.len().min(4096)];
    let nul = |first: usize| start.iter().skip(first).step_by(2).filter(|b| **b == 0).count();
    let most = start.len() / 2 * 7 / 10;
    match (nul(0), nul(1)) {
        (0, odd) if odd > most => Some(UTF_16LE),
        (even, 0) if even > most => Some(UTF_16BE),
        _ => None,
    }
}

/// Whether the characters beyond ASCII that are UTF-8 are no fewer than the bytes that are not. In other
/// encodings a capital letter with a mark, and a sign behind it, look like one: that is rare.
fn mostly_utf8(bytes: &[u8]) -> bool {
    let (mut good, mut bad) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        good += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        bad += chunk.invalid().len();
    }
    good >= bad
}

impl<'a> Text<'a> {
    /// The characters, without the mark at the start.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The characters as an own string, or borrowed from the file where it is UTF-8.
    pub fn into_str(self) -> Cow<'a, str> {
        self.text
    }

    /// The bytes of the file.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// How the file writes them.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Whether the file starts with a byte order mark.
    pub fn has_bom(&self) -> bool {
        self.bom > 0
    }

    /// The bytes of the file that the bytes `span` of [`Self::as_str`] came from.
    pub fn bytes_of(&self, span: Range<usize>) -> Range<usize> {
        let mut offsets = self.offsets();
        offsets.at(span.start)..offsets.at(span.end)
    }

    /// Leads offsets in the text, asked for in rising order, back to offsets in the file.
    pub(crate) fn offsets(&self) -> Offsets<'_> {
        let decoder = match self.encoding.0 {
            Kind::Other(other) => Some(other.new_decoder_without_bom_handling()),
            Kind::Utf8 | Kind::Damaged => None,
        };
        Offsets { text: self, decoder, text_at: 0, byte_at: self.bom }
    }

    /// Writes `new` as the file writes its text, without a mark.
    ///
    /// # Errors
    /// `InvalidEncoding` naming the first character that the encoding does not have.
    pub fn encode<'n>(&self, path: &str, new: &'n str) -> Result<Cow<'n, [u8]>> {
        let cannot = |c| Err(Error::invalid_encoding(path, c, self.encoding.name()));
        match self.encoding.0 {
            Kind::Utf8 => Ok(Cow::Borrowed(new.as_bytes())),
            Kind::Damaged if new.contains('\u{fffd}') => cannot('\u{fffd}'),
            Kind::Damaged => Ok(Cow::Borrowed(new.as_bytes())),
            Kind::Other(e) if e == UTF_16LE => {
                Ok(Cow::Owned(new.encode_utf16().flat_map(u16::to_le_bytes).collect()))
            }
            Kind::Other(e) if e == UTF_16BE => {
                Ok(Cow::Owned(new.encode_utf16().flat_map(u16::to_be_bytes).collect()))
            }
            Kind::Other(_) if new.is_ascii() => Ok(Cow::Borrowed(new.as_bytes())),
            Kind::Other(e) => encode_legacy(e, new).map(Cow::Owned).or_else(cannot),
        }
    }
}

/// The bytes, or the first character that would not be read back as itself.
fn encode_legacy(encoding: &'static encoding_rs::Encoding, new: &str) -> Result<Vec<u8>, char> {
    let mut encoder = encoding.new_encoder();
    let mut out = Vec::with_capacity(new.len() * 4 + 16); // no character takes more than four
    if let (EncoderResult::Unmappable(c), _) =
        encoder.encode_from_utf8_to_vec_without_replacement(new, &mut out, true)
    {
        return Err(c);
    }
    let back = encoding.decode_without_bom_handling_and_without_replacement(&out);
    let back = back.as_deref().unwrap_or_default();
    match new.chars().zip(back.chars().chain(std::iter::repeat('\0'))).find(|(a, b)| a != b) {
        Some((lost, _)) => Err(lost),
        None => Ok(out),
    }
}

/// Walks text and bytes side by side, forwards only, so that many offsets cost one pass.
pub(crate) struct Offsets<'t> {
    text: &'t Text<'t>,
    decoder: Option<encoding_rs::Decoder>,
    text_at: usize,
    byte_at: usize,
}

impl Offsets<'_> {
    /// Where in the file the character at `offset` of the text begins.
    pub(crate) fn at(&mut self, offset: usize) -> usize {
        debug_assert!(offset >= self.text_at, "offsets are asked for in rising order");
        match (self.text.encoding.0, &mut self.decoder) {
            (Kind::Utf8, _) => return self.text.bom + offset,
            (_, Some(_)) => self.decode_to(offset),
            (_, None) => self.skip_damage_to(offset),
        }
        self.byte_at
    }

    fn decode_to(&mut self, offset: usize) {
        let Some(decoder) = &mut self.decoder else { return };
        let mut buffer = [0; 4096];
        while self.text_at < offset {
            let (missing, rest) = (offset - self.text_at, &self.text.bytes[self.byte_at..]);
            // A decoder wants room to spare, so the last characters before the offset go byte by
            // byte: none of these encodings needs a look ahead to finish a character.
            let (room, rest) = if missing > 64 {
                (missing.min(buffer.len()), rest)
            } else {
                (buffer.len(), &rest[..1.min(rest.len())])
            };
            let (result, read, written) =
                decoder.decode_to_utf8_without_replacement(rest, &mut buffer[..room], false);
            self.byte_at += read;
            self.text_at += written;
            if matches!(result, DecoderResult::Malformed(..)) || (read == 0 && written == 0) {
                return; // cannot be: the same bytes decoded cleanly before
            }
        }
    }

    fn skip_damage_to(&mut self, offset: usize) {
        for chunk in self.text.bytes[self.byte_at..].utf8_chunks() {
            let (missing, valid) = (offset - self.text_at, chunk.valid().len());
            if missing <= valid {
                self.text_at = offset;
                self.byte_at += missing;
                return;
            }
            self.text_at += valid + '\u{fffd}'.len_utf8();
            self.byte_at += valid + chunk.invalid().len();
        }
    }
}
