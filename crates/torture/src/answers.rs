//! What servers say of the lines of a tree, beside what ripgrep says of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use test_client::Client;

use crate::place::Place;
use crate::{Result, server};

/// Longer than any answer takes.
const PATIENCE: Duration = Duration::from_secs(120);
/// Hits that Floyd shows of one search, and counts at most.
const SHOWN: usize = 200;
const COUNTED: usize = 20_000;
/// Pages of kit that are asked for, of `PAGE` hits at most.
const PAGES: usize = 20;
const PAGE: usize = 1000;
/// Longest line that is shown whole, in bytes.
const WHOLE_LINE: usize = 500;

/// What is looked for, and where.
#[derive(Clone, Debug, Default)]
pub(crate) struct Question {
    pub(crate) pattern: String,
    /// Plain text.
    pub(crate) literal: bool,
    pub(crate) ignore_case: bool,
    pub(crate) multiline: bool,
    /// Below this directory.
    pub(crate) dir: String,
}

/// The text of a line by its path and number; `None` if it is known to be one and was not shown.
pub(crate) type Lines = BTreeMap<(String, u64), Option<String>>;

/// What a server says.
enum Said {
    /// It refuses.
    Refused(String),
    /// These lines, and how many there are in all, if it says so.
    Lines { lines: Lines, of: Option<usize> },
    /// These are some of more that were not asked for.
    Some(Lines),
}

/// A server of lines one by one, and one of plain text and of matches over lines, on one root.
pub(crate) struct Servers<'p> {
    place: &'p Place,
    rg: &'p Path,
    pub(crate) floyd: Client,
    kit: Client,
}

impl<'p> Servers<'p> {
    pub(crate) fn start(place: &'p Place, rg: &'p Path) -> Result<Self> {
        let (floyd, kit) = (server::start(place, "floyd")?, server::start(place, "kit")?);
        Ok(Self { place, rg, floyd, kit })
    }

    pub(crate) fn kill(&mut self) -> Result {
        self.floyd.kill()?;
        self.kit.kill()
    }

    /// Asks a server and ripgrep; how many lines both found.
    pub(crate) fn agree(&mut self, asked: &Question) -> Result<usize> {
        let said = match asked.literal || asked.multiline {
            true => self.kit(asked)?,
            false => self.floyd(asked)?,
        };
        let truth = self.ripgrep(asked)?;
        let differ = match (&said, &truth) {
            (Said::Refused(_), Err(_)) => return Ok(0),
            (Said::Refused(why), Ok(truth)) => {
                format!("refused, ripgrep finds {} lines: {why}", truth.len())
            }
            (_, Err(why)) => format!("not refused, ripgrep says {why}"),
            (Said::Lines { lines, of }, Ok(truth)) => match difference(lines, truth, *of) {
                None => return Ok(truth.len()),
                Some(differ) => differ,
            },
            (Said::Some(lines), Ok(truth)) => {
                let some = truth.iter().filter(|(at, _)| lines.contains_key(*at));
                let some = some.map(|(at, text)| (at.clone(), text.clone())).collect();
                match difference(lines, &some, None) {
                    None => return Ok(lines.len()),
                    Some(differ) => differ,
                }
            }
        };
        Err(format!("{asked:?}: {differ}"))
    }

    fn floyd(&mut self, asked: &Question) -> Result<Said> {
        let input = json!({"pattern": asked.pattern, "path": asked.dir,
            "caseInsensitive": asked.ignore_case});
        let answer = result(&mut self.floyd, "grep_search", &input)?;
        let found = match data(&answer) {
            Ok(found) => found,
            Err(why) => return Ok(Said::Refused(why)),
        };
        let mut lines = Lines::new();
        for hit in found["matches"].as_array().into_iter().flatten() {
            let (file, text) = (hit["file"].as_str(), hit["content"].as_str());
            let at = (file.unwrap_or_default().to_owned(), hit["line"].as_u64().unwrap_or(0));
            lines.insert(at, text.map(str::to_owned));
        }
        let of = found["totalMatches"].as_u64().map(|n| n as usize);
        if of.is_some_and(|of| of < SHOWN && of != lines.len()) {
            return Err(format!("{} lines are shown and {of:?} counted", lines.len()));
        }
        Ok(Said::Lines { lines, of })
    }

