//! The text of a PDF, which is a stranger's file: it is read in a process of its own, with limits.

use fault::Cancel;
use isolate::{Ended, Limits};
use lopdf::Document;

use crate::prelude::*;

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
    let mut text = String::new();
    let mut is_empty = true;
    for number in document.get_pages().into_keys() {
        let page = document.extract_text(&[number]).map_err(|why| why.to_string())?;
        is_empty &= page.trim().is_empty();
        text += &format!("[page {number}]\n{}\n", page.trim());
    }
    if is_empty { Err("its pages hold no text, only pictures".to_owned()) } else { Ok(text) }
}
