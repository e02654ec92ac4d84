//! What git keeps in its files, by the names that people know: branches, tags, the stash, what is
//! staged and checked out.

/// Where branches and tags are that did not change lately, below `.git`.
pub const PACKED: &str = "packed-refs";

/// The directory of a repository with its slash, empty for the current one, and the path below its
/// `.git`; `None` for what is in none.
pub fn in_git(path: &str) -> Option<(&str, &str)> {
    let (above, file) = match path.strip_suffix(".git") {
        Some(above) => (above, ""),
        None => path.split_once(".git/")?,
    };
    (above.is_empty() || above.ends_with('/')).then_some((above, file))
}

/// What a file below `.git` is called.
pub fn called(file: &str) -> Option<String> {
    let named = |prefix: &str, kind: &str| {
        let name = file.strip_prefix(prefix)?;
        (!name.is_empty() && !name.ends_with(".lock")).then(|| format!("{kind} {name}"))
    };
    match file {
        "HEAD" => Some("what is checked out (HEAD)".to_owned()),
        "index" => Some("what is staged".to_owned()),
        "refs/stash" => Some("the stash".to_owned()),
        PACKED => Some("branches and tags in one file (packed-refs)".to_owned()),
        _ => named("refs/heads/", "branch")
            .or_else(|| named("refs/tags/", "tag"))
            .or_else(|| named("refs/remotes/", "remote branch")),
    }
}

/// Whether a file holds one branch or tag alone. What is in [`PACKED`] too may come and go there
/// without being made or removed.
pub fn is_alone(file: &str) -> bool {
    file.starts_with("refs/")
}
