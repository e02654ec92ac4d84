//! Texts at random, with what is hard about texts.

use crate::dice::Dice;

/// Words that occur again and again, in parts and in either case.
const WORDS: &[&str] = &[
    "alpha",
    "Alpha",
    "ALPHA",
    "beta",
    "betamax",
    "alphabet",
    "gamma_ray",
    "Gamma",
    "delta42",
    "x",
    "ab",
    "abc",
    "abcd",
    "foo",
    "foobar",
    "FooBar",
    "fooBarBaz",
    "bar",
    "bazaar",
    "PM_RESUME",
    "resume",
    "mutex_lock",
    "mutex",
    "lock",
    "unlock",
    "self",
    "fn",
    "return",
    "if",
    "0",
    "42",
    "0x1f",
    "1_000",
    "3.14",
    "v1.2.3",
    "a1b2c3",
    "__init__",
    "_x_",
    "HTTPServer2",
    "i18n",
    "aaa",
    "aaaa",
    "ababab",
    "the",
    "The",
    "kelvin",
    "\u{212a}elvin",
    "Stra\u{df}e",
    "STRASSE",
    "stra\u{17f}e",
    "\u{130}stanbul",
    "istanbul",
    "ISTANBUL",
    "d\u{131}z",
    "na\u{ef}ve",
    "NAI\u{308}VE",
    "caf\u{e9}",
    "cafe\u{301}",
    "\u{3c3}\u{3af}\u{3c3}\u{3c5}\u{3c6}\u{3bf}\u{3c2}",
    "\u{3a3}\u{38a}\u{3a3}\u{3a5}\u{3a6}\u{39f}\u{3a3}",
    "\u{436}\u{443}\u{43a}",
    "\u{416}\u{423}\u{41a}",
    "\u{65e5}\u{672c}\u{8a9e}",
    "\u{1f600}",
    "\u{1e9e}",
    "\u{fb01}n",
    "x\u{2028}y",
    "\u{a0}",
    "\u{85}",
    "\u{feff}",
    "\u{fffd}",
    "\u{10ffff}",
];

/// What is between words.
const BETWEEN: &[&str] = &[
    " ", " ", " ", " ", " ", "", "", "_", "-", ".", ", ", "::", "->", "(", ")", " = ", "==", "!=",
    "&&", "||", "\t", "  ", "/", "//", "\\", "\"", "'", "{", "}", "[", "]", "<", ">", "#", "$",
    "^", "*", "+", "?", "|", "~", "`", ";", ":", "@", "%", "\u{b}", "\u{c}", "\r", "\u{1b}",
    "\u{7f}",
];

/// A line without its end.
pub(crate) fn line(dice: &mut Dice) -> String {
    let mut line = String::new();
    for _ in 0..dice.below(9) {
        line += *dice.pick(WORDS);
        line += *dice.pick(BETWEEN);
    }
    line
}

/// Lines with one kind of ending, or with both, with an end at the end or not.
pub(crate) fn text(dice: &mut Dice) -> String {
    let endings =
        *dice.pick(&[["\n", "\n"], ["\n", "\n"], ["\n", "\n"], ["\r\n", "\r\n"], ["\n", "\r\n"]]);
    let mut text = String::new();
    for _ in 0..1 + dice.below(25) {
        text += &line(dice);
        text += *dice.pick(&endings);
    }
    if dice.once_in(4) {
        text.truncate(text.trim_end_matches(['\r', '\n']).len());
    }
    text
}

/// Makes a text UTF-8 with some invalid bytes, which is searched as ripgrep does. Without it the text
/// may be taken for one in another encoding, and is then searched as it reads.
const UTF_8: &[u8] =
    "\u{436}\u{443}\u{43a} \u{e4}\u{f6}\u{fc} \u{436}\u{443}\u{43a} \u{e4}\u{f6}\u{fc} \u{436}\u{443}\u{43a} \u{436}\u{443}\u{43a} \u{436}\u{443}\u{43a} \u{436}\u{443}\u{43a} \u{436}\u{443}\u{43a} \u{436}\u{443}\u{43a} \u{436}\u{443}\u{43a} \u{436}\u{443}\u{43a} \u{436}\u{443}\u{43a}\n"
        .as_bytes();
