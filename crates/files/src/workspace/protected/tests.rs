//! Names that are protected, and names like them that are not.

use std::path::Path;

use super::{TABLE, protected};

const OBEYED: &[&str] = &[
    // What the attack wrote unasked.
    ".zlogin",
    ".bash_aliases",
    ".config/fish/config.fish",
    ".config/fish/conf.d/x.fish",
    ".ssh/authorized_keys",
    // What was protected before.
    ".git/config",
    "sub/.git/hooks/post-checkout",
    ".git",
    ".mcp.json",
    "deep/in/a/.envrc",
    ".gitmodules",
    ".gitconfig",
    ".ripgreprc",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    "kitbag.toml",
    ".kitbag/rules",
    "opencode.json",
    ".vscode/tasks.json",
    ".idea/workspace.xml",
    ".claude/settings.local.json",
    // The rest.
    ".bash_logout",
    ".zlogout",
    ".kshrc",
    ".tcshrc",
    ".cshrc",
    ".login",
    ".xonshrc",
    ".config/nushell/env.nu",
    ".config/powershell/profile.ps1",
    ".config/autostart/x.desktop",
    ".config/systemd/user/x.service",
    ".config/environment.d/x.conf",
    ".config/git/config",
    ".local/bin/git",
    ".local/share/applications/x.desktop",
    ".local/share/systemd/user/x.timer",
    ".xprofile",
    ".xsessionrc",
    ".pam_environment",
    "Library/LaunchAgents/x.plist",
    "var/spool/cron/crontabs/me",
    ".ssh/config",
    ".ssh/rc",
    "backup/.ssh/id_ed25519",
    ".gnupg/gpg-agent.conf",
    ".netrc",
    ".aws/config",
    ".docker/config.json",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".config/pip/pip.conf",
    ".cargo/config.toml",
    ".gradle/init.gradle",
    ".gradle/init.d/x.gradle",
    ".mvn/extensions.xml",
    ".Rprofile",
    ".irbrc",
    ".ipython/profile_default/startup/x.py",
    ".gdbinit",
    ".lldbinit",
    ".vimrc",
    ".exrc",
    ".vim/plugin/x.vim",
    ".nvim.lua",
    ".emacs.d/init.el",
    ".dir-locals.el",
    ".tmux.conf",
    ".husky/pre-commit",
    "lefthook.yml",
    ".pre-commit-config.yaml",
    ".githooks/pre-push",
    ".devcontainer/devcontainer.json",
    "project.code-workspace",
    ".hg/hgrc",
    ".jj/repo/config.toml",
    "mise.toml",
    ".forward",
    ".cursor/mcp.json",
    ".codex/config.toml",
    // As other file systems take them.
    ".GIT/config",
    ".g\u{200c}it/config",
    ".git./config",
    ".Zshrc ",
];

const PLAIN: &[&str] = &[
    ".gitignore",
    ".gitattributes",
    ".gitkeep",
    ".mailmap",
    ".editorconfig",
    ".eslintrc.json",
    ".eslintrc.js",
    ".prettierrc",
    ".babelrc",
    ".swcrc",
    ".stylelintrc",
    ".dockerignore",
    ".env",
    ".env.example",
    ".nvmrc",
    ".python-version",
    ".tool-versions",
    ".rustfmt.toml",
    ".clang-format",
    ".github/workflows/ci.yml",
    ".gitlab-ci.yml",
    ".config/nextest.toml",
    ".config/dotnet-tools.json",
    ".venv/bin/activate",
    ".venv/pyvenv.cfg",
    "node_modules/x/index.js",
    "package.json",
    "Makefile",
    "build.rs",
    "CLAUDE.md",
    "AGENTS.md",
    "Dockerfile",
    "src/profile.rs",
    "src/bashrc.rs",
    "git/hooks/apply.rs",
    "docs/.ssh.md",
    "ssh/config",
    "weights/model.pth",
    // Packages of a virtual environment are code like any other that is run when it is asked for.
    ".venv/lib/python3.12/site-packages/distutils-precedence.pth",
    "config/fish/config.fish",
    "gitconfig",
    "login",
    "vscode/tasks.json",
    "tests/fixtures/zshrc",
];

#[test]
fn what_programs_obey_by_themselves_is_protected() {
    for path in OBEYED {
        assert!(protected(Path::new(path)).is_some(), "{path} is not protected");
    }
}

#[test]
fn what_a_project_is_made_of_is_not_protected() {
    for path in PLAIN {
        assert_eq!(protected(Path::new(path)), None, "{path}");
    }
}

#[test]
fn patterns_are_written_as_they_are_compared() {
    let mut seen = std::collections::BTreeSet::new();
    for pattern in TABLE.iter().flat_map(|(_, patterns)| *patterns) {
        assert_eq!(*pattern, pattern.to_lowercase());
        assert!(pattern.split('/').all(|part| part.matches('*').count() <= 1), "{pattern}");
        assert!(seen.insert(pattern), "{pattern} twice");
    }
}
