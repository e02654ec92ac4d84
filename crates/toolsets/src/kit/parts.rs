//! Changes of places of one file: lines by their numbers, and exact texts.

use std::borrow::Cow;
use std::path::Path;

use files::edit::{Replacement, Take, delete_lines_in, replace_in, replace_lines_in};
use files::text::{Text, decode, decode_as, ends_with_cr};

use super::change::Change;
use super::changed::File;
use super::misfits::Misfits;
use super::sent::{Sent, digests};
use crate::prelude::*;

/// Bytes of lines that are shown because they were named and not read.
const SHOWN: usize = 4000;
/// Letters of a text that is in no place by chance.
const SURE: usize = 12;

/// Changes places of one file: lines by their numbers from the last to the first, then texts one
/// after the other.
pub(super) fn change_parts(
    cx: &Cx<'_>,
    path: &str,
    changes: &[&Change],
    (file, misfits): (&mut File, &mut Misfits),
) -> Result<()> {
    let (sent, real) = (cx.kept::<Sent>(), cx.workspace().real(path)?);
    let text = file.before.as_deref().unwrap_or_default();
    let plain: Vec<Cow<'_, Change>> =
        changes.iter().map(|one| without_numbers(one, text)).collect();
    if plain.iter().any(|change| matches!(change, Cow::Owned(_))) {
        file.notes.push("without the line numbers in `old`".to_owned());
    }
    let numbered = plain.iter().enumerate();
    let mut ranges: Vec<((usize, usize), usize)> =
        numbered.filter_map(|(number, change)| Some((change.range()?, number))).collect();
    ranges.sort_by_key(|((first, _), _)| std::cmp::Reverse(*first));
    let (before, after) = cx.step()?.edit(path, |bytes| {
        if bytes.starts_with(b"%PDF-") {
            return Err(Error::text_of_pdf(path));
        }
        let text = text_of(&sent, &real, path, bytes)?;
        let encoding = text.encoding();
        let before = digests(text.as_str().lines());
        refuse_overlap(path, &ranges)?;
        // A session of one call has seen nothing; who makes it has looked by other means.
        if !cx.runner().is_brief() {
            let is_unseen = |(lines, at): &((usize, usize), usize)| {
                let is_there = lines.1 <= before.len() && plain[*at].old.is_none();
                is_there && !sent.has(&real, &before, *lines)
            };
            let unseen = ranges.extract_if(.., |range| is_unseen(range));
            let unseen = unseen.map(|(lines, at)| (lines, plain[at].at)).collect();
            refuse_unseen(path, &sent, &real, (text.as_str(), &before), unseen, misfits);
        }
        let mut now = bytes.to_vec();
        let is_by_text = |at: &usize| plain[*at].lines.is_none() && plain[*at].old.is_some();
        let by_text = (0..plain.len()).filter(is_by_text);
        let all = ranges.iter().map(|(lines, at)| (Some(*lines), *at));
        for (lines, at) in all.chain(by_text.map(|at| (None, at))) {
            let change = &*plain[at];
            let text = decode_as(path, &now, encoding)?;
            let made = match lines {
                Some((_, last)) if last > before.len() => {
                    Err(Error::past_the_end(path, last, before.len()))
                }
                lines => replaced(path, &text, lines, change)
                    .map_err(|error| explained(error, text.as_str(), (change, now != bytes))),
            };
            if let Some((bytes, places)) = misfits.or(change.at, made) {
                file.places += places;
                now = bytes;
            }
        }
        if !misfits.is_empty() {
            return Ok((bytes.to_vec(), (before.clone(), before)));
        }
        let after = decode_as(path, &now, encoding)?;
        let guessed = decode(path, &now)?;
        if guessed.encoding() != encoding {
            sent.note_encoding(&real, &now, encoding);
            if guessed.as_str() != after.as_str() {
                file.notes.push(format!(
                    "still {encoding}, though it looks like {} to others",
                    guessed.encoding()
                ));
            }
        }
        file.before = Some(text.as_str().to_owned());
        file.after = Some(after.as_str().to_owned());
        let after = digests(after.as_str().lines());
        Ok((now, (before, after)))
    })?;
    let moved = plain.iter().any(|change| change.moves_lines());
    cx.when_kept(move || sent.carry(&real, &before, &after, moved));
    Ok(())
}

