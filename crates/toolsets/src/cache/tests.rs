//! The cache through its one door, over real directories.

#![expect(clippy::disallowed_methods, reason = "tests look at the real files")]

use std::fs;
use std::time::Duration;

use fault::Code;
use files::limits::Limits;
use serde_json::{Value, json};

use super::{Cache, Entry, Store, Tier};

struct Place {
    dir: tempfile::TempDir,
    cache: Cache,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (home, project) = (dir.path().join("home/cache"), dir.path().join("project"));
        Self { cache: Cache::new(home, project, Limits::default()), dir }
    }

    fn store(&self, tier: Tier, key: &str, value: &str) {
        self.cache.store(of(tier, key, value)).unwrap();
    }

    fn get(&self, tier: Tier, key: &str) -> Option<String> {
        self.cache.retrieve(&[tier], key).unwrap().map(|entry| entry.value)
    }

    fn lay(&self, path: &str, text: &str) {
        let path = self.dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn keys(&self, tier: Tier) -> Vec<String> {
        let mut keys: Vec<String> =
            self.cache.content(tier).unwrap().entries.into_iter().map(|e| e.key).collect();
        keys.sort();
        keys
    }
}

fn of<'a>(tier: Tier, key: &'a str, value: &'a str) -> Store<'a> {
    Store { tier, key, value, time_to_live: None, metadata: None }
}

#[test]
fn an_entry_is_a_file_as_the_original_lays_it_out() {
    let place = Place::new();
    let metadata = json!({"by": "me"}).as_object().cloned();
    let store = Store { metadata, ..of(Tier::Project, "build-plan_1", "{\"a\":1}") };
    let stored = place.cache.store(store).unwrap();
    let path = place.dir.path().join("home/cache/project/build-plan_1.json");
    let text = fs::read_to_string(path).unwrap();
    let fields: Value = serde_json::from_str(&text).unwrap();
    let names: Vec<&str> = fields.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        names,
        ["key", "value", "timestamp", "lastAccess", "ttl", "tier", "metadata", "version"]
    );
    assert_eq!(fields["ttl"], 86_400_000);
    assert_eq!(stored.expires, fields["timestamp"].as_i64().unwrap() + 86_400_000);
    assert!(text.starts_with("{\n  \"key\": \"build-plan_1\",\n"), "{text}");
    let found = place.cache.retrieve(Tier::ALL, "build-plan_1").unwrap().unwrap();
    assert_eq!((found.tier, found.metadata.unwrap()["by"].clone()), (Tier::Project, json!("me")));
}

#[test]
fn keys_that_the_original_would_mix_up_have_files_of_their_own() {
    let place = Place::new();
    let long = "x".repeat(5000);
    let keys = ["a.b", "a/b", "a_b", "a b", "ä_b", "../../a_b", "a\nb", long.as_str()];
    for key in keys {
        place.store(Tier::Vault, key, &format!("value of {key}"));
    }
    for key in keys {
        assert_eq!(place.get(Tier::Vault, key).unwrap(), format!("value of {key}"));
    }
    assert_eq!(place.keys(Tier::Vault).len(), keys.len());
    assert_eq!(place.cache.delete(&[Tier::Vault], "a/b").unwrap(), [Tier::Vault]);
    assert_eq!(place.get(Tier::Vault, "a/b"), None);
    assert_eq!(place.get(Tier::Vault, "a.b").unwrap(), "value of a.b");
    let home = place.dir.path().join("home");
    assert_eq!(fs::read_dir(&home).unwrap().count(), 1, "nothing is outside of the cache");
}

