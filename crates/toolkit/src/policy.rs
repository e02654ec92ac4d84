//! What an operator allows, decided in one table.

use std::str::FromStr;

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

/// The whole policy: a row a policy, a column a permission. Under `auto` the effect counts too: what
/// the journal can undo is moderate, also if its document calls it dangerous; what was said to
/// others nobody can take back. What is deleted from the cache nobody can take back either, though
/// documents ask nothing for it.
pub fn decide(policy: Policy, needs: Permission, does: Effect) -> Decision {
    use Decision::{Allow, Ask, Deny};
    let row = match policy {
        //                  none   moderate dangerous
        Policy::ReadOnly if does.has(Effect::STORES) || does.has(Effect::FORGETS) => {
            [Deny, Deny, Deny]
        }
        Policy::Ask | Policy::Auto if does.has(Effect::FORGETS) => [Ask, Ask, Ask],
        Policy::ReadOnly => [Allow, Deny, Deny],
        Policy::Ask => [Allow, Ask, Ask],
        Policy::Auto if does.has(Effect::CONNECTS) => [Allow, Ask, Ask],
        Policy::Auto if does == Effect::WRITES => [Allow, Allow, Allow],
        Policy::Auto => [Allow, Allow, Ask],
        Policy::Trust => [Allow, Allow, Allow],
    };
    row[needs as usize]
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
    use super::{Decision, Policy, decide, decide_protected};
    use crate::effect::Effect;
    use crate::tool::Permission;

    #[test]
    fn every_cell_of_the_table_is_as_documented() {
        let table: Vec<String> = Policy::ALL
            .iter()
            .map(|&p| {
                let cell = |n, does| format!("{:?}", decide(p, n, does));
                format!(
                    "{}: {} {} {} {} {} {} {} {:?}",
                    p.as_str(),
                    cell(Permission::None, Effect::READS),
                    cell(Permission::None, Effect::STORES),
                    cell(Permission::None, Effect::FORGETS),
                    cell(Permission::Moderate, Effect::WRITES),
                    cell(Permission::Dangerous, Effect::WRITES),
                    cell(Permission::Moderate, Effect::CONNECTS),
                    cell(Permission::Dangerous, Effect::RUNS),
                    decide_protected(p),
                )
            })
            .collect();
        assert_eq!(
            table,
            [
                "read-only: Allow Deny Deny Deny Deny Deny Deny Deny",
                "ask: Allow Allow Ask Ask Ask Ask Ask Ask",
                "auto: Allow Allow Ask Allow Allow Ask Ask Ask",
                "trust: Allow Allow Allow Allow Allow Allow Allow Ask",
            ]
        );
        assert_eq!(decide(Policy::default(), Permission::Moderate, Effect::WRITES), Decision::Ask);
    }
}
