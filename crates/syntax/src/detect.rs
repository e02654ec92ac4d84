//! Which language a file is written in, told by its name, else by how it begins.

use crate::languages::{Language, Row};

/// How a line begins that C has no use for.
const ONLY_CPP: &[&[u8]] = &[
    b"class ",
    b"constexpr ",
    b"namespace ",
    b"private:",
    b"protected:",
    b"public:",
    b"template ",
    b"template<",
    b"using ",
];

impl Language {
    /// The language of the file at `path` (only its last part counts) that begins with `head`.
    ///
    /// The first line is enough of `head`, for a script without extension; more of it tells C++
    /// from C in `.h` files. An empty head leaves it at the name.
    pub fn of(path: &str, head: &[u8]) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        if let Some(found) = Self::with(|row| row.file_names, name) {
            return Some(found);
        }
        let Some((_, extension)) = name.rsplit_once('.') else { return Self::of_shebang(head) };
        if extension == "C" || extension == "H" {
            return Some(Language::Cpp);
        }
        match Self::with(|row| row.extensions, &extension.to_ascii_lowercase()) {
            Some(Language::C) if extension == "h" && speaks_cpp(head) => Some(Language::Cpp),
            // `.inc` is used by many languages.
            Some(Language::Php) if extension == "inc" => {
                head.starts_with(b"<?").then_some(Language::Php)
            }
            Some(found) => Some(found),
            None => Self::of_shebang(head),
        }
    }

    /// Its name, as people write it.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// `#!/usr/bin/env -S python3.12 -u` is Python.
    fn of_shebang(head: &[u8]) -> Option<Self> {
        let line = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).strip_prefix(b"#!")?;
        let line = line.split(|b| matches!(b, b'\n' | b'\r')).next()?;
        let line = str::from_utf8(line).ok()?;
        let mut words = line
            .split_whitespace()
            .filter(|word| !word.starts_with('-') && !word.contains('='))
            .map(|word| word.rsplit('/').next().unwrap_or(word));
        let program = words.next()?;
        let program = if program == "env" { words.next()? } else { program };
        let bare = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        Self::with(|row| row.programs, bare)
    }

    /// The language whose row has `this` among `those`.
    fn with(those: fn(&Row) -> &'static [&'static str], this: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| those(language.row()).contains(&this))
    }
}

fn speaks_cpp(head: &[u8]) -> bool {
    let mut lines = head.split(|b| *b == b'\n');
    let first = lines.next().unwrap_or_default();
    let modeline = b"-*- C++ -*-";
    first.windows(modeline.len()).any(|w| w.eq_ignore_ascii_case(modeline))
        || std::iter::once(first)
            .chain(lines)
            .map(<[u8]>::trim_ascii_start)
            .any(|line| ONLY_CPP.iter().any(|start| line.starts_with(start)))
}
