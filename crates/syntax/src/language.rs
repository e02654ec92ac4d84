//! Which language a file is written in, told by its name, else by how it begins.

/// A language whose symbols are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// Bash, and shells that read much the same.
    Bash,
    /// C.
    C,
    /// C++.
    Cpp,
    /// C#.
    CSharp,
    /// Go.
    Go,
    /// Java.
    Java,
    /// JavaScript, with JSX.
    JavaScript,
    /// PHP, with the HTML around it.
    Php,
    /// Python.
    Python,
    /// Ruby.
    Ruby,
    /// Rust.
    Rust,
    /// TypeScript with JSX, a grammar of its own.
    Tsx,
    /// TypeScript.
    TypeScript,
}

use Language::{
    Bash, C, CSharp, Cpp, Go, Java, JavaScript, Php, Python, Ruby, Rust, Tsx, TypeScript,
};

const EXTENSIONS: &[(&str, Language)] = &[
    ("bash", Bash),
    ("bats", Bash),
    ("ksh", Bash),
    ("sh", Bash),
    ("zsh", Bash),
    ("c", C),
    ("h", C),
    ("c++", Cpp),
    ("cc", Cpp),
    ("cpp", Cpp),
    ("cu", Cpp),
    ("cuh", Cpp),
    ("cxx", Cpp),
    ("h++", Cpp),
    ("hh", Cpp),
    ("hpp", Cpp),
    ("hxx", Cpp),
    ("inl", Cpp),
    ("ipp", Cpp),
    ("tcc", Cpp),
    ("tpp", Cpp),
    ("cs", CSharp),
    ("csx", CSharp),
    ("go", Go),
    ("java", Java),
    ("cjs", JavaScript),
    ("es6", JavaScript),
    ("js", JavaScript),
    ("jsx", JavaScript),
    ("mjs", JavaScript),
    ("inc", Php),
    ("php", Php),
    ("php5", Php),
    ("php7", Php),
    ("phtml", Php),
    ("py", Python),
    ("pyi", Python),
    ("pyw", Python),
    ("gemspec", Ruby),
    ("podspec", Ruby),
    ("rake", Ruby),
    ("rb", Ruby),
    ("ru", Ruby),
    ("rs", Rust),
    ("tsx", Tsx),
    ("cts", TypeScript),
    ("mts", TypeScript),
    ("ts", TypeScript),
];

const FILE_NAMES: &[(&str, Language)] = &[
    (".bash_aliases", Bash),
    (".bash_profile", Bash),
    (".bashrc", Bash),
    (".envrc", Bash),
    (".profile", Bash),
    (".zshrc", Bash),
    ("APKBUILD", Bash),
    ("PKGBUILD", Bash),
    ("SConstruct", Python),
    ("Brewfile", Ruby),
    ("Capfile", Ruby),
    ("Gemfile", Ruby),
    ("Guardfile", Ruby),
    ("Podfile", Ruby),
    ("Rakefile", Ruby),
    ("Vagrantfile", Ruby),
];

/// Programs of a `#!` line, without the version behind them.
const PROGRAMS: &[(&str, Language)] = &[
    ("ash", Bash),
    ("bash", Bash),
    ("dash", Bash),
    ("ksh", Bash),
    ("sh", Bash),
    ("zsh", Bash),
    ("bun", TypeScript),
    ("deno", TypeScript),
    ("node", JavaScript),
    ("nodejs", JavaScript),
    ("php", Php),
    ("pypy", Python),
    ("python", Python),
    ("ruby", Ruby),
    ("ts-node", TypeScript),
    ("tsx", TypeScript),
];

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
    /// Every language.
    pub const ALL: [Self; 13] =
        [Bash, C, Cpp, CSharp, Go, Java, JavaScript, Php, Python, Ruby, Rust, Tsx, TypeScript];

    /// The language of the file at `path` (only its last part counts) that begins with `head`.
    ///
    /// The first line is enough of `head`, for a script without extension; more of it tells C++
    /// from C in `.h` files. An empty head leaves it at the name.
    pub fn of(path: &str, head: &[u8]) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        if let Some(found) = look_up(FILE_NAMES, name) {
            return Some(found);
        }
        let Some((_, extension)) = name.rsplit_once('.') else { return Self::of_shebang(head) };
        if extension == "C" || extension == "H" {
            return Some(Cpp);
        }
        match look_up(EXTENSIONS, &extension.to_ascii_lowercase()) {
            Some(C) if extension == "h" && speaks_cpp(head) => Some(Cpp),
            // `.inc` is used by many languages.
            Some(Php) if extension == "inc" => head.starts_with(b"<?").then_some(Php),
            Some(found) => Some(found),
            None => Self::of_shebang(head),
        }
    }

    /// Its name, as people write it.
    pub fn name(self) -> &'static str {
        match self {
            Bash => "Bash",
            C => "C",
            Cpp => "C++",
            CSharp => "C#",
            Go => "Go",
            Java => "Java",
            JavaScript => "JavaScript",
            Php => "PHP",
            Python => "Python",
            Ruby => "Ruby",
            Rust => "Rust",
            Tsx => "TSX",
            TypeScript => "TypeScript",
        }
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
        look_up(PROGRAMS, bare)
    }
}

fn look_up(table: &[(&str, Language)], key: &str) -> Option<Language> {
    table.iter().find(|(name, _)| *name == key).map(|(_, language)| *language)
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
