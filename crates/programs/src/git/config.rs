//! The configuration of a repository, and what must be switched off to only look at it.

use std::collections::BTreeSet;

use fault::{Code, Error, Result};

use super::{parts, text};

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

/// Settings without which git compares less, those with which it compares otherwise, and those
/// whose value does that.
const NEEDED: &[&str] = &["core.filemode", "core.symlinks", "core.trustctime"];
const UNUSUAL: &[&str] = &["core.bare", "core.ignorecase", "core.sparsecheckout", "index.sparse"];
const OTHERWISE: &[&str] =
    &["attr.tree", "core.attributesfile", "core.checkstat", "core.excludesfile", "core.worktree"];

/// The settings of a filter that run it or need it.
const FILTER: &[(&str, &str)] =
    &[("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")];

/// Settings of a repository that name a program which git runs while it changes the repository or
/// speaks with others, and what is in their place if its user did not vet it and sets nothing
/// there either. `*` is any name.
const REPLACED: &[(&str, &str)] = &[
    ("core.askpass", ""),
    ("core.editor", "false"),
    ("core.pager", "cat"),
    ("core.sshcommand", "ssh"),
    ("sequence.editor", "false"),
    ("gpg.program", "gpg"),
    ("gpg.openpgp.program", "gpg"),
    ("gpg.x509.program", "gpgsm"),
    ("gpg.ssh.program", "ssh-keygen"),
    ("gpg.ssh.defaultkeycommand", ""),
    ("hook.*.command", "true"),
    ("submodule.*.update", "none"),
];

/// The same where nothing can stand in their place: git obeys the first of several values, or the
/// result would be another without the program.
const REFUSED: &[&str] = &[
    "core.alternaterefscommand",
    "core.gitproxy",
    "merge.*.driver",
    "remote.*.receivepack",
    "remote.*.uploadpack",
    "remote.*.vcs",
];

/// What a repository that was not vetted may be fetched from and pushed to. A push to a directory
/// of this machine would run the hooks that stand there.
const FETCHED_FROM: &str = "file:git:http:https:ssh";
const PUSHED_TO: &str = "git:http:https:ssh";

impl Config {
    /// Reads `git config --list -z --show-scope`.
    pub(super) fn parse(listed: &[u8]) -> Self {
        let mut settings = Vec::new();
        let mut parts = parts(listed);
        while let (Some(scope), Some(setting)) = (parts.next(), parts.next()) {
            if scope == b"command" {
                continue; // what was given for this listing alone
            }
            let at = setting.iter().position(|b| *b == b'\n');
            let key = text(&setting[..at.unwrap_or(setting.len())]);
            let value = at.map(|at| text(&setting[at + 1..]));
            settings.push(Setting { own: matches!(scope, b"local" | b"worktree"), key, value });
        }
        Self { settings }
    }

    /// The value of a setting; its key is in lower case but for what is between the dots.
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

    /// Whether nothing is configured that makes git compare anything but the content, the kind and
    /// the mode of files, or read its settings elsewhere.
    pub(super) fn is_plain(&self) -> bool {
        let is_set = |key: &&str| self.get(key).is_some();
        let is_off = |key: &&str| is_set(key) && !self.is_on(key);
        let elsewhere = |s: &Setting| {
            let form =
                matches!(s.key.as_str(), "extensions.objectformat" | "extensions.refstorage");
            let usual = matches!(s.value.as_deref(), Some("sha1" | "files"));
            s.key.starts_with("include") || s.key.starts_with("extensions.") && !(form && usual)
        };
        !NEEDED.iter().any(is_off)
            && !UNUSUAL.iter().any(|key| self.is_on(key))
            && !OTHERWISE.iter().any(is_set)
            && !self.settings.iter().any(elsewhere)
    }

