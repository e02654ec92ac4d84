//! Paths that programs run or load automatically.
//!
//! Whoever writes one of these files decides what runs the next time a person opens the directory,
//! starts a shell or types `git`. So a person is asked, whatever the policy. Files that decide what
//! a build or a test does (`package.json`, `Makefile`) are not among them: changing those is what
//! agents are for, and they run when somebody asks for the build.

use std::path::Path;

/// Why paths are protected, and which. A pattern is matched against the end of a path, without
/// regard to case; one that ends in `/` is a directory with everything in it. `*` stands for any
/// text within one name.
const TABLE: &[(&str, &[&str])] = &[
    (
        "git and other version control systems act on it",
        &[
            ".git/",
            ".gitmodules",
            ".gitconfig",
            ".git-credentials",
            ".githooks/",
            ".hg/",
            ".hgrc",
            ".jj/",
            ".jjconfig.toml",
            ".svn/",
            ".bzr/",
        ],
    ),
    (
        "it decides what runs at a commit",
        &[
            ".husky/",
            ".huskyrc*",
            ".lefthook*",
            "lefthook.*",
            "lefthook-local.*",
            ".pre-commit-config.yaml",
            ".overcommit.yml",
            ".simple-git-hooks.*",
            "simple-git-hooks.*",
        ],
    ),
    ("it is Kitbag's own configuration", &[".kitbag/", "kitbag.toml"]),
    (
        "shells run it automatically",
        &[
            ".bash*",
            ".profile",
            ".zsh*",
            ".zprofile",
            ".zlogin",
            ".zlogout",
            ".oh-my-zsh/",
            ".antigen/",
            ".zinit/",
            ".zplug/",
            ".kshrc",
            ".mkshrc",
            ".shrc",
            ".shinit",
            ".cshrc",
            ".tcshrc",
            ".login",
            ".logout",
            ".login_conf",
            ".xonshrc",
            ".elvish/",
            ".inputrc",
            ".pam_environment",
            ".aliases",
            ".exports",
            ".functions",
        ],
    ),
    (
        "the shell runs it on entering the directory",
        &[
            ".envrc",
            ".direnv/",
            ".direnvrc",
            ".autoenv*",
            ".mise*",
            "mise.toml",
            "mise.*.toml",
            "mise/config*.toml",
            ".rtx.toml",
            ".sdkmanrc",
        ],
    ),
    (
        "it grants access to this account or holds keys",
        &[
            ".ssh/",
            "authorized_keys*",
            ".rhosts",
            ".shosts",
            ".k5login",
            ".k5users",
            ".gnupg/",
            ".netrc",
            "_netrc",
            ".pgpass",
            ".aws/",
            ".azure/",
            ".kube/",
            ".docker/",
            ".my.cnf",
            ".mylogin.cnf",
            ".terraformrc",
            ".terraform.d/",
        ],
    ),
    (
        "the desktop, the service manager or the mail system runs what it names",
        &[
            // Of the directories below a home's `.config` most are read at every start of a
            // program; files directly in it (`.config/nextest.toml`) are mostly a project's.
            ".config/*/",
            ".config/user-dirs.*",
            ".config/starship.toml",
            ".config/*-flags.conf",
            ".local/bin/",
            ".local/share/applications/",
            ".local/share/systemd/",
            ".local/share/dbus-1/",
            ".local/share/autostart/",
            ".local/share/nautilus/",
            ".local/share/nvim/",
            ".xinitrc",
            ".xsession*",
            ".xprofile",
            ".xserverrc",
            ".i3/",
            ".dmrc",
            ".gnomerc",
            "library/launchagents/",
            "library/launchdaemons/",
            "spool/cron/",
            ".crontab",
            ".forward",
            ".procmailrc",
            ".mailcap",
            ".mailrc",
            ".muttrc",
            "autorun.inf",
            ".mozilla/",
            ".thunderbird/",
        ],
    ),
    (
        "package managers and interpreters load it automatically",
        &[
            ".npmrc",
            ".yarnrc*",
            ".yarn/releases/",
            ".yarn/plugins/",
            ".pnpmfile.*",
            "bunfig.toml",
            ".bunfig.toml",
            ".node_repl_history",
            ".noderc",
            ".pypirc",
            ".pip/",
            "pip.conf",
            "pip.ini",
            ".pdbrc*",
            ".pythonrc*",
            ".pythonstartup",
            "sitecustomize.py",
            "usercustomize.py",
            ".ipython/",
            ".jupyter/",
            ".irbrc",
            ".pryrc",
            ".gemrc",
            ".gem/credentials",
            ".bundle/",
            ".rprofile",
            ".renviron",
            ".julia/config/",
            ".ghci",
            ".iex.exs",
            ".erlang",
            ".cargo/config*",
            ".cargo/credentials*",
            ".cargo/env",
            ".cargo/bin/",
            ".m2/settings*.xml",
            ".mvn/",
            ".mavenrc",
            ".gradle/init*",
            ".gradle/init.d/",
            ".gradle/gradle.properties",
            ".sbt/*/plugins/",
            ".sbtopts",
            ".condarc",
            ".perldb",
            ".psqlrc",
            ".sqliterc",
            ".mongorc.js",
            ".mongoshrc.js",
        ],
    ),
    (
        "terminal programs load it automatically",
        &[
            ".gdbinit",
            ".gdbearlyinit",
            ".lldbinit*",
            ".curlrc",
            ".wgetrc",
            ".ripgreprc",
            ".ackrc",
            ".lessfilter",
            ".lesskey",
            ".screenrc",
            ".tmux*",
            ".ansible.cfg",
            ".dbshell",
            ".guile",
            ".wezterm.lua",
        ],
    ),
    (
        "editors load it automatically",
        &[
            ".vscode/",
            ".vscode-server/",
            "*.code-workspace",
            ".vs/",
            ".idea/",
            ".fleet/",
            ".zed/",
            ".nova/",
            ".theia/",
            ".devcontainer/",
            ".devcontainer.json",
            ".gitpod*",
            ".codesandbox/",
            ".vim/",
            ".*vimrc",
            ".exrc",
            ".nexrc",
            ".nvim*",
            ".lvimrc",
            ".emacs",
            ".emacs.d/",
            ".dir-locals*.el",
            ".spacemacs",
            ".doom.d/",
            ".nanorc",
            ".kakrc",
        ],
    ),
    (
        "agents load it automatically",
        &[
            ".mcp.json",
            ".claude/",
            ".claude.json",
            ".codex/",
            ".cursor/",
            ".cursorrules",
            ".windsurf/",
            ".windsurfrules",
            ".codeium/",
            ".gemini/",
            ".qwen/",
            ".continue/",
            ".opencode/",
            "opencode.json*",
            ".crush/",
            ".crush.json",
            "crush.json",
            ".goose/",
            ".kiro/",
            ".roo/",
            ".roomodes",
            ".cline/",
            ".clinerules*",
            ".amazonq/",
            ".augment/",
            ".junie/",
            ".trae/",
            ".factory/",
            ".copilot/",
            ".aider*",
        ],
    ),
];

