//! Floyd 0.1.0 `cache_store_reasoning`.

use toolkit::serde_json::Value;

use crate::cache::Cache;
use crate::prelude::*;

/// Keep a reasoning frame as the active one: JSON with frame_id and cog_steps. Another one that was active is archived.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct CacheStoreReasoning {
    /// The frame, JSON as text
    frame: Frame,
}

/// A frame, as text or, as models send it too, as the object itself.
#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(with = "String")]
struct Frame(Value);

impl Frame {
    fn text(&self) -> String {
        self.0.as_str().map_or_else(|| self.0.to_string(), str::to_owned)
    }
}

/// What was stored.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// Steps of the frame
    steps: usize,
    /// What was done
    message: String,
    /// The id of the frame
    frame_id: String,
}

impl Tool for CacheStoreReasoning {
    type Output = Success<Output>;

    const FAILED: &'static str = r#"{"steps": 0}"#;

    const SPEC: Spec = Spec::new("cache_store_reasoning", "Store reasoning", Category::Cache)
        .effect(Effect::STORES, Permission::None)
        .errors(&[&[Code::InvalidJSON, Code::MissingFrameId, Code::MissingCogSteps]])
        .examples(&[
            Example::of("A frame with one step")
                .call(r#"{"frame": "{\"frame_id\": \"f1\", \"timestamp\": 1, \"cog_steps\": [{\"step\": 1, \"thought\": \"read first\"}]}"}"#)
                .gives(r#"{"success": true, "steps": 1, "message": "Stored as the active frame", "frameId": "f1"}"#),
            Example::of("A frame without an id")
                .call(r#"{"frame": "{\"cog_steps\": []}"}"#)
                .fails(Code::MissingFrameId, r#"{"success": false, "steps": 0, "error": "frame: has no frame_id; [..]", "code": "MissingFrameId"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        crate::floyd::supercache::fits(cx, "frame", &self.frame.0)?;
        let (frame_id, steps, archived) = Cache::of(cx).store_frame(&self.frame.text())?;
        let mut message = "Stored as the active frame".to_owned();
        if let Some(archived) = archived {
            message += &format!("; the one before it is in project: {}", archived.key);
        }
        success(Output { steps, message, frame_id })
    }
}
