//! Files by a name that is remembered only in part.

use fault::{Cancel, Result};
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher};

use super::{Find, Places, find};
use crate::workspace::Workspace;

/// Most files that are looked through.
const MOST: usize = 200_000;

/// The files below `dir` whose paths have the letters of `query` in their order, the best first:
/// words, and the beginnings of names, count most. `max` of them, and how many there are.
///
/// # Errors
/// As for [`find`].
pub fn fuzzy(
    workspace: &Workspace,
    dir: &str,
    query: &str,
    max: usize,
    cancel: &Cancel,
) -> Result<(Places, usize)> {
    let mut places = find(workspace, &Find::files("*", dir, MOST), cancel)?;
    let pattern = Pattern::parse(query, CaseMatching::Smart, Normalization::Smart);
    let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
    let mut letters = Vec::new();
    let mut scored: Vec<_> = std::mem::take(&mut places.spots)
        .into_iter()
        .filter_map(|spot| {
            let path = nucleo_matcher::Utf32Str::new(&spot.shown, &mut letters);
            pattern.score(path, &mut matcher).map(|score| (score, spot))
        })
        .collect();
    cancel.check()?;
    scored.sort_by(|(a, one), (b, other)| {
        let longer = one.shown.len().cmp(&other.shown.len());
        b.cmp(a).then(longer).then_with(|| one.shown.cmp(&other.shown))
    });
    let count = scored.len();
    places.spots = scored.into_iter().take(max).map(|(_, spot)| spot).collect();
    Ok((places, count))
}
