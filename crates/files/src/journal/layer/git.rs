//! What of a repository the person's git obeys, and which of it a program may write all the same.
//!
//! A program commits, fetches and branches; that changes objects, refs and the index. It must not
//! decide what the person's next `git status` runs. Configuration is let through when what is new
//! in it can run nothing, as after `git clone` or `git remote add`.

use std::path::{Component, Path, PathBuf};

use super::look::{Item, What};
use crate::journal::refs;

/// Settings that run nothing and lead nowhere: sections, and keys in them.
const HARMLESS: &[(&str, &[&str])] = &[
    (
        "core",
        &[
            "repositoryformatversion",
            "filemode",
            "bare",
            "logallrefupdates",
            "ignorecase",
            "precomposeunicode",
            "symlinks",
            "sparsecheckout",
            "sparsecheckoutcone",
        ],
    ),
    ("remote", &["url", "fetch", "pushurl", "tagopt", "prune"]),
    ("branch", &["remote", "merge", "rebase", "description"]),
    ("user", &["name", "email"]),
    ("submodule", &["url", "active", "branch", "path"]),
    ("init", &["defaultbranch"]),
    ("pull", &["rebase", "ff"]),
    ("push", &["default", "autosetupremote"]),
    ("merge", &["conflictstyle", "ff"]),
    ("extensions", &["objectformat", "refstorage", "worktreeconfig"]),
    ("index", &["sparse"]),
];

/// Files of a rebase or a sequence under way that name programs or their options.
const REBASE: &[&str] = &["exec", "cmd", "strategy", "strategy_opts", "gpg_sign_opt"];

/// Whether git takes orders from this path in a git directory; `modules` and `worktrees` hold
/// further ones.
pub(in crate::journal) fn obeys(rest: &Path) -> bool {
    let parts: Vec<String> = rest
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_string_lossy().to_lowercase()),
            _ => None,
        })
        .collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    match parts.as_slice() {
        [] | ["config" | "config.worktree" | "commondir" | "gitdir"] => true,
        ["hooks"] => false,
        ["hooks", name] => !name.ends_with(".sample"),
        ["hooks", ..] => true,
        ["info"] | ["info", "exclude" | "refs" | "sparse-checkout"] => false,
        ["info", ..] => true,
        ["objects", "info", "alternates" | "http-alternates"] => true,
        ["rebase-merge" | "rebase-apply" | "sequencer", name] => {
            is_todo(name) || REBASE.contains(name)
        }
        // A submodule's name may have slashes: any part can be where its repository begins.
        ["modules" | "worktrees", below @ ..] => {
            let last = below.last().copied().unwrap_or_default();
            let hook = below.iter().position(|part| *part == "hooks");
            let sample = last.ends_with(".sample");
            let work = below
                .iter()
                .any(|part| matches!(*part, "rebase-merge" | "rebase-apply" | "sequencer"));
            work && (is_todo(last) || REBASE.contains(&last))
                || matches!(
                    last,
                    "config"
                        | "config.worktree"
                        | "commondir"
                        | "gitdir"
                        | "alternates"
                        | "attributes"
                )
                || hook.is_some_and(|at| at + 1 < below.len() && !sample)
        }
        _ => false,
    }
}

/// Whether a path in a git directory decides which commit is checked out.
pub(super) fn says_which_commit(rest: &Path) -> bool {
    let first = rest.components().next().and_then(|part| part.as_os_str().to_str());
    matches!(first, Some("HEAD" | "refs" | "packed-refs" | "reftable"))
}

/// Whether a file of this name tells git what to do next in a rebase.
pub(super) fn is_todo(name: &str) -> bool {
    name.starts_with("git-rebase-todo") || matches!(name, "todo" | "done")
}

/// Whether a list of what to do next runs nothing but git.
pub(super) fn runs_nothing(todo: &str) -> bool {
    todo.lines().map(str::trim_start).all(|line| {
        let first = line.split_whitespace().next().unwrap_or_default();
        !matches!(first, "exec" | "x")
    })
}

/// Whether a path in a root is in the store of objects of a repository.
pub(in crate::journal) fn is_object(path: &Path) -> bool {
    let mut parts = path.components().map(|part| part.as_os_str());
    parts.any(|part| part == ".git") && parts.any(|part| part == "objects")
}

/// Whether git keeps in a path what came before, or the last that it did: whatever it wrote there
/// since stays when a call is turned.
pub(in crate::journal) fn stays_as_it_is(path: &Path) -> bool {
    const NOTES: &[&str] = &["logs", "COMMIT_EDITMSG", "FETCH_HEAD", "ORIG_HEAD"];
    let mut parts = path.components().map(|part| part.as_os_str());
    let in_git = parts.any(|part| part == ".git");
    let below: Vec<_> = parts.collect();
    let is_note = |at: usize| below.get(at).is_some_and(|part| NOTES.iter().any(|n| part == n));
    is_object(path)
        || in_git
            && match below.first().and_then(|first| first.to_str()) {
                Some("worktrees") => is_note(2),
                // The name of a submodule may have slashes.
                Some("modules") => {
                    let to_refs = below.iter().take_while(|part| **part != refs::REFS).count();
                    (2..to_refs).any(is_note)
                }
                _ => is_note(0),
            }
}

