//! Anthropic: messages with tools.

use serde_json::{Value, json};

use super::{Provider, Rules};

pub(super) const ANTHROPIC: Provider = Provider {
    name: "anthropic",
    definition: |entry| {
        let own = entry.definition();
        json!({"name": entry.spec.name, "description": own.description, "input_schema": own.input})
    },
    request: Value::Array,
    parameters: "/input_schema",
    rules: Rules { name_bytes: 128, description: None, tools: None, openapi: false },
};
