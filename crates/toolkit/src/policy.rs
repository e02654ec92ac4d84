//! What an operator allows, decided in one table; and what would allow a call that it does not.

use std::str::FromStr;

use fault::{Setting as Flag, Way};
use programs::process::Fence;

use crate::effect::Effect;
use crate::tool::Permission;

/// What the operator of a session allows without being asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// Looking is free; everything else is asked for.
    #[default]
    Ask,
    /// Looking is free; everything else is refused.
    ReadOnly,
    /// What can be undone and stays inside runs as well; the rest is asked for.
    Auto,
    /// Everything runs, but for changes of protected paths, which are asked for.
    Trust,
}

/// What happens to a call, the mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decision {
    /// It runs.
    Allow,
    /// A person is asked.
    Ask,
    /// It is refused.
    Deny,
}

/// The whole policy: a row a policy, a column a permission. `contained` says that programs run in
/// namespaces with the network off.
///
/// Under `auto` the effect counts more than what a document calls dangerous: what changes files,
/// and a program that is contained, can be undone and stays inside. What was said to others, and
/// what was deleted from the cache, nobody can take back. Several effects are decided as the
/// strictest of them.
pub fn decide(policy: Policy, needs: Permission, does: Effect, contained: bool) -> Decision {
    use Decision::{Allow, Ask, Deny};
    let undone = if contained { Effect::WRITES.and(Effect::RUNS) } else { Effect::WRITES };
    let row = match policy {
        //                  none   moderate dangerous
        Policy::ReadOnly
            if [Effect::STORES, Effect::FORGETS, Effect::OUTSIDE].iter().any(|e| does.has(*e)) =>
        {
            [Deny, Deny, Deny]
        }
        Policy::ReadOnly => [Allow, Deny, Deny],
        Policy::Ask | Policy::Auto if does.has(Effect::FORGETS) => [Ask, Ask, Ask],
        Policy::Ask => [Allow, Ask, Ask],
        Policy::Auto if does.has(Effect::CONNECTS) => [Allow, Ask, Ask],
        Policy::Auto if undone.has(does) => [Allow, Allow, Allow],
        Policy::Auto => [Allow, Allow, Ask],
        Policy::Trust => [Allow, Allow, Allow],
    };
    row[needs as usize]
}

/// What happens to a change of a protected path: nobody but a person allows it.
pub fn decide_protected(policy: Policy) -> Decision {
    if policy == Policy::ReadOnly { Decision::Deny } else { Decision::Ask }
}

/// Calls as the guide's table tells them apart: a heading, what such a call needs and does, and
/// whether programs are contained.
pub const KINDS: &[(&str, Permission, Effect, bool)] = &[
    ("looks", Permission::None, Effect::READS, true),
    ("changes files", Permission::Moderate, Effect::WRITES, true),
    ("runs a program in the sandbox, the network off", Permission::Dangerous, Effect::RUNS, true),
    ("runs any other program", Permission::Dangerous, Effect::RUNS, false),
    (
        "reaches the network: pages, remotes, installs, servers",
        Permission::Moderate,
        Effect::CONNECTS,
        true,
    ),
    ("deletes from the cache", Permission::None, Effect::FORGETS, true),
    ("calls a tool of another server", Permission::Dangerous, Effect::OUTSIDE, true),
];

/// Where a call is decided on: what the operator set, what the host can do, and who is there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub(crate) policy: Policy,
    /// What confines programs. Asked of the host only for calls that run one.
    pub(crate) fence: Fence,
    /// Whether programs are kept from the network.
    pub(crate) offline: bool,
    /// Whether the call changes a protected path.
    pub(crate) protected: bool,
}

impl Setting {
    pub(crate) fn decide(self, needs: Permission, does: Effect) -> Decision {
        let contained = self.fence == Fence::Namespaces && self.offline;
        match decide(self.policy, needs, does, contained) {
            Decision::Deny => Decision::Deny,
            _ if self.protected => decide_protected(self.policy),
            decision => decision,
        }
    }

