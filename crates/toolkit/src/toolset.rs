//! The tools of one dialect, or of a program that uses this library.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::OnceLock;

use engine::{Error, Result, Workspace};
use serde_json::{Map, Value};

use crate::cx::Cx;
use crate::schema;
use crate::tool::{Effect, Example, Permission, Spec, Tool, description};

/// What a call gives back to the one who called.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// Plain text.
    Text(String),
    /// An object.
    Json(Value),
}

impl Body {
    /// How many bytes the body has as text.
    pub fn size(&self) -> usize {
        /// Counts what is written to it.
        struct Count(usize);
        impl std::io::Write for Count {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                self.0 += bytes.len();
                Ok(bytes.len())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        match self {
            Self::Text(text) => text.len(),
            Self::Json(value) => {
                let mut count = Count(0);
                let _ = serde_json::to_writer(&mut count, value); // counting does not fail
                count.0
            }
        }
    }

    /// The body without the facts of a failure, which examples do not state.
    #[must_use]
    pub fn without_details(mut self) -> Self {
        if let Self::Json(value) = &mut self
            && let Some(error) = value.get_mut("error").and_then(Value::as_object_mut)
        {
            error.shift_remove("details");
        }
        self
    }

    /// The body as one text: itself, or compact JSON.
    pub fn to_text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Json(value) => value.to_string(),
        }
    }
}

/// How a dialect dresses results and failures, and what it says about that to clients, which hold
/// results against what they were told.
#[derive(Clone, Copy, Debug)]
pub struct Envelope {
    /// The body of a result, from the tool, the arguments of the call and what came of it.
    pub body: fn(&Entry, &Value, Result<Value, &Failure>) -> Body,
    /// The schema of the body, from that of the tool's own result.
    pub schema: fn(&Entry, Map<String, Value>) -> Map<String, Value>,
}

/// Tools under one name, in the order in which they are listed.
#[derive(Debug)]
pub struct Toolset {
    /// The name on the command line.
    pub name: &'static str,
    /// One sentence for people.
    pub about: &'static str,
    /// What the model is told about the set as a whole, at most 2 KB.
    pub instructions: &'static str,
    /// Named selections of tools; empty if the dialect has none.
    pub presets: &'static [(&'static str, &'static [&'static str])],
    /// How results are dressed.
    pub envelope: Envelope,
    entries: Vec<Entry>,
}

impl Toolset {
    /// An empty toolset whose results are the tools' own.
    pub fn new(name: &'static str, about: &'static str) -> Self {
        Self { name, about, instructions: "", presets: &[], envelope: PLAIN, entries: Vec::new() }
    }

    /// Adds a tool.
    ///
    /// # Errors
    /// `InvalidInput` if a tool of that name or alias is there already.
    pub fn register<T: Tool>(&mut self) -> Result<()> {
        let entry = Entry::of::<T>();
        let taken = |n: &&str| self.find(n).is_ok();
        if let Some(name) = entry.names().find(taken) {
            return Err(Error::invalid_input(
                "name",
                format!("{name}: a tool of this name is registered already; choose another name"),
            ));
        }
        self.entries.push(entry);
        Ok(())
    }

    /// The same with the tools given, for the dialects whose index is a list.
    #[must_use]
    pub fn with(mut self, entries: Vec<Entry>) -> Self {
        self.entries = entries;
        self
    }

    /// The tools in their order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The tools, to be put into another toolset.
    pub fn into_entries(self) -> Vec<Entry> {
        self.entries
    }

    /// Keeps only the tools of a preset.
    ///
    /// # Errors
    /// `InvalidInput` that names the presets there are.
    pub fn preset(mut self, name: &str) -> Result<Self> {
        let Some((_, tools)) = self.presets.iter().find(|(n, _)| *n == name) else {
            let known: Vec<_> = self.presets.iter().map(|(n, _)| *n).collect();
            let advice = if known.is_empty() {
                format!("the toolset {} has none", self.name)
            } else {
                format!("choose one of {}", known.join(", "))
            };
            return Err(Error::invalid_input("preset", format!("no preset `{name}`; {advice}")));
        };
        self.entries.retain(|e| tools.contains(&e.spec.name));
        Ok(self)
    }

    /// What clients are told of the results of a tool, if they are objects.
    pub fn output_schema(&self, entry: &Entry) -> Option<Map<String, Value>> {
        let own = entry.definition().output.clone()?;
        Some((self.envelope.schema)(entry, own))
    }

