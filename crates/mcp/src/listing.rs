//! What clients are told about the tools: all on one page, in the order of the toolset, because
//! several hosts never ask for a second page.

use std::sync::Arc;

use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};
use serde_json::Value;
use toolkit::{Entry, Hints, Toolset};

use crate::profile::Profile;

/// Toolsets of at most so many tools are pinned where hosts hide tools behind a search; in a
/// larger one the search is worth more to the model than the definitions.
const PINNED: usize = 20;

/// The whole list, as a client that takes everything gets it.
pub(crate) fn all(toolset: &Toolset) -> Vec<Tool> {
    toolset.entries().iter().map(|entry| tool(toolset, entry)).collect()
}

/// The list for a host.
pub(crate) fn fit(tools: &[Tool], host: &Profile) -> Vec<Tool> {
    let mut tools = tools.to_vec();
    for tool in &mut tools {
        if !host.structured {
            tool.output_schema = None; // with a schema, clients refuse a result without structure
        }
    }
    if host.pins && tools.len() <= PINNED {
        for tool in &mut tools {
            tool.meta = Some(pinned());
        }
    }
    tools
}

fn tool(toolset: &Toolset, entry: &Entry) -> Tool {
    let definition = entry.definition();
    let hints = Hints::from(entry.spec.effect);
    let annotations = ToolAnnotations::from_raw(
        Some(entry.spec.title.to_owned()),
        Some(hints.read_only),
        Some(hints.destructive),
        Some(hints.idempotent),
        Some(hints.open_world),
    );
    let mut tool = Tool::new(
        entry.spec.name,
        definition.description.clone(),
        Arc::new(definition.input.clone()),
    )
    .with_title(entry.spec.title)
    .with_annotations(annotations);
    // Hosts that read structure show no picture beside it.
    let schema = toolset.output_schema(entry).filter(|_| !entry.spec.pictures);
    tool.output_schema = schema.map(Arc::new);
    tool
}

fn pinned() -> MetaObject {
    MetaObject(JsonObject::from_iter([("anthropic/alwaysLoad".to_owned(), Value::Bool(true))]))
}