    fn kit(&mut self, asked: &Question) -> Result<Said> {
        let mode = match (asked.literal, asked.multiline) {
            (true, _) => "text",
            (false, true) => "multiline",
            (false, false) => "regex",
        };
        let (mut lines, mut offset) = (Lines::new(), 1);
        for _ in 0..PAGES {
            let input = json!({"query": asked.pattern, "mode": mode, "path": asked.dir,
                "case": !asked.ignore_case, "offset": offset, "limit": PAGE});
            let answer = result(&mut self.kit, "search", &input)?;
            let text = answer["content"][0]["text"].as_str().unwrap_or_default();
            if answer["isError"] == true {
                return Ok(Said::Refused(text.to_owned()));
            }
            if text.starts_with("no line ") || text.starts_with("no text ") {
                return Ok(Said::Lines { lines, of: None });
            }
            match page(text, &mut lines)? {
                None => return Ok(Said::Lines { lines, of: None }),
                Some((_, true)) => break,
                Some((next, false)) => offset = next,
            }
        }
        Ok(Said::Some(lines))
    }

    /// What ripgrep finds, or why it refuses.
    pub(crate) fn ripgrep(&self, asked: &Question) -> Result<std::result::Result<Lines, String>> {
        let mut command = self.rg();
        command.args(["--null", "-n", "--no-heading"]);
        command.args(asked.literal.then_some("-F"));
        command.args(asked.ignore_case.then_some("-i"));
        command.args(asked.multiline.then_some("-U"));
        command.args(["-e", &asked.pattern, "--", &asked.dir]);
        let out = command.output().map_err(|e| format!("rg: {e}"))?;
        let refused = String::from_utf8_lossy(&out.stderr).into_owned();
        // Of a NUL byte it says beforehand that no text has one.
        if out.status.code() == Some(2) && !refused.contains("is impossible to match") {
            return Ok(Err(refused));
        }
        let mut lines = Lines::new();
        for line in out.stdout.split(|byte| *byte == b'\n') {
            // What has no NUL is a remark about a binary file.
            let Some(end) = line.iter().position(|byte| *byte == 0) else { continue };
            let (path, rest) = (String::from_utf8_lossy(&line[..end]), &line[end + 1..]);
            let number: Vec<u8> = rest.iter().copied().take_while(u8::is_ascii_digit).collect();
            let text = rest.get(number.len() + 1..).unwrap_or_default();
            let text = text.strip_suffix(b"\r").unwrap_or(text);
            let number =
                String::from_utf8_lossy(&number).parse().map_err(|e| format!("rg: {e}"))?;
            let path = path.strip_prefix("./").unwrap_or(&path).to_owned();
            lines.insert((path, number), Some(shown(text)));
        }
        Ok(Ok(lines))
    }

    /// The files that ripgrep would search below a directory.
    pub(crate) fn files(&self, dir: &str) -> Result<BTreeSet<String>> {
        let out = self.rg().args(["--files", dir]).output().map_err(|e| format!("rg: {e}"))?;
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        Ok(text.lines().map(|path| path.strip_prefix("./").unwrap_or(path).to_owned()).collect())
    }

    /// ripgrep with what Kitbag passes over and what it does not.
    fn rg(&self) -> Command {
        let mut command = Command::new(self.rg);
        command.current_dir(self.place.root()).env("HOME", self.place.dir().join("home"));
        command.args(["--no-config", "--crlf", "--hidden", "--color=never", "--no-ignore-global"]);
        if !self.place.path(".git").exists() {
            command.arg("--no-require-git");
        }
        ["!.git", "!.hg", "!.svn", "!node_modules/", "!vendor/"].iter().for_each(|glob| {
            command.args(["-g", glob]);
        });
        command.stdin(Stdio::null());
        command
    }
}

