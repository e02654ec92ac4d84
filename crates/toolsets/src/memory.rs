//! What a project remembers, in Markdown that people read and write too: `MEMORY.md` and the files
//! below `memory/`, each with entries under headings `### title`.
//!
//! Nothing else that is there is rewritten: a new entry goes to the end.

use fault::{Cancel, Error, Result};
use files::journal::Step;
use files::search::{self, Ignore};
use files::workspace::Workspace;
use files::{edit, text};

/// Where new entries go.
pub(crate) const FILE: &str = "MEMORY.md";
/// Further files.
const FOLDER: &str = "memory";
/// Most files that are read.
const MOST_FILES: usize = 2000;
/// Longest title of a new entry, in bytes; titles are what lists consist of.
const TITLE_BYTES: usize = 1000;
/// What is before a title.
const HEADING: &str = "### ";

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Its heading; for a file without any, its path.
    pub(crate) title: String,
    /// What is below it, without the line that says when it was saved.
    pub(crate) content: String,
    /// When it was saved, as written; empty if that is not said.
    pub(crate) saved: String,
    /// Its file.
    pub(crate) file: String,
    /// The line of its heading, from 1; 0 for what is above all headings.
    pub(crate) line: usize,
}

impl Entry {
    fn is_lead(&self) -> bool {
        self.line == 0
    }
}

/// A file that fits a query.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Recalled {
    /// Its path.
    pub(crate) file: String,
    /// How well it fits; more is better.
    pub(crate) score: f64,
    /// Its entries that fit, best first.
    pub(crate) entries: Vec<Entry>,
}

/// Adds an entry; `saved` is the time as it is to be written.
///
/// # Errors
/// `InvalidInput` for a title that is empty, long or has a line break; else as for
/// [`Step::edit_or_create`].
pub(crate) fn save(step: &Step<'_>, title: &str, content: &str, saved: &str) -> Result<()> {
    let title = title.trim();
    if title.is_empty() || title.contains(['\n', '\r']) {
        return Err(Error::invalid_input("key", "give a title of one line"));
    }
    if title.len() > TITLE_BYTES {
        let problem = format!(
            "{} bytes, the limit is {TITLE_BYTES}; put the rest into the text",
            title.len()
        );
        return Err(Error::invalid_input("key", problem));
    }
    let mut fenced = false;
    let quoted: Vec<String> = content.lines().map(|line| quote(line, &mut fenced)).collect();
    let entry = format!("\n{HEADING}{title}\n_{saved}_\n{}\n", quoted.join("\n"));
    step.edit_or_create(FILE, |bytes| {
        let open = !bytes.is_empty() && !bytes.ends_with(b"\n");
        let entry = if open { format!("\n{entry}") } else { entry.clone() };
        Ok((edit::append(FILE, bytes, &entry)?.bytes, ()))
    })
}

/// Takes away the entry of this title, the last one in its file, up to the next heading of its level
/// or above it.
///
/// # Errors
/// `StringNotFound` if there is none; else as for [`Step::edit`].
pub(crate) fn remove(step: &Step<'_>, file: &str, title: &str) -> Result<()> {
    step.edit(file, |bytes| Ok((without(file, bytes, title)?, ())))
}

/// The file without the entry.
///
/// # Errors
/// `StringNotFound` if there is none; `InvalidEncoding`, `BinaryFile`.
pub(crate) fn without(file: &str, bytes: &[u8], title: &str) -> Result<Vec<u8>> {
    let text = text::decode(file, bytes)?;
    let all = split(file, text.as_str());
    let at = all.iter().rposition(|entry| !entry.is_lead() && entry.title == title);
    let Some(at) = at else { return Err(Error::no_note(title, None, None)) };
    let lines: Vec<&str> = text.as_str().lines().collect();
    let (mut first, mut fenced) = (all[at].line - 1, false);
    let below = lines[first + 1..].iter().take_while(|line| !ends(line, &mut fenced));
    let last = first + below.count();
    // The empty line that was put before it goes with it, where no other entry follows.
    first -= usize::from(last + 1 == lines.len() && first > 0 && lines[first - 1].is_empty());
    Ok(edit::delete_lines(file, bytes, first, last)?.bytes)
}

/// A line of content that would be taken for the end of it, in the way of Markdown.
fn quote(line: &str, fenced: &mut bool) -> String {
    let mut inside = *fenced;
    ends(line, fenced);
    let heading = ends(line.trim_start_matches('\\'), &mut inside);
    if heading { format!("\\{line}") } else { line.to_owned() }
}

/// Whether a line ends the entry above it: a heading of its level or above. In a block of code `#`
/// may begin a comment.
fn ends(line: &str, fenced: &mut bool) -> bool {
    *fenced ^= line.starts_with("```");
    line.starts_with(HEADING) || !*fenced && ["# ", "## "].iter().any(|h| line.starts_with(h))
}

fn unquote(line: &str, mut fenced: bool) -> &str {
    match line.strip_prefix('\\') {
        Some(rest) if ends(rest.trim_start_matches('\\'), &mut fenced) => rest,
        _ => line,
    }
}

