//! Tool definitions in the shape that each model provider takes, and the rules they must keep.

use std::collections::BTreeSet;
use std::str::FromStr;

use serde_json::{Map, Value, json};

use crate::entry::Entry;
use crate::toolset::Toolset;

/// A provider of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// Chat completions with functions, in strict mode where the definition allows it.
    OpenAi,
    /// Messages with tools.
    Anthropic,
    /// `functionDeclarations` with the OpenAPI subset of schemas, which every version takes.
    Gemini,
}

/// A definition that a provider would refuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The tool.
    pub tool: String,
    /// The rule, in a few words.
    pub rule: &'static str,
    /// Where in the definition and what is there.
    pub at: String,
}

impl Provider {
    /// All providers.
    pub const ALL: &[Self] = &[Self::OpenAi, Self::Anthropic, Self::Gemini];

    /// The name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// Most bytes of a tool's name.
    fn name_limit(self) -> usize {
        if self == Self::Anthropic { 128 } else { 64 }
    }
}

impl FromStr for Provider {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().copied().find(|p| p.as_str() == text);
        found.ok_or_else(|| format!("no provider `{text}`; choose openai, anthropic or gemini"))
    }
}

impl Toolset {
    /// The definitions of all tools as the provider takes them in a request.
    pub fn export(&self, provider: Provider) -> Value {
        let tools = self.entries().iter().map(|entry| definition(entry, provider));
        match provider {
            Provider::Gemini => json!([{ "functionDeclarations": tools.collect::<Vec<_>>() }]),
            _ => tools.collect(),
        }
    }

    /// Every rule of the provider that a definition breaks; empty if it will take them all.
    pub fn check(&self, provider: Provider) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut names = BTreeSet::new();
        for entry in self.entries() {
            let mut check = Check { provider, tool: entry.spec.name, problems: &mut problems };
            check.name(&mut names);
            check.description(&entry.definition().description);
            let exported = definition(entry, provider);
            match parameters(&exported, provider) {
                Some(schema) => check.root(schema, exported["function"]["strict"] == true),
                None if provider == Provider::Gemini => {}
                None => check.report("the parameters are an object schema", "none given"),
            }
        }
        if provider == Provider::OpenAi && self.entries().len() > 128 {
            let at = format!("{} tools", self.entries().len());
            problems.push(Problem { tool: self.name.to_owned(), rule: "at most 128 tools", at });
        }
        problems
    }
}

fn parameters(exported: &Value, provider: Provider) -> Option<&Map<String, Value>> {
    let schema = match provider {
        Provider::OpenAi => &exported["function"]["parameters"],
        Provider::Anthropic => &exported["input_schema"],
        Provider::Gemini => &exported["parameters"],
    };
    schema.as_object()
}

/// One definition in the provider's shape.
fn definition(entry: &Entry, provider: Provider) -> Value {
    let own = entry.definition();
    let (name, description) = (entry.spec.name, &own.description);
    let schema = Value::Object(own.input.clone());
    match provider {
        Provider::OpenAi => {
            let strict = is_closed(&schema);
            let parameters = if strict { to_strict(schema) } else { schema };
            json!({"type": "function", "function":
                {"name": name, "description": description, "parameters": parameters, "strict": strict}})
        }
        Provider::Anthropic => {
            json!({"name": name, "description": description, "input_schema": schema})
        }
        Provider::Gemini => {
            let mut tool = json!({"name": name, "description": description});
            if own.input["properties"].as_object().is_some_and(|p| !p.is_empty()) {
                tool["parameters"] = to_openapi(schema);
            }
            tool
        }
    }
}

/// Whether strict mode can say the schema: every object names its properties.
fn is_closed(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) if fields.get("type").is_some_and(|t| t == "object") => {
            let named = fields.get("properties").and_then(Value::as_object);
            let open = fields.get("additionalProperties").is_some_and(|a| *a != json!(false));
            named.is_some_and(|p| p.values().all(is_closed)) && !open
        }
        Value::Object(fields) if fields.get("type").is_some_and(|t| t == "array") => {
            fields.get("items").is_some_and(is_closed)
        }
        Value::Object(fields) => fields.contains_key("type") || fields.contains_key("enum"),
        _ => false,
    }
}

/// Strict mode: every property required, optional ones may be null, nothing else allowed.
fn to_strict(mut schema: Value) -> Value {
    let Some(fields) = schema.as_object_mut() else { return schema };
    if let Some(items) = fields.get_mut("items") {
        *items = to_strict(items.take());
    }
    let required: BTreeSet<String> = strings(fields.get("required"));
    if let Some(Value::Object(properties)) = fields.get_mut("properties") {
        for (name, property) in properties.iter_mut() {
            *property = to_strict(property.take());
            if !required.contains(name) {
                nullable(property);
            }
        }
        let all: Vec<_> = properties.keys().cloned().collect();
        fields.insert("required".into(), json!(all));
        fields.insert("additionalProperties".into(), json!(false));
    }
    schema
}

fn nullable(schema: &mut Value) {
    if let Some(kind) = schema.get("type").and_then(Value::as_str) {
        schema["type"] = json!([kind, "null"]);
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.push(Value::Null);
    }
}

