//! Several at once: servers, calls, readers. What is reported as done is there.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use crate::client::Server;
use crate::place::Place;

#[test]
fn no_edit_that_is_reported_as_done_is_lost() {
    for _ in 0..4 {
        let lines: String = (0..80).map(|n| format!("line {n}: old\n")).collect();
        let place = Place::with(&[("f", &lines)]);
        let mut servers = [place.serve("fiz", "trust"), place.serve("fiz", "trust")];
        let mut begun = Vec::new();
        for n in 0..40 {
            for (which, server) in servers.iter_mut().enumerate() {
                let line = n * 2 + which;
                let find = format!("line {line}: old\n");
                let with = format!("line {line}: new {which}\n");
                let edit = json!({"path": "f", "edits": [{"oldText": find, "newText": with}]});
                begun.push((which, line, server.begin("edit", &edit)));
            }
        }
        let mut done = 0;
        let answers: Vec<_> = begun
            .iter()
            .map(|(which, line, id)| (*which, *line, servers[*which].answer(id)))
            .collect();
        let text = place.read("f");
        for (which, line, answer) in answers {
            let there = text.contains(&format!("line {line}: new {which}\n"));
            assert_eq!(!answer.failed(), there, "line {line}: {answer:?}");
            done += usize::from(there);
        }
        assert_eq!(done, 80, "nobody had a reason to fail");
        assert_eq!(place.log().len(), 80);
    }
}

#[test]
fn calls_on_one_file_run_in_the_order_in_which_they_came() {
    let place = Place::with(&[("a/x", "")]);
    std::os::unix::fs::symlink("a", place.path("b")).unwrap();
    let absolute = place.path("a/f").to_string_lossy().into_owned();
    let spellings = ["a/f", "./a/f", &absolute, "b/f", "a//f", "a/../a/f"];
    let mut fiz = place.serve("fiz", "trust");
    for round in 0..12 {
        let name = |n: usize| spellings[(round + n) % spellings.len()];
        let write = json!({"path": name(0), "content": format!("round {round}: one\n")});
        let edit = json!({"path": name(1), "edits": [{"oldText": "one", "newText": "two"}]});
        let patch = json!({"path": name(2), "content": "three\n", "operation": "append"});
        let calls = [
            fiz.begin("write", &write),
            fiz.begin("edit", &edit),
            fiz.begin("patch", &patch),
            fiz.begin("read", &json!({"path": name(3)})),
        ];
        let answers: Vec<_> = calls.iter().map(|id| fiz.answer(id)).collect();
        assert_eq!(answers[3].ok(), format!("round {round}: two\nthree\n"), "{answers:?}");
    }
}

#[test]
fn a_program_runs_after_the_write_that_came_before_it() {
    let place = Place::new();
    let mut fiz = place.serve("fiz", "trust");
    for round in 0..5 {
        let text = format!("{round}\n");
        let write = fiz.begin("write", &json!({"path": "f", "content": text}));
        let run = fiz.begin("bash", &json!({"command": "cat f"}));
        fiz.answer(&write).ok();
        let shown = fiz.answer(&run);
        assert!(shown.ok().contains(&format!("Output:\n{text}")), "{shown:?}");
    }
}

#[test]
fn a_reader_never_sees_half_a_file() {
    let place = Place::new();
    let (first, second) = ("a".repeat(5 << 20), "b".repeat(5 << 20));
    place.write("f", &first);
    let stop = AtomicBool::new(false);
    let mut writer = place.serve("local", "trust");
    let mut reader = place.serve("local", "trust");
    std::thread::scope(|scope| {
        let raw = scope.spawn(|| {
            let mut looks = 0;
            while !stop.load(Ordering::Relaxed) {
                let seen = place.bytes("f");
                assert!(
                    seen == first.as_bytes() || seen == second.as_bytes(),
                    "{} bytes",
                    seen.len()
                );
                looks += 1;
            }
            looks
        });
        for round in 0..6 {
            let content = if round % 2 == 0 { &second } else { &first };
            let write = writer.begin("write_file", &json!({"path": "f", "content": content}));
            let read = reader.call("read_file", &json!({"path": "f"}));
            let seen = read.fields()["content"].as_str().unwrap().to_owned();
            // What is longer than a result may be is cut at the end.
            assert!(seen.len() > 50_000 && (first.starts_with(&seen) || second.starts_with(&seen)));
            writer.answer(&write).ok();
        }
        stop.store(true, Ordering::Relaxed);
        assert!(raw.join().unwrap() > 0);
    });
}

