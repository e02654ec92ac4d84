//! Staging, commits and branches.

use super::*;

fn all(message: &str) -> Commit<'_> {
    Commit { message, stage: Stage::All, ..Commit::default() }
}

fn staged(place: &Place) -> String {
    place.line(&["diff", "--cached", "--name-status", "--no-renames"]).replace('\t', " ")
}

#[test]
fn staging_and_taking_back_also_before_the_first_commit() {
    let place = Place::new(Sandbox::Auto, Limits::default());
    place.git(&["init", "-q"]);
    for name in ["a", "b c", "d/e"] {
        place.write(name, "x\n");
    }
    let (paths, remark) = place.open().stage(&["b c".to_owned(), "d".to_owned()]).unwrap();
    assert_eq!((paths, remark), (vec!["b c".to_owned(), "d/e".to_owned()], None));
    assert_eq!(staged(&place), "A b c\nA d/e");
    assert_eq!(place.open().unstage(&["b c".to_owned()]).unwrap(), ["b c"]);
    assert_eq!(place.open().unstage(&[]).unwrap(), ["d/e"]);
    assert_eq!(place.line(&["ls-files"]), "");
    assert_eq!(place.open().stage(&[]).unwrap().0.len(), 3);
    place.git(&["commit", "-qm", "First"]);
    fs::remove_file(place.at("a")).unwrap();
    place.write("b c", "changed\n");
    place.open().stage(&["a".to_owned()]).unwrap();
    assert_eq!(staged(&place), "D a");
    assert!(place.open().unstage(&["b c".to_owned()]).unwrap().is_empty());
    assert_eq!(place.open().unstage(&["a".to_owned()]).unwrap(), ["a"]);
    assert_eq!(staged(&place), "");
    assert_eq!(place.open().unstage(&["nowhere".to_owned()]).unwrap_err().code, Code::FileNotFound);
}

#[test]
fn an_ignored_file_is_not_staged_and_neither_are_those_beside_it() {
    let place = place();
    place.write(".gitignore", "*.log\n");
    place.write("x.log", "x");
    place.write("y", "y");
    let error = place.open().stage(&["y".to_owned(), "x.log".to_owned()]).unwrap_err();
    assert_eq!(error.code, Code::InvalidInput);
    assert!(error.message.contains("x.log: .gitignore leaves it out"), "{error}");
    assert_eq!(staged(&place), "");
    std::os::unix::fs::symlink("nowhere", place.at("dangling")).unwrap();
    assert_eq!(place.open().stage(&["dangling".to_owned()]).unwrap().0, ["dangling"]);
}

#[test]
fn a_commit_of_all_and_its_message() {
    let place = place();
    place.write("a", "changed\n");
    place.write("new", "n\n");
    let message = "-Über\n\n# no comment\n  lines\n";
    let done = place.open().commit(&all(message)).unwrap();
    assert_eq!(done.hash, place.line(&["rev-parse", "HEAD"]));
    assert_eq!((done.branch.as_deref(), done.warnings.as_slice()), (Some("trunk"), &[][..]));
    assert_eq!(place.line(&["log", "-1", "--format=%B"]), "-Über\n\n# no comment\n  lines");
    assert_eq!(place.line(&["status", "--porcelain"]), "");
    assert_eq!(place.open().commit(&all("Again")).unwrap_err().code, Code::NothingToCommit);
    let empty = Commit { allow_empty: true, ..all("Empty") };
    assert!(place.open().commit(&empty).is_ok());
    let amend = Commit { amend: true, allow_empty: true, ..all("Other words") };
    let done = place.open().commit(&amend).unwrap();
    assert_eq!(place.line(&["log", "-1", "--format=%H %s"]), format!("{} Other words", done.hash));
    assert_eq!(place.line(&["rev-list", "--count", "HEAD"]), "3");
    assert_eq!(place.open().commit(&all("  \n")).unwrap_err().code, Code::InvalidInput);
}

