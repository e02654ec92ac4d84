//! Failures of a call as a whole: not known, not allowed, not wanted, not to be undone.

use super::{Code, Error, Way};

impl Error {
    /// A tool that calls others was given a name that none of them has.
    pub fn no_such_tool(name: &str, near: &[String]) -> Self {
        let name = &*crate::cut(name, 100);
        let advice = match near {
            [] => "find_tool finds them by what they do".to_owned(),
            near => format!("did you mean {}?", near.join(" or ")),
        };
        Self::invalid_input("tool", format!("{name}: no such tool; {advice}"))
            .with("name", name)
            .with_near(near)
    }

    /// The same with a name that several of them have.
    pub fn several_tools(name: &str, paths: &[String]) -> Self {
        let problem = format!("{name}: several tools have this name; call {}", paths.join(" or "));
        Self::invalid_input("tool", problem).with_near(paths)
    }

    /// A parameter that has one of a few values has another; the `near` one may be meant.
    pub fn unknown_value(field: &str, value: &str, known: &[&str], near: Option<&str>) -> Self {
        let value = &*crate::cut(value, 100);
        let asks = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        let all = known.iter().map(|one| format!("`{one}`")).collect::<Vec<_>>().join(", ");
        let problem = format!("unknown value `{value}`; {asks}it takes {all}");
        let error = Self::invalid_input(field, problem);
        match near {
            Some(near) => error.with("value", near),
            None => error,
        }
    }

    /// A tool that calls others was to call itself.
    pub fn calls_itself(name: &str) -> Self {
        Self::invalid_input("tool", format!("{name}: cannot call itself; name another tool"))
    }

    /// A tool that does what was taken from the session.
    pub fn tool_out_of_reach(path: &str, gone: &str) -> Self {
        Self::new(
            Code::PermissionDenied,
            format!(
                "{path}: out of reach: `{gone}` was left out of this session's tools, and with it \
                 every tool of its kind or effect; the user can serve it"
            ),
        )
        .with("tool", path)
    }

    /// No tool of this name; `near` are names like it.
    pub fn unknown_tool(name: &str, toolset: &str, near: &[String]) -> Self {
        let name = &*crate::cut(name, 100);
        let advice = if near.is_empty() {
            "list the tools to see what there is".to_owned()
        } else {
            format!("did you mean {}?", near.join(" or "))
        };
        Self::new(
            Code::UnknownTool,
            format!("{name}: no such tool in the toolset {toolset}; {advice}"),
        )
        .with("tool", name)
        .with("toolset", toolset)
        .with("near", near.join(", "))
    }

    /// Other toolsets have a tool of this name.
    pub fn tool_of_other_toolset(name: &str, toolset: &str, others: &[&str]) -> Self {
        let (all, first) = (others.join(", "), others.first().copied().unwrap_or_default());
        let what = match others.contains(&toolset) {
            true => {
                format!("left out of the toolset {toolset} by --preset or --without; change these")
            }
            false => {
                format!(
                    "no such tool in the toolset {toolset}, but in {all}; use --toolset {first}"
                )
            }
        };
        Self::new(Code::UnknownTool, format!("{name}: {what}")).with("tool", name)
    }

    /// The policy does not allow the call at all; `ways` are what would.
    pub fn policy_refuses(tool: &str, policy: &str, meaning: &str, ways: Vec<Way>) -> Self {
        Self::with_ways(
            Code::PermissionDenied,
            format!("{tool}: refused by the policy {policy} ({meaning})"),
            ways,
        )
        .with("policy", policy)
    }

    /// A person was asked and said no.
    pub fn person_refused(tool: &str) -> Self {
        Self::new(
            Code::PermissionDenied,
            format!("{tool}: the user said no; do not try it again, ask what to do instead"),
        )
    }

    /// A person must be asked, and nobody answered; `ways` are what would allow it.
    pub fn approval_required(tool: &str, reason: &str, ways: Vec<Way>) -> Self {
        Self::with_ways(
            Code::ApprovalRequired,
            format!("{tool}: a person must allow this ({reason}), and nobody answered"),
            ways,
        )
        .with("reason", reason)
    }

    /// The person is asked something, and no one can answer.
    pub fn nobody_answers() -> Self {
        let decide = "decide with what is known and say what was assumed".to_owned();
        Self::with_ways(
            Code::NoAnswer,
            "no one can answer".to_owned(),
            vec![Way::Caller(decide), Way::Asking],
        )
    }

    /// The person was asked something and gave no answer.
    pub fn answer_declined() -> Self {
        Self::new(
            Code::NoAnswer,
            "the person gave no answer; do not ask the same again, go on with what is known",
        )
    }

    /// No task or plan of this id; `ids` are those there are.
    pub fn no_record(kind: &str, id: &str, ids: &[String]) -> Self {
        let id = crate::cut(id, 100);
        let some = ids.iter().rev().take(10).map(String::as_str).collect::<Vec<_>>().join(", ");
        let advice = if ids.is_empty() {
            "none exist yet, create one".to_owned()
        } else {
            format!("the last ones are {some}")
        };
        Self::new(Code::TaskNotFound, format!("{kind} {id}: no such id; {advice}"))
    }

    /// A file of tasks or plans that holds something else.
    pub fn broken_records(path: &str, error: impl std::fmt::Display) -> Self {
        Self::new(
            Code::InvalidJSON,
            format!(
                "{path}: not a JSON list of objects ({error}); fix or move the file, nothing was changed"
            ),
        )
        .with("path", path)
    }

    /// The client no longer wants the answer.
    pub fn cancelled() -> Self {
        Self::new(
            Code::Cancelled,
            "cancelled by the client; nothing was kept of an unfinished change",
        )
    }
}
