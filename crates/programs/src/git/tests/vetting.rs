//! What changes a repository runs the programs of its own only once its user vetted it.

use super::evil::{Evil, evil};
use super::*;

/// Changes in every way there is.
fn change(evil: &Evil) {
    let place = &evil.place;
    place.write("b.txt", "b\n");
    let repository = place.open();
    let file = ["b.txt".to_owned()];
    let _ = repository.stage(&file);
    let _ = repository.unstage(&file);
    let _ = repository.stage(&file);
    let _ = repository.commit(&Commit { message: "Second", ..Commit::default() });
    let _ = repository.create_branch("side");
    let _ = repository.switch("side");
    place.write("a.txt", "two\n");
    let all = Commit { message: "Third", stage: Stage::All, ..Commit::default() };
    let _ = repository.commit(&all);
    let _ = repository.commit(&Commit { amend: true, ..all });
    let _ = repository.switch("trunk");
    let _ = repository.pull("origin", Some("trunk"));
    let _ = repository.push("origin", Some("trunk"));
    let _ = repository.delete_branch("side");
}

fn hooks(evil: &Evil, folder: &str) {
    fs::create_dir_all(evil.place.at(folder)).unwrap();
    for hook in [
        "applypatch-msg",
        "commit-msg",
        "post-checkout",
        "post-commit",
        "post-index-change",
        "post-merge",
        "post-rewrite",
        "pre-auto-gc",
        "pre-commit",
        "pre-merge-commit",
        "pre-push",
        "pre-rebase",
        "prepare-commit-msg",
        "reference-transaction",
    ] {
        fs::copy(evil.place.at("evil.sh"), evil.place.at(folder).join(hook)).unwrap();
    }
}

/// A remote beside the repository, whose hooks are evil as well.
fn remote(evil: &Evil) {
    let place = &evil.place;
    place.git(&["add", "evil.sh"]); // so that it is there on every branch
    place.git(&["commit", "-qm", "Script"]);
    place.git(&["clone", "-q", "--bare", ".", "../far.git"]);
    hooks(evil, "../far.git/hooks");
    for hook in ["pre-receive", "update", "post-receive"] {
        fs::copy(place.at("evil.sh"), place.at("../far.git/hooks").join(hook)).unwrap();
    }
    place.git(&["remote", "add", "origin", place.at("../far.git").to_str().unwrap()]);
}

#[test]
fn hooks_run_only_once_they_are_vetted() {
    for folder in [".git/hooks", ".git/own"] {
        let evil = evil();
        remote(&evil);
        hooks(&evil, folder);
        if folder == ".git/own" {
            evil.place.git(&["config", "core.hooksPath", ".git/own"]);
        }
        change(&evil);
        evil.nothing_ran();
        assert_eq!(evil.place.line(&["log", "--format=%s", "-1", "side"]), "Third");
        evil.place.write("c.txt", "c\n");
        let file = ["c.txt".to_owned()];
        let (_, remark) = evil.place.open().stage(&file).unwrap();
        let remark = remark.unwrap();
        assert!(remark.contains("hook") && remark.contains("kitbag trust-repo"), "{remark}");
        evil.place.vet();
        evil.place.open().unstage(&file).unwrap();
        assert!(evil.place.at("../RAN").exists(), "{folder}: a vetted hook does not run");
    }
}

#[test]
fn settings_that_name_programs_are_replaced_or_refused() {
    for key in [
        "core.fsmonitor",
        "core.editor",
        "core.pager",
        "core.askPass",
        "core.sshCommand",
        "core.gitProxy",
        "core.alternateRefsCommand",
        "sequence.editor",
        "credential.helper",
        "credential.https://example.org.helper",
        "gpg.program",
        "gpg.openpgp.program",
        "diff.external",
        "remote.origin.uploadpack",
        "remote.origin.receivepack",
        "hook.mine.command",
    ] {
        let evil = evil();
        remote(&evil);
        evil.set("commit.gpgSign", "false");
        if key.starts_with("gpg.") {
            evil.set("commit.gpgSign", "true");
        }
        if key == "core.sshCommand" {
            evil.set("remote.origin.url", "ssh://127.0.0.1:1/x");
        }
        if key == "hook.mine.command" {
            evil.place.git(&["config", "hook.mine.event", "pre-commit"]);
        }
        evil.set(key, "EVIL");
        change(&evil);
        evil.nothing_ran();
    }
    let evil = evil();
    evil.set("protocol.ext.allow", "always");
    evil.set("remote.origin.url", "ext::EVIL");
    change(&evil);
    evil.nothing_ran();
}

