//! kit `call`.

use toolkit::serde_json::{Map, Value};

use crate::prelude::*;

/// Call a tool that find_tool named.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Call {
    /// `stack.download`
    tool: String,
    #[serde(default)]
    arguments: Map<String, Value>,
}

/// All that a tool can do.
const ANYTHING: Effect = Effect::REMEMBERS
    .and(Effect::STORES)
    .and(Effect::FORGETS)
    .and(Effect::WRITES)
    .and(Effect::RUNS)
    .and(Effect::CONNECTS)
    .and(Effect::OUTSIDE);

impl Tool for Call {
    type Output = String;

    const SPEC: Spec = Spec::new("call", "Call another tool", Category::Other)
        .effect(ANYTHING, Permission::Dangerous)
        .forwards()
        .examples(&[
            Example::of("A tool of another toolset answers in its own words")
                .given(&[("a.txt", "x")])
                .call(r#"{"tool": "local.list_directory", "arguments": {"path": "."}}"#)
                .gives("[..]a.txt[..]"),
            Example::of("What it changes is a change of that tool")
                .call(r#"{"tool": "stack.memory_save", "arguments": {"key": "Client", "value": "Alpha"}}"#)
                .gives(r#"{"success":true,"key":"Client","saved":true}"#),
            Example::of("A name that several tools have")
                .call(r#"{"tool": "git_status"}"#)
                .fails(Code::InvalidInput, "error: tool: git_status: several tools have this name; call floyd.git_status or stack.git_status\nnext: call {\"tool\":\"floyd.git_status\"}"),
            Example::of("A name that none has")
                .call(r#"{"tool": "stack.donwload"}"#)
                .fails(Code::InvalidInput, "error: tool: stack.donwload: no such tool; did you mean stack.download or [..]"),
            Example::of("The arguments are those of that tool")
                .call(r#"{"tool": "local.read_file", "arguments": {"pfad": "x"}}"#)
                .fails(Code::InvalidInput, "[..]pfad[..]"),
        ]);

    fn forward(&self) -> Option<(String, Value)> {
        Some((self.tool.clone(), Value::Object(self.arguments.clone())))
    }

    fn run(self, _: &Cx<'_>) -> Result<String> {
        Err(Error::internal("the tool that it names runs in its place"))
    }
}