/// The result of a call, whether or not it is an error.
pub(crate) fn result(server: &mut Client, tool: &str, input: &Value) -> Result<Value> {
    let id = server.begin(tool, input)?;
    let mut answer = server.answer(id, PATIENCE)?;
    match answer["result"].take() {
        Value::Null => Err(format!("{tool} {input}: {answer}")),
        result => Ok(result),
    }
}

/// What a tool of Floyd's gives, or its error.
pub(crate) fn data(answer: &Value) -> Result<Value> {
    let text = answer["content"][0]["text"].as_str().unwrap_or_default();
    if answer["isError"] == true {
        return Err(text.to_owned());
    }
    let whole: Value = serde_json::from_str(text).map_err(|e| format!("{e}: {text}"))?;
    Ok(whole["data"].clone())
}

/// Adds the lines of a page of kit; the offset of the next page, and whether there are more hits
/// than can be asked for.
fn page(text: &str, lines: &mut Lines) -> Result<Option<(usize, bool)>> {
    let (mut file, mut next) = (String::new(), None);
    for line in text.split('\n') {
        if line.starts_with('[') {
            let number = line.split("\"offset\": ").nth(1).and_then(|rest| rest.split('}').next());
            let number = number.and_then(|number| number.parse().ok()).ok_or(line)?;
            next = Some((number, line.contains("of more than")));
            continue;
        }
        let places = line.find(|c: char| !c.is_ascii_digit() && c != ',' && c != '-');
        let (places, rest) = line.split_at(places.unwrap_or(0));
        match rest.strip_prefix(':') {
            Some(text) if !places.is_empty() => {
                let text = text.strip_prefix(' ').unwrap_or(text);
                for place in places.split(',') {
                    let (first, last) = place.split_once('-').unwrap_or((place, place));
                    for number in number(first)?..=number(last)? {
                        lines.insert((file.clone(), number), Some(text.to_owned()));
                    }
                }
            }
            _ if places.ends_with('-') && rest.starts_with(" … up to line ") => {
                let first = number(places.trim_end_matches('-'))?;
                let last = number(rest.rsplit(' ').next().unwrap_or_default())?;
                (first..=last).for_each(|n| drop(lines.insert((file.clone(), n), None)));
            }
            _ if line == "--" || line.starts_with("(skipped ") => {}
            _ => line.clone_into(&mut file),
        }
    }
    Ok(next)
}

fn number(text: &str) -> Result<u64> {
    text.parse().map_err(|_| format!("{text:?} is no line number"))
}

/// A line as it is shown: bytes that are not UTF-8 replaced, a long one told by its length.
fn shown(line: &[u8]) -> String {
    if line.len() > WHOLE_LINE {
        return format!("[line of {} bytes]", line.len());
    }
    String::from_utf8_lossy(line).into_owned()
}

/// Where the answer is not what it should be, `of` being how many lines it says there are. The end
/// of lines is not compared: kit cuts blanks there.
fn difference(is: &Lines, should: &Lines, of: Option<usize>) -> Option<String> {
    let (all, wanted) = match of {
        Some(of) => (of, should.len().min(COUNTED)),
        None => (is.len(), should.len()),
    };
    if all != wanted {
        let missing = should.keys().find(|at| !is.contains_key(*at));
        let excess = is.keys().find(|at| !should.contains_key(*at));
        return Some(format!(
            "{all} lines instead of {}; the first that is missing: {missing:?}, that should not be: {excess:?}",
            should.len()
        ));
    }
    let most = if of.is_some() { SHOWN } else { usize::MAX };
    // Paths are in the order of their bytes, as they are here.
    let mut pairs = is.iter().zip(should.iter().take(most));
    let differ = pairs.find(|((at, text), (right, wanted))| {
        let (text, wanted) = (text.as_deref(), wanted.as_deref().unwrap_or_default());
        let same = text.is_none_or(|text| match wanted.starts_with("[line of ") {
            true => text.ends_with(wanted),
            false => text.trim_end() == wanted.trim_end(),
        });
        at != right || !same
    });
    differ.map(|(is, should)| format!("{is:?} instead of {should:?}"))
}
