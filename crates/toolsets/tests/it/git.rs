//! The git tools of each dialect on real repositories.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use fault::{Cancel, Code};
use files::{Limits, State, Workspace};
use programs::git::{Repository, Vetted};
use programs::process::{self, Runner};
use toolkit::serde_json::{Value, json};
use toolkit::testing::{self, block_on, run, run_with};
use toolkit::{Answer, Asking, Body, Call, Done, Outcome, Policy, Session, Settings, call};

/// A repository with one commit of `a.txt` on `trunk`, and a bare one in it that is its remote.
pub(crate) struct Place(testing::Place);

pub(crate) fn place() -> Place {
    place_with(|_| {})
}

fn place_with(set: impl FnOnce(&mut Settings)) -> Place {
    let place = Place(crate::place(&[], set));
    place.git(&["init", "-q", "-b", "trunk"]);
    for (key, value) in
        [("user.name", "Ann"), ("user.email", "ann@example.org"), ("commit.gpgSign", "false")]
    {
        place.git(&["config", key, value]);
    }
    place.write("a.txt", "one\n");
    place.git(&["add", "-A"]);
    place.git(&["commit", "-qm", "First"]);
    place.git(&["clone", "-q", "--bare", ".", "far.git"]);
    place.write(".git/info/exclude", "far.git\n");
    place.git(&["remote", "add", "origin", "far.git"]);
    place
}

impl Place {
    pub(crate) fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.0.root(), args)
    }

    pub(crate) fn git_in(&self, dir: &Path, args: &[&str]) -> String {
        let done = Command::new("git").args(args).current_dir(dir).output().unwrap();
        assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).trim_end().to_owned()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        self.0.write(path, text);
    }

    /// Its user lets its hooks run, and those of what it pushes to.
    pub(crate) fn vet(&self) {
        let state = State::new(self.0.state(""));
        let env = std::env::vars_os().collect();
        let settings = process::Settings { env, ..Default::default() };
        let runner = Runner::new(settings, state.clone(), "vetting");
        let workspace = Workspace::open(&self.0.root(), &[], Limits::default()).unwrap();
        let (vetted, cancel) = (Vetted::new(state), Cancel::default());
        let found = Repository::open(&runner, &workspace, &cancel, None, &vetted, ".").unwrap();
        found.vet(&vetted).unwrap();
    }

    pub(crate) fn root(&self) -> std::path::PathBuf {
        self.0.root()
    }

    pub(crate) fn session(&self, toolset: &str) -> Arc<Session> {
        crate::open(&self.0, toolset, Policy::Trust)
    }
}

/// The fields of a result that must be a success.
#[track_caller]
fn fields(outcome: Done) -> Value {
    assert_eq!(outcome.error, None);
    match outcome.body {
        Body::Json(mut value) => match value.get_mut("data") {
            Some(data) => data.take(),
            None => value,
        },
        Body::Text(text) => panic!("{text}"),
    }
}

#[test]
fn what_a_person_allows_is_staged_and_committed() {
    for toolset in ["floyd", "stack"] {
        let place = place();
        let session = crate::open(&place.0, toolset, Policy::Ask);
        let allowed = |tool: &str, input: Value| {
            fields(run_with(&session, tool, input, |_| Some(Answer::Yes)))
        };
        place.write("a.txt", "one\nmore\n");
        if toolset == "floyd" {
            let staged = allowed("git_stage", json!({"files": ["a.txt"]}));
            assert_eq!(staged["staged"], json!(["a.txt"]));
            allowed("git_commit", json!({"message": "Two"}));
        } else {
            allowed("git_commit", json!({"message": "Two", "all": true}));
        }
        let head = std::fs::read_to_string(place.root().join(".git/logs/HEAD")).unwrap();
        assert!(head.lines().last().unwrap().ends_with("Two"), "{head}");
    }
}

