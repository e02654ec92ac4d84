//! Which directories of a root git ignores.

use std::cell::OnceCell;
use std::io::Read as _;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::{CWD, FileType};

use crate::workspace::open_own;

/// Longest `.gitignore` that is obeyed, in bytes: thousands of patterns, while matching stays fast.
const LONGEST: u64 = 1 << 20;

/// What git ignores in a root.
pub(in crate::journal) struct Ignores {
    root: PathBuf,
    top: Gitignore,
    /// The names that git tracks, as they are in its index; a directory with tracked files is not
    /// ignored, whatever `.gitignore` says.
    index: OnceCell<Index>,
}

/// The index of the repository that a root is in.
struct Index {
    bytes: Vec<u8>,
    /// The root in the work tree.
    prefix: PathBuf,
}

impl Index {
    /// That of the repository of `root` or of a directory above it, of a linked work tree too; an
    /// empty one without a repository.
    #[expect(clippy::disallowed_methods, reason = "git's index tells what is tracked")]
    fn of(root: &Path) -> Self {
        let top = root.ancestors().find(|above| above.join(".git").exists()).unwrap_or(root);
        let mut git = top.join(".git");
        if git.is_file() {
            let text = std::fs::read_to_string(&git).unwrap_or_default();
            git = top.join(text.trim_start_matches("gitdir:").trim());
        }
        let bytes = std::fs::read(git.join("index")).unwrap_or_default();
        Self { bytes, prefix: root.strip_prefix(top).unwrap_or(Path::new("")).to_owned() }
    }
}

/// What is known of a directory when those in it are asked about.
#[derive(Clone, Default)]
pub(super) struct Ignoring {
    in_git: bool,
    matched: bool,
    /// The `.gitignore` files from here up to the root, without the root's.
    files: Option<Rc<Patterns>>,
}

struct Patterns {
    directory: PathBuf,
    own: Gitignore,
    above: Option<Rc<Patterns>>,
}

impl Ignores {
    pub(in crate::journal) fn of(root: &Path) -> Self {
        let top = patterns(root, &[".gitignore", ".git/info/exclude"]);
        Self { root: root.to_owned(), top, index: OnceCell::new() }
    }

    /// What is known of `directory`, from what is known of the one that holds it.
    pub(super) fn inside(&self, above: &Ignoring, directory: &Path) -> Ignoring {
        let is_git = directory.file_name().is_some_and(|name| name == ".git");
        let own = patterns(&self.root.join(directory), &[".gitignore"]);
        let files = match own.is_empty() {
            true => above.files.clone(),
            false => Some(Rc::new(Patterns {
                directory: directory.to_owned(),
                own,
                above: above.files.clone(),
            })),
        };
        let matched = self.matches(above, directory, true);
        Ignoring { in_git: above.in_git || is_git, matched, files }
    }

    fn matches(&self, above: &Ignoring, path: &Path, is_directory: bool) -> bool {
        // What is in an ignored directory cannot be taken out again; else the nearest file decides.
        if above.matched {
            return true;
        }
        let files = std::iter::successors(above.files.as_deref(), |at| at.above.as_deref());
        for file in files {
            if let Ok(rest) = path.strip_prefix(&file.directory) {
                let found = file.own.matched(rest, is_directory);
                if !found.is_none() {
                    return found.is_ignore();
                }
            }
        }
        self.top.matched(path, is_directory).is_ignore()
    }

    /// Whether a directory, of which this is known, is ignored and nothing in it is tracked.
    pub(super) fn ignored(&self, known: &Ignoring, directory: &Path) -> bool {
        known.matched && !known.in_git && !self.tracked(directory)
    }

    /// What is known of a directory, found out from the top.
    fn known(&self, directory: &Path) -> Ignoring {
        let mut path = PathBuf::new();
        directory.components().fold(Ignoring::default(), |above, part| {
            path.push(part);
            self.inside(&above, &path)
        })
    }

    /// The same for a directory of which nothing is known. What git tracks as a file is none.
    pub(in crate::journal) fn ignores(&self, directory: &Path) -> bool {
        self.ignored(&self.known(directory), directory) && !self.names(directory, 0)
    }

    /// Whether a file is ignored and not tracked.
    pub(in crate::journal) fn ignores_file(&self, file: &Path) -> bool {
        let above = self.known(file.parent().unwrap_or(Path::new("")));
        !above.in_git && self.matches(&above, file, false) && !self.names(file, 0)
    }

    /// Whether a path is in Python's cache of compiled modules, of which nothing is tracked.
    pub(in crate::journal) fn in_python_cache(&self, path: &Path) -> bool {
        path.ancestors().any(|above| above.ends_with("__pycache__") && !self.tracked(above))
    }

    /// Whether the index names a file in the directory.
    fn tracked(&self, directory: &Path) -> bool {
        self.names(directory, b'/')
    }

    /// Whether the index has a name that goes on so after `path`, where 0 is its end. Its newest format
    /// shortens names; then everything counts as tracked.
    fn names(&self, path: &Path, next: u8) -> bool {
        let index = self.index.get_or_init(|| Index::of(&self.root));
        if index.bytes.get(4..8) == Some(&[0, 0, 0, 4]) {
            return true;
        }
        let mut start = index.prefix.join(path).into_os_string().into_vec();
        start.push(next);
        memchr::memmem::find(&index.bytes, &start).is_some()
    }
}

/// The patterns of these files in a directory. A file that is missing, too long or no regular file
/// ignores nothing, nor does a line that is not a pattern.
fn patterns(directory: &Path, files: &[&str]) -> Gitignore {
    let mut builder = GitignoreBuilder::new("");
    for file in files {
        for line in read_text(&directory.join(file)).unwrap_or_default().lines() {
            let _ = builder.add_line(None, line);
        }
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// A text file that may be anything else; nothing if it is, or too long.
pub(in crate::journal) fn read_text(path: &Path) -> Option<String> {
    let file = open_own(CWD, path.as_os_str()).ok()?;
    let stat = rustix::fs::fstat(&file).ok()?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile
        || stat.st_size as u64 > LONGEST
    {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