#[test]
fn a_commit_of_named_files_holds_nothing_else() {
    let place = place();
    place.write("a", "changed\n");
    place.write("sub/b", "changed\n");
    place.write("new", "n\n");
    place.git(&["add", "sub/b"]);
    let named = ["a".to_owned(), "new".to_owned()];
    let commit = Commit { message: "Named", stage: Stage::Only(&named), ..Commit::default() };
    place.open().commit(&commit).unwrap();
    assert_eq!(place.line(&["show", "--format=", "--name-only"]), "a\nnew");
    assert_eq!(staged(&place), "M sub/b");
    assert_eq!(place.open().commit(&commit).unwrap_err().code, Code::NothingToCommit);
    let staged = Commit { message: "Staged", ..Commit::default() };
    place.open().commit(&staged).unwrap();
    let error = place.open().commit(&staged).unwrap_err();
    assert_eq!(error.message, "nothing to commit; nothing is staged; stage files first");
}

#[test]
fn a_first_commit_on_a_protected_branch_warns() {
    let place = Place::new(Sandbox::Auto, Limits::default());
    place.git(&["init", "-q", "-b", "Release/1"]);
    let amend = Commit { amend: true, ..all("x") };
    assert_eq!(place.open().commit(&amend).unwrap_err().code, Code::NothingToCommit);
    assert_eq!(place.open().commit(&all("x")).unwrap_err().code, Code::NothingToCommit);
    place.write("a", "a");
    let done = place.open().commit(&all("First")).unwrap();
    assert_eq!(done.warnings, ["ProtectedBranch: Committing to protected branch: Release/1"]);
    for (name, wanted) in [
        ("main", true),
        ("MASTER", true),
        ("develop/x", true),
        ("mainly", false),
        ("x/main", false),
    ] {
        assert_eq!(protected(name), wanted, "{name}");
    }
}

#[test]
fn a_hook_that_refuses_is_heard_and_nothing_is_lost() {
    let place = place();
    place.write("a", "changed\n");
    place.vet();
    for hook in ["pre-commit", "commit-msg", "prepare-commit-msg"] {
        place.hook(
            hook,
            "echo 'error: line 3 is too long'; echo 'fatal: Permission denied' >&2; exit 3",
        );
        let error = place.open().commit(&all("x")).unwrap_err();
        assert_eq!(error.code, Code::HookFailed, "{hook}: {error}");
        let output = error.detail("output").unwrap();
        assert!(output.contains("line 3 is too long") && output.contains("Permission denied"));
        fs::remove_file(place.at(".git/hooks").join(hook)).unwrap();
    }
    assert_eq!(staged(&place), "M a");
    assert!(place.open().commit(&all("x")).is_ok());
}

#[test]
fn a_hook_that_reformats_changes_what_is_committed() {
    let place = place();
    place.vet();
    place.hook("pre-commit", "tr a-z A-Z < a > a.new && mv a.new a && git add a && git diff --cached --name-only -- '*' > seen");
    place.write("a", "low\n");
    let step = place.begin();
    place.open_for(&step).commit(&all("x")).unwrap();
    step.keep().unwrap();
    assert_eq!(place.line(&["show", "HEAD:a"]), "LOW");
    assert_eq!(fs::read_to_string(place.at("a")).unwrap(), "LOW\n");
    assert_eq!(fs::read_to_string(place.at("seen")).unwrap(), "a\n");
    place.journal.turn(&place.workspace, files::journal::Direction::Undo, None).unwrap();
    assert_eq!(fs::read_to_string(place.at("a")).unwrap(), "low\n");
}

#[test]
fn a_hook_cannot_read_keys() {
    let place = place();
    if place.runner.containment().fence == crate::process::Fence::Nothing {
        println!("SKIPPED: no sandbox works here");
        return;
    }
    place.write("../home/.ssh/id", "secret");
    place.vet();
    place.hook("pre-commit", "cat ~/.ssh/id > stolen; true");
    place.write("a", "changed\n");
    place.open().commit(&all("x")).unwrap();
    assert_eq!(fs::read_to_string(place.at("stolen")).unwrap(), "");
}

