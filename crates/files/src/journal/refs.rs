//! What git keeps in its files, by the names that people know: branches, tags, the stash, what is
//! staged and checked out.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use rustix::fs::CWD;

use crate::workspace::open_own;

/// Most bytes of a file with refs that are read.
pub(super) const MOST_BYTES: u64 = 64 << 20;

/// What a file below a `.git` holds, if it is one that can be read.
pub(super) fn read(path: &Path) -> Option<Vec<u8>> {
    let (file, mut bytes) = (open_own(CWD, path.as_os_str()).ok()?, Vec::new());
    let is_file = file.metadata().is_ok_and(|data| data.is_file());
    file.take(MOST_BYTES).read_to_end(&mut bytes).ok().filter(|_| is_file)?;
    Some(bytes)
}

/// Where branches and tags are that did not change lately, below `.git`.
pub const PACKED: &str = "packed-refs";

/// The directory of a repository with its slash, empty for the current one, and the path below its
/// `.git`; `None` for what is in none.
pub fn in_git(path: &str) -> Option<(&str, &str)> {
    let (above, file) = match path.strip_suffix(".git") {
        Some(above) => (above, ""),
        // A bare repository above, `x.git/`, is none of these.
        None => {
            let mut all = path.match_indices(".git/").map(|(at, found)| (at, at + found.len()));
            let (at, end) = all.find(|(at, _)| *at == 0 || path[..*at].ends_with('/'))?;
            (&path[..at], &path[end..])
        }
    };
    (above.is_empty() || above.ends_with('/')).then_some((above, file))
}

/// The same for those that a `.git` holds, of submodules and linked work trees: the git directory and
/// the path below it.
pub(super) fn in_repository(path: &str) -> Option<(&str, &str)> {
    let (_, file) = in_git(path)?;
    let mut at = path.len() - file.len();
    if file.starts_with("modules/") || file.starts_with("worktrees/") {
        let ends = ["/index", "/HEAD", "/refs/", "/packed-refs", "/logs/"];
        at += ends.iter().filter_map(|end| file.find(end)).min()? + 1;
    }
    Some((&path[..at - 1], &path[at.min(path.len())..])).filter(|_| !file.is_empty())
}

/// What a file below `.git` is called.
pub fn called(file: &str) -> Option<String> {
    let named = |prefix: &str, kind: &str| {
        let name = file.strip_prefix(prefix)?;
        (!name.is_empty() && !name.ends_with(".lock")).then(|| format!("{kind} {name}"))
    };
    match file {
        HEAD => Some("what is checked out (HEAD)".to_owned()),
        "index" => Some("what is staged".to_owned()),
        "refs/stash" => Some("the stash".to_owned()),
        PACKED => Some("branches and tags in one file (packed-refs)".to_owned()),
        _ => named("refs/heads/", "branch")
            .or_else(|| named("refs/tags/", "tag"))
            .or_else(|| named("refs/remotes/", "remote branch")),
    }
}

/// Whether a file holds one branch or tag alone. What is in [`PACKED`] too may come and go there
/// without being made or removed.
pub fn is_alone(file: &str) -> bool {
    file.strip_prefix(REFS).is_some_and(|name| name.starts_with('/'))
}

/// Where branches and tags have files of their own.
pub(super) const REFS: &str = "refs";

/// The ref whose commit a file of a repository goes with: an index is one of HEAD.
pub(super) fn followed(file: &str) -> Option<&str> {
    match file {
        "index" | HEAD => Some(HEAD),
        _ => Some(file).filter(|file| is_alone(file)),
    }
}

/// Where a repository has a file: linked work trees share their refs with the one they are of.
pub(super) fn place(git: &str, file: &str) -> PathBuf {
    let is_shared = is_alone(file) || [PACKED, TABLES].contains(&file);
    let common = git.rsplit_once("/worktrees/").filter(|_| is_shared);
    Path::new(common.map_or(git, |(common, _)| common)).join(file)
}

/// Names the tables of a repository that has no files for refs. HEAD is not in its file there.
const TABLES: &str = "reftable/tables.list";
const IN_TABLES: &str = "refs/heads/.invalid";

/// What is checked out.
pub(super) const HEAD: &str = "HEAD";

