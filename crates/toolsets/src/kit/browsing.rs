//! What `browse` does in a tab, and what it says of it.

use std::fmt::Write as _;

use browser::{Of, TabInfo, Wanted};

use super::browse::Browse;
use super::page::show;
use crate::browser::{UNTRUSTED, note};
use crate::prelude::*;

/// Most bytes of a page, measured as the browser counts them; as text it is shorter.
const BYTES: usize = 24 << 10;

/// What `tab` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tab {
    /// The one that is meant where none is named, or the one of this number.
    At(Option<u64>),
    New,
    List,
    Close(u64),
}

impl Browse {
    pub(super) fn acts(&self) -> bool {
        self.click.is_some() || self.text.is_some()
    }

    pub(super) fn tab(&self) -> Result<Tab> {
        let Some(tab) = self.tab.as_deref().map(str::trim) else { return Ok(Tab::At(None)) };
        let number = |text: &str| text.trim().parse().ok();
        let meant = match tab {
            "list" => Some(Tab::List),
            "new" => Some(Tab::New),
            tab => match tab.strip_prefix("close") {
                Some(tab) => number(tab).map(Tab::Close),
                None => number(tab).map(|tab| Tab::At(Some(tab))),
            },
        };
        meant.ok_or_else(|| {
            let problem = format!("`{}`; give list, new, 2 or close 2", fault::cut(tab, 100));
            Error::invalid_input("tab", problem)
        })
    }

    pub(super) fn must_be_one(&self, tab: Tab) -> Result<()> {
        let typed = self.text.is_some();
        let is_alone = matches!(tab, Tab::List | Tab::Close(_));
        let all = [
            ("tab", is_alone || tab == Tab::New && self.url.is_none()),
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

    pub(super) fn type_text(
        &self,
        at: Option<u64>,
        text: &str,
        mut says: Vec<String>,
        cx: &Cx<'_>,
    ) -> Result<String> {
        let mut typed = cx.browse(|browser, with| browser.type_text(with, at, text, false))?;
        says.push(format!("typed {}", fault::count(text.chars().count(), "character")));
        says.extend(note(cx, &mut typed));
        self.read(at, says, cx)
    }

    /// The page, or after something was done what changed of it.
    pub(super) fn read(
        &self,
        at: Option<u64>,
        mut says: Vec<String>,
        cx: &Cx<'_>,
    ) -> Result<String> {
        let bytes = BYTES.min(cx.result_bytes());
        let wanted =
            Wanted { part: self.part.as_deref(), changed: self.changed || self.acts(), bytes };
        let mut read = cx.browse(|browser, with| browser.read(with, at, &wanted))?;
        read.says.retain(|one| !says.iter().any(|said| said.contains(one)));
        says.append(&mut read.says);
        let mut text = format!("{} {}\n[{UNTRUSTED}]\n", read.url, read.title);
        says.iter().for_each(|one| text += &format!("[{one}]\n"));
        read.result.iter().for_each(|node| show(node, 0, &mut text));
        text.truncate(text.trim_end().len());
        Ok(text)
    }

    pub(super) fn look(&self, at: Option<u64>, cx: &Cx<'_>) -> Result<String> {
        let of = self.part.as_deref().map_or(Of::Viewport, Of::Element);
        let done = cx.browse(|browser, with| browser.picture(with, at, of))?;
        let shot = &done.result;
        let _ = cx.show(&shot.png);
        let mut text = format!("{}: {} by {} pixels", done.url, shot.width, shot.height);
        done.says.iter().for_each(|one| text += &format!("\n[{one}]"));
        Ok(text)
    }
}

/// The elements that a description fits.
pub(super) fn find(at: Option<u64>, query: &str, cx: &Cx<'_>) -> Result<String> {
    if query.trim().chars().count() < 3 {
        return Err(Error::query_too_short(3));
    }
    let done = cx.browse(|browser, with| browser.find(with, at, query))?;
    let mut text = format!("[{UNTRUSTED}]");
    for found in &done.result {
        let _ = write!(text, "\n{}: {} {}", found.selector, found.role, found.name);
    }
    done.says.iter().for_each(|one| text += &format!("\n[{one}]"));
    Ok(text)
}

/// The open tabs, the one that is meant where none is named with a star.
pub(super) fn list(tabs: &[TabInfo]) -> String {
    if tabs.is_empty() {
        return "no tab is open; give url".to_owned();
    }
    let mut text = format!("[{UNTRUSTED}]");
    for TabInfo { number, url, title, active } in tabs {
        let _ = write!(text, "\n{number}{} {url} {title}", if *active { "*" } else { "" });
    }
    text
}
