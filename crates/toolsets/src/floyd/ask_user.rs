//! Floyd `ask_user`.

use crate::prelude::*;

/// Ask the user a question and wait for the answer.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct AskUser {
    /// The question
    question: String,
}

/// What the user said.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// True
    success: bool,
    /// The question
    question: String,
    /// The answer
    response: String,
}

impl Tool for AskUser {
    type Output = Output;

    const SPEC: Spec = Spec {
        name: "ask_user",
        aliases: &[],
        title: "Ask the user",
        category: Category::Person,
        effect: Effect::READS,
        permission: Permission::None,
        errors: &[&[Code::NoAnswer]],
        examples: &[
            Example {
                about: "The user answers in words",
                given: &[],
                call: r#"{"question": "Which colour shall it have?"}"#,
                gives: r#"{"success": true, "question": "Which colour shall it have?", "response": "blue"}"#,
                leaves: &[],
                fails: None,
            },
            Example {
                about: "Nothing but a blank is asked",
                given: &[],
                call: r#"{"question": " "}"#,
                gives: r#"{"error": "question: empty; [..]"}"#,
                leaves: &[],
                fails: Some(Code::InvalidInput),
            },
            Example {
                about: "Nothing is asked",
                given: &[],
                call: r#"{}"#,
                gives: r#"{"error": "question: missing field[..]"}"#,
                leaves: &[],
                fails: Some(Code::InvalidInput),
            },
        ],
    };

    fn question(&self) -> Option<String> {
        (!self.question.trim().is_empty()).then(|| self.question.clone())
    }

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        if self.question.trim().is_empty() {
            return Err(Error::invalid_input("question", "empty; say what is to be decided"));
        }
        let response = cx.answer().to_owned();
        Ok(Output { success: true, question: self.question, response })
    }
}
