//! Stack `server`.

use std::time::{Duration, Instant};

use programs::process::{Background, Exit, Going, Line, Program, Reach};

use crate::prelude::*;

/// How long a server gets until it listens; many are compiled first.
const OPENS: Duration = Duration::from_secs(60);

/// How often a server in the foreground is looked at.
const LOOK: Duration = Duration::from_millis(200);

/// Start a server and wait until it listens on its port. In the background it runs until the
/// session ends or it is started again; otherwise it is stopped after two minutes.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Server {
    /// Shell command
    command: String,
    /// Port it will listen on
    port: u16,
    /// Directory to start in
    cwd: Option<String>,
    /// Leave it running (default false)
    #[serde(default)]
    background: bool,
}

/// What became of the server.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether it listened on the port
    success: bool,
    /// In the background: its process
    #[serde(skip_serializing_if = "Option::is_none")]
    pid: Option<i32>,
    /// The port
    port: u16,
    /// What happened
    message: String,
    /// What it printed, the end
    #[serde(skip_serializing_if = "String::is_empty")]
    output: String,
    /// In the background: files with all it prints, for read
    #[serde(skip_serializing_if = "Vec::is_empty")]
    logs: Vec<String>,
}

impl Server {
    fn name(&self) -> String {
        format!("port {}", self.port)
    }

    /// Stops what an earlier call started on the port; whether it was still running.
    fn stop_former(&self, cx: &Cx<'_>) -> Result<bool> {
        let all = cx.runner().background_programs(cx.workspace());
        let Some(former) = all.iter().find(|going| going.name == self.name()) else {
            return Ok(false);
        };
        cx.runner().stop(cx.workspace(), &self.name())?;
        Ok(former.exit.is_none())
    }

    /// Waits as long as a program may run, until it ends by itself.
    fn stay(&self, cx: &Cx<'_>, mut going: Going) -> Result<Going> {
        let (began, limit) = (Instant::now(), cx.limits().program_time);
        while going.exit.is_none() && began.elapsed() < limit && !cx.cancel().is_cancelled() {
            std::thread::sleep(LOOK);
            going = cx.runner().background_program(cx.workspace(), &self.name())?;
        }
        Ok(going)
    }
}

impl Tool for Server {
    type Output = Output;

    const SPEC: Spec = Spec::new("server", "Start a server", Category::Programs)
        .effect(Effect::RUNS.and(Effect::CONNECTS), Permission::Dangerous)
        .errors(&[LISTING, &[Code::CommandNotFound, Code::PortInUse]])
        .examples(&[
            Example::of("One that ends before it listens: why")
                .call(r#"{"command": "echo no config >&2; exit 3", "port": 47123, "background": true}"#)
                .gives(r#"{"success": false, "port": 47123, "message": "it ended before it listened on port 47123: exit code 3", "output": "no config\n"}"#),
            Example::of("A directory that does not exist")
                .call(r#"{"command": "true", "port": 47124, "cwd": "gone"}"#)
                .fails(Code::DirectoryNotFound, r#"{"success": false, "error": "gone: no such directory; [..]", "code": "DirectoryNotFound"}"#),
        ]);

    fn about(&self) -> String {
        let dir = self.cwd.as_ref().map(|dir| format!("\nin {dir}")).unwrap_or_default();
        let stays = if self.background { ", until the session ends" } else { "" };
        format!("{}{dir}\nlistening on port {}{stays}", self.command, self.port)
    }

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        if self.port == 0 || self.command.trim().is_empty() {
            let field = if self.port == 0 { "port" } else { "command" };
            let problem = "empty or 0; say what to start, and on which port it will listen";
            return Err(Error::invalid_input(field, problem));
        }
        let (runner, workspace, name) = (cx.runner(), cx.workspace(), self.name());
        let former = self.stop_former(cx)?;
        let dir = self.cwd.as_deref().unwrap_or(".");
        let program = Program {
            line: Line::Shell(&self.command),
            dir,
            env: &[],
            timeout: OPENS,
            reach: Reach::Online,
        };
        let start = Background { name: &name, program, port: Some(self.port), input: false };
        let mut going = runner.start(workspace, &start, cx.cancel())?;
        let listened = going.listens;
        let message = match (going.exit, listened, self.background) {
            (Some(exit), ..) => {
                let how = match exit {
                    Exit::Code(code) => format!("exit code {code}"),
                    Exit::Signal(signal) => format!("signal {signal}"),
                    Exit::Cancelled | Exit::TimedOut(_) => "stopped".to_owned(),
                };
                format!("it ended before it listened on port {}: {how}", self.port)
            }
            (None, false, _) => {
                format!("it did not listen on port {} within {OPENS:?} and was stopped", self.port)
            }
            (None, true, true) => format!("it listens on port {}", self.port),
            (None, true, false) => {
                going = self.stay(cx, going)?;
                format!(
                    "it listened on port {} and ended, or was stopped after {:?}; background leaves it running",
                    self.port,
                    cx.limits().program_time
                )
            }
        };
        let stays = listened && self.background;
        if !stays {
            going = runner.stop(workspace, &name)?;
        }
        cx.cancel().check()?;
        let former =
            former.then(|| "what an earlier call had started there was stopped".to_owned());
        let direct = stays.then(|| {
            "what it changes in the project is not journalled and cannot be undone".to_owned()
        });
        let said: Vec<String> = [Some(message), former, direct].into_iter().flatten().collect();
        let half = cx.result_bytes() / 2;
        let logs = [&going.stdout, &going.stderr].into_iter().filter(|_| stays);
        let logs = logs.filter_map(|out| Some(out.spill.as_ref()?.path.display().to_string()));
        let shown = |output: &programs::process::Output| {
            output.tail(cx.limits().result_lines / 2, half).text
        };
        Ok(Output {
            success: listened,
            pid: going.pid.filter(|_| stays),
            port: self.port,
            message: said.join("; "),
            output: shown(&going.stdout) + &shown(&going.stderr),
            logs: logs.collect(),
        })
    }
}
