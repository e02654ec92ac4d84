//! The tools of one dialect, or of a program that uses this library.

use std::sync::OnceLock;

use fault::{Error, Result};
use serde_json::{Map, Value};

use crate::entry::Entry;
use crate::tool::{Example, Spec, Tool};

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
    pub body: fn(&Entry, &Value, Result<Value>) -> Body,
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
    /// Parameters of a tool that a preset lists, where it does not list all: preset, tool, names. The
    /// others are taken all the same.
    pub brief: &'static [(&'static str, &'static str, &'static [&'static str])],
    /// Other names under which parameters are taken, each with the name that it stands for in the
    /// tools which have that one; they are not listed. Case and separators need no entry:
    /// `file_path` is `filePath`.
    pub spellings: &'static [(&'static str, &'static str)],
    /// How results are dressed.
    pub envelope: Envelope,
    /// The toolsets whose tools are reached by a tool that calls others; made when they are first
    /// asked for.
    pub beyond: fn() -> Vec<Toolset>,
    entries: Vec<Entry>,
    others: OnceLock<Vec<Toolset>>,
    /// What a preset or a person took out of it.
    pub(crate) taken: Vec<&'static Spec>,
}

impl Toolset {
    /// An empty toolset whose results are the tools' own.
    pub fn new(name: &'static str, about: &'static str) -> Self {
        Self {
            name,
            about,
            instructions: "",
            presets: &[],
            brief: &[],
            spellings: &[],
            envelope: PLAIN,
            beyond: Vec::new,
            entries: Vec::new(),
            others: OnceLock::new(),
            taken: Vec::new(),
        }
    }

    /// Adds a tool.
    ///
    /// # Errors
    /// `InvalidInput` if a tool of that name or alias is there already.
    pub fn register<T: Tool>(&mut self) -> Result<()> {
        self.add(vec![Entry::of::<T>()])
    }

    /// The same with the tools given, for the dialects whose index is a list.
    #[must_use]
    pub fn with(mut self, entries: Vec<Entry>) -> Self {
        self.entries = entries;
        self
    }

    /// Adds tools at the end.
    ///
    /// # Errors
    /// `InvalidInput` if there is a tool of one of the names already.
    pub fn add(&mut self, entries: Vec<Entry>) -> Result<()> {
        for entry in entries {
            self.is_free(&entry)?;
            self.taken.retain(|taken| taken.name != entry.spec.name);
            self.entries.push(entry);
        }
        Ok(())
    }

    fn is_free(&self, entry: &Entry) -> Result<()> {
        let Some(name) = entry.names().find(|name| self.find(name).is_ok()) else { return Ok(()) };
        Err(Error::invalid_input(
            "name",
            format!("{name}: a tool of this name is registered already; choose another name"),
        ))
    }

    /// The tools in their order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Keeps only the tool of this name or alias.
    ///
    /// # Errors
    /// As for [`find`](Self::find).
    pub fn only(mut self, name: &str) -> Result<Self> {
        let name = self.find(name)?.spec.name;
        self.entries.retain(|entry| entry.spec.name == name);
        Ok(self)
    }

    /// Takes all other tools away, and with them what they would do under other names
    /// ([`Self::reached`]).
    pub fn retain(&mut self, stays: impl Fn(&Entry) -> bool) {
        let gone = self.entries.iter().filter(|entry| !stays(entry)).map(|entry| entry.spec);
        self.taken.extend(gone);
        self.entries.retain(stays);
    }

    pub(crate) fn others(&self) -> &[Self] {
        self.others.get_or_init(self.beyond)
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
        self.retain(|entry| tools.contains(&entry.spec.name));
        for (_, tool, listed) in self.brief.iter().filter(|(preset, ..)| *preset == name) {
            let entries = self.entries.iter_mut();
            entries.filter(|entry| entry.spec.name == *tool).for_each(|e| e.list_only(listed));
        }
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
        let error = Error::new(code, reason).with_output(gives);
        Ok((self.envelope.body)(entry, &input, Err(error)).without_details())
    }

    /// The tool of this name or alias.
    ///
    /// # Errors
    /// `UnknownTool` with near names.
    pub fn find(&self, name: &str) -> Result<&Entry> {
        self.entries.iter().find(|e| e.names().any(|n| n == name)).ok_or_else(|| {
            let names = self.entries.iter().map(|e| e.spec.name.to_owned());
            let near = files::spelling::nearest(name, names, 3);
            Error::unknown_tool(name, self.name, &near)
        })
    }
}

/// Results as the tools give them: text as text, fields as an object; a failure is its message.
const PLAIN: Envelope = Envelope {
    body: |_, _, result| match result {
        Ok(Value::String(text)) => Body::Text(text),
        Ok(value) => Body::Json(value),
        Err(error) => Body::Text(format!("error: {error}")),
    },
    schema: |_, own| own,
};

/// Results as text alone, an object as its JSON; a failure is its message after `error: `.
pub const TEXT: Envelope = Envelope {
    body: |_, _, result| {
        Body::Text(match result {
            Ok(Value::String(text)) => text,
            Ok(value) => value.to_string(),
            Err(error) => format!("error: {error}"),
        })
    },
    schema: |_, own| own,
};
