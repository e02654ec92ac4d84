//! Stack `screenshot`.

use crate::browser::{BROWSING, judge, note};
use crate::prelude::*;
use crate::web::REACHING;

/// Take a screenshot (PNG) of a web page with headless Chromium.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Screenshot {
    /// URL
    url: String,
    /// File path (default screenshot.png)
    destination: Option<String>,
}

/// The picture.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// As given
    url: String,
    /// Where the picture is
    destination: String,
    /// Where the page led, what it answered if that is no success, and what it could not reach
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Screenshot {
    fn destination(&self) -> &str {
        self.destination.as_deref().unwrap_or("screenshot.png")
    }
}

impl Tool for Screenshot {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("screenshot", "Picture a web page", Category::Web)
        .effect(Effect::CONNECTS.and(Effect::WRITES), Permission::Moderate)
        .errors(&[
            WRITING,
            REACHING,
            BROWSING,
            &[Code::NavigationFailed, Code::PageNotLoaded, Code::ScreenshotFailed],
            &[Code::TabNotFound],
        ])
        .examples(&[
            Example::of("The page of a router is not looked at")
                .call(r#"{"url": "http://192.168.0.1/", "destination": "router.png"}"#)
                .fails(Code::AddressRefused, r#"{"success": false, "error": "http://192.168.0.1/: 192.168.0.1:80 is a private address, [..]", "code": "AddressRefused"}"#)
                .leaves(&[("router.png", GONE)]),
            Example::of("A directory is no place for a picture")
                .given(&[("pictures/", "")])
                .call(r#"{"url": "http://site.example/", "destination": "pictures"}"#)
                .fails(Code::IsDirectory, r#"{"success": false, "error": "pictures: a directory, [..]", "code": "IsDirectory"}"#),
        ]);

    fn paths(&self) -> Vec<String> {
        vec![self.destination().to_owned()]
    }

    fn url(&self) -> Option<&str> {
        Some(&self.url)
    }

    fn about(&self) -> String {
        format!("{}\nto {}", self.url, self.destination())
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let (step, to) = (cx.step()?, self.destination());
        step.expect(to)?;
        judge(cx, &self.url)?;
        let mut done = cx.browse(|browser, with| browser.look_at(with, &self.url))?;
        let (_, shot) = &done.result;
        done.says.extend(shot.note());
        step.write(to, &shot.png, Parents::Create)?;
        if done.url.trim_end_matches('/') != self.url.trim().trim_end_matches('/') {
            done.says.push(format!("redirected to {}", done.url));
        }
        let note = note(cx, &mut done);
        success(Output { destination: to.to_owned(), note, url: self.url })
    }
}
