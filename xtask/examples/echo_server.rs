//! The floor of the benchmarks: answers every line at once, `tools/call` with the content of the
//! file that it is asked for. No protocol, no checks; nothing can be faster and still read.

#![expect(clippy::disallowed_methods, reason = "a peer for the benchmarks")]

use std::io::{BufRead as _, Write as _};

fn main() {
    let stdin = std::io::stdin().lock();
    let mut stdout = std::io::stdout().lock();
    for line in stdin.lines() {
        let Ok(line) = line else { return };
        let Ok(message) = serde_json::from_str::<serde_json::Value>(&line) else { continue };
        let Some(id) = message.get("id") else { continue };
        let path = message["params"]["arguments"]["path"].as_str();
        let text = path.and_then(|p| std::fs::read_to_string(p).ok()).unwrap_or_default();
        let answer = serde_json::json!({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": text}]}});
        if writeln!(stdout, "{answer}").and_then(|()| stdout.flush()).is_err() {
            return;
        }
    }
}
