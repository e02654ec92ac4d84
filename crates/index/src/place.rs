//! Whether a file is a test or documentation, told by where it is.

use std::path::{Path, PathBuf};

/// A file below the root, and what it is for.
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    pub(crate) test: bool,
    pub(crate) documentation: bool,
}

impl Place {
    pub(crate) fn new(path: PathBuf) -> Self {
        let (test, documentation) = (is_test(&path), is_documentation(&path));
        Self { path, test, documentation }
    }
}

/// What a file is for, what is asked for most often first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    /// Code, data and settings.
    Code,
    /// It tests others.
    Test,
    /// It is for people.
    Documentation,
}

impl Purpose {
    /// What the file at this path below the root is for.
    pub fn of(path: &Path) -> Self {
        match path {
            path if is_test(path) => Self::Test,
            path if is_documentation(path) => Self::Documentation,
            _ => Self::Code,
        }
    }
}

const TEST_FOLDERS: [&str; 8] =
    ["test", "tests", "__tests__", "spec", "specs", "testdata", "fixtures", "e2e"];
const FOREIGN_FOLDERS: [&str; 10] = [
    "venv",
    ".venv",
    "virtualenv",
    "site-packages",
    "dist-packages",
    "node_modules",
    "bower_components",
    "vendor",
    ".tox",
    ".nox",
];
const DOC_FOLDERS: [&str; 3] = ["doc", "docs", "documentation"];
const DOC_EXTENSIONS: [&str; 8] = ["md", "mdx", "markdown", "rst", "txt", "adoc", "org", "tex"];
const DOC_NAMES: [&str; 5] = ["README", "LICENSE", "CHANGELOG", "NOTICE", "AUTHORS"];

/// Whether the file at this path below the root holds tests.
pub(crate) fn is_test(path: &Path) -> bool {
    let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
    let lower = stem.to_lowercase();
    let ends = ["_test", ".test", "_tests", ".spec", "_spec", "-test", "-spec"];
    stands_in(path, &TEST_FOLDERS)
        || ends.iter().any(|end| lower.ends_with(end))
        || lower.starts_with("test_")
        || ["tests", "test", "conftest"].contains(&&*lower)
        || stem.ends_with("Test")
        || stem.ends_with("Tests")
}

/// Whether the file at this path below the root is of others: installed or copied, not written here.
pub(crate) fn is_foreign(path: &Path) -> bool {
    stands_in(path, &FOREIGN_FOLDERS)
}

/// Whether the file at this path below the root is for people.
pub(crate) fn is_documentation(path: &Path) -> bool {
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    DOC_EXTENSIONS.contains(&&*extension.to_lowercase())
        || DOC_NAMES.contains(&stem)
        || stands_in(path, &DOC_FOLDERS)
}

fn stands_in(path: &Path, folders: &[&str]) -> bool {
    let above = path.parent().into_iter().flat_map(Path::components);
    above
        .filter_map(|part| part.as_os_str().to_str())
        .any(|part| folders.iter().any(|folder| folder.eq_ignore_ascii_case(part)))
}