#[test]
fn two_hundred_calls_at_once_are_all_answered() {
    let place = Place::with(&[("shared", "count: 0\n"), ("src/a.rs", "fn main() {}\n")]);
    let mut fiz = place.serve("fiz", "trust");
    let calls: Vec<_> = (0..200)
        .map(|n| match n % 8 {
            0 => fiz
                .begin("write", &json!({"path": format!("new/{n}"), "content": format!("{n}\n")})),
            1 => fiz.begin("read", &json!({"path": "src/a.rs"})),
            2 => fiz.begin("grep", &json!({"pattern": "main"})),
            3 => fiz.begin("find", &json!({"pattern": "**/*.rs"})),
            4 => fiz.begin(
                "patch",
                &json!({"path": "shared", "content": format!("{n}\n"), "operation": "append"}),
            ),
            5 => fiz.begin("ls", &json!({"path": "src"})),
            6 if n % 40 == 6 => {
                fiz.begin("bash", &json!({"command": format!("echo {n} > out.{n}")}))
            }
            6 => fiz.begin("task", &json!({"operation": "create", "title": n.to_string()})),
            _ => fiz.begin("read", &json!({"path": "missing"})),
        })
        .collect();
    for (n, id) in calls.iter().enumerate() {
        let answer = fiz.answer(id);
        match n % 8 {
            7 => drop(answer.fails("FileNotFound")),
            _ => drop(answer.ok()),
        }
    }
    let appended: Vec<String> = place.read("shared").lines().skip(1).map(str::to_owned).collect();
    let order: Vec<String> =
        (0..200).filter(|n| n % 8 == 4).map(|n: usize| n.to_string()).collect();
    assert_eq!(appended, order);
    for n in (0..200).step_by(8) {
        assert_eq!(place.read(&format!("new/{n}")), format!("{n}\n"));
    }
    for n in (6..200).step_by(40) {
        assert_eq!(place.read(&format!("out.{n}")), format!("{n}\n"));
    }
    let made: Vec<String> = place
        .log()
        .iter()
        .flat_map(|step| step["changes"].as_array().unwrap().clone())
        .filter(|change| change["what"] == "created")
        .map(|change| change["path"].as_str().unwrap().to_owned())
        .collect();
    for n in (0..200).step_by(8) {
        let name = format!("new/{n}");
        assert_eq!(made.iter().filter(|m| **m == name).count(), 1, "{name} belongs to one call");
    }
}

#[test]
fn servers_that_start_on_one_fresh_state_folder_all_work() {
    for _ in 0..3 {
        let place = Place::new();
        let mut servers: Vec<_> = (0..6).map(|_| place.serve("fiz", "trust")).collect();
        let calls: Vec<_> = servers
            .iter_mut()
            .enumerate()
            .map(|(n, s)| s.begin("write", &json!({"path": format!("f{n}"), "content": "x"})))
            .collect();
        for (server, id) in servers.iter_mut().zip(&calls) {
            server.answer(id).ok();
        }
        assert_eq!(place.log().len(), 6);
    }
}

#[test]
fn four_servers_that_remember_at_once_lose_nothing() {
    const EACH: usize = 15;
    let place = Place::new();
    let mut servers: Vec<Server> = (0..4).map(|_| place.serve("stack", "trust")).collect();
    let mut waiting = Vec::new();
    for (s, server) in servers.iter_mut().enumerate() {
        for n in 0..EACH {
            let entry = json!({"key": format!("entry {s}.{n}"), "value": "### quoted\ntext"});
            waiting.push((s, server.begin("memory_save", &entry)));
            let task = json!({"title": format!("task {s}.{n}"), "priority": "high"});
            waiting.push((s, server.begin("create_task", &task)));
            let plan = json!({"goal": format!("plan {s}.{n}"), "steps": ["one"]});
            waiting.push((s, server.begin("create_plan", &plan)));
        }
    }
    for (s, id) in waiting {
        assert_eq!(servers[s].answer(&id).fields()["success"], true);
    }
    let count = |server: &mut Server, tool: &str| server.call(tool, &json!({})).fields();
    assert_eq!(count(&mut servers[0], "memory_list")["count"], 4 * EACH);
    let tasks = count(&mut servers[1], "list_tasks");
    assert_eq!(tasks["count"], 4 * EACH);
    let mut ids: Vec<_> = tasks["tasks"].as_array().unwrap().iter().map(|t| &t["id"]).collect();
    ids.sort_by_key(|id| id.as_str().map(str::to_owned));
    ids.dedup();
    assert_eq!(ids.len(), 4 * EACH, "each has an id of its own");
    let plans: serde_json::Value = serde_json::from_str(&place.read(".plans.json")).unwrap();
    assert_eq!(plans.as_array().unwrap().len(), 4 * EACH);
    assert!(place.read(".tasks.json").starts_with("[\n  {\n    \"id\": \""), "people read it too");
}
