//! The text of a PDF, which is a stranger's file: it is read in a process of its own, with limits.

use std::collections::BTreeMap;

use fault::Cancel;
use isolate::{Ended, Limits};
use lopdf::content::{Content, Operation};
use lopdf::{Document, Encoding, Object, ObjectId};

use crate::prelude::*;

/// One of one page, for an example.
pub(super) const EXAMPLE: &str = "%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n\
    << /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n3 0 obj\n\
    << /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>\n\
    endobj\n4 0 obj\n<< /Length 26 >>\nstream\nBT /F1 12 Tf (Hello) Tj ET\nendstream\n\
    endobj\n5 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>\nendobj\n\
    xref\n0 6\n0000000000 65535 f \n0000000009 00000 n \n0000000058 00000 n \n\
    0000000115 00000 n \n0000000217 00000 n \n0000000293 00000 n \ntrailer\n\
    << /Size 6 /Root 1 0 R >>\nstartxref\n363\n%%EOF\n";

/// The text of each page below a line with its number.
///
/// # Errors
/// `BinaryFile` for one that is encrypted, broken or without text; `Cancelled`.
pub(super) fn text(path: &str, bytes: &[u8], cancel: &Cancel) -> Result<String> {
    let made = isolate::run(&Limits::default(), &|| cancel.is_cancelled(), || {
        // The first byte tells a text from the reason why there is none.
        match pages(bytes) {
            Ok(text) => format!("+{text}").into_bytes(),
            Err(why) => format!("-{why}").into_bytes(),
        }
    });
    let made = match made {
        Ok(made) => String::from_utf8_lossy(&made).into_owned(),
        Err(Ended::Stopped) => return Err(Error::cancelled()),
        Err(why) => return Err(Error::pdf_without_text(path, &format!("reading it {why}"))),
    };
    match made.split_at_checked(1) {
        Some(("+", text)) => Ok(text.to_owned()),
        Some((_, why)) => Err(Error::pdf_without_text(path, why)),
        None => Err(Error::pdf_without_text(path, "reading it gave nothing")),
    }
}

fn pages(bytes: &[u8]) -> std::result::Result<String, String> {
    let document = Document::load_mem(bytes).map_err(|why| why.to_string())?;
    if document.is_encrypted() {
        return Err("it is encrypted".to_owned());
    }
    let (mut text, mut is_empty) = (String::new(), true);
    for (number, id) in document.get_pages() {
        let page = page(&document, id).map_err(|why| why.to_string())?;
        is_empty &= page.trim().is_empty();
        text += &format!("[page {number}]\n{}\n", page.trim());
    }
    if is_empty { Err("its pages hold no text, only pictures".to_owned()) } else { Ok(text) }
}

/// The text of a page in the order in which it is drawn; what is drawn lower is another line.
fn page(document: &Document, id: ObjectId) -> lopdf::Result<String> {
    let fonts = document.get_page_fonts(id)?.into_iter();
    let encodings: BTreeMap<Vec<u8>, Encoding<'_>> = fonts
        .filter_map(|(name, font)| Some((name, font.get_font_encoding(document).ok()?)))
        .collect();
    let content = Content::decode(&document.get_page_content(id))?;
    let (mut text, mut encoding, mut height) = (String::new(), None, None);
    for Operation { operator, operands } in &content.operations {
        let number = |at: usize| operands.get(at).and_then(|n| n.as_float().ok()).unwrap_or(0.0);
        match operator.as_str() {
            "Tf" => {
                let font = operands.first().and_then(|name| name.as_name().ok());
                encoding = font.and_then(|font| encodings.get(font));
            }
            "Td" | "TD" => apart(&mut text, number(1) != 0.0),
            "Tm" => {
                let other = height.replace(number(5)).is_some_and(|height| height != number(5));
                apart(&mut text, other);
            }
            "T*" | "ET" | "'" | "\"" => apart(&mut text, true),
            _ => {}
        }
        if let ("Tj" | "TJ" | "'" | "\"", Some(encoding)) = (operator.as_str(), encoding) {
            operands.iter().for_each(|operand| add(&mut text, encoding, operand));
        }
    }
    Ok(text)
}

/// Sets what follows apart: on another line, or by a space.
fn apart(text: &mut String, line: bool) {
    if !text.is_empty() && !text.ends_with(char::is_whitespace) {
        text.push(if line { '\n' } else { ' ' });
    } else if line && text.ends_with(' ') {
        text.pop();
        text.push('\n');
    }
}

/// Adds what an operand draws. Between the parts of a list are distances, in thousandths of the size
/// of the font; a large one is a space.
fn add(text: &mut String, encoding: &Encoding<'_>, operand: &Object) {
    const SPACE: f32 = -180.0;
    match operand {
        Object::String(bytes, _) => {
            *text += &Document::decode_text(encoding, bytes).unwrap_or_default();
        }
        Object::Array(parts) => parts.iter().for_each(|part| match part.as_float() {
            Ok(distance) if distance < SPACE => apart(text, false),
            Ok(_) => {}
            Err(_) => add(text, encoding, part),
        }),
        _ => {}
    }
}
