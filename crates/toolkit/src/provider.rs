//! Tool definitions in the shape that each model provider takes, and the rules they must keep. A
//! provider is one file and its line in [`Provider::ALL`].

mod anthropic;
mod check;
mod gemini;
mod openai;

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;

use self::check::Check;
use crate::entry::Entry;
use crate::toolset::Toolset;

/// A provider of models: how it takes definitions, and what it refuses.
pub struct Provider {
    /// The name on the command line.
    pub name: &'static str,
    /// One definition in the provider's shape.
    definition: fn(&Entry) -> Value,
    /// The definitions as they are part of a request.
    request: fn(Vec<Value>) -> Value,
    /// Where the schema of the parameters is in a definition, as a JSON pointer.
    parameters: &'static str,
    rules: Rules,
}

/// What a provider refuses.
struct Rules {
    /// Most bytes of a tool's name.
    name_bytes: usize,
    /// Most characters of a description.
    description: Option<usize>,
    /// Most tools of a request.
    tools: Option<usize>,
    /// Whether schemas are the OpenAPI subset, names begin with a letter, and a tool without
    /// parameters has no schema of them.
    openapi: bool,
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
    pub const ALL: &[&'static Self] = &[&openai::OPENAI, &anthropic::ANTHROPIC, &gemini::GEMINI];

    /// The provider of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().copied().find(|provider| provider.name == name)
    }
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Provider").field(&self.name).finish()
    }
}

impl Toolset {
    /// The definitions of all tools as the provider takes them in a request.
    pub fn export(&self, provider: &Provider) -> Value {
        (provider.request)(self.entries().iter().map(provider.definition).collect())
    }

    /// Every rule of the provider that a definition breaks; empty if it will take them all.
    pub fn check(&self, provider: &Provider) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut names = BTreeSet::new();
        for entry in self.entries() {
            let rules = &provider.rules;
            let mut check = Check { rules, tool: entry.spec.name, problems: &mut problems };
            check.name(&mut names);
            check.description(&entry.definition().description);
            let exported = (provider.definition)(entry);
            match exported.pointer(provider.parameters).and_then(Value::as_object) {
                Some(schema) => check.root(schema, exported["function"]["strict"] == true),
                None if rules.openapi => {}
                None => check.report("the parameters are an object schema", "none given"),
            }
        }
        let many = self.entries().len();
        if provider.rules.tools.is_some_and(|most| many > most) {
            let (tool, at) = (self.name.to_owned(), format!("{many} tools"));
            problems.push(Problem { tool, rule: "no more tools than a request may have", at });
        }
        problems
    }
}

#[cfg(test)]
mod tests;
