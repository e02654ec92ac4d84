//! The tool that a call means: one of the session's own, or one of another toolset that the session
//! reaches through a tool which calls others.
//!
//! Such a call is turned into a call of the tool that it names before anything else is done. So what
//! is decided, asked, written down, journalled and bounded is the call of that tool, and there is
//! no way around the policy.

use std::ops::Deref;

use fault::{Error, Result};
use serde_json::Value;

use crate::call::Call;
use crate::entry::{Entry, Prepared};
use crate::parameters;
use crate::session::Session;
use crate::tool::Spec;
use crate::toolset::{Body, Toolset};

/// A tool and the toolset that it is of.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// The toolset.
    pub toolset: &'a Toolset,
    /// The tool.
    pub entry: &'a Entry,
}

impl Deref for Found<'_> {
    type Target = Entry;

    fn deref(&self) -> &Entry {
        self.entry
    }
}

impl Found<'_> {
    /// The name by which any session that reaches it can call it, such as `stack.download`.
    pub fn path(&self) -> String {
        format!("{}.{}", self.toolset.name, self.spec.name)
    }

    pub(crate) fn prepare(&self, input: &Value, session: &Session) -> Result<Prepared> {
        self.entry.prepare(input, self.toolset.spellings, &session.workspace)
    }

    /// The result in the words of its toolset; as text if that is not the session's own, since
    /// clients know the shape of listed tools alone.
    pub(crate) fn body(&self, input: &Value, result: Result<Value>, session: &Session) -> Body {
        let body = (self.toolset.envelope.body)(self.entry, input, result);
        if std::ptr::eq(self.toolset, &raw const session.toolset) {
            return body;
        }
        Body::Text(body.to_text())
    }
}

impl Session {
    /// The tool of this name: one of the session's own, or one that it reaches by its path.
    ///
    /// # Errors
    /// `UnknownTool` with near names; `PermissionDenied` for one that was taken away.
    pub fn find(&self, name: &str) -> Result<Found<'_>> {
        let toolset = &self.toolset;
        match (toolset.find(name), name.split_once('.')) {
            (Ok(entry), _) => Ok(Found { toolset, entry }),
            (Err(_), Some(_)) if toolset.forwards() => toolset.reach(name),
            (Err(error), _) => Err(error),
        }
    }

    /// An error in the names of the parameters that the call gave.
    pub(crate) fn told(&self, call: &Call, error: Error) -> Error {
        match (self.find(&call.tool), &call.input) {
            (Ok(Found { toolset, entry }), Value::Object(given)) => {
                parameters::told(error, entry.definition(), given, toolset.spellings)
            }
            _ => error,
        }
    }

    /// The call that this one is of: its own, or that of the tool that it names, if it calls others.
    /// If that cannot be, why not is beside it.
    pub(crate) fn forwarded(&self, call: Call) -> (Call, Option<Error>) {
        let named = match self.toolset.find(&call.tool) {
            Ok(entry) if entry.spec.forwards => self.named(entry, &call.input),
            _ => return (call, None),
        };
        match named {
            Ok((tool, input)) => (Call { tool, input, ..call }, None),
            Err(error) => (call, Some(error)),
        }
    }

    fn named(&self, entry: &Entry, input: &Value) -> Result<(String, Value)> {
        let toolset = &self.toolset;
        let prepared = entry.prepare(input, toolset.spellings, &self.workspace)?;
        let (name, input) = prepared.forward.ok_or_else(|| Error::internal("it names no tool"))?;
        let own = name.strip_prefix(toolset.name).and_then(|rest| rest.strip_prefix('.'));
        match toolset.find(own.unwrap_or(&name)) {
            Ok(own) if own.spec.forwards => Err(Error::calls_itself(&name)),
            Ok(own) => Ok((own.spec.name.to_owned(), input)),
            Err(_) => Ok((toolset.reach(&name)?.path(), input)),
        }
    }
}

impl Toolset {
    /// Whether one of its tools calls others.
    pub(crate) fn forwards(&self) -> bool {
        self.entries().iter().any(|entry| entry.spec.forwards)
    }

    /// Every tool of other toolsets that this one reaches, and how many it would if nothing had
    /// been taken from it.
    pub fn reached(&self) -> (Vec<Found<'_>>, usize) {
        let all = || self.others().iter().flat_map(Found::of);
        (all().filter(|found| self.lost(found.spec).is_none()).collect(), all().count())
    }

    /// The tool of another toolset, by its path, or by its name if no two have it.
    fn reach(&self, name: &str) -> Result<Found<'_>> {
        let (of, tool) = name.rsplit_once('.').map_or((None, name), |(of, tool)| (Some(of), tool));
        let is_it = |found: &Found<'_>| {
            of.is_none_or(|of| found.toolset.name == of) && found.entry.names().any(|n| n == tool)
        };
        let all: Vec<Found<'_>> = self.others().iter().flat_map(Found::of).collect();
        let named: Vec<&Found<'_>> = all.iter().filter(|found| is_it(found)).collect();
        let in_reach = |found: &&&Found<'_>| self.lost(found.spec).is_none();
        let reached: Vec<&Found<'_>> = named.iter().filter(in_reach).copied().collect();
        match (reached.as_slice(), named.as_slice()) {
            ([found], _) => Ok(**found),
            ([], []) => {
                let name_of = |found: &Found<'_>| match of {
                    Some(_) => found.path(),
                    None => found.spec.name.to_owned(),
                };
                let names = all.iter().filter(|found| in_reach(&found)).map(name_of);
                Err(Error::no_such_tool(name, &files::spelling::nearest(name, names, 3)))
            }
            ([], [found, ..]) => {
                let gone = self.lost(found.spec).map_or("", |gone| gone.name);
                Err(Error::tool_out_of_reach(&found.path(), gone))
            }
            (several, _) => {
                let paths: Vec<String> = several.iter().map(|found| found.path()).collect();
                Err(Error::several_tools(name, &paths))
            }
        }
    }

    /// What was taken from this toolset and does what this tool does: of its kind, or with an effect
    /// that it has too. What a person took away must not come back under another name.
    fn lost(&self, spec: &Spec) -> Option<&'static Spec> {
        let same = |gone: &&&Spec| {
            gone.category == spec.category || !gone.effect.shared(spec.effect).only_reads()
        };
        self.taken.iter().find(same).copied()
    }
}

impl<'a> Found<'a> {
    fn of(toolset: &'a Toolset) -> impl Iterator<Item = Self> {
        toolset.entries().iter().map(move |entry| Self { toolset, entry })
    }
}
