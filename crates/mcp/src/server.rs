//! The methods that Kitbag serves, over whatever carries them.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode,
    Implementation, InitializeRequestParams, InitializeResult, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use toolkit::fault::Code;
use toolkit::files::Access;
use toolkit::{Asking, Call, Outcome, Session};

use crate::profile::{self, Profile};
use crate::questions::{Returned, can_ask, carry};
use crate::stdio::Withdrawn;
use crate::{Bounds, attend, listing, result};

/// A session behind the protocol.
pub(crate) struct Server {
    session: Arc<Session>,
    bounds: Bounds,
    /// Cancelled when calls must come to their end.
    ending: CancellationToken,
    /// The host, as it named itself in `initialize`.
    host: Mutex<&'static Profile>,
    tools: OnceLock<Vec<Tool>>,
    returned: Returned,
    /// Takes questions to the client, if it said in `initialize` that it can ask its user.
    carrying: Mutex<Option<AbortOnDropHandle<()>>>,
}

type Context = RequestContext<RoleServer>;

impl Server {
    pub(crate) fn new(session: Arc<Session>, bounds: Bounds, ending: CancellationToken) -> Self {
        Self {
            session,
            bounds,
            ending,
            host: Mutex::new(&profile::UNKNOWN),
            tools: OnceLock::new(),
            returned: Returned::default(),
            carrying: Mutex::default(),
        }
    }

    /// The host of a request: named in the request in the newer era, once and for all in the older.
    fn host(&self, context: &Context) -> &'static Profile {
        match context.meta.client_info() {
            Some(client) => profile::of(&client.name),
            None => *self.host.lock(),
        }
    }

    /// Fails if a client of the older era did not say who it is; in the newer one each request
    /// does.
    fn must_know_client(context: &Context) -> Result<(), ErrorData> {
        if context.protocol_version().is_some() {
            return Ok(());
        }
        let text = "the session has not begun; send initialize first, or a protocol version with \
                    each request";
        Err(ErrorData::invalid_request(text, None))
    }

    fn instructions(&self) -> String {
        let toolset = self.session.toolset();
        let mut text = toolset.instructions.trim_end().to_owned();
        let start = if text.is_empty() { "" } else { "\n\n" };
        let policy = self.session.policy().as_str();
        for (nth, (root, access)) in self.session.workspace().roots().enumerate() {
            let root = root.display();
            let _ = match (nth, access) {
                (0, _) => write!(text, "{start}Root directory: {root}."),
                (_, Access::Write) => write!(text, " Also: {root}."),
                (_, Access::Read) => write!(text, " Also, for reading: {root}."),
            };
        }
        let _ = write!(text, " Policy: {policy}.");
        text
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_protocol_version(ProtocolVersion::V_2025_11_25)
            .with_server_info(
                Implementation::new("kitbag", env!("CARGO_PKG_VERSION")).with_title("Kitbag"),
            )
            .with_instructions(self.instructions())
    }

    async fn initialize(
        &self,
        mut request: InitializeRequestParams,
        context: Context,
    ) -> Result<InitializeResult, ErrorData> {
        let answer = self.negotiate_initialize(&request)?;
        *self.host.lock() = profile::of(&request.client_info.name);
        *self.carrying.lock() = can_ask(&request.capabilities).then(|| {
            let (seat, peer) = (self.session.sit(), context.peer.clone());
            AbortOnDropHandle::new(tokio::spawn(carry(seat, peer, self.bounds.question_time)))
        });
        request.protocol_version = answer.protocol_version.clone();
        context.peer.set_peer_info(request);
        Ok(answer)
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        Self::must_know_client(&context)?;
        if page.is_some_and(|page| page.cursor.is_some()) {
            return Err(ErrorData::invalid_params(
                "cursor: not one of this server's; all tools are on the first page",
                None,
            ));
        }
        let tools = self.tools.get_or_init(|| listing::all(self.session.toolset()));
        Ok(ListToolsResult::with_all_items(listing::fit(tools, self.host(&context))))
    }

    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        Self::must_know_client(&context)?;
        let host = self.host(&context);
        let newer = context.protocol_version().is_some_and(|version| !version.has_initialize());
        let asking =
            if newer && context.client_capabilities().is_some_and(|client| can_ask(&client)) {
                self.returned.brought(&request)?
            } else {
                Asking::Desk
            };
        let kept = (asking != Asking::Desk).then(|| request.clone());
        let call = Call {
            asking,
            result_bytes: host.result_bytes,
            ..Call::new(
                request.name.into_owned(),
                Value::Object(request.arguments.take().unwrap_or_default()),
            )
        };
        let entry = self.session.toolset().find(&call.tool).ok();
        let every = self.bounds.progress_every;
        let withdrawn = context.extensions.get::<Withdrawn>().cloned().unwrap_or_default().0;
        let outcome =
            attend::call(&self.session, call, &context, &withdrawn, every, &self.ending).await?;
        // What was done is answered, though nobody may want it any more.
        let is_done = match &outcome {
            Outcome::Done(done) => {
                done.error.as_ref().is_none_or(|error| error.code != Code::Cancelled)
            }
            Outcome::Asks(_) => false,
        };
        if withdrawn.is_cancelled() && !is_done {
            return Err(ErrorData::internal_error("cancelled", None));
        }
        match (outcome, kept) {
            (Outcome::Asks(question), Some(request)) => {
                Ok(self.returned.ask(&request, &question, self.bounds.question_time).into())
            }
            (outcome, _) => {
                let done =
                    outcome.done().map_err(|e| ErrorData::internal_error(e.message, None))?;
                Ok(result::of(done, entry, host)?.into())
            }
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: Context,
    ) -> Result<CustomResult, ErrorData> {
        let text = format!(
            "{}: no such method; this server has tools/list and tools/call",
            toolkit::fault::cut(&request.method, 100)
        );
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, Cow::Owned(text), None))
    }
}