/// The OpenAPI subset: types in capitals, no `additionalProperties`, no empty objects. An object
/// without named properties becomes text that holds JSON, which calls accept.
fn to_openapi(schema: Value) -> Value {
    let Value::Object(fields) = schema else { return schema };
    let empty = |v: Option<&Value>| v.and_then(Value::as_object).is_none_or(Map::is_empty);
    let kind = fields.get("type").and_then(Value::as_str).unwrap_or("string").to_owned();
    if kind == "object" && empty(fields.get("properties")) {
        let about = fields.get("description").and_then(Value::as_str).unwrap_or_default();
        return json!({"type": "STRING", "description": format!("{about} (a JSON object, as text)").trim()});
    }
    let mut out = Map::new();
    out.insert("type".into(), kind.to_uppercase().into());
    for key in ["description", "enum", "required", "minimum", "maximum"] {
        if let Some(value) = fields.get(key) {
            out.insert(key.into(), value.clone());
        }
    }
    if let Some(Value::Object(properties)) = fields.get("properties") {
        let properties = properties.iter().map(|(n, p)| (n.clone(), to_openapi(p.clone())));
        out.insert("properties".into(), Value::Object(properties.collect()));
    }
    if let Some(items) = fields.get("items") {
        out.insert("items".into(), to_openapi(items.clone()));
    }
    Value::Object(out)
}

fn strings(list: Option<&Value>) -> BTreeSet<String> {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(|v| v.as_str().map(str::to_owned)).collect()
}

/// Looks through one exported definition.
struct Check<'a> {
    provider: Provider,
    tool: &'static str,
    problems: &'a mut Vec<Problem>,
}

impl Check<'_> {
    fn report(&mut self, rule: &'static str, at: impl Into<String>) {
        self.problems.push(Problem { tool: self.tool.to_owned(), rule, at: at.into() });
    }

    fn name(&mut self, seen: &mut BTreeSet<&'static str>) {
        let name = self.tool;
        if !seen.insert(name) {
            self.report("names are unique", name);
        }
        if name.is_empty() || name.len() > self.provider.name_limit() {
            self.report("the name is short enough", format!("{} bytes", name.len()));
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if !name.chars().all(plain) {
            self.report("the name has only letters, digits, _ and -", name);
        }
        let first = |c: char| c.is_ascii_alphabetic() || c == '_';
        if self.provider == Provider::Gemini && !name.starts_with(first) {
            self.report("the name starts with a letter or _", name);
        }
    }

    fn description(&mut self, text: &str) {
        if text.trim().is_empty() {
            self.report("there is a description", "none given");
        }
        if self.provider == Provider::OpenAi && text.chars().count() > 1024 {
            self.report(
                "the description has at most 1024 characters",
                format!("{}", text.chars().count()),
            );
        }
    }

    fn root(&mut self, schema: &Map<String, Value>, strict: bool) {
        let object = if self.provider == Provider::Gemini { "OBJECT" } else { "object" };
        if schema.get("type").is_none_or(|t| t != object) {
            self.report("the root is an object", "type");
        }
        for key in ["oneOf", "anyOf", "allOf", "not", "enum", "if"] {
            if schema.contains_key(key) {
                self.report("no combinator at the root", key);
            }
        }
        self.schema(schema, "", strict);
    }

    fn schema(&mut self, schema: &Map<String, Value>, path: &str, strict: bool) {
        for key in ["$ref", "$defs", "definitions"] {
            if schema.contains_key(key) {
                self.report("no $ref", format!("{path}/{key}"));
            }
        }
        if self.provider == Provider::Gemini {
            for key in ["additionalProperties", "$schema", "const", "oneOf", "allOf", "not"] {
                if schema.contains_key(key) {
                    self.report("only the OpenAPI subset", format!("{path}/{key}"));
                }
            }
            if schema.get("type").is_some_and(Value::is_array) {
                self.report("one type, not a list of types", format!("{path}/type"));
            }
        }
        let kinds = match schema.get("type") {
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
            Some(Value::String(kind)) => vec![kind.as_str()],
            _ => Vec::new(),
        };
        let is = |kind: &str| kinds.iter().any(|k| k.eq_ignore_ascii_case(kind));
        if is("array") && schema.get("items").is_none_or(|i| !i.is_object()) {
            self.report("arrays have items", path);
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        if is("object") {
            self.object(schema, properties, path, strict);
        }
        for (name, property) in properties.into_iter().flatten() {
            match property.as_object() {
                Some(property) => self.schema(property, &format!("{path}/{name}"), strict),
                None => self.report("properties are schemas", format!("{path}/{name}")),
            }
        }
        if let Some(items) = schema.get("items").and_then(Value::as_object) {
            self.schema(items, &format!("{path}[]"), strict);
        }
    }

    fn object(
        &mut self,
        schema: &Map<String, Value>,
        properties: Option<&Map<String, Value>>,
        path: &str,
        strict: bool,
    ) {
        let names: BTreeSet<String> =
            properties.into_iter().flat_map(|p| p.keys().cloned()).collect();
        let required = strings(schema.get("required"));
        if let Some(name) = required.difference(&names).next() {
            self.report("required names exist", format!("{path}/{name}"));
        }
        if self.provider == Provider::Gemini && names.is_empty() {
            self.report("objects have properties", path);
        }
        if strict && names != required {
            self.report("strict: every property is required", path);
        }
        if strict && schema.get("additionalProperties") != Some(&json!(false)) {
            self.report("strict: additionalProperties is false", path);
        }
    }
}

#[cfg(test)]
mod tests;
