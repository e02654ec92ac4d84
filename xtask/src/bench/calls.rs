//! What small calls cost on the wire.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use super::peer::{Kind, Peer};
use super::{Figure, ms, over, quantiles};
use crate::{Result, test};

pub(super) fn measure() -> Result<Vec<Figure>> {
    let folder = test::target()?.join("bench");
    let root = folder.join("small");
    let _ = std::fs::remove_dir_all(&folder);
    lay_out(&root).map_err(|e| format!("{}: {e}", root.display()))?;
    let (mut ours, _) = Peer::start(Kind::Kitbag, &root)?;
    let (mut echo, _) = Peer::start(Kind::Echo, &root)?;
    // It gives back what it needed to start when nothing came for two seconds.
    std::thread::sleep(Duration::from_secs(3));
    let memory = ours.memory()?;
    let mut figures = vec![
        start(&root)?,
        read(&mut ours, &mut echo)?,
        pipelined(&mut ours, &mut echo)?,
        list(&mut ours)?,
        edit(&mut ours)?,
        edit_synced(&root)?,
        shell(&mut ours)?,
        shell_in_large_tree(&folder)?,
        behind_a_slow_one(&mut ours)?,
        definitions(&mut ours)?,
    ];
    let mib = memory as f64 / f64::from(1 << 20);
    figures.push(Figure {
        what: "resident memory when idle".into(),
        ours: format!("{mib:.1} MiB"),
        peer: format!("{:.1} MiB, echo server", echo.memory()? as f64 / f64::from(1 << 20)),
        ratio: None,
        target: "≤ 8 MiB",
        met: Some(mib <= 8.0),
    });
    Ok(figures)
}

fn lay_out(root: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(root.join("many"))?;
    let text: String =
        (0..64).map(|n| format!("line {n:03} of a file of two kilobytes\n")).collect();
    std::fs::write(root.join("two.txt"), &text[..2033])?;
    std::fs::write(root.join("edit.txt"), &text[..2033])?;
    for n in 0..139 {
        std::fs::write(root.join(format!("many/{n:03}.txt")), "x")?;
    }
    Ok(())
}

fn start(root: &Path) -> Result<Figure> {
    let (mut ours, mut echo) = (Vec::new(), Vec::new());
    for _ in 0..30 {
        ours.push(Peer::start(Kind::Kitbag, root)?.1);
        echo.push(Peer::start(Kind::Echo, root)?.1);
    }
    let (ours, echo) = (quantiles(ours).0, quantiles(echo).0);
    Ok(Figure {
        what: "start to the answer of `initialize`".into(),
        ours: ms(ours),
        peer: format!("{}, echo server", ms(echo)),
        ratio: Some(over(ours, echo)),
        target: "≤ 3 ms",
        met: Some(ours <= Duration::from_millis(3)),
    })
}

fn read(ours: &mut Peer, echo: &mut Peer) -> Result<Figure> {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    let arguments = json!({"path": "two.txt"});
    for _ in 0..3000 {
        a.push(ours.call("read", &arguments)?.1);
        b.push(echo.call("read", &arguments)?.1);
    }
    let ((ours, ours95), (echo, _)) = (quantiles(a), quantiles(b));
    Ok(Figure {
        what: "`read` of 2 KB".into(),
        ours: format!("{} (95 %: {})", ms(ours), ms(ours95)),
        peer: format!("{}, echo server", ms(echo)),
        ratio: Some(over(ours, echo)),
        target: "≤ 0.05 ms, ≤ 1.5 × echo",
        met: Some(ours <= Duration::from_micros(50) && over(ours, echo) <= 1.5),
    })
}

fn pipelined(ours: &mut Peer, echo: &mut Peer) -> Result<Figure> {
    const COUNT: u64 = 20_000;
    let arguments = json!({"path": "two.txt"});
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        a.push(ours.pipeline(COUNT, "read", &arguments)?);
        b.push(echo.pipeline(COUNT, "read", &arguments)?);
    }
    let rate = |times| COUNT as f64 / quantiles(times).0.as_secs_f64();
    let (ours, echo) = (rate(a), rate(b));
    Ok(Figure {
        what: "reads a second, pipelined".into(),
        ours: format!("{ours:.0}"),
        peer: format!("{echo:.0}, echo server"),
        ratio: Some(ours / echo),
        target: "≥ 40,000",
        met: Some(ours >= 40_000.0),
    })
}

fn median(
    peer: &mut Peer,
    count: usize,
    tool: &str,
    arguments: impl Fn(usize) -> serde_json::Value,
) -> Result<Duration> {
    let times: Result<Vec<_>> = (0..count).map(|n| Ok(peer.call(tool, &arguments(n))?.1)).collect();
    Ok(quantiles(times?).0)
}

fn list(ours: &mut Peer) -> Result<Figure> {
    let time = median(ours, 1000, "ls", |_| json!({"path": "many"}))?;
    Ok(Figure {
        what: "`ls` of 139 entries".into(),
        ours: ms(time),
        peer: String::new(),
        ratio: None,
        target: "≤ 0.12 ms",
        met: Some(time <= Duration::from_micros(120)),
    })
}

