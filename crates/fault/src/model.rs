//! Failures between Kitbag and a model: no key, no server, a refusal, an answer that breaks off.

use std::time::Duration;

use super::{Code, Error};

impl Error {
    /// The provider wants a key, and the variable that should hold it is not set.
    pub fn no_key(provider: &str, variable: &str) -> Self {
        let problem = format!(
            "not set, and {provider} takes no request without a key; export it, or name another variable with --key-env"
        );
        Self::invalid_input(variable, problem)
    }

    /// Nothing can be reached at the base URL.
    pub fn model_unreachable(base: &str, why: &str) -> Self {
        Self::model(format!(
            "{base}: {why}; check that the server of the model runs there, or name it with --base-url"
        ))
    }

    /// The server answered with a status that no repetition mends.
    pub fn model_refused(base: &str, status: u16, said: &str) -> Self {
        let advice = match status {
            401 | 403 => "check the key: --key-env names the variable that holds it",
            404 => "check --model and --base-url",
            300..=399 => {
                "redirects are not followed, since they would be sent the key; give the address that it leads to as --base-url"
            }
            _ => "the request was not taken; check --model and --provider",
        };
        let said = super::cut(said.trim(), 2000);
        Self::model(format!("{base}: the server answered {status}: {said}; {advice}"))
            .with("status", status)
    }

    /// The server was asked several times and could not answer.
    pub fn model_busy(base: &str, why: &str, tries: u32) -> Self {
        let why = super::cut(why.trim(), 2000);
        Self::model(format!("{base}: {why}; tried {tries} times; try again later"))
    }

    /// The server said nothing for too long. It is not asked again: it may be at the same answer.
    pub fn model_silent(base: &str, silence: Duration) -> Self {
        let seconds = silence.as_secs_f64();
        Self::model(format!(
            "{base}: no answer in {seconds} s; check the server, or raise --timeout"
        ))
    }

    /// The answer is no stream of events, as that of a page to log in.
    pub fn no_stream(base: &str, said: &str) -> Self {
        let said = super::cut(said.trim(), 300);
        Self::model(format!(
            "{base}: the answer is not a stream of events: {said}; check --base-url and --provider"
        ))
    }

    /// The answer is longer than that of any model.
    pub fn answer_too_long(base: &str, bytes: usize) -> Self {
        Self::model(format!("{base}: the answer is longer than {bytes} bytes; check the server"))
    }

    /// The server asks to wait longer than anybody would.
    pub fn model_wait(base: &str, wait: Duration) -> Self {
        let seconds = wait.as_secs();
        Self::model(format!(
            "{base}: the server takes the next request in {seconds} s; try again then"
        ))
    }

    /// The server takes no request as long as this one.
    pub fn context_too_long(base: &str, status: u16, said: &str) -> Self {
        let said = super::cut(said.trim(), 2000);
        let problem = format!("{base}: the server answered {status}: {said}");
        Self::model(format!("{problem}; the conversation is too long for the model"))
            .with("context", "too long")
    }

    /// Whether the conversation was too long for the model.
    pub fn is_context_too_long(&self) -> bool {
        self.detail("context").is_some()
    }

    /// A summary of the conversation did not make it short enough.
    pub fn context_stuck(tokens: u64, window: u64) -> Self {
        Self::model(format!(
            "the conversation has about {tokens} tokens and the model takes {window}; a summary does not make it shorter; begin a new session, or raise --context-window if the model takes more"
        ))
        .with("context", "too long")
    }

    /// A budget in money for a model whose price is not known.
    pub fn no_price(model: &str) -> Self {
        Self::invalid_input(
            "--budget",
            format!(
                "the price of {model} is not known; give it with --price, or a budget in tokens"
            ),
        )
    }

    /// No session, or more than one, has a name that begins so.
    pub fn no_such_session(wanted: &str, found: usize) -> Self {
        let problem = match found {
            0 => format!("`{wanted}`: no such session; `kitbag sessions --all` lists them"),
            many => format!("`{wanted}` is the beginning of {many} names; give more of it"),
        };
        Self::invalid_input("session", problem)
    }

    /// There is no session of this directory.
    pub fn no_session_here() -> Self {
        let problem = "this directory has none yet; `kitbag sessions --all` lists the others";
        Self::invalid_input("session", problem)
    }

    /// A line of the record of a session that cannot be read.
    pub fn not_an_event(file: &str, line: usize, why: &str) -> Self {
        let why = super::cut(why, 500);
        let problem = format!("{file}:{line}: not an event of a session ({why})");
        Self::new(Code::InvalidJSON, format!("{problem}; correct or remove the line"))
    }

    /// A record that does not say how its session began.
    pub fn no_start(file: &str) -> Self {
        let problem = "not the start of a session, so its directory is not known";
        let advice = "its answers can be replayed with --model replay:FILE";
        Self::new(Code::InvalidJSON, format!("{file}:1: {problem}; {advice}"))
    }

    /// Another process goes on with the session.
    pub fn session_in_use(id: &str) -> Self {
        let problem = format!("{id} is in use by another process; end that first");
        Self::invalid_input("session", problem)
    }

    /// The answer broke off after a part of it was shown.
    pub fn answer_broke_off(base: &str, why: &str) -> Self {
        let why = super::cut(why.trim(), 2000);
        Self::model(format!(
            "{base}: the answer broke off: {why}; what was shown of it is not repeated, run the prompt again"
        ))
    }

    /// A server whose tools are to be offered does not work.
    pub fn server_failed(server: &str, why: &str) -> Self {
        let why = super::cut(why.trim(), 2000);
        let problem = format!("the MCP server {server} failed: {why}");
        Self::new(Code::ServerFailed, format!("{problem}; check how it is started, or remove it"))
    }

    /// A setting names a tool that no server has.
    pub fn no_such_tool_of_servers(name: &str, near: &[String]) -> Self {
        let advice = match near.first() {
            Some(near) => format!("did you mean {near}?"),
            None => "their tools are called SERVER__TOOL".to_owned(),
        };
        Self::invalid_input("--mcp-allow", format!("`{name}` is a tool of no server; {advice}"))
    }

    /// A tool of another server failed, in the words of the server.
    pub fn server_tool_failed(said: &str) -> Self {
        Self::new(Code::ServerFailed, super::cut(said, 100_000).into_owned())
    }

    /// The answer reached the most tokens of one answer.
    pub fn answer_cut() -> Self {
        Self::model(
            "the answer hit the output limit; raise --max-output, or ask for less at once"
                .to_owned(),
        )
    }

    /// The model or a filter of the provider declined to answer.
    pub fn answer_withheld(why: &str) -> Self {
        Self::model(format!("the provider withheld the answer ({why}); put the prompt otherwise"))
    }

    /// The recording has no more answers.
    pub fn recording_ended(answers: usize) -> Self {
        Self::model(format!(
            "the recording has {answers} answers, and one more is needed; the session went another way than the recorded one"
        ))
    }

    fn model(message: String) -> Self {
        Self::new(Code::ModelFailed, message)
    }
}
