//! A client that writes lines as they are given and reads what comes.

use std::path::PathBuf;
use std::time::Duration;

use mcp::Bounds;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use toolkit::Policy;
use toolkit::testing::Place;

/// Longer than anything takes that does not hang.
pub(crate) const LONG: Duration = Duration::from_secs(30);

pub(crate) struct Client {
    to: Option<DuplexStream>,
    from: Lines<BufReader<DuplexStream>>,
    pub(crate) stop: CancellationToken,
    server: JoinHandle<()>,
    place: Place,
}

impl Client {
    /// A client of a new server that has not said anything.
    pub(crate) fn new() -> Self {
        Self::with(Policy::Ask, Bounds::default())
    }

    pub(crate) fn with(policy: Policy, bounds: Bounds) -> Self {
        let place = Place::new(&[]);
        let session = place.session(crate::tools::toolset(), policy);
        let (to, reader) = tokio::io::duplex(64 << 10);
        let (from, writer) = tokio::io::duplex(64 << 10);
        let stop = CancellationToken::new();
        let serve = mcp::stdio::serve(session, reader, writer, bounds, stop.clone());
        let from = BufReader::new(from).lines();
        Self { to: Some(to), from, stop, server: tokio::spawn(serve), place }
    }

    /// A client that has shaken hands in the older era.
    pub(crate) async fn named(
        name: &str,
        policy: Policy,
        bounds: Bounds,
        capabilities: Value,
    ) -> Self {
        let mut client = Self::with(policy, bounds);
        let answer = client.initialize("2025-11-25", name, capabilities).await;
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
        client
    }

    pub(crate) async fn initialize(
        &mut self,
        version: &str,
        name: &str,
        capabilities: Value,
    ) -> Value {
        let client = json!({"name": name, "version": "1"});
        let params =
            json!({"protocolVersion": version, "capabilities": capabilities, "clientInfo": client});
        let answer = self.ask("initialize", params).await;
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        answer
    }

    pub(crate) fn project(&self) -> &toolkit::Project {
        &self.place.project
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.place.root()
    }

    pub(crate) async fn send(&mut self, line: impl AsRef<[u8]>) {
        let to = self.to.as_mut().expect("the stream is open");
        to.write_all(line.as_ref()).await.unwrap();
        to.write_all(b"\n").await.unwrap();
    }

    pub(crate) async fn send_without_end(&mut self, line: &str) {
        self.to.as_mut().expect("the stream is open").write_all(line.as_bytes()).await.unwrap();
    }

    pub(crate) async fn send_json(&mut self, message: &Value) {
        self.send(message.to_string()).await;
    }

    pub(crate) async fn next_line(&mut self) -> String {
        timeout(LONG, self.from.next_line()).await.expect("silence").unwrap().expect("the end")
    }

    /// The next line, as JSON.
    pub(crate) async fn next(&mut self) -> Value {
        let line = self.next_line().await;
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"))
    }

    /// Sends a request and gives the next line.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.send_json(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
            .await;
        self.next().await
    }

    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// Starts a call and waits for nothing.
    pub(crate) async fn start(&mut self, id: impl Into<Value>, tool: &str, arguments: Value) {
        let params = json!({"name": tool, "arguments": arguments});
        self.send_json(
            &json!({"jsonrpc": "2.0", "id": id.into(), "method": "tools/call", "params": params}),
        )
        .await;
    }

    /// Shows that nothing more is on its way: what is asked now is answered next.
    pub(crate) async fn nothing_more(&mut self) {
        self.send(r#"{"jsonrpc":"2.0","id":"nothing more","method":"ping"}"#).await;
        assert_eq!(self.next().await["id"], "nothing more");
    }

    /// Ends the stream to the server and gives what still comes.
    pub(crate) async fn end(mut self) -> Vec<Value> {
        let mut to = self.to.take().expect("the stream is open");
        to.shutdown().await.unwrap();
        let mut rest = Vec::new();
        while let Some(line) = timeout(LONG, self.from.next_line()).await.expect("silence").unwrap()
        {
            rest.push(serde_json::from_str(&line).unwrap());
        }
        timeout(LONG, self.server).await.expect("the server did not end").unwrap();
        rest
    }

    /// Closes the stream that answers come on.
    pub(crate) fn stop_listening(&mut self) {
        let (nowhere, _) = tokio::io::duplex(1);
        self.from = BufReader::new(nowhere).lines();
    }

    /// The server, the stream to it, and its directory.
    pub(crate) fn parts(self) -> (JoinHandle<()>, Option<DuplexStream>, Place) {
        (self.server, self.to, self.place)
    }
}

/// A request of the newer era.
pub(crate) fn newer(id: i64, method: &str, mut params: Value, capabilities: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// The one text of a result.
pub(crate) fn text(answer: &Value) -> &str {
    assert_eq!(answer["result"]["content"].as_array().map(Vec::len), Some(1), "{answer}");
    answer["result"]["content"][0]["text"].as_str().unwrap()
}
