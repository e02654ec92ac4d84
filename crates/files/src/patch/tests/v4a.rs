//! Patches between `*** Begin Patch` and `*** End Patch`.

use fault::Code;

use super::{apply, fs, place, tree, write};

/// The tree after a patch, or why it does not fit.
fn patched(files: &[(&str, &str)], patch: &str) -> Result<Vec<(String, String)>, String> {
    let place = place();
    write(&place.root, files);
    apply(&place, patch.as_bytes()).map_err(|error| {
        assert!(
            matches!(
                error.code,
                Code::PatchFailed | Code::NoValidDiff | Code::FileNotFound | Code::FileExists
            ),
            "{error:?}"
        );
        error.message
    })?;
    let names = tree(&place.root).into_keys().map(|name| String::from_utf8(name).unwrap());
    let read = |name: String| {
        let text = fs::read_to_string(place.root.join(&name)).unwrap_or_default();
        (name, text)
    };
    Ok(names.map(read).collect())
}

fn one(text: &str, body: &str) -> Result<String, String> {
    let patch = format!("*** Begin Patch\n*** Update File: a.py\n{body}*** End Patch\n");
    patched(&[("a.py", text)], &patch).map(|mut tree| tree.remove(0).1)
}

const TWICE: &str = "class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 1\n";

#[test]
fn hunks_are_where_their_lines_are_after_those_that_are_named() {
    let change = "-        return 1\n+        return 2\n";
    let second = TWICE.replacen("return 1", "return 2", 2).replacen("return 2", "return 1", 1);
    assert_eq!(one(TWICE, &format!("@@ class B:\n{change}")).unwrap(), second);
    assert_eq!(one(TWICE, &format!("@@ class B\n@@ def f(self):\n{change}")).unwrap(), second);
    assert_eq!(one(TWICE, &format!("@@\n{change}*** End of File\n")).unwrap(), second);
    let first = TWICE.replacen("return 1", "return 2", 1);
    assert_eq!(one(TWICE, &format!("@@ class A:\n     def f(self):\n{change}")).unwrap(), first);
    let error = one(TWICE, &format!("@@\n{change}")).unwrap_err();
    assert!(error.contains("its old lines are in 2 places, at lines 3, 7"), "{error}");
    let error = one(TWICE, &format!("@@ class C:\n{change}")).unwrap_err();
    assert!(error.contains("the line that its `@@` line names is not in the file"), "{error}");
}

#[test]
fn lines_without_context_come_after_the_line_that_is_named_or_at_the_end() {
    assert_eq!(one("a\nb\n", "@@ a\n+new\n").unwrap(), "a\nnew\nb\n");
    assert_eq!(one("a\r\nb\r\n", "@@ a\n+new\n").unwrap(), "a\r\nnew\r\nb\r\n");
    assert_eq!(one("a\nb\n", "@@\n+new\n*** End of File\n").unwrap(), "a\nb\nnew\n");
    assert!(one("a\nb\n", "@@\n+new\n").is_err(), "no place is named");
    assert!(one("a\nb", "@@\n+new\n*** End of File\n").is_err(), "it would be part of a line");
}

#[test]
fn files_are_added_removed_and_moved_or_none_is() {
    let files = [("a.txt", "one\ntwo\n"), ("b.txt", "b\n"), ("run!", "#!/bin/sh\n")];
    let patch = "Here it is:\n\n*** Begin Patch\n*** Add File: d/n.txt\n+new\n+\n*** Delete File: b.txt\n\
        *** Update File: a.txt\n*** Move to: d/a.txt\n@@\n one\n-two\n+2\n*** Update File: run\n\
        *** Move to: d/run\n*** End Patch\nDone.\n";
    let tree = patched(&files, patch).unwrap();
    let names: Vec<&str> = tree.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["d", "d/a.txt", "d/n.txt", "d/run"]);
    assert_eq!((tree[1].1.as_str(), tree[2].1.as_str()), ("one\n2\n", "new\n\n"));
    for wrong in [
        "*** Begin Patch\n*** Delete File: b.txt\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch",
        "*** Begin Patch\n*** Add File: b.txt\n+x\n*** End Patch",
        "*** Begin Patch\n*** Delete File: c.txt\n*** End Patch",
        "*** Begin Patch\n*** Delete File: b.txt\n",
        "*** Begin Patch\n*** End Patch",
        "*** Begin Patch\n*** Update File: a.txt\n*** End Patch",
        "*** Begin Patch\n*** Update File: a.txt\n@@\nno sign\n*** End Patch",
        "*** Begin Patch\n*** Add File: c.txt\n-x\n*** End Patch",
    ] {
        assert!(patched(&files, wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_unified_diff_may_be_about_such_a_patch() {
    let diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n *** Begin Patch\n-one\n+1\n";
    let tree = patched(&[("a.txt", "*** Begin Patch\none\n")], diff).unwrap();
    assert_eq!(tree[0].1, "*** Begin Patch\n1\n");
}
