//! `kitbag chat` at a pseudo-terminal: lines, commands, the interrupt key, questions.

use crate::model_server::{Reply, Say, Server};
use crate::place::Place;
use crate::terminal::Terminal;

fn says(text: &'static str) -> Reply {
    Reply::Says(vec![Say::Text(text)])
}

fn writes() -> Reply {
    let write = r#"{"path": "a.txt", "content": "new\n"}"#;
    Reply::Says(vec![Say::Call("c", "write", write)])
}

fn chat(place: &Place, server: &Server, more: &[&str]) -> Option<Terminal> {
    let mut words = vec!["chat", "--model", "m", "--base-url", &server.url];
    words.extend(more);
    let mut terminal = Terminal::start(place, &words)?;
    terminal.sees("> ");
    Some(terminal)
}

#[test]
fn a_person_talks_with_a_model() {
    let place = Place::new();
    let server = Server::start(
        "openai",
        vec![says("Hello."), writes(), says("Written."), says("I see."), says("As before.")],
    );
    place.ok(&["call", "write", "path=other.txt", "content=x", "--policy", "trust"]);
    let Some(mut terminal) = chat(&place, &server, &[]) else { return };
    terminal.types("say helo\u{7f}lo\r");
    terminal.sees("Hello.");
    terminal.sees("[success] requests: 1");
    terminal.types("write it\r");
    terminal.sees("+new");
    terminal.sees("Allow it? [y]es, [s]ession, [N]o");
    std::thread::sleep(std::time::Duration::from_millis(1500)); // the person thinks
    terminal.types("y\r");
    terminal.sees(" ms, asked for ");
    terminal.sees("Written.");
    terminal.sees("[success]");
    assert_eq!(place.read("a.txt"), "new\n");
    let record = place.ok(&["replay", "last", "--json"]);
    let result = record.lines().find(|line| line.contains(r#""type":"result""#)).unwrap();
    let result: serde_json::Value = serde_json::from_str(result).unwrap();
    let (ms, asked) = (result["ms"].as_f64().unwrap(), result["asked_ms"].as_f64().unwrap());
    assert!(asked >= 1500.0 && ms < 1500.0, "{result}");
    terminal.types("/undo\r");
    terminal.sees("undid call 2: write a.txt");
    assert!(!place.has("a.txt"));
    terminal.types("/undo\r");
    terminal.sees("nothing to undo");
    assert!(place.has("other.txt"), "the call of another session stays");
    terminal.types("/cost\r");
    terminal.sees("requests: 3, tokens: 120 in, 180 from the cache, 30 out, cost: unknown");
    terminal.types("/tools\r");
    terminal.sees("bash ");
    terminal.types("/wrong\r");
    terminal.sees("no command /wrong; /help lists them");
    terminal.types("/help\r");
    terminal.sees("undo the last change of this session");
    // The line before the commands, by the arrow keys.
    terminal.types(&format!("{}\r", "\u{1b}[A".repeat(6)));
    terminal.sees("I see.");
    terminal.sees("[success]");
    terminal.sees("> "); // what is typed before is for a program
    terminal.types("\u{4}"); // Ctrl-D
    terminal.sees("Resume with: kitbag chat --continue ");
    assert_eq!(terminal.ends(), Some(0));
    let asked = server.asked();
    assert!(asked[0].body.to_string().contains("say hello"), "{:?}", asked[0]);
    let last = asked[3].body.to_string();
    assert!(last.contains("took back your call of write (a.txt)"), "{last}");
    assert_eq!(last.matches("write it").count(), 2, "{last}");

    let Some(mut terminal) = chat(&place, &server, &["--continue"]) else { return };
    terminal.types("\u{1b}[A\u{1b}[A\r"); // `/help` is the last but one line of the history
    terminal.sees("undo the last change of this session");
    terminal.types("and now?\r");
    terminal.sees("As before.");
    terminal.types("/quit\r");
    assert_eq!(terminal.ends(), Some(0));
    let last = server.asked().pop().unwrap().body.to_string();
    for part in ["say hello", "Written.", "and now?"] {
        assert!(last.contains(part), "{part}: {last}");
    }
    assert_eq!(place.ok(&["sessions"]).matches("requests: 5").count(), 1);
}

#[test]
fn the_interrupt_key_stops_a_turn_and_keeps_the_session() {
    let place = Place::new();
    let sleeps =
        Reply::Says(vec![Say::Call("c", "bash", r#"{"command": "echo begun; sleep 60"}"#)]);
    let server = Server::start(
        "openai",
        vec![Reply::Stalls(vec![Say::Text("I think")]), writes(), sleeps, says("Here.")],
    );
    let Some(mut terminal) = chat(&place, &server, &[]) else { return };
    terminal.types("\u{3}");
    terminal.sees("/quit or Ctrl-D ends the session");
    terminal.types("think\r");
    terminal.sees("I think");
    terminal.types("\u{3}");
    terminal.sees("[cancelled]");
    // A question that nobody answers does not take the next line.
    terminal.types("write it\r");
    terminal.sees("Allow it?");
    terminal.types("\u{3}");
    terminal.sees("[cancelled]");
    terminal.types("sleep\r"); // it is rehearsed before the question
    terminal.sees("\u{1b}[2mbegun");
    terminal.types("\u{3}");
    terminal.sees("[cancelled]");
    terminal.types("y are you there\r");
    terminal.sees("Here.");
    terminal.types("/quit\r");
    assert_eq!(terminal.ends(), Some(0));
    let last = server.asked().pop().unwrap().body.to_string();
    assert!(last.contains("\"y are you there\"") && !place.has("a.txt"), "{last}");
}

#[test]
fn a_command_is_shown_with_what_it_changes() {
    let place = Place::with(&[("a.txt", "one\n")]);
    let sed = |id| Say::Call(id, "bash", r#"{"command": "echo working; sed -i s/one/two/ a.txt"}"#);
    let server = Server::start(
        "openai",
        vec![Reply::Says(vec![sed("c1")]), says("No."), Reply::Says(vec![sed("c2")]), says("Yes.")],
    );
    let Some(mut terminal) = chat(&place, &server, &[]) else { return };
    if !place.ok(&["doctor"]).contains("changes in a layer first") {
        return crate::place::skipped("this machine has no layers");
    }
    terminal.types("change it\r");
    terminal.sees("working");
    let shown = terminal.sees("Allow it?");
    assert!(shown.contains("echo working; sed") && shown.contains("-one"), "{shown}");
    assert!(shown.contains("\u{1b}[32m+two\u{1b}[0m"), "coloured: {shown}");
    terminal.types("n\r");
    terminal.sees("PermissionDenied");
    terminal.sees("No.");
    assert_eq!(place.read("a.txt"), "one\n");
    terminal.sees("> ");
    terminal.types("change it now\r");
    terminal.sees("Allow it?");
    terminal.types("y\r");
    terminal.sees("Yes.");
    assert_eq!(place.read("a.txt"), "two\n");
    terminal.types("/quit\r");
    assert_eq!(terminal.ends(), Some(0));
    let told = server.asked()[3].body.to_string();
    assert!(told.contains("working"), "the model has the output: {told}");
}
