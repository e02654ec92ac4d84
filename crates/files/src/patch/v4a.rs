//! Patches between `*** Begin Patch` and `*** End Patch`, which name files and lines but no numbers.
//!
//! Models that were trained on them write these instead of unified diffs. The rules are the same:
//! a hunk is where its old lines are, and only if that is one place; lines behind `@@` say after
//! which ones it is.

use fault::{Error, Result};

use super::hunk::{Hunk, Row, Sign, refuse_senseless, row};
use super::names::Name;
use super::parse::Reader;
use super::{Body, FilePatch, Kind, PatchSet};

const BEGIN: &[u8] = b"*** Begin Patch";
const END: &[u8] = b"*** End Patch";
const END_OF_FILE: &[u8] = b"*** End of File";

/// Goes to the line after the beginning of such a patch, if there is one.
pub(super) fn begins(reader: &mut Reader<'_>) -> bool {
    let start = reader.at();
    while let Some(line) = reader.peek() {
        reader.skip();
        if line.trim_ascii_end() == BEGIN {
            return true;
        }
    }
    reader.back_to(start);
    false
}

/// Reads the files up to the end of the patch.
pub(super) fn read(reader: &mut Reader<'_>) -> Result<PatchSet> {
    let mut files = Vec::new();
    while let Some(line) = reader.peek() {
        let number = reader.number();
        if line.trim_ascii() == END {
            return match files.is_empty() {
                true => Err(unexpected(number)),
                false => Ok(PatchSet { files }),
            };
        }
        reader.skip();
        if let Some(name) = named(line, "Add") {
            let rows = rows(reader).ok_or_else(|| unexpected(reader.number()))?;
            if rows.iter().any(|row| row.sign != Sign::New) {
                let problem = "a new file has lines that are not new";
                return Err(Error::no_valid_diff(number, problem, "lines that begin with +"));
            }
            let hunk = Hunk { line: number, rows, ..Hunk::default() };
            let hunks = if hunk.rows.is_empty() { Vec::new() } else { vec![hunk] };
            files.push(file(number, Kind::Create, (None, Some(name)), Body::Hunks(hunks)));
        } else if let Some(name) = named(line, "Delete") {
            files.push(file(number, Kind::Delete, (Some(name), None), Body::Gone));
        } else if let Some(name) = named(line, "Update") {
            files.push(update(reader, number, name)?);
        } else if !line.trim_ascii().is_empty() {
            return Err(unexpected(number));
        }
    }
    Err(Error::no_valid_diff(reader.number(), "the patch has no end", "`*** End Patch`"))
}

fn update(reader: &mut Reader<'_>, number: usize, old: Name) -> Result<FilePatch> {
    let moved = reader.peek().and_then(|line| line.strip_prefix(b"*** Move to: "));
    let new = moved.map(|name| Name::new(name.trim_ascii(), true));
    reader.back_to(reader.at() + usize::from(new.is_some()));
    let mut hunks = Vec::new();
    while reader.peek().is_some_and(|line| !line.starts_with(b"*** ")) {
        hunks.push(hunk(reader)?);
    }
    if hunks.is_empty() && new.is_none() {
        let problem = "a file to update without a change";
        return Err(Error::no_valid_diff(number, problem, "`@@` and lines that begin with + or -"));
    }
    let kind = if new.is_some() { Kind::Rename } else { Kind::Edit };
    let new = new.unwrap_or_else(|| old.clone());
    Ok(file(number, kind, (Some(old), Some(new)), Body::Hunks(hunks)))
}

fn hunk(reader: &mut Reader<'_>) -> Result<Hunk> {
    let mut hunk = Hunk { line: reader.number(), ..Hunk::default() };
    while let Some(after) = reader.peek().and_then(|line| line.strip_prefix(b"@@")) {
        reader.skip();
        let after = after.trim_ascii();
        if !after.is_empty() {
            hunk.after.push(after.to_vec());
        }
    }
    hunk.rows = rows(reader).ok_or_else(|| unexpected(reader.number()))?;
    if reader.peek().is_some_and(|line| line.trim_ascii() == END_OF_FILE) {
        reader.skip();
        hunk.is_last = true;
    }
    refuse_senseless(&hunk)?;
    Ok(hunk)
}

/// The lines up to the next header; `None` if one has no sign.
fn rows(reader: &mut Reader<'_>) -> Option<Vec<Row>> {
    let mut rows = Vec::new();
    while let Some(line) = reader.peek() {
        if line.starts_with(b"@@") || line.starts_with(b"*** ") {
            break;
        }
        rows.push(row(reader)??);
    }
    // Empty lines before a header set it apart.
    while rows.last().is_some_and(|row: &Row| row.sign == Sign::Both && row.bytes == b"\n") {
        rows.pop();
    }
    Some(rows)
}

/// The path of a `*** VERB File: PATH` line.
fn named(line: &[u8], verb: &str) -> Option<Name> {
    let name = line.strip_prefix(format!("*** {verb} File: ").as_bytes())?;
    Some(Name::new(name.trim_ascii(), true))
}

fn file(
    line: usize,
    kind: Kind,
    (old, new): (Option<Name>, Option<Name>),
    body: Body,
) -> FilePatch {
    FilePatch { line, kind, old, new, old_mode: None, new_mode: None, prefixed: false, body }
}

fn unexpected(line: usize) -> Error {
    Error::no_valid_diff(
        line,
        "a line that no part of a patch begins with",
        "`*** Add File: PATH`, `*** Update File: PATH`, `*** Delete File: PATH`, `@@`, or a line \
         that begins with a space, + or -",
    )
}
