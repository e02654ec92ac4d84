//! What is known of models without asking their servers: how long a conversation may be, whether
//! pictures are taken, and what tokens cost. Settings override each of it; what is not here is
//! unknown.

use crate::model::Usage;

/// The window of a model that is not known, in tokens. A server that takes less says so, and then
/// the conversation is shortened all the same.
pub const WINDOW: u64 = 128_000;

/// US dollars for a million tokens of each stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price {
    /// Of requests.
    pub input: f64,
    /// Of answers.
    pub output: f64,
    /// Of requests, from the cache.
    pub cache_read: Option<f64>,
    /// Of requests, put into the cache.
    pub cache_write: Option<f64>,
}

impl Price {
    /// What these tokens cost in US dollars; `None` if a count or a price is missing. A cache of
    /// which the provider says nothing was not used.
    pub fn of(&self, usage: Usage) -> Option<f64> {
        let cached = |tokens: Option<u64>, price: Option<f64>| match tokens.unwrap_or(0) {
            0 => Some(0.0),
            tokens => Some(tokens as f64 * price?),
        };
        let sum = usage.input? as f64 * self.input
            + usage.output? as f64 * self.output
            + cached(usage.cache_read, self.cache_read)?
            + cached(usage.cache_write, self.cache_write)?;
        Some(sum / 1e6)
    }
}

const fn price(input: f64, output: f64, cache_read: f64) -> Option<Price> {
    Some(Price { input, output, cache_read: Some(cache_read), cache_write: None })
}

/// Prices of Anthropic: reading the cache is a tenth, writing it a quarter more.
const fn anthropic(input: f64, output: f64) -> Option<Price> {
    let (cache_read, cache_write) = (Some(input / 10.0), Some(input * 1.25));
    Some(Price { input, output, cache_read, cache_write })
}

/// What is known of a model.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// What its name begins with.
    name: &'static str,
    /// Most tokens of a request and its answer together.
    pub window: u64,
    /// What tokens cost at the provider's own address.
    price: Option<Price>,
}

const fn known(name: &'static str, window: u64, price: Option<Price>) -> Known {
    Known { name, window, price }
}

/// All of them take pictures. Prices are those of 2025-11; such as depend on the length of a request
/// are left out.
const ALL: &[Known] = &[
    known("claude-", 200_000, None),
    known("claude-opus-4-5", 200_000, anthropic(5.0, 25.0)),
    known("claude-opus-4-1", 200_000, anthropic(15.0, 75.0)),
    known("claude-sonnet-4-5", 200_000, anthropic(3.0, 15.0)),
    known("claude-sonnet-4", 200_000, anthropic(3.0, 15.0)),
    known("claude-haiku-4-5", 200_000, anthropic(1.0, 5.0)),
    known("gpt-4o", 128_000, price(2.5, 10.0, 1.25)),
    known("gpt-4o-mini", 128_000, price(0.15, 0.6, 0.075)),
    known("gpt-4.1", 1_047_576, price(2.0, 8.0, 0.5)),
    known("gpt-4.1-mini", 1_047_576, price(0.4, 1.6, 0.1)),
    known("gpt-4.1-nano", 1_047_576, price(0.1, 0.4, 0.025)),
    known("gpt-5", 400_000, price(1.25, 10.0, 0.125)),
    known("gpt-5-mini", 400_000, price(0.25, 2.0, 0.025)),
    known("gpt-5-nano", 400_000, price(0.05, 0.4, 0.005)),
    known("gemini-2.5-", 1_048_576, None),
    known("gemini-2.5-flash", 1_048_576, price(0.3, 2.5, 0.03)),
];

impl Known {
    /// What is known of a model of this name, whoever serves it: `vendor/` before it does not
    /// matter, nor does a date or a variant after it.
    pub fn of(model: &str) -> Option<&'static Self> {
        let name = model.rsplit('/').next().unwrap_or(model);
        let fits = ALL.iter().filter(|known| name.starts_with(known.name));
        fits.max_by_key(|known| known.name.len())
    }

    /// What its provider takes for the model of this name: the very model, with or without the date
    /// of its version.
    pub fn price(&self, model: &str) -> Option<Price> {
        let rest = model.strip_prefix(self.name)?;
        let is_date = rest.starts_with('-') && rest.chars().all(|c| c == '-' || c.is_ascii_digit());
        // `-1` would be another model, `-20250929` and `-2025-08-07` are dates.
        (rest.is_empty() || is_date && rest.len() >= 9).then_some(self.price)?
    }
}

/// How much a session may use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    /// Tokens of all streams.
    Tokens(u64),
    /// US dollars.
    Dollars(f64),
}

#[cfg(test)]
mod tests {
    use super::{Known, Price};
    use crate::Usage;

    #[test]
    fn only_the_very_model_has_a_price() {
        let price = |model: &str| Known::of(model).and_then(|known| known.price(model));
        assert_eq!(price("gpt-5-2025-08-07"), price("gpt-5"));
        assert_eq!(price("claude-sonnet-4-5-20250929").unwrap().input, 3.0);
        for other in ["gpt-5-pro", "gpt-5.1", "claude-sonnet-4-6", "openai/gpt-5", "qwen3"] {
            assert_eq!(price(other), None, "{other}");
        }
        assert_eq!(Known::of("anthropic/claude-new-9").unwrap().window, 200_000);
        assert!(Known::of("qwen3").is_none());
    }

    #[test]
    fn what_is_unknown_makes_the_cost_unknown() {
        let price = Price { input: 1.0, output: 10.0, cache_read: None, cache_write: None };
        let (million, none) = (Some(1_000_000), None);
        let usage = Usage { input: million, output: million, cache_read: none, cache_write: none };
        assert_eq!(price.of(usage), Some(11.0));
        assert_eq!(price.of(Usage { cache_read: Some(0), ..usage }), Some(11.0));
        assert_eq!(price.of(Usage { cache_read: Some(1), ..usage }), None);
        assert_eq!(price.of(Usage { output: None, ..usage }), None);
    }
}
