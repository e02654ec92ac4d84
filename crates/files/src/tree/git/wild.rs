//! Wildcards as git understands them in ignore files.
//!
//! The patterns of searches are others: braces are alternatives there, characters are not bytes, and
//! nobody knows `[[:digit:]]`.

/// A part of a pattern.
#[derive(Debug)]
enum Part {
    Byte(u8),
    /// `?`: any byte but a slash.
    One,
    /// `[…]`, which never is a slash.
    Set(Box<[bool; 256]>),
    /// `*`: anything without a slash.
    Star,
    /// `**` in the place of a whole name: anything.
    Any,
    /// `**/`: nothing, or anything up to a slash.
    Directories,
}

/// A pattern with wildcards.
#[derive(Debug)]
pub(super) struct Wild(Vec<Part>);

/// Whether a byte begins something that is not taken literally.
pub(super) fn is_special(byte: u8) -> bool {
    matches!(byte, b'*' | b'?' | b'[' | b'\\')
}

impl Wild {
    /// `None` for one that nothing matches, such as `a[b`.
    pub(super) fn parse(pattern: &[u8]) -> Option<Self> {
        let first = pattern.iter().position(|byte| is_special(*byte));
        let (mut parts, mut at) = (Vec::new(), 0);
        while let Some(byte) = pattern.get(at) {
            match byte {
                b'*' => {
                    let stars = pattern[at..].iter().take_while(|byte| **byte == b'*').count();
                    let (start, end) = (at, at + stars);
                    at = end;
                    // Git cuts off what is before the first wildcard, and then looks whether two
                    // stars are at the beginning.
                    let begins = Some(start) == first || pattern[start - 1] == b'/';
                    let rest = &pattern[end..];
                    let ends = rest.is_empty() || rest[0] == b'/' || rest.starts_with(b"\\/");
                    parts.push(if stars == 1 || !begins || !ends {
                        Part::Star
                    } else if rest.first() == Some(&b'/') {
                        at += 1;
                        Part::Directories
                    } else {
                        Part::Any
                    });
                }
                b'?' => {
                    at += 1;
                    parts.push(Part::One);
                }
                b'[' => {
                    let (set, length) = set(&pattern[at + 1..])?;
                    at += 1 + length;
                    parts.push(Part::Set(set));
                }
                b'\\' => {
                    parts.push(Part::Byte(*pattern.get(at + 1)?));
                    at += 2;
                }
                byte => {
                    at += 1;
                    parts.push(Part::Byte(*byte));
                }
            }
        }
        Some(Self(parts))
    }

    /// Whether it is the whole of a text.
    pub(super) fn is(&self, text: &[u8]) -> bool {
        // The places in the text that the parts so far can lead to.
        let mut places = vec![false; text.len() + 1];
        places[0] = true;
        for part in &self.0 {
            let mut next = vec![false; text.len() + 1];
            let mut open = false;
            for at in 0..=text.len() {
                let here = places[at];
                let before = at.checked_sub(1).map(|before| (places[before], text[before]));
                next[at] = match part {
                    Part::Byte(own) => before == Some((true, *own)),
                    Part::One => before.is_some_and(|(was, byte)| was && byte != b'/'),
                    Part::Set(set) => before.is_some_and(|(was, byte)| was && set[byte as usize]),
                    Part::Star => {
                        open = here || open && before.is_none_or(|(_, byte)| byte != b'/');
                        open
                    }
                    Part::Any => {
                        open |= here;
                        open
                    }
                    Part::Directories => {
                        let slash = open && before.is_some_and(|(_, byte)| byte == b'/');
                        open |= here;
                        here || slash
                    }
                };
            }
            places = next;
        }
        places[text.len()]
    }
}

/// The bytes between brackets, of which the first is cut off, and how long that is with the last
/// one; `None` if it is not closed or names an unknown class.
fn set(pattern: &[u8]) -> Option<(Box<[bool; 256]>, usize)> {
    let mut set = Box::new([false; 256]);
    let negated = matches!(pattern.first()?, b'!' | b'^');
    let first = usize::from(negated);
    let (mut at, mut before) = (first, None);
    // A bracket at the very beginning is one of the bytes.
    while at == first || *pattern.get(at)? != b']' {
        let byte = *pattern.get(at)?;
        let escaped = |at: usize| match *pattern.get(at)? {
            b'\\' => Some((*pattern.get(at + 1)?, at + 2)),
            byte => Some((byte, at + 1)),
        };
        if let (b'-', Some(from), true) =
            (byte, before, pattern.get(at + 1).is_some_and(|byte| *byte != b']'))
        {
            let (to, next) = escaped(at + 1)?;
            (from..=to).for_each(|byte| set[byte as usize] = true);
            (at, before) = (next, None);
        } else if let Some(name) = class(&pattern[at..])? {
            let all = (0..=u8::MAX).filter(|byte| is_in_class(*byte, name) == Some(true));
            is_in_class(0, name)?;
            all.for_each(|byte| set[byte as usize] = true);
            (at, before) = (at + name.len() + 4, None);
        } else {
            let (byte, next) = escaped(at)?;
            set[byte as usize] = true;
            (at, before) = (next, Some(byte));
        }
    }
    if negated {
        set.iter_mut().for_each(|own| *own = !*own);
    }
    set[usize::from(b'/')] = false;
    Some((set, at + 1))
}

/// The name of a class, `[:name:]`, that a pattern begins with, if it does; `None` if it does not
/// end.
fn class(pattern: &[u8]) -> Option<Option<&[u8]>> {
    let Some(rest) = pattern.strip_prefix(b"[:") else { return Some(None) };
    let end = rest.iter().position(|byte| *byte == b']')?;
    Some(rest[..end].strip_suffix(b":"))
}

fn is_in_class(byte: u8, name: &[u8]) -> Option<bool> {
    Some(match name {
        b"alnum" => byte.is_ascii_alphanumeric(),
        b"alpha" => byte.is_ascii_alphabetic(),
        b"blank" => matches!(byte, b' ' | b'\t'),
        b"cntrl" => byte.is_ascii_control(),
        b"digit" => byte.is_ascii_digit(),
        b"graph" => byte.is_ascii_graphic(),
        b"lower" => byte.is_ascii_lowercase(),
        b"print" => byte.is_ascii_graphic() || byte == b' ',
        b"punct" => byte.is_ascii_punctuation(),
        b"space" => matches!(byte, b' ' | b'\t' | b'\n' | b'\r'),
        b"upper" => byte.is_ascii_uppercase(),
        b"xdigit" => byte.is_ascii_hexdigit(),
        _ => return None,
    })
}
