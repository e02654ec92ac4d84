//! Tools that show one thing each.

use std::sync::atomic::{AtomicUsize, Ordering};

use fault::{Code, Error, Result};
use files::journal::Parents;
use toolkit::schemars::JsonSchema;
use toolkit::serde::{Deserialize, Serialize};
use toolkit::{Category, Cx, Effect, Permission, Spec, Tool};

const READS: Spec = Spec::new("take", "Take", Category::Other).aliases(&["grab"]);

/// Give back what was understood.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) struct Take {
    /// A number
    count: u32,
    /// A switch
    #[serde(default)]
    all: bool,
    /// A list
    #[serde(default)]
    parts: Vec<Part>,
    /// A text
    name: Option<String>,
    /// How large the answer is
    #[serde(default)]
    size: usize,
}

/// One part.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Part {
    old_text: String,
}

/// What was understood.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Taken {
    count: u32,
    all: bool,
    parts: Vec<String>,
    name: Option<String>,
    filler: String,
}

impl Tool for Take {
    type Output = Taken;
    const SPEC: Spec = READS;
    fn run(self, _: &Cx<'_>) -> Result<Taken> {
        let parts = self.parts.into_iter().map(|p| p.old_text).collect();
        Ok(Taken {
            count: self.count,
            all: self.all,
            parts,
            name: self.name,
            filler: "x".repeat(self.size),
        })
    }
}

/// Put a text into a file; fails after the first of two.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Put {
    /// Path
    path: String,
    /// Text
    text: String,
    /// Fail at the end
    #[serde(default)]
    fail: bool,
    /// How long to work before
    #[serde(default)]
    millis: u64,
}

impl Tool for Put {
    type Output = String;
    const SPEC: Spec = Spec {
        name: "put",
        aliases: &[],
        effect: Effect::WRITES,
        permission: Permission::Moderate,
        errors: &[&[Code::FileChanged, Code::FileNotFound]],
        ..READS
    };
    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }
    fn run(self, cx: &Cx<'_>) -> Result<String> {
        std::thread::sleep(std::time::Duration::from_millis(self.millis));
        cx.step()?.write(&self.path, self.text.as_bytes(), Parents::Create)?;
        if self.fail { Err(Error::file_not_found("second", &[])) } else { Ok("put".to_owned()) }
    }
}

/// Panic.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Panic {}

impl Tool for Panic {
    type Output = String;
    const SPEC: Spec = Spec { name: "panic", aliases: &[], ..READS };
    fn run(self, _: &Cx<'_>) -> Result<String> {
        panic!("on purpose")
    }
}

/// How many calls of [`Wait`] run now, and how many ran at once at most.
pub(crate) static RUNNING: (AtomicUsize, AtomicUsize) = (AtomicUsize::new(0), AtomicUsize::new(0));

/// Work for a while.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Wait {}

impl Tool for Wait {
    type Output = String;
    const SPEC: Spec = Spec { name: "wait", aliases: &[], ..READS };
    fn run(self, _: &Cx<'_>) -> Result<String> {
        let now = RUNNING.0.fetch_add(1, Ordering::SeqCst) + 1;
        RUNNING.1.fetch_max(now, Ordering::SeqCst);
        std::thread::sleep(std::time::Duration::from_millis(10));
        RUNNING.0.fetch_sub(1, Ordering::SeqCst);
        Ok("waited".to_owned())
    }
}

/// Fail with a code that is not declared.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Undeclared {}

impl Tool for Undeclared {
    type Output = String;
    const SPEC: Spec = Spec { name: "undeclared", aliases: &[], ..READS };
    fn run(self, _: &Cx<'_>) -> Result<String> {
        Err(Error::file_exists("x"))
    }
}
