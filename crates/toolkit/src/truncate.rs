//! The last bound of a result: what is larger is cut, and the result says so.

use serde_json::{Map, Value};

use crate::toolset::Body;

/// Cuts a body to at most about `limit` bytes, and gives its size. Tools bound their results themselves and better,
/// with a way to go on; this holds for all of them.
pub(crate) fn bound(body: Body, limit: usize) -> (Body, usize) {
    let size = body.size();
    if size <= limit {
        return (body, size);
    }
    let body = match body {
        Body::Text(text) => {
            let cut = text.floor_char_boundary(limit);
            Body::Text(format!(
                "{}\n[Truncated: {} of {} bytes shown; ask for a smaller part]",
                &text[..cut],
                cut,
                text.len()
            ))
        }
        Body::Json(value) => Body::Json(shortened(value, size, limit)),
    };
    let size = body.size();
    (body, size)
}

fn shortened(mut value: Value, size: usize, limit: usize) -> Value {
    let mut left = limit;
    shorten(&mut value, &mut left);
    let note = format!(
        "shortened: the whole result has {size} bytes, over the limit of {limit}; ask for a smaller part"
    );
    match &mut value {
        Value::Object(fields) => {
            fields.insert("truncated".into(), note.into());
            value
        }
        _ => Value::Object(Map::from_iter([
            ("result".into(), value),
            ("truncated".into(), note.into()),
        ])),
    }
}

/// How many bytes a character takes in a JSON string.
fn written(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        c => c.len_utf8(),
    }
}

/// Takes what fits into `left` from the front, whole list elements first.
fn shorten(value: &mut Value, left: &mut usize) {
    match value {
        Value::String(text) => {
            let mut keep = text.len();
            for (at, c) in text.char_indices() {
                let Some(rest) = left.checked_sub(written(c)) else {
                    keep = at;
                    break;
                };
                *left = rest;
            }
            text.truncate(keep);
        }
        Value::Array(items) => {
            let mut fits = 0;
            for item in items.iter_mut() {
                let size = item.to_string().len() + 1;
                if size > *left {
                    break;
                }
                *left -= size;
                fits += 1;
            }
            items.truncate(fits);
        }
        // Small fields first: they say what the large ones are.
        Value::Object(fields) => {
            let mut by_size: Vec<(usize, &mut Value)> =
                fields.values_mut().map(|v| (v.to_string().len(), v)).collect();
            by_size.sort_by_key(|(size, _)| *size);
            for (size, field) in by_size {
                if size <= *left { *left -= size } else { shorten(field, left) }
            }
        }
        _ => {}
    }
}