#[test]
fn what_the_original_wrote_is_found_in_both_folders() {
    let place = Place::new();
    let now = super::now();
    let entry = |key: &str, value: &str| {
        let (time, ttl) = (now - 1000, 60_000);
        json!({"key": key, "value": value, "timestamp": time, "lastAccess": time, "ttl": ttl,
            "tier": "project", "version": 1, "extra": [1]})
        .to_string()
    };
    place.lay("home/cache/project/a_b.json", &entry("a.b", "dotted"));
    place.lay("project/.floyd/.cache/project/old.json", &entry("old", "from the project"));
    place.lay("project/.floyd/.cache/vault/pattern_hook.json", &entry("hook", "useHook()"));
    let only = json!({"key": "brief", "value": {"deep": true}, "expires": now + 5000});
    place.lay("home/cache/reasoning/brief.json", &only.to_string());
    assert_eq!(place.get(Tier::Project, "a.b").unwrap(), "dotted");
    assert_eq!(place.get(Tier::Project, "a_b"), None, "another key in the same file");
    assert_eq!(place.get(Tier::Project, "old").unwrap(), "from the project");
    assert_eq!(place.get(Tier::Vault, "hook").unwrap(), "useHook()");
    assert_eq!(place.get(Tier::Reasoning, "brief").unwrap(), "{\"deep\":true}");
    // A new entry of a key whose file another key has, and the same key once more.
    place.store(Tier::Project, "a_b", "new");
    assert_eq!(place.get(Tier::Project, "a.b").unwrap(), "dotted");
    assert_eq!(place.get(Tier::Project, "a_b").unwrap(), "new");
    place.store(Tier::Project, "a.b", "newer");
    assert_eq!(place.get(Tier::Project, "a.b").unwrap(), "newer");
    assert_eq!(place.keys(Tier::Project), ["a.b", "a_b", "old"]);
}

#[test]
fn reading_notes_the_use_and_keeps_unknown_fields() {
    let place = Place::new();
    let now = super::now();
    let text = json!({"key": "k", "value": "v", "timestamp": now - 9000, "lastAccess": now - 9000,
        "ttl": 60_000, "tier": "project", "version": 1, "extra": [1]});
    place.lay("home/cache/project/k.json", &text.to_string());
    assert_eq!(place.get(Tier::Project, "k").unwrap(), "v");
    let text = fs::read_to_string(place.dir.path().join("home/cache/project/k.json")).unwrap();
    let fields: Value = serde_json::from_str(&text).unwrap();
    assert!(fields["lastAccess"].as_i64().unwrap() >= now);
    assert_eq!((&fields["extra"], &fields["timestamp"]), (&json!([1]), &json!(now - 9000)));
}

#[test]
fn entries_end_when_their_time_is_over() {
    let place = Place::new();
    let short = Store { time_to_live: Some(Duration::ZERO), ..of(Tier::Vault, "gone", "x") };
    place.cache.store(short).unwrap();
    place.store(Tier::Vault, "stays", "y");
    std::thread::sleep(Duration::from_millis(5));
    let content = place.cache.content(Tier::Vault).unwrap();
    assert_eq!((content.entries.len(), content.expired), (1, 1));
    assert_eq!(place.cache.prune(&[Tier::Vault]).unwrap(), 1);
    assert_eq!(place.get(Tier::Vault, "gone"), None);
    let endless = Duration::from_millis(u64::MAX);
    let store = Store { time_to_live: Some(endless), ..of(Tier::Vault, "endless", "z") };
    assert_eq!(place.cache.store(store).unwrap().expires, i64::MAX);
    assert_eq!(place.get(Tier::Vault, "endless").unwrap(), "z");
}

#[test]
fn a_broken_file_hides_no_other_and_is_named() {
    let place = Place::new();
    place.store(Tier::Project, "good", "1");
    place.lay("home/cache/project/broken.json", "{\"key\": \"bro");
    place.lay("home/cache/project/binary.json", "\u{0}\u{1}");
    std::os::unix::fs::symlink("/etc/passwd", place.dir.path().join("home/cache/project/out.json"))
        .unwrap();
    let content = place.cache.content(Tier::Project).unwrap();
    assert_eq!(content.entries.len(), 1);
    assert_eq!(content.broken, ["project/binary.json", "project/broken.json"]);
    // The broken one is not overwritten by an entry of its key.
    place.store(Tier::Project, "broken", "2");
    assert_eq!(place.get(Tier::Project, "broken").unwrap(), "2");
    let text = fs::read_to_string(place.dir.path().join("home/cache/project/broken.json")).unwrap();
    assert_eq!(text, "{\"key\": \"bro");
}

