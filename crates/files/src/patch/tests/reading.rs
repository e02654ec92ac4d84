//! What is told of a diff without looking at files: its parts and its risk.

use super::super::{Level, What, risk};
use super::*;

fn edit(name: &str) -> String {
    format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-x\n+y\n")
}

#[test]
fn the_files_of_a_diff_have_paths_kinds_and_hunks() {
    let diff = [
        edit("src/a.rs").as_str(),
        "--- /dev/null\n+++ b/new.rs\n@@ -0,0 +1 @@\n+x\n",
        "diff --git a/old name b/new name\nsimilarity index 100%\nrename from old name\nrename to new name\n",
        "diff --git a/gone b/gone\ndeleted file mode 100644\n",
        "diff --git a/b.png b/b.png\nBinary files a/b.png and b/b.png differ\n",
    ]
    .concat();
    let set = parse(&diff).unwrap();
    let seen: Vec<_> = set
        .files()
        .iter()
        .map(|f| (f.path().display().to_string(), f.what(), f.hunks(), f.is_binary()))
        .collect();
    let of = |path: &str, what, hunks, binary| (path.to_owned(), what, hunks, binary);
    assert_eq!(
        seen,
        [
            of("src/a.rs", What::Modified, 1, false),
            of("new.rs", What::Created, 1, false),
            of("new name", What::Renamed, 0, false),
            of("gone", What::Deleted, 0, false),
            of("b.png", What::Modified, 0, true),
        ]
    );
}

#[test]
fn a_path_that_would_be_refused_is_still_named() {
    let named = |name: &str| {
        parse(edit("x").replace("a/x", name).replace("b/x", name)).unwrap().files()[0].path()
    };
    assert_eq!(named("/etc/passwd"), Path::new("/etc/passwd"));
    assert_eq!(named("../../x"), Path::new("../../x"));
}

#[track_caller]
fn judged(diff: &str, level: Level, reasons: &[&str]) {
    let risk = risk(&parse(diff).unwrap());
    assert_eq!((risk.level, &risk.reasons[..]), (level, &reasons.map_owned()[..]));
}

trait Owned {
    fn map_owned(&self) -> Vec<String>;
}

impl Owned for [&str] {
    fn map_owned(&self) -> Vec<String> {
        self.iter().map(|s| (*s).to_owned()).collect()
    }
}

#[test]
fn risk_is_high_for_binary_and_sensitive_files_and_deletions() {
    judged(&edit(".env.local"), Level::High, &["Sensitive file (.env): .env.local"]);
    judged(&edit("yarn.lock"), Level::High, &["Sensitive file (yarn.lock): yarn.lock"]);
    judged(
        &edit("config/Credentials.yml"),
        Level::High,
        &["Sensitive file (credentials): config/Credentials.yml"],
    );
    judged(&edit("lib.dll"), Level::High, &["Binary file: lib.dll"]);
    judged(
        "diff --git a/b.png b/b.png\nBinary files a/b.png and b/b.png differ\n",
        Level::High,
        &["Binary file: b.png"],
    );
    judged("--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", Level::High, &["File is deleted: f"]);
    let rename = "diff --git a/secret.txt b/f\nrename from secret.txt\nrename to f\n";
    judged(rename, Level::High, &["Sensitive file (secret): f"]);
}

#[test]
fn risk_is_medium_for_large_hunks_and_many_files() {
    let lines = |count| "+x\n".repeat(count);
    let new =
        |count: usize| format!("--- /dev/null\n+++ b/f\n@@ -0,0 +1,{count} @@\n{}", lines(count));
    judged(&new(50), Level::Low, &[]);
    judged(&new(51), Level::Medium, &["Large hunk (51 lines): f"]);
    judged(&["a", "b", "c"].map(edit).concat(), Level::Low, &[]);
    judged(&["a", "b", "c", "d"].map(edit).concat(), Level::Medium, &["4 files are changed"]);
}

#[test]
fn a_size_that_is_claimed_costs_nothing() {
    let hunk = "--- a/f\n+++ b/f\n@@ -1,99999999999999999999 +1 @@\n-x\n+y\n";
    assert_eq!(parse(hunk).unwrap_err().code, Code::NoValidDiff);
    let hunk = "--- a/f\n+++ b/f\n@@ -999999999999,999999999999 +999999999999 @@\n 1\n-x\n+y\n 2\n";
    let place = place();
    write(&place.root, &[("f", "1\nx\n2\n3\n")]);
    apply(&place, hunk.as_bytes()).unwrap();
    let index = format!("index {}..{}\n", "0".repeat(40), "1".repeat(40));
    let bomb = format!(
        "diff --git a/b b/b\nnew file mode 100644\n{index}GIT binary patch\nliteral 99999999999\nHcmV?d00001\n\n"
    );
    let error = apply(&place, bomb.as_bytes()).unwrap_err();
    assert!(error.message.contains("damaged"), "{error}");
}

#[test]
fn headers_that_git_refuses_are_refused() {
    let new = "@@ -0,0 +1 @@\n+x\n";
    for header in [
        "diff --git a/a b/c\nnew file mode 100644\ncopy from a\ncopy to c\n",
        "diff --git a/a b/c\nnew file mode 100644\nrename from a\nrename to c\n",
        "diff --git a/a b/c\ndeleted file mode 100644\nrename from a\nrename to c\n",
        &format!("diff --git a/c b/c\nnew file mode \n--- /dev/null\n+++ b/c\n{new}"),
        &format!("diff --git a/c b/c\nnew file mode bogus\n--- /dev/null\n+++ b/c\n{new}"),
        &format!("diff --git a/c b/c\nnew file mode 999999\n--- /dev/null\n+++ b/c\n{new}"),
        "diff --git a/a b/a\nold mode bogus\nnew mode 100755\n",
        &format!("diff --git a/c b/c\nnew file mode 100644\n--- /dev/null\n+++ b/d\n{new}"),
        &format!("diff --git a/c b/c\nnew file mode 100644\n--- a/d\n+++ b/c\n{new}"),
        &format!("diff --git a/c b/c\nnew file mode 100644\n--- a/c\n+++ b/c\n{new}"),
        "diff --git a/a b/a\ndeleted file mode 100644\n--- a/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n",
        "diff --git a/a b/a\nnew file mode 100644\ndeleted file mode 100644\n",
    ] {
        let error = crate::patch::parse(header).unwrap_err();
        assert_eq!(error.code, Code::NoValidDiff, "{header}: {error}");
    }
    for header in [
        &format!("diff --git a/c b/c\nnew file mode 100644 \n--- /dev/null\n+++ b/c\n{new}"),
        "diff --git a/a b/c\nsimilarity index 100%\ncopy from a\ncopy to c\n",
        "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n",
    ] {
        crate::patch::parse(header).unwrap();
    }
}

#[test]
fn no_diff_takes_time_that_grows_with_the_square_of_its_length() {
    let long = format!("diff --git {}\nold mode 100644\nnew mode 100755\n", "a ".repeat(300_000));
    let began = std::time::Instant::now();
    assert_eq!(crate::patch::parse(&long).unwrap_err().code, Code::NoValidDiff);
    assert!(began.elapsed() < std::time::Duration::from_secs(5), "{:?}", began.elapsed());
}
