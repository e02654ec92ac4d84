//! What a result says was done was done: each sentence in the past tense is made false, and is then
//! not said.

use std::process::Command;

use toolkit::serde_json::{self, Value, json};
use toolkit::testing::{Place, run};
use toolkit::{Done, Policy};

use crate::{open, place};

/// A call, and by shell commands in the root: what is there before it, what keeps it from doing what
/// it says, and whether that was done.
struct Row {
    tool: (&'static str, &'static str),
    input: &'static str,
    given: &'static str,
    hinder: &'static str,
    says: &'static str,
    holds: &'static str,
}

const fn row(
    tool: (&'static str, &'static str),
    input: &'static str,
    [given, hinder]: [&'static str; 2],
    says: &'static str,
    holds: &'static str,
) -> Row {
    Row { tool, input, given, hinder, says, holds }
}

const SUCCESS: &str = "\"success\":true";

const ONE: [&str; 2] = ["echo one > a.txt", "echo two > a.txt"];
const TWICE: [&str; 2] = ["echo one one > a.txt", "echo two > a.txt"];
const NO_FILE: [&str; 2] = ["echo one > a.txt", "rm a.txt; mkdir a.txt"];
const NO_PLACE: [&str; 2] = ["", "echo x > d"];
const MADE: &str = "grep -qx new d/a.txt";
const CHANGED: &str = "grep -qx 1 a.txt";

const REPOSITORY: &str = "git init -qb trunk; git config user.name Ann; git config user.email a@b; \
    git config commit.gpgSign false; echo one > a.txt; git add -A; git commit -qm First; \
    git branch other; git clone -q --bare . far.git; echo far.git > .git/info/exclude; \
    git remote add origin far.git; git fetch -q; echo two > a.txt";
const LOCKED: [&str; 2] = [REPOSITORY, "touch .git/index.lock"];
const TASK: &str = r#"echo '[{"id": "t1", "title": "Fix", "status": "pending"}]' > .tasks.json"#;
const PLAN: &str = r#"echo '[{"id": "p1", "goal": "Fix", "steps": []}]' > .plans.json"#;

const ROWS: &[Row] = &[
    row(
        ("kit", "edit"),
        r#"{"path": "d/a.txt", "new": "new\n"}"#,
        NO_PLACE,
        "created, 1 line",
        MADE,
    ),
    row(
        ("kit", "edit"),
        r#"{"path": "a.txt", "old": "one", "new": "1"}"#,
        ONE,
        "line 1 changed",
        CHANGED,
    ),
    row(
        ("kit", "edit"),
        r#"{"path": "a.txt", "move_to": "d/a.txt"}"#,
        ["echo new > a.txt", "echo x > d"],
        "moved",
        MADE,
    ),
    row(
        ("kit", "edit"),
        r#"{"path": "d/a.txt", "remove": true}"#,
        ["mkdir d; echo one > d/a.txt", "rm -r d; echo x > d"],
        "removed",
        "[ -d d ] && [ ! -e d/a.txt ]",
    ),
    row(
        ("kit", "edit"),
        r#"{"patch": "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n"}"#,
        ONE,
        "line 1 changed",
        CHANGED,
    ),
    row(("fiz", "write"), r#"{"path": "d/a.txt", "content": "new\n"}"#, NO_PLACE, "Wrote ", MADE),
    row(
        ("fiz", "edit"),
        r#"{"path": "a.txt", "edits": [{"oldText": "one", "newText": "1"}]}"#,
        ONE,
        "Replaced 1 occurrence in a.txt",
        CHANGED,
    ),
    row(
        ("fiz", "edit"),
        r#"{"path": "a.txt", "edits": [{"oldText": "one\n", "newText": "1\n"}, {"oldText": "two", "newText": "2"}]}"#,
        ["printf 'one\ntwo\n' > a.txt", "printf 'one\nthree\n' > a.txt"],
        "Applied 2 edits to a.txt",
        CHANGED,
    ),
    row(
        ("fiz", "patch"),
        r#"{"path": "a.txt", "operation": "replace", "search": "one", "content": "1"}"#,
        ONE,
        "Replaced 1 occurrence in a.txt",
        CHANGED,
    ),
    row(
        ("fiz", "patch"),
        r#"{"path": "a.txt", "operation": "replace_all", "search": "one", "content": "1"}"#,
        TWICE,
        "Replaced 2 occurrences in a.txt",
        "grep -qx '1 1' a.txt",
    ),
    row(
        ("fiz", "patch"),
        r#"{"path": "a.txt", "operation": "prepend", "content": "1\n"}"#,
        NO_FILE,
        "Prepended 2 bytes to a.txt",
        CHANGED,
    ),
    row(
        ("fiz", "patch"),
        r#"{"path": "a.txt", "operation": "append", "content": "1\n"}"#,
        NO_FILE,
        "Appended 2 bytes to a.txt",
        CHANGED,
    ),
    row(
        ("floyd", "write_file"),
        r#"{"filePath": "d/a.txt", "content": "new\n"}"#,
        NO_PLACE,
        SUCCESS,
        MADE,
    ),
    row(
        ("floyd", "edit_file"),
        r#"{"filePath": "a.txt", "oldStr": "one", "newStr": "1"}"#,
        ONE,
        SUCCESS,
        CHANGED,
    ),
    row(
        ("floyd", "edit_range"),
        r#"{"filePath": "a.txt", "startLine": 1, "endLine": 1, "content": "1"}"#,
        ["printf 'one\ntwo\n' > a.txt", "echo one > a.txt"],
        SUCCESS,
        CHANGED,
    ),
    row(
        ("floyd", "insert_at"),
        r#"{"filePath": "a.txt", "lineNumber": 2, "content": "1"}"#,
        ["printf 'one\ntwo\n' > a.txt", "echo one > a.txt"],
        SUCCESS,
        CHANGED,
    ),
    row(
        ("floyd", "delete_range"),
        r#"{"filePath": "a.txt", "startLine": 1, "endLine": 1}"#,
        ["printf 'one\ntwo\n' > a.txt", "printf 'two' > a.txt"],
        SUCCESS,
        "! grep -q two a.txt",
    ),
    row(
        ("floyd", "apply_unified_diff"),
        r#"{"diff": "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n"}"#,
        ONE,
        SUCCESS,
        CHANGED,
    ),
    row(
        ("floyd-0.1.0", "search_replace"),
        r#"{"filePath": "a.txt", "searchString": "one", "replaceString": "1"}"#,
        ONE,
        SUCCESS,
        CHANGED,
    ),
    row(
        ("local", "write_file"),
        r#"{"path": "d/a.txt", "content": "new\n"}"#,
        NO_PLACE,
        SUCCESS,
        MADE,
    ),
    row(("local", "delete_file"), r#"{"path": "a.txt"}"#, NO_FILE, SUCCESS, "[ ! -e a.txt ]"),
    row(("local", "create_directory"), r#"{"path": "d"}"#, NO_PLACE, SUCCESS, "[ -d d ]"),
    row(
        ("local", "delete_directory"),
        r#"{"path": "d"}"#,
        ["mkdir d", "rmdir d; echo x > d"],
        SUCCESS,
        "[ ! -e d ]",
    ),
    row(("stack", "write"), r#"{"path": "d/a.txt", "content": "new\n"}"#, NO_PLACE, SUCCESS, MADE),
    row(
        ("stack", "edit"),
        r#"{"path": "a.txt", "old_text": "one", "new_text": "1"}"#,
        ONE,
        SUCCESS,
        CHANGED,
    ),
    row(
        ("stack", "copy"),
        r#"{"source": "a.txt", "destination": "b.txt"}"#,
        ["echo one > a.txt", "rm -f b.txt; mkdir -p b.txt/a.txt"],
        SUCCESS,
        "cmp -s a.txt b.txt",
    ),
    row(
        ("stack", "move"),
        r#"{"source": "a.txt", "destination": "b.txt"}"#,
        ["echo one > a.txt", "echo two > b.txt"],
        SUCCESS,
        "grep -qx one b.txt && [ ! -e a.txt ]",
    ),
    row(
        ("stack", "memory_save"),
        r#"{"key": "Client", "value": "pays late"}"#,
        ["", "mkdir MEMORY.md"],
        "\"saved\":true",
        "grep -q 'pays late' MEMORY.md",
    ),
    row(
        ("stack", "create_task"),
        r#"{"title": "Fix login"}"#,
        ["", "mkdir .tasks.json"],
        SUCCESS,
        "grep -q 'Fix login' .tasks.json",
    ),
    row(
        ("stack", "update_task"),
        r#"{"task_id": "t1", "status": "done"}"#,
        [TASK, "echo '[]' > .tasks.json"],
        "\"updated\":true",
        "grep -q done .tasks.json",
    ),
    row(
        ("stack", "delete_task"),
        r#"{"task_id": "t1"}"#,
        [TASK, "echo '[{\"id\": \"t1\"}' > .tasks.json"],
        "\"deleted\":true",
        "! grep -q t1 .tasks.json",
    ),
    row(
        ("stack", "create_plan"),
        r#"{"goal": "Deploy", "steps": ["Build"]}"#,
        ["", "mkdir .plans.json"],
        SUCCESS,
        "grep -q Deploy .plans.json",
    ),
    row(
        ("stack", "execute_plan"),
        r#"{"plan_id": "p1"}"#,
        [PLAN, "echo '[]' > .plans.json"],
        "\"status\":\"executing\"",
        "grep -q in_progress .plans.json",
    ),
    row(
        ("floyd", "git_stage"),
        r#"{"files": ["a.txt"]}"#,
        LOCKED,
        "\"staged\":[\"a.txt\"]",
        "git diff --cached --name-only | grep -q a.txt",
    ),
    row(
        ("floyd", "git_unstage"),
        r#"{"files": ["a.txt"]}"#,
        [STAGED, "touch .git/index.lock"],
        "\"unstaged\":[\"a.txt\"]",
        "git diff --cached --quiet",
    ),
    row(
        ("floyd", "git_commit"),
        r#"{"message": "Second", "stageAll": true}"#,
        LOCKED,
        SUCCESS,
        "git log --format=%s -1 | grep -qx Second",
    ),
    row(
        ("floyd", "git_branch"),
        r#"{"action": "create", "name": "new"}"#,
        [REPOSITORY, "touch .git/refs/heads/new.lock"],
        "\"created\":true",
        "git rev-parse -q --verify refs/heads/new",
    ),
    row(
        ("floyd", "git_branch"),
        r#"{"action": "switch", "name": "other"}"#,
        LOCKED,
        "\"switched\":true",
        "git symbolic-ref HEAD | grep -q other",
    ),
    row(
        ("stack", "git_commit"),
        r#"{"message": "Second", "files": ["a.txt"]}"#,
        LOCKED,
        SUCCESS,
        "git log --format=%s -1 | grep -qx Second",
    ),
    row(
        ("stack", "git_branch"),
        r#"{"delete": "other"}"#,
        [REPOSITORY, "touch .git/refs/heads/other.lock"],
        "\"deleted\":\"other\"",
        "! git rev-parse -q --verify refs/heads/other",
    ),
    row(
        ("stack", "download"),
        r#"{"url": "http://site.example/data.json", "destination": "d/a.json"}"#,
        NO_PLACE,
        SUCCESS,
        "grep -q 2.50 d/a.json",
    ),
    row(
        ("stack", "git_pull"),
        r#"{"branch": "trunk"}"#,
        [
            "git init -qb trunk far; cd far; git config user.name A; git config user.email a@b; \
             git commit -q --allow-empty -m First; cd ..; git init -qb trunk; \
             git config user.name A; git config user.email a@b; git remote add origin far; \
             git pull -q origin trunk; cd far; git commit -q --allow-empty -m Second",
            "touch .git/refs/heads/trunk.lock",
        ],
        SUCCESS,
        "git log --format=%s -1 | grep -qx Second",
    ),
];

const STAGED: &str = "git init -qb trunk; git config user.name Ann; git config user.email a@b; \
    echo one > a.txt; git add -A; git commit -qm First; echo two > a.txt; git add -A";

fn shell(place: &Place, script: &str) -> bool {
    let done = Command::new("sh").args(["-c", script]).current_dir(place.root()).output().unwrap();
    done.status.success()
}

/// The call on what is `given`, hindered or not; and whether it did what it says.
fn tried(row: &Row, hinder: &str) -> (Done, bool) {
    let place = place(&[], |settings| settings.web = crate::site::settings());
    assert!(shell(&place, row.given), "{}", row.given);
    assert!(shell(&place, hinder), "{hinder}");
    let session = open(&place, row.tool.0, Policy::Trust);
    let input: Value = serde_json::from_str(row.input).unwrap();
    let done = run(&session, row.tool.1, input);
    (done, shell(&place, row.holds))
}

#[test]
fn what_was_not_done_is_not_said() {
    for row in ROWS {
        let what = format!("{} {} {}", row.tool.0, row.tool.1, row.input);
        let (done, holds) = tried(row, "");
        let said = done.body.to_text();
        assert!(done.error.is_none() && said.contains(row.says), "{what}: {said}");
        assert!(holds, "{what}: said and not done: {said}");
        let (done, holds) = tried(row, row.hinder);
        let said = done.body.to_text();
        assert!(!holds, "{what}: {} does not hinder it", row.hinder);
        assert!(done.error.is_some() && !said.contains(row.says), "{what}: {said}");
    }
}

/// The same for the cache, whose lock cannot be had where a directory is in its place.
#[test]
fn what_the_cache_did_not_do_it_does_not_say() {
    let store = json!({"tier": "project", "key": "k", "value": "first"});
    let frame = json!({"frame": {"frame_id": "f1", "cog_steps": [{}]}});
    let pattern = json!({"name": "k", "pattern": "x", "tags": []});
    for (toolset, tool, input, says) in [
        ("floyd", "cache_store", store.clone(), "Stored 5 bytes as `k` in project"),
        ("floyd", "cache_delete", json!({"key": "k"}), "Deleted `k` from project"),
        ("floyd", "cache_clear", json!({}), "Deleted 2 entries from all"),
        ("floyd-0.1.0", "cache_store_reasoning", frame.clone(), "Stored as the active frame"),
        ("floyd-0.1.0", "cache_store_pattern", pattern, "Stored; cache_retrieve gives it back"),
        ("floyd-0.1.0", "cache_archive_reasoning", json!({}), "Moved to the project tier"),
        ("floyd-0.1.0", "cache_prune", json!({}), "Deleted 1 expired entry from all"),
    ] {
        let place = place(&[], |_| {});
        let floyd = open(&place, "floyd", Policy::Trust);
        let older = open(&place, "floyd-0.1.0", Policy::Trust);
        if tool != "cache_store" {
            assert_eq!(run(&floyd, "cache_store", store.clone()).error, None);
            let short = json!({"tier": "vault", "key": "short", "value": "x", "ttl": 1});
            assert_eq!(run(&floyd, "cache_store", short).error, None);
        }
        if tool == "cache_archive_reasoning" {
            assert_eq!(run(&older, "cache_store_reasoning", frame.clone()).error, None);
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
        let home = place.state("cache");
        let content = || {
            let mut all = Vec::new();
            for tier in ["reasoning", "project", "vault"] {
                let files = std::fs::read_dir(home.join(tier)).into_iter().flatten().flatten();
                all.extend(
                    files.map(|file| (file.path(), std::fs::read(file.path()).unwrap_or_default())),
                );
            }
            all.sort();
            all
        };
        let before = content();
        let lock = home.join(".lock");
        let _ = std::fs::remove_file(&lock); // where nothing was stored there is none
        std::fs::create_dir_all(&lock).unwrap();
        let session = if toolset == "floyd" { &floyd } else { &older };
        let done = run(session, tool, input.clone());
        let said = done.body.to_text();
        assert!(done.error.is_some() && !said.contains(says), "{tool}: {said}");
        assert_eq!(content(), before, "{tool}");
        std::fs::remove_dir(&lock).unwrap();
        let said = run(session, tool, input).body.to_text();
        assert!(said.contains(says), "{tool}: {said}");
        assert_ne!(content(), before, "{tool}: said and not done: {said}");
    }
}

/// A push to a repository on this machine needs its user's trust, so it has a place of its own.
#[test]
fn what_did_not_reach_the_remote_is_not_said() {
    let place = crate::git::place();
    place.vet();
    place.write("a.txt", "two\n");
    place.git(&["commit", "-qam", "Two"]);
    let far = || place.git(&["--git-dir=far.git", "log", "--format=%s", "-1", "trunk"]);
    place.write("far.git/refs/heads/trunk.lock", "");
    let done = run(&place.session("stack"), "git_push", json!({}));
    assert!(done.error.is_some() && !done.body.to_text().contains(SUCCESS), "{done:?}");
    assert_eq!(far(), "First");
    std::fs::remove_file(place.root().join("far.git/refs/heads/trunk.lock")).unwrap();
    let done = run(&place.session("stack"), "git_push", json!({}));
    assert!(done.body.to_text().contains(SUCCESS), "{done:?}");
    assert_eq!(far(), "Two");
}

/// The processes of this machine with these words on their command line.
fn processes(words: &str) -> usize {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = all.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let is = |line: &Vec<u8>| String::from_utf8_lossy(line).replace('\0', " ").trim_end() == words;
    lines.filter(is).count()
}

#[test]
fn programs_that_were_not_left_behind_were_not_ended() {
    let place = place(&[], |_| {});
    let session = open(&place, "fiz", Policy::Trust);
    let unique = format!("sleep 9{}", std::process::id());
    for (line, says) in [
        (
            format!("{unique} & {unique} & echo on"),
            "[2 programs left in the background were ended]",
        ),
        (format!("{unique} & echo on"), "[1 program left in the background was ended]"),
        (format!("{unique} & kill $!; wait; echo on"), ""),
    ] {
        let said = run(&session, "bash", json!({"command": line})).body.to_text();
        assert!(said.contains("on\n") && said.contains(says), "{line}: {said}");
        assert_eq!(said.contains("left in the background"), !says.is_empty(), "{line}: {said}");
        assert_eq!(processes(&unique), 0, "{line}");
    }
}
