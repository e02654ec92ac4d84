//! A repository that somebody else made, against the policy that its user chose.

use std::os::unix::fs::symlink;

use serde_json::json;

use crate::client::Server;
use crate::place::Place;

const ENTRY: &str = r#"{"key": "k", "value": "v", "timestamp": 1, "lastAccess": 1,
    "ttl": 99999999999999, "tier": "project", "version": 1}"#;

#[test]
fn a_cache_of_the_project_that_is_a_link_is_not_followed() {
    for link in [".floyd/.cache", ".floyd"] {
        let place = Place::new();
        let documents = place.dir.path().join("documents");
        let cache = if link == ".floyd" { documents.join(".cache") } else { documents.clone() };
        for tier in ["project", "vault", "reasoning/active"] {
            std::fs::create_dir_all(cache.join(tier)).unwrap();
            std::fs::write(cache.join(tier).join("letter.json"), ENTRY).unwrap();
        }
        std::fs::write(cache.join("reasoning/active/frame.json"), r#"{"frame_id": "secret"}"#)
            .unwrap();
        std::fs::create_dir_all(place.path(link).parent().unwrap()).unwrap();
        symlink(&documents, place.path(link)).unwrap();
        let mut floyd = place.serve("floyd-0.1.0", "trust");
        for (tool, input) in [
            ("cache_list", json!({})),
            ("cache_stats", json!({})),
            ("cache_search", json!({"query": "v"})),
            ("cache_retrieve", json!({"tier": "project", "key": "k"})),
            ("cache_load_reasoning", json!({})),
            ("cache_archive_reasoning", json!({})),
            ("cache_delete", json!({"tier": "project", "key": "k"})),
            ("cache_prune", json!({})),
            ("cache_clear", json!({})),
        ] {
            let said = floyd.call(tool, &input).0.to_string();
            assert!(!said.contains("letter") && !said.contains("secret"), "{link} {tool}: {said}");
        }
        for tier in ["project", "vault", "reasoning/active"] {
            assert!(cache.join(tier).join("letter.json").exists(), "{link}: {tier} was deleted");
        }
        assert!(cache.join("reasoning/active/frame.json").exists(), "{link}");
    }
}

#[test]
fn nothing_is_deleted_from_the_cache_unless_a_person_says_so() {
    for toolset in ["floyd", "floyd-0.1.0"] {
        let place = Place::new();
        let mut store = place.serve(toolset, "trust");
        let text = json!({"tier": "project", "key": "k", "value": "v"});
        store.call("cache_store", &text).ok();
        let delete = json!({"tier": "project", "key": "k"});
        for (policy, code) in [
            ("read-only", "PermissionDenied"),
            ("ask", "ApprovalRequired"),
            ("auto", "ApprovalRequired"),
        ] {
            let mut floyd = place.serve(toolset, policy);
            floyd.call("cache_delete", &delete).fails(code);
            floyd.call("cache_clear", &json!({})).fails(code);
            if toolset == "floyd-0.1.0" {
                floyd.call("cache_prune", &json!({})).fails(code);
            }
            if policy == "read-only" {
                let other = json!({"tier": "project", "key": "k", "value": "other"});
                floyd.call("cache_store", &other).fails(code);
            }
            let found = floyd.call("cache_retrieve", &delete);
            assert!(found.ok().contains("\"v\""), "{policy}: {found:?}");
        }
        store.call("cache_delete", &delete).ok();
        assert!(!store.call("cache_retrieve", &delete).text().contains("\"v\""));
    }
}

#[test]
fn looking_up_an_entry_that_has_expired_deletes_nothing() {
    let place = Place::new();
    let file = ".floyd/.cache/project/k.json";
    place.write(file, ENTRY.replace("99999999999999", "1"));
    let mut floyd = place.serve("floyd", "read-only");
    floyd.call("cache_retrieve", &json!({"key": "k"})).ok();
    assert!(place.has(file));
}

#[test]
fn hooks_and_filters_of_a_repository_run_only_once_its_user_vetted_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::with(&[("a.bin", "a\n"), ("b.txt", "b\n")]);
    let root = place.root();
    let git = |words: &[&str]| {
        crate::place::system(&[&["git", "-C", root.to_str().unwrap()], words].concat())
    };
    git(&["init", "-q", "-b", "work"]);
    let ran = place.dir.path().join("RAN");
    let evil = format!("#!/bin/sh\ntouch '{}'\ncat\n", ran.display());
    for path in [".git/hooks/post-index-change", ".git/filter"] {
        place.write(path, &evil);
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(place.path(path), mode).unwrap();
    }
    git(&["config", "filter.mine.clean", place.path(".git/filter").to_str().unwrap()]);
    place.write(".gitattributes", "*.bin filter=mine\n");
    for policy in ["auto", "trust"] {
        // Without a sandbox, so that whatever runs leaves its mark.
        let server = place.server("floyd", policy, &["--sandbox", "off"]);
        let mut floyd = Server::start(server, false);
        let stage = |file: &str| json!({"files": [file]});
        let refused = floyd.call("git_stage", &stage("a.bin"));
        assert!(refused.text().contains("kitbag trust-repo"), "{refused:?}");
        floyd.call("git_stage", &stage("b.txt")).ok();
        floyd.call("git_unstage", &stage("b.txt")).ok();
        assert!(!ran.exists(), "{policy}");
    }
    let said = place.ok(&["trust-repo", root.to_str().unwrap()]);
    assert!(said.contains("hook post-index-change") && said.contains("filter mine"), "{said}");
    assert!(place.ok(&["trust-repo", "--list"]).contains("root/.git"));
    let server = place.server("floyd", "auto", &["--sandbox", "off"]);
    let mut floyd = Server::start(server, false);
    floyd.call("git_stage", &json!({"files": ["a.bin"]})).ok();
    assert!(ran.exists());
    place.ok(&["trust-repo", "--remove", root.to_str().unwrap()]);
    assert_eq!(place.ok(&["trust-repo", "--list"]), "");
    floyd.call("git_stage", &json!({"files": ["a.bin"]})).fails("PermissionDenied");
}

