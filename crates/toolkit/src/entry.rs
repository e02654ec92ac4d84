//! A tool as the rest of the program sees it: its types erased into functions.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, OnceLock};

use fault::{Code, Error, Result};
use files::Workspace;
use serde_json::{Map, Value};

use crate::cx::Cx;
use crate::effect::Effect;
use crate::outside::{Ask, Outside};
use crate::parameters;
use crate::schema;
use crate::tool::{Category, Permission, Spec, Tool, description};

/// A tool with its types erased into functions.
pub struct Entry {
    /// What the tool declares.
    pub spec: &'static Spec,
    prepare: Prepare,
    make: fn() -> Definition,
    failed: &'static str,
    definition: OnceLock<Definition>,
    /// Who is asked, if it is a tool of another server.
    outside: Option<Arc<Ask>>,
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
    /// Every parameter that is taken, those too that the schema does not list.
    pub(crate) names: BTreeSet<String>,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("name", &self.spec.name).finish_non_exhaustive()
    }
}

/// From the input, the other names of parameters and the directories of the project.
type Prepare = fn(&Entry, &Value, Spellings, &Workspace) -> Result<Prepared>;
type Spellings = &'static [(&'static str, &'static str)];
type Run = Box<dyn FnOnce(&Cx<'_>) -> Result<Value> + Send + Sync>;

/// A call whose input was understood.
pub(crate) struct Prepared {
    pub(crate) permission: Permission,
    pub(crate) paths: Vec<String>,
    pub(crate) effect: Effect,
    pub(crate) about: String,
    pub(crate) url: Option<String>,
    pub(crate) grant: String,
    pub(crate) may_last: bool,
    pub(crate) question: Option<String>,
    /// The tool that is called in its place, and its arguments.
    pub(crate) forward: Option<(String, Value)>,
    pub(crate) run: Run,
}

impl Entry {
    /// The entry of a tool.
    pub fn of<T: Tool>() -> Self {
        Self {
            spec: &T::SPEC,
            prepare: prepare::<T>,
            make: define::<T>,
            failed: T::FAILED,
            definition: OnceLock::new(),
            outside: None,
        }
    }

    /// The entry of a tool of another server.
    pub fn outside(tool: Outside) -> Self {
        let Outside { name, description, input, allowed, ask } = tool;
        let definition = Definition { description, input, output: None, names: BTreeSet::new() };
        // It lives as long as the process, of which the servers are a setting.
        let name: &'static str = Box::leak(name.into_boxed_str());
        let needs = if allowed { Permission::None } else { Permission::Dangerous };
        let spec = Spec::new(name, name, Category::Other)
            .effect(Effect::OUTSIDE, needs)
            .errors(&[&[Code::ServerFailed]]);
        Self {
            spec: Box::leak(Box::new(spec)),
            prepare: prepare_outside,
            make: || Definition {
                description: String::new(),
                input: Map::new(),
                output: None,
                names: BTreeSet::new(),
            },
            failed: "{}",
            definition: OnceLock::from(definition),
            outside: Some(ask),
        }
    }

    /// The name and the aliases.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.spec.name).chain(self.spec.aliases.iter().copied())
    }

    /// Whether the tool has a parameter of this name, listed or not.
    pub fn takes(&self, parameter: &str) -> bool {
        self.definition().names.contains(parameter)
    }

    /// What clients are told, made when first asked for.
    pub fn definition(&self) -> &Definition {
        self.definition.get_or_init(self.make)
    }

    /// Lists no other parameters than these; the others are taken all the same.
    pub(crate) fn list_only(&mut self, names: &[&str]) {
        let mut definition = self.definition().clone();
        if let Some(Value::Object(listed)) = definition.input.get_mut("properties") {
            listed.retain(|name, _| names.contains(&name.as_str()));
        }
        self.definition = OnceLock::from(definition);
    }

    /// What a failure shows without an envelope: [`Tool::FAILED`]. Empty if that is no object.
    pub fn failed(&self) -> Map<String, Value> {
        serde_json::from_str(self.failed).unwrap_or_default()
    }

    pub(crate) fn prepare(
        &self,
        input: &Value,
        spellings: Spellings,
        workspace: &Workspace,
    ) -> Result<Prepared> {
        (self.prepare)(self, input, spellings, workspace)
    }
}

fn define<T: Tool>() -> Definition {
    let input = schema::input::<T>();
    let listed = input.get("properties").and_then(Value::as_object);
    let listed = listed.into_iter().flat_map(|p| p.keys().cloned());
    let names = listed.chain(parameters::of::<T>().iter().map(|name| (*name).to_owned())).collect();
    Definition {
        description: description::<T>().into_owned(),
        output: schema::output::<T::Output>(),
        input,
        names,
    }
}

/// JSON to the typed input: strict first; if that fails, once more with numbers, booleans and
/// lists that came as text read as what the schema says, and with the names in lists put right.
/// Errors name the field's path.
fn prepare<T: Tool>(
    entry: &Entry,
    input: &Value,
    spellings: Spellings,
    workspace: &Workspace,
) -> Result<Prepared> {
    let Value::Object(given) = input else {
        return Err(Error::invalid_input(
            "",
            format!("the arguments of {} must be an object", T::SPEC.name),
        ));
    };
    let input = parameters::spell(entry.definition(), given, spellings)?
        .map_or(Cow::Borrowed(input), Cow::Owned);
    let tool = match serde_path_to_error::deserialize::<_, T>(&*input) {
        Ok(tool) => tool,
        Err(_) => {
            let own = &entry.definition().input;
            let lenient = parameters::coerce(input.into_owned(), own);
            let mut lenient = parameters::spell_inside(lenient, own, "")?;
            // To some tools null says something.
            if let Ok(tool) = T::deserialize(&lenient) {
                return prepared(tool, workspace);
            }
            parameters::drop_nulls(&mut lenient, own);
            serde_path_to_error::deserialize(&lenient).or_else(|error| {
                // Where that is not it, the first problem is the one to tell.
                let unlisted = parameters::coerce_unlisted(&lenient, own);
                serde_json::from_value(unlisted)
                    .map_err(|_| input_error::<T>(&error, &lenient, own))
            })?
        }
    };
    prepared(tool, workspace)
}

