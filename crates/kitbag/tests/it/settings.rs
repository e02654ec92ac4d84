//! `kitbag.toml`, of the user and of a project: what comes first, and what a project may not say.

use serde_json::Value;

use crate::place::Place;

fn of_user(place: &Place, text: &str) {
    let dir = place.dir.path().join("config/kitbag");
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("kitbag.toml"), text).unwrap();
}

/// The value of a setting, and where it comes from.
#[track_caller]
fn setting(place: &Place, name: &str, words: &[&str]) -> (Option<String>, String) {
    let text = place.ok(&[&["config", "--json"][..], words].concat());
    let all: Vec<Value> = serde_json::from_str(&text).unwrap();
    let one = all.iter().find(|s| s["name"] == name).unwrap();
    (one["value"].as_str().map(str::to_owned), one["from"].as_str().unwrap().to_owned())
}

#[test]
fn a_flag_comes_before_the_environment_the_project_the_user_and_the_default() {
    let place = Place::new();
    let value = |words: &[&str]| setting(&place, "policy", words);
    assert_eq!(value(&[]), (Some("ask".into()), "default".into()));
    of_user(&place, "# mine\npolicy = \"trust\"\nallow = [\"/opt\", \"/srv:ro\"]\n");
    let user = place.dir.path().join("config/kitbag/kitbag.toml");
    assert_eq!(value(&[]), (Some("trust".into()), format!("{}:2", user.display())));
    let allow = setting(&place, "allow", &[]).0;
    assert_eq!(allow.as_deref(), Some("/opt,/srv:ro"));
    place.write("kitbag.toml", "policy = \"auto\"\n");
    let (policy, from) = value(&[]);
    assert_eq!(policy.as_deref(), Some("auto"));
    assert!(from.ends_with("kitbag.toml:1"), "{from}");
    let mut program = place.program(&["config"]);
    let ran = program.env("KITBAG_POLICY", "ask").output().unwrap();
    let shown = String::from_utf8(ran.stdout).unwrap();
    let line = shown.lines().find(|line| line.starts_with("policy ")).unwrap();
    assert!(line.contains("ask") && line.ends_with("KITBAG_POLICY"), "{line}");
    assert_eq!(value(&["--policy", "trust"]), (Some("trust".into()), "--policy".into()));
}

