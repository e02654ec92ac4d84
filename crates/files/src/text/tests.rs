use fault::Code;

use super::*;

fn read_as(bytes: &[u8]) -> (String, &'static str) {
    let text = decode("f", bytes).unwrap();
    (text.as_str().to_owned(), text.encoding().name())
}

fn wide(text: &str, to: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(to).collect()
}

#[test]
fn utf_8_is_borrowed_and_its_mark_is_no_text() {
    let text = decode("f", b"\xef\xbb\xbfa\xc3\xa9").unwrap();
    assert!(text.has_bom() && text.encoding() == Encoding::UTF_8);
    assert_eq!(text.bytes_of(1..3), 4..6);
    assert!(matches!(text.into_str(), Cow::Borrowed("aé")));
    assert_eq!(read_as(b""), (String::new(), "UTF-8"));
}

#[test]
fn utf_16_is_known_by_its_mark_or_its_pattern() {
    let text = "fn main() {}\r\n日本 🦀\n";
    for (to, mark, name) in [
        (u16::to_le_bytes as fn(u16) -> [u8; 2], [0xff, 0xfe], "UTF-16LE"),
        (u16::to_be_bytes, [0xfe, 0xff], "UTF-16BE"),
    ] {
        let plain = wide(text, to);
        assert_eq!(read_as(&[&mark[..], &plain].concat()), (text.to_owned(), name));
        assert_eq!(read_as(&plain), (text.to_owned(), name));
    }
}

#[test]
fn legacy_encodings_are_guessed() {
    for (label, text) in [
        ("windows-1252", "Une leçon déjà vue: où êtes-vous, garçon? Ça va très bien, merci.\n"),
        ("Shift_JIS", "これは日本語のテキストです。文字コードを調べます。\n"),
        ("GBK", "这是一个中文文本文件,用来测试编码检测。\n"),
        ("EUC-KR", "이것은 한국어 텍스트 파일입니다. 인코딩을 검사합니다.\n"),
        ("Big5", "這是一個中文文字檔案,用來測試編碼偵測。\n"),
        ("EUC-JP", "これは日本語のテキストです。文字コードを調べます。\n"),
        ("windows-1251", "Это русский текст, по которому узнают кодировку.\n"),
    ] {
        let (bytes, ..) = encoding_rs::Encoding::for_label(label.as_bytes()).unwrap().encode(text);
        assert_eq!(read_as(&bytes), (text.to_owned(), label));
    }
}

#[test]
fn a_few_bad_bytes_do_not_make_utf_8_another_encoding() {
    let bytes = b"\xc3\xa9t\xc3\xa9 \xe2\x82\xac \xf0\x9f\xa6\x80 \xc3\xa0 \xff!";
    let text = decode("f", bytes).unwrap();
    assert_eq!(text.as_str(), "été € 🦀 à \u{fffd}!");
    assert_eq!(text.encoding().name(), "UTF-8 with invalid bytes");
    let at = text.as_str().find('!').unwrap();
    assert_eq!(&bytes[text.bytes_of(at..at + 1)], b"!");
    assert_eq!(&bytes[text.bytes_of(at - 3..at)], b"\xff");
    assert_eq!(text.encode("f", "\u{fffd}").unwrap_err().code, Code::InvalidEncoding);
}

#[test]
fn what_is_no_text_is_binary() {
    let odd = [b"\xff\xfe".as_slice(), b"a\0b"].concat();
    let utf_32 = b"\xff\xfe\0\0a\0\0\0";
    let elf = b"\x7fELF\x02\x01\x01\0\0\0";
    for bytes in [
        b"a\0b".as_slice(),
        &odd,
        utf_32,
        elf,
        b"\x01\x00\x02\x00\x03\x00",
        b"\x89PNG\r\n\x1a\n\x01\xff\x02",
    ] {
        assert_eq!(decode("f", bytes).unwrap_err().code, Code::BinaryFile, "{bytes:?}");
    }
}

