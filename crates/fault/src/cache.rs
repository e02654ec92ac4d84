//! Failures of the cache.

use super::{Code, Error};

impl Error {
    /// No tier of this name.
    pub fn invalid_tier(name: &str) -> Self {
        let name = crate::cut(name, 100);
        Self::new(
            Code::InvalidTier,
            format!("tier: no tier `{name}`; use reasoning, project or vault"),
        )
    }

    /// A key of nothing but white space.
    pub fn empty_key() -> Self {
        Self::new(Code::EmptyKey, "key: empty; give the entry a name")
    }

    /// Nothing to store.
    pub fn empty_value(key: &str) -> Self {
        let key = crate::cut(key, 100);
        Self::new(
            Code::EmptyValue,
            format!("value: empty; delete the entry `{key}` if that is what is meant"),
        )
    }

    /// A pattern without a name.
    pub fn empty_name() -> Self {
        Self::new(Code::EmptyName, "name: empty; give the pattern a name")
    }

    /// A pattern without content.
    pub fn empty_pattern() -> Self {
        Self::new(Code::EmptyPattern, "pattern: empty; give the text to store")
    }

    /// A tag that is no text; `index` counts from 0.
    pub fn invalid_tag(index: usize) -> Self {
        Self::new(
            Code::InvalidTagFormat,
            format!("tags[{index}]: empty or not a string; tags are words such as \"react\""),
        )
    }

    /// A query of less than `least` characters.
    pub fn query_too_short(least: usize) -> Self {
        let problem = match least {
            1 => "empty; say what to look for".to_owned(),
            least => format!("shorter than {least} characters; use a longer query"),
        };
        Self::new(Code::QueryTooShort, format!("query: {problem}"))
    }

    /// A reasoning frame that is no JSON.
    pub fn invalid_json(error: impl std::fmt::Display) -> Self {
        Self::new(Code::InvalidJSON, format!("frame: not valid JSON: {error}; give an object"))
    }

    /// A reasoning frame without an id.
    pub fn missing_frame_id() -> Self {
        Self::new(Code::MissingFrameId, "frame: has no frame_id; give it one, any text will do")
    }

    /// A reasoning frame without steps.
    pub fn missing_cog_steps() -> Self {
        Self::new(Code::MissingCogSteps, "frame: no list cog_steps; an empty list will do")
    }

    /// There is no frame to put away.
    pub fn no_active_frame() -> Self {
        Self::new(Code::NoActiveFrame, "no reasoning frame is active; store one first")
    }
}
