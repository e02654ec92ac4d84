//! The pages that are read: an article, a form, a table, a board of cards, and a large list.

use std::fmt::Write as _;

/// Each page that sizes are compared on, and how many elements of it can be operated.
pub(super) const OPERABLE: &[(&str, usize)] =
    &[("article", 26), ("form", 15), ("table", 62), ("board", 63), ("shop", 105)];

/// The page of this name.
pub(super) fn page(name: &str) -> Option<String> {
    let body = match name {
        "article" => article(),
        "form" => form(),
        "table" => table(),
        "board" => board(),
        "shop" => shop(),
        "large" => large(),
        _ => return None,
    };
    Some(format!("<!doctype html><html lang=en><title>The {name}</title><body>{body}"))
}

fn navigation() -> String {
    let links = ["Home", "News", "Science", "Culture", "Travel", "About"];
    let links = links.map(|name| format!("<li><a href=/{name}>{name}</a></li>")).concat();
    format!("<header><nav aria-label=Main><ul>{links}</ul></nav></header>")
}

fn article() -> String {
    let mut text = navigation() + "<main><article><h1>How rivers bend</h1>";
    for section in 1..=10 {
        let _ = write!(
            text,
            "<section><h2>Part {section}</h2><p>Water that runs faster on the outside of a bend takes \
             earth away there, and lays it down on the <em>inside</em>, where it is <strong>slow</strong>. \
             So a bend grows; see <a href=/source{section}>source {section}</a>.</p>\
             <p>After some {section}00 years the river may cut the bend off, as \
             <a href=/lake{section}>lake {section}</a> shows.</p><ul><li>Sand</li><li>Clay</li></ul></section>"
        );
    }
    text + "</article></main><footer><p>No rights reserved.</p></footer>"
}

fn form() -> String {
    let mut text = String::from("<h1>Apply</h1><form>");
    for name in ["First name", "Last name", "Street", "City", "Postcode", "Phone", "E-mail"] {
        let id = name.to_lowercase().replace(' ', "-");
        let _ = write!(text, "<div class=row><label for={id}>{name}</label><input id={id}></div>");
    }
    text.push_str(
        "<label>Country <select><option>Austria<option>Belgium<option>Chile</select></label>",
    );
    text.push_str("<fieldset><legend>Contact by</legend>");
    for name in ["Letter", "Phone call", "Message"] {
        let _ = write!(text, "<label><input type=radio name=by> {name}</label>");
    }
    text.push_str("</fieldset><label><input type=checkbox> I agree</label>");
    text.push_str("<label for=why>Why</label><textarea id=why></textarea>");
    text + "<button type=button>Save</button><button>Send</button></form>"
}

fn table() -> String {
    let mut text = String::from(
        "<h1>Orders</h1><table><thead><tr><th>Number<th>Name<th>Day<th>Sum<th>State<th>What</tr></thead><tbody>",
    );
    for n in 1..=30 {
        let _ = write!(
            text,
            "<tr><td>{n:04}</td><td><a href=/o/{n}>Customer {n}</a></td><td>2026-11-{:02}</td>\
             <td>{}.50</td><td>paid</td><td><button>Refund</button></td></tr>",
            n % 28 + 1,
            n * 7
        );
    }
    text + "</tbody></table><button>Previous</button><button>Next</button>"
}

fn board() -> String {
    let mut text = String::from("<h1>Board</h1><div class=columns>");
    for column in ["To do", "Doing", "Done"] {
        let _ = write!(text, "<div class=column><h2>{column}</h2>");
        for n in 1..=10 {
            let _ = write!(
                text,
                "<div class=card onclick='open{n}' style='cursor:pointer'><div><span>Task {n} of {column}</span></div>\
                 <div><button aria-label='Menu of task {n}'>…</button></div></div>"
            );
        }
        text.push_str("<div><span role=button tabindex=0>Add a card</span></div></div>");
    }
    text + "</div>"
}

fn shop() -> String {
    let mut text = navigation();
    text.push_str(
        "<input type=search aria-label=Search><button>Search</button><main><h1>Shop</h1><div>",
    );
    for n in 1..=30 {
        let _ = write!(
            text,
            "<div class=item><div><img alt='Picture of thing {n}' src=data:,></div><div><a href=/thing/{n}><h3>Thing {n}</h3></a>\
             <p>A thing for {n} uses, made to last.</p><span>{n}.99</span></div>\
             <div><button>Add to basket</button><button aria-label='Like thing {n}'>♥</button></div></div>"
        );
    }
    text.push_str("</div><nav aria-label=Pages>");
    for n in 1..=7 {
        let _ = write!(text, "<a href=?page={n}>{n}</a> ");
    }
    text + "</nav></main>"
}

/// A document of 2,000 nodes.
fn large() -> String {
    let mut text = String::from("<h1>List</h1><ul>");
    for n in 1..=222 {
        let _ = write!(
            text,
            "<li><a href=/item/{n}>Item {n}</a> <span>of {n}</span> <button>Take</button></li>"
        );
    }
    text + "</ul>"
}
