//! What a server asks of the person while it works on a call: a form, field by field, at the same desk as
//! approvals. Silence is never an answer, and nothing is sent that was not shown.

use std::fmt::Write as _;
use std::sync::Arc;

use parking_lot::Mutex;
use rmcp::handler::client::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, ElicitationSchema, FormElicitationCapability, Implementation,
    InitializeRequestParams,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleClient};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use toolkit::fault::{Result, cut};
use toolkit::files::journal::digest;
use toolkit::{Answer, Person, Question, Wants, escape};

/// Most bytes of what a server says of its form or of a field.
const SAID: usize = 4000;

/// Us, as a server knows us.
pub(super) struct Us {
    server: String,
    asks: bool,
    call: Arc<Mutex<Option<Call>>>,
}

/// Who can be asked as long as a call is not over.
#[derive(Clone)]
struct Call {
    person: Person,
    over: CancellationToken,
}

/// While it lives, a server may ask.
pub(super) struct Open(Arc<Mutex<Option<Call>>>);

impl Us {
    /// `asks` says whether there is anybody who could be asked.
    pub(super) fn new(server: &str, asks: bool) -> Self {
        Self { server: server.to_owned(), asks, call: Arc::default() }
    }

    /// A call of the server begins.
    pub(super) fn open(&self, person: Option<&Person>) -> Open {
        let call = |person: &Person| Call { person: person.clone(), over: <_>::default() };
        *self.call.lock() = person.map(call);
        Open(Arc::clone(&self.call))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if let Some(call) = self.0.lock().take() {
            call.over.cancel();
        }
    }
}

impl ClientHandler for Us {
    fn get_info(&self) -> InitializeRequestParams {
        let mut can = ClientCapabilities::default();
        if self.asks {
            let form = FormElicitationCapability::default();
            can.elicitation = Some(ElicitationCapability::new().with_form(form));
        }
        let us = Implementation::new("kitbag", env!("CARGO_PKG_VERSION"));
        InitializeRequestParams::new(can, us)
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = request
        else {
            return Err(ErrorData::invalid_params("this client shows forms, and no pages", None));
        };
        // Outside of a call nobody knows what the question is about.
        let call = self.call.lock().clone().filter(|_| self.asks);
        let Some(call) = call else { return Ok(ElicitResult::new(ElicitationAction::Decline)) };
        let form = Form::new(&self.server, &message, &requested_schema);
        let answered = tokio::select! {
            answered = form.put(&call.person) => answered,
            () = call.over.cancelled() => return Ok(ElicitResult::new(ElicitationAction::Cancel)),
            () = context.ct.cancelled() => return Ok(ElicitResult::new(ElicitationAction::Cancel)),
        };
        Ok(match answered {
            Ok(content) => ElicitResult::new(ElicitationAction::Accept).with_content(content),
            Err(action) => ElicitResult::new(action),
        })
    }
}

/// A form of a server.
struct Form<'a> {
    server: &'a str,
    message: String,
    fields: Vec<Field>,
}

struct Field {
    name: String,
    schema: Value,
    required: bool,
}

impl<'a> Form<'a> {
    fn new(server: &'a str, message: &str, schema: &ElicitationSchema) -> Self {
        let required = schema.required.as_deref().unwrap_or_default();
        let known: Vec<_> = schema.properties.keys().cloned().collect();
        let mut names = schema.property_order.clone().unwrap_or_default();
        names.retain(|name| known.contains(name));
        let rest: Vec<_> = known.into_iter().filter(|name| !names.contains(name)).collect();
        names.extend(rest);
        let field = |name: String| Field {
            schema: serde_json::to_value(&schema.properties[&name]).unwrap_or_default(),
            required: required.contains(&name),
            name,
        };
        let fields = names.into_iter().map(field).collect();
        Self { server, message: escape(&cut(message, SAID)), fields }
    }

    /// Puts it to the person; what was sent off, or why nothing was.
    async fn put(&self, person: &Person) -> Result<Value, ElicitationAction> {
        let mut shown = self.message.clone();
        for field in &self.fields {
            let _ = write!(shown, "\n  {}", field.about(field.schema.get("default")));
        }
        let reason = "the server has a question; an answer goes to it, not to the model";
        if !self.decide(person, reason, shown).await? {
            return Err(ElicitationAction::Decline);
        }
        let mut content = Map::new();
        while !self.fields.is_empty() {
            for field in &self.fields {
                match self.value(person, field, content.get(&field.name)).await? {
                    Some(value) => content.insert(field.name.clone(), value),
                    None => content.remove(&field.name),
                };
            }
            let shown = serde_json::to_string_pretty(&content).unwrap_or_default();
            let reason = "this is sent to the server; after a no you can change it";
            if self.decide(person, reason, escape(&shown)).await? {
                break;
            }
        }
        Ok(content.into())
    }

    /// What the person gives for a field; an empty line takes what was given before, or the default.
    async fn value(
        &self,
        person: &Person,
        field: &Field,
        before: Option<&Value>,
    ) -> Result<Option<Value>, ElicitationAction> {
        let usual = before.or_else(|| field.schema.get("default"));
        let mut problem = String::new();
        loop {
            let reason = format!("{problem}{}", field.about(usual));
            let text = match self.ask(person, reason, String::new(), Wants::Text).await? {
                Answer::Text(text) => text,
                Answer::Nobody => return Err(ElicitationAction::Cancel),
                _ => return Err(ElicitationAction::Decline),
            };
            let read = match (text.trim(), usual) {
                ("", Some(usual)) => Ok(usual.clone()),
                ("", None) if !field.required => return Ok(None),
                ("", None) => Err("an answer is needed".to_owned()),
                (text, _) => field.read(text),
            };
            match read {
                Ok(value) => return Ok(Some(value)),
                Err(why) => problem = format!("{}; ", escape(&why)),
            }
        }
    }