#[test]
fn settings_of_files_hold_for_calls() {
    let place = Place::new();
    let write = ["call", "write", "path=a", "content=x"];
    assert_eq!(place.run(&write).code, Some(3));
    of_user(&place, "policy = \"trust\"\ntoolset = \"fiz\"\npreset = \"default\"\n");
    place.ok(&write);
    place.write("kitbag.toml", "policy = \"read-only\"\ntoolset = \"local\"\n");
    // The preset of the user is one of another toolset.
    assert!(place.ok(&["tools"]).starts_with("LocalCliTool"));
    assert!(place.ok(&["tools", "--toolset", "stack"]).starts_with("Stack"));
    let ran = place.run(&["call", "write_file", "path=a", "content=y"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert_eq!(place.read("a"), "x");
    // A flag says more than a file.
    place.write("kitbag.toml", "toolset = \"fiz\"\nwithout = [\"bash\"]\n");
    let has_bash = |text: String| text.lines().any(|line| line.trim().starts_with("bash"));
    assert!(!has_bash(place.ok(&["tools"])));
    assert!(has_bash(place.ok(&["tools", "--with", "bash"])));
    place.write("kitbag.toml", "toolset = \"fiz\"\nwith = [\"bash\"]\n");
    assert!(!has_bash(place.ok(&["tools", "--without", "bash"])));
    // `policy` of the demo is another flag, whose default stays.
    let demo = place.ok(&["demo", "--help"]);
    assert!(demo.contains("[default: trust]"), "{demo}");
}

#[test]
fn a_project_makes_nothing_wider() {
    let place = Place::with(&[("a", "x")]);
    of_user(&place, "policy = \"ask\"\n");
    for line in [
        "policy = \"auto\"",
        "policy = \"trust\"",
        "network = \"on\"",
        "network = \"example.org\"",
        "allow = [\"/\"]",
        "allow-protected = [\".envrc\"]",
        "expose = [\"/home\"]",
        "sandbox = \"off\"",
        "layer = \"off\"",
        "programs = [\"bin\"]",
        "web-allow = [\"localhost\"]",
        "web-search = \"http://127.0.0.1:1/\"",
        "state = \"/tmp\"",
        "cache = \"/tmp\"",
        "fsync = \"off\"",
        "log = \"trace\"",
    ] {
        place.write("kitbag.toml", format!("toolset = \"fiz\"\n{line}\n"));
        for words in [&["config"][..], &["call", "read", "path=a"], &["serve"], &["log"]] {
            let ran = place.run(words);
            // A person may need the log to get out of it.
            assert_eq!(ran.code, Some(if words[0] == "log" { 0 } else { 2 }), "{line}: {ran:?}");
            assert!(ran.out.is_empty() || ["config", "log"].contains(&words[0]), "{ran:?}");
            assert!(ran.err.contains("kitbag.toml:2: a project may not set"), "{line}: {ran:?}");
            assert!(ran.err.contains("/config/kitbag/kitbag.toml"), "{line}: {ran:?}");
        }
    }
    place.write("kitbag.toml", "policy = \"read-only\"\nnetwork = \"off\"\ntoolset = \"local\"\n");
    place.ok(&["config"]);
}

#[test]
fn a_mistake_is_told_with_its_line_and_a_near_name() {
    let place = Place::new();
    for (text, told) in [
        ("\npolcy = \"ask\"\n", ":2: no setting `polcy`; did you mean `policy`?"),
        ("root = \"/\"\n", ":1: no setting `root`; give it with --root"),
        ("policy = 3\n", ":1: `policy` must be a string"),
        ("allow = [1]\n", ":1: `allow` must be a string or a list of strings"),
        ("toolset = [\"fiz\"]\n", ":1: `toolset` must be a string"),
        ("fsync = \"maybe\"\n", ":1: invalid value 'maybe' for '--fsync <WHEN>'"),
        ("policy = \"yolo\"\n", ":1: invalid value 'yolo' for '--policy <POLICY>'"),
        ("network = \"http://x\"\n", ":1: invalid value 'http://x'"),
        ("policy = \n", ":1: "),
        ("\ntoolset = fiz # mine\n", ":2: `fiz` needs quotes: toolset = \"fiz\"\n"),
    ] {
        of_user(&place, text);
        let ran = place.run(&["config"]);
        assert_eq!(ran.code, Some(2), "{text}: {ran:?}");
        assert!(ran.err.contains(told), "{text}: {ran:?}");
    }
    // It holds for what reads settings, and for nothing else.
    place.ok(&["--version"]);
    place.ok(&["completions", "bash"]);
}

#[test]
fn a_broken_file_keeps_nobody_from_looking_and_from_undo() {
    let place = Place::new();
    place.ok(&["call", "write", "path=a", "content=x", "--policy", "trust"]);
    let project = |text: &str| place.write("kitbag.toml", text);
    let user = |text: &str| of_user(&place, text);
    for (files, says) in [
        (&project as &dyn Fn(&str), "kitbag.toml:2: no setting `polcy`"),
        (&user, "config/kitbag/kitbag.toml:2: no setting `polcy`"),
    ] {
        files("preset = \"minimal\"\npolcy = \"trust\"\ntoolset = \"fiz\"\n");
        for words in [&["log"][..], &["diff"], &["undo"], &["redo"], &["undo", "--dry-run"]] {
            let ran = place.run(words);
            assert_eq!(ran.code, Some(0), "{words:?}: {ran:?}");
            assert!(ran.err.contains(says) && ran.err.contains("ignored here"), "{ran:?}");
        }
        // What is right in it is shown, and counts.
        let ran = place.run(&["config"]);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.out.contains("minimal") && ran.err.contains(says), "{ran:?}");
        let ran = place.run(&["doctor"]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.out.contains(says) && ran.out.contains("toolset    fiz, "), "{ran:?}");
        assert_eq!(place.run(&["call", "read", "path=a"]).code, Some(2));
        files("");
    }
}

#[test]
fn a_preset_that_is_none_of_the_toolset_is_found_before_the_first_call() {
    let place = Place::with(&[("kitbag.toml", "preset = \"nine\"\n")]);
    let says = "no preset `nine`; choose one of default, ";
    let ran = place.run(&["config"]);
    assert!(ran.code == Some(2) && ran.err.contains(says) && ran.out.contains("nine"), "{ran:?}");
    let ran = place.run(&["doctor"]);
    assert!(ran.code == Some(1) && ran.out.contains(says), "{ran:?}");
}

#[test]
fn what_holds_without_a_setting_is_shown() {
    let shown = Place::new().ok(&["config"]);
    let line = |name: &str| shown.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(line("network ").contains("(on with the policy trust, else off)"), "{shown}");
    assert!(line("allow ").contains("(none)") && !shown.contains(" - "), "{shown}");
    let shown = Place::new().ok(&["tools"]);
    assert!(shown.contains("preset default = smart = cheap = minimal: bash, edit"), "{shown}");
}

#[test]
fn the_doctor_says_each_thing_once() {
    let place = Place::new();
    let ran = place.run(&["doctor", "--root", "/nonexistent"]);
    assert_eq!((ran.code, ran.out.matches("/nonexistent: ").count()), (Some(1), 1), "{ran:?}");
}

#[test]
fn tools_change_the_file_of_a_project_only_if_a_person_allows_it() {
    let place = Place::new();
    let ran = place.run(&["call", "write", "path=kitbag.toml", "content=", "--policy", "trust"]);
    assert_eq!((ran.code, place.has("kitbag.toml")), (Some(3), false), "{ran:?}");
}
