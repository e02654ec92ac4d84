//! What `edit` of kit takes with its verdict, over the edits that its test judges.

#[path = "../../../crates/toolsets/tests/it/kit_verdicts/edits.rs"]
mod edits;
#[path = "../../../crates/toolsets/tests/it/kit_verdicts/projects.rs"]
mod projects;

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use self::edits::{EDITS, Edit};
use super::peer::{Kind, Peer};
use super::{Figure, ms, quantiles};
use crate::{Result, test};

const MOST: Duration = Duration::from_millis(10);

pub(super) fn measure() -> Result<Vec<Figure>> {
    let folder = test::target()?.join("bench/verdicts");
    let _ = fs::remove_dir_all(&folder);
    let (mut first, mut warm, mut plain) = (Vec::new(), Vec::new(), Vec::new());
    for (nth, edit) in EDITS.iter().enumerate() {
        let root = folder.join(nth.to_string()).join("root");
        lay_out(&root, edit).map_err(|e| format!("{}: {e}", root.display()))?;
        let (cold, again, bare) = times(&root, edit)?;
        for (what, time) in [("first", cold), ("again", again)] {
            if time > MOST {
                println!("{}, {what}: {}", edit.about, ms(time));
            }
        }
        first.push(cold);
        warm.push(again);
        plain.push(bare);
    }
    let figure = |what: &str, times: Vec<Duration>, target: &'static str| {
        let most = times.iter().max().copied().unwrap_or_default();
        let what = format!("`edit` of kit with its verdict, {} edits, {what}", EDITS.len());
        let met = (!target.is_empty()).then_some(most <= MOST);
        Figure::alone(
            what,
            format!("{}, at most {}", ms(quantiles(times).0), ms(most)),
            target,
            met,
        )
    };
    Ok(vec![
        figure("in a session at work", warm, "≤ 10 ms each"),
        figure("as the first call of a server", first, ""),
        figure("each beside one of a text, which has no verdict", plain, ""),
    ])
}

fn lay_out(root: &Path, edit: &Edit) -> std::io::Result<()> {
    for (path, text) in edit.project {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap_or(root))?;
        fs::write(path, text)?;
    }
    fs::write(root.join("notes.txt"), "one\n")
}

/// How long the edit takes as the first call, and once it was taken back; and one that nothing is
/// told of. It must tell what it broke.
fn times(root: &Path, edit: &Edit) -> Result<(Duration, Duration, Duration)> {
    let input: Value = serde_json::from_str(edit.call).map_err(|e| e.to_string())?;
    let (mut kit, _) = Peer::start(Kind::Kit, root)?;
    let (_, first) = kit.call("edit", &input)?;
    kit.call("undo", &json!({}))?;
    let (told, again) = kit.call("edit", &input)?;
    if !told.contains(edit.says) {
        return Err(format!("{}: {told}", edit.about));
    }
    let (_, plain) = kit.call("edit", &json!({"path": "notes.txt", "old": "one", "new": "two"}))?;
    Ok((first, again, plain))
}
