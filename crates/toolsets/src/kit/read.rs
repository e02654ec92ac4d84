//! kit `read`.

use std::cell::Cell;
use std::time::{Duration, Instant};

use toolkit::serde_json::json;

use super::pdf;
use super::place::{Part, Place};
use super::reader::{Reader, Shown};
use crate::prelude::*;

/// Read files, line ranges, definitions, directories, pictures, PDFs, all at once. A long file comes
/// as an outline.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Read {
    /// `a.rs`, `a.rs:10-40`, `a.rs#Type.method`, `#name`
    path: Option<String>,
    paths: Option<Vec<String>>,
    /// Also text sent already
    again: Option<bool>,
}

/// A text that takes more than to say that it did not change.
const LINES: &str = "one, which is the first line of five\ntwo, and no line like it is in any other file\n\
    three, of which there is no more to be said\nfour, the last but one of them all\nfive, the last\n";

impl Tool for Read {
    type Output = String;

    const SPEC: Spec = Spec::new("read", "Read", Category::Files)
        .errors(&[READING, &[Code::BinaryFile, Code::StringNotFound, Code::DirectoryNotFound, Code::InvalidLineRange]])
        .pictures()
        .examples(&[
            Example::of("A file with the numbers of its lines")
                .given(&[("a.txt", "one\ntwo\n")])
                .call(r#"{"path": "a.txt"}"#)
                .gives("1\tone\n2\ttwo\n"),
            Example::of("A range and a definition in one call")
                .given(&[
                    ("a.txt", "one\ntwo\nthree\n"),
                    ("stock.py", "class Stock:\n    def take(self):\n        return 1\n\nclass Box:\n    def take(self):\n        return 2\n"),
                ])
                .call(r#"{"paths": ["a.txt:2-3", "stock.py#Stock.take"]}"#)
                .gives("== a.txt\n2\ttwo\n3\tthree\n== stock.py\n2\t    def take(self):\n3\t        return 1\n"),
            Example::of("A definition wherever it is")
                .given(&[("src/a.rs", "fn main() {}\n\nfn answer() -> u8 {\n    42\n}\n")])
                .call(r##"{"path": "#answer"}"##)
                .gives("== src/a.rs\n3\tfn answer() -> u8 {\n4\t    42\n5\t}\n"),
            Example::of("A directory")
                .given(&[("src/b.rs", ""), ("src/bin/x.rs", "")])
                .call(r#"{"path": "src"}"#)
                .gives("bin/\nb.rs\n"),
            Example::of("What was sent and did not change")
                .given(&[("a.txt", LINES)])
                .after(&[("read", r#"{"path": "a.txt"}"#)])
                .call(r#"{"path": "a.txt:2-5"}"#)
                .gives("unchanged since you saw it (lines 2-5 of 5); again: true sends it\n"),
            Example::of("The same, sent again")
                .given(&[("a.txt", LINES)])
                .after(&[("read", r#"{"path": "a.txt"}"#)])
                .call(r#"{"path": "a.txt:2", "again": true}"#)
                .gives("2\ttwo, and no line like it is in any other file\n"),
            Example::of("A picture, which comes beside the text")
                .given(&[("a.gif", "GIF89a....")])
                .call(r#"{"path": "a.gif"}"#)
                .gives("image/gif\n"),
            Example::of("A PDF")
                .given(&[("a.pdf", pdf::EXAMPLE)])
                .call(r#"{"path": "a.pdf"}"#)
                .gives("1\t[page 1]\n2\tHello\n"),
            Example::of("One of two places is not there")
                .given(&[("a.txt", "one\n")])
                .call(r#"{"paths": ["a.txt", "b/c.txt"]}"#)
                .gives("== a.txt\n1\tone\n== b/c.txt\nerror: b/c.txt: no such file[..]\n"),
            Example::of("A misspelt name is answered with the likely one")
                .given(&[("src/main.rs", "fn main() {}\n")])
                .call(r#"{"path": "src/mian.rs"}"#)
                .fails(
                    Code::FileNotFound,
                    "error: src/mian.rs: no such file; did you mean src/main.rs?\nnext: read {\"path\":\"src/main.rs\"}",
                ),
            Example::of("A definition that is not there")
                .given(&[("a.rs", "fn answer() -> u8 {\n    42\n}\n")])
                .call(r#"{"path": "a.rs#anwser"}"#)
                .fails(Code::StringNotFound, "error: a.rs: defines no `anwser`; did you mean `answer`?\nnext: read {\"path\":\"a.rs#answer\"}"),
        ]);

    fn paths(&self) -> Vec<String> {
        let places: Vec<Place<'_>> = self.places().map(Place::written).collect();
        // Symbols are searched for and PDFs are converted: that waits for no thread of the server,
        // which a call with paths of small files may.
        let slow = |place: &Place<'_>| {
            matches!(place.part, Part::Symbol(_)) || place.path.to_lowercase().ends_with(".pdf")
        };
        match places.iter().any(slow) {
            true => Vec::new(),
            false => places.iter().map(|place| place.path.to_owned()).collect(),
        }
    }

    fn run(self, cx: &Cx<'_>) -> Result<String> {
        let places: Vec<&str> = self.places().collect();
        let (again, headed) = (self.again == Some(true), places.len() > 1);
        let reader = Reader { cx, again, headed, pictures: Cell::new(0) };
        match places[..] {
            [] => Err(Error::invalid_input("path", "missing; give a path, or several in `paths`")),
            [one] => {
                let Shown { text, next } = reader.show(one, cx.result_bytes())?;
                let next = next.map(|next| cut(next.shown, next.total, &[next.place]));
                Ok(text + &next.unwrap_or_default())
            }
            _ => several(&places, &reader),
        }
    }
}

impl Read {
    fn places(&self) -> impl Iterator<Item = &str> {
        self.path.iter().chain(self.paths.iter().flatten()).map(String::as_str)
    }
}

/// Each place below its path, as many as an answer holds. A place that cannot be read says so; the
/// call fails if none can.
fn several(places: &[&str], reader: &Reader<'_>) -> Result<String> {
    let most = reader.cx.result_bytes();
    let (mut text, mut rest, mut failed) = (String::new(), Vec::new(), Vec::new());
    let began = Instant::now();
    for (at, given) in places.iter().enumerate() {
        let left = most.saturating_sub(text.len());
        let is_full = left < most / SMALL_PART || reader.pictures.get() >= PICTURES;
        if is_full || began.elapsed() > LONG {
            rest.extend(places[at..].iter().map(|place| (*place).to_owned()));
            break;
        }
        match reader.show(given, left) {
            Ok(shown) => {
                text += &shown.text;
                rest.extend(shown.next.map(|next| next.place));
            }
            Err(error) if error.code == Code::Cancelled => return Err(error),
            Err(error) => {
                text += &format!("== {given}\nerror: {error}\n");
                failed.push(error);
            }
        }
    }
    if failed.len() == places.len() {
        return Err(failed.swap_remove(0));
    }
    let whole = places.len() - rest.len();
    Ok(text + &if rest.is_empty() { String::new() } else { cut(whole, places.len(), &rest) })
}

/// How long places are looked at that come after the first: PDFs take seconds each.
const LONG: Duration = Duration::from_secs(10);

/// Bytes of pictures after which no other place is shown in the same answer.
const PICTURES: usize = 5 << 20;

/// What is left for a place beyond which it is better asked for by itself: this part of an answer.
const SMALL_PART: usize = 50;

/// The last line of a result that does not hold all, with what to change in the call to go on.
fn cut(shown: usize, total: usize, next: &[String]) -> String {
    let next = match next {
        [one] => json!({"path": one}),
        many => json!({"paths": many}),
    };
    format!("[{shown} of {total}; next: {next}]")
}
