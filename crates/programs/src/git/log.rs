//! The commits that led here.

use fault::{Error, Result};

use super::paths::args;
use super::{Repository, date, parts, text};

/// One commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its hash, whole.
    pub hash: String,
    /// The hashes of the commits before it.
    pub parents: Vec<String>,
    /// Who wrote it.
    pub author: String,
    /// The address of who wrote it.
    pub email: String,
    /// When it was written, as `2026-01-31T12:00:00+01:00`.
    pub date: String,
    /// The whole message, without line feeds at its end.
    pub message: String,
}

/// Which commits are wanted.
#[derive(Clone, Debug, Default)]
pub struct Wanted<'a> {
    /// At most so many, the newest first.
    pub count: u64,
    /// None that was committed before this date.
    pub since: Option<&'a str>,
    /// None that was committed after this date.
    pub until: Option<&'a str>,
    /// Only those whose author's name or address holds this text.
    pub author: Option<&'a str>,
    /// Only those that changed this file, or something in this directory.
    pub file: Option<&'a str>,
}

const FORM: &[&str] = &[
    "log",
    "-z",
    "--no-show-signature",
    "--no-notes",
    "--no-color",
    "--no-patch",
    "--no-ext-diff",
    "--encoding=UTF-8",
    "--fixed-strings",
    "--format=tformat:%H%x00%P%x00%an%x00%ae%x00%aI%x00%B",
];

/// Fields of a commit in this form.
const FIELDS: usize = 6;

impl Repository<'_> {
    /// The commits, the newest first, and how many bytes of git's answer were left out, since it is
    /// too long. A repository without a commit has none.
    ///
    /// # Errors
    /// `InvalidDateRange` for an invalid date, or if the first is after the second;
    /// `FileNotFound` for a file that does not exist and git does not know and no commit had;
    /// `GitFailed`, `Timeout`.
    pub fn log(&self, wanted: &Wanted<'_>) -> Result<(Vec<Entry>, u64)> {
        self.check_dates(wanted)?;
        if self.commit_of("HEAD")?.is_none() {
            return Ok((Vec::new(), 0));
        }
        let mut command: Vec<String> = FORM.iter().map(|a| (*a).to_owned()).collect();
        command.push(format!("--max-count={}", wanted.count));
        let filters = [("since", wanted.since), ("until", wanted.until), ("author", wanted.author)];
        for (name, value) in filters {
            command.extend(value.map(|value| format!("--{name}={value}")));
        }
        command.push("HEAD".to_owned());
        let command: Vec<&str> = command.iter().map(String::as_str).collect();
        let files: Vec<String> = wanted.file.map(str::to_owned).into_iter().collect();
        let specs = if files.is_empty() { vec!["--".into()] } else { self.specs(&files)? };
        let said = self.look(&args(&command, &specs))?;
        let fields: Vec<&[u8]> = parts(&said.out).collect();
        let entries: Vec<Entry> = fields.chunks_exact(FIELDS).map(entry).collect();
        if let (true, Some(file)) = (entries.is_empty(), wanted.file)
            && !self.is_known(&self.path(file)?)?
            && !self.had(&specs)?
        {
            return Err(Error::file_not_found(file, &[]));
        }
        Ok((entries, said.omitted))
    }

    /// Whether any commit had a file.
    fn had(&self, specs: &[std::ffi::OsString]) -> Result<bool> {
        Ok(!self.look(&args(&["rev-list", "--max-count=1", "HEAD"], specs))?.out.is_empty())
    }

    fn check_dates(&self, wanted: &Wanted<'_>) -> Result<()> {
        for (field, value) in [("since", wanted.since), ("until", wanted.until)] {
            if let Some(value) = value {
                date::check(field, value)?;
            }
        }
        let (Some(since), Some(until)) = (wanted.since, wanted.until) else { return Ok(()) };
        let asked = [format!("--since={since}"), format!("--until={until}")];
        let out = text(&self.look(&["rev-parse", &asked[0], &asked[1]])?.out);
        let seconds = |name: &str| -> Option<i64> {
            out.lines().find_map(|line| line.strip_prefix(name))?.parse().ok()
        };
        match (seconds("--max-age="), seconds("--min-age=")) {
            (Some(first), Some(last)) if first > last => {
                Err(Error::invalid_date("since", since, &format!("is after until, `{until}`")))
            }
            _ => Ok(()),
        }
    }
}

fn entry(fields: &[&[u8]]) -> Entry {
    let field = |at: usize| text(fields[at]);
    Entry {
        hash: field(0),
        parents: field(1).split_ascii_whitespace().map(str::to_owned).collect(),
        author: field(2),
        email: field(3),
        date: field(4),
        message: field(5).trim_end_matches('\n').to_owned(),
    }
}
