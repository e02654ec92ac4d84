//! What the known hosts do with a result, measured: which half they show to the model and how much
//! of it before they cut.

/// How a host wants its results.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Profile {
    /// The start of `clientInfo.name`, in lower case.
    name: &'static str,
    /// Whether it needs the structured half. Hosts that show text alone, or both halves, get text
    /// alone: the other half would be lost or be said twice.
    pub(crate) structured: bool,
    /// Most bytes of a text result, a sixth under what the host cuts at, for what JSON adds; none
    /// if the host is not known to cut.
    pub(crate) result_bytes: Option<usize>,
    /// Whether the host hides tools behind a search unless they are pinned.
    pub(crate) pins: bool,
}

const fn text(name: &'static str, result_bytes: Option<usize>) -> Profile {
    Profile { name, structured: false, result_bytes, pins: false }
}

const HOSTS: &[Profile] = &[
    // These two drop the text of a success where there is structure; of a failure Claude shows the
    // text. So they get both.
    Profile { name: "claude-code", structured: true, result_bytes: Some(34_000), pins: true },
    Profile { name: "codex", structured: true, result_bytes: Some(10_000), pins: false },
    text("gemini-cli-mcp-client", Some(34_000)),
    text("opencode", Some(42_000)),
    text("continue-cli-client", None),
    text("qwen-cli-mcp-client", Some(17_000)),
    text("copilot-cli", Some(17_000)),
    text("pi-mcp", Some(42_000)),
    text("@cline/", Some(6_800)),
    text("cline", Some(6_800)),
];

/// A host that nobody has measured: both halves, and the bound of the session.
pub(crate) static UNKNOWN: Profile =
    Profile { name: "", structured: true, result_bytes: None, pins: false };

/// The profile of a client by the name it gives itself.
pub(crate) fn of(client: &str) -> &'static Profile {
    let client = client.to_lowercase();
    HOSTS.iter().find(|host| client.starts_with(host.name)).unwrap_or(&UNKNOWN)
}
