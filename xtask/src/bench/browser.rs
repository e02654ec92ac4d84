//! The browser: what starting it and reading a page cost beside Chromium alone, and how much of a
//! model's context a page takes beside the server of Playwright.

mod chromium;
mod pages;

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::peer::Peer;
use super::{Figure, ms, over, quantiles};
use crate::{Result, test};
use chromium::Chromium;

/// The server that page sizes are compared with, and what counts tokens; both from npm.
const PLAYWRIGHT: &str = "@playwright/mcp@0.0.83";
const TOKENIZER: &str = "gpt-tokenizer@4.0.0";

/// How often each figure is measured.
const ROUNDS: usize = 7;

pub(super) fn measure() -> Result<Vec<Figure>> {
    let port = serve()?;
    let folder = test::target()?.join("bench-browser");
    std::fs::create_dir_all(folder.join("root")).map_err(|e| e.to_string())?;
    let mut figures = vec![start(&folder, port)?];
    figures.extend(read(&folder, port)?);
    match npm(&folder) {
        Ok(()) => figures.extend(sizes(&folder, port)?),
        Err(why) => println!("sizes were not compared, since npm gave no peer: {why}"),
    }
    Ok(figures)
}

/// Serves the pages on a port of this machine.
fn serve() -> Result<u16> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|e| e.to_string())?;
    let port = listener.local_addr().map_err(|e| e.to_string())?.port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let mut head = [0; 4096];
                let read = stream.read(&mut head).unwrap_or(0);
                let head = String::from_utf8_lossy(&head[..read]).into_owned();
                let path = head.split(' ').nth(1).unwrap_or_default();
                let page = pages::page(path.trim_start_matches('/')).unwrap_or_default();
                let answer = format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\
                     Connection: close\r\n\r\n{page}",
                    page.len()
                );
                let _ = stream.write_all(answer.as_bytes()); // the browser may have gone on
            });
        }
    });
    Ok(port)
}

fn url(port: u16, page: &str) -> String {
    format!("http://127.0.0.1:{port}/{page}")
}

fn kitbag(folder: &Path, port: u16) -> Result<Peer> {
    let mut command = Command::new(test::release_binary()?);
    command.args(["serve", "--toolset", "floyd", "--policy", "trust", "--extension", "off"]);
    command.arg("--root").arg(folder.join("root")).arg("--state").arg(folder.join("state"));
    command.args(["--web-allow", &format!("127.0.0.1:{port}")]);
    Peer::spawn(&mut command)
}

fn start(folder: &Path, port: u16) -> Result<Figure> {
    let (mut ours, mut alone) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let mut peer = kitbag(folder, port)?;
        let blank = json!({"url": "about:blank"});
        ours.push(peer.call("browser_navigate", &blank)?.1);
        let began = Instant::now();
        let mut chromium = Chromium::start()?;
        chromium.open()?;
        alone.push(began.elapsed());
    }
    let (ours, alone) = (quantiles(ours).0, quantiles(alone).0);
    Ok(Figure {
        what: "browser: first call, which starts it".into(),
        ours: ms(ours),
        peer: format!("{}, Chromium alone until its first tab", ms(alone)),
        ratio: Some(over(ours, alone)),
        target: "≤ 1 s",
        met: Some(ours <= Duration::from_secs(1)),
    })
}

fn read(folder: &Path, port: u16) -> Result<Vec<Figure>> {
    let (mut ours, mut alone, mut reading) = (Vec::new(), Vec::new(), Vec::new());
    let mut peer = kitbag(folder, port)?;
    let mut chromium = Chromium::start()?;
    chromium.open()?;
    let page = url(port, "large");
    for round in 0..=ROUNDS {
        let opened = peer.call("browser_navigate", &json!({"url": page}))?.1;
        let (text, read) = peer.call("browser_read_page", &json!({}))?;
        if !text.contains("Item 1") {
            return Err(format!("the page was not read: {text}"));
        }
        let began = Instant::now();
        chromium.navigate(&page)?;
        let nodes = chromium.tree()?;
        if round == 0 {
            println!("the large page has {nodes} nodes in Chromium's tree");
            continue; // the first one warms caches
        }
        alone.push(began.elapsed());
        ours.push(opened + read);
        reading.push(read);
    }
    let (ours, alone) = (quantiles(ours).0, quantiles(alone).0);
    Ok(vec![Figure {
        what: "browser_navigate and browser_read_page of a page of 2,000 nodes".into(),
        ours: format!("{} (reading {})", ms(ours), ms(quantiles(reading).0)),
        peer: format!("{}, the same two requests to Chromium alone", ms(alone)),
        ratio: Some(over(ours, alone)),
        target: "≤ 150 ms",
        met: Some(ours <= Duration::from_millis(150)),
    }])
}