#[test]
fn a_commit_is_signed_as_configured() {
    let place = place();
    let made = Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-f"])
        .arg({
            fs::create_dir(place.at("../home/.ssh")).unwrap();
            place.at("../home/.ssh/id")
        })
        .status();
    if !made.is_ok_and(|status| status.success()) {
        println!("SKIPPED: no ssh-keygen");
        return;
    }
    let key = fs::canonicalize(place.at("../home/.ssh/id.pub")).unwrap();
    let public = fs::read_to_string(&key).unwrap();
    fs::write(place.at("../home/signers"), format!("ann@example.org {public}")).unwrap();
    let signers = fs::canonicalize(place.at("../home/signers")).unwrap();
    for (name, value) in [
        ("gpg.format", "ssh"),
        ("user.signingKey", key.to_str().unwrap()),
        ("gpg.ssh.allowedSignersFile", signers.to_str().unwrap()),
        ("commit.gpgSign", "true"),
    ] {
        place.git(&["config", "--global", name, value]);
    }
    place.write("a", "signed\n");
    place.open().commit(&all("Signed")).unwrap();
    place.git(&["verify-commit", "HEAD"]);
    assert_eq!(place.line(&["log", "-1", "--format=%G?"]), "G");
    fs::remove_file(place.at("../home/.ssh/id")).unwrap();
    place.write("a", "again\n");
    let error = place.open().commit(&all("Unsigned")).unwrap_err();
    assert_eq!(error.code, Code::SigningFailed, "{error}");
    assert!(error.message.contains("without a prompt"), "{error}");
    assert_eq!(place.line(&["log", "-1", "--format=%s"]), "Signed");
}

#[test]
fn a_program_for_signatures_that_fails_or_asks() {
    let place = place();
    place.git(&["config", "commit.gpgSign", "true"]);
    for script in [
        "echo 'gpg: no secret key' >&2; exit 2",
        "read answer </dev/tty || exit 1",
        "read answer || exit 1",
    ] {
        place.write("../home/gpg", &format!("#!/bin/sh\n{script}\n"));
        make_executable(&place.at("../home/gpg"));
        let program = fs::canonicalize(place.at("../home/gpg")).unwrap();
        place.git(&["config", "gpg.program", program.to_str().unwrap()]);
        place.write("a", script);
        let error = place.open().commit(&all("x")).unwrap_err();
        assert_eq!(error.code, Code::SigningFailed, "{script}: {error}");
    }
    assert_eq!(place.line(&["rev-list", "--count", "HEAD"]), "1");
}

#[test]
fn a_lock_of_another_git_is_said() {
    let place = place();
    place.write("a", "changed\n");
    place.write(".git/index.lock", "");
    for error in [
        place.open().commit(&all("x")).unwrap_err(),
        place.open().stage(&[]).unwrap_err(),
        place.open().unstage(&[]).unwrap_err(),
    ] {
        assert_eq!(error.code, Code::RepositoryBusy, "{error}");
        assert!(error.message.contains("index.lock"), "{error}");
    }
    assert!(place.open().status().is_ok());
}

#[test]
fn nobody_is_named_as_author() {
    let place = place();
    place.write("../home/.gitconfig", "[user]\nuseConfigOnly = true\n");
    place.write("a", "changed\n");
    let error = place.open().commit(&all("x")).unwrap_err();
    assert!(error.message.contains("user.name"), "{error}");
    assert_eq!(error.code, Code::InvalidInput);
    assert!(place.git(&["diff", "--cached", "--name-only"]).is_empty(), "nothing was staged");
}

#[test]
fn conflicts_are_not_committed_until_they_are_resolved() {
    let place = place();
    place.git(&["switch", "-qc", "other"]);
    place.write("a", "other\n");
    place.git(&["commit", "-qam", "Other"]);
    place.git(&["switch", "-q", "trunk"]);
    place.write("a", "trunk\n");
    place.git(&["commit", "-qam", "Trunk"]);
    place.try_git("", &["merge", "other"]);
    for error in [place.open().commit(&all("x")).unwrap_err(), place.open().stage(&[]).unwrap_err()]
    {
        assert_eq!(error.code, Code::MergeConflict, "{error}");
        assert!(error.message.starts_with("a: unresolved conflicts"), "{error}");
    }
    let staged = Commit { message: "x", ..Commit::default() };
    assert_eq!(place.open().commit(&staged).unwrap_err().code, Code::MergeConflict);
    let error = place.open().switch("other").unwrap_err();
    assert_eq!(error.code, Code::MergeConflict, "{error}");
    // The content of our side: nothing differs from the last commit, and yet there is a merge.
    place.write("a", "trunk\n");
    place.open().commit(&all("Merged")).unwrap();
    assert_eq!(place.line(&["rev-list", "--count", "--merges", "HEAD"]), "1");
}

