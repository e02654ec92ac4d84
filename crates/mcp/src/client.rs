//! Tools of other servers: they are started or reached, their tools listed, and calls passed on.

mod elicit;
mod given;

use std::collections::HashMap;
use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResult, PaginatedRequestParams, ProtocolVersion, Tool,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, RunningService};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, Transport};
use rmcp::{Peer, RoleClient};
use serde_json::{Map, Value};
use tokio::time::Instant;
use toolkit::fault::{Cancel, Error, Result};
use toolkit::files::{State, Workspace};
use toolkit::programs::process::{
    Exit, Line, Network, Program, Reach, Runner, Sandbox, Settings, Talk,
};
use toolkit::{Cx, Entry, Outside, Person};

use self::elicit::Us;
use self::given::result_of;

/// How long a server may take to say what tools it has.
const START: Duration = Duration::from_secs(15);
/// Most tools of one server.
const TOOLS: usize = 1000;
/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(5);
/// How long a call may take.
const CALL: Duration = Duration::from_secs(600);
/// How long after a failure of its pipes a program may be known to have ended.
const ENDING: Duration = Duration::from_millis(500);
/// Most characters that providers take as the name of a tool.
const NAME: usize = 64;

/// A server as the user configured it.
#[derive(Clone, Debug)]
pub struct Config {
    /// What it is called, which comes before the names of its tools.
    pub name: String,
    /// How it is reached.
    pub way: Way,
}

/// How a server is reached.
#[derive(Clone, Debug)]
pub enum Way {
    /// A program that is spoken with over its input and output. The user named it, so it runs as
    /// the user would run it, without a sandbox.
    Program {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables beside those that every program gets.
        env: Vec<(String, String)>,
    },
    /// A server over HTTP.
    Http {
        /// Its address.
        url: String,
        /// Headers that go with each request.
        headers: Vec<(String, String)>,
    },
}

/// Where servers that are programs start.
#[derive(Debug)]
pub struct Place {
    /// The root.
    pub workspace: Workspace,
    /// Where Kitbag keeps its own files.
    pub state: State,
    /// The environment of the user.
    pub env: Vec<(OsString, OsString)>,
    /// Whether somebody is there whom servers can ask.
    pub asks: bool,
}

/// A server that answers.
struct Connection {
    name: String,
    service: RunningService<RoleClient, Us>,
    /// The program, if it is one, which ends with this.
    talk: Option<Talk>,
    _runner: Option<Runner>,
}

/// Connects to the servers, all at once, and gives their tools. `allowed` are the names here of those
/// that need no question.
///
/// # Errors
/// `ServerFailed` with the server that does not answer.
pub async fn connect(servers: Vec<Config>, place: Place, allowed: &[String]) -> Result<Vec<Entry>> {
    let place = Arc::new(place);
    let mut opening = tokio::task::JoinSet::new();
    for (at, server) in servers.into_iter().enumerate() {
        let place = Arc::clone(&place);
        opening.spawn(async move {
            let opened = tokio::time::timeout(START, open(&server, &place)).await;
            let silent =
                || Err(Error::server_failed(&server.name, &format!("no answer in {START:?}")));
            (at, opened.unwrap_or_else(|_| silent()))
        });
    }
    let mut all = Vec::new();
    while let Some(opened) = opening.join_next().await {
        let (at, opened) = opened.map_err(Error::internal)?;
        all.push((at, opened?));
    }
    all.sort_by_key(|(at, _)| *at);
    let mut entries: Vec<Entry> = Vec::new();
    for (connection, tools) in all.into_iter().map(|(_, opened)| opened) {
        let connection = Arc::new(connection);
        for tool in tools {
            let is_free = |name: &str| entries.iter().all(|entry| entry.spec.name != name);
            let first = name(&connection.name, &tool.name);
            let Some(name) = names(&first).find(|name| is_free(name)) else { continue };
            let allowed = allowed.contains(&name);
            entries.push(Entry::outside(outside(&connection, tool, name, allowed)));
        }
    }
    let known = || entries.iter().map(|entry| entry.spec.name.to_owned());
    match allowed.iter().find(|allowed| !known().any(|name| name == **allowed)) {
        Some(allowed) => Err(Error::no_such_tool_of_servers(
            allowed,
            &toolkit::files::spelling::nearest(allowed, known(), 1),
        )),
        None => Ok(entries),
    }
}