fn npm(folder: &Path) -> Result {
    if folder.join("node_modules/@playwright/mcp").exists()
        && folder.join("node_modules/gpt-tokenizer").exists()
    {
        return Ok(());
    }
    println!("installing {PLAYWRIGHT} and {TOKENIZER} into {}", folder.display());
    let prefix = folder.display().to_string();
    crate::run("npm", &["install", "--silent", "--prefix", &prefix, PLAYWRIGHT, TOKENIZER])
}

/// How many tokens texts have.
fn tokens(folder: &Path, texts: &[String]) -> Result<Vec<u64>> {
    let script = "const {encode} = require('gpt-tokenizer'); \
        const all = JSON.parse(require('fs').readFileSync(0, 'utf8')); \
        console.log(JSON.stringify(all.map((text) => encode(text).length)));";
    let mut node = Command::new("node")
        .args(["-e", script])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| format!("node: {e}"))?;
    let input = json!(texts).to_string();
    let mut stdin = node.stdin.take().ok_or("node has no input")?;
    stdin.write_all(input.as_bytes()).map_err(|e| e.to_string())?;
    drop(stdin);
    let output = node.wait_with_output().map_err(|e| e.to_string())?;
    serde_json::from_slice(&output.stdout).map_err(|e| format!("node: {e}"))
}

fn playwright(folder: &Path) -> Result<Peer> {
    let mut command = Command::new("node");
    let program: PathBuf = folder.join("node_modules/@playwright/mcp/cli.js");
    // It leaves files where it runs.
    command.current_dir(folder);
    command.arg(program).args(["--headless", "--isolated", "--no-sandbox"]);
    command.args(["--executable-path", "/usr/bin/chromium"]);
    Peer::spawn(&mut command)
}

fn sizes(folder: &Path, port: u16) -> Result<Vec<Figure>> {
    let (mut ours, mut theirs) = (kitbag(folder, port)?, playwright(folder)?);
    let mut chromium = Chromium::start()?;
    chromium.open()?;
    let mut figures = Vec::new();
    for (page, operable) in pages::OPERABLE {
        let at = json!({"url": url(port, page)});
        ours.call("browser_navigate", &at)?;
        let (text, _) = ours.call("browser_read_page", &json!({}))?;
        let body: Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
        if body["data"]["note"].is_string() {
            return Err(format!("{page}: {}", body["data"]["note"]));
        }
        let named = text.matches("\"ref\":").count();
        if named < *operable {
            return Err(format!(
                "{page}: {named} of {operable} operable elements have a reference"
            ));
        }
        theirs.call("browser_navigate", &at)?;
        let (snapshot, _) = theirs.call("browser_snapshot", &json!({}))?;
        chromium.navigate(&url(port, page))?;
        let raw = chromium.raw_tree()?;
        let tree = body["data"]["tree"].to_string();
        let [ours, theirs, raw] = tokens(folder, &[tree, snapshot, raw])?[..] else {
            return Err("node counted something else".into());
        };
        figures.push(Figure {
            what: format!("the page `{page}` ({operable} operable elements), in tokens"),
            ours: format!("{ours}"),
            peer: format!("{theirs}, {PLAYWRIGHT}; {raw}, Chromium's tree as it is"),
            ratio: Some(ours as f64 / theirs as f64),
            target: "smaller",
            met: Some(ours < theirs),
        });
    }
    Ok(figures)
}
