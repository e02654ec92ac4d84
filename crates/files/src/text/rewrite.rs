//! A whole new text in the place of an old one, written as that was.

use std::borrow::Cow;

use super::{Kind, Text, ends_with_cr, read};

/// A file whose whole text was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritten {
    /// Its new content.
    pub bytes: Vec<u8>,
    /// What was kept of how the file was written, or was not; none of a file in UTF-8 that had the
    /// line breaks that were given.
    pub note: Option<String>,
}

/// `new` in the place of `old`, written as that is: in its encoding, with its mark, and with its line
/// endings if all are CRLF or CR and `new` has only LF. UTF-8 if `old` is no text, or in an encoding in
/// which `new` could not be written or would not be recognised.
pub fn rewritten(old: &[u8], new: &str) -> Rewritten {
    let Some(text) = read(old) else {
        return Rewritten { bytes: new.into(), note: Some(of_no_text(old)) };
    };
    let ending = kept_ending(text.as_str(), new);
    let with_ending = match ending {
        Some(ending) => Cow::Owned(new.replace('\n', ending)),
        None => Cow::Borrowed(new),
    };
    let unmarked = match text.bom {
        0 => &with_ending,
        _ => with_ending.strip_prefix('\u{feff}').unwrap_or(&with_ending),
    };
    let bytes = text.encode("", unmarked).map(|bytes| [&old[..text.bom], &bytes].concat());
    let is_read_back = |bytes: &Vec<u8>| read(bytes).is_some_and(|text| text.text == unmarked);
    let bytes = bytes.ok().filter(is_read_back);
    let bytes = bytes.unwrap_or_else(|| with_ending.as_bytes().to_vec());
    let ending = ending.filter(|_| new.contains('\n'));
    let note = read(&bytes).and_then(|after| note(&text, ending, &after));
    Rewritten { bytes, note }
}

/// The ending that takes the place of those of `new`, unless it has its own.
fn kept_ending(old: &str, new: &str) -> Option<&'static str> {
    if new.contains('\r') {
        return None;
    }
    let crlf = old.matches("\r\n").count();
    match ends_with_cr(old) {
        true => Some("\r"),
        false => (crlf > 0 && crlf == old.matches('\n').count()).then_some("\r\n"),
    }
}

/// What is told of a file that could not be read as text.
fn of_no_text(old: &[u8]) -> String {
    let wide = [&b"\xff\xfe\0\0"[..], b"\0\0\xfe\xff"];
    let was = if wide.iter().any(|mark| old.starts_with(mark)) { "UTF-32" } else { "binary" };
    format!("the file was {was}; it is UTF-8 now")
}

/// How the lines of a text end; `None` if it has no line break.
pub fn endings(text: &str) -> Option<&'static str> {
    let (all, crlf) = (text.matches('\n').count(), text.matches("\r\n").count());
    match (all, crlf) {
        (0, _) if text.contains('\r') => Some("CR"),
        (0, _) => None,
        (_, 0) => Some("LF"),
        (all, crlf) if all == crlf => Some("CRLF"),
        _ => Some("mixed"),
    }
}

fn note(before: &Text<'_>, ending: Option<&str>, after: &Text<'_>) -> Option<String> {
    let of = |text: &Text<'_>| {
        let mark = if text.has_bom() { " with a byte order mark" } else { "" };
        format!("{}{mark}", text.encoding())
    };
    let (was, is) = (of(before), of(after));
    let is_plain = !before.has_bom() && (before.as_str().is_ascii() || after.as_str().is_ascii());
    let mut parts = Vec::new();
    if was != is && !is_plain && before.encoding.0 != Kind::Damaged {
        parts.push(format!(
            "the file was {was}, in which the new text cannot be written; it is {is} now"
        ));
    } else if was == is && was != "UTF-8" {
        parts.push(format!("kept the encoding, {is}"));
    } else if before.encoding.0 == Kind::Damaged && after.encoding.0 != Kind::Damaged {
        parts.push(format!("the file was {was}, which were not kept"));
    }
    match ending {
        Some("\r") => parts.push("kept the line endings, CR".to_owned()),
        Some(_) => parts.push("kept the line endings, CRLF".to_owned()),
        None => match (endings(before.as_str()), endings(after.as_str())) {
            (Some(was), Some(is)) if was != is => {
                parts.push(format!("the line endings were {was}; they are {is} now"));
            }
            _ => {}
        },
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}
