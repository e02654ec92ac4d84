//! What a call does to the world.

use std::fmt;

/// What a call does to the world, as a set: a download both connects and writes. From it follow
/// the policy, whether calls may run at once, the hints that clients get, and whether the journal
/// opens a step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Effect(u8);

impl Effect {
    /// It only looks: the empty set, since every call may read.
    pub const READS: Self = Self(0);
    /// It changes what the session remembers, such as its tasks.
    pub const REMEMBERS: Self = Self(1);
    /// It puts something into the cache, which outlives the session.
    pub const STORES: Self = Self(1 << 1);
    /// It deletes from the cache, which nobody can undo.
    pub const FORGETS: Self = Self(1 << 2);
    /// It changes files, which the journal can undo. A call that does nothing else is tried without
    /// effect before a person is asked.
    pub const WRITES: Self = Self(1 << 3);
    /// It starts a program.
    pub const RUNS: Self = Self(1 << 4);
    /// It reaches out to the network, which nobody can take back.
    pub const CONNECTS: Self = Self(1 << 5);

    /// It is a tool of another server: whatever it does, nobody here sees it or takes it back.
    pub const OUTSIDE: Self = Self(1 << 6);

    /// Each single effect with its name.
    const NAMES: [(Self, &str); 7] = [
        (Self::REMEMBERS, "remembers"),
        (Self::STORES, "stores"),
        (Self::FORGETS, "forgets"),
        (Self::WRITES, "writes"),
        (Self::RUNS, "runs"),
        (Self::CONNECTS, "connects"),
        (Self::OUTSIDE, "outside"),
    ];

    /// Both sets together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether it does all that `other` does.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// What both do.
    #[must_use]
    pub const fn shared(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether a call changes nothing, so that it may run at the same time as others of its turn.
    pub fn only_reads(self) -> bool {
        self == Self::READS
    }

    /// Whether a call makes a step of the journal.
    pub fn makes_step(self) -> bool {
        self.has(Self::WRITES) || self.has(Self::RUNS)
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Self::NAMES.iter().filter(|(effect, _)| self.has(*effect));
        let names: Vec<_> = names.map(|(_, name)| *name).collect();
        f.write_str(if names.is_empty() { "reads".to_owned() } else { names.join(", ") }.as_str())
    }
}

impl fmt::Debug for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Effect({self})")
    }
}
