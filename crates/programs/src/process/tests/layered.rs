//! A project in which programs run in layers.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use files::journal::{Approved, Direction, Journal, Label, Status, Step, new_id};

use super::*;

/// A root and a state directory beside it.
pub(super) struct Tree {
    _dir: TempDir,
    pub(super) root: PathBuf,
    pub(super) state: State,
}

pub(super) fn tree_of(files: &[(&str, &str)]) -> Tree {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap().join("root");
    fs::create_dir(&root).unwrap();
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let state = State::new(root.parent().unwrap().join("state"));
    Tree { _dir: dir, root, state }
}

impl Tree {
    pub(super) fn open(&self) -> (Workspace, Journal) {
        let workspace = Workspace::open(&self.root, &[], Limits::default()).unwrap();
        let journal =
            Journal::new(self.state.clone(), self.root.clone(), new_id(), false, Vec::new());
        (workspace, journal)
    }

    pub(super) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap_or_else(|e| format!("({e})"))
    }
}

pub(super) fn label() -> Label {
    Label { tool: "test".into(), ..Label::default() }
}

/// A root, its journal and a runner; nothing where this host can have no layers.
pub(super) struct Layered {
    pub(super) place: Tree,
    pub(super) ws: Workspace,
    pub(super) journal: Journal,
    pub(super) runner: Runner,
}

pub(super) fn layered(files: &[(&str, &str)]) -> Option<Layered> {
    let place = tree_of(files);
    let (ws, journal) = place.open();
    let env = vec![("PATH".into(), std::env::var_os("PATH").unwrap())];
    let runner = Runner::new(Settings { env, ..Settings::default() }, place.state.clone(), "one");
    if runner.containment().fence != Fence::Namespaces {
        println!("SKIPPED: {}", runner.containment());
        return None;
    }
    Some(Layered { place, ws, journal, runner })
}

impl Layered {
    pub(super) fn run_in(&self, step: &Step<'_>, script: &str, cancel: &Cancel) -> Finished {
        let line = Line::Shell(script);
        let timeout = Duration::from_secs(60);
        let program = Program { line, dir: ".", env: &[], timeout, reach: Reach::Workspace };
        self.runner.run(&self.ws, &program, Some(step), cancel).unwrap()
    }

    /// Runs a script as one call; what is told of it.
    pub(super) fn run(&self, script: &str) -> Vec<String> {
        let step = self.journal.begin(&self.ws, label(), Approved::default());
        let done = self.run_in(&step, script, &Cancel::default());
        assert_eq!(self.journal.without_layer(), [], "the layer works here");
        let errors = done.stderr.tail(99, 9999).text;
        assert_eq!(errors, "", "{script}");
        let notes = step.note_program().unwrap().notes;
        step.keep().unwrap();
        notes
    }

    pub(super) fn newest(&self) -> Vec<String> {
        let log = self.journal.log(&self.ws, 1).unwrap();
        let changes = log.first().map(|record| record.changes.clone()).unwrap_or_default();
        let mut changes: Vec<_> =
            changes.iter().map(|c| format!("{} {}", c.what.as_str(), c.path)).collect();
        changes.sort();
        changes
    }

    /// Undoes what was done last or redoes what was undone last; if there is none, makes what was held
    /// back.
    pub(super) fn turn(&self, direction: Direction) {
        let Err(error) = self.journal.turn(&self.ws, direction, None) else { return };
        let log = self.journal.log(&self.ws, 99).unwrap();
        let held_back = log.iter().find(|record| record.status == Status::Undone);
        let id = held_back.map(|record| record.id).filter(|_| direction == Direction::Redo);
        assert!(id.is_some(), "{error}");
        self.journal.turn(&self.ws, direction, id).unwrap();
    }
}

/// Everything in a directory: kind, mode, content or target, by path.
pub(super) fn tree(root: &Path) -> Vec<String> {
    let mut all = Vec::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(&directory).unwrap().flatten() {
            let (path, data) = (entry.path(), entry.metadata().unwrap());
            let mode = data.permissions().mode() & 0o7777;
            let what = if data.is_symlink() {
                format!("-> {}", fs::read_link(&path).unwrap().display())
            } else if data.is_dir() {
                waiting.push(path.clone());
                format!("directory {mode:o}")
            } else if data.is_file() {
                format!("{mode:o} {:?}", fs::read(&path).unwrap())
            } else {
                "other".to_owned()
            };
            all.push(format!("{} {what}", path.strip_prefix(root).unwrap().display()));
        }
    }
    all.sort();
    all
}
