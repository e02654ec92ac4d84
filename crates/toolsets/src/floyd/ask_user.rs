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
    /// The question
    question: String,
    /// The answer
    response: String,
}

impl Tool for AskUser {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("ask_user", "Ask the user", Category::Person)
        .errors(&[&[Code::NoAnswer]])
        .examples(&[
            Example::of("The user answers in words")
                .call(r#"{"question": "Which colour shall it have?"}"#)
                .gives(r#"{"success": true, "question": "Which colour shall it have?", "response": "blue"}"#),
            Example::of("Nothing but a blank is asked")
                .call(r#"{"question": " "}"#)
                .fails(Code::InvalidInput, r#"{"error": "question: empty; [..]"}"#),
            Example::of("Nothing is asked")
                .fails(Code::InvalidInput, r#"{"error": "question: missing field[..]"}"#),
        ]);

    fn question(&self) -> Option<String> {
        (!self.question.trim().is_empty()).then(|| self.question.clone())
    }

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        if self.question.trim().is_empty() {
            return Err(Error::invalid_input("question", "empty; say what is to be decided"));
        }
        let response = cx.answer().to_owned();
        success(Output { question: self.question, response })
    }
}