/// Whether a path in a root is the index of a repository, of a submodule or of a linked work tree. Git
/// writes it also to look, so that the newer one is as good.
pub(in crate::journal) fn is_index(path: &Path) -> bool {
    path.to_str().and_then(refs::in_repository).is_some_and(|(_, file)| file == "index")
}

/// What becomes of branches and the like, and how many other changes there are beside what git keeps
/// for itself.
pub(super) fn refs_of<'i>(items: impl Iterator<Item = &'i Item> + Clone) -> (Vec<String>, usize) {
    let mut named = Vec::new();
    let others = items.clone().filter(|item| {
        let path = item.path.to_string_lossy();
        let Some((above, file)) = refs::in_git(&path) else { return true };
        let is_file = !matches!(item.what, What::Directory { .. } | What::Whole);
        let Some(name) = refs::called(file).filter(|_| is_file) else {
            return !is_bookkeeping(&item.path);
        };
        let what = match (&item.lower, &item.what) {
            (_, What::Removed) => "removed",
            (None, _) => "created",
            _ => "changed",
        };
        let packed = Path::new(above).join(".git").join(refs::PACKED);
        let may_move = refs::is_alone(file) && what != "changed";
        if !may_move || !items.clone().any(|other| other.path == packed) {
            named.push(format!("{name} {what}"));
        }
        false
    });
    let others = others.count();
    (named, others)
}

/// Whether git writes a path without changing what anybody sees of a repository: its index and its
/// objects.
pub(super) fn is_bookkeeping(path: &Path) -> bool {
    is_index(path) || is_object(path)
}

/// Where the person configures git for all repositories.
#[derive(Clone, Debug, Default)]
pub struct PersonsGit {
    /// The files, of the system too, whether they exist or not.
    pub files: Vec<PathBuf>,
    /// What `~` stands for in them.
    pub home: Option<PathBuf>,
}

/// What git runs or obeys in a root because the configuration of its repository or of the person
/// names it, by the paths there: directories with hooks, and further files of configuration. Each as
/// it is written, and where links lead.
pub(in crate::journal) fn obeyed(root: &Path, persons: &PersonsGit) -> Vec<PathBuf> {
    let (git, mut found) = (root.join(".git"), Vec::new());
    let mut files = vec![git.join("config"), git.join("config.worktree")];
    files.extend(persons.files.iter().cloned());
    let mut read = 0;
    while let Some(file) = files.get(read).filter(|_| read < MOST_FILES).cloned() {
        read += 1;
        // A person's own may be a link, into a directory of such files.
        let is_link = std::fs::read_link(&file).is_ok();
        let real = if is_link { std::fs::canonicalize(&file).ok() } else { Some(file.clone()) };
        let text = real.and_then(|real| super::ignores::read_text(&real)).unwrap_or_default();
        for (section, key, value) in &named_paths(&text) {
            let named = match (value.strip_prefix("~/"), &persons.home) {
                (Some(rest), Some(home)) => home.join(rest),
                _ => PathBuf::from(value),
            };
            match (section.as_str(), key.as_str()) {
                ("core", "hookspath") | ("init", "templatedir") => {
                    found.extend(places(root, &root.join(named)))
                }
                ("include" | "includeif", "path") => {
                    let named = file.parent().unwrap_or(&git).join(named);
                    found.extend(places(root, &named));
                    files.push(named);
                }
                _ => {}
            }
        }
    }
    found
}

/// Section, key and value of each line that may name a path, whatever else is in the text: nothing
/// may be overlooked here, so what [`settings`] does not understand is read all the same.
fn named_paths(text: &str) -> Vec<(String, String, String)> {
    let (mut section, mut all) = (String::new(), Vec::new());
    let joined = text.replace("\\\r\n", "").replace("\\\n", "");
    for line in joined.lines() {
        let mut line = line.trim();
        // A setting may follow its section in the same line.
        while let Some(rest) = line.strip_prefix('[') {
            let (heading, rest) = rest.split_once(']').unwrap_or((rest, ""));
            let main = heading.split([' ', '\t', '.']).next().unwrap_or_default();
            (section, line) = (main.to_lowercase(), rest.trim());
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        // A comment ends a value; inside of quotes it is part of it, and so both are taken.
        let value = value.trim();
        let short = value.split(['#', ';']).next().unwrap_or_default();
        for value in [value, short] {
            let value = value.trim().replace('"', "");
            all.push((section.clone(), key.trim().to_lowercase(), value));
        }
    }
    all
}

/// Files of configuration that are followed.
const MOST_FILES: usize = 16;

/// A path in the root as it is written and as its links lead, as far as that is in the root.
fn places(root: &Path, path: &Path) -> Vec<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    // What is not there yet may come into a directory that is a link.
    let real = plain.ancestors().find_map(|above| {
        let real = std::fs::canonicalize(above).ok()?;
        Some(real.join(plain.strip_prefix(above).ok()?))
    });
    let inside = |path: PathBuf| path.strip_prefix(root).ok().map(Path::to_owned);
    let all = std::iter::once(plain.clone()).chain(real).filter_map(inside);
    all.filter(|path| !path.as_os_str().is_empty()).collect()
}

