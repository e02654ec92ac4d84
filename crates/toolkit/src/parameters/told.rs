//! The parameters that errors name: those that the call has, since who called knows no others.

use fault::{Code, Error};
use serde_json::{Map, Value};

use super::{SYNONYMS, bare};
use crate::entry::Definition;

/// From so many bytes on, an argument is one that may be too long to be passed to a program.
const LONG: usize = 128 << 10;

/// The error with the name of the parameter that was given, where the engine, which knows no tool,
/// called it otherwise; `spellings` as for [`super::spell`].
pub(crate) fn told(
    error: Error,
    definition: &Definition,
    given: &Map<String, Value>,
    spellings: &[(&str, &str)],
) -> Error {
    let field = match error.code {
        Code::InvalidGlob => "glob",
        _ => error.detail("field").unwrap_or_default(),
    };
    let named = field.split(['.', '[']).next().unwrap_or_default();
    if named.is_empty() || given.contains_key(named) && !is_too_long(&error) {
        return error;
    }
    let Some(own) = own(&error, named, definition, given, spellings) else { return error };
    let renamed = |text: &str| text.strip_prefix(named).map(|rest| format!("{own}{rest}"));
    let (message, field) = (renamed(error.what()), renamed(field));
    let mut error = match message {
        Some(message) => error.worded(message),
        None => error,
    };
    let detail = error.details.iter_mut().find(|(name, _)| *name == "field");
    if let Some(((_, old), field)) = detail.zip(field) {
        *old = field;
    }
    error
}

/// Whether it is about whichever argument makes the command line of a program too long.
fn is_too_long(error: &Error) -> bool {
    error.detail("reason") == Some("too long")
}

/// The parameter of the call that is meant by a name of the engine; `None` if nothing says which.
fn own<'g>(
    error: &Error,
    named: &str,
    definition: &Definition,
    given: &'g Map<String, Value>,
    spellings: &[(&str, &str)],
) -> Option<&'g str> {
    if is_too_long(error) {
        let long = given.iter().filter(|(_, value)| value.to_string().len() >= LONG);
        return only(long);
    }
    if definition.names.contains(named) {
        let other = |name: &str| {
            spellings.iter().any(|(other, meant)| *meant == named && bare(other) == bare(name))
        };
        return only(given.iter().filter(|(name, _)| other(name)));
    }
    // A group that begins with the name says it better than one that also has it.
    let in_group = |is_first: bool| {
        let same = move |name: &str| {
            let (other, named) = (bare(name), bare(named));
            SYNONYMS.iter().any(|group| {
                group.contains(&other.as_str())
                    && if is_first { group[0] == named } else { group.contains(&named.as_str()) }
            })
        };
        only(given.iter().filter(move |(name, _)| same(name)))
    };
    in_group(true)
        .or_else(|| in_group(false))
        .or_else(|| only(given.iter().filter(|(_, value)| value.is_string())))
}

fn only<'g>(mut some: impl Iterator<Item = (&'g String, &'g Value)>) -> Option<&'g str> {
    let (name, _) = some.next()?;
    some.next().is_none().then_some(name)
}
