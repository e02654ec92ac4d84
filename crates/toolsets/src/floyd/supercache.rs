//! What the cache tools of both versions share: the tier as a parameter, and results.

use std::borrow::Cow;
use std::time::Duration;

use crate::cache::{Cache, Entry, Store, Tier};
use schemars::{Schema, SchemaGenerator, json_schema};
use toolkit::serde_json::{Map, Value};

use crate::prelude::*;

/// A tier as it was given; whether there is one of that name is found when it is used, since that
/// failure has a code of its own.
#[derive(Clone, Deserialize)]
#[serde(transparent)]
pub(crate) struct TierName(String);

impl JsonSchema for TierName {
    fn schema_name() -> Cow<'static, str> {
        "Tier".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = Tier::ALL.iter().map(|tier| tier.name()).collect();
        json_schema!({"type": "string", "enum": names})
    }
}

impl TierName {
    /// The tier.
    pub(crate) fn tier(&self) -> Result<Tier> {
        Tier::parse(&self.0)
    }

    /// The tier that was named, or all of them, and the word for that.
    pub(crate) fn or_all(name: Option<&Self>) -> Result<(Vec<Tier>, String)> {
        Ok(match name {
            Some(name) => (vec![name.tier()?], name.0.clone()),
            None => (Tier::ALL.to_vec(), "all".to_owned()),
        })
    }
}

/// What was stored.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Stored {
    /// Its tier
    tier: &'static str,
    /// Its key
    key: String,
    /// What was done
    message: String,
    /// When it expires, milliseconds since 1970
    expires: i64,
}

impl Stored {
    /// Stores a text; `ttl` is in milliseconds.
    pub(crate) fn store(
        cx: &Cx<'_>,
        tier: Tier,
        key: String,
        value: &str,
        ttl: Option<u64>,
        metadata: Option<Map<String, Value>>,
    ) -> Result<Success<Self>> {
        let time_to_live = ttl.map(Duration::from_millis);
        let whole = (&key, value, &metadata);
        fits(cx, "value", &whole)?;
        let stored =
            Cache::of(cx).store(Store { tier, key: &key, value, time_to_live, metadata })?;
        let mut message =
            format!("Stored {} as `{key}` in {}", fault::count(value.len(), "byte"), tier.name());
        if stored.evicted > 0 {
            message += &format!("; {} least recently used made room", stored.evicted);
        }
        success(Self { tier: tier.name(), key, message, expires: stored.expires })
    }
}

/// What a key has.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Retrieved {
    /// Its tier, or all that were searched
    tier: String,
    /// The key
    key: String,
    /// Whether it has an entry that has not expired
    found: bool,
    /// The text
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    /// When it expires, milliseconds since 1970
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<i64>,
    /// Whatever belongs to it
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Map<String, Value>>,
}

impl Retrieved {
    /// Looks a key up in a tier, or in all.
    pub(crate) fn find(cx: &Cx<'_>, tier: Option<&TierName>, key: String) -> Result<Self> {
        let (tiers, searched) = TierName::or_all(tier)?;
        let entry = Cache::of(cx).retrieve(&tiers, &key)?;
        let Some(Entry { value, tier, expires, metadata, .. }) = entry else {
            let (value, expires, metadata) = (None, None, None);
            return Ok(Self { tier: searched, key, found: false, value, expires, metadata });
        };
        let (value, expires) = (Some(value), Some(expires));
        Ok(Self { tier: tier.name().to_owned(), key, found: true, value, expires, metadata })
    }
}

/// What was deleted.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Deleted {
    /// The tier it was in, or the one named, or all
    tier: String,
    /// The key
    key: String,
    /// Whether there was an entry
    deleted: bool,
    /// What was done
    message: String,
}

impl Deleted {
    /// Deletes a key from a tier, or from all.
    pub(crate) fn delete(
        cx: &Cx<'_>,
        tier: Option<&TierName>,
        key: String,
    ) -> Result<Success<Self>> {
        let (tiers, tier) = TierName::or_all(tier)?;
        let gone = Cache::of(cx).delete(&tiers, &key)?;
        let names: Vec<&str> = gone.iter().map(|tier| tier.name()).collect();
        let message = match names.as_slice() {
            [] if tiers.len() > 1 => format!("`{key}` is in no tier"),
            [] => format!("`{key}` is not in the tier {tier}"),
            names => format!("Deleted `{key}` from {}", names.join(", ")),
        };
        let tier = if let [one] = names.as_slice() { (*one).to_owned() } else { tier };
        success(Self { tier, key, deleted: !gone.is_empty(), message })
    }
}

/// What was cleared.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Cleared {
    /// How many entries went
    deleted: usize,
    /// The tier, or all
    tier: String,
    /// What was done
    message: String,
}

impl Cleared {
    /// Clears a tier, or all.
    pub(crate) fn clear(cx: &Cx<'_>, tier: Option<&TierName>) -> Result<Success<Self>> {
        let (tiers, tier) = TierName::or_all(tier)?;
        let deleted = Cache::of(cx).clear(&tiers)?;
        let entries = if deleted == 1 { "entry" } else { "entries" };
        let message = format!("Deleted {deleted} {entries} from {tier}");
        success(Self { deleted, tier, message })
    }
}

/// Bytes of an answer that are not of what was stored.
const AROUND: usize = 1024;

/// That what is to be stored can be given back in one answer: nothing asks for a part of it.
pub(crate) fn fits(cx: &Cx<'_>, field: &str, whole: &impl Serialize) -> Result<()> {
    let bytes = toolkit::serde_json::to_string(whole).map_or(0, |text| text.len());
    let most = cx.limits().body_bytes - AROUND;
    if bytes <= most {
        return Ok(());
    }
    let problem = format!(
        "{bytes} bytes as JSON, and an answer that gives it back holds {most}; store it in parts"
    );
    Err(Error::invalid_input(field, problem))
}

/// The note about files that could not be read.
pub(crate) fn unreadable(broken: &[String]) -> Option<String> {
    let names = broken.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
    (!broken.is_empty())
        .then(|| format!("{} files of the cache could not be read: {names}", broken.len()))
}