/// Number of kinds of [`hard`].
pub(crate) const KINDS: usize = 22;

/// A file of a kind that searches stumble over. A tree has kinds with very long lines (`long`) or
/// with NUL bytes far from the beginning: ripgrep's buffer grows with a long line, so that from then
/// on it sees NUL bytes earlier, and how much it prints before one depends on chance.
pub(crate) fn hard(kind: usize, long: bool, dice: &mut Dice) -> Vec<u8> {
    let kind = match (kind, long) {
        (5 | 6, true) => 3,
        (13 | 18, false) => 14,
        _ => kind,
    };
    let body = text(dice);
    let units = |text: &str| text.encode_utf16().collect::<Vec<u16>>();
    let little =
        |text: &str| units(text).into_iter().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    let big = |text: &str| units(text).into_iter().flat_map(u16::to_be_bytes).collect::<Vec<_>>();
    let long = |words: usize, dice: &mut Dice| {
        (0..words).map(|_| format!("{} ", dice.pick(WORDS))).collect::<String>()
    };
    match kind {
        0 => Vec::new(),
        1 => b"\n".to_vec(),
        2 => b"\r\n\r\n\n\r\r\n\r".to_vec(),
        3 => [body.as_bytes(), b"alpha\0beta\n", body.as_bytes()].concat(),
        4 => [b"\0", body.as_bytes()].concat(),
        // A NUL byte beyond the part that is looked at first, and right at its end.
        5 => [many(dice, 70_000).as_bytes(), b"\0 alpha\n", body.as_bytes()].concat(),
        6 => [&many(dice, 65_536).as_bytes()[..65_535], b"\0", body.as_bytes()].concat(),
        7 => {
            let parts = [
                b"caf\xe9 alpha \xff\xfe\n".as_slice(),
                UTF_8,
                body.as_bytes(),
                b"\xc3\x28 beta\n",
            ];
            parts.concat()
        }
        8 => [b"\xff\xfe".as_slice(), &little(&body)].concat(),
        9 => [b"\xfe\xff".as_slice(), &big(&body)].concat(),
        10 => [b"\xff\xfe".as_slice(), &little(&many(dice, 50_000)), b"x"].concat(),
        11 => [b"\xef\xbb\xbf", body.as_bytes()].concat(),
        12 => little(&body),
        13 => long(40_000, dice).into_bytes(),
        14 => [body.as_bytes(), long(2000, dice).as_bytes(), b"\n", body.as_bytes()].concat(),
        15 => (long(60, dice).replace(' ', "_") + &"alpha".repeat(30) + "\n" + &body).into_bytes(),
        16 => body.replace('\n', "\r").into_bytes(),
        17 => many(dice, 200_000).into_bytes(),
        // A line whose end is where a buffer ends.
        18 => [&vec![b'a'; 65_535], b"\r\nalpha\n".as_slice(), body.as_bytes()].concat(),
        19 => {
            [b"\xed\xa0\x80 alpha \xf4\x90\x80\x80\n".as_slice(), UTF_8, body.as_bytes()].concat()
        }
        20 => [b"\xff\xfe\x00\xd8".as_slice(), &little(&body)].concat(),
        _ => [b"\xff\xfe".as_slice(), &little("alpha\0beta\n"), &little(&body)].concat(),
    }
}

/// Text of at least so many bytes.
fn many(dice: &mut Dice, bytes: usize) -> String {
    let mut text = String::new();
    while text.len() < bytes {
        text += &self::text(dice);
        text += "\n";
    }
    text
}
