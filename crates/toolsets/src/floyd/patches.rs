//! What the tools for diffs share: how risky one is, and how what was done is told.

use files::patch::{FileChange, Level, PatchSet, Placed, What, risk};

use crate::prelude::*;

/// How much can go wrong.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Risk {
    /// The highest of all reasons
    risk_level: RiskLevel,
    /// The reasons
    warnings: Vec<String>,
    /// Whether a binary file is in it
    is_binary: bool,
    /// Whether it changes more than one file
    affects_multiple_files: bool,
    /// Hunks over all files
    total_changes: usize,
}

/// How risky it is.
#[derive(Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RiskLevel {
    Low,
    Medium,
    High,
}

/// What a diff does with a file.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    Added,
    Deleted,
    Modified,
    Renamed,
}

impl From<What> for Status {
    fn from(what: What) -> Self {
        match what {
            What::Created | What::Copied => Self::Added,
            What::Modified => Self::Modified,
            What::Deleted => Self::Deleted,
            What::Renamed => Self::Renamed,
        }
    }
}

impl Risk {
    /// Judges the diff alone, not the files.
    pub(crate) fn of(set: &PatchSet) -> Self {
        let files::patch::Risk { level, reasons, binary, hunks } = risk(set);
        Self {
            risk_level: match level {
                Level::Low => RiskLevel::Low,
                Level::Medium => RiskLevel::Medium,
                Level::High => RiskLevel::High,
            },
            warnings: reasons,
            is_binary: binary,
            affects_multiple_files: set.files().len() > 1,
            total_changes: hunks,
        }
    }

    /// That of what is no diff.
    pub(crate) fn none() -> Self {
        Self {
            risk_level: RiskLevel::Low,
            warnings: Vec::new(),
            is_binary: false,
            affects_multiple_files: false,
            total_changes: 0,
        }
    }

    /// The warning of a high risk, which forbids nothing.
    pub(crate) fn warning(&self) -> Option<String> {
        let high = self.risk_level == RiskLevel::High;
        high.then(|| format!("{}: {}", Code::RiskLevelHigh, self.warnings.join("; ")))
    }
}

/// What stood elsewhere or was written otherwise than in the file.
pub(crate) fn notes(file: &FileChange) -> Vec<String> {
    let hunks = file.hunks.iter().enumerate();
    let note = |(n, hunk): (usize, &Placed)| {
        let mut odd = Vec::new();
        match hunk.offset {
            0 => {}
            1.. => odd.push(format!("{} below where the diff says", hunk.offset)),
            _ => odd.push(format!("{} above where the diff says", -hunk.offset)),
        }
        if hunk.recounted {
            odd.push("wrong counts".to_owned());
        }
        if hunk.endings {
            odd.push("other line endings, those of the file stay".to_owned());
        }
        let (path, line, odd_ones) = (&file.path, hunk.line, odd.join(", "));
        (!odd.is_empty())
            .then(|| format!("{path}: hunk {} applied at line {line} ({odd_ones})", n + 1))
    };
    hunks.filter_map(note).collect()
}

/// What a dry run says of a file.
pub(crate) fn would(file: &FileChange) -> String {
    let FileChange { path, from, added, removed, .. } = file;
    let verb = match file.what {
        What::Created => "create",
        What::Modified => "modify",
        What::Deleted => "delete",
        What::Renamed => "rename to",
        What::Copied => "copy to",
    };
    let from = from.as_ref().map(|from| format!(" from {from}")).unwrap_or_default();
    format!("would {verb} {path}{from}: +{added} -{removed}")
}
