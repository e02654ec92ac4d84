//! What is said without git is what git says, whatever is done to the files meanwhile.

use std::cell::Cell;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use super::*;

/// A watched repository.
pub(super) struct Asked {
    pub(super) place: Place,
    watched: Watched,
    /// How often git was asked.
    gits: Cell<usize>,
}

impl Asked {
    fn new(place: Place) -> Self {
        place.workspace.watch(&State::new(place.dir.path().join("state")), None);
        Self { place, watched: Watched::default(), gits: Cell::new(0) }
    }

    pub(super) fn first() -> Self {
        Self::new(place())
    }

    /// The answer, and whether git was not asked for it.
    fn ask(&self) -> (Seen, bool) {
        let before = self.gits.get();
        let open = || {
            self.gits.set(before + 1);
            self.place.open_in(".")
        };
        let seen = self.watched.status(&self.place.runner, &self.place.workspace, ".", open);
        (seen.unwrap(), self.gits.get() == before)
    }

    /// Whether the answer came without git; it is what git says in any case.
    #[track_caller]
    pub(super) fn agrees(&self, what: &str) -> bool {
        let (seen, is_known) = self.ask();
        let repository = self.place.open();
        assert_eq!(seen.status, repository.status().unwrap(), "{what}, known: {is_known}");
        assert_eq!((seen.top, seen.note), (repository.top(), repository.note()), "{what}");
        is_known
    }

