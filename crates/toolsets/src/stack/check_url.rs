//! Stack `check_url`.

use crate::prelude::*;
use crate::web::{REACHING, failed};

/// Check whether a URL answers, and with which status.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct CheckUrl {
    /// URL
    url: String,
}

/// The answer.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether the status is 200, 301 or 302
    success: bool,
    /// As given
    url: String,
    /// The last status, such as 200
    status_code: String,
    /// The redirects before it
    #[serde(skip_serializing_if = "Vec::is_empty")]
    redirects: Vec<Redirect>,
    /// The status in words, and where it came from
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// An answer on the way.
#[derive(Serialize, JsonSchema)]
struct Redirect {
    /// What was asked for
    url: String,
    /// The status
    status_code: String,
}

impl Tool for CheckUrl {
    type Output = Output;

    const SPEC: Spec = Spec::new("check_url", "Check a URL", Category::Web)
        .effect(Effect::CONNECTS, Permission::Moderate)
        .errors(&[REACHING])
        .examples(&[
            Example::of("It is there, after a redirect")
                .call(r#"{"url": "http://site.example/old"}"#)
                .gives(r#"{"success": true, "url": "http://site.example/old", "status_code": "200", "redirects": [{"url": "http://site.example/old", "status_code": "301"}], "note": "OK from http://site.example/guide"}"#),
            Example::of("It is not there, which is an answer too")
                .call(r#"{"url": "http://site.example/gone"}"#)
                .gives(r#"{"success": false, "url": "http://site.example/gone", "status_code": "404", "note": "Not Found"}"#),
            Example::of("No answer is a failure")
                .call(r#"{"url": "ftp://site.example/"}"#)
                .fails(Code::InvalidURL, r#"{"success": false, "error": "ftp://site.example/: only http and https are opened, not ftp; [..]", "code": "InvalidURL"}"#),
        ]);

    fn url(&self) -> Option<&str> {
        Some(&self.url)
    }

    fn about(&self) -> String {
        self.url.clone()
    }

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let stop = || cx.cancel().is_cancelled();
        let own = cx.web_with_own_ports();
        let reached =
            own.as_ref().unwrap_or_else(|| cx.web()).check(&self.url, &stop).map_err(failed)?;
        let from = if reached.hops.is_empty() { None } else { Some(&reached.url) };
        let mut said = Vec::new();
        match (reached.reason, from) {
            ("", None) => {}
            (reason, None) if reached.status != 200 => said.push(reason.to_owned()),
            (_, None) => {}
            (reason, Some(url)) => said.push(format!("{reason} from {url}").trim().to_owned()),
        }
        if reached.downgraded {
            said.push("a redirect led from https to http".to_owned());
        }
        let redirect =
            |hop: web::Hop| Redirect { url: hop.url, status_code: hop.status.to_string() };
        Ok(Output {
            success: matches!(reached.status, 200 | 301 | 302),
            status_code: reached.status.to_string(),
            redirects: reached.hops.into_iter().map(redirect).collect(),
            note: joined(&said),
            url: self.url,
        })
    }
}
