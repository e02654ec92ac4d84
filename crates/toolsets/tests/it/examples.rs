//! Every example of every tool: a call in a fresh directory, its result and the files it leaves.

use std::fs;

use toolkit::serde_json::{self, Value};
use toolkit::testing::{fits, run, run_with};
use toolkit::{Answer, Body, Entry, Example, GONE, Policy, Toolset, Wants};

use crate::{open, place, site};

#[test]
fn every_example_does_what_it_says() {
    let (mut run, mut wrong) = (0, Vec::new());
    for name in toolsets::NAMES {
        let toolset = toolsets::toolset(name).unwrap();
        for entry in toolset.entries() {
            for example in entry.spec.examples {
                run += 1;
                if let Err(problem) = check(&toolset, entry, example) {
                    wrong.push(format!("{name} {}: {}: {problem}", entry.spec.name, example.about));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {run} examples are wrong:\n{}",
        wrong.len(),
        wrong.join("\n\n")
    );
    assert!(run >= 2 * 17, "only {run} examples");
}

fn check(toolset: &Toolset, entry: &Entry, example: &Example) -> Result<(), String> {
    let place = place(example.given, |settings| settings.web = site::settings());
    let session = open(&place, toolset.name, Policy::Trust);
    let input: Value = serde_json::from_str(example.call).map_err(|e| format!("call: {e}"))?;
    // Clients may hold calls to the definition. Some examples of the dialects show what else works.
    if toolset.name == "kit" && example.fails.is_none() {
        jsonschema::validate(&Value::Object(entry.definition().input.clone()), &input)
            .map_err(|e| format!("the call is not as its schema says: {e} in {input}"))?;
    }
    for (tool, arguments) in example.after {
        let input = serde_json::from_str(arguments).map_err(|e| format!("{arguments}: {e}"))?;
        let done = run(&session, tool, input);
        if done.error.is_some() {
            return Err(format!("{tool} {arguments}: {:?}", done.body));
        }
    }
    // Whoever is asked for words says `blue`.
    let outcome = run_with(&session, entry.spec.name, input, |question| {
        (question.wants == Wants::Text).then(|| Answer::Text("blue".to_owned()))
    });
    let code = outcome.error.as_ref().map(|e| e.code);
    if code != example.fails {
        return Err(format!("fails with {code:?}, not {:?}: {:?}", example.fails, outcome.body));
    }
    if let (Body::Json(value), Some(schema)) = (&outcome.body, toolset.output_schema(entry)) {
        jsonschema::validate(&Value::Object(schema), value)
            .map_err(|e| format!("the result is not as its schema says: {e} in {value}"))?;
    }
    let promised = toolset.promised(entry, example).map_err(|e| e.to_string())?;
    let body = outcome.body.without_details();
    if !fits_body(&body, &promised) {
        return Err(format!("gives\n{}\nnot\n{}", body.to_text(), promised.to_text()));
    }
    for (path, text) in example.leaves {
        let path = place.path(path);
        let left = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(_) if path.is_dir() && text.is_empty() => String::new(),
            Err(_) if path.symlink_metadata().is_err() => GONE.to_owned(),
            Err(e) => e.to_string(),
        };
        if left != *text {
            return Err(format!("leaves {}: {left:?}, not {text:?}", path.display()));
        }
    }
    Ok(())
}

fn fits_body(body: &Body, promised: &Body) -> bool {
    match (body, promised) {
        (Body::Text(text), Body::Text(pattern)) => fits(text, pattern),
        (Body::Json(value), Body::Json(wanted)) => fits_value(value, wanted),
        _ => false,
    }
}

fn fits_value(value: &Value, wanted: &Value) -> bool {
    match (value, wanted) {
        (Value::String(text), Value::String(pattern)) => fits(text, pattern),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| fits_value(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && b.iter().all(|(k, b)| a.get(k).is_some_and(|a| fits_value(a, b)))
        }
        (_, Value::String(any)) if any == "[..]" => true,
        _ => value == wanted,
    }
}

#[test]
fn every_parameter_of_kit_is_in_an_example() {
    let kit = toolsets::toolset("kit").unwrap();
    let mut missing = Vec::new();
    for entry in kit.entries() {
        let name = entry.spec.name;
        let before = |example: &'static Example| {
            example.after.iter().filter(|(tool, _)| *tool == name).map(|(_, call)| *call)
        };
        let examples = entry.spec.examples.iter();
        let calls: Vec<Value> = examples
            .flat_map(|example| before(example).chain([example.call]))
            .map(|call| serde_json::from_str(call).unwrap())
            .collect();
        let uses = |parameter: &str, is: &dyn Fn(&Value) -> bool| {
            let has = |call: &Value| call.get(parameter).is_some_and(is);
            let changes = |call: &Value| call["changes"].as_array().cloned().unwrap_or_default();
            calls.iter().any(|call| has(call) || changes(call).iter().any(has))
        };
        let input = &entry.definition().input;
        for (parameter, schema) in input.get("properties").unwrap().as_object().unwrap() {
            let values = schema["enum"].as_array().cloned().unwrap_or_default();
            // The first mode is that of a call which names none.
            let used = match values.as_slice() {
                [] => uses(parameter, &|_| true),
                values => values.iter().skip(1).all(|value| uses(parameter, &|is| is == value)),
            };
            if !used {
                missing.push(format!("{name} {parameter}"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn a_pattern_fits_only_what_it_says() {
    assert!(
        fits("abc", "abc")
            && fits("abc", "a[..]")
            && fits("abc", "[..]c")
            && fits("a-b-c", "a[..]b[..]c")
    );
    assert!(!fits("abc", "ab") && !fits("abc", "[..]b") && !fits("abc", "b[..]"));
}
