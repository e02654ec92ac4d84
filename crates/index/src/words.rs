//! From text to words: identifiers cut at case, digits and underscore, and the ends of words taken
//! off, so that `parseConfigs` is found by "parsing the config".

use std::collections::HashSet;
use std::sync::OnceLock;

/// Longer ones are encoded data, which nobody asks for.
const LONGEST: usize = 40;

/// Calls `each` with every word of `text`, in lower case.
pub(crate) fn words(text: &str, mut each: impl FnMut(&str)) {
    let mut lower = String::new();
    written(text, |word| {
        if word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()) {
            return if word.len() <= LONGEST {
                each(word)
            };
        }
        lower.clear();
        lower.extend(word.chars().flat_map(char::to_lowercase));
        if lower.len() <= LONGEST {
            each(&lower);
        }
    });
}

/// The same words as they are written, also those that are too long.
fn written(text: &str, mut each: impl FnMut(&str)) {
    let (mut start, mut at, mut last) = (0, 0, Class::Other);
    let mut here = Class::at(text, 0);
    while let Some((class, mut end)) = here {
        if class != Class::Upper {
            // Most of a text are runs of one class.
            let is_same = |byte: &u8| ASCII.get(usize::from(*byte)) == Some(&class);
            end += text.as_bytes()[end..].iter().take_while(|byte| is_same(byte)).count();
        }
        here = Class::at(text, end);
        let next = here.map_or(Class::Other, |(next, _)| next);
        // `HTTPServer` is two words: the last capital of a run belongs to what follows.
        let acronym_ends = class == Class::Upper && last == Class::Upper && next == Class::Lower;
        let goes_on = class == last || (last == Class::Upper && class == Class::Lower);
        if !goes_on || acronym_ends || class == Class::Sign {
            if last != Class::Other {
                each(&text[start..at]);
            }
            start = at;
        }
        (at, last) = (end, class);
    }
    if last != Class::Other {
        each(&text[start..]);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    /// A character that is a word by itself, as in Chinese.
    Sign,
    Other,
}

const ASCII: [Class; 128] = {
    let mut classes = [Class::Other; 128];
    let mut byte = 0;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b'a'..=b'z' => Class::Lower,
            b'A'..=b'Z' => Class::Upper,
            b'0'..=b'9' => Class::Digit,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};

impl Class {
    /// Of the character at a place, and where it ends.
    fn at(text: &str, at: usize) -> Option<(Self, usize)> {
        let byte = *text.as_bytes().get(at)?;
        if let Some(class) = ASCII.get(usize::from(byte)) {
            return Some((*class, at + 1));
        }
        let c = text[at..].chars().next()?;
        let class = match c {
            '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' => {
                Self::Sign
            }
            c if c.is_uppercase() => Self::Upper,
            c if c.is_alphabetic() => Self::Lower,
            c if c.is_numeric() => Self::Digit,
            _ => Self::Other,
        };
        Some((class, at + c.len_utf8()))
    }
}

/// The words of a question, to be counted in texts.
pub(crate) struct Terms<'a> {
    /// In order.
    all: &'a [Term],
    /// Which first two letters they have: a bit for several each. Words with one stem have the
    /// same.
    fronts: u64,
}

impl<'a> Terms<'a> {
    /// `all` are those of the question, in order.
    pub(crate) fn new(question: &str, all: &'a [Term]) -> Self {
        let mut fronts = 0;
        words(question, |word| fronts |= front(word));
        Self { all, fronts }
    }

    /// Adds to `counts` how often each is in a text; gives how many words there are.
    pub(crate) fn count(&self, text: &str, times: usize, counts: &mut [usize]) -> usize {
        let mut length = 0;
        let mut add = |word: &str| {
            length += times;
            if let Ok(at) = self.all.binary_search(&term(word)) {
                counts[at] += times;
            }
        };
        let mut passed = 0;
        written(text, |word| {
            if word.is_ascii() && front(word) & self.fronts == 0 {
                passed += usize::from(word.len() <= LONGEST);
            } else {
                words(word, &mut add);
            }
        });
        length + passed * times
    }

    pub(crate) fn as_slice(&self) -> &[Term] {
        self.all
    }
}

/// A bit for the first two letters of a word, in either case.
fn front(word: &str) -> u64 {
    let letter = |at| word.as_bytes().get(at).map_or(0_u8, |byte| byte | 0x20);
    1 << (letter(0).wrapping_mul(7).wrapping_add(letter(1)) & 63)
}

/// A word by which others with the same stem are found.
pub(crate) type Term = u32;

/// The term of a word: a hash of its stem. Two words of a codebase that share one by chance are
/// rarer than words with two meanings.
pub(crate) fn term(word: &str) -> Term {
    let (stem, ending) = stem(word);
    let bytes = stem.bytes().chain(ending.bytes());
    bytes.fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// Words that questions are made of and that say nothing of what is asked for.
const FILLERS: &str = "a about an and are as at be been being between but by can could did do does doing done \
    for from had happen happens has have how i if in into is it its may me my of on or our \
    out over should so some such than that the their them then there these they this those \
    to us was we were what when where which while who whom whose why will with would you \
    your";

/// Whether it is the term of a word that says nothing of what is asked for.
pub(crate) fn is_filler(of: Term) -> bool {
    static TERMS: OnceLock<HashSet<Term>> = OnceLock::new();
    TERMS.get_or_init(|| FILLERS.split(' ').map(term).collect()).contains(&of)
}

/// What the words with this stem begin with.
pub(crate) fn beginning(word: &str) -> &str {
    stem(word).0
}

/// The word without its plural, `-ing`, `-ed` or a last `e`; what is in their place.
fn stem(word: &str) -> (&str, &'static str) {
    if word.len() < 4 || !word.is_ascii() {
        return (word, "");
    }
    let mut stem = word;
    if let Some(cut) = stem.strip_suffix("ies")
        && cut.len() > 1
    {
        return (cut, "y");
    }
    if stem.ends_with('s') && !["ss", "us", "is"].iter().any(|end| stem.ends_with(end)) {
        stem = &stem[..stem.len() - 1];
    }
    for ending in ["ing", "ed"] {
        if let Some(cut) = stem.strip_suffix(ending)
            && cut.len() > 2
            && cut.bytes().any(|b| b"aeiouy".contains(&b))
        {
            let bytes = cut.as_bytes();
            let (last, before) = (bytes[bytes.len() - 1], bytes[bytes.len() - 2]);
            let doubled = last == before && !b"lsz".contains(&last);
            stem = if doubled { &cut[..cut.len() - 1] } else { cut };
            break;
        }
    }
    match stem.strip_suffix('e') {
        Some(cut) if cut.len() > 2 => (cut, ""),
        _ => (stem, ""),
    }
}

#[cfg(test)]
mod tests;
