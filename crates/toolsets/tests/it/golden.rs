//! What clients see of each toolset, reviewed like an API.

use std::fs;
use std::path::Path;

use toolkit::serde_json::{self, json};

#[test]
fn the_definitions_are_those_that_were_reviewed() {
    let folder = Path::new("tests/golden");
    let mut stale = Vec::new();
    for name in toolsets::NAMES {
        let toolset = toolsets::toolset(name).unwrap();
        let tools: Vec<_> = toolset
            .entries()
            .iter()
            .map(|entry| {
                let definition = entry.definition();
                json!({
                    "name": entry.spec.name,
                    "description": definition.description,
                    "inputSchema": definition.input,
                    "outputSchema": toolset.output_schema(entry),
                })
            })
            .collect();
        let now = serde_json::to_string_pretty(&tools).unwrap() + "\n";
        let path = folder.join(format!("{name}.json"));
        if fs::read_to_string(&path).unwrap_or_default() != now {
            fs::write(&path, now).unwrap();
            stale.push(path);
        }
    }
    assert!(stale.is_empty(), "rewritten, look at the difference and run again: {stale:?}");
}