    async fn decide(
        &self,
        person: &Person,
        reason: &str,
        shown: String,
    ) -> Result<bool, ElicitationAction> {
        let wants = Wants::Decision { may_last: false };
        match self.ask(person, reason.to_owned(), shown, wants).await? {
            Answer::Yes => Ok(true),
            Answer::Nobody => Err(ElicitationAction::Cancel),
            _ => Ok(false),
        }
    }

    async fn ask(
        &self,
        person: &Person,
        reason: String,
        shown: String,
        wants: Wants,
    ) -> Result<Answer, ElicitationAction> {
        let tool = escape(self.server);
        let digest = digest(&[&tool, &reason, &shown]);
        let asked = person.ask(Question { tool, reason, shown, wants, digest }).await;
        asked.map_err(|_| ElicitationAction::Cancel)
    }
}

impl Field {
    /// What it is, in one line, with what an empty line gives.
    fn about(&self, usual: Option<&Value>) -> String {
        let text = |name: &str| self.schema[name].as_str().filter(|text| !text.is_empty());
        let about = [text("title"), text("description")].into_iter().flatten();
        let mut line = std::iter::once(&*self.name).chain(about).collect::<Vec<_>>().join(": ");
        let choices = self.choices();
        let kind = match self.schema["type"].as_str().unwrap_or_default() {
            "boolean" => "yes or no".to_owned(),
            "integer" => "a whole number".to_owned(),
            "number" => "a number".to_owned(),
            "array" => format!("some of {}, with commas between", Self::listed(&choices)),
            _ if !choices.is_empty() => format!("one of {}", Self::listed(&choices)),
            _ => "text".to_owned(),
        };
        let _ = write!(line, " ({kind}");
        let usual = usual.map(|usual| match usual {
            Value::String(text) => text.clone(),
            Value::Bool(yes) => (if *yes { "yes" } else { "no" }).to_owned(),
            Value::Array(all) => {
                all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
            }
            other => other.to_string(),
        });
        match usual {
            Some(usual) => drop(write!(line, "; {usual} if left empty")),
            None if !self.required => line.push_str("; may be left empty"),
            None => {}
        }
        escape(&cut(&format!("{line})"), SAID)).replace('\n', " ")
    }

    fn listed(choices: &[(String, String)]) -> String {
        let one = |(value, title): &(String, String)| match value == title {
            true => value.clone(),
            false => format!("{value} ({title})"),
        };
        choices.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    /// The values that may be chosen, with their titles.
    fn choices(&self) -> Vec<(String, String)> {
        let schema =
            if self.schema["type"] == "array" { &self.schema["items"] } else { &self.schema };
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let named = [&schema["oneOf"], &schema["anyOf"]].into_iter().filter_map(Value::as_array);
        let named =
            named.flatten().filter_map(|one| Some((text(&one["const"])?, text(&one["title"])?)));
        let plain = schema["enum"].as_array().into_iter().flatten().enumerate();
        let plain = plain.filter_map(|(at, one)| {
            let value = text(one)?;
            Some((value.clone(), text(&schema["enumNames"][at]).unwrap_or(value)))
        });
        named.chain(plain).collect()
    }

    /// The value that a line gives, or what is wrong with it.
    fn read(&self, line: &str) -> Result<Value, String> {
        let choices = self.choices();
        let one = |word: &str| match choices.iter().find(|(v, title)| v == word || title == word) {
            Some((value, _)) => Ok(Value::from(value.clone())),
            None if choices.is_empty() => Ok(Value::from(word)),
            None => Err(format!("`{word}` is not one of {}", Self::listed(&choices))),
        };
        match self.schema["type"].as_str().unwrap_or_default() {
            "boolean" => match line.to_lowercase().as_str() {
                "y" | "yes" | "true" => Ok(true.into()),
                "n" | "no" | "false" => Ok(false.into()),
                _ => Err("answer yes or no".to_owned()),
            },
            "integer" => {
                let number: i64 = line.parse().map_err(|_| "not a whole number".to_owned())?;
                self.within(number as f64, "imum", "").map(|()| number.into())
            }
            "number" => {
                let number = line.parse().ok().filter(|number: &f64| number.is_finite());
                let number = number.ok_or("not a number")?;
                self.within(number, "imum", "").map(|()| number.into())
            }
            "array" => {
                let words = line.split(',').map(str::trim).filter(|word| !word.is_empty());
                let values = words.map(one).collect::<Result<Vec<_>, _>>()?;
                self.within(values.len() as f64, "Items", " choices").map(|()| values.into())
            }
            _ => {
                let value = one(line)?;
                self.within(line.chars().count() as f64, "Length", " characters").map(|()| value)
            }
        }
    }

    /// Holds a number to the `min…` and `max…` of the schema.
    fn within(&self, number: f64, what: &str, of: &str) -> Result<(), String> {
        let bound = |side: &str| self.schema[format!("{side}{what}")].as_f64();
        match (bound("min"), bound("max")) {
            (Some(least), _) if number < least => Err(format!("at least {least}{of}")),
            (_, Some(most)) if number > most => Err(format!("at most {most}{of}")),
            _ => Ok(()),
        }
    }
}
