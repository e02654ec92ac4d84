//! kit `edit`.

use super::apply::{apply, apply_all, apply_patch, refuse_other};
use super::change::{Change, or_null};
use super::judged::verdict;
use super::place::Place;
use crate::prelude::*;

/// Change files, all or none; `old` must occur once. `new` alone writes the whole file. Tells what
/// broke and which tests concern it.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Edit {
    path: Option<String>,
    /// Exact text
    #[serde(default, deserialize_with = "or_null")]
    old: Option<String>,
    new: Option<String>,
    /// Every `old`
    all: Option<bool>,
    /// `10-20`; narrows `old`
    lines: Option<String>,
    move_to: Option<String>,
    remove: Option<bool>,
    /// Several such
    #[serde(default)]
    #[schemars(schema_with = "objects")]
    changes: Option<Vec<Change>>,
    /// Unified diff or *** Begin Patch
    patch: Option<String>,
}

/// Whether a path beside several changes is that of those which name none; if all name one it says
/// what they say.
fn is_of_all(path: &str, changes: &[Change]) -> bool {
    changes.iter().any(|change| change.path.is_empty() || change.path == path)
}

/// Their parameters are those beside it.
fn objects(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"type": "array", "items": {"type": "object"}})
}

impl Edit {
    /// The patch with the names of its file, if it has none and the call names one.
    fn whole_patch(&self) -> Option<String> {
        let patch = self.patch.as_deref()?;
        let named = ["--- ", "*** ", "diff --git "];
        let is_named = patch.lines().any(|line| named.iter().any(|name| line.starts_with(name)));
        match &self.path {
            Some(path) if !is_named => Some(format!("--- {path}\n+++ {path}\n{patch}")),
            _ => Some(patch.to_owned()),
        }
    }
}

impl Tool for Edit {
    type Output = String;

