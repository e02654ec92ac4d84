//! What the definitions of kit cost a model, counted with a real tokenizer.

use tiktoken_rs::o200k_base_singleton;
use toolkit::serde_json::json;

/// Tokens of o200k that the definitions of each preset take, as MCP lists them: name, description
/// and input schema. A change of a definition changes them; what they may not become is beside.
const PRESETS: &[(&str, usize, usize)] =
    &[("whole", 1039, 1200), ("beside", 608, 900), ("look", 253, 500), ("min", 439, 500)];

#[test]
fn the_definitions_of_each_preset_take_as_many_tokens_as_are_written_here() {
    let tokenizer = o200k_base_singleton();
    let mut now = Vec::new();
    for (preset, _, most) in PRESETS {
        let toolset = toolsets::toolset("kit").unwrap().preset(preset).unwrap();
        let cost = |entry: &toolkit::Entry| {
            let definition = entry.definition();
            let listed = json!({
                "name": entry.spec.name,
                "description": definition.description,
                "inputSchema": definition.input,
            });
            tokenizer.encode_ordinary(&listed.to_string()).len()
        };
        let each: Vec<_> = toolset.entries().iter().map(|e| (e.spec.name, cost(e))).collect();
        let sum = each.iter().map(|(_, cost)| cost).sum();
        println!("{preset}: {sum} of at most {most}: {each:?}");
        now.push((*preset, sum, *most));
    }
    assert!(now.iter().all(|(_, sum, most)| sum <= most), "{now:?}");
    assert_eq!(now, PRESETS, "if that is meant, write the new numbers here");
}