/// Refuses lines, from the last to the first, that two changes name.
fn refuse_overlap(path: &str, ranges: &[((usize, usize), usize)]) -> Result<()> {
    for pair in ranges.windows(2) {
        if let [(below, one), (above, other)] = pair
            && above.1 >= below.0
        {
            let (first, second) = (*one.min(other), *one.max(other));
            return Err(Error::overlapping_edits(path, first, second, below.0));
        }
    }
    Ok(())
}

/// The text of a file as this session reads it.
pub(super) fn text_of<'b>(
    sent: &Sent,
    real: &Path,
    path: &str,
    bytes: &'b [u8],
) -> Result<Text<'b>> {
    match sent.encoding(real, bytes) {
        Some(encoding) => decode_as(path, bytes, encoding),
        None => decode(path, bytes),
    }
}

/// Refuses lines, named by numbers alone, that the session has not seen, or saw before others came
/// above them. The refusal shows them, so the same call works when it is repeated.
fn refuse_unseen(
    path: &str,
    sent: &Sent,
    real: &Path,
    (text, now): (&str, &[u64]),
    mut unseen: Vec<((usize, usize), usize)>,
    misfits: &mut Misfits,
) {
    unseen.sort_unstable();
    let Some(at) = unseen.iter().map(|(_, at)| *at).min() else { return };
    let unseen: Vec<_> = unseen.into_iter().map(|(lines, _)| lines).collect();
    let was_read = sent.knows(real);
    let shown = show(sent, real, (text, now), &unseen);
    misfits.or(at, Err::<(), _>(Error::lines_unseen(path, &unseen, was_read, shown.as_deref())));
}

/// Lines with their numbers, which the session has seen then; `None` if they are too much.
pub(super) fn show(
    sent: &Sent,
    real: &Path,
    (text, now): (&str, &[u64]),
    ranges: &[(usize, usize)],
) -> Option<String> {
    let all: Vec<&str> = text.lines().collect();
    let numbered = ranges.iter().flat_map(|(first, last)| *first..=*last);
    let numbered = numbered.filter_map(|number| Some((number, all.get(number - 1)?)));
    let mut shown = String::new();
    for (number, line) in numbered {
        if shown.len() + line.len() > SHOWN {
            return None;
        }
        shown += &format!("{number}\t{line}\n");
    }
    sent.note(real, now, ranges);
    shown.truncate(shown.len() - 1);
    Some(shown)
}

/// The file with one change: `old` replaced, in lines or anywhere, or lines as a whole, or taken away by
/// an empty text; and in how many places.
fn replaced(
    path: &str,
    text: &Text<'_>,
    lines: Option<(usize, usize)>,
    change: &Change,
) -> Result<(Vec<u8>, usize)> {
    let with = change.new.as_deref().unwrap_or_default();
    if let Some(find) = &change.old {
        let edited = replace_in(path, text, &[replacement(change, find, with)])?;
        return Ok((edited.bytes, edited.replaced));
    }
    let Some((first, last)) = lines else {
        return Err(Error::internal("a change of neither a text nor lines"));
    };
    let ranged = match with {
        "" => delete_lines_in(path, text, first - 1, last - 1),
        new => replace_lines_in(path, text, first - 1, last - 1, new),
    };
    Ok((ranged?.bytes, 1))
}

