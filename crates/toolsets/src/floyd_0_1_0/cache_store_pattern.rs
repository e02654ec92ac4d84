//! Floyd 0.1.0 `cache_store_pattern`.

use crate::cache::{Cache, Store, Tier};
use toolkit::serde_json::{Map, Value};

use crate::prelude::*;

/// Keep a piece of code or a solution in the vault, to be used again; it is found by its name.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct CacheStorePattern {
    /// Its name
    name: String,
    /// The code or text
    pattern: String,
    /// Words to find it by
    #[schemars(with = "Option<Vec<String>>")]
    tags: Option<Vec<Value>>,
}

/// What was stored.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// Its name, which is its key
    name: String,
    /// Its tags
    #[serde(skip_serializing_if = "Option::is_none")]
    tags: Option<Vec<String>>,
    /// What was done
    message: String,
    /// When, milliseconds since 1970
    stored_at: i64,
}

impl Tool for CacheStorePattern {
    type Output = Success<Output>;

    const FAILED: &'static str = r#"{"name": null}"#;

    const SPEC: Spec = Spec::new("cache_store_pattern", "Store a pattern", Category::Cache)
        .effect(Effect::STORES, Permission::None)
        .errors(&[&[Code::EmptyName, Code::EmptyPattern, Code::InvalidTagFormat]])
        .examples(&[
            Example::of("A pattern with tags")
                .call(r#"{"name": "react-hook", "pattern": "useHook()", "tags": ["react"]}"#)
                .gives(r#"{"success": true, "name": "react-hook", "tags": ["react"], "message": "Stored; cache_retrieve gives it back: tier vault, key react-hook", "storedAt": "[..]"}"#),
            Example::of("A tag is a word")
                .call(r#"{"name": "react-hook", "pattern": "useHook()", "tags": [1]}"#)
                .fails(Code::InvalidTagFormat, r#"{"success": false, "name": "react-hook", "error": "tags[0]: empty or not a string; [..]", "code": "InvalidTagFormat"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        if self.name.trim().is_empty() {
            return Err(Error::empty_name());
        }
        if self.pattern.trim().is_empty() {
            return Err(Error::empty_pattern());
        }
        let tag = |(n, tag): (usize, &Value)| match tag.as_str().map(str::trim) {
            Some(tag) if !tag.is_empty() => Ok(tag.to_owned()),
            _ => Err(Error::invalid_tag(n)),
        };
        let tags = self.tags.as_ref().map(|tags| tags.iter().enumerate().map(tag).collect());
        let tags: Option<Vec<String>> = tags.transpose()?;
        let mut metadata = Map::from_iter([("type".to_owned(), "pattern".into())]);
        if let Some(tags) = &tags {
            metadata.insert("tags".to_owned(), tags.clone().into());
        }
        crate::floyd::supercache::fits(cx, "pattern", &(&self.name, &self.pattern, &metadata))?;
        let stored = Cache::of(cx).store(Store {
            tier: Tier::Vault,
            key: &self.name,
            value: &self.pattern,
            time_to_live: None,
            metadata: Some(metadata),
        })?;
        let message =
            format!("Stored; cache_retrieve gives it back: tier vault, key {}", self.name);
        let stored_at = stored.timestamp;
        success(Output { name: self.name, tags, message, stored_at })
    }
}