#[test]
fn a_merge_driver_is_refused_since_without_it_the_result_is_another() {
    let evil = evil();
    remote(&evil);
    evil.set("merge.mine.driver", "EVIL");
    let error = evil.place.open().pull("origin", Some("trunk")).unwrap_err();
    assert_eq!(error.code, Code::PermissionDenied, "{error}");
    assert!(error.message.contains("merge.mine.driver"), "{error}");
}

#[test]
fn a_file_with_a_filter_is_staged_only_once_that_is_vetted() {
    for kind in ["clean", "process"] {
        let evil = evil();
        let place = &evil.place;
        evil.set(&format!("filter.mine.{kind}"), "EVIL");
        place.write(".gitattributes", "*.bin filter=mine\n");
        place.write("x.bin", "x\n");
        place.write("y.txt", "y\n");
        for (files, staged) in [
            (vec![], false),
            (vec!["x.bin".to_owned()], false),
            (vec![".".to_owned()], false),
            (vec!["y.txt".to_owned()], true),
        ] {
            match place.open().stage(&files) {
                Ok(_) => assert!(staged, "{files:?}"),
                Err(error) => {
                    assert!(!staged, "{files:?}: {error}");
                    assert_eq!(error.code, Code::PermissionDenied, "{error}");
                    let text = &error.message;
                    assert!(text.contains("filter mine") && text.contains("kitbag trust-repo"));
                }
            }
        }
        assert_eq!(place.line(&["diff", "--cached", "--name-only"]), "y.txt");
        let only = ["x.bin".to_owned()];
        let commit = Commit { message: "X", stage: Stage::Only(&only), ..Commit::default() };
        assert_eq!(place.open().commit(&commit).unwrap_err().code, Code::PermissionDenied);
        place.git(&["branch", "side"]);
        assert_eq!(place.open().switch("side").unwrap_err().code, Code::PermissionDenied);
        evil.nothing_ran();
    }
    let evil = evil();
    evil.set("filter.mine.clean", "EVIL");
    evil.place.write(".gitattributes", "*.bin filter=mine\n");
    evil.place.write("x.bin", "x\n");
    evil.place.vet();
    evil.place.open().stage(&["x.bin".to_owned()]).unwrap();
    assert!(evil.place.at("../RAN").exists());
}

#[test]
fn what_the_person_configured_runs_as_before() {
    let evil = evil();
    let place = &evil.place;
    let home = place.dir.path().join("home");
    fs::create_dir(home.join("hooks")).unwrap();
    let hook = home.join("hooks/pre-commit");
    fs::write(&hook, format!("#!/bin/sh\ntouch '{}'\n", place.at("../MINE").display())).unwrap();
    make_executable(&hook);
    let mut config = fs::read_to_string(home.join(".gitconfig")).unwrap();
    config += &format!(
        "[core]\nhooksPath = {}\n[filter \"upper\"]\nclean = tr a-z A-Z\n",
        home.join("hooks").display()
    );
    fs::write(home.join(".gitconfig"), config).unwrap();
    evil.set("filter.upper.clean", "EVIL");
    evil.set("core.hooksPath", "hooks");
    hooks(&evil, "hooks");
    place.write(".gitattributes", "*.txt filter=upper\n");
    place.write("b.txt", "b\n");
    let only = ["b.txt".to_owned()];
    let commit = Commit { message: "B", stage: Stage::Only(&only), ..Commit::default() };
    place.open().commit(&commit).unwrap();
    assert_eq!(place.line(&["show", "HEAD:b.txt"]), "B");
    assert!(place.at("../MINE").exists(), "the person's own hook did not run");
    evil.nothing_ran();
}

#[test]
fn another_repository_at_the_same_place_is_not_vetted() {
    let evil = evil();
    let place = &evil.place;
    place.vet();
    assert_eq!(place.vetted().list().unwrap(), [place.at(".git")]);
    assert!(place.open().is_vetted);
    let kept = place.at("../kept");
    fs::rename(place.at(".git"), &kept).unwrap();
    place.git(&["clone", "-q", "--bare", kept.to_str().unwrap(), ".git"]);
    place.git(&["config", "core.bare", "false"]);
    hooks(&evil, ".git/hooks");
    assert!(!place.open().is_vetted);
    change(&evil);
    evil.nothing_ran();
    place.vet();
    assert_eq!(place.vetted().list().unwrap().len(), 1, "the new one takes the place of the old");
    assert!(place.vetted().remove(&place.at(".git")).unwrap());
    assert!(!place.vetted().remove(&place.at(".git")).unwrap());
    assert!(!place.open().is_vetted);
    assert_eq!(place.vetted().list().unwrap(), Vec::<PathBuf>::new());
}