/// The median of so many edits of a file of 2 KB.
fn edits(ours: &mut Peer, count: usize) -> Result<Duration> {
    let word = |n: usize| if n.is_multiple_of(2) { "line 010" } else { "LINE 010" };
    let input =
        |n| json!({"path": "edit.txt", "edits": [{"oldText": word(n), "newText": word(n + 1)}]});
    median(ours, count, "edit", input)
}

fn edit_synced(root: &Path) -> Result<Figure> {
    let (mut ours, _) = Peer::start(Kind::Synced, root)?;
    Ok(Figure {
        what: "`edit` of a file of 2 KB, all of it on the disk when it is answered".into(),
        ours: ms(edits(&mut ours, 100)?),
        peer: String::new(),
        ratio: None,
        target: "",
        met: None,
    })
}

fn edit(ours: &mut Peer) -> Result<Figure> {
    let time = edits(ours, 500)?;
    Ok(Figure {
        what: "`edit` of a file of 2 KB, journal written, no fsync".into(),
        ours: ms(time),
        peer: String::new(),
        ratio: None,
        target: "≤ 0.2 ms",
        met: Some(time <= Duration::from_micros(200)),
    })
}

fn echo(peer: &mut Peer) -> Result<Duration> {
    Ok(peer.call("bash", &json!({"command": "echo hi"}))?.1)
}

fn shell(ours: &mut Peer) -> Result<Figure> {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for _ in 0..100 {
        a.push(echo(ours)?);
        let started = Instant::now();
        let mut bare = Command::new("bash");
        bare.args(["-c", "echo hi"]).stdin(Stdio::null());
        bare.output().map_err(|e| format!("bash: {e}"))?;
        b.push(started.elapsed());
    }
    let (ours, bare) = (quantiles(a).0, quantiles(b).0);
    let more = ours.saturating_sub(bare);
    Ok(Figure {
        what: "`bash` with `echo hi`: sandbox, layer and journal included".into(),
        ours: format!("{}: {} over the spawn", ms(ours), ms(more)),
        peer: format!("{}, bare spawn of bash", ms(bare)),
        ratio: Some(over(ours, bare)),
        target: "≤ 3 ms over the spawn",
        met: Some(more <= Duration::from_millis(3)),
    })
}

fn shell_in_large_tree(folder: &Path) -> Result<Figure> {
    let (empty, large) = (folder.join("empty"), folder.join("large"));
    let lay_out = || -> std::io::Result<()> {
        std::fs::create_dir_all(&empty)?;
        for n in 0..60_000 {
            let directory = large.join(format!("{:03}", n / 100));
            if n % 100 == 0 {
                std::fs::create_dir_all(&directory)?;
            }
            std::fs::write(directory.join(format!("{n}.txt")), format!("file {n}\n"))?;
        }
        Ok(())
    };
    lay_out().map_err(|e| format!("{}: {e}", large.display()))?;
    let (mut in_large, _) = Peer::start(Kind::Kitbag, &large)?;
    let (mut in_empty, _) = Peer::start(Kind::Kitbag, &empty)?;
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for _ in 0..100 {
        a.push(echo(&mut in_large)?);
        b.push(echo(&mut in_empty)?);
    }
    let (large, empty) = (quantiles(a).0, quantiles(b).0);
    Ok(Figure {
        what: "`bash` with `echo hi` in a tree of 60,000 files".into(),
        ours: ms(large),
        peer: format!("{}, Kitbag in an empty one", ms(empty)),
        ratio: Some(over(large, empty)),
        target: "≤ 1.5 × the empty one",
        met: Some(over(large, empty) <= 1.5),
    })
}

fn behind_a_slow_one(ours: &mut Peer) -> Result<Figure> {
    let mut times = Vec::new();
    for n in 0..10 {
        let slow = json!({"jsonrpc": "2.0", "id": 5_000_000 + n, "method": "tools/call", "params": {"name": "bash", "arguments": {"command": "sleep 0.3"}}});
        ours.send(&slow)?;
        std::thread::sleep(Duration::from_millis(50));
        for _ in 0..20 {
            times.push(ours.call("read", &json!({"path": "two.txt"}))?.1);
        }
        while ours.receive()?["id"] != 5_000_000 + n {}
    }
    let (_, worst) = quantiles(times);
    Ok(Figure {
        what: "`read` while a program runs (95 %)".into(),
        ours: ms(worst),
        peer: String::new(),
        ratio: None,
        target: "≤ 0.5 ms",
        met: Some(worst <= Duration::from_micros(500)),
    })
}

fn definitions(ours: &mut Peer) -> Result<Figure> {
    let listed = ours.request("tools/list", &json!({}))?;
    let tools = listed["tools"].as_array().map_or(0, Vec::len);
    // What a model is shown of a tool: name, description, input schema.
    let shown = |t: &serde_json::Value| {
        json!([t["name"], t["description"], t["inputSchema"]]).to_string().len()
    };
    let bytes: usize = listed["tools"].as_array().into_iter().flatten().map(shown).sum();
    let tokens = bytes as f64 / 4.4 / tools as f64;
    Ok(Figure {
        what: "definitions, estimated at 4.4 bytes a token".into(),
        ours: format!("{tokens:.0} tokens a tool ({tools} tools)"),
        peer: String::new(),
        ratio: None,
        target: "≤ 100 a tool",
        met: Some(tokens <= 100.0),
    })
}