fn prepared<T: Tool>(tool: T, workspace: &Workspace) -> Result<Prepared> {
    tool.check()?;
    Ok(Prepared {
        permission: tool.permission(),
        paths: tool.paths(),
        effect: tool.effect(),
        about: tool.about_in(workspace),
        url: tool.url().map(str::to_owned),
        grant: tool.grant_in(workspace),
        may_last: tool.may_last(),
        question: tool.question(),
        forward: tool.forward(),
        run: Box::new(move |cx| {
            serde_json::to_value(tool.run(cx)?)
                .map_err(|e| Error::internal(format!("a result that is no JSON: {e}")))
        }),
    })
}

/// What a tool of another server is given is for that server to judge.
fn prepare_outside(entry: &Entry, input: &Value, _: Spellings, _: &Workspace) -> Result<Prepared> {
    let Value::Object(given) = input.clone() else {
        let problem = format!("the arguments of {} must be an object", entry.spec.name);
        return Err(Error::invalid_input("", problem));
    };
    let ask = entry.outside.clone().ok_or_else(|| Error::internal("not a tool of a server"))?;
    Ok(Prepared {
        permission: entry.spec.permission,
        paths: Vec::new(),
        effect: entry.spec.effect,
        url: None,
        about: serde_json::to_string_pretty(input).unwrap_or_default(),
        grant: input.to_string(),
        may_last: true,
        question: None,
        forward: None,
        run: Box::new(move |cx| ask(given, cx)),
    })
}

fn input_error<T: Tool>(
    error: &serde_path_to_error::Error<serde_json::Error>,
    given: &Value,
    own: &Map<String, Value>,
) -> Error {
    let path = error.path().to_string();
    let path = if path == "." { "" } else { &path };
    let said = error.inner().to_string();
    if let Some(value) =
        said.strip_prefix("unknown variant `").and_then(|rest| rest.split('`').next())
    {
        let known: Vec<&str> = said.split('`').skip(3).step_by(2).collect();
        let names = known.iter().map(|name| (*name).to_owned());
        let near = files::spelling::nearest(value, names, 1);
        return Error::unknown_value(path, value, &known, near.first().map(String::as_str));
    }
    let problem = plain(&said);
    let problem = problem.replace(ONE_WORD, &words(own, path).unwrap_or_else(|| "a text".into()));
    let field = match problem.strip_prefix("missing field `").and_then(|r| r.split('`').next()) {
        Some(missing) if path.is_empty() => missing.to_owned(),
        Some(missing) if !path.ends_with(missing) => format!("{path}.{missing}"),
        _ => path.to_owned(),
    };
    let advice = match given.get(&field) {
        Some(Value::String(one)) if problem.ends_with("expected a list") => {
            format!("did you mean `\"{field}\": [{}]`?", Value::from(&*fault::cut(one, 200)))
        }
        _ => format!("see the parameters of {}", T::SPEC.name),
    };
    Error::invalid_input(&field, format!("{problem}; {advice}"))
}

/// The words that a parameter can be.
fn words(own: &Map<String, Value>, name: &str) -> Option<String> {
    let words = own.get("properties")?.get(name)?.get("enum")?.as_array()?;
    let words: Vec<_> = words.iter().filter_map(Value::as_str).map(|w| format!("`{w}`")).collect();
    Some(format!("one of {}", words.join(", ")))
}

/// Stands in a problem for the words that a parameter can be.
const ONE_WORD: &str = "one of its words";

/// A problem without the names of Rust's types, which a model need not know.
fn plain(problem: &str) -> String {
    let (what, expected) = problem.rsplit_once("expected ").unwrap_or((problem, ""));
    let expected = match expected {
        "usize" | "u64" => "a whole number from 0",
        "u32" => "a whole number from 0 to 4294967295",
        "u16" => "a whole number from 0 to 65535",
        "i64" => "a whole number",
        "f64" => "a number",
        "a sequence" => "a list",
        "a map" => "an object",
        // What serde says of a word of a list, which may be written as an object too.
        "map with a single key" | "string or map" => ONE_WORD,
        other if other.starts_with("struct ") => "an object",
        _ => expected,
    };
    let what = what.replace("type: sequence", "type: list").replace("type: map", "type: object");
    let what = what.replace("value: map", "value: object");
    let expects = if problem.contains("expected ") { "expected " } else { "" };
    format!("{what}{expects}{expected}")
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
            read_only: effect.only_reads(),
            destructive: effect.makes_step()
                || effect.has(Effect::FORGETS)
                || effect.has(Effect::OUTSIDE),
            idempotent: effect.only_reads(),
            open_world: [Effect::CONNECTS, Effect::RUNS, Effect::OUTSIDE]
                .iter()
                .any(|one| effect.has(*one)),
        }
    }
}
