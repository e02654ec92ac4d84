//! Every error code that Floyd 0.1.0 documents for a tool, provoked by a real cause, in both
//! versions of the dialect.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::client::{Answer, Server};
use crate::nasty_files::Mount;
use crate::place::Place;

/// What the document names; those of the browser are provoked in the tests of `toolsets`.
const DOCUMENTED: &[(&str, &[&str])] = &[
    ("read_file", &["FileNotFound", "PermissionDenied", "IsDirectory"]),
    ("write", &["ParentDirectoryNotFound", "PermissionDenied", "DiskFull"]),
    ("edit_file", &["FileNotFound", "StringNotFound", "MultipleMatches", "PermissionDenied"]),
    ("search_replace", &["FileNotFound", "StringNotFound", "PermissionDenied"]),
    ("grep", &["InvalidRegex", "DirectoryNotFound", "PermissionDenied"]),
    ("codebase_search", &["QueryTooShort", "IndexNotBuilt", "PermissionDenied"]),
    ("run", &["CommandNotFound", "Timeout", "PermissionDenied", "Killed"]),
    ("git_status", &["NotAGitRepository", "PermissionDenied"]),
    ("git_diff", &["NotAGitRepository", "FileNotFound"]),
    ("git_log", &["NotAGitRepository", "InvalidDateRange"]),
    (
        "git_commit",
        &["NotAGitRepository", "NothingToCommit", "ProtectedBranch", "PermissionDenied"],
    ),
    ("git_stage", &["NotAGitRepository", "FileNotFound", "PermissionDenied"]),
    ("git_unstage", &["NotAGitRepository", "PermissionDenied"]),
    (
        "git_branch",
        &["NotAGitRepository", "BranchNotFound", "BranchAlreadyExists", "PermissionDenied"],
    ),
    ("is_protected_branch", &["NotAGitRepository", "CouldNotDetermineBranch"]),
    ("cache_store", &["InvalidTier", "EmptyKey", "EmptyValue", "PermissionDenied"]),
    ("cache_retrieve", &["InvalidTier", "EmptyKey", "PermissionDenied"]),
    ("cache_delete", &["InvalidTier", "EmptyKey", "PermissionDenied"]),
    ("cache_clear", &["InvalidTier", "PermissionDenied"]),
    ("cache_list", &["InvalidTier", "PermissionDenied"]),
    ("cache_search", &["InvalidTier", "QueryTooShort", "PermissionDenied"]),
    ("cache_stats", &["InvalidTier", "PermissionDenied"]),
    ("cache_prune", &["InvalidTier", "PermissionDenied"]),
    ("cache_store_pattern", &["EmptyName", "EmptyPattern", "InvalidTagFormat", "PermissionDenied"]),
    (
        "cache_store_reasoning",
        &["InvalidJSON", "MissingFrameId", "MissingCogSteps", "PermissionDenied"],
    ),
    ("cache_load_reasoning", &["PermissionDenied"]),
    ("cache_archive_reasoning", &["NoActiveFrame", "PermissionDenied"]),
    ("apply_unified_diff", &["NoValidDiff", "PatchFailed", "BinaryFile", "RiskLevelHigh"]),
    ("edit_range", &["FileNotFound", "InvalidLineRange", "PermissionDenied"]),
    ("insert_at", &["FileNotFound", "InvalidLineNumber", "PermissionDenied"]),
    ("delete_range", &["FileNotFound", "InvalidLineRange", "PermissionDenied"]),
    ("run_tests", &["PermissionDenied", "NoTestCommand", "CommandFailed"]),
    ("format", &["PermissionDenied", "NoFormatCommand"]),
    ("lint", &["PermissionDenied", "NoLintCommand"]),
    ("build", &["PermissionDenied", "NoBuildCommand", "BuildFailed"]),
    ("list_symbols", &["FileNotFound"]),
];

/// Tools that only the older version has.
const OLDER: &[&str] = &[
    "search_replace",
    "cache_search",
    "cache_prune",
    "cache_store_pattern",
    "cache_store_reasoning",
    "cache_load_reasoning",
    "cache_archive_reasoning",
];

/// A tool, its arguments, and the code that it fails with.
type Row = (&'static str, Value, &'static str);

/// What was provoked.
struct Seen(BTreeSet<(String, String)>);