    /// Whether line endings may be others in the repository than in the files.
    pub(super) fn converts(&self) -> bool {
        let value = self.get("core.autocrlf");
        value.is_some_and(|value| !value.eq_ignore_ascii_case("false"))
            || self.get("core.eol").is_some()
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

    /// The filters of the repository without which its files would be stored otherwise: those that
    /// its person does not have.
    pub(super) fn needed_filters(&self) -> Vec<String> {
        let mut names = self.filters();
        names.retain(|name| {
            let has = |what: &str| self.trusted(&format!("filter.{name}.{what}")).is_some();
            !has("clean") && !has("process")
        });
        names
    }

    /// The settings of the repository that name programs and that nothing can take the place of.
    pub(super) fn refused(&self) -> Vec<&str> {
        let keys = self.settings.iter().filter(|s| s.own).map(|s| s.key.as_str());
        keys.filter(|key| REFUSED.iter().any(|pattern| is_like(pattern, key))).collect()
    }

    /// The settings of the repository that name programs other than hooks and filters.
    pub(super) fn programs(&self) -> Vec<&str> {
        let replaced = |key: &str| REPLACED.iter().any(|(pattern, _)| is_like(pattern, key));
        let keys = self.settings.iter().filter(|s| s.own).map(|s| s.key.as_str());
        let helper = |key: &str| key == "credential.helper" || is_like("credential.*.helper", key);
        let mut keys: Vec<&str> = keys.filter(|key| replaced(key) || helper(key)).collect();
        keys.extend(self.refused());
        keys
    }

    /// What a setting is without the repository's own configuration.
    fn trusted(&self, key: &str) -> Option<&str> {
        let found = self.settings.iter().rev().find(|s| s.key == key && !s.own)?;
        Some(found.value.as_deref().unwrap_or("true"))
    }

    /// What takes the place of the filters that the repository defines.
    fn without_filters(&self) -> Result<Vec<(String, String)>> {
        let mut settings = Vec::new();
        for name in self.filters() {
            if name.contains(char::REPLACEMENT_CHARACTER) {
                let said = format!("filter `{name}` has a name that cannot be switched off");
                return Err(Error::git(Code::PermissionDenied, "config", &said));
            }
            for (what, off) in FILTER {
                let key = format!("filter.{name}.{what}");
                if self.settings.iter().any(|s| s.own && s.key == key) {
                    let value = self.trusted(&key).unwrap_or(off).to_owned();
                    settings.push((key, value));
                }
            }
        }
        Ok(settings)
    }

    /// The environment under which git changes a repository that was not vetted: as its person
    /// configured git, without what the repository adds to that.
    pub(super) fn careful(&self, pushes: bool) -> Result<Vec<(String, String)>> {
        let mut settings = self.without_filters()?;
        // A relative path is one of the repository.
        let hooks = self.trusted("core.hookspath").filter(|path| path.starts_with(['/', '~']));
        settings.push(("core.hooksPath".to_owned(), hooks.unwrap_or("/dev/null").to_owned()));
        for setting in self.settings.iter().filter(|s| s.own) {
            if let Some((_, off)) = REPLACED.iter().find(|(p, _)| is_like(p, &setting.key)) {
                let value = self.trusted(&setting.key).unwrap_or(off).to_owned();
                settings.push((setting.key.clone(), value));
            }
        }
        settings.extend(self.helpers());
        settings.extend(off(FOREGROUND));
        let protocols = if pushes { PUSHED_TO } else { FETCHED_FROM };
        let mut env = given(settings);
        env.push(("GIT_ALLOW_PROTOCOL".to_owned(), protocols.to_owned()));
        Ok(env)
    }

    /// The helpers for passwords without those of the repository: an empty one clears the list, and
    /// then come those of the person.
    fn helpers(&self) -> Vec<(String, String)> {
        let is_helper =
            |s: &&Setting| s.key == "credential.helper" || is_like("credential.*.helper", &s.key);
        let (own, trusted): (Vec<_>, Vec<_>) =
            self.settings.iter().filter(is_helper).partition(|s| s.own);
        if own.is_empty() {
            return Vec::new();
        }
        let cleared = own.iter().map(|s| (s.key.clone(), String::new()));
        let kept = trusted.iter().map(|s| (s.key.clone(), s.value.clone().unwrap_or_default()));
        let all = ("credential.helper".to_owned(), String::new());
        cleared.chain([all]).chain(kept).collect()
    }

    /// The environment under which git runs nothing that the repository names.
    pub(super) fn harmless(&self) -> Result<Vec<(String, String)>> {
        let mut settings = off(OFF);
        settings.extend(self.without_filters()?);
        let hooks = self.settings.iter().filter(|s| s.own && is_like("hook.*.command", &s.key));
        settings.extend(hooks.map(|s| (s.key.clone(), "true".to_owned())));
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

/// What would start something that outlives git, and would be ended in the middle of its work.
const FOREGROUND: &[(&str, &str)] =
    &[("core.fsmonitor", "false"), ("maintenance.auto", "false"), ("gc.auto", "0")];

/// The environment under which git obeys all that is configured and starts nothing that outlives
/// it.
pub(super) fn foreground() -> Vec<(String, String)> {
    given(off(FOREGROUND))
}

fn off(settings: &[(&str, &str)]) -> Vec<(String, String)> {
    settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

/// Whether a key has the form of a pattern, in which a `*` between dots is any name.
fn is_like(pattern: &str, key: &str) -> bool {
    match pattern.split_once(".*.") {
        None => pattern == key,
        Some((section, name)) => key.split_once('.').is_some_and(|(first, rest)| {
            first == section && rest.rsplit_once('.').is_some_and(|(_, last)| last == name)
        }),
    }
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
