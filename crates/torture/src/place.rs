//! A directory with a project, a home and a state directory, and the program in it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::{Result, said};

/// What is at a path.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Entry {
    /// With its mode.
    Folder(u32),
    /// With its mode and content.
    File(u32, Vec<u8>),
    /// With its target.
    Link(PathBuf),
}

/// Everything below the root, by its path there.
pub(crate) type Tree = BTreeMap<PathBuf, Entry>;

/// How a command ended.
#[derive(Clone, Debug)]
pub(crate) struct Ran {
    /// `None`, if a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        Self { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }

    pub(crate) fn ok(&self) -> bool {
        self.code == Some(0)
    }

    /// All that was said, on one line and not too long.
    pub(crate) fn text(&self) -> String {
        let text = format!("exit {:?}: {} {}", self.code, self.err.trim(), self.out.trim());
        text.replace('\n', " ").chars().take(300).collect()
    }
}

#[derive(Debug)]
pub(crate) struct Place {
    dir: TempDir,
    /// The program without links, as `/proc` shows it.
    pub(crate) program: PathBuf,
    /// Whether it runs as a user to whom the modes of files apply.
    unprivileged: bool,
}

/// The user who owns nothing.
const NOBODY: u32 = 65_534;

impl Place {
    pub(crate) fn new(program: &Path) -> Result<Self> {
        let dir = tempfile::Builder::new().prefix("kitbag-torture-").tempdir().map_err(said)?;
        for name in ["root", "home", "state"] {
            fs::create_dir(dir.path().join(name)).map_err(said)?;
        }
        let program = fs::canonicalize(program).map_err(said)?;
        Ok(Self { dir, program, unprivileged: false })
    }

    /// From here on Kitbag runs as an ordinary user, if this is root.
    pub(crate) fn give_away(&mut self) -> Result {
        fs::copy(&self.program, self.dir.path().join("kitbag")).map_err(said)?;
        self.program = self.dir.path().join("kitbag");
        self.unprivileged = is_root()?;
        Ok(())
    }

    /// Gives the files to the user as whom Kitbag runs.
    pub(crate) fn own(&self) -> Result {
        if !self.unprivileged {
            return Ok(());
        }
        let nobody = format!("{NOBODY}:{NOBODY}");
        system("chown", &[OsStr::new("-Rh"), nobody.as_ref(), self.dir.path().as_ref()])
    }

    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().join("root")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.dir.path().join("state")
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root().join(name)
    }

    /// The program with nothing of this user's environment.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, words: &[S]) -> Command {
        let mut command = match self.unprivileged {
            true => Command::new("setpriv"),
            false => Command::new(&self.program),
        };
        if self.unprivileged {
            command.args([format!("--reuid={NOBODY}"), format!("--regid={NOBODY}")]);
            command.arg("--clear-groups").arg(&self.program);
        }
        command.args(words).current_dir(self.root()).env_clear();
        command.env("KITBAG_EXTENSION", "off");
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin");
        command.env("HOME", self.dir().join("home")).env("XDG_STATE_HOME", self.state());
        command
    }

    pub(crate) fn run<S: AsRef<OsStr>>(&self, words: &[S]) -> Result<Ran> {
        self.command(words).stdin(Stdio::null()).output().map(Ran::of).map_err(said)
    }

    /// Runs what must succeed.
    pub(crate) fn must<S: AsRef<OsStr>>(&self, words: &[S]) -> Result<Ran> {
        let ran = self.run(words)?;
        let name = words.iter().map(|w| w.as_ref().to_string_lossy()).collect::<Vec<_>>();
        if ran.ok() { Ok(ran) } else { Err(format!("`{}` failed, {}", short(&name), ran.text())) }
    }

    /// The calls of the journal, newest first.
    pub(crate) fn log(&self) -> Result<Vec<Value>> {
        let ran = self.must(&["log", "--json", "--most", "100000"])?;
        serde_json::from_str(&ran.out).map_err(said)
    }

    pub(crate) fn tree(&self) -> Result<Tree> {
        let mut tree = Tree::new();
        gather(&self.root(), &self.root(), &mut tree).map_err(said)?;
        Ok(tree)
    }

    pub(crate) fn write(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) -> Result {
        let path = self.path(name);
        let parent = path.parent().ok_or("no parent")?;
        fs::create_dir_all(parent).and_then(|()| fs::write(&path, content)).map_err(said)
    }

    /// Keeps root and state, for [`Place::restore`].
    pub(crate) fn save(&self) -> Result {
        for name in ["root", "state"] {
            let (from, to) = (self.dir().join(name), self.dir().join("saved").join(name));
            fs::create_dir_all(&to).map_err(said)?;
            copy_into(&from, &to)?;
        }
        Ok(())
    }

    /// Removes all that is in root and state.
    pub(crate) fn empty(&self) -> Result {
        ["root", "state"].iter().try_for_each(|name| empty(&self.dir().join(name)))
    }

    /// Makes root and state what they were when they were saved.
    pub(crate) fn restore(&self) -> Result {
        for name in ["root", "state"] {
            let (from, to) = (self.dir().join("saved").join(name), self.dir().join(name));
            empty(&to)?;
            copy_into(&from, &to)?;
        }
        Ok(())
    }

    /// Whether the bytes are in a file below the state directory.
    pub(crate) fn keeps(&self, bytes: &[u8]) -> Option<PathBuf> {
        find(&self.state(), bytes)
    }
}