#[test]
fn branches_are_made_taken_and_removed() {
    let place = place();
    let open = || place.open();
    open().create_branch("feature/one").unwrap();
    assert_eq!(open().head().unwrap().branch(), Some("trunk"));
    assert_eq!(open().create_branch("feature/one").unwrap_err().code, Code::BranchAlreadyExists);
    let error = open().create_branch("feature").unwrap_err();
    assert_eq!(error.code, Code::BranchAlreadyExists, "{error}");
    for bad in ["", "-d", "a b", "a..b", "HEAD", "@{-1}", "x.lock", "a\nb", "--orphan"] {
        assert_eq!(open().create_branch(bad).unwrap_err().code, Code::InvalidInput, "{bad:?}");
        assert_eq!(open().switch(bad).unwrap_err().code, Code::InvalidInput, "{bad:?}");
    }
    assert_eq!(open().switch("feature/one").unwrap(), None);
    assert_eq!(place.line(&["branch", "--show-current"]), "feature/one");
    let error = open().switch("feature/on").unwrap_err();
    assert_eq!(error.code, Code::BranchNotFound);
    assert!(error.message.contains("did you mean feature/one?"), "{error}");
    place.git(&["tag", "v1"]);
    assert_eq!(open().switch("v1").unwrap_err().code, Code::BranchNotFound);
    place.write("a", "more\n");
    place.git(&["commit", "-qam", "More"]);
    open().switch("trunk").unwrap();
    let step = place.begin();
    let open = || place.open_for(&step);
    let error = open().delete_branch("feature/one").unwrap_err();
    assert_eq!(error.code, Code::BranchNotMerged, "{error}");
    assert_eq!(open().delete_branch("trunk").unwrap_err().code, Code::GitFailed);
    assert_eq!(open().delete_branch("none").unwrap_err().code, Code::BranchNotFound);
    place.git(&["merge", "-q", "feature/one"]);
    place.git(&["config", "branch.feature/one.description", "text"]);
    let commit = open().delete_branch("feature/one").unwrap();
    assert_eq!(commit, place.line(&["rev-parse", "HEAD"]));
    assert_eq!(place.line(&["branch", "--format=%(refname:short)"]), "trunk");
    assert!(!fs::read_to_string(place.at(".git/config")).unwrap().contains("feature"));
    assert!(step.note_program().unwrap().notes.is_empty());
    step.keep().unwrap();
}

#[test]
fn a_branch_before_the_first_commit() {
    let place = Place::new(Sandbox::Auto, Limits::default());
    place.git(&["init", "-q"]);
    let error = place.open().create_branch("x").unwrap_err();
    assert_eq!(error.code, Code::BranchNotFound);
    assert!(error.message.contains("commit first"), "{error}");
    assert_eq!(place.open().create_branch("trunk").unwrap_err().code, Code::BranchAlreadyExists);
    assert_eq!(place.open().switch("x").unwrap_err().code, Code::BranchNotFound);
}

#[test]
fn a_switch_that_would_overwrite_changes_nothing() {
    let place = place();
    place.git(&["switch", "-qc", "other"]);
    place.write("a", "other\n");
    place.write("new", "other\n");
    place.git(&["add", "-A"]);
    place.git(&["commit", "-qm", "Other"]);
    place.git(&["switch", "-q", "trunk"]);
    place.write("a", "mine\n");
    let error = place.open().switch("other").unwrap_err();
    assert_eq!(error.code, Code::LocalChanges, "{error}");
    assert!(error.message.contains("\ta"), "{error}");
    place.git(&["checkout", "-q", "a"]);
    place.write("new", "mine, never committed\n");
    assert_eq!(place.open().switch("other").unwrap_err().code, Code::LocalChanges);
    assert_eq!(fs::read_to_string(place.at("new")).unwrap(), "mine, never committed\n");
    assert_eq!(place.line(&["branch", "--show-current"]), "trunk");
    fs::remove_file(place.at("new")).unwrap();
    place.vet();
    place.hook("post-checkout", "echo hook said no >&2; exit 1");
    let remark = place.open().switch("other").unwrap();
    assert!(remark.unwrap().contains("hook said no"));
    fs::remove_file(place.at(".git/hooks/post-checkout")).unwrap();
    place.git(&["worktree", "add", "-q", "linked", "trunk"]);
    let error = place.open().switch("trunk").unwrap_err();
    assert_eq!(error.code, Code::GitFailed, "{error}");
    assert!(error.message.contains("linked"), "{error}");
}

