//! What a program was refused by its sandbox, told by what it printed, and which setting would allow
//! it. Without this module a model takes a path that is not shown for one that does not exist, and a
//! network that is not there for one that is down.

#![expect(clippy::disallowed_methods, reason = "what exists on the host is what was not shown")]

use std::path::{Component, Path};

use files::state::State;
use files::workspace::{Access, Workspace};

use super::gateway::Network;
use super::view::Rules;
use super::{Exit, Finished};

/// What is looked at of each stream: its end, where the reason for a failure is.
const LINES: usize = 20;
const BYTES: usize = 8 << 10;

/// Most pieces of advice; a program may fail at one path after another.
const MOST: usize = 3;

/// What programs print, in lower case, when a name is not found or nothing can be connected to.
const UNREACHED: &[&str] = &[
    "could not resolve",
    "couldn't resolve",
    "name resolution",
    "name or service not known",
    "nodename nor servname",
    "unable to resolve",
    "failed to lookup address",
    "dns error",
    "no such host",
    "getaddrinfo",
    "eai_again",
    "enotfound",
    "unknownhostexception",
    "network is unreachable",
    "enetunreach",
    "could not connect",
    "couldn't connect",
    "failed to connect to",
    // What programs make of a refusal by the proxy, and its own words.
    "tunnel connection failed: 403",
    "response 403",
    "not one of the hosts",
];

/// The same for what is not there, and for what must not be written to.
const MISSING: &[&str] = &["no such file", "enoent", "cannot find", "not found", "does not exist"];
const CLOSED: &[&str] = &[
    "read-only file system",
    "erofs",
    "permission denied",
    "eacces",
    "not permitted",
    "not writable",
    "n't writable",
];

/// What is told of a program that may not write to a repository.
const OF_GIT: &str = ".git is for reading only to programs that write to the root itself and not to a \
     layer, since the user's git obeys what is in it; the user can commit, and `kitbag doctor` says why \
     there is no layer";

/// What confined a program that ended.
pub(super) struct Confinement<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) rules: &'a Rules,
    /// What it reached of the network, if it was not in that of the host.
    pub(super) network: Option<&'a Network>,
    /// Where the state directory is, which no setting shows.
    pub(super) state: &'a State,
}

impl Confinement<'_> {
    /// What would allow that which a failed program was refused, a sentence each.
    pub(super) fn advice(&self, finished: &Finished) -> Vec<String> {
        let mut advice = Vec::new();
        if finished.exit == Exit::Code(0) || self.rules.is_empty() {
            return advice;
        }
        for stream in [&finished.stderr, &finished.stdout] {
            for line in stream.tail(LINES, BYTES).text.lines() {
                for new in self.of_line(line) {
                    if !advice.contains(&new) {
                        advice.push(new);
                    }
                }
            }
        }
        advice.truncate(MOST);
        advice
    }

    fn of_line(&self, line: &str) -> Vec<String> {
        // Bytes stay where they are.
        let lower = line.to_ascii_lowercase();
        let mut advice = Vec::new();
        let begins_word = |word: &str| {
            let mut found = lower.match_indices(word);
            // `ModuleNotFoundError` is none of them.
            found.any(|(at, _)| !lower[..at].ends_with(|c: char| c.is_ascii_alphanumeric()))
        };
        if let Some(network) = self.network.filter(|_| UNREACHED.iter().any(|w| begins_word(w))) {
            advice.push(of_network(network));
        }
        advice.extend(refused(line, &lower, MISSING).and_then(|path| self.hidden(path)));
        advice.extend(refused(line, &lower, CLOSED).and_then(|path| self.closed(path)));
        advice
    }

    /// For a path that the host has and the view does not. Whether hidden files exist is not told,
    /// nor what is the state directory's.
    fn hidden(&self, path: &Path) -> Option<String> {
        let there = [Some(path), path.parent()].into_iter().flatten();
        let there = there.filter(|path| path.parent().is_some()).find(|path| path.exists())?;
        let real = std::fs::canonicalize(there).ok()?;
        let is_hidden = |part: Component<'_>| part.as_os_str().as_encoded_bytes()[0] == b'.';
        if self.rules.shows(&real)
            || real.starts_with(self.state.real())
            || real.components().any(is_hidden)
        {
            return None;
        }
        let (path, exposed) = (there.display(), format!("{}:ro", there.display()));
        let exposed = fault::quoted(&exposed);
        Some(format!("{path} exists, but programs do not see it; --expose {exposed} shows it"))
    }

    /// For a path that the server itself could write to.
    fn closed(&self, path: &Path) -> Option<String> {
        let there = path.ancestors().find(|path| path.exists())?;
        let real = std::fs::canonicalize(there).ok()?;
        let may = rustix::fs::access(&real, rustix::fs::Access::WRITE_OK).is_ok();
        if !may || !self.rules.shows(&real) || self.rules.lets_write(&real) {
            return None;
        }
        let mut roots = self.workspace.roots().map(|(root, _)| root);
        if let Some(root) = roots.find(|root| real.starts_with(root)) {
            // What of a root is kept from programs, no setting gives them.
            return real.starts_with(root.join(".git")).then(|| OF_GIT.to_owned());
        }
        let roots = self.workspace.roots().filter(|(_, access)| *access == Access::Write);
        let roots: Vec<String> = roots.map(|(root, _)| root.display().to_string()).collect();
        let roots = roots.join(", ");
        let directory = if real.is_dir() { real.as_path() } else { real.parent()? };
        Some(format!(
            "programs write only to {roots}, caches and /tmp; --expose {} allows this directory too",
            fault::quoted(&directory.display().to_string())
        ))
    }
}

/// Whether the end of what a program printed has these words, which are in lower case.
pub(super) fn says(finished: &Finished, words: &str) -> bool {
    let streams = [&finished.stderr, &finished.stdout];
    streams.iter().any(|stream| stream.tail(LINES, BYTES).text.to_lowercase().contains(words))
}

fn of_network(network: &Network) -> String {
    match network {
        Network::Hosts(names) => format!(
            "programs reach only {} here; start with --network HOST,… for other hosts, or --network on",
            names.join(", ")
        ),
        _ => "programs have no network here; start with --network on, or --network HOST,… for some hosts"
            .to_owned(),
    }
}

/// The absolute path that a line is about, if it has one of these words: the first one after the words,
/// else the last one before them. Further ones are of who complains, or where that is.
fn refused<'l>(line: &'l str, lower: &str, words: &[&str]) -> Option<&'l Path> {
    let found = words.iter().find_map(|word| Some((lower.find(word)?, word.len())));
    let (at, length) = found?;
    let (before, after) = (&line[..at], &line[at + length..]);
    paths(after).next().or_else(|| {
        let last = paths(before).last()?;
        // `/usr/bin/bash: line 1: a: Operation not permitted`
        let rest = before.strip_prefix(last.to_str()?);
        let complains = rest.is_some_and(|rest| rest.matches(": ").count() > 1);
        (!complains).then_some(last)
    })
}

/// The absolute paths that a text names.
fn paths(text: &str) -> impl Iterator<Item = &Path> {
    let ends = |c: char| c.is_whitespace() || "'\"`:;,()[]{}<>=‘’".contains(c);
    let named = text.split(ends).filter(|word| word.starts_with('/') && word.len() > 1);
    named.map(|word| Path::new(word.trim_end_matches(['.', '/'])))
}