/// How long a server gets to open in the newer era: those of the older one may say nothing at all to
/// what comes before their handshake.
const NEWER: Duration = Duration::from_secs(3);

/// Opens a server in the newer era of the protocol if it answers in it, else in the older. Some answer
/// what comes before the handshake with anything, or end, so where that fails the older era begins anew.
async fn open(server: &Config, place: &Place) -> Result<(Connection, Vec<Tool>)> {
    let preferred_versions = vec![ProtocolVersion::LATEST];
    let either = ClientLifecycleMode::Auto { preferred_versions, legacy_version: None };
    match tokio::time::timeout(NEWER, open_in(server, place, either)).await {
        Ok(Ok(opened)) => Ok(opened),
        Ok(Err(Failed { error, certain: true })) => Err(error),
        Ok(Err(_)) | Err(_) => {
            let older = open_in(server, place, ClientLifecycleMode::Initialize).await;
            older.map_err(|failed| failed.error)
        }
    }
}

/// Why a server cannot be used, and whether that is certain.
struct Failed {
    error: Error,
    certain: bool,
}

async fn open_in(
    server: &Config,
    place: &Place,
    mode: ClientLifecycleMode,
) -> Result<(Connection, Vec<Tool>), Failed> {
    let us = Us::new(&server.name, place.asks);
    let name = server.name.clone();
    let failed = |why: &str, certain| Failed { error: Error::server_failed(&name, why), certain };
    let (service, talk, runner) = match &server.way {
        Way::Program { command, args, env } => {
            let (runner, talk, from, to) =
                start(place, command, args, env).map_err(|e| failed(&e.message, true))?;
            match us.serve_with_lifecycle((from, to), mode).await {
                Ok(service) => (service, Some(talk), Some(runner)),
                Err(error) => {
                    return Err(match end_of(&talk).await {
                        Some(why) => failed(&why, false),
                        None => failed(&error.to_string(), false),
                    });
                }
            }
        }
        Way::Http { url, headers } => {
            let transport = reach(url, headers).map_err(|why| failed(&why, true))?;
            let service = us.serve_with_lifecycle(transport, mode).await;
            (service.map_err(|e| failed(&e.to_string(), false))?, None, None)
        }
    };
    let tools = listed(service.peer()).await.map_err(|why| failed(&why, true))?;
    Ok((Connection { name, service, talk, _runner: runner }, tools))
}

/// All tools of a server, page by page; one that has no end is told.
async fn listed(peer: &Peer<RoleClient>) -> Result<Vec<Tool>, String> {
    let (mut tools, mut cursor) = (Vec::new(), None);
    loop {
        let params = PaginatedRequestParams::default().with_cursor(cursor);
        let page = peer.list_tools(Some(params)).await.map_err(|e| e.to_string())?;
        tools.extend(page.tools);
        if tools.len() > TOOLS {
            return Err(format!("it lists more than {TOOLS} tools"));
        }
        cursor = page.next_cursor;
        if cursor.is_none() {
            return Ok(tools);
        }
    }
}

fn start(
    place: &Place,
    command: &str,
    args: &[String],
    env: &[(String, String)],
) -> Result<(Runner, Talk, tokio::fs::File, tokio::fs::File)> {
    let settings = Settings {
        env: place.env.clone(),
        sandbox: Sandbox::Off,
        layer: false,
        network: Network::On,
        ..Settings::default()
    };
    let id = toolkit::files::journal::new_id();
    let runner = Runner::new(settings, place.state.clone(), &id);
    let program = Program {
        line: Line::Direct { name: command, args },
        dir: ".",
        env,
        timeout: Duration::MAX,
        reach: Reach::Keys,
    };
    let (talk, input, output) = runner.talk(&place.workspace, &program, &Cancel::default())?;
    let file = |end| tokio::fs::File::from_std(std::fs::File::from(end));
    Ok((runner, talk, file(output), file(input)))
}

