use fault::Result;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::Provider;
use super::{anthropic::ANTHROPIC, gemini::GEMINI, openai::OPENAI};
use crate::{Category, Cx, Spec, Tool, Toolset};

const PLAIN: Spec = Spec::new("plain", "Plain", Category::Other);

/// Does nothing.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Wide {
    /// Required
    path: String,
    /// Optional
    depth: Option<u32>,
    /// A choice
    kind: Option<Choice>,
    /// A list of objects
    #[serde(default)]
    parts: Vec<Part>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Choice {
    Left,
    Right,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Part {
    /// Name
    name: String,
    /// Maybe
    size: Option<f64>,
}

impl Tool for Wide {
    type Output = String;
    const SPEC: Spec = PLAIN;
    fn run(self, _: &Cx<'_>) -> Result<String> {
        Ok(String::new())
    }
}

/// Has nothing to say.
#[derive(Deserialize, JsonSchema)]
struct Empty {}

impl Tool for Empty {
    type Output = String;
    const SPEC: Spec = Spec { name: "empty", ..PLAIN };
    fn run(self, _: &Cx<'_>) -> Result<String> {
        Ok(String::new())
    }
}

/// Takes a free map.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Open {
    /// Anything
    env: std::collections::BTreeMap<String, String>,
}

impl Tool for Open {
    type Output = String;
    const SPEC: Spec = Spec { name: "open", ..PLAIN };
    fn run(self, _: &Cx<'_>) -> Result<String> {
        Ok(String::new())
    }
}

/// One of two shapes.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Either {
    #[expect(dead_code, reason = "only its schema is looked at")]
    A { a: String },
    #[expect(dead_code, reason = "only its schema is looked at")]
    B { b: Vec<serde_json::Value> },
}

impl Tool for Either {
    type Output = String;
    const SPEC: Spec = Spec { name: "1st tool", ..PLAIN };
    fn run(self, _: &Cx<'_>) -> Result<String> {
        Ok(String::new())
    }
}

fn good() -> Toolset {
    let mut set = Toolset::new("test", "");
    set.register::<Wide>().unwrap();
    set.register::<Empty>().unwrap();
    set.register::<Open>().unwrap();
    set
}

#[test]
fn what_is_exported_keeps_every_rule() {
    for provider in Provider::ALL {
        assert_eq!(good().check(provider), [], "{provider:?}");
    }
}

#[test]
fn openai_is_strict_where_it_can_be() {
    let tools = good().export(&OPENAI);
    let wide = &tools[0]["function"];
    assert_eq!(wide["strict"], true);
    assert_eq!(wide["parameters"]["required"], json!(["path", "depth", "kind", "parts"]));
    assert_eq!(wide["parameters"]["properties"]["depth"]["type"], json!(["integer", "null"]));
    assert_eq!(wide["parameters"]["properties"]["kind"]["enum"], json!(["left", "right", null]));
    let items = &wide["parameters"]["properties"]["parts"]["items"];
    assert_eq!(items["additionalProperties"], false);
    assert_eq!(items["required"], json!(["name", "size"]));
    assert_eq!(tools[2]["function"]["strict"], false, "a free map cannot be strict");
}

#[test]
fn gemini_gets_no_empty_objects() {
    let tools = good().export(&GEMINI);
    let declarations = &tools[0]["functionDeclarations"];
    assert_eq!(declarations[0]["parameters"]["type"], "OBJECT");
    assert!(declarations[1].get("parameters").is_none());
    assert_eq!(declarations[2]["parameters"]["properties"]["env"]["type"], "STRING");
}

#[test]
fn broken_definitions_are_named_with_their_rule() {
    let mut set = Toolset::new("test", "");
    set.register::<Either>().unwrap();
    let rules = |p: &Provider| {
        set.check(p).into_iter().map(|x| format!("{}: {}", x.tool, x.rule)).collect::<Vec<_>>()
    };
    for provider in Provider::ALL {
        let rules = rules(provider);
        assert!(
            rules.contains(&"1st tool: the name has only letters, digits, _ and -".to_owned()),
            "{rules:?}"
        );
    }
    assert!(rules(&ANTHROPIC).iter().any(|r| r.contains("no combinator at the root")));
    assert!(rules(&GEMINI).iter().any(|r| r.contains("starts with a letter")));
}

#[test]
fn a_name_is_registered_once() {
    let mut set = good();
    let error = set.register::<Wide>().unwrap_err();
    assert!(error.message.contains("plain: a tool of this name is registered already"), "{error}");
}
