//! The settings of `kitbag run`, in a file below `[run]`: which model is asked, and how long.

use std::rc::Rc;
use std::time::Duration;

use agent::known::WINDOW;
use agent::{Budget, Keep, Known, Lines, Model, Price, Provider, Remote, Replay, Server, Source};
use clap::ValueHint;
use clap::builder::PossibleValuesParser;
use fault::{Error, Result};

use super::servers::{self, Servers};
use super::{Switch, opened, variable};

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
    /// Maximum seconds of silence, also before an answer begins
    #[arg(long, env = "KITBAG_TIMEOUT", default_value = "300", value_name = "SECONDS")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
    /// Maximum tokens of one answer [default: the server's; 8192 for anthropic]
    #[arg(long, env = "KITBAG_MAX_OUTPUT", value_name = "TOKENS")]
    max_output: Option<u32>,
    /// Maximum number of requests for a prompt
    #[arg(long, env = "KITBAG_MAX_TURNS", default_value = "100", value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    max_turns: u32,
    /// Most that the session may use, checked before each request: tokens as in 200000 or 200k, or
    /// US dollars as in $1.50 if the price is known
    #[arg(long, env = "KITBAG_BUDGET", value_name = "TOKENS|$DOLLARS", value_parser = budget)]
    budget: Option<Budget>,
    /// Price of a model in US dollars for a million tokens of requests, of answers, and of requests
    /// read from and written to a cache
    #[arg(long, env = "KITBAG_PRICE", value_name = "MODEL=IN/OUT[/READ[/WRITE]]")]
    #[arg(value_delimiter = ',', value_parser = price)]
    price: Vec<(String, Price)>,
    /// Maximum tokens that the model takes, the answer included; a longer conversation is summarised
    /// [default: the model's if it is known, else 128000]
    #[arg(long, env = "KITBAG_CONTEXT_WINDOW", value_name = "TOKENS")]
    #[arg(value_parser = clap::value_parser!(u64).range(1000..))]
    context_window: Option<u64>,
    /// Whether the model takes pictures [default: on for models that are known to]
    #[arg(long, env = "KITBAG_PICTURES", value_name = "WHEN")]
    pictures: Option<Switch>,
    /// Text at the end of the system prompt
    #[arg(long, env = "KITBAG_SYSTEM", value_name = "TEXT")]
    system: Option<String>,
    /// Other MCP servers whose tools the model gets too: a JSON object as below `mcpServers`; in a
    /// file, the table [mcpServers]
    #[arg(long, env = "KITBAG_MCP_SERVERS", value_name = "JSON", hide_env_values = true)]
    #[arg(value_parser = Servers::parse)]
    mcp_servers: Option<Servers>,
    /// File with other MCP servers whose tools the model gets too, in JSON below `mcpServers`
    #[arg(long, env = "KITBAG_MCP_CONFIG", value_name = "FILE", value_delimiter = ',')]
    #[arg(value_hint = ValueHint::FilePath)]
    mcp_config: Vec<String>,
    /// Tool of these servers that runs without asking, as SERVER__TOOL
    #[arg(long, env = "KITBAG_MCP_ALLOW", value_name = "NAME", value_delimiter = ',')]
    mcp_allow: Vec<String>,
    #[command(flatten)]
    kept: Kept,
    /// Servers that an editor names.
    #[arg(skip)]
    of_editor: Vec<mcp::client::Config>,
}

/// How many records of sessions are kept, and how long.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Records")]
pub(crate) struct Kept {
    /// Maximum number of sessions whose records are kept; the oldest go first
    #[arg(long, env = "KITBAG_KEEP_SESSIONS", default_value = "1000", value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    keep_sessions: u64,
    /// Days for which the record of a session is kept
    #[arg(long, env = "KITBAG_KEEP_DAYS", default_value = "90", value_name = "DAYS")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    keep_days: u64,
}

impl Kept {
    pub(crate) fn keep(&self) -> Keep {
        Keep {
            count: usize::try_from(self.keep_sessions).unwrap_or(usize::MAX),
            age: Duration::from_secs(self.keep_days.saturating_mul(24 * 60 * 60)),
        }
    }
}

/// How many answers in a row may make the very same calls.
const SAME_CALLS: u32 = 5;

