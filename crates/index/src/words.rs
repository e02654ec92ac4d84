//! From text to words: identifiers cut at case, digits and underscore, and the ends of words taken
//! off, so that `parseConfigs` is found by "parsing the config".

/// Longer ones are encoded data, which nobody asks for.
const LONGEST: usize = 40;

/// Calls `each` with every word of `text`, in lower case.
pub(crate) fn words(text: &str, mut each: impl FnMut(&str)) {
    let mut word = String::with_capacity(LONGEST);
    let mut end = |word: &mut String| {
        if !word.is_empty() && word.len() <= LONGEST {
            each(word);
        }
        word.clear();
    };
    let mut last = Class::Other;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let class = Class::of(c);
        let next = rest.peek().map_or(Class::Other, |c| Class::of(*c));
        // `HTTPServer` is two words: the last capital of a run belongs to what follows.
        let acronym_ends = class == Class::Upper && last == Class::Upper && next == Class::Lower;
        let goes_on = class == last || (last == Class::Upper && class == Class::Lower);
        if !goes_on || acronym_ends || class == Class::Sign {
            end(&mut word);
        }
        if class != Class::Other && c.is_ascii() {
            word.push(c.to_ascii_lowercase());
        } else if class != Class::Other {
            word.extend(c.to_lowercase());
        }
        last = class;
    }
    end(&mut word);
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

impl Class {
    fn of(c: char) -> Self {
        match c {
            'a'..='z' => Self::Lower,
            'A'..='Z' => Self::Upper,
            '0'..='9' => Self::Digit,
            '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' => {
                Self::Sign
            }
            c if c.is_ascii() => Self::Other,
            c if c.is_uppercase() => Self::Upper,
            c if c.is_alphabetic() => Self::Lower,
            c if c.is_numeric() => Self::Digit,
            _ => Self::Other,
        }
    }
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
