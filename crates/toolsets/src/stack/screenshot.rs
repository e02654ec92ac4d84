//! Stack `screenshot`.

use std::ffi::OsString;
use std::time::Duration;

use programs::process::{BROWSERS, Exit, Fence, Finished, Line, Program, Reach, Scratch};

use crate::prelude::*;
use crate::web::{REACHING, failed, way};

/// How long a browser may take; the document's tool has no limit.
const TIME: Duration = Duration::from_secs(60);

/// What every run is given: no window, nothing of its own to fetch, and no way past the proxy.
const ALWAYS: &[&str] = &[
    "--headless=new",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--window-size=1280,1024",
    "--virtual-time-budget=10000",
    "--no-first-run",
    "--disable-extensions",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-client-side-phishing-detection",
    "--disable-domain-reliability",
    "--disable-breakpad",
    "--metrics-recording-only",
    "--no-pings",
    "--mute-audio",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
];

/// The file in the scratch directory.
const PICTURE: &str = "picture.png";

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
    /// What the page answered if it is no success, and what the browser could not reach
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Screenshot {
    fn destination(&self) -> &str {
        self.destination.as_deref().unwrap_or("screenshot.png")
    }

    /// The picture, as the first browser that is there makes it.
    fn take(&self, cx: &Cx<'_>, port: u16) -> Result<Vec<u8>> {
        let scratch = cx.runner().scratch()?;
        // A browser has a sandbox of its own, which root and some containers cannot make; ours
        // holds.
        let ours = cx.runner().containment().fence != Fence::Nothing;
        for name in BROWSERS {
            let mut done = match self.start(cx, name, &scratch, port, false) {
                Err(error) if error.code == Code::CommandNotFound => continue,
                other => other?,
            };
            let picture = || scratch.read(PICTURE, cx.limits().file_bytes);
            let said = |done: &Finished| done.stderr.tail(20, 2000).text;
            if done.exit != Exit::Cancelled
                && picture()?.is_none()
                && ours
                && said(&done).contains("sandbox")
            {
                done = self.start(cx, name, &scratch, port, true)?;
            }
            let how = match done.exit {
                Exit::Cancelled => return Err(Error::cancelled()),
                Exit::TimedOut(time) => format!("{name} was ended after {}s", time.as_secs()),
                Exit::Code(code) => format!("{name} ended with code {code}"),
                Exit::Signal(signal) => format!("{name} was ended by signal {signal}"),
            };
            let is_png = |bytes: &Vec<u8>| bytes.starts_with(b"\x89PNG\r\n\x1a\n");
            return match picture()?.filter(is_png) {
                Some(bytes) if done.exit == Exit::Code(0) => Ok(bytes),
                _ => Err(Error::browser_failed(&self.url, &how, &said(&done))),
            };
        }
        Err(Error::browser_not_found(BROWSERS))
    }

    fn start(
        &self,
        cx: &Cx<'_>,
        name: &str,
        scratch: &Scratch,
        port: u16,
        bare: bool,
    ) -> Result<Finished> {
        let folder = scratch.path().display();
        let mut args: Vec<OsString> = ALWAYS.iter().map(OsString::from).collect();
        args.extend(bare.then(|| "--no-sandbox".into()));
        args.push(format!("--proxy-server=http://127.0.0.1:{port}").into());
        args.push(format!("--user-data-dir={folder}/profile").into());
        args.push(format!("--screenshot={folder}/{PICTURE}").into());
        args.push(self.url.trim().into());
        let own = |name: &str| (name.to_owned(), folder.to_string());
        let env = ["HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"].map(own);
        let program = Program {
            line: Line::Own { name, args: &args },
            dir: ".",
            env: &env,
            timeout: TIME,
            reach: Reach::Scratch,
        };
        cx.run_program(&program)
    }
}

impl Tool for Screenshot {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("screenshot", "Picture a web page", Category::Web)
        .effect(Effect::CONNECTS.and(Effect::WRITES), Permission::Moderate)
        .errors(&[WRITING, REACHING, &[Code::BrowserNotFound, Code::BrowserFailed]])
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

    fn about(&self) -> String {
        format!("{}\nto {}", self.url, self.destination())
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let (step, to) = (cx.step()?, self.destination());
        step.expect(to)?;
        let stop = || cx.cancel().is_cancelled();
        // A browser would show its own page about the failure, and the picture would be of that.
        let reached = cx.web().check(&self.url, &stop).map_err(failed)?;
        let (port, proxy) = cx.web().proxy().map_err(failed)?;
        let picture = self.take(cx, port)?;
        step.write(to, &picture, Parents::Create)?;
        let mut said = way(&self.url, &reached.url, reached.hops.len(), reached.downgraded);
        if reached.status >= 400 {
            said.push(format!("the page answered {} {}", reached.status, reached.reason));
        }
        said.extend(proxy.refused().into_iter().map(|why| format!("not reached: {why}")));
        success(Output { destination: to.to_owned(), note: joined(&said), url: self.url })
    }
}