fn reach(
    url: &str,
    headers: &[(String, String)],
) -> Result<impl Transport<RoleClient> + 'static, String> {
    let mut all = HashMap::new();
    for (name, value) in headers {
        let pair = name.parse().ok().zip(value.parse().ok());
        let (header, value) = pair.ok_or_else(|| format!("`{name}` cannot be sent as a header"))?;
        all.insert(header, value);
    }
    let config = StreamableHttpClientTransportConfig::with_uri(url).custom_headers(all);
    let client = toolkit::web::connections(CONNECT).map_err(|e| e.message)?;
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

/// How a program ended, if it did; its pipes break a moment before that is known.
async fn end_of(talk: &Talk) -> Option<String> {
    let ended = async {
        loop {
            if let Some(ended) = talk.ended() {
                return ended;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let (exit, said) = tokio::time::timeout(ENDING, ended).await.ok()?;
    let exit = match exit {
        Exit::Code(code) => format!("it ended with the exit code {code}"),
        Exit::Signal(signal) => format!("it was ended by signal {signal}"),
        _ => "it ended".to_owned(),
    };
    Some(match said.trim() {
        "" => exit,
        said => format!("{exit}: {said}"),
    })
}

/// The name of a tool beside those of others, in characters that every provider takes.
fn name(server: &str, tool: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let whole = format!("{server}__{tool}");
    whole.chars().map(plain).take(NAME).collect()
}

/// A name, and what a tool is called whose name is taken by another of the same beginning.
fn names(first: &str) -> impl Iterator<Item = String> {
    let numbered = |n| format!("{}_{n}", first.chars().take(NAME - 5).collect::<String>());
    std::iter::once(first.to_owned()).chain((2..=TOOLS).map(numbered))
}

fn outside(connection: &Arc<Connection>, tool: Tool, name: String, allowed: bool) -> Outside {
    let (connection, theirs) = (Arc::clone(connection), tool.name.to_string());
    Outside {
        name,
        description: tool.description.unwrap_or_default().into_owned(),
        input: tool.input_schema.as_ref().clone(),
        allowed,
        ask: Arc::new(move |input, cx| connection.call(&theirs, input, cx)),
    }
}

impl Connection {
    /// Passes a call on, from a thread that may block.
    fn call(&self, tool: &str, input: Map<String, Value>, cx: &Cx<'_>) -> Result<Value> {
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(input);
        let runtime = tokio::runtime::Handle::current();
        let said = match runtime.block_on(self.asked(params, cx))? {
            Ok(result) => return result_of(result, cx),
            Err(error) => match &self.talk {
                Some(talk) if self.service.peer().is_transport_closed() => {
                    runtime.block_on(end_of(talk)).unwrap_or(error)
                }
                _ => error,
            },
        };
        Err(Error::server_failed(&self.name, &said))
    }

    /// The answer, or what went wrong; dropping the request cancels it on the server too. The time
    /// that a person needs for what the server asks is not counted.
    async fn asked(
        &self,
        params: CallToolRequestParams,
        cx: &Cx<'_>,
    ) -> Result<Result<CallToolResult, String>> {
        let _open = self.service.service().open(cx.person());
        let began = Instant::now();
        let waited = || cx.person().map_or(Duration::ZERO, Person::waited);
        let cancelled = async {
            while !cx.cancel().is_cancelled() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let late = async {
            while began.elapsed() < CALL + waited() {
                tokio::time::sleep_until(began + CALL + waited()).await;
            }
        };
        tokio::select! {
            biased;
            () = cancelled => Err(Error::cancelled()),
            answer = self.service.call_tool(params) => Ok(answer.map_err(|e| e.to_string())),
            () = late => Ok(Err(format!("no answer in {CALL:?}"))),
        }
    }
}