    const SPEC: Spec = Spec::new("edit", "Edit", Category::Files)
        .effect(Effect::WRITES, Permission::Moderate)
        .errors(&[
            READING,
            EDITING,
            &[
                Code::InvalidLineRange,
                Code::FileExists,
                Code::DirectoryNotFound,
                Code::NoValidDiff,
                Code::PatchFailed,
            ],
        ])
        .examples(&[
            Example::of("A text that is in the file once; its line endings stay")
                .given(&[("a.txt", "one\r\ntwo\r\nthree\r\n")])
                .call(r#"{"path": "a.txt", "old": "one\ntwo", "new": "1\n2"}"#)
                .gives("lines 1-2 changed")
                .leaves(&[("a.txt", "1\r\n2\r\nthree\r\n")]),
            Example::of("Lines as a whole")
                .given(&[("a.txt", "one\ntwo\nthree\n")])
                .after(&[("read", r#"{"path": "a.txt"}"#)])
                .call(r#"{"path": "a.txt", "lines": "2-3", "new": "2"}"#)
                .gives("lines 2-3 replaced by 1 line")
                .leaves(&[("a.txt", "one\n2\n")]),
            Example::of("Lines that were not read, shown instead of being changed")
                .given(&[("a.txt", "one\ntwo\nthree\n")])
                .call(r#"{"path": "a.txt", "lines": "2-3", "new": "2"}"#)
                .fails(Code::InvalidLineRange, "error: a.txt: lines 2-3: not read yet; now\n2\ttwo\n3\tthree\n[..]")
                .leaves(&[("a.txt", "one\ntwo\nthree\n")]),
            Example::of("A text that is in the file twice, by the lines in which it is meant")
                .given(&[("a.txt", "one\ntwo\none\n")])
                .call(r#"{"path": "a.txt", "lines": "2-3", "old": "one", "new": "1"}"#)
                .gives("line 3 changed")
                .leaves(&[("a.txt", "one\ntwo\n1\n")]),
            Example::of("A new file")
                .call(r#"{"path": "d/a.txt", "new": "one\ntwo\n"}"#)
                .gives("created, 2 lines")
                .leaves(&[("d/a.txt", "one\ntwo\n")]),
            Example::of("Several files at once")
                .given(&[("a.txt", "one one\n"), ("b.txt", "b\n"), ("c.txt", "c\n")])
                .call(r#"{"changes": [{"path": "a.txt", "old": "one", "new": "1", "all": true}, {"path": "b.txt", "move_to": "d/b.txt"}, {"path": "c.txt", "remove": true}]}"#)
                .gives("a.txt: 2 places changed in line 1\nb.txt: moved\nc.txt: removed")
                .leaves(&[("a.txt", "1 1\n"), ("b.txt", GONE), ("d/b.txt", "b\n"), ("c.txt", GONE)]),
            Example::of("A patch")
                .given(&[("a.py", "def a():\n    return 1\n\ndef b():\n    return 1\n")])
                .call(r#"{"patch": "*** Begin Patch\n*** Update File: a.py\n@@ def b():\n-    return 1\n+    return 2\n*** Add File: b.txt\n+hi\n*** End Patch"}"#)
                .gives("a.py: line 5 changed\nb.txt: created, 1 line")
                .leaves(&[("a.py", "def a():\n    return 1\n\ndef b():\n    return 2\n"), ("b.txt", "hi\n")]),
            Example::of("A unified diff")
                .given(&[("a.txt", "one\ntwo\n")])
                .call(r#"{"patch": "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n"}"#)
                .gives("a.txt: line 1 changed")
                .leaves(&[("a.txt", "1\ntwo\n")]),
            Example::of("What an edit broke")
                .given(&[
                    ("stock.py", "def take(count):\n    return count\n"),
                    ("shop.py", "from stock import take\n\nprint(take(2))\n"),
                    ("test_stock.py", "import stock\n\ndef test_take():\n    assert stock.take(1) == 1\n"),
                ])
                .call(r#"{"path": "stock.py", "old": "def take(", "new": "def grab("}"#)
                .gives("line 1 changed\n`take` is gone (now `grab`?) and still used: shop.py:1, shop.py:3, test_stock.py:4\ntests: test_stock.py"),
            Example::of("Code that is not valid any more")
                .given(&[("a.rs", "fn a() -> u8 {\n    1\n}\n")])
                .call(r#"{"path": "a.rs", "old": "    1\n}", "new": "    1"}"#)
                .gives("1 line removed at line 3\nsyntax error: a.rs:[..]")
                .leaves(&[("a.rs", "fn a() -> u8 {\n    1\n")]),
            Example::of("One of two changes does not fit, so none is made")
                .given(&[("a.txt", "one\n"), ("b.txt", "two\n")])
                .call(r#"{"changes": [{"path": "a.txt", "old": "one", "new": "1"}, {"path": "b.txt", "old": "tow", "new": "2"}]}"#)
                .fails(Code::StringNotFound, "error: b.txt: the text to find is not there[..]")
                .leaves(&[("a.txt", "one\n"), ("b.txt", "two\n")]),
        ]);

    fn paths(&self) -> Vec<String> {
        let path = self.path.iter().map(|path| Place::written(path).path.to_owned());
        let one = path.chain(self.move_to.clone());
        let many = self.changes.iter().flatten().flat_map(Change::paths);
        let patch = self.whole_patch();
        let patch = patch.iter().filter_map(|patch| files::patch::parse(patch).ok());
        let base = files::patch::Base::new(std::path::Path::new(""), &[]);
        let patched = patch.flat_map(|set| set.paths(&base, None));
        let patched = patched.filter_map(|path| path.to_str().map(str::to_owned));
        one.chain(many).chain(patched).collect()
    }

    fn run(self, cx: &Cx<'_>) -> Result<String> {
        let mut named = None;
        let (patch, beside) = (self.whole_patch(), self.path.clone());
        let files = match self {
            Self {
                changes: None,
                old: None,
                new: None,
                lines: None,
                move_to: None,
                remove: None,
                ..
            } if let Some(patch) = patch => {
                beside.map_or(Ok(()), |path| refuse_other(cx, &patch, &path))?;
                apply_patch(cx, &patch)?
            }
            Self { path: None, changes: Some(changes), patch: None, .. } => apply_all(cx, changes)?,
            Self {
                path: Some(path),
                changes: Some(changes),
                patch: None,
                old: None,
                new: None,
                lines: None,
                move_to: None,
                remove: None,
                all,
            } if is_of_all(&path, &changes) => {
                let of_path = |change: Change| change.or_of(&path, all);
                apply_all(cx, changes.into_iter().map(of_path).collect())?
            }
            Self { path: Some(path), changes: None, patch: None, .. } => {
                let Self { old, new, all, lines, move_to, remove, .. } = self;
                named = Some(Place::of(&path, cx.workspace()).path.to_owned());
                apply(cx, Change { path, old, new, all, lines, move_to, remove, at: 0 })?
            }
            _ => {
                let problem = "give one of `path` with what to change there, `changes` and `patch`";
                return Err(Error::invalid_input("path", problem));
            }
        };
        // The one file that the call names need not be named again.
        let told = files.iter().map(|file| match &named {
            Some(path) if *path == file.path => file.told.clone(),
            _ => format!("{}: {}", file.path, file.told),
        });
        let mut lines: Vec<String> = told.collect();
        lines.extend(verdict(cx, &files));
        Ok(lines.join("\n"))
    }
}