    /// The body that an example promises, in the dress of this toolset and without the details of
    /// a failure; in it `[..]` stands for any text.
    ///
    /// # Errors
    /// `InvalidInput` if the example is no JSON where it must be.
    pub fn promised(&self, entry: &Entry, example: &Example) -> Result<Body> {
        if entry.definition().output.is_none() {
            return Ok(Body::Text(example.gives.to_owned()));
        }
        let parse = |text: &str| {
            serde_json::from_str::<Value>(text)
                .map_err(|e| Error::invalid_input("example", format!("{e} in {text}")))
        };
        let (input, mut gives) = (parse(example.call)?, parse(example.gives)?);
        let Some(code) = example.fails else {
            return Ok((self.envelope.body)(entry, &input, Ok(gives)));
        };
        let reason = gives.as_object_mut().and_then(|fields| {
            fields.shift_remove("code");
            fields.shift_remove("error")
        });
        let reason = reason.as_ref().and_then(Value::as_str).unwrap_or("[..]");
        let failure = Failure { error: Error::new(code, reason), output: gives };
        Ok((self.envelope.body)(entry, &input, Err(&failure)).without_details())
    }

    /// The tool of this name or alias.
    ///
    /// # Errors
    /// `UnknownTool` with near names.
    pub fn find(&self, name: &str) -> Result<&Entry> {
        self.entries.iter().find(|e| e.names().any(|n| n == name)).ok_or_else(|| {
            let names = self.entries.iter().map(|e| e.spec.name.to_owned());
            let near = engine::near::nearest(name, names, 3);
            Error::unknown_tool(name, self.name, &near)
        })
    }
}

/// Results as the tools give them: text as text, fields as an object; a failure is its message.
const PLAIN: Envelope = Envelope {
    body: |_, _, result| match result {
        Ok(Value::String(text)) => Body::Text(text),
        Ok(value) => Body::Json(value),
        Err(failure) => Body::Text(format!("error: {}", failure.error)),
    },
    schema: |_, own| own,
};

/// A tool with its types erased into functions.
pub struct Entry {
    /// What the tool declares.
    pub spec: &'static Spec,
    prepare: fn(&Entry, &Value, &Workspace) -> Result<Prepared>,
    make: fn() -> Definition,
    definition: OnceLock<Definition>,
}

/// What clients are told about a tool.
#[derive(Clone, Debug)]
pub struct Definition {
    /// What it does, for the model.
    pub description: String,
    /// The schema of the input: an object at the root, no `$ref`.
    pub input: Map<String, Value>,
    /// The schema of the tool's own result, if that is an object; [`Toolset::output_schema`] is
    /// what clients see.
    pub output: Option<Map<String, Value>>,
    names: BTreeSet<String>,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("name", &self.spec.name).finish_non_exhaustive()
    }
}

/// Why a call failed, and what it found out all the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// Why.
    pub error: Error,
    /// The tool's result, such as the output of tests that failed; null if there is none.
    pub output: Value,
}

impl From<Error> for Box<Failure> {
    fn from(error: Error) -> Self {
        Self::new(Failure { error, output: Value::Null })
    }
}

type Run = Box<dyn FnOnce(&Cx<'_>) -> Result<Value, Box<Failure>> + Send + Sync>;

/// A call whose input was understood.
pub(crate) struct Prepared {
    pub(crate) permission: Permission,
    pub(crate) paths: Vec<String>,
    pub(crate) does: Effect,
    pub(crate) effect: String,
    pub(crate) may_last: bool,
    pub(crate) question: Option<String>,
    pub(crate) run: Run,
}

impl Entry {
    /// The entry of a tool.
    pub fn of<T: Tool>() -> Self {
        Self {
            spec: &T::SPEC,
            prepare: prepare::<T>,
            make: define::<T>,
            definition: OnceLock::new(),
        }
    }

    /// The name and the aliases.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.spec.name).chain(self.spec.aliases.iter().copied())
    }

    /// What clients are told, made when first asked for.
    pub fn definition(&self) -> &Definition {
        self.definition.get_or_init(self.make)
    }

    pub(crate) fn prepare(&self, input: &Value, workspace: &Workspace) -> Result<Prepared> {
        (self.prepare)(self, input, workspace)
    }
}

fn define<T: Tool>() -> Definition {
    let input = schema::input::<T>();
    let names = input.get("properties").and_then(Value::as_object);
    let names = names.map(|p| p.keys().cloned().collect()).unwrap_or_default();
    Definition {
        description: description::<T>().into_owned(),
        output: schema::output::<T::Output>(),
        input,
        names,
    }
}