impl Seen {
    /// Calls each row on a server of the version and notes the codes.
    fn provoke(&mut self, version: &str, server: &mut Server, rows: &[Row]) {
        for (tool, arguments, code) in rows {
            if version == "floyd" && OLDER.contains(tool) {
                continue;
            }
            // Rows share arguments; a tool is given those that it has.
            let mut arguments = arguments.clone();
            let answer = loop {
                let answer = server.call(tool, &arguments);
                let fields = arguments.as_object_mut().unwrap();
                let told =
                    |name: &String| answer.text().contains(&format!("{name}: no such parameter"));
                let Some(name) = fields.keys().find(|name| told(name)).cloned() else {
                    break answer;
                };
                fields.remove(&name);
            };
            assert_eq!(answer.code(), *code, "{version} {tool} {arguments}: {}", answer.0);
            assert!(answer.failed());
            self.note(tool, code);
        }
    }

    fn note(&mut self, tool: &str, code: &str) {
        self.0.insert((tool.to_owned(), code.to_owned()));
    }

    /// A success that warns with a code.
    #[track_caller]
    fn warned(&mut self, tool: &str, code: &str, answer: &Answer) {
        let fields = answer.fields();
        let own = if fields["data"].is_object() { &fields["data"] } else { &fields };
        let warnings = own["warnings"].to_string();
        assert!(own["success"] == true && warnings.contains(code), "{tool}: {fields}");
        self.note(tool, code);
    }
}

#[test]
fn every_documented_code_is_provoked() {
    let mut seen = Seen(BTreeSet::new());
    for version in ["floyd-0.1.0", "floyd"] {
        with_files(version, &mut seen);
        with_nothing(version, &mut seen);
        without_commands(version, &mut seen);
        in_a_repository(version, &mut seen);
        without_permission(version, &mut seen);
        on_a_full_disk(version, &mut seen);
        after_the_folder_is_gone(version, &mut seen);
    }
    let documented = DOCUMENTED.iter().flat_map(|(tool, codes)| {
        codes.iter().map(|code| ((*tool).to_owned(), (*code).to_owned()))
    });
    let missing: Vec<_> = documented.filter(|pair| !seen.0.contains(pair)).collect();
    assert!(missing.is_empty(), "not provoked: {missing:?}");
}

fn with_files(version: &str, seen: &mut Seen) {
    let place =
        Place::with(&[("a.txt", "one\ntwo\none\n"), ("dir/b.txt", ""), ("plain", "text\n")]);
    place.write("app.bin", b"\0\x01\x02");
    let mut server = place.serve(version, "trust");
    let range =
        |path: &str| json!({"filePath": path, "startLine": 7, "endLine": 9, "content": "x"});
    let insert = |path: &str| json!({"filePath": path, "lineNumber": 9, "content": "x"});
    let edit =
        |path: &str, old: &str| json!({"filePath": path, "oldString": old, "newString": "x"});
    let replace = |path: &str, old: &str| json!({"filePath": path, "searchString": old, "replaceString": "x"});
    let stale = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-three\n+3\n";
    let binary = "diff --git a/app.bin b/app.bin\nindex 1..2 100644\nBinary files a/app.bin and b/app.bin differ\n";
    seen.provoke(
        version,
        &mut server,
        &[
            ("read_file", json!({"filePath": "none"}), "FileNotFound"),
            ("read_file", json!({"filePath": "dir"}), "IsDirectory"),
            ("edit_file", edit("none", "one"), "FileNotFound"),
            ("edit_file", edit("a.txt", "three"), "StringNotFound"),
            ("edit_file", edit("a.txt", "one"), "MultipleMatches"),
            ("search_replace", replace("none", "one"), "FileNotFound"),
            ("search_replace", replace("a.txt", "three"), "StringNotFound"),
            ("grep", json!({"pattern": "("}), "InvalidRegex"),
            ("grep", json!({"pattern": "one", "path": "none"}), "DirectoryNotFound"),
            ("codebase_search", json!({"query": "ab"}), "QueryTooShort"),
            ("run", json!({"command": "no-such-program-here", "args": []}), "CommandNotFound"),
            ("run", json!({"command": "sleep 20", "timeout": 100}), "Timeout"),
            ("run", json!({"command": "./plain", "args": []}), "PermissionDenied"),
            ("run", json!({"command": "kill -9 $$"}), "Killed"),
            ("apply_unified_diff", json!({"diff": "hello"}), "NoValidDiff"),
            ("apply_unified_diff", json!({"diff": stale}), "PatchFailed"),
            ("apply_unified_diff", json!({"diff": binary}), "BinaryFile"),
            ("edit_range", range("none"), "FileNotFound"),
            ("edit_range", range("a.txt"), "InvalidLineRange"),
            ("insert_at", insert("none"), "FileNotFound"),
            ("insert_at", insert("a.txt"), "InvalidLineNumber"),
            ("delete_range", range("none"), "FileNotFound"),
            ("delete_range", range("a.txt"), "InvalidLineRange"),
            ("run_tests", json!({"command": "echo no; exit 3"}), "CommandFailed"),
            ("build", json!({"command": "exit 3"}), "BuildFailed"),
            ("list_symbols", json!({"filePath": "none.rs"}), "FileNotFound"),
        ],
    );
    let write = json!({"filePath": "none/b.txt", "content": "x"});
    if version == "floyd" {
        server.call("write", &write).ok(); // this version makes the directory
    } else {
        seen.provoke(version, &mut server, &[("write", write, "ParentDirectoryNotFound")]);
    }
    let risky = "--- /dev/null\n+++ b/.env.example\n@@ -0,0 +1 @@\n+A=1\n";
    let answer = server.call("apply_unified_diff", &json!({"diff": risky}));
    seen.warned("apply_unified_diff", "RiskLevelHigh", &answer);
    assert_eq!(place.read("a.txt"), "one\ntwo\none\n", "nothing of all that changed it");
}

