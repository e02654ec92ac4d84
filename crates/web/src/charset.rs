//! From the bytes of an answer to text, by what the server, the file or the page says of itself.

use encoding_rs::{Encoding, UTF_8};

/// How far a page may take to name its encoding.
const PRESCAN: usize = 1024;

/// The text, and the name of the encoding if some bytes were none of it.
pub(crate) fn decode(
    bytes: &[u8],
    declared: Option<&str>,
    is_html: bool,
) -> (String, Option<&'static str>) {
    let encoding = Encoding::for_bom(bytes)
        .map(|(encoding, _)| encoding)
        .or_else(|| Encoding::for_label(declared?.as_bytes()))
        .or_else(|| is_html.then(|| in_page(bytes)).flatten())
        .unwrap_or_else(|| guess(bytes));
    let (text, used, damaged) = encoding.decode(bytes);
    (text.into_owned(), damaged.then(|| used.name()))
}

/// What `<meta charset=…>` or `<meta http-equiv content="…; charset=…">` says.
fn in_page(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(PRESCAN)]).to_ascii_lowercase();
    let metas = start.split("<meta").skip(1);
    let named = metas.filter_map(|meta| {
        let meta = meta.split('>').next()?;
        let value = meta.split("charset").nth(1)?.trim_start().strip_prefix('=')?;
        let value = value.trim_start().trim_start_matches(['"', '\'']);
        let end = value.find(|c: char| c.is_whitespace() || "\"';/".contains(c));
        Encoding::for_label(&value.as_bytes()[..end.unwrap_or(value.len())])
    });
    // A page that could be read as ASCII this far is not UTF-16, whatever it says.
    named.map(Encoding::output_encoding).next()
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    if std::str::from_utf8(bytes).is_ok() {
        return UTF_8;
    }
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(None, chardetng::Utf8Detection::Allow)
}
