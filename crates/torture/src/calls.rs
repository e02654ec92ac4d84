//! The changes that are tortured: a project, each kind of call in it, and the way back and forth.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::dice::Dice;
use crate::place::{Entry, Place, Tree};
use crate::{Result, said};

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Write,
    Create,
    Edit,
    Patch,
    MoveFile,
    MoveFolder,
    DeleteFile,
    DeleteFolder,
    Copy,
    Program,
}

/// Whether the call itself is tortured, or its undo, or its redo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    Call,
    Undo,
    Redo,
}

/// Every combination, in an order in which different things follow each other.
pub(crate) const ALL: &[(Kind, Turn)] = {
    use {Kind::*, Turn::*};
    &[
        (Program, Undo),
        (MoveFolder, Call),
        (Edit, Call),
        (Patch, Undo),
        (DeleteFolder, Redo),
        (Write, Call),
        (Patch, Call),
        (Program, Call),
        (MoveFolder, Undo),
        (DeleteFolder, Call),
        (Copy, Call),
        (Edit, Undo),
        (Patch, Redo),
        (MoveFile, Call),
        (Program, Redo),
        (DeleteFolder, Undo),
        (Create, Call),
        (Write, Undo),
        (DeleteFile, Call),
        (MoveFile, Undo),
        (Copy, Undo),
        (MoveFolder, Redo),
        (Edit, Redo),
        (DeleteFile, Undo),
        (Create, Undo),
        (Write, Redo),
        (Copy, Redo),
        (MoveFile, Redo),
        (DeleteFile, Redo),
        (Create, Redo),
    ]
};

/// The name of a combination, as `--only` takes it.
pub(crate) fn name((kind, turn): (Kind, Turn)) -> String {
    format!("{turn:?}-{kind:?}").to_lowercase()
}

/// A history, and the command that goes one step further in it.
#[derive(Clone)]
pub(crate) struct Setup {
    pub(crate) kind: Kind,
    pub(crate) turn: Turn,
    pub(crate) words: Vec<String>,
    /// What the project was after each step; those beyond `from` can be redone.
    pub(crate) states: Vec<Tree>,
    /// What it is before the command.
    pub(crate) from: usize,
    /// What it is after the command.
    pub(crate) to: usize,
    /// What makes the same once more.
    dice: Dice,
}

impl Setup {
    /// Makes a project and its history, and keeps both for [`Setup::restore`].
    pub(crate) fn new(place: &Place, op: (Kind, Turn), dice: &mut Dice) -> Result<Self> {
        let again = Dice::new(dice.next());
        let mut setup = Self::make(place, op, &again)?;
        place.save()?;
        place.must(&setup.words)?;
        if setup.turn == Turn::Call {
            setup.states.push(place.tree()?);
        }
        same(&place.tree()?, setup.after(), "after an undisturbed call")?;
        Ok(setup)
    }

    /// Makes the project and its history what they were before the command.
    pub(crate) fn restore(&self, place: &Place) -> Result {
        // What is exchanged with the trash is known by its inode, which no copy has.
        if matches!(self.kind, Kind::Program | Kind::DeleteFolder) && self.turn != Turn::Call {
            place.empty()?;
            return Self::make(place, (self.kind, self.turn), &self.dice).map(drop);
        }
        place.restore()
    }

    fn make(place: &Place, op: (Kind, Turn), again: &Dice) -> Result<Self> {
        let (mut dice, (kind, turn)) = (again.clone(), op);
        let dice = &mut dice;
        project(place, dice)?;
        place.own()?;
        let mut states = vec![place.tree()?];
        let note = json!({"path": "notes/first.txt", "content": format!("{}\n", dice.token())});
        place.must(&words("local", "write_file", &note))?;
        states.push(place.tree()?);
        let call = call(kind, &states[1], dice)?;
        let command = |word: &str| vec![word.to_owned()];
        let (command, from, to) = match turn {
            Turn::Call => (call.clone(), 1, 2),
            Turn::Undo => (command("undo"), 2, 1),
            Turn::Redo => (command("redo"), 1, 2),
        };
        if turn != Turn::Call {
            place.must(&call)?;
            states.push(place.tree()?);
        }
        if turn == Turn::Redo {
            place.must(&["undo"])?;
            same(&place.tree()?, &states[1], "after an undisturbed undo")?;
        }
        Ok(Self { kind, turn, words: command, states, from, to, dice: again.clone() })
    }

    pub(crate) fn before(&self) -> &Tree {
        &self.states[self.from]
    }

    pub(crate) fn after(&self) -> &Tree {
        &self.states[self.to]
    }

    /// The paths that the command changes.
    pub(crate) fn touched(&self) -> Vec<PathBuf> {
        let (before, after) = (self.before(), self.after());
        let paths: std::collections::BTreeSet<_> = before.keys().chain(after.keys()).collect();
        paths.into_iter().filter(|p| before.get(*p) != after.get(*p)).cloned().collect()
    }

    /// Whether files change places with whatever is in them.
    pub(crate) fn moves(&self) -> bool {
        matches!(self.kind, Kind::MoveFile | Kind::MoveFolder)
    }

    /// Whether a program makes the changes, which may stop in the middle of its work.
    pub(crate) fn is_program(&self) -> bool {
        self.kind == Kind::Program && self.turn == Turn::Call
    }
}

