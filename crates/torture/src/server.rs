//! A server over standard streams, and SIGKILL for it while a program runs.

use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use test_client::Client;

use crate::calls::same;
use crate::place::Place;
use crate::{Result, Round};

/// Longer than any answer takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Starts a server.
pub(crate) fn start(place: &Place, toolset: &str) -> Result<Client> {
    let mut command = place.command(&["serve", "--toolset", toolset, "--policy", "trust"]);
    let mut client = Client::start(command.stderr(Stdio::null()))?;
    client.shake_hands("torture", json!({}), PATIENCE)?;
    Ok(client)
}

/// Whether a call succeeded.
pub(crate) fn call(server: &mut Client, tool: &str, input: &Value) -> Result<bool> {
    let id = server.begin(tool, input)?;
    let answer = server.answer(id, PATIENCE)?;
    Ok(answer["result"].is_object() && answer["result"]["isError"] != true)
}

pub(crate) fn round(round: &mut Round<'_>) -> Result {
    for n in 0..round.points.div_ceil(2) {
        let wait = Duration::from_millis(if n % 2 == 0 { 0 } else { 100 });
        let place = Place::new(round.program)?;
        for n in 0..40 {
            place.write(format!("d/{n}"), format!("{n} {}\n", round.dice.token()))?;
        }
        let first = place.tree()?;
        let mut server = start(&place, "fiz")?;
        // One call before, so that the journal knows the project.
        let told = call(&mut server, "bash", &json!({"command": "echo 1 > told"}))?;
        let before = place.tree()?;
        let script = "for i in $(seq 0 39); do rm d/$i; echo $i > new$i; echo more >> told; sleep 0.004; done; sleep 60";
        server.begin("bash", &json!({"command": script}))?;
        std::thread::sleep(Duration::from_micros(round.dice.below(220_000) as u64));
        server.kill()?;
        round.kills += 1;
        std::thread::sleep(wait);
        let came = (|| {
            if !told {
                return Err("the first call failed".into());
            }
            place.must(&["log"])?;
            settle(&place)?;
            if place.tree()? != before {
                place.must(&["undo"])?;
                same(&place.tree()?, &before, "after undo of the killed program")?;
            }
            place.must(&["undo"])?;
            same(&place.tree()?, &first, "after undo of the call before")
        })();
        round.case(|| format!("journal opened {} ms after the kill", wait.as_millis()), came);
    }
    Ok(())
}

/// Waits until nobody changes anything.
fn settle(place: &Place) -> Result {
    let mut tree = place.tree()?;
    for _ in 0..100 {
        std::thread::sleep(Duration::from_millis(40));
        let now = place.tree()?;
        if now == tree {
            return Ok(());
        }
        tree = now;
    }
    Err("the program of the killed server goes on".into())
}