#[test]
fn a_full_tier_loses_what_was_used_longest_ago() {
    let place = Place::new();
    for n in 0..Tier::Reasoning.capacity() {
        place.store(Tier::Reasoning, &format!("k{n}"), "v");
    }
    std::thread::sleep(Duration::from_millis(3));
    assert!(place.get(Tier::Reasoning, "k0").is_some(), "used now");
    let stored = place.cache.store(of(Tier::Reasoning, "one-more", "v")).unwrap();
    assert_eq!(stored.evicted, 1);
    assert_eq!(place.keys(Tier::Reasoning).len(), 100);
    assert!(place.get(Tier::Reasoning, "k0").is_some());
    assert!(place.get(Tier::Reasoning, "one-more").is_some());
}

#[test]
fn many_writers_lose_nothing() {
    let place = Place::new();
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let cache = &place.cache;
            scope.spawn(move || {
                for n in 0..20 {
                    let key = format!("w{writer}.{n}");
                    cache.store(of(Tier::Project, &key, &"x".repeat(2000))).unwrap();
                    cache.store(of(Tier::Project, "shared", &format!("{writer}"))).unwrap();
                    let shared = cache.retrieve(&[Tier::Project], "shared").unwrap();
                    assert!(shared.is_some_and(|e: Entry| e.value.len() == 1));
                }
            });
        }
    });
    let content = place.cache.content(Tier::Project).unwrap();
    assert_eq!((content.entries.len(), content.broken.len()), (161, 0));
}

#[test]
fn what_cannot_be_a_key_a_value_or_a_tier_is_refused() {
    let place = Place::new();
    let code = |store| place.cache.store(store).unwrap_err().code;
    assert_eq!(code(of(Tier::Vault, " ", "v")), Code::EmptyKey);
    assert_eq!(code(of(Tier::Vault, "k", "")), Code::EmptyValue);
    assert_eq!(place.cache.retrieve(Tier::ALL, "").unwrap_err().code, Code::EmptyKey);
    assert_eq!(Tier::parse("Vault").unwrap_err().code, Code::InvalidTier);
    assert!(!place.dir.path().join("home").exists(), "nothing was made");
}

#[test]
fn a_frame_is_kept_whole_and_replaced_only_after_it_was_put_away() {
    let place = Place::new();
    let code = |text| place.cache.store_frame(text).unwrap_err().code;
    assert_eq!(code("{"), Code::InvalidJSON);
    assert_eq!(code("{\"cog_steps\": []}"), Code::MissingFrameId);
    assert_eq!(code("{\"frame_id\": \"f\", \"cog_steps\": 3}"), Code::MissingCogSteps);
    assert_eq!(place.cache.archive_frame().unwrap_err().code, Code::NoActiveFrame);
    let first =
        json!({"frame_id": "f1", "cog_steps": [{"step": 1, "thought": "a"}], "x": {"y": 2}});
    let (id, steps, before) = place.cache.store_frame(&first.to_string()).unwrap();
    assert_eq!((id.as_str(), steps, before), ("f1", 1, None));
    assert_eq!(Value::Object(place.cache.load_frame().unwrap().unwrap()), first);
    let other = json!({"frame_id": "f2", "cog_steps": [{"timestamp": 1, "step_type": "t", "content": "c"}]});
    let (_, _, before) = place.cache.store_frame(&other.to_string()).unwrap();
    let kept = place.get(Tier::Project, &before.unwrap().key).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&kept).unwrap(), first);
    let archived = place.cache.archive_frame().unwrap();
    assert_eq!((archived.id.as_str(), archived.key.as_str()), ("f2", "reasoning_frame_f2"));
    assert_eq!(place.cache.load_frame().unwrap(), None);
    place.cache.store_frame(&other.to_string()).unwrap();
    assert_eq!(place.cache.archive_frame().unwrap().key, "reasoning_frame_f2_2");
}
