//! The settings of `kitbag run`, in a file below `[run]`: which model is asked, and how long.

use std::time::Duration;

use agent::{Model, Provider, Remote, Replay, Server};
use clap::ValueHint;
use clap::builder::PossibleValuesParser;
use fault::{Error, Result};

use super::{contents, variable};

/// What comes before the file of a recording in the place of a model.
const REPLAY: &str = "replay:";

/// How a model is asked.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Model")]
pub(crate) struct Asked {
    /// Wire format of the server. Most servers of one's own speak openai: Ollama, llama.cpp, vLLM, LM
    /// Studio
    #[arg(long, env = "KITBAG_PROVIDER", default_value = "openai", value_name = "PROVIDER")]
    #[arg(value_parser = PossibleValuesParser::new(Provider::ALL.iter().map(|p| p.name)))]
    provider: String,
    /// Model, as the server calls it; replay:FILE plays the answers of a recorded session
    #[arg(long, env = "KITBAG_MODEL", value_name = "MODEL")]
    model: Option<String>,
    /// Address of the server, up to the part that its requests share [default: the provider's own]
    #[arg(long, env = "KITBAG_BASE_URL", value_name = "URL", value_hint = ValueHint::Url)]
    base_url: Option<String>,
    /// Environment variable that holds the key [default: the provider's usual one, for its own
    /// address]
    #[arg(long, env = "KITBAG_KEY_ENV", value_name = "NAME")]
    key_env: Option<String>,
    /// Header that goes with each request
    #[arg(long, env = "KITBAG_HEADER", value_name = "NAME: VALUE", value_delimiter = '\n')]
    header: Vec<String>,
    /// Most seconds that the server may be silent, also before an answer begins
    #[arg(long, env = "KITBAG_TIMEOUT", default_value = "300", value_name = "SECONDS")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
    /// Most tokens of one answer [default: the server's; 8192 for anthropic]
    #[arg(long, env = "KITBAG_MAX_OUTPUT", value_name = "TOKENS")]
    max_output: Option<u32>,
    /// Most requests
    #[arg(long, env = "KITBAG_MAX_TURNS", default_value = "100", value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    max_turns: u32,
    /// Most tokens of the session, of requests and answers together; checked before each request
    #[arg(long, env = "KITBAG_MAX_TOKENS", value_name = "TOKENS")]
    max_tokens: Option<u64>,
    /// Text at the end of the system prompt
    #[arg(long, env = "KITBAG_SYSTEM", value_name = "TEXT")]
    system: Option<String>,
}

/// How many answers in a row may make the very same calls.
const SAME_CALLS: u32 = 5;

impl Asked {
    /// The model, with its name for the record. A key that is missing is found here.
    pub(crate) fn model(&self) -> Result<(Box<dyn Model>, String)> {
        let Some(model) = self.model.clone() else {
            let problem = "none is named; give it as the server calls it, or replay:FILE";
            return Err(Error::invalid_input("--model", problem));
        };
        if let Some(file) = model.strip_prefix(REPLAY) {
            let replay = Replay::new(file, &contents(file)?)?;
            return Ok((Box::new(replay), model));
        }
        let provider = Provider::named(&self.provider)
            .ok_or_else(|| Error::invalid_input("--provider", "no such provider"))?;
        let base_url = self.base_url.clone().unwrap_or_else(|| provider.base_url.to_owned());
        let shown = format!("{model} at {base_url}");
        let server = Server {
            provider,
            model,
            base_url,
            headers: self.header.iter().map(|header| pair(header)).collect::<Result<_>>()?,
            silence: Duration::from_secs(self.timeout),
            max_output: self.max_output,
        };
        Ok((Box::new(Remote::new(server, self.key(provider)?.as_deref())?), shown))
    }

    /// The key: of the variable that was named, else of the usual one, which is sent to nobody but
    /// the provider.
    fn key(&self, provider: &Provider) -> Result<Option<String>> {
        let name = match (&self.key_env, &self.base_url) {
            (Some(name), _) => name,
            (None, None) => provider.key_env,
            (None, Some(_)) => return Ok(None),
        };
        variable(name).map(Some).ok_or_else(|| Error::no_key(provider.name, name))
    }

    /// The bounds of the loop.
    pub(crate) fn settings(&self, model: String, system: String) -> agent::Settings {
        agent::Settings {
            system,
            model,
            max_turns: self.max_turns,
            max_tokens: self.max_tokens,
            same_calls: SAME_CALLS,
        }
    }

    /// What comes at the end of the system prompt.
    pub(crate) fn system(&self) -> Option<&str> {
        self.system.as_deref()
    }
}

fn pair(header: &str) -> Result<(String, String)> {
    let pair = header.split_once(':').filter(|(name, _)| !name.trim().is_empty());
    let (name, value) = pair.ok_or_else(|| {
        Error::invalid_input("--header", format!("`{header}` is not NAME: VALUE"))
    })?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}
