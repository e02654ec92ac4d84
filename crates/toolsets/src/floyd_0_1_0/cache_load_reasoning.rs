//! Floyd 0.1.0 `cache_load_reasoning`.

use toolkit::serde_json::{Map, Value};

use crate::floyd::cache::Cache;
use crate::prelude::*;

/// Give the active reasoning frame.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct CacheLoadReasoning {}

/// The frame.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether there is one
    found: bool,
    /// All its fields
    #[serde(skip_serializing_if = "Option::is_none")]
    frame: Option<Map<String, Value>>,
}

impl Tool for CacheLoadReasoning {
    type Output = Output;

    const FAILED: &'static str = r#"{"found": false}"#;

    const SPEC: Spec = Spec {
        name: "cache_load_reasoning",
        aliases: &[],
        title: "Load reasoning",
        category: Category::Cache,
        effect: Effect::READS,
        permission: Permission::None,
        errors: &[&[Code::InvalidJSON]],
        examples: &[
            Example {
                about: "There is none",
                given: &[],
                call: r#"{}"#,
                gives: r#"{"found": false}"#,
                leaves: &[],
                fails: None,
            },
            Example {
                about: "The arguments are an object",
                given: &[],
                call: r#"[]"#,
                gives: r#"{"found": false, "error": "[..]must be an object", "code": "InvalidInput"}"#,
                leaves: &[],
                fails: Some(Code::InvalidInput),
            },
        ],
    };

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let frame = Cache::of(cx).load_frame()?;
        Ok(Output { found: frame.is_some(), frame })
    }
}
