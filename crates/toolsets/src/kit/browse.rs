//! kit `browse`.

use std::fmt::Write as _;

use browser::{Click, Done, Of, Wanted};

use super::page::show;
use crate::browser::{BROWSING, UNTRUSTED, judge, note};
use crate::prelude::*;
use crate::web::REACHING;

/// Most bytes of a page, measured as the browser counts them; as text it is shorter.
const BYTES: usize = 24 << 10;

/// Use a page in a browser. url opens and reads it, references are e12; click and type answer with
/// what changed; {} reads, look pictures.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Browse {
    url: Option<String>,
    /// Reference or CSS
    click: Option<String>,
    #[serde(rename = "type")]
    text: Option<String>,
    /// To click before typing
    into: Option<String>,
    /// `send button`
    find: Option<String>,
    #[serde(default)]
    look: bool,
    /// Only this, of read and look
    part: Option<String>,
    #[serde(default)]
    changed: bool,
}

impl Tool for Browse {
    type Output = String;

    const SPEC: Spec = Spec::new("browse", "Use a page", Category::Browser)
        .effect(Effect::CONNECTS.and(Effect::WRITES), Permission::Dangerous)
        .errors(&[
            REACHING,
            BROWSING,
            WRITING,
            &[Code::TabNotFound, Code::PageNotLoaded, Code::NavigationFailed],
            &[Code::ElementNotFound, Code::CoordinatesInvalid, Code::ClickFailed],
            &[Code::FileNotFound, Code::NoFocusedElement, Code::NotEditable, Code::TypeFailed],
            &[Code::NoResults, Code::QueryTooShort, Code::ScreenshotFailed],
        ])
        .pictures()
        .examples(&[
            Example::of("No page was opened yet")
                .fails(Code::TabNotFound, "error: no tab to use; none is open; [..]"),
            Example::of("Files of this machine are not opened")
                .call(r#"{"url": "file:///etc/passwd"}"#)
                .fails(Code::InvalidURL, "error: file:///etc/passwd: [..]"),
            Example::of("One thing at a time")
                .call(r#"{"click": "e1", "find": "send"}"#)
                .fails(Code::InvalidInput, "error: find: not together with click; call twice"),
        ]);

    fn effect(&self) -> Effect {
        // What is opened or clicked may be a download.
        let may_write = self.url.is_some() || self.acts();
        if may_write { Self::SPEC.effect } else { Effect::CONNECTS }
    }

    fn permission(&self) -> Permission {
        if self.acts() { Permission::Dangerous } else { Permission::Moderate }
    }

    fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    fn about(&self) -> String {
        let says = |what: &str, value: &Option<String>| {
            value.as_ref().map(|value| format!("{what}{value}"))
        };
        let what = [
            says("", &self.url),
            says("click ", &self.click),
            says("click ", &self.into),
            says("type ", &self.text),
        ];
        what.into_iter().flatten().collect::<Vec<_>>().join("\n")
    }

    fn run(self, cx: &Cx<'_>) -> Result<String> {
        self.must_be_one()?;
        if let Some(url) = &self.url {
            judge(cx, url)?;
            let opened = cx.browse(|browser, with| browser.navigate(with, url, None))?;
            return self.read(said(cx, opened)?, cx);
        }
        if let Some(element) = self.click.as_ref().or(self.into.as_ref()) {
            let click = Click::Element(element);
            let clicked = cx.browse(|browser, with| browser.click(with, None, click))?;
            let hit = format!("clicked {}", clicked.result.hit);
            let mut says = vec![hit];
            says.extend(said(cx, clicked)?);
            return match &self.text {
                None => self.read(says, cx),
                Some(text) => self.type_text(text, says, cx),
            };
        }
        match (&self.text, &self.find) {
            (Some(text), _) => self.type_text(text, Vec::new(), cx),
            (None, Some(query)) => find(query, cx),
            (None, None) if self.look => self.look(cx),
            (None, None) => self.read(Vec::new(), cx),
        }
    }
}

impl Browse {
    fn acts(&self) -> bool {
        self.click.is_some() || self.text.is_some()
    }

    fn must_be_one(&self) -> Result<()> {
        let typed = self.text.is_some();
        let all = [
            ("url", self.url.is_some()),
            ("click", self.click.is_some()),
            ("type", typed),
            ("find", self.find.is_some()),
            ("look", self.look),
        ];
        let mut given = all.iter().filter(|(_, given)| *given).map(|(name, _)| *name);
        if let (Some(first), Some(second)) = (given.next(), given.next()) {
            let problem = format!("not together with {first}; call twice");
            return Err(Error::invalid_input(second, problem));
        }
        if self.into.is_some() && !typed {
            return Err(Error::invalid_input("into", "only together with type; or give click"));
        }
        Ok(())
    }

    fn type_text(&self, text: &str, mut says: Vec<String>, cx: &Cx<'_>) -> Result<String> {
        let typed = cx.browse(|browser, with| browser.type_text(with, None, text, false))?;
        says.push(format!("typed {}", fault::count(text.chars().count(), "character")));
        says.extend(said(cx, typed)?);
        self.read(says, cx)
    }

    /// The page, or after something was done what changed of it.
    fn read(&self, mut says: Vec<String>, cx: &Cx<'_>) -> Result<String> {
        let bytes = BYTES.min(cx.result_bytes());
        let wanted =
            Wanted { part: self.part.as_deref(), changed: self.changed || self.acts(), bytes };
        let mut read = cx.browse(|browser, with| browser.read(with, None, &wanted))?;
        says.append(&mut read.says);
        let mut text = format!("{} {}\n[{UNTRUSTED}]\n", read.url, read.title);
        says.iter().for_each(|one| text += &format!("[{one}]\n"));
        read.result.iter().for_each(|node| show(node, 0, &mut text));
        text.truncate(text.trim_end().len());
        Ok(text)
    }

    fn look(&self, cx: &Cx<'_>) -> Result<String> {
        let of = self.part.as_deref().map_or(Of::Viewport, Of::Element);
        let done = cx.browse(|browser, with| browser.picture(with, None, of))?;
        let shot = &done.result;
        let _ = cx.show(&shot.png);
        let mut text = format!("{}: {} by {} pixels", done.url, shot.width, shot.height);
        done.says.iter().for_each(|one| text += &format!("\n[{one}]"));
        Ok(text)
    }
}

fn find(query: &str, cx: &Cx<'_>) -> Result<String> {
    if query.trim().chars().count() < 3 {
        return Err(Error::query_too_short(3));
    }
    let done = cx.browse(|browser, with| browser.find(with, None, query))?;
    let mut text = format!("[{UNTRUSTED}]");
    for found in &done.result {
        let _ = write!(text, "\n{}: {} {}", found.selector, found.role, found.name);
    }
    done.says.iter().for_each(|one| text += &format!("\n[{one}]"));
    Ok(text)
}

/// What is said of a call, files that the page gave included.
fn said<T>(cx: &Cx<'_>, mut done: Done<T>) -> Result<Vec<String>> {
    Ok(note(cx, &mut done)?.into_iter().collect())
}
