//! Floyd `browser_status`.

use crate::prelude::*;

/// Tell which browser the browser tools drive: the user's own through the extension, or the built-in one.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct BrowserStatus {}

/// What there is to drive.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether an extension is connected; without one the built-in browser is used
    connected: bool,
    /// Where extensions connect to
    extension_url: String,
    /// How often connecting failed since it last succeeded
    reconnect_attempts: u64,
    /// After how many failures it is left to the next call
    max_reconnect_attempts: u64,
    /// Milliseconds between attempts
    reconnect_interval_ms: u64,
    /// In words
    message: String,
}

impl Tool for BrowserStatus {
    type Output = Output;

    const SPEC: Spec = Spec::new("browser_status", "Browser status", Category::Browser).examples(&[
        Example::of("Extensions are turned off")
            .gives(r#"{"connected": false, "extension_url": "", "reconnect_attempts": 0, "max_reconnect_attempts": 3, "reconnect_interval_ms": 5000, "message": "extensions are turned off; the built-in browser starts with the first page"}"#),
        Example::of("It takes no parameters")
            .call(r#"{"url": "http://site.example/"}"#)
            .fails(Code::InvalidInput, r#"{"error": "url: no such parameter; the tool takes none"}"#),
    ]);

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let status = cx.browse(|browser, _| Ok(browser.status()))?;
        Ok(Output {
            connected: status.connected,
            extension_url: status.url,
            reconnect_attempts: status.attempts,
            max_reconnect_attempts: status.most_attempts,
            reconnect_interval_ms: status.interval.as_millis() as u64,
            message: status.says,
        })
    }
}
