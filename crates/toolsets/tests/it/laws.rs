//! What holds for every tool of every toolset.

use std::collections::{BTreeMap, BTreeSet};

use toolkit::serde_json::Value;
use toolkit::{Effect, Entry, Permission};

fn entries() -> Vec<(&'static str, Entry)> {
    let all = |name: &&'static str| {
        let toolset = toolsets::toolset(name).unwrap();
        let names: Vec<_> = toolset.entries().iter().map(|e| e.spec.name).collect();
        assert!(!names.is_empty());
        let name = *name;
        toolset.into_entries().into_iter().map(move |e| (name, e)).collect::<Vec<_>>()
    };
    toolsets::NAMES.iter().flat_map(all).collect()
}

#[test]
fn names_are_unique_and_every_host_takes_them() {
    let mut seen = BTreeMap::new();
    for (toolset, entry) in entries() {
        for name in entry.names() {
            assert!(seen.insert((toolset, name), ()).is_none(), "{toolset} {name} twice");
            assert!(name.len() <= 50, "{name}");
            assert!(
                name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'),
                "{name}"
            );
        }
    }
}

/// Examples are made of text files, and the commits that these must have are none; the tests in
/// `git.rs` show them at work.
const NEED_COMMITS: &[&str] = &["git_push", "git_pull"];

/// A page must be served and shown; `browser.rs` and `web.rs` have the tests.
const NEED_A_BROWSER: &[&str] = &[
    "screenshot",
    "browser_navigate",
    "browser_read_page",
    "browser_screenshot",
    "browser_click",
    "browser_type",
    "browser_find",
    "browser_create_tab",
    "browse",
];

#[test]
fn every_tool_has_two_examples_and_one_of_them_fails() {
    for (toolset, entry) in entries() {
        let examples = entry.spec.examples;
        assert!(examples.len() >= 2, "{toolset} {}", entry.spec.name);
        let fails = examples.iter().filter(|e| e.fails.is_some()).count();
        let name = &entry.spec.name;
        let excused = NEED_COMMITS.contains(name) || NEED_A_BROWSER.contains(name);
        let works = fails < examples.len() || excused;
        assert!(fails >= 1 && works, "{toolset} {}", entry.spec.name);
    }
}

#[test]
fn descriptions_are_sentences_and_parameters_have_one() {
    for (toolset, entry) in entries() {
        let definition = entry.definition();
        let text = &definition.description;
        let what = format!("{toolset} {}: {text}", entry.spec.name);
        assert!(text.starts_with(|c: char| c.is_uppercase()) && text.ends_with('.'), "{what}");
        assert!(text.len() <= 1024, "{what}");
        let properties = definition.input["properties"].as_object().unwrap();
        for (name, schema) in properties {
            // A definition of kit has few tokens: a name that says it all has no description.
            let said = schema["description"].as_str().is_some_and(|d| !d.is_empty());
            assert!(said || toolset == "kit", "{what} {name}");
        }
    }
}

#[test]
fn schemas_are_plain_objects() {
    for (toolset, entry) in entries() {
        let definition = entry.definition();
        for schema in [Some(&definition.input), definition.output.as_ref()].into_iter().flatten() {
            let what = format!("{toolset} {}", entry.spec.name);
            assert_eq!(schema["type"], "object", "{what}");
            for key in ["oneOf", "anyOf", "allOf", "$ref", "$defs"] {
                assert!(!schema.contains_key(key), "{what} has {key} at its root");
            }
            let text = Value::Object(schema.clone()).to_string();
            assert!(!text.contains("$ref") && !text.contains("\"format\":\""), "{what}: {text}");
        }
    }
}

#[test]
fn effects_and_permissions_agree() {
    for (toolset, entry) in entries() {
        let spec = entry.spec;
        let what = format!("{toolset} {}", spec.name);
        if spec.effect.only_reads() {
            assert_eq!(spec.permission, Permission::None, "{what}");
        }
        if spec.effect.makes_step() || spec.effect.has(Effect::CONNECTS) {
            assert!(spec.permission >= Permission::Moderate, "{what}");
        }
        let unique: BTreeSet<_> = spec.codes().collect();
        assert_eq!(unique.len(), spec.codes().count(), "{what} declares a code twice");
        assert!(
            spec.codes().all(|c| !toolkit::ANY_CALL.contains(&c)),
            "{what} declares a code of every call"
        );
    }
}

#[test]
fn what_a_failure_shows_are_fields_of_the_result() {
    let mut declared = 0;
    for (toolset, entry) in entries() {
        for (name, value) in entry.failed() {
            let what = format!("{toolset} {}: {name}", entry.spec.name);
            let schema = &entry.definition().output.as_ref().expect(&what)["properties"][&name];
            let wanted = if value.is_null() { Value::from("") } else { value };
            jsonschema::validate(schema, &wanted).unwrap_or_else(|e| panic!("{what}: {e}"));
            declared += 1;
        }
    }
    assert!(declared > 20, "{declared}");
}

#[test]
fn presets_name_tools_that_there_are() {
    for name in toolsets::NAMES {
        let presets = toolsets::toolset(name).unwrap().presets;
        for (preset, tools) in presets {
            let kept = toolsets::toolset(name).unwrap().preset(preset).unwrap();
            assert_eq!(kept.entries().len(), tools.len(), "{name} {preset}");
        }
    }
    let error = toolsets::toolset("fiz").unwrap().preset("benchmark").unwrap_err();
    assert!(error.message.contains("default, smart, cheap, minimal"), "{error}");
}