fn with_nothing(version: &str, seen: &mut Seen) {
    let place = Place::new();
    let mut server = place.serve(version, "trust");
    let key = |tier: &str, key: &str| json!({"tier": tier, "key": key, "value": "v"});
    let frame = |text: &str| json!({"frame": text});
    seen.provoke(
        version,
        &mut server,
        &[
            ("git_status", json!({}), "NotAGitRepository"),
            ("git_diff", json!({}), "NotAGitRepository"),
            ("git_log", json!({}), "NotAGitRepository"),
            ("git_commit", json!({"message": "m"}), "NotAGitRepository"),
            ("git_stage", json!({}), "NotAGitRepository"),
            ("git_unstage", json!({}), "NotAGitRepository"),
            ("git_branch", json!({}), "NotAGitRepository"),
            ("is_protected_branch", json!({}), "NotAGitRepository"),
            ("cache_store", key("attic", "k"), "InvalidTier"),
            ("cache_store", key("vault", " "), "EmptyKey"),
            ("cache_store", json!({"tier": "vault", "key": "k", "value": ""}), "EmptyValue"),
            ("cache_retrieve", key("attic", "k"), "InvalidTier"),
            ("cache_retrieve", key("vault", ""), "EmptyKey"),
            ("cache_delete", key("attic", "k"), "InvalidTier"),
            ("cache_delete", key("vault", ""), "EmptyKey"),
            ("cache_clear", json!({"tier": "attic"}), "InvalidTier"),
            ("cache_list", json!({"tier": "attic"}), "InvalidTier"),
            ("cache_search", json!({"tier": "attic", "query": "word"}), "InvalidTier"),
            ("cache_search", json!({"tier": "vault", "query": "w"}), "QueryTooShort"),
            ("cache_stats", json!({"tier": "attic"}), "InvalidTier"),
            ("cache_prune", json!({"tier": "attic"}), "InvalidTier"),
            ("cache_store_pattern", json!({"name": "", "pattern": "p"}), "EmptyName"),
            ("cache_store_pattern", json!({"name": "n", "pattern": ""}), "EmptyPattern"),
            (
                "cache_store_pattern",
                json!({"name": "n", "pattern": "p", "tags": [{}]}),
                "InvalidTagFormat",
            ),
            ("cache_store_reasoning", frame("{"), "InvalidJSON"),
            ("cache_store_reasoning", frame("{\"cog_steps\": []}"), "MissingFrameId"),
            ("cache_store_reasoning", frame("{\"frame_id\": \"f\"}"), "MissingCogSteps"),
            ("cache_archive_reasoning", json!({}), "NoActiveFrame"),
        ],
    );
}

fn without_commands(version: &str, seen: &mut Seen) {
    let place = Place::with(&[("notes.txt", "")]);
    let mut server = place.serve(version, "trust");
    seen.provoke(
        version,
        &mut server,
        &[
            ("run_tests", json!({}), "NoTestCommand"),
            ("format", json!({}), "NoFormatCommand"),
            ("lint", json!({}), "NoLintCommand"),
            ("build", json!({}), "NoBuildCommand"),
        ],
    );
    let mut looking = place.serve(version, "read-only");
    let command = json!({"command": "true"});
    let refused = ["run_tests", "format", "lint", "build"];
    seen.provoke(
        version,
        &mut looking,
        &refused.map(|tool| (tool, command.clone(), "PermissionDenied")),
    );
}

