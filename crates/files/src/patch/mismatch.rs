//! Why a hunk belongs nowhere, so that the next try is right.

use super::fit::{How, Line, Wanted, lines};
use super::hunk::{Hunk, Sign};
use crate::edit::{Nearest, nearest};

/// The reason, for a file of `bytes` of which `now` is left after the hunks before.
pub(super) fn why(bytes: &[u8], hunk: &Hunk, wanted: &Wanted<'_>, now: &[Line<'_>]) -> String {
    if bytes.is_empty() && now.is_empty() {
        return "the file is empty".to_owned();
    }
    if wanted.from(now).is_none() {
        return "the line that its `@@` line names is not in the file".to_owned();
    }
    if wanted.old.is_empty() {
        return "it has no lines of context, so its place is not certain; add the lines around it"
            .to_owned();
    }
    let whole = lines(bytes);
    let find = |wanted: &Wanted<'_>| {
        wanted.find(&whole, How::Exactly).or_else(|| wanted.find(&whole, How::Endings))
    };
    let places = match wanted.is_unix() {
        true => wanted.everywhere(&whole, How::Endings),
        false => wanted.everywhere(&whole, How::Exactly),
    };
    if wanted.only && places.len() > 1 {
        return several(&places);
    }
    if wanted.at_end && wanted.has_context && places.len() > 1 {
        let several = several(&places);
        return format!("no context follows its last change, and {several}");
    }
    let new = Wanted { old: hunk.after().collect(), ..wanted.anywhere() };
    if hunk.count(Sign::New) > 0
        && let Some(at) = find(&new)
    {
        return format!("its new lines are there already, at line {}; leave it out", at + 1);
    }
    if let Some(at) = find(&wanted.anywhere()) {
        return elsewhere(wanted, at, &whole);
    }
    if wanted.anywhere().find(&whole, How::Text).is_some() {
        return if bytes.ends_with(b"\n") {
            "the file ends with a line break; leave out `\\ No newline at end of file`".to_owned()
        } else {
            "the last line of the file has no line break; write `\\ No newline at end of file` \
             after it in the hunk"
                .to_owned()
        };
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    let old = text(&wanted.old.concat());
    match nearest(&text(bytes), old.strip_suffix('\n').unwrap_or(&old)) {
        Some(Nearest { line, diff, .. }) => format!(
            "its old lines are not in the file; the nearest is at line {line}, - is what the hunk \
             expects, + what the file has:\n{diff}"
        ),
        None => {
            "its old lines are not in the file, and nothing similar is; read the file and make \
                 the diff from what is there"
                .to_owned()
        }
    }
}

/// The lines are at `at`, but not where the hunk may stand.
fn elsewhere(wanted: &Wanted<'_>, at: usize, whole: &[Line<'_>]) -> String {
    let line = at + 1;
    if wanted.at_start && at > 0 {
        format!("it names the first line, but its lines are at line {line}; write `@@ -{line},…`")
    } else if wanted.at_end
        && let Some(next) = whole.get(at + wanted.old.len())
    {
        let next = String::from_utf8_lossy(&next.bytes);
        format!(
            "no context follows its last change, so it must end with the file, but its lines are at \
             line {line}; add the line that follows them: ` {}`",
            fault::cut(next.trim_end(), 200)
        )
    } else {
        format!("its lines, at line {line}, belong to a hunk before it; make them one hunk")
    }
}

/// The `@@` line names no line, and the old lines are in more than one place.
fn several(places: &[usize]) -> String {
    const SHOWN: usize = 10;
    let lines = places.iter().take(SHOWN).map(|at| (at + 1).to_string()).collect::<Vec<_>>();
    let more = if places.len() > SHOWN { ", …" } else { "" };
    format!(
        "its old lines are in {} places, at lines {}{more}; add lines around them, or write `@@ -{},…`",
        places.len(),
        lines.join(", "),
        lines[0]
    )
}