#[test]
fn floyd_goes_from_a_change_to_a_commit_on_another_branch() {
    for toolset in ["floyd", "floyd-0.1.0"] {
        let place = place();
        let session = place.session(toolset);
        let ask = |tool: &str, input: Value| fields(run(&session, tool, input));
        place.write("a.txt", "one\ntwo\n");
        place.write("b c.txt", "b\n");
        let status = ask("git_status", json!({}));
        assert_eq!(
            status,
            json!({"isRepo": true, "current": "trunk", "tracking": null, "ahead": 0, "behind": 0,
                "files": [{"path": "a.txt", "status": "M", "staged": false},
                          {"path": "b c.txt", "status": "??", "staged": false}]})
        );
        let diff = ask("git_diff", json!({"files": ["a.txt"]}));
        assert_eq!(diff["raw"], place.git(&["diff", "a.txt"]) + "\n");
        assert_eq!(
            diff["files"],
            json!([{"file": "a.txt", "status": "modified", "chunks": [
                {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 2, "content": " one\n+two\n"}]}])
        );
        assert_eq!(ask("git_stage", json!({"files": ["a.txt"]}))["staged"], json!(["a.txt"]));
        assert_eq!(ask("git_unstage", json!({}))["unstaged"], json!(["a.txt"]));
        let made = ask("git_branch", json!({"action": "create", "name": "develop/x"}));
        assert_eq!(made, json!({"success": true, "branch": "develop/x", "created": true}));
        assert_eq!(place.git(&["branch", "--show-current"]), "trunk");
        ask("git_branch", json!({"action": "switch", "name": "develop/x"}));
        let commit = ask("git_commit", json!({"message": "Two", "stage_files": ["a.txt"]}));
        assert_eq!(commit["hash"], place.git(&["rev-parse", "HEAD"]));
        assert_eq!(
            commit["warnings"],
            json!(["ProtectedBranch: Committing to protected branch: develop/x"])
        );
        assert_eq!(place.git(&["status", "--porcelain"]), "?? \"b c.txt\"");
        let log = ask("git_log", json!({"maxCount": 1}));
        assert_eq!(log["commits"][0]["message"], "Two");
        assert_eq!(log["commits"][0]["date"], place.git(&["log", "-1", "--format=%aI"]));
        let branches = ask("git_branch", json!({}));
        assert_eq!(
            branches["branches"],
            json!([{"name": "develop/x", "current": true}, {"name": "trunk", "current": false}])
        );
        assert_eq!(ask("is_protected_branch", json!({}))["isProtected"], true);
        assert_eq!(ask("is_protected_branch", json!({"branch": "trunk"}))["isProtected"], false);
        let again = run(&session, "git_commit", json!({"message": "x", "stageAll": false}));
        assert_eq!(again.error.unwrap().code, Code::NothingToCommit);
    }
}

#[test]
fn a_hook_that_refuses_is_told_with_what_it_printed() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = place();
    place.vet();
    place.write(".git/hooks/pre-commit", "#!/bin/sh\necho 'line 3: too long'\nexit 1\n");
    let hook = place.0.path(".git/hooks/pre-commit");
    fs::set_permissions(hook, fs::Permissions::from_mode(0o755)).unwrap();
    place.write("a.txt", "two\n");
    let outcome = run(&place.session("floyd"), "git_commit", json!({"message": "x"}));
    let Body::Json(body) = outcome.body else { panic!() };
    assert_eq!(body["error"]["code"], "HookFailed");
    assert_eq!(body["error"]["details"]["output"], "line 3: too long");
    assert_eq!(outcome.error.unwrap().code, Code::HookFailed);
}

#[test]
fn what_a_switch_did_to_files_can_be_undone() {
    let place = place();
    place.git(&["switch", "-qc", "other"]);
    place.write("a.txt", "other\n");
    place.git(&["commit", "-qam", "Other"]);
    let session = place.session("floyd");
    let outcome = run(&session, "git_branch", json!({"action": "switch", "name": "trunk"}));
    assert!(outcome.step.is_some());
    assert_eq!(place.0.read("a.txt"), "one\n");
}

