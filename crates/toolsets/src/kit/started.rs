//! The programs that `run` starts: to their end, or in the background.

use std::time::Duration;

use programs::process::{Background, Finished, Line, Program, Reach};

use super::earlier;
use super::outputs::Outputs;
use super::run::Run;
use crate::prelude::*;

/// How long a program in the background gets until it listens on its port.
const OPENS: Duration = Duration::from_secs(60);

impl Run {
    pub(super) fn starts_in_background(&self) -> bool {
        self.background || self.port.is_some()
    }

    pub(super) fn foreground(&self, command: &str, cx: &Cx<'_>) -> Result<Finished> {
        let limits = cx.limits();
        let timeout = match self.timeout {
            Some(seconds) => Duration::from_secs(seconds).min(limits.program_time_max),
            None => limits.program_time,
        };
        cx.run_program(&program(&merged(command), timeout, Reach::Workspace))
    }

    pub(super) fn start(&self, command: &str, cx: &Cx<'_>, outputs: &Outputs) -> Result<String> {
        let (name, line) = (files::journal::new_id(), merged(command));
        let (time, reach) = match self.port {
            Some(_) => (self.timeout.map_or(OPENS, Duration::from_secs), Reach::Online),
            None => (earlier::MOMENT, Reach::Workspace),
        };
        let program = program(&line, time, reach);
        let start = Background { name: &name, program, port: self.port, input: true };
        let going = cx.runner().start(cx.workspace(), &start, cx.cancel())?;
        let id = outputs.number();
        outputs.begin(id, command.to_owned(), name.clone());
        let fed = self.input.as_deref().map(|input| earlier::feed(&name, input, cx)).transpose();
        let wait = self.input.as_ref().map(|_| (earlier::MOMENT, None));
        let text = earlier::poll(cx, outputs, id, wait)?;
        fed.map_err(|error| error.noting(&text))?;
        Ok(match self.port {
            Some(port) if going.listens => format!("listening on port {port}; {text}"),
            Some(port) if going.exit.is_none() => {
                format!("not yet listening on port {port} after {time:?}; {text}")
            }
            _ => text,
        })
    }
}

/// One output instead of two, so that what was printed is in the order in which it was.
fn merged(command: &str) -> String {
    format!("exec 2>&1; {command}")
}

fn program(line: &str, timeout: Duration, reach: Reach) -> Program<'_> {
    Program { line: Line::Shell(line), dir: ".", env: &[], timeout, reach }
}
