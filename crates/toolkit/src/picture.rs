//! Pictures beside a result. A model that can see gets them as pictures; as text they would fill its
//! context with what nobody reads.

use std::borrow::Cow;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use serde_json::Value;

/// What a result has in the place of a picture.
const MARK: &str = "(the picture is beside this text)";

/// A picture beside a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// What it is, such as `image/png`.
    pub mime: &'static str,
    /// Its bytes in base64.
    pub base64: String,
}

impl Picture {
    /// A picture of this kind, such as `image/png`.
    pub fn new(mime: &'static str, bytes: &[u8]) -> Self {
        Self { mime, base64: BASE64_STANDARD.encode(bytes) }
    }
}

/// A field of a result that stands for a picture shown beside it; [`crate::Cx::show`] gives it.
#[derive(Clone, Copy, Debug)]
pub struct Shown;

impl Serialize for Shown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(MARK)
    }
}

impl JsonSchema for Shown {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Shown".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string"})
    }
}

/// Puts pictures in the places that stand for them, for programs that read the result alone.
pub(crate) fn put(value: &mut Value, pictures: &mut impl Iterator<Item = String>) {
    match value {
        Value::String(text) if text == MARK => {
            pictures.next().into_iter().for_each(|picture| *text = picture);
        }
        Value::Array(items) => items.iter_mut().for_each(|item| put(item, pictures)),
        Value::Object(fields) => fields.values_mut().for_each(|field| put(field, pictures)),
        _ => {}
    }
}
