//! Floyd 0.1.0 `cache_archive_reasoning`.

use crate::cache::Cache;
use crate::prelude::*;

/// Move the active reasoning frame to the project tier of the cache.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct CacheArchiveReasoning {}

/// What was moved.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// What was done
    message: String,
    /// The id of the frame
    #[serde(skip_serializing_if = "Option::is_none")]
    archived_frame_id: Option<String>,
    /// The key of its entry in the project tier
    #[serde(skip_serializing_if = "Option::is_none")]
    archived_to: Option<String>,
}

impl Tool for CacheArchiveReasoning {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("cache_archive_reasoning", "Archive reasoning", Category::Cache)
        .effect(Effect::STORES, Permission::Moderate)
        .errors(&[&[Code::NoActiveFrame, Code::InvalidJSON]])
        .examples(&[
            Example::of("A frame that the original left in the project")
                .given(&[(
                    ".floyd/.cache/reasoning/active/frame.json",
                    r#"{"frame_id": "f1", "cog_steps": []}"#,
                )])
                .gives(r#"{"success": true, "message": "Moved to the project tier: reasoning_frame_f1", "archivedFrameId": "f1", "archivedTo": "reasoning_frame_f1"}"#)
                .leaves(&[(".floyd/.cache/reasoning/active/frame.json", GONE)]),
            Example::of("There is none to move")
                .fails(Code::NoActiveFrame, r#"{"success": false, "error": "no reasoning frame is active; store one first", "code": "NoActiveFrame"}"#),
        ]);

    fn about(&self) -> String {
        "move the active reasoning frame to the project tier of the cache".to_owned()
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let archived = Cache::of(cx).archive_frame()?;
        let message = format!("Moved to the project tier: {}", archived.key);
        let (id, key) = (Some(archived.id), Some(archived.key));
        success(Output { message, archived_frame_id: id, archived_to: key })
    }
}