#[test]
fn offsets_are_right_in_a_long_text() {
    let text = "日本語とASCIIの混じった、長い文章です。\r\n".repeat(2000);
    let (bytes, ..) = encoding_rs::SHIFT_JIS.encode(&text);
    let decoded = decode("f", &bytes).unwrap();
    assert_eq!(decoded.encoding().name(), "Shift_JIS");
    let mut offsets = decoded.offsets();
    for (at, _) in text.match_indices("長") {
        let start = offsets.at(at);
        assert_eq!(bytes[start..start + 2], *encoding_rs::SHIFT_JIS.encode("長").0);
    }
    assert_eq!(decoded.bytes_of(text.len()..text.len()), bytes.len()..bytes.len());
}

#[test]
fn a_character_the_encoding_lacks_is_named() {
    let latin = decode("f", b"caf\xe9 d\xe9j\xe0 vu").unwrap();
    let error = latin.encode("f", "ok é 日").unwrap_err();
    assert_eq!(error.code, Code::InvalidEncoding);
    assert_eq!(error.detail("character"), Some("日"));
    assert_eq!(&*latin.encode("f", "é").unwrap(), b"\xe9");
}

#[test]
fn lines_are_spans_with_their_endings() {
    let text = "a\r\n\nb\rc\nd";
    let all: Vec<_> = lines(text).map(|l| (&text[l.text], &text[l.whole])).collect();
    assert_eq!(all, [("a", "a\r\n"), ("", "\n"), ("b\rc", "b\rc\n"), ("d", "d")]);
    assert_eq!(lines("a\nb\n").count(), 2);
    assert_eq!(lines("").count(), 0);
}

/// A file whose whole text is replaced stays written as it was, and what could not stay is told.
#[test]
fn a_text_in_the_place_of_another_is_written_like_it() {
    let wide = |text: &str| -> Vec<u8> {
        "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    };
    let french = b"une pr\xe9f\xe9rence, la fa\xe7on de l'\xe9t\xe9\n";
    type Case<'a> = (&'a [u8], &'a str, &'a [u8], Option<&'a str>);
    let cases: [Case<'_>; 14] = [
        (b"a\n", "b\n", b"b\n", None),
        (b"a\r\nb\r\n", "c\nd\n", b"c\r\nd\r\n", Some("kept the line endings, CRLF")),
        (b"a\r\nb\n", "c\n", b"c\n", Some("the line endings were mixed; they are LF now")),
        (b"a\n", "b\r\n", b"b\r\n", Some("the line endings were LF; they are CRLF now")),
        (
            b"caf\xc3\xa9, na\xc3\xafve, d\xc3\xa9j\xc3\xa0 \xff\n",
            "caf\u{e9}\n",
            "caf\u{e9}\n".as_bytes(),
            Some("the file was UTF-8 with invalid bytes, which were not kept"),
        ),
        (b"\x7fELF\0\x01", "x\n", b"x\n", Some("the file was binary; it is UTF-8 now")),
        (b"\xff\xfe\0\0a\0\0\0", "a", b"a", Some("the file was UTF-32; it is UTF-8 now")),
        (b"", "a\n", b"a\n", None),
        (b"a\rb\r", "c\nd", b"c\rd", Some("kept the line endings, CR")),
        (&wide("a"), "b", &wide("b"), Some("kept the encoding, UTF-16LE with a byte order mark")),
        (
            b"\xef\xbb\xbfa",
            "b",
            b"\xef\xbb\xbfb",
            Some("kept the encoding, UTF-8 with a byte order mark"),
        ),
        (
            french,
            "\u{e9}t\u{e9} fran\u{e7}ais \u{e0} la pr\u{e9}f\u{e9}rence\n",
            b"\xe9t\xe9 fran\xe7ais \xe0 la pr\xe9f\xe9rence\n",
            Some("kept the encoding, windows-1252"),
        ),
        (
            french,
            "\u{65e5}\n",
            "\u{65e5}\n".as_bytes(),
            Some(
                "the file was windows-1252, in which the new text cannot be written; it is UTF-8 now",
            ),
        ),
        (french, "plain\n", b"plain\n", None),
    ];
    for (old, new, bytes, note) in cases {
        let is = rewritten(old, new);
        assert_eq!((is.bytes.as_slice(), is.note.as_deref()), (bytes, note), "{new}");
    }
}