/// The commit that a ref of a repository names, empty if there is none yet; `None` if it cannot be
/// told. Where refs are in tables it is what the tables are, which differ with every commit. `read` gives what is in a file by its path below `.git`.
pub(super) fn commit(name: &str, read: impl Fn(&str) -> Option<Vec<u8>>) -> Option<String> {
    const LONGEST_CHAIN: usize = 5;
    let mut name = name.to_owned();
    for _ in 0..LONGEST_CHAIN {
        let Some(text) = read(&name) else {
            let all = read(PACKED).unwrap_or_default();
            return Some(packed(&String::from_utf8_lossy(&all), &name).unwrap_or("").to_owned());
        };
        let text = String::from_utf8(text).ok()?;
        match text.trim_end().strip_prefix("ref: ") {
            Some(IN_TABLES) => return String::from_utf8(read(TABLES)?).ok(),
            Some(next) => name = next.to_owned(),
            None => return Some(text.trim_end().to_owned()),
        }
    }
    None
}

/// Packed refs in which those that differ between `made` and `wanted` and are as in `made` are as in
/// `wanted`; `None` if one of the files is no text.
pub(super) fn merged(made: &[u8], wanted: &[u8], now: &[u8]) -> Option<Vec<u8>> {
    let (made, wanted, mut all) = (by_name(made)?, by_name(wanted)?, by_name(now)?);
    for name in made.keys().chain(wanted.keys()).filter(|name| !name.is_empty()) {
        if made.get(name) != wanted.get(name) && all.get(name) == made.get(name) {
            match wanted.get(name) {
                Some(lines) => all.insert(name, lines.clone()),
                None => all.remove(name),
            };
        }
    }
    Some(all.into_values().collect::<String>().into_bytes())
}

/// Packed refs by their names, each with the line of what a tag leads to; what the file says of itself
/// comes first.
fn by_name(text: &[u8]) -> Option<BTreeMap<&str, String>> {
    let (mut all, mut name) = (BTreeMap::<&str, String>::new(), "");
    for line in std::str::from_utf8(text).ok()?.split_inclusive('\n') {
        if !line.starts_with('^') {
            name = match line.starts_with('#') {
                true => "",
                false => line.trim_end().split_once(' ')?.1,
            };
        }
        all.entry(name).or_default().push_str(line);
    }
    Some(all)
}

/// The commit of a branch or tag among the packed ones.
pub(super) fn packed<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_suffix(name)?.strip_suffix(' '))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{in_git, in_repository, merged, place};
    use crate::journal::layer::stays_as_it_is;

    #[test]
    fn the_git_directory_of_a_path_is_found() {
        assert_eq!(in_git("/x/foo.git/w/.git/index"), Some(("/x/foo.git/w/", "index")));
        assert_eq!(in_git(".git/HEAD"), Some(("", "HEAD")));
        assert_eq!(in_git("x.git/HEAD"), None);
        let (git, file) = in_repository("/x/foo.git/w/.git/worktrees/a/index").unwrap();
        assert_eq!((git, file), ("/x/foo.git/w/.git/worktrees/a", "index"));
        assert_eq!(place(git, "refs/heads/m"), Path::new("/x/foo.git/w/.git/refs/heads/m"));
        assert_eq!(place(git, "HEAD"), Path::new("/x/foo.git/w/.git/worktrees/a/HEAD"));
    }

    #[test]
    fn logs_stay_wherever_a_repository_has_them() {
        for path in
            [".git/logs/HEAD", ".git/worktrees/logs/logs/HEAD", ".git/modules/a/b/ORIG_HEAD"]
        {
            assert!(stays_as_it_is(Path::new(path)), "{path}");
        }
        for path in [".git/refs/heads/logs", ".git/worktrees/logs/HEAD", ".git/modules/a/refs/logs"]
        {
            assert!(!stays_as_it_is(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn only_the_refs_that_were_changed_are_turned() {
        let made = "# x\n1 refs/heads/a\n2 refs/tags/t\n^3\n";
        let before = "0 refs/heads/a\n5 refs/heads/b\n";
        let now = "# x\n1 refs/heads/a\n7 refs/heads/c\n2 refs/tags/t\n^3\n";
        let all = merged(made.as_bytes(), before.as_bytes(), now.as_bytes()).unwrap();
        let wanted = "# x\n0 refs/heads/a\n5 refs/heads/b\n7 refs/heads/c\n";
        assert_eq!(String::from_utf8(all).unwrap(), wanted);
    }
}