fn in_a_repository(version: &str, seen: &mut Seen) {
    let place = Place::with(&[("a.txt", "one\n")]);
    place.git(&["init", "-q", "-b", "main"]);
    place.git(&["add", "."]);
    place.git(&["commit", "-q", "-m", "first"]);
    place.git(&["branch", "side"]);
    place.git(&["config", "user.name", "A"]);
    place.git(&["config", "user.email", "a@example.org"]);
    let mut server = place.serve(version, "trust");
    seen.provoke(
        version,
        &mut server,
        &[
            ("git_diff", json!({"files": ["none.txt"]}), "FileNotFound"),
            ("git_log", json!({"since": "the day of the flying pigs"}), "InvalidDateRange"),
            ("git_commit", json!({"message": "nothing"}), "NothingToCommit"),
            ("git_stage", json!({"files": ["none.txt"]}), "FileNotFound"),
            ("git_branch", json!({"action": "switch", "name": "none"}), "BranchNotFound"),
            ("git_branch", json!({"action": "create", "name": "side"}), "BranchAlreadyExists"),
        ],
    );
    place.write("a.txt", "two\n");
    let answer = server.call("git_commit", &json!({"message": "second"}));
    seen.warned("git_commit", "ProtectedBranch", &answer);
    place.git(&["checkout", "-q", "--detach"]);
    seen.provoke(
        version,
        &mut server,
        &[("is_protected_branch", json!({}), "CouldNotDetermineBranch")],
    );
}

fn without_permission(version: &str, seen: &mut Seen) {
    let place = Place::with(&[("closed.txt", "one\n"), ("shut/a.rs", "fn a() {}\n")]);
    place.git(&["init", "-q"]);
    let cache = place.state().join("cache");
    std::fs::create_dir_all(&cache).unwrap();
    let shut = [place.path("closed.txt"), place.path("shut"), place.path(".git"), cache];
    let mode = |mode| {
        for path in &shut {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    mode(0);
    let Some(mut server) = place.serve_unprivileged(version, "trust") else { return };
    let file = json!({"filePath": "closed.txt", "content": "x", "oldString": "one",
        "newString": "x", "startLine": 0,
        "endLine": 0, "lineNumber": 0});
    let entry = json!({"tier": "vault", "key": "k", "value": "v", "query": "word"});
    let frame = json!({"frame": "{\"frame_id\": \"f\", \"cog_steps\": []}"});
    let files = ["read_file", "write", "edit_file", "edit_range", "insert_at", "delete_range"];
    let cached = [
        "cache_store",
        "cache_retrieve",
        "cache_delete",
        "cache_clear",
        "cache_list",
        "cache_search",
        "cache_stats",
        "cache_prune",
        "cache_load_reasoning",
        "cache_archive_reasoning",
    ];
    let repository = ["git_status", "git_commit", "git_stage", "git_unstage", "git_branch"];
    let replace = json!({"filePath": "closed.txt", "searchString": "one", "replaceString": "x"});
    let mut rows: Vec<Row> = vec![
        ("search_replace", replace, "PermissionDenied"),
        ("grep", json!({"pattern": "one", "path": "shut"}), "PermissionDenied"),
        ("codebase_search", json!({"query": "anything", "path": "shut"}), "PermissionDenied"),
        ("cache_store_reasoning", frame, "PermissionDenied"),
        ("cache_store_pattern", json!({"name": "n", "pattern": "p"}), "PermissionDenied"),
    ];
    rows.extend(files.map(|tool| (tool, file.clone(), "PermissionDenied")));
    rows.extend(cached.map(|tool| (tool, entry.clone(), "PermissionDenied")));
    let git = json!({"message": "m"});
    rows.extend(repository.map(|tool| (tool, git.clone(), "PermissionDenied")));
    seen.provoke(version, &mut server, &rows);
    drop(server);
    mode(0o755);
    assert_eq!(place.read("closed.txt"), "one\n");
}

fn on_a_full_disk(version: &str, seen: &mut Seen) {
    let place = Place::new();
    let Some(_mount) = Mount::new(&place, "small", "size=64k") else {
        return seen.note("write", "DiskFull"); // said by the mount
    };
    let mut server = place.serve(version, "trust");
    let big = json!({"filePath": "small/a.txt", "content": "x".repeat(200_000)});
    seen.provoke(version, &mut server, &[("write", big, "DiskFull")]);
}

fn after_the_folder_is_gone(version: &str, seen: &mut Seen) {
    let place = Place::with(&[("a.rs", "fn a() {}\n")]);
    let mut server = place.serve(version, "trust");
    std::fs::remove_dir_all(place.root()).unwrap();
    let query = json!({"query": "anything at all"});
    seen.provoke(version, &mut server, &[("codebase_search", query, "IndexNotBuilt")]);
}
