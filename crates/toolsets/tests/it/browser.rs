//! The tools of the browser in a real Chromium, against pages on this machine.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use fault::Code;
use toolkit::serde_json::{Value, json};
use toolkit::testing::{self, run};
use toolkit::{Body, Done, Policy, Session};

struct Place {
    at: testing::Place,
    session: Arc<Session>,
}

fn place(files: &[(&str, &str)]) -> Place {
    let at = crate::place(files, |settings| settings.web.allow = vec!["127.0.0.1".to_owned()]);
    let session = crate::open(&at, "floyd-0.1.0", Policy::Trust);
    Place { at, session }
}

impl Place {
    fn call(&self, tool: &str, input: Value) -> (Done, Value) {
        let done = run(&self.session, tool, input);
        let Body::Json(body) = done.body.clone() else { panic!("{:?}", done.body) };
        (done, body)
    }

    /// The data of a call that works.
    fn ok(&self, tool: &str, input: Value) -> Value {
        let (done, body) = self.call(tool, input.clone());
        assert_eq!(done.error, None, "{tool} {input}: {body}");
        assert_eq!(body["ok"], true);
        body["data"].clone()
    }

    /// The code of a call that fails.
    fn fails(&self, tool: &str, input: Value) -> (Code, String) {
        let (done, body) = self.call(tool, input.clone());
        let error = done.error.unwrap_or_else(|| panic!("{tool} {input} works: {body}"));
        assert_eq!((&body["ok"], &body["code"]), (&json!(false), &json!(error.code.as_str())));
        (error.code, error.message)
    }
}

/// A server of pages, by their path.
pub(crate) fn site(pages: &'static [(&str, &str)]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer(stream, pages));
        }
    });
    format!("http://127.0.0.1:{port}")
}

fn answer(mut stream: TcpStream, pages: &[(&str, &str)]) {
    let lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
    let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    let target = head.first().and_then(|line| line.split(' ').nth(1)).unwrap_or_default();
    let path = target.split('?').next().unwrap_or_default();
    let page = pages.iter().find(|(at, _)| *at == path);
    let (status, body) =
        page.map_or(("404 Not Found", "<p>not here"), |(_, body)| ("200 OK", *body));
    let kind = match path.rsplit_once('.') {
        Some((_, "csv")) => "text/csv\r\nContent-Disposition: attachment",
        _ => "text/html; charset=utf-8",
    };
    let body = body.replace("{target}", target);
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(&[head.as_bytes(), body.as_bytes()].concat()); // it may be gone
}

const FORM: &str = r#"<!doctype html><title>Order</title><h1>Order here</h1>
<form action=/done>
<label for=who>Your name</label><input id=who name=who>
<label>Colour <select name=colour><option>Red<option>Green<option>Blue</select></label>
<label><input type=checkbox name=gift> As a gift</label>
<button>Send the order</button>
</form>
<iframe src=/inner title=Extras></iframe>
<div id=host></div>
<script>
const root = document.getElementById('host').attachShadow({mode: 'open'});
root.innerHTML = '<label>Voucher <input name=voucher></label><button type=button>Apply</button><output></output>';
root.querySelector('button').onclick = () => {
  root.querySelector('output').textContent = 'applied ' + root.querySelector('input').value;
  document.querySelector('form').insertAdjacentHTML('beforeend', '<input type=hidden name=voucher value=' + root.querySelector('input').value + '>');
};
</script>"#;

const INNER: &str = r#"<!doctype html><label>Note <input id=note></label>
<button onclick="parent.document.querySelector('form').insertAdjacentHTML('beforeend', '<input type=hidden name=note value=' + note.value + '>')">Add the note</button>"#;

#[test]
fn a_form_with_a_frame_and_a_shadow_root_is_filled_in_and_sent() {
    let site =
        site(&[("/", FORM), ("/inner", INNER), ("/done", "<title>Done</title><p id=q>{target}")]);
    let place = place(&[]);
    let opened = place.ok("browser_navigate", json!({"url": site}));
    assert_eq!((&opened["title"], &opened["loaded"]), (&json!("Order"), &json!(true)));
    let read = place.ok("browser_read_page", json!({}));
    println!("{read:#}");
    let click = |query: &str| {
        let found = place.ok("browser_find", json!({"query": query}));
        println!("{found}");
        let selector = found["elements"][0]["selector"].clone();
        let clicked = place.ok("browser_click", json!({"selector": selector}));
        println!("{clicked}");
        clicked
    };
    let write = |text: &str| println!("{}", place.ok("browser_type", json!({"text": text})));
    click("your name field");
    write("Ada");
    click("colour select");
    write("Blue");
    click("as a gift checkbox");
    click("note field");
    write("soon");
    click("add the note button");
    click("voucher field");
    write("X1");
    click("apply button");
    let sent = click("send the order button");
    assert!(sent["note"].as_str().unwrap().contains("/done?who=Ada&colour=Blue&gift=on"), "{sent}");
    assert!(sent["url"].as_str().unwrap().ends_with("&note=soon&voucher=X1"), "{sent}");
}