pub(crate) fn same(is: &Tree, should: &Tree, when: &str) -> Result {
    if is == should {
        return Ok(());
    }
    Err(format!("{when}, {}", crate::place::difference(is, should)))
}

/// Files of all sorts, among them 20 small ones in `dir`.
fn project(place: &Place, dice: &mut Dice) -> Result {
    for n in 0..20 {
        place.write(format!("dir/{n}.txt"), format!("{n} {}\n", dice.token()))?;
    }
    let text = |lines: usize, dice: &mut Dice| -> String {
        (0..lines).map(|n| format!("line {n}: {}\n", dice.token())).collect()
    };
    place.write("a.txt", text(10, dice))?;
    // More than the journal keeps in its database.
    let lines = 1_500 + dice.below(2_000);
    place.write("big.txt", text(lines, dice))?;
    place.write("dir/sub/crlf.txt", text(5, dice).replace('\n', "\r\n"))?;
    let binary: Vec<u8> = (0..dice.below(90_000)).map(|n| (n * 7 % 256) as u8).collect();
    place.write("dir/sub/binary", binary)?;
    place.write("dir/sub/empty", "")?;
    place.write("a name with spaces and ümlauts", text(2, dice))?;
    place.write("dir/run.sh", "#!/bin/sh\necho run\n")?;
    place.write("notes/kept.txt", text(3, dice))?;
    let mode = |name: &str, mode| {
        fs::set_permissions(place.path(name), fs::Permissions::from_mode(mode)).map_err(said)
    };
    mode("dir/run.sh", 0o755)?;
    mode("a.txt", 0o640)?;
    fs::create_dir_all(place.path("dir/sub/hollow")).map_err(said)?;
    symlink("sub/crlf.txt", place.path("dir/link")).map_err(said)?;
    symlink("nowhere", place.path("dangling")).map_err(said)
}

/// The words of a call on the command line.
pub(crate) fn words(toolset: &str, tool: &str, input: &Value) -> Vec<String> {
    let fixed = ["call", tool, "--toolset", toolset, "--policy", "trust"];
    fixed.into_iter().map(str::to_owned).chain([input.to_string()]).collect()
}

/// A call of this kind in a project as [`project`] makes it.
pub(crate) fn call(kind: Kind, tree: &Tree, dice: &mut Dice) -> Result<Vec<String>> {
    let line = |path: &str| {
        let Some(Entry::File(_, bytes)) = tree.get(Path::new(path)) else {
            return Err(format!("{path} is missing"));
        };
        let text = String::from_utf8_lossy(bytes).into_owned();
        text.lines().next().map(str::to_owned).ok_or_else(|| format!("{path} is empty"))
    };
    let file = *dice.pick(&["a.txt", "big.txt"]);
    let token = dice.token();
    Ok(match kind {
        Kind::Write | Kind::Create => {
            let long = dice.once_in(2);
            let content = format!("{token}\n").repeat(if long { 4_000 } else { 3 });
            let path = if kind == Kind::Write { file } else { "made/deep/new.txt" };
            words("local", "write_file", &json!({"path": path, "content": content}))
        }
        Kind::Edit => {
            let edit = json!({"oldText": line(file)?, "newText": token});
            words("fiz", "edit", &json!({"path": file, "edits": [edit]}))
        }
        Kind::Patch => words("floyd", "apply_unified_diff", &json!({"diff": diff(&line, &token)?})),
        Kind::MoveFile => {
            words("stack", "move", &json!({"source": file, "destination": "moved/here.txt"}))
        }
        Kind::MoveFolder => {
            words("stack", "move", &json!({"source": "dir", "destination": "moved/dir"}))
        }
        Kind::DeleteFile => words("local", "delete_file", &json!({"path": file})),
        Kind::DeleteFolder => words("local", "delete_directory", &json!({"path": "dir"})),
        Kind::Copy => words("stack", "copy", &json!({"source": "dir", "destination": "copy"})),
        Kind::Program => {
            let script = format!(
                "for i in $(seq 0 15); do echo {token} > dir/$i.txt; done; rm dir/16.txt dir/17.txt
                 mkdir -p made/deep; echo {token} > made/deep/new; mv dir/18.txt made/; chmod 700 dir/19.txt
                 ln -s ../a.txt made/link; echo {token} >> big.txt; mv dir/sub made/sub"
            );
            words("fiz", "bash", &json!({"command": script}))
        }
    })
}

/// A patch that changes, removes, makes and renames.
fn diff(line: &dyn Fn(&str) -> Result<String>, token: &str) -> Result<String> {
    let mut diff = String::new();
    for n in 0..4 {
        let path = format!("dir/{n}.txt");
        let old = line(&path)?;
        diff += &format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-{old}\n+{n} {token}\n");
    }
    let old = line("dir/5.txt")?;
    diff += &format!("--- a/dir/5.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-{old}\n");
    diff += &format!("--- /dev/null\n+++ b/made/new.txt\n@@ -0,0 +1 @@\n+{token}\n");
    let (from, to) = ("dir/6.txt", "made/renamed.txt");
    diff += &format!("diff --git a/{from} b/{to}\nsimilarity index 100%\n");
    diff += &format!("rename from {from}\nrename to {to}\n");
    Ok(diff)
}
