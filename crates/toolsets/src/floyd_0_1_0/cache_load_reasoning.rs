//! Floyd 0.1.0 `cache_load_reasoning`.

use toolkit::serde_json::{Map, Value};

use crate::cache::Cache;
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

    const SPEC: Spec = Spec::new("cache_load_reasoning", "Load reasoning", Category::Cache)
        .errors(&[&[Code::InvalidJSON]])
        .examples(&[
            Example::of("There is none").gives(r#"{"found": false}"#),
            Example::of("The arguments are an object").call(r#"[]"#).fails(
                Code::InvalidInput,
                r#"{"found": false, "error": "[..]must be an object", "code": "InvalidInput"}"#,
            ),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let frame = Cache::of(cx).load_frame()?;
        Ok(Output { found: frame.is_some(), frame })
    }
}
