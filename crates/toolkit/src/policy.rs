//! What an operator allows, decided in one table.

use std::str::FromStr;

use crate::tool::Permission;

/// What the operator of a session allows without being asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// Looking is free; everything else is asked for.
    #[default]
    Ask,
    /// Looking is free; everything else is refused.
    ReadOnly,
    /// What the journal can undo runs as well, unless it speaks with others; the rest is asked for.
    Auto,
    /// Everything runs, but for changes of protected paths, which are asked for.
    Trust,
}

/// What happens to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It runs.
    Allow,
    /// A person is asked.
    Ask,
    /// It is refused.
    Deny,
}

/// The whole policy: a row a policy, a column a permission. What is `undoable` is moderate under
/// `auto`, also if its document calls it dangerous.
pub fn decide(policy: Policy, needs: Permission, undoable: bool) -> Decision {
    use Decision::{Allow, Ask, Deny};
    let row = match policy {
        //                  none   moderate dangerous
        Policy::Ask => [Allow, Ask, Ask],
        Policy::ReadOnly => [Allow, Deny, Deny],
        Policy::Auto => [Allow, Allow, Ask],
        Policy::Trust => [Allow, Allow, Allow],
    };
    let eased = policy == Policy::Auto && undoable;
    let needs = if eased { needs.min(Permission::Moderate) } else { needs };
    row[needs as usize]
}

/// The same for a call that speaks with others: what was said to them cannot be undone.
pub(crate) fn decide_outside(policy: Policy, needs: Permission) -> Decision {
    match decide(policy, needs, false) {
        Decision::Allow if policy == Policy::Auto => Decision::Ask,
        decision => decision,
    }
}

/// What happens to a change of a protected path: nobody but a person allows it.
pub(crate) fn decide_protected(policy: Policy) -> Decision {
    if policy == Policy::ReadOnly { Decision::Deny } else { Decision::Ask }
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
mod tests {
    use super::{Decision, Policy, decide, decide_outside, decide_protected};
    use crate::tool::Permission;

    #[test]
    fn every_cell_of_the_table_is_as_documented() {
        let table: Vec<String> = Policy::ALL
            .iter()
            .map(|&p| {
                let cell = |n, undoable| format!("{:?}", decide(p, n, undoable));
                format!(
                    "{}: {} {} {} {} {:?} {:?}",
                    p.as_str(),
                    cell(Permission::None, false),
                    cell(Permission::Moderate, true),
                    cell(Permission::Dangerous, true),
                    cell(Permission::Dangerous, false),
                    decide_protected(p),
                    decide_outside(p, Permission::Moderate)
                )
            })
            .collect();
        assert_eq!(
            table,
            [
                "read-only: Allow Deny Deny Deny Deny Deny",
                "ask: Allow Ask Ask Ask Ask Ask",
                "auto: Allow Allow Allow Ask Ask Ask",
                "trust: Allow Allow Allow Allow Ask Allow",
            ]
        );
        assert_eq!(decide(Policy::default(), Permission::Moderate, true), Decision::Ask);
    }
}
