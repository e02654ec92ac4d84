//! A mount whose server never answers, as NFS does when its host is gone.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use toolkit::fault::Code;
use toolkit::serde_json::json;
use toolkit::testing::block_on;
use toolkit::{Call, Policy, call};

use crate::{open, place};

/// Far more than a call takes that does not wait for the mount.
const LONG: Duration = Duration::from_secs(20);

/// A FUSE mount that nobody serves, as long as this lives.
struct Hung {
    server: Child,
    at: PathBuf,
}

impl Hung {
    /// `None` where mounting is not allowed.
    fn at(at: PathBuf) -> Option<Self> {
        std::fs::create_dir(&at).unwrap();
        let script = "exec 9<>/dev/fuse && mount -i -n -t fuse \
            -o fd=9,rootmode=40000,user_id=0,group_id=0 hung \"$1\" && echo mounted && exec sleep 60";
        let mut server = Command::new("sh")
            .args(["-c", script, "sh"])
            .arg(&at)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let hung = Self { server, at };
        (line == "mounted\n").then_some(hung)
    }
}

impl Drop for Hung {
    /// Without its server the mount answers with an error, so nobody waits any more.
    fn drop(&mut self) {
        self.server.kill().unwrap();
        self.server.wait().unwrap();
        umount(&self.at);
    }
}

fn umount(at: &Path) {
    let _ = Command::new("umount").arg("-l").arg(at).stderr(Stdio::null()).status();
}

#[test]
fn a_mount_that_does_not_answer_holds_up_neither_other_calls_nor_cancellation() {
    let place = place(&[("a.txt", "hello\n")], |_| {});
    let session = open(&place, "fiz", Policy::Trust);
    let Some(hung) = Hung::at(place.path("far")) else {
        println!("SKIPPED: file systems cannot be mounted here");
        return;
    };
    block_on(async {
        for (tool, input) in [
            ("read", json!({"path": "far/x"})),
            ("write", json!({"path": "far/x", "content": "x"})),
            ("edit", json!({"path": "far/x", "edits": [{"oldText": "a", "newText": "b"}]})),
        ] {
            let waiting = Call::new(tool, input);
            let cancel = waiting.cancel.clone();
            let began = Instant::now();
            let (outcome, ()) = tokio::join!(call(&session, waiting), async {
                tokio::time::sleep(Duration::from_millis(100)).await;
                let beside = call(&session, Call::new("read", json!({"path": "a.txt"}))).await;
                assert_eq!(beside.done().unwrap().body.to_text(), "hello\n", "{tool}");
                cancel.cancel();
            });
            let error = outcome.done().unwrap().error.expect(tool);
            assert_eq!(error.code, Code::Cancelled, "{tool}: {error}");
            assert!(began.elapsed() < LONG, "{tool}: {:?}", began.elapsed());
        }
        drop(hung);
    });
}