/// All entries, those of `MEMORY.md` first, each file in its order; a file without any is one.
/// What cannot be read is left out; why is beside it, a sentence a file.
///
/// # Errors
/// `Cancelled`, `PermissionDenied`.
pub(crate) fn entries(workspace: &Workspace, cancel: &Cancel) -> Result<(Vec<Entry>, Vec<String>)> {
    let (mut parts, unread) = parts(workspace, cancel)?;
    for file in &mut parts {
        if file.iter().any(|entry| !entry.is_lead()) {
            file.retain(|entry| !entry.is_lead());
        }
    }
    Ok((parts.into_iter().flatten().collect(), unread))
}

/// The files that fit a query, best first: those that have it as it is before those that have its
/// words. What could not be looked into is beside them, as for [`entries`].
///
/// # Errors
/// As for [`entries`].
pub(crate) fn recall(
    workspace: &Workspace,
    query: &str,
    cancel: &Cancel,
) -> Result<(Vec<Recalled>, Vec<String>)> {
    let (parts, unread) = parts(workspace, cancel)?;
    let mut found: Vec<Recalled> = Vec::new();
    let mut scored: Vec<(f64, Entry)> =
        parts.into_iter().flatten().map(|e| (score(&e.title, &e.content, query), e)).collect();
    scored.retain(|(score, _)| *score > 0.0);
    scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    for (score, entry) in scored {
        match found.iter_mut().find(|it| it.file == entry.file) {
            Some(file) => {
                file.score += score / 10.0; // many weak entries do not beat a strong one
                file.entries.push(entry);
            }
            None => found.push(Recalled { file: entry.file.clone(), score, entries: vec![entry] }),
        }
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.file.cmp(&b.file)));
    Ok((found, unread))
}

/// How well a text under a title fits a query: the whole query counts most, in the title more than below it; of its
/// words each counts once, and more the more of them there are.
pub(crate) fn score(title: &str, content: &str, query: &str) -> f64 {
    let whole = &*query.trim().to_lowercase();
    let words: Vec<&str> =
        whole.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let (title, content) = (title.to_lowercase(), content.to_lowercase());
    let has = |text: &str, it: &str| f64::from(u8::from(!it.is_empty() && text.contains(it)));
    let phrase = 4.0 * has(&title, whole) + 2.0 * has(&content, whole);
    let hits: f64 = words.iter().map(|word| has(&title, word).max(0.5 * has(&content, word))).sum();
    phrase + hits / words.len().max(1) as f64
}

/// What is in each file, and why others could not be read.
fn parts(workspace: &Workspace, cancel: &Cancel) -> Result<(Vec<Vec<Entry>>, Vec<String>)> {
    let (mut all, mut unread) = (Vec::new(), Vec::new());
    for file in files(workspace, cancel)? {
        cancel.check()?;
        let contents = workspace.read(&file);
        let decoded = contents.as_ref().map_err(Error::clone).and_then(|contents| {
            text::decode(&file, &contents.bytes).map(|text| text.as_str().to_owned())
        });
        match decoded {
            Ok(text) => all.push(split(&file, &text)),
            Err(error) => unread.push(error.message),
        }
    }
    Ok((all, unread))
}

fn files(workspace: &Workspace, cancel: &Cancel) -> Result<Vec<String>> {
    let mut files = Vec::new();
    if !matches!(workspace.kind(FILE), Ok(None)) {
        files.push(FILE.to_owned());
    }
    if workspace.kind(FOLDER)? == Some(files::workspace::Kind::Directory) {
        let find = search::Find {
            ignore_case: true,
            ignore: Ignore::Nothing, // a memory that git does not keep is one all the same
            ..search::Find::files("*.md", FOLDER, MOST_FILES)
        };
        files.extend(search::find(workspace, &find, cancel)?.spots.into_iter().map(|s| s.shown));
    }
    Ok(files)
}

/// The entries of a file, before them what is above the first heading.
fn split(file: &str, text: &str) -> Vec<Entry> {
    let entry = |title: &str, line| Entry {
        title: title.to_owned(),
        content: String::new(),
        saved: String::new(),
        file: file.to_owned(),
        line,
    };
    let (mut entries, mut last, mut fenced) = (Vec::new(), entry(file, 0), false);
    for (n, line) in text.lines().enumerate() {
        let inside = fenced;
        let ends = ends(line, &mut fenced);
        if let Some(title) = line.strip_prefix(HEADING) {
            entries.push(std::mem::replace(&mut last, entry(title.trim(), n + 1)));
            fenced = false;
            continue;
        }
        if ends && !last.is_lead() {
            entries.push(std::mem::replace(&mut last, entry(file, 0)));
        }
        match time_of(line) {
            Some(time) if last.line == n && n > 0 => last.saved = time.to_owned(),
            _ => {
                last.content.push_str(unquote(line, inside));
                last.content.push('\n');
            }
        }
    }
    entries.push(last);
    for entry in &mut entries {
        entry.content = entry.content.trim().to_owned();
    }
    entries.retain(|entry| !entry.is_lead() || !entry.content.is_empty());
    entries
}

/// The time in a line such as `_2026-01-31 09:30_`.
fn time_of(line: &str) -> Option<&str> {
    let time = line.trim().strip_prefix('_')?.strip_suffix('_')?;
    let digits = time.chars().filter(char::is_ascii_digit).count();
    (digits >= 8 && time.chars().all(|c| c.is_ascii_digit() || "-: T.".contains(c))).then_some(time)
}

#[cfg(test)]
mod tests;
