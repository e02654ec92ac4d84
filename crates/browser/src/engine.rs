//! A Chromium of our own: found, started without a window in the sandbox of programs, spoken with
//! over pipes, and ended with the last session that uses it.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use fault::{Error, Result};
use programs::process::{BROWSERS, Exit, Fence, Line, Program, Reach, Scratch, Talk};
use serde_json::json;

use crate::With;
use crate::bridge::random;
use crate::cdp::{Cdp, Patience};
use crate::world::{Numbers, World};

/// How long a browser may take to answer for the first time.
const START: Duration = Duration::from_secs(30);

/// The size of the window that nobody sees.
pub(crate) const WINDOW: (u32, u32) = (1280, 1024);

/// What every browser is given: no window, nothing of its own to fetch, and no way past the proxy.
const ALWAYS: &[&str] = &[
    "--remote-debugging-pipe",
    "--headless=new",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-startup-window",
    "--disable-extensions",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-client-side-phishing-detection",
    "--disable-domain-reliability",
    "--disable-breakpad",
    "--disable-quic",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-features=Translate,MediaRouter,OptimizationHints,DialMediaRouteProvider",
    "--metrics-recording-only",
    "--no-pings",
    "--mute-audio",
    "--password-store=basic",
    "--use-mock-keychain",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
];

/// Becomes the first browser of the list that there is, which expects its pipes as descriptors 3
/// and 4. What it prints is nobody's.
const BECOME: &str = "for name in $BROWSERS; do command -v \"$name\" >/dev/null && \
     exec \"$name\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null; done; exit 127";

/// The exit code of [`BECOME`] where there is no browser.
const NONE: i32 = 127;

/// A browser, and what serves it.
pub(crate) struct Engine {
    pub(crate) cdp: Arc<Cdp>,
    pub(crate) own: Option<Own>,
}

/// What a browser that we started needs as long as it runs. The order is that of their end.
pub(crate) struct Own {
    talk: Talk,
    pub(crate) proxy: web::Proxy,
    pub(crate) scratch: Scratch,
}

impl Engine {
    /// Starts one.
    pub(crate) fn start(with: &With<'_>, web: &web::Client, numbers: Arc<Numbers>) -> Result<Self> {
        let confined = with.runner.containment().fence != Fence::Nothing;
        let root = rustix::process::geteuid().is_root();
        if root && !confined {
            return Err(Error::browser_unprotected());
        }
        let patience = Patience::new(START, with.cancel);
        // A browser has a sandbox of its own, which root and some containers cannot make; ours
        // holds.
        let first = Self::open(with, web, numbers.clone(), root, patience);
        match first {
            Err(error) if confined && !root && said(&error).contains("sandbox") => {
                Self::open(with, web, numbers, true, patience)
            }
            other => other,
        }
    }

    fn open(
        with: &With<'_>,
        web: &web::Client,
        numbers: Arc<Numbers>,
        bare: bool,
        patience: Patience<'_>,
    ) -> Result<Self> {
        let fail = |e: web::Error| Error::internal(e.message);
        let mark = random().map_err(Error::internal)?;
        let (port, proxy) = web.proxy(&mark).map_err(fail)?;
        proxy.set_own_ports(with.ports);
        let scratch = with.runner.scratch()?;
        let folder = scratch.path().display().to_string();
        let mut args: Vec<OsString> = vec!["-c".into(), BECOME.into(), "browser".into()];
        args.extend(ALWAYS.iter().map(OsString::from));
        args.extend(bare.then(|| "--no-sandbox".into()));
        args.push(format!("--window-size={},{}", WINDOW.0, WINDOW.1).into());
        args.push(format!("--proxy-server=http://127.0.0.1:{port}").into());
        args.push(format!("--user-data-dir={folder}/profile").into());
        let own = |name: &str| (name.to_owned(), folder.clone());
        let mut env = ["HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"].map(own).to_vec();
        env.push(("BROWSERS".to_owned(), BROWSERS.join(" ")));
        let program = Program {
            line: Line::Own { name: "sh", args: &args },
            dir: ".",
            env: &env,
            timeout: Duration::MAX,
            reach: Reach::Scratch,
        };
        let (talk, input, output) = with.runner.talk(with.workspace, &program, with.cancel)?;
        let cdp = speak(input, output, World::new(numbers, Some(mark)));
        let engine = Self { cdp, own: Some(Own { talk, proxy, scratch }) };
        let discover = json!({"discover": true});
        let begun = engine.cdp.call(None, "Target.setDiscoverTargets", discover, patience);
        match begun {
            Ok(_) => Ok(engine),
            Err(error) if engine.cdp.is_closed() => Err(engine.why_ended().unwrap_or(error)),
            Err(error) => Err(error),
        }
    }

    /// Whether it still runs.
    pub(crate) fn lives(&self) -> bool {
        !self.cdp.is_closed()
    }

    /// Its process id, if it is ours.
    pub(crate) fn pid(&self) -> Option<i32> {
        self.own.as_ref().and_then(|own| own.talk.pid())
    }

    /// Why it ended.
    pub(crate) fn why_ended(&self) -> Option<Error> {
        let (exit, said) = self.own.as_ref()?.talk.wait_for_end()?;
        Some(match exit {
            Exit::Code(NONE) => Error::browser_unavailable(BROWSERS),
            Exit::Code(code) => Error::browser_ended(&format!("ended with code {code}"), &said),
            Exit::Signal(signal) => {
                Error::browser_ended(&format!("was ended by signal {signal}"), &said)
            }
            Exit::TimedOut(_) | Exit::Cancelled => Error::browser_ended("was ended", &said),
        })
    }
}

fn said(error: &Error) -> &str {
    error.detail("output").unwrap_or_default()
}

/// The protocol over pipes: texts that end with a NUL.
fn speak(input: OwnedFd, output: OwnedFd, world: World) -> Arc<Cdp> {
    let mut input = File::from(input);
    let send = move |text: &str| {
        input.write_all(text.as_bytes())?;
        input.write_all(&[0])
    };
    let cdp = Arc::new(Cdp::new(Box::new(send), world));
    let theirs = Arc::clone(&cdp);
    let listen = move || {
        let mut output = BufReader::new(File::from(output));
        let mut text = Vec::new();
        loop {
            text.clear();
            match output.read_until(0, &mut text) {
                Ok(read) if read > 0 && text.pop() == Some(0) => theirs.receive(&text),
                _ => break theirs.close(),
            }
        }
    };
    if std::thread::Builder::new().name("browser".to_owned()).spawn(listen).is_err() {
        cdp.close();
    }
    cdp
}
