//! The configuration of a repository, and what must be switched off to only look at it.

use std::collections::BTreeSet;

use super::{parts, text};
use crate::error::{Code, Error, Result};

/// The settings of a repository, of its person and of its host, the weakest first.
#[derive(Default)]
pub(super) struct Config {
    settings: Vec<Setting>,
}

struct Setting {
    /// The repository says so itself.
    own: bool,
    key: String,
    value: Option<String>,
}

/// What no repository may run while it is looked at. External diffs and converters of text are
/// switched off by the flags of the commands; the network is shut by `GIT_ALLOW_PROTOCOL`, since a
/// partial clone fetches what it lacks by the program that its configuration names.
const OFF: &[(&str, &str)] = &[
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.sshCommand", "false"),
    ("core.pager", "cat"),
    ("core.editor", "false"),
    ("core.quotePath", "true"),
    ("credential.helper", ""),
    ("log.showSignature", "false"),
    ("gpg.program", "false"),
    ("gpg.ssh.program", "false"),
    ("gpg.x509.program", "false"),
    ("submodule.recurse", "false"),
    ("status.submoduleSummary", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
];

/// The settings of a filter that run it or need it.
const FILTER: &[(&str, &str)] =
    &[("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")];

impl Config {
    /// Reads `git config --list -z --show-scope`.
    pub(super) fn parse(listed: &[u8]) -> Self {
        let mut settings = Vec::new();
        let mut parts = parts(listed);
        while let (Some(scope), Some(setting)) = (parts.next(), parts.next()) {
            let at = setting.iter().position(|b| *b == b'\n');
            let key = text(&setting[..at.unwrap_or(setting.len())]);
            let value = at.map(|at| text(&setting[at + 1..]));
            settings.push(Setting { own: matches!(scope, b"local" | b"worktree"), key, value });
        }
        Self { settings }
    }

    /// The value of a setting; its key is in lower case but for what stands between the dots.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        let found = self.settings.iter().rev().find(|s| s.key == key)?;
        Some(found.value.as_deref().unwrap_or("true"))
    }

    /// The same, if the repository says so itself.
    pub(super) fn own(&self, key: &str) -> Option<&str> {
        self.settings.iter().rev().find(|s| s.key == key && s.own)?.value.as_deref()
    }

    /// Whether a setting is switched on.
    pub(super) fn is_on(&self, key: &str) -> bool {
        let value = self.get(key).unwrap_or_default().to_ascii_lowercase();
        matches!(value.as_str(), "true" | "yes" | "on") || value.parse().is_ok_and(|n: i64| n != 0)
    }

    /// The remotes.
    pub(super) fn remotes(&self) -> Vec<String> {
        let named =
            |s: &Setting| Some(s.key.strip_prefix("remote.")?.strip_suffix(".url")?.to_owned());
        let names: BTreeSet<String> = self.settings.iter().filter_map(named).collect();
        names.into_iter().collect()
    }

    /// The filters that the repository itself defines; those of the person are trusted.
    pub(super) fn filters(&self) -> Vec<String> {
        let named = |s: &Setting| {
            let (name, what) = s.key.strip_prefix("filter.")?.rsplit_once('.')?;
            (s.own && FILTER.iter().any(|(w, _)| *w == what)).then(|| name.to_owned())
        };
        let names: BTreeSet<String> = self.settings.iter().filter_map(named).collect();
        names.into_iter().collect()
    }

    /// The environment under which git runs nothing that the repository names.
    pub(super) fn harmless(&self) -> Result<Vec<(String, String)>> {
        let mut settings: Vec<(String, String)> =
            OFF.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        for name in self.filters() {
            if name.contains(char::REPLACEMENT_CHARACTER) {
                let said = format!("filter `{name}` has a name that cannot be switched off");
                return Err(Error::git(Code::PermissionDenied, "config", &said));
            }
            for (what, off) in FILTER {
                let key = format!("filter.{name}.{what}");
                if !self.settings.iter().any(|s| s.own && s.key == key) {
                    continue;
                }
                let trusted = self.settings.iter().rev().find(|s| s.key == key && !s.own);
                let value = trusted.and_then(|s| s.value.clone());
                settings.push((key, value.unwrap_or_else(|| (*off).to_owned())));
            }
        }
        let mut env = given(settings);
        for (name, value) in [
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_ALLOW_PROTOCOL", "none"),
            ("GIT_NO_LAZY_FETCH", "1"),
        ] {
            env.push((name.to_owned(), value.to_owned()));
        }
        Ok(env)
    }
}

/// The environment under which git starts nothing that would outlive it: that would be ended in the
/// middle of its work.
pub(super) fn foreground() -> Vec<(String, String)> {
    let off = [("core.fsmonitor", "false"), ("maintenance.auto", "false"), ("gc.auto", "0")];
    given(off.map(|(key, value)| (key.to_owned(), value.to_owned())).into())
}

/// Settings as git takes them from its environment, where a key may hold any character.
fn given(settings: Vec<(String, String)>) -> Vec<(String, String)> {
    let mut env = vec![("GIT_CONFIG_COUNT".to_owned(), settings.len().to_string())];
    for (at, (key, value)) in settings.into_iter().enumerate() {
        env.push((format!("GIT_CONFIG_KEY_{at}"), key));
        env.push((format!("GIT_CONFIG_VALUE_{at}"), value));
    }
    env
}
