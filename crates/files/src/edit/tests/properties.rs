//! Laws of exact edits, over files of all encodings and endings.

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};
use proptest::prelude::*;

use super::only;
use crate::edit::replace;
use crate::text;

#[derive(Clone, Debug)]
struct File {
    text: String,
    bytes: Vec<u8>,
}

fn encode(text: &str, kind: usize) -> Option<Vec<u8>> {
    let wide = |bom: [u8; 2], to: fn(u16) -> [u8; 2]| {
        let units = text.encode_utf16().flat_map(to);
        bom.into_iter().chain(units).collect::<Vec<u8>>()
    };
    let narrow = |label: &[u8]| {
        let (bytes, encoding, lost) = Encoding::for_label(label)?.encode(text);
        // Only files that are read back as what they are: a guess may take another encoding.
        let back = text::decode("f", &bytes).ok()?;
        (!lost && back.as_str() == text && back.encoding().name() == encoding.name())
            .then(|| bytes.into_owned())
    };
    match kind {
        0 => Some(text.as_bytes().to_vec()),
        1 => Some([b"\xef\xbb\xbf", text.as_bytes()].concat()),
        2 => Some(wide(*b"\xff\xfe", u16::to_le_bytes)),
        3 => Some(wide(*b"\xfe\xff", u16::to_be_bytes)),
        4 => narrow(b"windows-1252"),
        5 => narrow(b"shift_jis"),
        6 => narrow(b"gbk"),
        _ => narrow(b"euc-kr"),
    }
}

fn files() -> impl Strategy<Value = File> {
    let endings = prop::sample::select(vec!["\n", "\r\n", "\n\n", "", "\r\r\n"]);
    let words = prop::sample::select(vec![
        "let x",
        " = ",
        "été déjà",
        "日本語の文字",
        "中文内容",
        "한국어 글자",
        "\t",
        "}",
        "a",
        "\r",
        "€",
        "🦀",
    ]);
    (prop::collection::vec((words, endings), 1..40), 0_usize..8).prop_filter_map(
        "cannot be written so",
        |(parts, kind)| {
            let text: String = parts.into_iter().flat_map(|(word, end)| [word, end]).collect();
            let bytes = encode(&text, kind)?;
            Some(File { text, bytes })
        },
    )
}

proptest! {
    #[test]
    fn bytes_outside_the_span_stay_and_replacing_back_gives_the_original(
        file in files(),
        from in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
        with in prop::sample::select(vec!["", "Q", "x\ny", "\r\n", "$&\r\n\n"]),
    ) {
        let starts: Vec<usize> = file.text.char_indices().map(|(i, _)| i).chain([file.text.len()]).collect();
        let (a, b) = (starts[from.index(starts.len())], starts[to.index(starts.len())]);
        let (a, b) = (a.min(b), a.max(b));
        let halves = |at: usize| file.text[..at].ends_with('\r') && file.text[at..].starts_with('\n');
        if halves(a) || halves(b) {
            return Ok(());
        }
        let find = &file.text[a..b];
        let Ok(edited) = replace("f", &file.bytes, &[only(find, with)]) else {
            return Ok(()); // empty, ambiguous or the same
        };
        let span = &edited.edits[0].spans[0];
        prop_assert_eq!(&edited.bytes[..span.after.start], &file.bytes[..span.before.start]);
        prop_assert_eq!(&edited.bytes[span.after.end..], &file.bytes[span.before.end..]);
        let decoded = text::decode("f", &file.bytes).unwrap();
        let whole = decoded.bytes_of(a..b);
        prop_assert!(span.before.start >= whole.start && span.before.end <= whole.end);
        let Ok(again) = text::decode("f", &edited.bytes) else { return Ok(()) };
        if again.encoding() != decoded.encoding() {
            return Ok(()); // too little is left to tell the encoding by
        }
        let Ok(back) = replace("f", &edited.bytes, &[only(with, find)]) else {
            return Ok(()); // empty, or not unique
        };
        if find.contains('\n') || with.contains('\n') {
            // Endings that were replaced are gone; new ones are as those around them.
            let lines = |bytes: &[u8]| text::decode("f", bytes).unwrap().as_str().replace('\r', "");
            prop_assert_eq!(lines(&back.bytes), lines(&file.bytes));
        } else {
            prop_assert_eq!(back.bytes, file.bytes);
        }
    }

    #[test]
    fn every_span_of_the_text_is_the_text_of_its_bytes(file in files()) {
        let decoded = text::decode("f", &file.bytes).unwrap();
        let encoding = match decoded.encoding().name() {
            "UTF-16LE" => UTF_16LE,
            "UTF-16BE" => UTF_16BE,
            name => Encoding::for_label(name.as_bytes()).unwrap(),
        };
        for (at, c) in file.text.char_indices() {
            let bytes = &file.bytes[decoded.bytes_of(at..at + c.len_utf8())];
            let (back, _) = encoding.decode_without_bom_handling(bytes);
            prop_assert_eq!(back, c.to_string());
        }
    }
}
