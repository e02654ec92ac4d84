//! What the loop of an agent costs beside the model and the tools.

use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agent::{Conversation, History, Lines, Model, Reason, Record, Replay, Settings};
use serde_json::{Value, json};
use toolkit::fault::Cancel;
use toolkit::files::State;
use toolkit::{Call, Policy, Project, Session};

use super::{Figure, ms, quantiles};
use crate::{Result, test};

/// Turns of a session; each makes [`CALLS`] calls at once.
const TURNS: usize = 200;
const CALLS: usize = 10;

pub(super) fn measure() -> Result<Vec<Figure>> {
    let folder = test::target()?.join("bench/agent");
    let _ = std::fs::remove_dir_all(&folder);
    let root = folder.join("root");
    let text = "a line of a small file\n".repeat(80);
    std::fs::create_dir_all(&root).map_err(|e| e.to_string())?;
    for n in 0..CALLS {
        std::fs::write(root.join(format!("{n}.txt")), &text).map_err(|e| e.to_string())?;
    }
    let state = State::new(folder.join("state"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|e| e.to_string())?;
    let session = || -> Result<Arc<Session>> {
        let settings = toolkit::Settings::new(&root, state.clone());
        let project = Project::open(settings).map_err(|e| e.to_string())?;
        let tools = toolsets::toolset("fiz").ok_or("no toolset fiz")?;
        Ok(project.session(tools, Policy::ReadOnly))
    };
    let (mut loops, mut alone) = (Vec::new(), Vec::new());
    for _ in 0..7 {
        loops.push(runtime.block_on(turns(session()?, &state))? / TURNS as u32);
        let session = session()?;
        let began = Instant::now();
        for _ in 0..TURNS {
            runtime.block_on(calls(&session))?;
        }
        alone.push(began.elapsed() / TURNS as u32);
    }
    let ((loops, _), (alone, _)) = (quantiles(loops), quantiles(alone));
    let beyond = loops.saturating_sub(alone);
    Ok(vec![Figure {
        what: format!("a turn of an agent with {CALLS} reads at once, beyond the reads"),
        ours: ms(beyond),
        peer: format!("{}, the reads alone", ms(alone)),
        ratio: None,
        target: "≤ 5 ms",
        met: Some(beyond <= Duration::from_millis(5)),
    }])
}

/// Plays a session whose model answers at once.
async fn turns(session: Arc<Session>, state: &State) -> Result<Duration> {
    let call = |turn: usize, n: usize| {
        // No two turns are the same, as the loop would stop at that.
        let arguments = json!({"path": format!("{n}.txt"), "limit": 80 + turn});
        json!({"id": format!("call_{n}"), "name": "read", "arguments": arguments})
    };
    let mut lines: Vec<Value> = (0..TURNS)
        .map(|turn| json!({"type": "reply", "calls": (0..CALLS).map(|n| call(turn, n)).collect::<Vec<_>>()}))
        .collect();
    lines.push(json!({"type": "reply", "text": "Done."}));
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let replay = Replay::new(Lines::new("bench", text.as_bytes())).map_err(|e| e.to_string())?;
    let model: Rc<dyn Model> = Rc::new(replay);
    let settings = Settings {
        system: "Be brief.".to_owned(),
        sources: Vec::new(),
        model: "replay".to_owned(),
        max_turns: 10_000,
        budget: None,
        price: None,
        window: u64::MAX >> 8, // a summary is not what is measured
        max_output: None,
        same_calls: 5,
    };
    let record = Record::begin(state, session.id()).map_err(|e| e.to_string())?;
    let history = History::default();
    let mut talk = Conversation::begin(session, model, settings, record, history, |_| {})
        .map_err(|e| e.to_string())?;
    let began = Instant::now();
    let ended = talk.prompt("Do it.".to_owned(), &Cancel::default()).await;
    let took = began.elapsed();
    match ended.reason {
        Reason::Success => Ok(took),
        reason => Err(format!("the session ended with {}", reason.as_str())),
    }
}

/// The calls of a turn by themselves.
async fn calls(session: &Arc<Session>) -> Result {
    let one = |n: usize| {
        let (session, path) = (Arc::clone(session), format!("{n}.txt"));
        let call = Call::new("read", json!({"path": path, "limit": 80}));
        tokio::spawn(async move { toolkit::call(&session, call).await.done() })
    };
    let running: Vec<_> = (0..CALLS).map(one).collect();
    for running in running {
        let done = running.await.map_err(|e| e.to_string())?.map_err(|e| e.to_string())?;
        if let Some(error) = done.error {
            return Err(error.to_string());
        }
    }
    Ok(())
}