    /// What would let a call run that does not run now, each by itself: found by deciding again
    /// under other settings. `attended` says whether somebody can be asked as it is.
    pub(crate) fn ways(self, needs: Permission, does: Effect, attended: bool) -> Vec<Way> {
        let mut ways = Vec::new();
        let asks = |policy| Self { policy, ..self }.decide(needs, does) == Decision::Ask;
        if asks(self.policy) {
            ways.extend((!attended).then_some(Way::Asking));
        } else if asks(Policy::Ask) {
            let ask = vec![Policy::Ask.setting("")];
            ways.push(if attended { Way::Settings(ask) } else { Way::SettingsAndAsking(ask) });
        }
        let runs = |policy, offline| {
            Self { policy, offline, ..self }.decide(needs, does) == Decision::Allow
        };
        let start = |policy: Policy, offline| {
            let off = Flag { flag: "--network", value: "off".to_owned(), meaning: "" };
            let off = (offline != self.offline).then_some(off);
            let other = (policy != self.policy).then(|| policy.setting(policy.meaning()));
            Way::Settings(off.into_iter().chain(other).collect())
        };
        let offline = [self.offline, true].into_iter().find(|&o| runs(Policy::Auto, o));
        ways.extend(offline.map(|offline| start(Policy::Auto, offline)));
        if runs(Policy::Trust, self.offline) {
            ways.push(start(Policy::Trust, self.offline));
        }
        ways
    }

    /// Why a person is asked about a call that does this.
    pub(crate) fn reason(self, does: Effect) -> &'static str {
        let has = |other| does.has(other);
        if has(Effect::OUTSIDE) {
            "it is a tool of another server, which Kitbag cannot look into"
        } else if has(Effect::FORGETS) {
            "it deletes from the cache, which cannot be undone"
        } else if has(Effect::CONNECTS) && has(Effect::RUNS) {
            "it runs a program in the network of this machine"
        } else if has(Effect::CONNECTS) && has(Effect::WRITES) {
            "it reaches out to the network, and files from there may be saved"
        } else if has(Effect::CONNECTS) {
            "it reaches out to the network"
        } else if has(Effect::RUNS) {
            match self.fence {
                _ if self.policy != Policy::Auto => "it runs a program",
                Fence::Namespaces => "it runs a program that can reach the network",
                Fence::Landlock => "it runs a program with Landlock alone as its sandbox",
                Fence::Nothing => "it runs a program without a sandbox",
            }
        } else if has(Effect::WRITES) {
            "it changes files"
        } else {
            "it cannot be undone"
        }
    }
}

impl Policy {
    /// All policies, the most careful ones first.
    pub const ALL: &[Self] = &[Self::ReadOnly, Self::Ask, Self::Auto, Self::Trust];

    /// The spelling on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::ReadOnly => "read-only",
            Self::Auto => "auto",
            Self::Trust => "trust",
        }
    }

    /// It as a setting.
    fn setting(self, meaning: &'static str) -> Flag {
        Flag { flag: "--policy", value: self.as_str().to_owned(), meaning }
    }

    /// What it means, for everybody who is told of it: help, refusals, the pages.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only tools run, everything else is refused",
            Self::Ask => "read-only tools run, everything else asks first",
            Self::Auto => {
                "what can be undone runs: file changes, and programs in the sandbox with the \
                 network off; everything else asks first"
            }
            Self::Trust => "everything runs, except that changes to protected files ask first",
        }
    }
}

impl FromStr for Policy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = text.replace('_', "-");
        Self::ALL
            .iter()
            .copied()
            .find(|p| p.as_str() == wanted)
            .ok_or_else(|| format!("no policy `{text}`; choose one of ask, read-only, auto, trust"))
    }
}

#[cfg(test)]
mod tests;
