//! What a misspelt name may have meant.

/// Longest text that is taken for a name, in bytes; comparing takes its length times theirs.
const LONGEST: usize = 256;

/// The `most` names nearest to `wanted`, best first: near in spelling, or one inside the other.
pub fn nearest(wanted: &str, names: impl IntoIterator<Item = String>, most: usize) -> Vec<String> {
    if wanted.len() > LONGEST {
        return Vec::new();
    }
    let wanted_low = wanted.to_lowercase();
    let mut scored: Vec<(u32, String)> = names
        .into_iter()
        .filter_map(|name| Some((score(&wanted_low, &name.to_lowercase())?, name)))
        .collect();
    scored.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    scored.dedup();
    scored.truncate(most);
    scored.into_iter().map(|(_, name)| name).collect()
}

/// Whether a name is near to another, as `nearest` has it.
pub fn is_near(wanted: &str, name: &str) -> bool {
    wanted.len() <= LONGEST && score(&wanted.to_lowercase(), &name.to_lowercase()).is_some()
}

/// How near two names in lower case are; `None` if they are not.
fn score(wanted: &str, name: &str) -> Option<u32> {
    let score = (similarity(wanted, name) * 1000.0) as u32;
    let inside =
        wanted.len() >= 3 && name.len() >= 3 && (name.contains(wanted) || wanted.contains(name));
    (score >= 650 || inside).then_some(score)
}

/// Whether a name differs from another by no more than a slip.
pub fn is_slip(wanted: &str, name: &str) -> bool {
    wanted.len() <= LONGEST && similarity(&wanted.to_lowercase(), &name.to_lowercase()) >= 0.8
}

/// How alike two texts are, 0 to 1: twice the common characters in order over all characters.
fn similarity(a: &str, b: &str) -> f32 {
    similar::TextDiff::from_chars(a, b).ratio()
}
