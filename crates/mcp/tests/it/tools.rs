//! A few small tools, one for each thing a call can do to its server.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::fault::{Code, Error, Result};
use toolkit::files::journal::Parents;
use toolkit::{Category, Cx, Effect, Permission, Spec, Tool, Toolset};

const fn spec(name: &'static str, title: &'static str, effect: Effect) -> Spec {
    let permission = match effect {
        Effect::WRITES => Permission::Moderate,
        Effect::RUNS => Permission::Dangerous,
        _ => Permission::None,
    };
    let errors: &[&[Code]] = &[&[Code::IsDirectory, Code::FileChanged]];
    let (aliases, examples) = (&[], &[]);
    Spec {
        name,
        aliases,
        title,
        category: Category::Other,
        effect,
        permission,
        errors,
        pictures: false,
        forwards: false,
        examples,
    }
}

/// Says it back.
#[derive(Deserialize, JsonSchema)]
struct Say {
    /// What to say
    text: String,
    /// How often, once if not given
    times: Option<usize>,
}

impl Tool for Say {
    type Output = String;
    const SPEC: Spec = spec("say", "Say it back", Effect::READS);

    fn run(self, cx: &Cx<'_>) -> Result<String> {
        match self.text.as_str() {
            "bound" => Ok(cx.result_bytes().to_string()),
            "panic" => panic!("said so"),
            "fail" => Err(Error::invalid_input("text", "not this; say something else")),
            text => Ok(text.repeat(self.times.unwrap_or(1))),
        }
    }
}

/// Adds numbers.
#[derive(Deserialize, JsonSchema)]
struct Add {
    /// The numbers
    numbers: Vec<i64>,
}

/// What came of it.
#[derive(Serialize, JsonSchema)]
struct Sum {
    /// All of them together
    total: i64,
}

impl Tool for Add {
    type Output = Sum;
    const SPEC: Spec = spec("add", "Add", Effect::READS);

    fn run(self, _: &Cx<'_>) -> Result<Sum> {
        let fail = || Error::invalid_input("numbers", "too large; use smaller ones");
        let total =
            self.numbers.iter().try_fold(0_i64, |sum, n| sum.checked_add(*n)).ok_or_else(fail)?;
        Ok(Sum { total })
    }
}

/// Writes a file.
#[derive(Deserialize, JsonSchema)]
struct Keep {
    /// Where
    path: String,
    /// What
    content: String,
}

impl Tool for Keep {
    type Output = String;
    const SPEC: Spec = spec("keep", "Keep", Effect::WRITES);

    fn paths(&self) -> Vec<String> {
        vec![self.path.clone()]
    }

    fn run(self, cx: &Cx<'_>) -> Result<String> {
        cx.step()?.write(&self.path, self.content.as_bytes(), Parents::Create)?;
        Ok("kept".into())
    }
}

/// Takes its time.
#[derive(Deserialize, JsonSchema)]
struct Wait {
    /// How long
    milliseconds: u64,
    /// Does not stop when it is told to
    #[serde(default)]
    stubborn: bool,
}

impl Tool for Wait {
    type Output = String;
    /// Not one that only reads: that is not waited for once it is cancelled.
    const SPEC: Spec = spec("wait", "Wait", Effect::REMEMBERS);

    fn run(self, cx: &Cx<'_>) -> Result<String> {
        let until = Instant::now() + Duration::from_millis(self.milliseconds);
        while Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
            if !self.stubborn {
                cx.cancel().check()?;
            }
        }
        Ok("waited".into())
    }
}

/// Falls over before it runs.
#[derive(Deserialize, JsonSchema)]
struct Trip {}

impl Tool for Trip {
    type Output = String;
    const SPEC: Spec = spec("trip", "Trip", Effect::READS);

    fn permission(&self) -> Permission {
        panic!("tripped")
    }

    fn run(self, _: &Cx<'_>) -> Result<String> {
        Ok(String::new())
    }
}

/// Asks the person something.
#[derive(Deserialize, JsonSchema)]
struct Wonder {
    /// What
    about: String,
}

impl Tool for Wonder {
    type Output = String;
    const SPEC: Spec =
        Spec { errors: &[&[Code::NoAnswer]], ..spec("wonder", "Wonder", Effect::READS) };

    fn question(&self) -> Option<String> {
        Some(format!("Which {}?", self.about))
    }

    fn run(self, cx: &Cx<'_>) -> Result<String> {
        Ok(format!("the {} is {:?}", self.about, cx.answer()))
    }
}

/// All of them.
pub(crate) fn toolset() -> Toolset {
    let mut set = Toolset::new("test", "Tools for tests");
    set.instructions = "Be kind to the tools.";
    set.register::<Say>().unwrap();
    set.register::<Add>().unwrap();
    set.register::<Keep>().unwrap();
    set.register::<Wait>().unwrap();
    set.register::<Trip>().unwrap();
    set.register::<Wonder>().unwrap();
    set
}