/// The most names in a pattern.
const LONGEST: usize = 3;

/// Why a path (relative to its root) is protected, or `None` if it is not.
pub fn protected(relative: &Path) -> Option<&'static str> {
    why(&names(relative, usize::MAX))
}

/// The same for a path in a directory of which [`protects_all`] is not true, nor of those above it:
/// at a cost that does not grow with the length of the path.
pub(crate) fn protected_in(relative: &Path) -> Option<&'static str> {
    why(&names(relative, LONGEST + 1))
}

/// Whether everything in a directory is protected by the last names of its path. Those above it may
/// have said so already.
pub(crate) fn protects_all(directory: &Path) -> bool {
    let names = names(directory, LONGEST);
    let mut folders =
        TABLE.iter().flat_map(|(_, patterns)| *patterns).filter_map(|p| p.strip_suffix('/'));
    folders.any(|folder| names.windows(folder.split('/').count()).any(|n| fits(folder, n)))
}

/// The last names of a path, at most so many.
fn names(path: &Path, most: usize) -> Vec<String> {
    let mut names: Vec<String> =
        path.components().rev().take(most).map(|c| folded(c.as_os_str())).collect();
    names.reverse();
    names
}

fn why(names: &[String]) -> Option<&'static str> {
    let row = TABLE.iter().find(|(_, patterns)| patterns.iter().any(|p| matches(p, names)))?;
    Some(row.0)
}

/// A name as the most careless file system takes it: in small letters, without characters that are
/// not seen, and without dots and spaces at its end.
fn folded(name: &std::ffi::OsStr) -> String {
    let name: String =
        name.to_string_lossy().chars().filter(|c| !fault::is_invisible(*c)).collect();
    name.trim_end_matches(['.', ' ']).to_lowercase()
}

fn matches(pattern: &str, names: &[String]) -> bool {
    let folder = pattern.strip_suffix('/');
    // What the last name stands for is not known: `.config/x` may be a file.
    let names =
        if pattern.ends_with("*/") { &names[..names.len().saturating_sub(1)] } else { names };
    let parts = folder.unwrap_or(pattern);
    let mut places = names.windows(parts.split('/').count());
    if folder.is_some() {
        places.any(|names| fits(parts, names))
    } else {
        places.next_back().is_some_and(|names| fits(parts, names))
    }
}

fn fits(pattern: &str, names: &[String]) -> bool {
    pattern.split('/').zip(names).all(|(part, name)| is_like(part, name))
}

/// Whether a name has the form `part`, in which one `*` may stand for any text.
fn is_like(part: &str, name: &str) -> bool {
    match part.split_once('*') {
        None => part == name,
        Some((start, end)) => {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        }
    }
}

#[cfg(test)]
mod tests;
