//! One entry as it is in a file: the fields that the original wrote, read with care.

use serde_json::{Map, Value, json};

use super::Tier;

/// A text in the cache.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    /// Its key.
    pub(crate) key: String,
    /// The text.
    pub(crate) value: String,
    /// Its tier.
    pub(crate) tier: Tier,
    /// When it was stored, milliseconds since 1970.
    pub(crate) timestamp: i64,
    /// When it was last used, milliseconds since 1970.
    pub(crate) last_access: i64,
    /// When it expires, milliseconds since 1970.
    pub(crate) expires: i64,
    /// Whatever belongs to it.
    pub(crate) metadata: Option<Map<String, Value>>,
    /// Bytes of its file.
    pub(crate) bytes: u64,
}

impl Entry {
    /// Whether it is no longer valid.
    pub(super) fn is_expired(&self, now: i64) -> bool {
        now > self.expires
    }

    /// Reads the file of an entry; `None` if it is not an entry. Where `ttl` is missing, `expires`
    /// says it, else the tier.
    pub(super) fn read(text: &[u8], tier: Tier) -> Option<Self> {
        let fields: Map<String, Value> = serde_json::from_slice(text).ok()?;
        let number = |names: &[&str]| {
            let value = names.iter().find_map(|name| fields.get(*name))?;
            value.as_i64().or_else(|| value.as_f64().map(|float| float as i64))
        };
        let key = fields.get("key")?.as_str()?.to_owned();
        let value = match fields.get("value")? {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let timestamp = number(&["timestamp", "createdAt"]);
        let expires = number(&["expires", "expiresAt"]);
        let life = number(&["ttl"]).unwrap_or(tier.time_to_live().as_millis() as i64);
        let timestamp = timestamp.or_else(|| Some(expires? - life)).unwrap_or(0);
        let expires = match (fields.contains_key("ttl"), expires) {
            (false, Some(expires)) => expires,
            _ => timestamp.saturating_add(life),
        };
        Some(Self {
            key,
            value,
            tier,
            timestamp,
            last_access: number(&["lastAccess", "lastAccessed"]).unwrap_or(timestamp),
            expires,
            metadata: fields.get("metadata").and_then(Value::as_object).cloned(),
            bytes: text.len() as u64,
        })
    }

    /// The file of the entry.
    pub(super) fn write(&self) -> Vec<u8> {
        let mut fields = json!({
            "key": self.key,
            "value": self.value,
            "timestamp": self.timestamp,
            "lastAccess": self.last_access,
            "ttl": self.expires.saturating_sub(self.timestamp),
            "tier": self.tier.name(),
        });
        if let Some(metadata) = &self.metadata {
            fields["metadata"] = metadata.clone().into();
        }
        fields["version"] = json!(1);
        pretty(&fields)
    }

    /// The file `text` with another time of its last use and all else as it is.
    pub(super) fn touched(text: &[u8], now: i64) -> Option<Vec<u8>> {
        let mut fields: Value = serde_json::from_slice(text).ok()?;
        fields.as_object_mut()?.insert("lastAccess".into(), now.into());
        Some(pretty(&fields))
    }
}

/// JSON as the original lays it out.
pub(super) fn pretty(value: &Value) -> Vec<u8> {
    serde_json::to_vec_pretty(value).unwrap_or_default() // a tree of values has nothing to refuse
}
