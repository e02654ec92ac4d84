//! From a diff to the old and the new text of each hunk, as editors want them.

/// A hunk with the file it is of.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Hunk<'a> {
    pub(super) path: &'a str,
    /// Nothing if the file is new.
    pub(super) old: Option<String>,
    pub(super) new: String,
}

/// The hunks of a diff that is well formed.
pub(super) fn hunks(diff: &str) -> Vec<Hunk<'_>> {
    let mut all: Vec<Hunk<'_>> = Vec::new();
    let (mut from, mut to) = ("", "");
    let (mut removed, mut added) = (0, 0);
    for line in diff.split_inclusive('\n') {
        let name = line.trim_end_matches('\n');
        if removed + added > 0 {
            let Some(hunk) = all.last_mut() else { continue };
            let (sign, text) = line.split_at(1);
            if sign != "+" {
                removed -= usize::from(sign != "\\" && removed > 0);
                hunk.old.iter_mut().filter(|_| sign != "\\").for_each(|old| *old += text);
            }
            if sign != "-" && sign != "\\" {
                added -= usize::from(added > 0);
                hunk.new += text;
            }
        } else if let Some(counts) = name.strip_prefix("@@ ") {
            let mut sides = counts.split(' ').map(lines);
            (removed, added) = (sides.next().unwrap_or(0), sides.next().unwrap_or(0));
            let (path, old) = match (from, to) {
                ("/dev/null", to) => (to, None),
                (from, "/dev/null") => (from, Some(String::new())),
                (_, to) => (to, Some(String::new())),
            };
            all.push(Hunk { path, old, new: String::new() });
        } else if let Some(name) = name.strip_prefix("--- ") {
            from = name;
        } else if let Some(name) = name.strip_prefix("+++ ") {
            to = name;
        }
    }
    all
}

/// How many lines `-3,4` or `+3` names.
fn lines(range: &str) -> usize {
    range.split_once(',').map_or(1, |(_, count)| count.parse().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::hunks;

    #[test]
    fn lines_that_look_like_headers_are_lines() {
        let diff = "--- a.sql\n+++ a.sql\n@@ -1,2 +1,2 @@\n--- old\n+++ new\n same\n@@ -9 +9,2 @@\n-x\n\
                    +y\n\\ No newline at end of file\n+@@\n--- /dev/null\n+++ b\n@@ -0,0 +1 @@\n+b\n";
        let found = hunks(diff);
        let shown: Vec<_> =
            found.iter().map(|h| (h.path, h.old.as_deref(), h.new.as_str())).collect();
        assert_eq!(
            shown,
            [
                ("a.sql", Some("-- old\nsame\n"), "++ new\nsame\n"),
                ("a.sql", Some("x\n"), "y\n@@\n"),
                ("b", None, "b\n"),
            ]
        );
    }
}