/// JSON to the typed input: strict first; if that fails, once more with numbers, booleans and
/// lists that came as text read as what the schema says. Errors name the field's path.
fn prepare<T: Tool>(entry: &Entry, input: &Value, workspace: &Workspace) -> Result<Prepared> {
    let Value::Object(given) = input else {
        return Err(Error::invalid_input(
            "",
            format!("the arguments of {} must be an object", T::SPEC.name),
        ));
    };
    let input = spell(entry, given, T::SPELLINGS)?.map_or(Cow::Borrowed(input), Cow::Owned);
    let tool = match serde_path_to_error::deserialize::<_, T>(&*input) {
        Ok(tool) => tool,
        Err(_) => {
            let lenient = schema::coerce(input.into_owned(), &entry.definition().input);
            serde_path_to_error::deserialize(&lenient).map_err(|e| input_error::<T>(&e))?
        }
    };
    Ok(Prepared {
        permission: tool.permission(),
        paths: tool.paths(),
        does: tool.does(),
        effect: tool.effect_in(workspace),
        may_last: tool.may_last(),
        question: tool.question(),
        run: Box::new(move |cx| {
            let output = tool.run(cx)?;
            let value = serde_json::to_value(&output)
                .map_err(|e| Error::internal(format!("a result that is no JSON: {e}")))?;
            match T::failure(&output) {
                Some(error) => Err(Box::new(Failure { error, output: value })),
                None => Ok(value),
            }
        }),
    })
}

/// The arguments with other spellings of parameters put right; `None` if all are known. One that
/// the tool does not know is ignored, unless it is so near a known one that it is a slip: then
/// ignoring it would give an answer to another question.
fn spell(
    entry: &Entry,
    given: &Map<String, Value>,
    spellings: &[(&str, &str)],
) -> Result<Option<Value>> {
    let Definition { names: known, input, .. } = entry.definition();
    if given.keys().all(|name| known.contains(name)) {
        return Ok(None);
    }
    let exact = input.get("additionalProperties") == Some(&Value::Bool(false));
    let mut out = Map::new();
    for (name, value) in given {
        let spelling = spellings.iter().find(|(other, _)| bare(other) == bare(name));
        let meant = match spelling {
            _ if known.contains(name) || exact => name.as_str(),
            Some((_, meant)) => meant,
            None => known.iter().find(|k| bare(k) == bare(name)).map_or(name.as_str(), |k| k),
        };
        if meant != name && given.contains_key(meant) || out.contains_key(meant) {
            return Err(Error::invalid_input(
                name,
                format!("the same parameter as `{meant}`, which is given too; give one of them"),
            ));
        }
        let free = || known.iter().filter(|k| !given.contains_key(*k)).cloned();
        if !known.contains(meant)
            && let Some(near) = engine::near::nearest(name, free(), 1).first()
        {
            return Err(Error::invalid_input(
                name,
                format!("no such parameter; did you mean `{near}`?"),
            ));
        }
        out.insert(meant.to_owned(), value.clone());
    }
    Ok(Some(Value::Object(out)))
}

/// A name without what spellings differ in: `file_path` and `filePath` are one.
fn bare(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

fn input_error<T: Tool>(error: &serde_path_to_error::Error<serde_json::Error>) -> Error {
    let path = error.path().to_string();
    let path = if path == "." { "" } else { &path };
    let problem = error.inner().to_string();
    let field = match problem.strip_prefix("missing field `").and_then(|r| r.split('`').next()) {
        Some(missing) if path.is_empty() => missing.to_owned(),
        Some(missing) if !path.ends_with(missing) => format!("{path}.{missing}"),
        _ => path.to_owned(),
    };
    Error::invalid_input(&field, format!("{problem}; see the parameters of {}", T::SPEC.name))
}

/// The hints that clients get about a tool, from its effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hints {
    /// It changes nothing.
    pub read_only: bool,
    /// It may destroy what was there.
    pub destructive: bool,
    /// Calling it again with the same arguments changes nothing more.
    pub idempotent: bool,
    /// It reaches beyond this machine's files.
    pub open_world: bool,
}

impl From<Effect> for Hints {
    fn from(effect: Effect) -> Self {
        Self {
            read_only: effect.read_only(),
            destructive: effect.writes() || effect == Effect::Runs,
            idempotent: effect.read_only(),
            open_world: effect.connects() || effect == Effect::Runs,
        }
    }
}
