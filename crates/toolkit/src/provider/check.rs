//! The rules that providers hold definitions to.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{Problem, Rules};

/// Looks through one exported definition.
pub(super) struct Check<'a> {
    pub(super) rules: &'a Rules,
    pub(super) tool: &'static str,
    pub(super) problems: &'a mut Vec<Problem>,
}

impl Check<'_> {
    pub(super) fn report(&mut self, rule: &'static str, at: impl Into<String>) {
        self.problems.push(Problem { tool: self.tool.to_owned(), rule, at: at.into() });
    }

    pub(super) fn name(&mut self, seen: &mut BTreeSet<&'static str>) {
        let name = self.tool;
        if !seen.insert(name) {
            self.report("names are unique", name);
        }
        if name.is_empty() || name.len() > self.rules.name_bytes {
            self.report("the name is short enough", format!("{} bytes", name.len()));
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if !name.chars().all(plain) {
            self.report("the name has only letters, digits, _ and -", name);
        }
        let first = |c: char| c.is_ascii_alphabetic() || c == '_';
        if self.rules.openapi && !name.starts_with(first) {
            self.report("the name starts with a letter or _", name);
        }
    }

    pub(super) fn description(&mut self, text: &str) {
        if text.trim().is_empty() {
            self.report("there is a description", "none given");
        }
        let long = text.chars().count();
        if self.rules.description.is_some_and(|most| long > most) {
            self.report("the description is short enough", format!("{long} characters"));
        }
    }

    pub(super) fn root(&mut self, schema: &Map<String, Value>, strict: bool) {
        let object = if self.rules.openapi { "OBJECT" } else { "object" };
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
        if self.rules.openapi {
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
        if self.rules.openapi && names.is_empty() {
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

/// The texts in a list.
pub(super) fn strings(list: Option<&Value>) -> BTreeSet<String> {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(|v| v.as_str().map(str::to_owned)).collect()
}