#[test]
fn listing_branches_starts_no_step_and_a_change_is_asked_about_by_its_command() {
    let place = place_with(|settings| {
        settings.programs.layer = false; // so nothing is tried before the question
        settings.programs.network = programs::process::Network::On; // so programs are asked about
    });
    let session = crate::open(&place.0, "floyd", Policy::Auto);
    let asked = |tool: &str, input: Value| {
        let call_ = Call { asking: Asking::Return, ..Call::new(tool, input) };
        match block_on(call(&session, call_)) {
            Outcome::Asks(question) => Some(question.shown),
            Outcome::Done(_) => None,
        }
    };
    assert_eq!(asked("git_branch", json!({})), None);
    assert!(!place.0.state("journal").exists());
    let command =
        asked("git_branch", json!({"action": "switch", "name": "it's", "repoPath": "sub"}));
    assert_eq!(command.as_deref(), Some(r"git -C sub switch --no-guess 'it'\''s'"));
    let command = asked("git_commit", json!({"message": "Two words", "stageFiles": ["a b"]}));
    assert_eq!(
        command.as_deref(),
        Some("git add --all -- 'a b'\ngit commit '--message=Two words' --only -- 'a b'")
    );
}

#[test]
fn stack_pushes_and_pulls() {
    let place = place();
    place.vet();
    let session = place.session("stack");
    let ask = |tool: &str, input: Value| fields(run(&session, tool, input));
    place.write("a.txt", "two\n");
    assert_eq!(ask("git_status", json!({}))["files"], json!(["a.txt"]));
    assert_eq!(ask("git_diff", json!({}))["has_changes"], true);
    ask("git_commit", json!({"message": "Two"}));
    let pushed = ask("git_push", json!({}));
    assert_eq!((&pushed["success"], &pushed["branch"]), (&json!(true), &json!("trunk")));
    let far = || place.git_in(&place.0.path("far.git"), &["rev-parse", "trunk"]);
    assert_eq!(far(), place.git(&["rev-parse", "HEAD"]));
    assert_eq!(place.git(&["rev-parse", "--abbrev-ref", "@{upstream}"]), "origin/trunk");
    assert_eq!(ask("git_push", json!({}))["note"], "the remote had all of it already");
    place.git(&["reset", "-q", "--hard", "HEAD^"]);
    let pulled = ask("git_pull", json!({"remote": "origin"}));
    assert_eq!(pulled["branch"], "trunk");
    assert_eq!(far(), place.git(&["rev-parse", "HEAD"]));
    assert_eq!(ask("git_log", json!({"limit": 1}))["commits"].as_array().unwrap().len(), 1);
    assert_eq!(ask("git_branch", json!({"create": "side"}))["created"], "side");
    assert_eq!(place.git(&["branch", "--show-current"]), "side");
    let failed = run(&session, "git_branch", json!({"delete": "side"}));
    assert_eq!(failed.error.unwrap().code, Code::GitFailed);
    place.git(&["switch", "-q", "trunk"]);
    assert_eq!(ask("git_branch", json!({"delete": "side"}))["deleted"], "side");
    assert_eq!(ask("git_branch", json!({}))["branches"], json!(["trunk"]));
    place.git(&["commit", "-q", "--allow-empty", "--amend", "-m", "Other"]);
    let failed = run(&session, "git_push", json!({}));
    assert_eq!(failed.error.unwrap().code, Code::PushRejected);
}

#[test]
fn what_was_not_run_is_said_once() {
    let place = place();
    place.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n");
    for (toolset, field) in [("stack", "note"), ("floyd", "data")] {
        place.write("a.txt", toolset);
        let done = run(&place.session(toolset), "git_commit", json!({"message": "Two"}));
        assert_eq!(done.error, None);
        let Body::Json(body) = &done.body else { panic!("no object") };
        let said = body[field].to_string();
        assert_eq!(
            said.matches("not run, because this repository is not trusted").count(),
            1,
            "{said}"
        );
    }
}

#[test]
fn a_long_diff_is_cut_and_said() {
    let place = place();
    place.write("a.txt", &"a line of text\n".repeat(20_000));
    place.write("small", "s\n");
    place.git(&["add", "-A"]);
    let diff = fields(run(&place.session("floyd"), "git_diff", json!({"staged": true})));
    assert!(diff.get("raw").is_none());
    assert_eq!(diff["note"], "1 chunk left out; name files to see all");
    assert_eq!(diff["files"][0]["chunks"], json!([]));
    assert_eq!(diff["files"][1]["chunks"][0]["content"], "+s\n");
    let diff = fields(run(&place.session("stack"), "git_diff", json!({"staged": true})));
    assert!(diff["diff"].as_str().unwrap().len() <= 51_200, "{}", diff["note"]);
    assert!(diff["note"].as_str().unwrap().contains("bytes are left out"));
}
