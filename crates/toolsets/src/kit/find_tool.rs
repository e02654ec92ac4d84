//! kit `find_tool`.

use toolkit::Found;
use toolkit::serde_json::Value;

use crate::prelude::*;

/// Tools of one answer.
const MOST: usize = 8;
/// Bytes of a description that are shown.
const ABOUT: usize = 160;

/// Find more tools to call: git, formatters, downloads, plans, MCP servers.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct FindTool {
    need: String,
}

impl Tool for FindTool {
    type Output = String;

    const SPEC: Spec = Spec::new("find_tool", "Find a tool", Category::Other).examples(&[
        Example::of("Tools that commit, with their parameters")
            .call(r#"{"need": "commit what is staged"}"#)
            .gives("[..]floyd.git_commit {[..]message: string[..]}: [..]"),
        Example::of("Nothing does that")
            .call(r#"{"need": "xyzzy"}"#)
            .gives("no tool is described so; use other words"),
        Example::of("A need is needed")
            .call(r#"{"need": " "}"#)
            .fails(Code::InvalidInput, "error: need: empty; say what the tool should do"),
    ]);

    fn run(self, cx: &Cx<'_>) -> Result<String> {
        let words = words(&self.need);
        if words.is_empty() {
            return Err(Error::invalid_input("need", "empty; say what the tool should do"));
        }
        let toolset = cx.toolset();
        let (reached, all) = toolset.reached();
        let lost = all - reached.len();
        let servers = toolset.entries().iter().filter(|e| e.spec.effect.has(Effect::OUTSIDE));
        let servers = servers.filter(|entry| !entry.spec.forwards);
        let servers = servers.map(|entry| (entry.spec.name.to_owned(), Found { toolset, entry }));
        let tools = reached.into_iter().map(|found| (found.path(), found)).chain(servers);
        let described: Vec<_> =
            tools.map(|(name, found)| (name, found, Described::of(&found))).collect();
        let rarity: Vec<f64> = words
            .iter()
            .map(|word| {
                let with = described.iter().filter(|(_, _, d)| d.weight(word) > 0.0).count();
                (1.0 + described.len() as f64 / (1.0 + with as f64)).ln()
            })
            .collect();
        let mut scored: Vec<_> = described
            .iter()
            .map(|(name, found, described)| {
                let weights = words.iter().zip(&rarity).map(|(w, r)| r * described.weight(w));
                (weights.sum::<f64>(), name, found)
            })
            .filter(|(score, ..)| *score > 0.0)
            .collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        // What two toolsets call the same does the same.
        let mut seen = std::collections::HashSet::new();
        scored.retain(|(_, _, found)| seen.insert(found.spec.name));
        // One word of several that fits makes no tool one for the need.
        let least = scored.first().map_or(0.0, |(best, ..)| best * 0.65);
        let shown = scored.iter().take(MOST).take_while(|(score, ..)| *score >= least);
        let shown = shown.map(|(_, name, found)| one_line(name, found));
        let mut lines: Vec<String> = shown.collect();
        if lines.is_empty() {
            lines.push("no tool is described so; use other words".to_owned());
        }
        if lost > 0 {
            let tools = fault::count(lost, "tool");
            lines.push(format!(
                "[{tools} out of reach: what does the same was left out of this session's tools]"
            ));
        }
        Ok(lines.join("\n"))
    }
}

/// The words of a text, without those that every sentence has.
fn words(text: &str) -> Vec<String> {
    const EVERYWHERE: &[&str] =
        &["a", "an", "and", "for", "in", "is", "it", "of", "on", "or", "the", "to", "what", "with"];
    let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    words.filter(|word| !word.is_empty() && !EVERYWHERE.contains(&word.as_str())).collect()
}

/// The words by which a tool is found.
struct Described {
    name: Vec<String>,
    kind: Vec<String>,
    text: Vec<String>,
}

impl Described {
    fn of(found: &Found<'_>) -> Self {
        let definition = found.definition();
        let parameters = definition.input.get("properties").and_then(Value::as_object);
        let parameters = parameters.into_iter().flat_map(|all| all.keys());
        let mut text = words(&definition.description);
        text.extend(parameters.flat_map(|name| words(name)));
        text.extend(words(found.spec.title));
        Self { name: words(found.spec.name), kind: words(found.spec.category.as_str()), text }
    }

    /// How much a word says for the tool; `commits` is `commit`.
    fn weight(&self, word: &str) -> f64 {
        let has = |all: &[String]| {
            let near = |other: &String| {
                let common = other.chars().zip(word.chars()).take_while(|(a, b)| a == b).count();
                let longest = other.chars().count().max(word.chars().count());
                other == word || common >= 4 && longest - common <= 3
            };
            f64::from(u8::from(all.iter().any(near)))
        };
        3.0 * has(&self.name) + 1.5 * has(&self.kind) + has(&self.text)
    }
}

/// The tool as it is called, and what it does.
fn one_line(name: &str, found: &Found<'_>) -> String {
    let definition = found.definition();
    let required = definition.input.get("required").and_then(Value::as_array);
    let is_required =
        |name: &str| required.is_some_and(|all| all.iter().any(|one| one.as_str() == Some(name)));
    let properties = definition.input.get("properties").and_then(Value::as_object);
    let parameters = properties.into_iter().flatten().map(|(name, schema)| {
        let mark = if is_required(name) { "" } else { "?" };
        format!("{name}{mark}: {}", kind(schema))
    });
    let parameters: Vec<String> = parameters.collect();
    let about = definition.description.split_inclusive(". ").next().unwrap_or_default();
    format!("{name} {{{}}}: {}", parameters.join(", "), fault::cut(about.trim(), ABOUT))
}

/// The type of a parameter in a word.
fn kind(schema: &Value) -> String {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let values: Vec<_> = values.iter().filter_map(Value::as_str).collect();
        return values.join("|");
    }
    let name = |of: &Value| match of.get("type") {
        Some(Value::String(name)) => name.clone(),
        Some(Value::Array(names)) => {
            let names: Vec<_> = names.iter().filter_map(Value::as_str).collect();
            names.join("|")
        }
        _ => "any".to_owned(),
    };
    match schema.get("items") {
        Some(items) => format!("[{}]", name(items)),
        None => name(schema),
    }
}
