//! What `edit` of kit takes with its verdict, over the edits that its test judges, and the verdict
//! alone: the library is called for the same files before and after.

#[path = "../../../crates/toolsets/tests/it/kit_verdicts/edits.rs"]
mod edits;
#[path = "../../../crates/toolsets/tests/it/kit_verdicts/projects.rs"]
mod projects;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use index::{Index, Touched, Verdict};
use serde_json::{Value, json};
use toolkit::fault::{Cancel, Error};
use toolkit::files::search::list_files;
use toolkit::files::{Limits, State, Workspace};

use self::edits::{EDITS, Edit};
use super::peer::{Kind, Peer};
use super::{Figure, ms, quantiles};
use crate::{Result, test};

const MOST: Duration = Duration::from_millis(10);

pub(super) fn measure() -> Result<Vec<Figure>> {
    let folder = test::target()?.join("bench/verdicts");
    let _ = fs::remove_dir_all(&folder);
    let (mut first, mut warm, mut plain) = (Vec::new(), Vec::new(), Vec::new());
    let (mut first_alone, mut warm_alone) = (Vec::new(), Vec::new());
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
        let ([cold, again], _) = alone(&root, edit.project)?;
        first_alone.push(cold);
        warm_alone.push(again);
    }
    let figure = |what: &str, times: Vec<Duration>, target: &'static str| {
        let most = times.iter().max().copied().unwrap_or_default();
        let what = format!("{what}, {} edits", EDITS.len());
        let met = (!target.is_empty()).then_some(most <= MOST);
        Figure::alone(
            what,
            format!("{}, at most {}", ms(quantiles(times).0), ms(most)),
            target,
            met,
        )
    };
    Ok(vec![
        figure("the verdict of `edit` alone, in a session at work", warm_alone, "≤ 10 ms each"),
        figure("the same, the first of a process", first_alone, "≤ 10 ms each"),
        figure("`edit` of kit with its verdict, in a session at work", warm, ""),
        figure("the same as the first call of a server", first, ""),
        figure("`edit` of a text beside, which has no verdict", plain, ""),
    ])
}

/// How long the verdict on what changed since `project` was laid out takes at first, and again; and
/// what it says.
fn alone(root: &Path, project: projects::Files) -> Result<([Duration; 2], Verdict)> {
    let fail = |e: Error| e.to_string();
    let (limits, cancel) = (Limits::default(), Cancel::default());
    let workspace = Workspace::open(root, &[], limits).map_err(fail)?;
    let listed = list_files(&workspace, ".", workspace.limits().index_files, &cancel);
    let now = listed.map_err(fail)?.files.into_iter().filter_map(|(path, _)| {
        let path = path.to_str()?.to_owned();
        Some((fs::read_to_string(root.join(&path)).ok()?, path))
    });
    let now: Vec<(String, String)> = now.filter(|(_, path)| path != "notes.txt").collect();
    let text_of = |path: &str| now.iter().find(|(_, other)| other == path).map(|(text, _)| &**text);
    let before =
        |path: &str| project.iter().find(|(other, _)| *other == path).map(|(_, text)| *text);
    let new = now.iter().map(|(_, path)| &**path).filter(|path| before(path).is_none());
    let touched = project.iter().map(|(path, _)| *path).chain(new).map(|path| Touched {
        path,
        moved_from: None,
        before: before(path),
        after: text_of(path),
    });
    let touched: Vec<_> = touched.filter(|file| file.before != file.after).collect();
    let index = Index::new(State::new(root.join("../alone")));
    let judge = || {
        let started = Instant::now();
        let until = started + workspace.limits().verdict_time;
        let verdict = index.verdict(&workspace, &touched, until, &cancel).map_err(fail)?;
        Ok::<_, String>((started.elapsed(), verdict))
    };
    let ((first, _), (again, verdict)) = (judge()?, judge()?);
    Ok(([first, again], verdict))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verdict_alone_is_that_of_the_edit() {
        let edit = EDITS.iter().find(|edit| edit.says.starts_with("syntax error")).unwrap();
        let root = test::target().unwrap().join("bench-test/verdicts/root");
        let _ = fs::remove_dir_all(&root);
        lay_out(&root, edit).unwrap();
        let (_, verdict) = alone(&root, edit.project).unwrap();
        assert_eq!(verdict, Verdict::default());
        let (path, text) = edit.project[0];
        fs::write(root.join(path), format!("{text}\n)")).unwrap();
        let (times, verdict) = alone(&root, edit.project).unwrap();
        assert!(
            times.iter().all(|time| !time.is_zero()) && !verdict.broken.is_empty(),
            "{verdict:?}"
        );
    }
}
