//! Changes that somebody makes to a tree at random, behind the back of a server.

use std::fs::{self, FileTimes, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use crate::dice::Dice;

const RULES: &[&str] = &[
    "*.c\n",
    "d1*\n!d11\n",
    "sub/\n",
    "/*.txt\n",
    "*\n!*.rs\n!*/\n",
    "\n# nothing\n",
    "f*1.*\n",
    "!*.c\n",
];
pub(crate) const ENDS: &[&str] = &["rs", "c", "txt", "md", "py", "bin"];
/// Most bytes of a file that is changed in its place.
const PLACE_BYTES: u64 = 1 << 20;

/// A tree, and what its files hold.
pub(crate) struct Changes<'c> {
    pub(crate) root: PathBuf,
    /// The text of a new file of this path.
    pub(crate) text: &'c dyn Fn(&Path, &mut Dice) -> Vec<u8>,
    /// Something that is hard to search, if a file of this path may be that.
    pub(crate) hard: &'c dyn Fn(&Path, &mut Dice) -> Option<Vec<u8>>,
}

/// A file below `dir`, if the way there ends at one; by name, so that a seed repeats it.
pub(crate) fn some_file(dir: &Path, dice: &mut Dice) -> Option<PathBuf> {
    let mut at = dir.to_owned();
    loop {
        let mut names: Vec<PathBuf> = fs::read_dir(&at).ok()?.flatten().map(|e| e.path()).collect();
        names.retain(|path| !path.ends_with(".git"));
        names.sort();
        at = names.get(dice.below(names.len().max(1)))?.clone();
        if at.is_symlink() || !at.is_dir() {
            return Some(at).filter(|at| at.is_file());
        }
    }
}

/// A path that may be free.
pub(crate) fn new_path(root: &Path, dice: &mut Dice) -> PathBuf {
    let dir = format!("d{}", dice.below(24));
    let dir = root.join(dir).join(dice.pick(&["", "", "", "sub", "sub/deep", "new dir"]));
    dir.join(format!("f{}.{}", dice.below(400), dice.pick(ENDS)))
}

impl Changes<'_> {
    /// Makes one change, if it can be made; says what it was.
    pub(crate) fn change(&self, dice: &mut Dice) -> String {
        let (root, kind) = (&self.root, dice.below(20));
        let mut new = new_path(root, dice);
        let old = some_file(root, dice).unwrap_or_else(|| new.clone());
        let dir = |path: &Path| path.parent().unwrap_or(root).to_owned();
        let is_rule = old.extension().is_none();
        if matches!(kind, 9 | 16) && !is_rule {
            new.set_extension(old.extension().unwrap_or_default());
        }
        let text = (self.text)(&old, dice);
        // What cannot be done, because something is in the way or is gone, is no change.
        let _ = match kind {
            0..=6 | 11 | 15 | 18 if is_rule => Ok(()),
            0..=3 => fs::write(&old, text),
            4 | 5 => append(&old, &text),
            6 => in_its_place(&old, (self.hard)(&old, dice).is_some(), dice),
            7 | 8 => fs::remove_file(&old),
            9 => rename(&old, &new),
            10 => rename(&dir(&old), &dir(&new)),
            11 => saved_over(&old, &text),
            12 => {
                fs::write(dir(&old).join(dice.pick(&[".gitignore", ".ignore"])), dice.pick(RULES))
            }
            13 => {
                let rules = [".gitignore", ".ignore"].map(|name| dir(&old).join(name));
                rules.iter().try_for_each(fs::remove_file)
            }
            14 => match (self.hard)(&new, dice) {
                Some(content) => put(&new, &content),
                None => put(&new, &(self.text)(&new, dice)),
            },
            15 => fs::remove_file(&old).and_then(|()| symlink("f1.rs", &old)),
            16 if dice.once_in(4) => {
                fs::create_dir_all(dir(&new)).and_then(|()| fs::hard_link(&old, &new))
            }
            17 if dice.once_in(20) && dir(&old) != *root => fs::remove_dir_all(dir(&old)),
            18 => fs::set_permissions(&old, fs::Permissions::from_mode(0o755)),
            _ => put(&new, &(self.text)(&new, dice)),
        };
        let shown = |path: &Path| path.strip_prefix(root).unwrap_or(path).display().to_string();
        format!("change {kind} of {} or {}", shown(&old), shown(&new))
    }
}

pub(crate) fn put(path: &Path, content: &[u8]) -> std::io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    fs::write(path, content)
}

fn append(path: &Path, text: &[u8]) -> std::io::Result<()> {
    OpenOptions::new().append(true).open(path)?.write_all(text)
}

/// Other letters in the same bytes of the same file, which says that it was changed when it was
/// changed before.
fn in_its_place(path: &Path, may: bool, dice: &mut Dice) -> std::io::Result<()> {
    let meta = fs::metadata(path)?;
    if meta.len() > PLACE_BYTES || !may {
        return Ok(());
    }
    let mut content = fs::read(path)?;
    for byte in &mut content {
        if byte.is_ascii_alphabetic() && dice.once_in(3) {
            *byte ^= 0x20;
        }
    }
    let mut file = OpenOptions::new().write(true).open(path)?;
    file.write_all(&content)?;
    file.set_times(FileTimes::new().set_modified(meta.modified()?))
}

fn rename(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to.parent().unwrap_or(to))?;
    fs::rename(from, to)
}

/// A new file in the place of the old one, as editors save.
fn saved_over(path: &Path, text: &[u8]) -> std::io::Result<()> {
    let new = path.with_extension("tmp~");
    fs::write(&new, text)?;
    fs::rename(&new, path)
}
