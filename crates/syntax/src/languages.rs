//! The table of languages. A language is a row here and a file in `queries/`; only names that
//! several languages use are told apart elsewhere, in `detect.rs`.

/// What is known of a language.
pub(crate) struct Row {
    /// As people write it.
    pub(crate) name: &'static str,
    /// In lower case, without the dot.
    pub(crate) extensions: &'static [&'static str],
    /// Whole names of files.
    pub(crate) file_names: &'static [&'static str],
    /// Programs of a `#!` line, without the version behind them.
    pub(crate) programs: &'static [&'static str],
    /// Whether a variable comes to be by its first assignment.
    pub(crate) assigns: bool,
    /// What reads it.
    pub(crate) grammar: fn() -> tree_sitter::Language,
    /// The text of its queries; dialects add to the queries of their elders.
    pub(crate) queries: &'static str,
}

macro_rules! languages {
    ($($(#[$doc:meta])+ $language:ident {
        name: $name:literal,
        extensions: $extensions:expr,
        file_names: $file_names:expr,
        programs: $programs:expr,
        assigns: $assigns:literal,
        grammar: $grammar:path,
        queries: [$($query:literal),+],
    })+) => {
        /// A language whose symbols are known.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Language { $($(#[$doc])+ $language,)+ }

        impl Language {
            /// Every language.
            pub const ALL: [Self; [$(Self::$language),+].len()] = [$(Self::$language),+];

            pub(crate) fn row(self) -> &'static Row {
                &ROWS[self as usize]
            }
        }

        static ROWS: [Row; Language::ALL.len()] = [$(Row {
            name: $name,
            extensions: &$extensions,
            file_names: &$file_names,
            programs: &$programs,
            assigns: $assigns,
            grammar: || $grammar.into(),
            queries: concat!($(include_str!(concat!("../queries/", $query, ".scm")), "\n"),+),
        }),+];
    };
}

languages! {
    /// Bash, and shells that read much the same.
    Bash {
        name: "Bash",
        extensions: ["bash", "bats", "ksh", "sh", "zsh"],
        file_names: [
            ".bash_aliases", ".bash_profile", ".bashrc", ".envrc", ".profile", ".zshrc",
            "APKBUILD", "PKGBUILD",
        ],
        programs: ["ash", "bash", "dash", "ksh", "sh", "zsh"],
        assigns: true,
        grammar: tree_sitter_bash::LANGUAGE,
        queries: ["bash"],
    }
    /// C.
    C {
        name: "C",
        extensions: ["c", "h"],
        file_names: [],
        programs: [],
        assigns: false,
        grammar: tree_sitter_c::LANGUAGE,
        queries: ["c"],
    }
    /// C++.
    Cpp {
        name: "C++",
        extensions: [
            "c++", "cc", "cpp", "cu", "cuh", "cxx", "h++", "hh", "hpp", "hxx", "inl", "ipp", "tcc",
            "tpp",
        ],
        file_names: [],
        programs: [],
        assigns: false,
        grammar: tree_sitter_cpp::LANGUAGE,
        queries: ["cpp", "c"],
    }
    /// C#.
    CSharp {
        name: "C#",
        extensions: ["cs", "csx"],
        file_names: [],
        programs: [],
        assigns: false,
        grammar: tree_sitter_c_sharp::LANGUAGE,
        queries: ["c-sharp"],
    }
    /// Go.
    Go {
        name: "Go",
        extensions: ["go"],
        file_names: [],
        programs: [],
        assigns: false,
        grammar: tree_sitter_go::LANGUAGE,
        queries: ["go"],
    }
    /// Java.
    Java {
        name: "Java",
        extensions: ["java"],
        file_names: [],
        programs: [],
        assigns: false,
        grammar: tree_sitter_java::LANGUAGE,
        queries: ["java"],
    }
    /// JavaScript, with JSX.
    JavaScript {
        name: "JavaScript",
        extensions: ["cjs", "es6", "js", "jsx", "mjs"],
        file_names: [],
        programs: ["node", "nodejs"],
        assigns: false,
        grammar: tree_sitter_javascript::LANGUAGE,
        queries: ["javascript-fields", "javascript", "jsx"],
    }
    /// PHP, with the HTML around it.
    Php {
        name: "PHP",
        extensions: ["inc", "php", "php5", "php7", "phtml"],
        file_names: [],
        programs: ["php"],
        assigns: true,
        grammar: tree_sitter_php::LANGUAGE_PHP,
        queries: ["php"],
    }
    /// Python.
    Python {
        name: "Python",
        extensions: ["py", "pyi", "pyw"],
        file_names: ["SConstruct"],
        programs: ["pypy", "python"],
        assigns: true,
        grammar: tree_sitter_python::LANGUAGE,
        queries: ["python"],
    }
    /// Ruby.
    Ruby {
        name: "Ruby",
        extensions: ["gemspec", "podspec", "rake", "rb", "ru"],
        file_names: [
            "Brewfile", "Capfile", "Gemfile", "Guardfile", "Podfile", "Rakefile", "Vagrantfile",
        ],
        programs: ["ruby"],
        assigns: true,
        grammar: tree_sitter_ruby::LANGUAGE,
        queries: ["ruby"],
    }
    /// Rust.
    Rust {
        name: "Rust",
        extensions: ["rs"],
        file_names: [],
        programs: [],
        assigns: false,
        grammar: tree_sitter_rust::LANGUAGE,
        queries: ["rust"],
    }
    /// TypeScript with JSX, a grammar of its own.
    Tsx {
        name: "TSX",
        extensions: ["tsx"],
        file_names: [],
        programs: [],
        assigns: false,
        grammar: tree_sitter_typescript::LANGUAGE_TSX,
        queries: ["typescript", "javascript", "jsx"],
    }
    /// TypeScript.
    TypeScript {
        name: "TypeScript",
        extensions: ["cts", "mts", "ts"],
        file_names: [],
        programs: ["bun", "deno", "ts-node", "tsx"],
        assigns: false,
        grammar: tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        queries: ["typescript", "javascript"],
    }
}

/// Languages whose files use names of each other.
const TOGETHER: &[&[Language]] =
    &[&[Language::C, Language::Cpp], &[Language::JavaScript, Language::TypeScript, Language::Tsx]];

impl Language {
    /// Whether code of this language can use what is defined in the other.
    pub fn can_use(self, other: Self) -> bool {
        self == other || TOGETHER.iter().any(|all| all.contains(&self) && all.contains(&other))
    }

    /// Whether it is JavaScript or TypeScript.
    pub fn is_script(self) -> bool {
        self.can_use(Self::JavaScript)
    }

    /// Whether a class calls its methods by their names alone.
    pub fn calls_alone(self) -> bool {
        !matches!(self, Self::Python | Self::Go | Self::Rust) && !self.is_script()
    }

    /// Whether the imports of its files tell where their names come from.
    pub fn imports_names(self) -> bool {
        matches!(self, Self::Python | Self::Go | Self::Java | Self::Rust) || self.is_script()
    }
}