    /// Until an answer comes without git.
    #[track_caller]
    pub(super) fn known(&self, what: &str) {
        let until = Instant::now() + Duration::from_secs(10);
        while !self.agrees(what) {
            assert!(Instant::now() < until, "{what}: git is asked each time");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Only git can say it.
    #[track_caller]
    fn never(&self, what: &str) {
        for _ in 0..3 {
            std::thread::sleep(Duration::from_millis(150));
            assert!(!self.agrees(what), "{what}: was said without git");
        }
    }

    /// What is done to the files alone needs no git any more, unless the view is being looked at
    /// just then.
    #[track_caller]
    fn still_known(&self, what: &str) {
        let known = self.agrees(what) || self.agrees(what) || self.agrees(what);
        assert!(known, "{what}: git was asked");
    }

    pub(super) fn git(&self, args: &[&str]) {
        self.place.git(args);
    }
}

#[test]
fn files_that_are_changed_made_and_removed() {
    let asked = Asked::first();
    let place = &asked.place;
    asked.known("nothing differs");
    place.write("a", "one\ntwo\n");
    asked.still_known("another length");
    place.write("a", "one\nTWO\nthree\n");
    asked.still_known("another content");
    place.write("a", "one\ntwo\nthree\n");
    asked.still_known("as it was");
    make_executable(&place.at("a"));
    asked.still_known("another mode");
    fs::remove_file(place.at("a")).unwrap();
    asked.still_known("removed");
    symlink("sub/b", place.at("a")).unwrap();
    asked.still_known("a link in its place");
    fs::remove_file(place.at("a")).unwrap();
    place.write("a/inner", "x");
    asked.still_known("a directory in its place");
    fs::remove_dir_all(place.at("sub")).unwrap();
    asked.still_known("a directory is gone");
    place.write("sub", "x");
    asked.still_known("a file in its place");
    fs::remove_file(place.at("sub")).unwrap();
    symlink("a", place.at("sub")).unwrap();
    asked.still_known("a link in its place");
    place.write("new/deep/er/x", "x");
    place.write("new/y", "x");
    symlink("nowhere", place.at("new/link")).unwrap();
    asked.still_known("untracked directories");
    fs::create_dir(place.at("empty")).unwrap();
    assert!(Command::new("mkfifo").arg(place.at("pipe")).status().unwrap().success());
    asked.still_known("what git does not track");
    fs::rename(place.at("new/deep"), place.at("moved")).unwrap();
    asked.still_known("a directory that moved");
    fs::remove_dir_all(place.at("new")).unwrap();
    asked.still_known("gone again");
    let odd = OsStr::new("größe \"x\"\n\\");
    place.write(odd, "x");
    asked.still_known("an odd name");
}

#[test]
fn what_is_staged_committed_renamed_and_stashed() {
    let asked = Asked::first();
    let place = &asked.place;
    asked.known("clean");
    place.write("a", "one\n2\nthree\n");
    asked.git(&["add", "a"]);
    asked.known("staged");
    place.write("a", "one\n2\n3\n");
    asked.still_known("staged and changed");
    asked.git(&["mv", "sub/b", "sub/c"]);
    asked.known("renamed");
    place.write("sub/c", "c\n");
    asked.still_known("renamed and changed");
    place.write("sub/b", "back\n");
    asked.still_known("what was renamed is there again");
    asked.git(&["rm", "-qf", "--cached", "a"]);
    asked.known("removed from the index alone");
    asked.git(&["commit", "-qm", "Second"]);
    asked.known("committed");
    asked.git(&["add", "-A"]);
    asked.git(&["stash", "-q"]);
    asked.known("stashed");
    asked.git(&["stash", "pop", "-q"]);
    asked.known("and back");
    asked.git(&["checkout", "-qf", "HEAD~1"]);
    asked.known("detached");
    asked.git(&["switch", "-qc", "other"]);
    asked.known("another branch");
    asked.git(&["branch", "-m", "third"]);
    asked.known("another name of it");
    asked.git(&["pack-refs", "--all"]);
    asked.known("packed refs");
    asked.git(&["update-index", "--index-version", "4"]);
    asked.known("names cut short");
    place.write("sub/b", "other\n");
    place.write("sub/z", "other\n");
    asked.still_known("a change with names cut short");
}

#[test]
fn a_repository_without_a_commit_and_an_index_made_later() {
    let asked = Asked::new(Place::new(Sandbox::Auto, Limits::default()));
    asked.git(&["init", "-q"]);
    asked.place.write("x", "1\n");
    asked.never("no index");
    asked.git(&["add", "x"]);
    asked.known("no commit");
    asked.place.write("y", "1\n");
    asked.still_known("and a file");
    asked.git(&["commit", "-qm", "First"]);
    asked.known("the first commit");
}

/// A change of the index or of the branch costs no git where it can be told what became of it.
#[test]
fn what_is_added_and_committed_without_git() {
    let asked = Asked::first();
    let place = &asked.place;
    let mut known = 0;
    asked.known("clean");
    place.write("a", "one\n2\nthree\n");
    place.write("new", "x");
    asked.git(&["add", "a"]);
    known += usize::from(asked.agrees("staged"));
    asked.git(&["add", "new"]);
    place.write("a", "one\n2\n3\n");
    known += usize::from(asked.agrees("another one, and a change"));
    asked.git(&["rm", "-q", "--cached", "new"]);
    asked.git(&["rm", "-q", "sub/b"]);
    known += usize::from(asked.agrees("removed"));
    asked.git(&["commit", "-qm", "Second"]);
    known += usize::from(asked.agrees("committed"));
    asked.git(&["commit", "-qam", "Third"]);
    known += usize::from(asked.agrees("all of it"));
    make_executable(&place.at("a"));
    asked.git(&["add", "a"]);
    known += usize::from(asked.agrees("another mode"));
    fs::remove_file(place.at("a")).unwrap();
    symlink("new", place.at("a")).unwrap();
    asked.git(&["add", "a"]);
    known += usize::from(asked.agrees("another kind"));
    asked.git(&["commit", "-q", "--amend", "-m", "Third again"]);
    known += usize::from(asked.agrees("another commit in its place"));
    asked.git(&["reset", "-q", "--hard"]);
    known += usize::from(asked.agrees("all the same"));
    asked.git(&["reset", "-q", "--soft", "HEAD~1"]);
    assert!(!asked.agrees("an earlier commit"), "it holds not what the index does");
    asked.known("an earlier commit");
    asked.git(&["commit", "-qm", "Third once more"]);
    known += usize::from(asked.agrees("back"));
    place.write("made", "content that is long enough\nto be told again\n");
    asked.git(&["add", "made"]);
    asked.git(&["commit", "-qm", "Made"]);
    known += usize::from(asked.agrees("made"));
    asked.git(&["mv", "made", "moved"]);
    assert!(!asked.agrees("renamed"), "only git tells renames");
    asked.known("renamed");
    // A few times the view may be being looked at just then.
    assert!(known >= 6, "only {known} of 11 without git");
}

#[test]
fn what_is_ignored_by_whatever_says_so() {
    let asked = Asked::first();
    let place = &asked.place;
    place.write(".gitignore", "*.log\n/build/\n!keep.log\n");
    place.write("build/out", "x");
    place.write("sub/x.log", "x");
    place.write("sub/keep.log", "x");
    asked.known("ignored");
    place.write("sub/.gitignore", "!x.log\nb2\n");
    place.write("sub/b2", "x");
    asked.still_known("an ignore file below");
    place.write("build/more", "x");
    place.write("more.log", "x");
    asked.still_known("more of it");
    place.write(".gitignore", "keep.log\n");
    asked.still_known("other rules");
    place.write(".gitignore", "*.log\n/build/\n");
    place.write(".git/info/exclude", "hidden*\n");
    place.write("hidden1", "x");
    asked.known("rules of this repository alone");
    place.write("../home/.config/git/ignore", "mine*\n!hidden2\n");
    place.write("mine", "x");
    place.write("hidden2", "x");
    asked.still_known("rules of the person");
    place.write(".ignore", "shy\n!more.log\n");
    place.write("shy", "x");
    place.write("shy2", "x");
    asked.still_known("rules that git does not know");
    fs::remove_file(place.at("shy")).unwrap();
    asked.still_known("what only searches pass over is gone");
    asked.git(&["add", "-f", "sub/x.log", "build/out"]);
    asked.known("tracked and ignored");
    place.write("build/out", "y");
    asked.still_known("changed where nobody watches");
    place.write("sub/x.log", "y");
    asked.still_known("changed where searches do not look");
    fs::remove_dir_all(place.at("build")).unwrap();
    asked.still_known("gone where nobody watches");
    asked.git(&["checkout", "-q", "build/out"]);
    asked.known("and back");
    place.write("sub/.gitignore", "{a,b}\n[[:digit:]]\n?\n");
    for name in ["a", "1", "ab", "{a,b}"] {
        place.write(Path::new("sub").join(name), "x");
    }
    asked.still_known("patterns that mean something else in searches");
}

#[test]
fn what_only_git_can_say() {
    let asked = Asked::first();
    let place = &asked.place;
    asked.known("clean");
    place.write("later", "x");
    asked.git(&["add", "-N", "later"]);
    asked.never("only meant to be added");
    asked.git(&["rm", "-q", "--cached", "later"]);
    asked.known("and no longer");
    asked.git(&["update-index", "--assume-unchanged", "a"]);
    place.write("a", "x");
    asked.never("taken to be unchanged");
    asked.git(&["update-index", "--no-assume-unchanged", "a"]);
    asked.known("and no longer");
    asked.git(&["update-index", "--skip-worktree", "a"]);
    asked.never("left out");
    asked.git(&["update-index", "--no-skip-worktree", "a"]);
    asked.git(&["checkout", "-q", "a"]);
    asked.known("and no longer");
    asked.git(&["update-index", "--split-index"]);
    asked.never("a split index");
    asked.git(&["update-index", "--no-split-index"]);
    asked.known("a whole one");
    asked.git(&["init", "-q", "sub/inner"]);
    place.write("sub/inner/x", "x");
    asked.never("another repository inside");
    fs::remove_dir_all(place.at("sub/inner")).unwrap();
    asked.known("and no longer");
    place.write("vendor/x", "x");
    asked.never("a directory that searches pass over");
    fs::remove_dir_all(place.at("vendor")).unwrap();
    asked.known("and no longer");
    asked.git(&["sparse-checkout", "set", "--no-cone", "a"]);
    asked.never("a sparse checkout");
    asked.git(&["sparse-checkout", "disable"]);
    asked.git(&["config", "--unset", "extensions.worktreeConfig"]);
    asked.known("a whole one");
    asked.git(&["init", "-q", "../source"]);
    place.git_in("../source", &["commit", "-q", "--allow-empty", "-m", "One"]);
    asked.git(&["submodule", "--quiet", "add", "../source", "module"]);
    asked.never("a submodule");
}

#[test]
fn conflicts_and_linked_worktrees() {
    let asked = Asked::first();
    let place = &asked.place;
    asked.git(&["switch", "-qc", "other"]);
    place.write("a", "one\nother\nthree\n");
    asked.git(&["commit", "-qam", "Other"]);
    asked.git(&["switch", "-q", "trunk"]);
    place.write("a", "one\ntrunk\nthree\n");
    asked.git(&["commit", "-qam", "Trunk"]);
    asked.known("before");
    assert!(!place.try_git("", &["merge", "other"]).status.success());
    asked.never("a conflict");
    asked.git(&["merge", "--abort"]);
    asked.known("and no longer");
    asked.git(&["worktree", "add", "-q", "linked", "-b", "side"]);
    asked.never("a worktree inside");
}

#[test]
fn contents_that_are_other_for_git_than_on_the_disk() {
    let asked = Asked::first();
    let place = &asked.place;
    asked.known("nothing converts");
    place.write("a", "one\r\ntwo\nthre\n");
    asked.still_known("a return that nothing converts");
    place.write(".gitattributes", "*.txt text\n");
    asked.never("a return that may be converted");
    place.write("a", "one\ntwo\nTHREE\n");
    asked.known("no return");
    place.write(".gitattributes", "a ident\n");
    place.write("a", "one\ntwo\nthre3\n");
    asked.never("a name of the content in it");
    place.write(".gitattributes", "a filter=x\n");
    asked.never("a filter");
    asked.git(&["config", "filter.x.clean", "tr a-z A-Z"]);
    asked.never("with a command");
    asked.git(&["config", "--unset", "filter.x.clean"]);
    fs::remove_file(place.at(".gitattributes")).unwrap();
    asked.known("none");
    place.write(".gitattributes", "a filter=x\n");
    place.write("empty", "");
    asked.git(&["add", "a", "empty"]);
    // Git itself has to read what was written in the same second as the index.
    std::thread::sleep(Duration::from_millis(1100));
    asked.git(&["update-index", "--force-write-index"]);
    asked.known("a filter and nothing to be filtered");
    fs::remove_file(place.at(".gitattributes")).unwrap();
    asked.git(&["config", "core.autocrlf", "true"]);
    asked.known("line endings by configuration");
    fs::remove_file(place.at("a")).unwrap();
    asked.git(&["checkout", "-q", "a"]);
    std::thread::sleep(Duration::from_millis(1100));
    asked.git(&["update-index", "--force-write-index"]);
    asked.known("as it was checked out");
    place.write("a", "ONE\r\ntwo\r\nthree\r\n");
    asked.never("a change of a converted file");
    asked.git(&["config", "core.autocrlf", "false"]);
    asked.git(&["checkout", "-q", "a"]);
    asked.git(&["config", "core.fileMode", "false"]);
    make_executable(&place.at("a"));
    asked.never("no modes");
}

#[test]
fn a_branch_of_a_remote() {
    let asked = Asked::first();
    let place = &asked.place;
    asked.git(&["clone", "-q", "--bare", ".", "../far.git"]);
    asked.git(&["remote", "add", "origin", "../far.git"]);
    asked.git(&["push", "-qu", "origin", "trunk"]);
    asked.known("the same");
    asked.git(&["commit", "-q", "--allow-empty", "-m", "Two"]);
    asked.known("ahead");
    asked.git(&["update-ref", "refs/remotes/origin/trunk", "HEAD"]);
    asked.known("the same again");
    asked.git(&["reset", "-q", "--hard", "HEAD~1"]);
    asked.known("behind");
    asked.git(&["update-ref", "-d", "refs/remotes/origin/trunk"]);
    asked.known("gone");
    asked.git(&["branch", "--unset-upstream"]);
    asked.known("none");
    asked.git(&["branch", "-q", "near"]);
    asked.git(&["branch", "-qu", "near"]);
    asked.known("a branch of the same repository");
    place.write("a", "x");
    asked.still_known("and a change");
}

/// Nothing is remembered of a file that was written in the same tick of the clock as the index.
#[test]
fn a_file_that_changes_right_after_it_was_staged() {
    let asked = Asked::first();
    let place = &asked.place;
    asked.known("clean");
    for round in 0..40 {
        place.write("a", &format!("{:03}\n", round));
        asked.git(&["add", "a"]);
        place.write("a", &format!("{:03}\n", round + 500));
        asked.agrees("changed");
        place.write("a", &format!("{:03}\n", round));
        asked.agrees("and back");
    }
    asked.known("at the end");
}

#[test]
fn what_was_staged_before_is_not_forgotten() {
    let asked = Asked::first();
    asked.place.write("a", "2\n");
    asked.git(&["commit", "-qam", "Second"]);
    asked.known("committed");
    asked.git(&["reset", "-q", "--soft", "HEAD~1"]);
    asked.known("an earlier commit");
    asked.known("the same again");
    asked.place.write("new", "x");
    asked.git(&["add", "new"]);
    asked.known("one more is staged");
    asked.git(&["commit", "-qm", "a part", "--", "new"]);
    asked.known("a part of it is committed");
    asked.place.write("newer", "x");
    asked.git(&["add", "newer"]);
    asked.known("another one is staged");
}