/// The file below `dir` that contains the bytes.
fn find(dir: &Path, bytes: &[u8]) -> Option<PathBuf> {
    fs::read_dir(dir).ok()?.flatten().find_map(|entry| {
        let path = entry.path();
        if entry.file_type().is_ok_and(|t| t.is_dir()) {
            return find(&path, bytes);
        }
        let text = fs::read(&path).ok()?;
        text.windows(bytes.len()).any(|w| w == bytes).then_some(path)
    })
}

fn gather(root: &Path, dir: &Path, tree: &mut Tree) -> std::io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        // Somebody may be working here at the same time.
        let Ok(meta) = path.symlink_metadata() else { continue };
        let mode = meta.permissions().mode() & 0o7777;
        let found = if meta.is_dir() {
            gather(root, &path, tree)?;
            Entry::Folder(mode)
        } else if meta.is_symlink() {
            Entry::Link(path.read_link()?)
        } else {
            match fs::read(&path) {
                Ok(bytes) => Entry::File(mode, bytes),
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => continue,
                Err(e) => return Err(e),
            }
        };
        tree.insert(path.strip_prefix(root).unwrap_or(&path).to_owned(), found);
    }
    Ok(())
}

/// Up to four paths at which the trees differ, for a message.
pub(crate) fn difference(is: &Tree, should: &Tree) -> String {
    let paths: std::collections::BTreeSet<_> = is.keys().chain(should.keys()).collect();
    let differ: Vec<_> = paths.into_iter().filter(|p| is.get(*p) != should.get(*p)).collect();
    let one = |path: &&PathBuf| {
        let show = |entry: Option<&Entry>| match entry {
            None => "nothing".to_owned(),
            Some(Entry::Folder(mode)) => format!("a directory {mode:o}"),
            Some(Entry::Link(to)) => format!("a link to {}", to.display()),
            Some(Entry::File(mode, bytes)) => {
                let start = String::from_utf8_lossy(&bytes[..bytes.len().min(24)]).into_owned();
                format!("a file {mode:o} of {} bytes {start:?}", bytes.len())
            }
        };
        let (is, should) = (show(is.get(*path)), show(should.get(*path)));
        format!("{}: {is} instead of {should}", path.display())
    };
    let shown: Vec<_> = differ.iter().take(4).map(one).collect();
    format!("{} paths differ: {}", differ.len(), shown.join("; "))
}

fn short(words: &[std::borrow::Cow<'_, str>]) -> String {
    words.join(" ").chars().take(100).collect()
}

fn empty(dir: &Path) -> Result {
    for entry in fs::read_dir(dir).map_err(said)?.flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|t| t.is_dir()) {
            fs::remove_dir_all(&path).map_err(said)?;
        } else {
            fs::remove_file(&path).map_err(said)?;
        }
    }
    Ok(())
}

fn copy_into(from: &Path, to: &Path) -> Result {
    let from = from.join(".");
    system("cp", &[OsStr::new("-a"), from.as_ref(), to.as_ref()])
}

/// Runs a program of the system that must succeed.
pub(crate) fn system<S: AsRef<OsStr>>(program: &str, words: &[S]) -> Result {
    let out = Command::new(program).args(words).output().map_err(|e| format!("{program}: {e}"))?;
    if out.status.success() {
        Ok(())
    } else {
        Err(format!("{program}: {}", String::from_utf8_lossy(&out.stderr).trim()))
    }
}

pub(crate) fn is_root() -> Result<bool> {
    let out = Command::new("id").arg("-u").output().map_err(said)?;
    Ok(out.stdout == b"0\n")
}