#[test]
fn a_commit_that_is_cancelled_in_a_hook_leaves_no_lock() {
    let place = place();
    place.vet();
    place.hook("pre-commit", "touch began; sleep 600");
    place.write("a", "changed\n");
    let error = std::thread::scope(|scope| {
        scope.spawn(|| {
            let start = std::time::Instant::now();
            while !place.at("began").exists() && start.elapsed().as_secs() < 60 {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            place.cancel.cancel();
        });
        place.open().commit(&all("x")).unwrap_err()
    });
    assert_eq!(error.code, Code::Cancelled, "{error}");
    assert!(!place.at(".git/index.lock").exists());
    fs::remove_file(place.at(".git/hooks/pre-commit")).unwrap();
    assert_eq!(place.line(&["rev-list", "--count", "HEAD"]), "1");
    place.git(&["commit", "-qam", "Later"]);
}

#[test]
fn a_hook_that_takes_too_long_is_ended() {
    let limits = Limits { hook_time: std::time::Duration::from_secs(2), ..Limits::default() };
    let place = Place::new(Sandbox::Auto, limits);
    place.git(&["init", "-q"]);
    place.vet();
    place.hook("pre-commit", "sleep 600");
    place.write("a", "a\n");
    let error = place.open().commit(&all("x")).unwrap_err();
    assert_eq!(error.code, Code::Timeout);
    assert!(error.message.contains("did not end in 2 seconds"), "{error}");
}

#[test]
fn commits_at_once_wait_for_each_other() {
    let place = place();
    let made = std::thread::scope(|scope| {
        let one = |at: usize| {
            let place = &place;
            scope.spawn(move || {
                let name = format!("file{at}");
                place.write(&name, "x\n");
                let files = [name];
                let commit =
                    Commit { message: "x", stage: Stage::Only(&files), ..Commit::default() };
                place.open().commit(&commit)
            })
        };
        let threads: Vec<_> = (0..4).map(one).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    assert!(made.iter().all(Result::is_ok), "{made:?}");
    assert_eq!(place.line(&["rev-list", "--count", "HEAD"]), "5");
    place.git(&["fsck", "--strict"]);
}

#[test]
fn a_commit_respects_what_is_staged_and_says_what_it_holds() {
    let place = place();
    let usual = |message| Commit { message, stage: Stage::StagedOrAll, ..Commit::default() };
    place.write("a", "changed\n");
    place.write("b", "not asked for\n");
    place.git(&["add", "a"]);
    let done = place.open().commit(&usual("Staged")).unwrap();
    assert_eq!((done.files, done.warnings), (vec!["a".to_owned()], vec![]));
    assert_eq!(place.line(&["show", "--format=", "--name-only"]), "a");

    // Nothing is staged: all, but not the copy that an edit left; what may be secret is named.
    place.write("a.backup", "one\n");
    place.write("alone.backup", "a file like others\n");
    place.write(".env", "KEY=1\n");
    place.write(".env.example", "KEY=\n");
    let done = place.open().commit(&usual("All")).unwrap();
    assert_eq!(done.files, [".env", ".env.example", "alone.backup", "b"]);
    let said = done.warnings.join("\n");
    assert!(said.contains("keys or passwords: .env\n"), "{said}");
    assert!(said.contains("left out, being backups: a.backup;"), "{said}");
    assert_eq!(place.line(&["status", "--porcelain"]), "?? a.backup");

    // Who names it means it.
    let named = ["a.backup".to_owned()];
    let commit = Commit { message: "Named", stage: Stage::Only(&named), ..Commit::default() };
    let done = place.open().commit(&commit).unwrap();
    assert_eq!(done.warnings, ["committed, and are backups: a.backup"]);
}