/// A failure to find one place for `old`, perhaps after other changes, with what else of this tool
/// would name it, or with the lines where `new` is already, as after the same edit.
fn explained(error: Error, text: &str, (change, is_later): (&Change, bool)) -> Error {
    let error = match error.code {
        Code::StringNotFound if is_later => error.noting("after the changes before it"),
        _ => error,
    };
    let plain = change.old.as_deref().and_then(numbered);
    if let (Code::StringNotFound, Some((_, plain))) = (error.code, &plain) {
        // The numbers of its lines are not what differs.
        let plain = Replacement { find: plain, with: "", take: Take::Only, lines: change.range() };
        let nearest = decode("", text.as_bytes()).and_then(|text| replace_in("", &text, &[plain]));
        if let Err(nearest) = nearest
            && nearest.code == Code::StringNotFound
        {
            let path = error.detail("path").unwrap_or_default();
            let told = format!("{path}{}", nearest.message);
            let plain = Error::new(error.code, told).with("path", path);
            return match nearest.detail("line") {
                Some(line) => plain.with("line", line),
                None => plain,
            };
        }
    }
    if error.code == Code::MultipleMatches {
        return error.or_advise("name the `lines` of the one that is meant, or give `all`");
    }
    let new = change.new.as_deref().unwrap_or_default().trim_matches('\n');
    let lines: Vec<&str> = text.lines().collect();
    let new: Vec<&str> = new.lines().collect();
    let is_long = new.iter().map(|line| line.trim().len()).sum::<usize>() >= SURE;
    // A short text may be there by chance.
    let has = |(there, new): (&&str, &&str)| there == new || is_long && there.contains(*new);
    let is_there = |at: &usize| lines[*at..].iter().zip(&new).all(has);
    let last = (lines.len() + 1).saturating_sub(new.len());
    let meant = match change.range() {
        Some((first, end)) => first - 1..last.min(end),
        None if is_long => 0..last,
        None => 0..0,
    };
    let made = meant.into_iter().filter(|_| !new.concat().trim().is_empty()).find(is_there);
    let is_lost = error.code == Code::StringNotFound && error.detail("exact").is_none();
    let Some(at) = made.filter(|_| is_lost && error.detail("elsewhere").is_none()) else {
        return error;
    };
    let (first, last) = (at + 1, at + new.len());
    let fact =
        format!("`new` is already in {}: was this edit made before?", fault::lines(first, last));
    error.noting(&fact).with("made", fault::range(first, last))
}

fn replacement<'c>(change: &Change, find: &'c str, with: &'c str) -> Replacement<'c> {
    let take = if change.all == Some(true) { Take::All } else { Take::Only };
    Replacement { find, with, take, lines: change.range() }
}

/// The change with the line numbers taken from `old` that `read` puts before each line, where they
/// are those of these lines of `text`; from `new` too, if all its lines have them. What is in the file
/// as it is given is left alone.
fn without_numbers<'c>(change: &'c Change, text: &str) -> Cow<'c, Change> {
    let plain = || {
        let old = change.old.as_deref().filter(|old| !text.contains(*old))?;
        let (first, rest) = numbered(old)?;
        let lines = rest.lines().count();
        let there = text.lines().skip(first - 1).take(lines);
        if !rest.lines().eq(there) || change.lines.is_some() {
            return None;
        }
        let new = change.new.as_deref().unwrap_or_default();
        let new = match numbered(new) {
            Some((start, plain)) if start == first => plain,
            _ => new.to_owned(),
        };
        let lines = Some(format!("{first}-{}", first + lines - 1));
        Some(Change { old: Some(rest), new: Some(new), lines, ..change.clone() })
    };
    plain().map_or(Cow::Borrowed(change), Cow::Owned)
}

/// The first number of lines that are numbered one after the other, and what they are without.
fn numbered(text: &str) -> Option<(usize, String)> {
    let (mut first, mut plain) = (None, String::new());
    for (nth, line) in text.split_inclusive('\n').enumerate() {
        let (number, rest) = line.split_once('\t')?;
        let number: usize = number.parse().ok().filter(|number| *number > 0)?;
        if *first.get_or_insert(number) + nth != number {
            return None;
        }
        plain += rest;
    }
    Some((first?, plain))
}

/// What is to be known of a text whose lines no edit can name.
pub(super) fn without_lines(text: &str) -> Option<&'static str> {
    ends_with_cr(text).then_some(
        "its lines end with CR alone, so they are one line here; edit by old, with \\n between them",
    )
}