impl Asked {
    /// The model, with its name for the record. A key that is missing is found here.
    pub(crate) fn model(&self) -> Result<(Rc<dyn Model>, String)> {
        let Some(model) = self.model.clone() else {
            let problem = "none is named; give it as the server calls it, or replay:FILE";
            return Err(Error::invalid_input("--model", problem));
        };
        if let Some(file) = model.strip_prefix(REPLAY) {
            let replay = Replay::new(Lines::new(file, opened(file)?))?;
            return Ok((Rc::new(replay), model));
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
            pictures: match self.pictures {
                Some(given) => given == Switch::On,
                None => Known::of(self.model.as_deref().unwrap_or_default()).is_some(),
            },
        };
        Ok((Rc::new(Remote::new(server, self.key(provider)?.as_deref())?), shown))
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

    /// The bounds of the loop; `shown` is the model as it is shown, and the rest the system prompt.
    pub(crate) fn settings(
        &self,
        shown: String,
        (system, sources): (String, Vec<Source>),
    ) -> agent::Settings {
        let known = self.model.as_deref().and_then(Known::of);
        agent::Settings {
            system,
            sources,
            model: shown,
            max_turns: self.max_turns,
            budget: self.budget,
            price: self.price(known),
            window: self.context_window.or(known.map(|known| known.window)).unwrap_or(WINDOW),
            max_output: self.max_output,
            same_calls: SAME_CALLS,
        }
    }

    /// The price that was given, else that of the provider at its own address.
    fn price(&self, known: Option<&Known>) -> Option<Price> {
        let model = self.model.as_deref()?;
        let given = self.price.iter().find(|(name, _)| name == model).map(|(_, price)| *price);
        given.or_else(|| known.filter(|_| self.base_url.is_none())?.price(model))
    }

    /// The other servers.
    pub(crate) fn servers(&self) -> Result<Vec<mcp::client::Config>> {
        let mut all = servers::configured(self.mcp_servers.as_ref(), &self.mcp_config)?;
        servers::add(&mut all, self.of_editor.clone());
        Ok(all)
    }

    /// Adds the servers that an editor names.
    pub(crate) fn add_servers(&mut self, more: Vec<mcp::client::Config>) {
        self.of_editor.extend(more);
    }

    /// Which of their tools run without asking.
    pub(crate) fn allowed_of_servers(&self) -> &[String] {
        &self.mcp_allow
    }

    /// How many records are kept.
    pub(crate) fn keep(&self) -> Keep {
        self.kept.keep()
    }

    /// What comes at the end of the system prompt.
    pub(crate) fn system(&self) -> Option<&str> {
        self.system.as_deref()
    }
}

fn budget(text: &str) -> Result<Budget, String> {
    let wrong = || format!("`{text}` is neither tokens, as 200000 or 200k, nor money, as $1.50");
    if let Some(dollars) = text.strip_prefix('$') {
        let dollars = dollars.parse().ok().filter(|dollars: &f64| *dollars > 0.0);
        return dollars.map(Budget::Dollars).ok_or_else(wrong);
    }
    let (digits, factor) = match text.strip_suffix(['k', 'M']) {
        Some(digits) if text.ends_with('k') => (digits, 1000),
        Some(digits) => (digits, 1_000_000),
        None => (text, 1),
    };
    let tokens = digits.parse::<u64>().ok().and_then(|tokens| tokens.checked_mul(factor));
    tokens.filter(|tokens| *tokens > 0).map(Budget::Tokens).ok_or_else(wrong)
}

fn price(text: &str) -> Result<(String, Price), String> {
    let wrong = || format!("`{text}` is not MODEL=IN/OUT[/READ[/WRITE]], in dollars");
    let (model, prices) = text.rsplit_once('=').ok_or_else(wrong)?;
    let number = |text: &str| text.parse().ok().filter(|n: &f64| n.is_finite() && *n >= 0.0);
    let numbers: Option<Vec<f64>> = prices.split('/').map(number).collect();
    let numbers = numbers.filter(|all| (2..=4).contains(&all.len())).ok_or_else(wrong)?;
    let (cache_read, cache_write) = (numbers.get(2).copied(), numbers.get(3).copied());
    let price = Price { input: numbers[0], output: numbers[1], cache_read, cache_write };
    Ok((model.to_owned(), price))
}

fn pair(header: &str) -> Result<(String, String)> {
    let pair = header.split_once(':').filter(|(name, _)| !name.trim().is_empty());
    let (name, value) = pair.ok_or_else(|| {
        Error::invalid_input("--header", format!("`{header}` is not NAME: VALUE"))
    })?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}
