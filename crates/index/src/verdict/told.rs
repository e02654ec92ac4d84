//! What is told of a change.

/// A file before and after a change; `None` where there is none.
#[derive(Clone, Copy, Debug)]
pub struct Touched<'a> {
    /// The path as it is shown.
    pub path: &'a str,
    /// Where it was before, if it was moved.
    pub moved_from: Option<&'a str>,
    /// Its text before.
    pub before: Option<&'a str>,
    /// Its text after.
    pub after: Option<&'a str>,
}

/// What a change broke.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Code that is not valid and was before.
    pub broken: Vec<Spot>,
    /// The first place of each file that is not valid, was not before, and was told before.
    pub still: Vec<Spot>,
    /// What went and is still used.
    pub missed: Vec<Missed>,
    /// What is newly brought in and is not there.
    pub absent: Vec<Absent>,
    /// What files that were moved bring in by paths that lead nowhere now.
    pub adrift: Vec<Adrift>,
    /// The files of tests that concern what was changed, the most concerned first.
    pub tests: Vec<String>,
    /// What was not looked at in time.
    pub unchecked: Vec<String>,
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The path of the file as it is shown.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// Its text, or what is missing there.
    pub text: String,
}

/// A name that a file brings in from another which has none of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent {
    /// The line that brings it in.
    pub at: Spot,
    /// The name.
    pub name: String,
    /// The file that does not have it, as it is shown.
    pub home: String,
}

/// A path in a file that was moved, which led to a file from where it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adrift {
    /// The line with the path.
    pub at: Spot,
    /// The path as it is written there.
    pub module: String,
    /// The file that it led to, as it is shown.
    pub was: String,
}

/// Why a name that is used means nothing any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Loss {
    /// Its definition went.
    Gone,
    /// It is there as it was, but not brought in any more.
    NotImported,
    /// It is there, but other files cannot bring it in any more.
    NotExported,
}

/// A definition that went and is still used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missed {
    /// Its name, with that of its container.
    pub name: String,
    /// The name that came in its place, if just one did.
    pub now: Option<String>,
    /// What became of it.
    pub loss: Loss,
    /// Where it is used.
    pub uses: Vec<Spot>,
}

impl Missed {
    pub(super) fn new(name: String, uses: Vec<Spot>) -> Self {
        Self { name, now: None, loss: Loss::Gone, uses }
    }
}