#[test]
fn a_folder_allowed_for_reading_only_is_so_however_it_is_spelt() {
    let place = Place::with(&[("vendor/a.txt", "one\n"), ("src/a.txt", "one\n")]);
    symlink("vendor", place.path("link")).unwrap();
    symlink("../vendor/a.txt", place.path("src/inner")).unwrap();
    symlink(place.path("vendor"), place.path("absolute")).unwrap();
    let allow = format!("{}:ro", place.path("vendor").display());
    let server =
        |toolset| Server::start(place.server(toolset, "trust", &["--allow", &allow]), false);
    let (mut fiz, mut local, mut stack) = (server("fiz"), server("local"), server("stack"));
    let before = place.tree();
    let full = place.path("vendor/a.txt").display().to_string();
    for path in [
        "vendor/a.txt",
        "./vendor/a.txt",
        "src/../vendor/a.txt",
        "vendor/./a.txt",
        "vendor//a.txt",
        "link/a.txt",
        "absolute/a.txt",
        "src/inner",
        &full,
        "vendor/new.txt",
        "link/deep/new.txt",
    ] {
        fiz.call("write", &json!({"path": path, "content": "x"})).fails("PermissionDenied");
        local.call("write_file", &json!({"path": path, "content": "x"})).fails("PermissionDenied");
    }
    let edit = json!({"path": "link/a.txt", "old_string": "one", "new_string": "two"});
    fiz.call("edit", &edit).fails("PermissionDenied");
    local.call("delete_file", &json!({"path": "link/a.txt"})).fails("PermissionDenied");
    local.call("create_directory", &json!({"path": "vendor/deep"})).fails("PermissionDenied");
    let copy = json!({"source": "src/a.txt", "destination": "link/b.txt"});
    assert!(stack.call("copy", &copy).failed());
    let gone = json!({"source": "link/a.txt", "destination": "src/b.txt"});
    assert!(stack.call("move", &gone).failed());
    let mut floyd = server("floyd");
    for name in ["vendor/a.txt", "vendor/new.txt"] {
        let old = if name.ends_with("new.txt") { "/dev/null" } else { "a/vendor/a.txt" };
        let hunk = if old == "/dev/null" { "@@ -0,0 +1 @@\n" } else { "@@ -1 +1 @@\n-one\n" };
        let patch = format!("--- {old}\n+++ b/{name}\n{hunk}+two\n");
        let said = floyd.call("apply_unified_diff", &json!({"diff": patch}));
        assert!(said.failed(), "{name}: {said:?}");
    }
    assert_eq!(place.tree(), before);
    // What may be written can be, beside it and through the same links.
    fiz.call("write", &json!({"path": "src/a.txt", "content": "two\n"})).ok();
    assert!(fiz.call("read", &json!({"path": "link/a.txt"})).ok().contains("one"));
}

#[test]
fn files_that_start_with_a_shell_or_a_session_are_asked_about_under_auto() {
    let place = Place::new();
    let mut fiz = place.serve("fiz", "auto");
    for path in [
        ".zlogin",
        ".bash_aliases",
        ".config/fish/config.fish",
        ".ssh/authorized_keys",
        ".config/systemd/user/x.service",
        ".config/autostart/x.desktop",
        ".npmrc",
        ".husky/pre-commit",
        ".local/bin/git",
    ] {
        fiz.call("write", &json!({"path": path, "content": "x\n"})).fails("ProtectedPath");
    }
    assert!(
        place.tree().iter().all(|(_, kind)| kind.starts_with("directory")),
        "{:?}",
        place.tree()
    );
    fiz.call("write", &json!({"path": ".editorconfig", "content": "x\n"})).ok();
}
