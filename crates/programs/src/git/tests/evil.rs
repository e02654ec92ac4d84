//! A repository that somebody else made runs nothing when it is looked at.

use super::*;

/// Without a sandbox, so that whatever runs leaves its mark.
pub(super) struct Evil {
    pub(super) place: Place,
    mark: PathBuf,
    pub(super) script: String,
}

pub(super) fn evil() -> Evil {
    let place = Place::new(Sandbox::Off, Limits::default());
    place.git(&["init", "-q", "-b", "trunk"]);
    place.write("a.txt", "one\n");
    place.git(&["add", "-A"]);
    place.git(&["commit", "-qm", "First"]);
    let mark = place.at("../RAN");
    place.write("evil.sh", &format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\ncat\n", mark.display()));
    make_executable(&place.at("evil.sh"));
    let script = place.at("evil.sh").display().to_string();
    Evil { place, mark, script }
}

impl Evil {
    pub(super) fn set(&self, key: &str, value: &str) {
        self.place.git(&["config", key, &value.replace("EVIL", &self.script)]);
    }

    /// Looks in every way there is.
    fn look(&self) {
        // Of the same size and another time, so that git must read it.
        self.place.write("a.txt", "two\n");
        self.look_in(".");
    }

    fn look_in(&self, dir: &str) {
        let Ok(repository) = self.place.open_in(dir) else { return };
        let _ = repository.status();
        for staged in [false, true] {
            let _ = repository.diff(&[], staged);
            let _ = repository.diff(&["a.txt".to_owned()], staged);
        }
        let log = Wanted { count: 9, since: Some("1 year ago"), ..Wanted::default() };
        let _ = repository.log(&log);
        let _ = repository.log(&Wanted { file: Some("gone"), ..log });
        let _ = (repository.head(), repository.branches(), repository.commit_of("trunk"));
    }

    #[track_caller]
    pub(super) fn nothing_ran(&self) {
        let ran = fs::read_to_string(&self.mark).unwrap_or_default();
        assert_eq!(ran, "");
    }

    /// The same by plain git, so that the test would see it.
    #[track_caller]
    pub(super) fn plain_git_runs_it(&self, args: &[&str]) {
        self.place.try_git("", args);
        assert!(self.mark.exists(), "git {args:?} does not run it, so this shows nothing");
    }
}

#[test]
fn monitors_of_the_file_system_do_not_run() {
    let evil = evil();
    evil.set("core.fsmonitor", "EVIL");
    evil.look();
    evil.nothing_ran();
    evil.plain_git_runs_it(&["status"]);
}

#[test]
fn hooks_do_not_run() {
    let evil = evil();
    fs::create_dir_all(evil.place.at("hooks")).unwrap();
    for hook in ["post-index-change", "pre-commit", "reference-transaction", "post-checkout"] {
        fs::copy(evil.place.at("evil.sh"), evil.place.at(format!("hooks/{hook}"))).unwrap();
    }
    evil.set("core.hooksPath", &evil.place.at("hooks").display().to_string());
    evil.look();
    evil.nothing_ran();
    evil.place.write("a.txt", "one\n");
    evil.plain_git_runs_it(&["status"]);
}

#[test]
fn external_diffs_and_converters_do_not_run() {
    let evil = evil();
    evil.set("diff.external", "EVIL");
    evil.look();
    evil.set("diff.mine.command", "EVIL");
    evil.set("diff.mine.textconv", "EVIL");
    evil.place.write(".gitattributes", "*.txt diff=mine\n");
    evil.look();
    evil.nothing_ran();
    evil.plain_git_runs_it(&["diff"]);
}

#[test]
fn filters_do_not_run_and_that_is_said() {
    for key in ["clean", "process", "smudge"] {
        for name in ["mine", "with=sign", "with.dot", "With Upper"] {
            let evil = evil();
            evil.set(&format!("filter.{name}.{key}"), "EVIL");
            evil.set(&format!("filter.{name}.required"), "true");
            evil.place.write(".git/info/attributes", &format!("*.txt filter=\"{name}\"\n"));
            evil.place
                .write(".gitattributes", &format!("*.txt filter={}\n", name.replace(' ', "")));
            evil.look();
            evil.nothing_ran();
            let note = evil.place.open().note().unwrap();
            assert!(note.contains(name), "{note}");
            assert!(evil.place.open().status().is_ok());
        }
    }
    let evil = evil();
    evil.set("filter.mine.clean", "EVIL");
    evil.place.write(".gitattributes", "*.txt filter=mine\n");
    evil.look();
    evil.nothing_ran();
    evil.plain_git_runs_it(&["diff"]);
}

#[test]
fn filters_of_the_person_do_run() {
    let evil = evil();
    let home = evil.place.dir.path().join("home/.gitconfig");
    let mut config = fs::read_to_string(&home).unwrap();
    config += "[filter \"upper\"]\nclean = tr a-z A-Z\n";
    fs::write(&home, config).unwrap();
    // The repository would put its own in the place of that.
    evil.set("filter.upper.clean", "EVIL");
    evil.place.write(".gitattributes", "*.txt filter=upper\n");
    evil.place.write("a.txt", "two\n");
    let diff = evil.place.open().diff(&["a.txt".to_owned()], false).unwrap();
    assert_eq!(diff.files[0].chunks[0].content, "-one\n+TWO\n");
    evil.nothing_ran();
}

#[test]
fn included_configuration_is_no_way_around() {
    let evil = evil();
    let file = evil.place.at("extra");
    fs::write(
        &file,
        format!(
            "[core]\nfsmonitor = {0}\n[filter \"x\"]\nclean = {0}\n[diff]\nexternal = {0}\n",
            evil.script
        ),
    )
    .unwrap();
    evil.set("include.path", &file.display().to_string());
    evil.place.write(".gitattributes", "*.txt filter=x\n");
    evil.look();
    evil.nothing_ran();
    evil.plain_git_runs_it(&["diff"]);
    let evil = self::evil();
    evil.place.git(&["config", "extensions.worktreeConfig", "true"]);
    evil.place.git(&["config", "--worktree", "filter.y.clean", &evil.script]);
    evil.place.write(".gitattributes", "*.txt filter=y\n");
    evil.look();
    evil.nothing_ran();
    evil.plain_git_runs_it(&["diff"]);
}

#[test]
fn pagers_aliases_editors_and_signatures_do_not_run() {
    let evil = evil();
    for key in ["core.pager", "pager.log", "pager.status", "pager.diff", "core.editor"] {
        evil.set(key, "EVIL");
    }
    for command in ["status", "diff", "log", "config", "rev-parse", "for-each-ref"] {
        evil.set(&format!("alias.{command}"), "!EVIL");
    }
    for key in ["gpg.program", "gpg.ssh.program", "gpg.x509.program", "core.sshCommand"] {
        evil.set(key, "EVIL");
    }
    for key in ["core.askPass", "credential.helper", "core.alternateRefsCommand"] {
        evil.set(key, "EVIL");
    }
    evil.set("log.showSignature", "true");
    let tree = evil.place.line(&["rev-parse", "HEAD^{tree}"]);
    let raw = format!(
        "tree {tree}\nauthor A <a@b> 1700000000 +0000\ncommitter A <a@b> 1700000000 +0000\n\
         gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ\n -----END PGP SIGNATURE-----\n\nSigned\n"
    );
    fs::write(evil.place.at("../commit"), raw).unwrap();
    let hash = evil.place.line(&["hash-object", "-t", "commit", "-w", "../commit"]);
    evil.place.git(&["update-ref", "refs/heads/trunk", &hash]);
    evil.look();
    evil.nothing_ran();
    assert_eq!(
        evil.place.open().log(&Wanted { count: 1, ..Wanted::default() }).unwrap().0[0].message,
        "Signed"
    );
    evil.plain_git_runs_it(&["log", "-1"]);
}

#[test]
fn a_partial_clone_fetches_nothing() {
    let evil = evil();
    let blob = evil.place.line(&["rev-parse", "HEAD:a.txt"]);
    fs::remove_file(evil.place.at(format!(".git/objects/{}/{}", &blob[..2], &blob[2..]))).unwrap();
    evil.set("core.repositoryFormatVersion", "1");
    evil.set("extensions.partialClone", "origin");
    evil.set("remote.origin.promisor", "true");
    evil.set("remote.origin.url", &evil.place.at("").display().to_string());
    evil.set("remote.origin.uploadpack", "EVIL");
    evil.look();
    evil.set("remote.origin.url", "host:repository");
    evil.set("core.sshCommand", "EVIL");
    evil.look();
    evil.set("protocol.ext.allow", "always");
    evil.set("remote.origin.url", "ext::EVIL");
    evil.look();
    evil.nothing_ran();
    // It must not wait for an answer of git, which waits for one of it.
    evil.place.write("evil.sh", &format!("#!/bin/sh\ntouch '{}'\n", evil.mark.display()));
    evil.plain_git_runs_it(&["diff"]);
}

#[test]
fn a_submodule_is_not_entered() {
    let evil = evil();
    evil.place.git(&["init", "-q", "../source"]);
    evil.place.git_in("../source", &["commit", "-q", "--allow-empty", "-m", "One"]);
    evil.place.git(&["submodule", "--quiet", "add", "../source", "module"]);
    evil.place.git_in("module", &["config", "core.fsmonitor", &evil.script]);
    evil.place.git_in("module", &["config", "filter.x.clean", &evil.script]);
    evil.place.write("module/.gitattributes", "* filter=x\n");
    evil.set("submodule.module.update", "!EVIL");
    evil.set("diff.submodule", "diff");
    evil.set("status.submoduleSummary", "true");
    evil.look();
    evil.look_in("module");
    evil.nothing_ran();
    evil.plain_git_runs_it(&["status"]);
}

#[test]
fn a_repository_among_the_files_of_another_is_only_looked_at() {
    let evil = evil();
    evil.place.git(&["init", "-q", "--bare", "data"]);
    evil.place.git_in("data", &["config", "core.fsmonitor", &evil.script]);
    evil.place.git_in("data", &["config", "core.bare", "false"]);
    evil.place.git_in("data", &["config", "core.worktree", "."]);
    evil.look_in("data");
    evil.nothing_ran();
}