/// Whether a change at `path` can change what is at `obeyed`: below it, or a directory above it.
pub(super) fn concerns(obeyed: &Path, path: &Path) -> bool {
    path.starts_with(obeyed) || obeyed.starts_with(path)
}

/// Whether a configuration says nothing new, beside what stood in it before, that could run
/// something or lead git elsewhere.
pub(in crate::journal) fn is_harmless(before: &str, after: &str) -> bool {
    let known = settings(before).unwrap_or_default();
    settings(after).is_some_and(|settings| {
        settings.iter().all(|setting| {
            known.contains(setting) || {
                let (section, key, value) = setting;
                let main = section.split(' ').next().unwrap_or_default();
                let listed =
                    HARMLESS.iter().any(|(s, keys)| *s == main && keys.contains(&key.as_str()));
                listed && !value.contains("::") && !value.starts_with('-')
            }
        })
    })
}

/// Section with its subsection, key and value of each line; nothing if a line is not understood.
fn settings(text: &str) -> Option<Vec<(String, String, String)>> {
    let (mut section, mut all) = (String::new(), Vec::new());
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        // A value that goes on in the next line could hide one.
        if line.ends_with('\\') {
            return None;
        }
        if let Some(rest) = line.strip_prefix('[') {
            section = heading(rest)?;
        } else {
            let (key, value) = line.split_once('=').unwrap_or((line, "true"));
            all.push((section.clone(), key.trim().to_lowercase(), value.trim().to_owned()));
        }
    }
    Some(all)
}

/// The section that a line after its `[` names: letters, digits and dashes, perhaps a part in
/// quotes, and nothing behind. Git takes a setting behind it, which must not be overlooked.
fn heading(rest: &str) -> Option<String> {
    let inner = rest.strip_suffix(']')?;
    let (main, sub) = match inner.split_once(' ') {
        None => (inner, ""),
        Some((main, sub)) => (main, sub.strip_prefix('"')?.strip_suffix('"')?),
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if main.is_empty() || !main.chars().all(plain) || sub.contains(['"', '\\', '\0']) {
        return None;
    }
    Some(format!("{} {sub}", main.to_lowercase()).trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::{is_harmless, obeys};
    use std::path::Path;

    #[test]
    fn what_git_obeys_is_told_from_what_it_keeps() {
        for path in [
            "config",
            "CONFIG",
            "config.worktree",
            "commondir",
            "hooks/pre-commit",
            "info/attributes",
            "objects/info/alternates",
            "modules/a/config",
            "modules/a/b/config",
            "modules/a/hooks/post-checkout",
            "modules/a/modules/b/config",
            "worktrees/w/commondir",
            "worktrees/w/config.worktree",
            "",
        ] {
            assert!(obeys(Path::new(path)), "{path}");
        }
        for path in [
            "HEAD",
            "index",
            "objects/ab/cdef",
            "refs/heads/main",
            "refs/heads/config",
            "logs/HEAD",
            "packed-refs",
            "hooks/pre-commit.sample",
            "info/exclude",
            "COMMIT_EDITMSG",
            "modules/a/HEAD",
            "modules/a/hooks/x.sample",
            "worktrees/w/HEAD",
        ] {
            assert!(!obeys(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn a_remote_is_harmless_and_a_command_is_not() {
        let before = "[core]\n\tbare = false\n\tsshCommand = ssh -i key\n";
        let with = |more: &str| format!("{before}{more}");
        for more in [
            "",
            "[remote \"origin\"]\n\turl = https://example.org/x.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n",
            "[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n",
            "[user]\n\tname = A B\n",
        ] {
            assert!(is_harmless(before, &with(more)), "{more}");
        }
        for more in [
            "[core]\n\tfsmonitor = ./x\n",
            "[core]\n\tsshCommand = ./x\n",
            "[core]\n\thooksPath = x\n",
            "[remote \"o\"]\n\turl = ext::sh -c x\n",
            "[remote \"o\"]\n\tuploadpack = ./x\n",
            "[include]\n\tpath = ../x\n",
            "[alias]\n\tst = !x\n",
            "[filter \"a\"]\n\tclean = ./x\n",
            "[core] fsmonitor = ./x\n",
            "[core] fsmonitor = \"touch x;false\" #]\n",
            "[core \"a\"] fsmonitor = x # \"]\n",
            "[user]\n[core]fsmonitor=x\n",
            "[user]\n\tname = a\\\n[core]\n\tfsmonitor = x\n",
            "[core.x]\n\ta = b\n",
        ] {
            assert!(!is_harmless(before, &with(more)), "{more}");
        }
    }
}
