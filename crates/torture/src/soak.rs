//! Programs, edits, git and questions at random over a tree of some size, as long as it is wanted;
//! each answer is held against a fresh look by ripgrep, by git, or at the directory.

mod code;
mod repository;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};

use crate::answers::{self, Question, Servers};
use crate::changes::{self, Changes};
use crate::dice::Dice;
use crate::patterns;
use crate::place::Place;
use crate::texts;
use crate::{Result, Round, said};

/// Files at the beginning.
const FILES: usize = 20_000;
/// Steps for each point of the round, however short the time.
const STEPS: usize = 10;
/// The memory at the beginning is that after so many steps, when the indexes stand.
const SETTLED: usize = 200;
/// Most paths, and most uses, of one answer of Floyd's.
const PATHS: usize = 500;
/// Most changed paths of one answer.
const CHANGED: usize = 2000;

/// What is done and asked, over and over.
struct Soak<'p> {
    place: &'p Place,
    servers: Servers<'p>,
    changes: Changes<'p>,
    dice: Dice,
    /// What was done last, newest last.
    done: Vec<String>,
    /// How often each kind of thing was done or asked.
    counts: BTreeMap<&'static str, usize>,
}

/// Asks and changes until the time is over.
pub(crate) fn round(round: &mut Round<'_>) -> Result {
    let place = Place::new(round.program)?;
    plant(&place, &mut round.dice)?;
    let long = round.dice.once_in(2);
    let mut soak = Soak {
        place: &place,
        servers: Servers::start(&place, round.rg)?,
        changes: Changes {
            root: place.root(),
            text: &code::text,
            hard: &|path, dice| {
                let kind = dice.below(texts::KINDS);
                (!code::is_code(path)).then(|| texts::hard(kind, long, dice))
            },
        },
        dice: Dice::new(round.dice.next()),
        done: Vec::new(),
        counts: BTreeMap::new(),
    };
    let mut memory = Vec::new();
    let mut steps = 0;
    while steps < STEPS * round.points || Instant::now() < round.until {
        soak.act()?;
        let (asked, came) = soak.ask()?;
        round.case(|| format!("step {steps}, {asked} after {:?}", soak.done), came);
        steps += 1;
        if steps == SETTLED {
            patterns::await_index(&place)?;
            memory.push(soak.memory()?);
        }
    }
    memory.push(soak.memory()?);
    round.notes.push(format!("{steps} steps: {:?}", soak.counts));
    round.notes.push(format!("of the server, first and last: {}", memory.join("; ")));
    round.notes.push(format!("{} files at the end", soak.servers.files(".")?.len()));
    Ok(())
}

/// A repository with everything committed.
fn plant(place: &Place, dice: &mut Dice) -> Result {
    for number in 0..FILES {
        let end = if number % 5 == 0 { dice.pick(changes::ENDS) } else { dice.pick(code::CODE) };
        let path = place.path(format!("d{}/m{}/f{number}.{end}", number % 24, number % 240));
        changes::put(&path, &code::text(&path, dice)).map_err(said)?;
    }
    repository::git(place, &["init", "-q", "-b", "main"])?;
    repository::git(place, &["add", "-A"])?;
    repository::git(place, &["commit", "-qm", "all"]).map(drop)
}

impl Soak<'_> {
    /// Does something to the tree, by a program, a tool, git or behind the back of the server.
    fn act(&mut self) -> Result {
        let root = self.place.root();
        let file = changes::some_file(&root, &mut self.dice).unwrap_or_else(|| root.join("a.rs"));
        let rel = file.strip_prefix(&root).unwrap_or(&file).to_owned();
        let text = code::text(&file, &mut self.dice);
        let text = String::from_utf8_lossy(&text).into_owned();
        let path = rel.display().to_string();
        let (kind, done) = match self.dice.below(10) {
            0..=3 => ("changes behind its back", self.changes.change(&mut self.dice)),
            4 => ("acts of git", repository::act(self.place, &rel, &mut self.dice)),
            5 | 6 => {
                let new = changes::new_path(Path::new(""), &mut self.dice);
                let script = script(&rel, &new, &text, &mut self.dice);
                let ran = self.tool("run", &json!({"command": script}))?.is_ok();
                ("programs", format!("{script}: {ran}"))
            }
            7 => {
                let input = json!({"filePath": path, "content": text});
                let done = self.tool("write_file", &input)?.is_ok();
                ("files written", format!("write_file {path}: {done}"))
            }
            8 => {
                let old = fs::read_to_string(&file).unwrap_or_default();
                let line = old.lines().find(|line| line.contains("sym_")).unwrap_or("none");
                let new = line.replace("sym_", "sym_1");
                let edit = json!({"filePath": path, "oldStr": line, "newStr": new, "all": true});
                let done = self.tool("edit_file", &edit)?.is_ok();
                ("files edited", format!("edit_file {path}: {done}"))
            }
            _ => ("steps without a change", "nothing".to_owned()),
        };
        *self.counts.entry(kind).or_default() += 1;
        self.done.push(done);
        if self.done.len() > 6 {
            self.done.remove(0);
        }
        Ok(())
    }

    /// Calls a tool, which may refuse.
    fn tool(&mut self, tool: &str, input: &Value) -> Result<Result<Value>> {
        Ok(answers::data(&answers::result(&mut self.servers.floyd, tool, input)?))
    }

    /// Asks something; what it was, and whether the answer is right.
    fn ask(&mut self) -> Result<(String, Result)> {
        let name = code::name(&mut self.dice);
        let (kind, asked, came) = match self.dice.below(12) {
            0..=3 => {
                let asked = patterns::at_random(&self.place.root(), &mut self.dice);
                ("searches", asked.pattern.clone(), self.servers.agree(&asked).map(drop))
            }
            4 | 5 => {
                let asked = Question { pattern: name, dir: ".".into(), ..Question::default() };
                ("searches of a name", asked.pattern.clone(), self.servers.agree(&asked).map(drop))
            }
            6 => ("find_symbol", name.clone(), self.symbols(&name)?),
            7 => ("find_references", name.clone(), self.references(&name)?),
            8 => {
                let end = *self.dice.pick(changes::ENDS);
                let any = [format!("*.{end}"), format!("f{}*.{end}", self.dice.below(400))];
                let pattern = self.dice.pick(&any).clone();
                ("search_files", pattern.clone(), self.files(&pattern)?)
            }
            9 => ("list_directory", String::new(), self.directory()?),
            _ => ("git_status", String::new(), self.status()?),
        };
        *self.counts.entry(kind).or_default() += 1;
        Ok((format!("{kind} {asked}"), came))
    }

    fn symbols(&mut self, name: &str) -> Result<Result> {
        let answer = self.tool("find_symbol", &json!({"symbol": name}))??;
        let told = places(&answer["symbols"], name);
        let truth = code::definitions(&self.servers, name)?;
        // A name that nothing has is answered with those that begin so.
        let rest = truth.is_empty() || !answer["note"].is_null();
        Ok(same(&told, &truth, rest).map_err(|e| format!("{e}; note {}", answer["note"])))
    }

    fn references(&mut self, name: &str) -> Result<Result> {
        let answer = self.tool("find_references", &json!({"symbol": name}))??;
        let told = places(&answer["references"], name);
        let truth = code::uses(&self.servers, name)?;
        let rest = !answer["note"].is_null() || truth.len() > PATHS;
        Ok(same(&told, &truth, rest).map_err(|e| format!("{e}; note {}", answer["note"])))
    }

    fn files(&mut self, pattern: &str) -> Result<Result> {
        let answer = self.tool("search_files", &json!({"pattern": pattern}))??;
        let paths = strings(&answer["files"]);
        let full = paths.len() == PATHS;
        // ripgrep names no links.
        let told: BTreeSet<String> =
            paths.into_iter().filter(|path| !self.place.path(path).is_symlink()).collect();
        let (start, end) = pattern.split_once('*').unwrap_or((pattern, ""));
        let fits = |path: &String| {
            let name = path.rsplit('/').next().unwrap_or_default();
            name.starts_with(start) && name[start.len()..].ends_with(end)
        };
        let truth = self.servers.files(".")?.into_iter().filter(fits);
        let most = if full { told.len() } else { usize::MAX };
        let truth = truth.take(most).collect();
        Ok(same(&told, &truth, false))
    }

    fn directory(&mut self) -> Result<Result> {
        let root = self.place.root();
        let some = changes::some_file(&root, &mut self.dice).unwrap_or_else(|| root.join("a"));
        let dir = some.parent().unwrap_or(&root).to_owned();
        let path = dir.strip_prefix(&root).unwrap_or(&dir).join(".").display().to_string();
        let answer =
            self.tool("list_directory", &json!({"path": path, "includeHidden": true}))??;
        let entries = answer["entries"].as_array().into_iter().flatten();
        let told: BTreeSet<String> =
            entries.map(|e| format!("{} {} {}", e["name"], e["type"], e["size"])).collect();
        let truth = fs::read_dir(&dir).map_err(said)?.flatten().map(|entry| {
            let meta = entry.metadata().ok();
            let kind = meta.as_ref().map_or("gone", |meta| match () {
                () if meta.is_dir() => "directory",
                () if meta.is_symlink() => "link",
                () => "file",
            });
            let size = meta.filter(|_| kind == "file").map(|meta| meta.len());
            format!(
                "{} {} {}",
                json!(entry.file_name().to_string_lossy()),
                json!(kind),
                json!(size)
            )
        });
        Ok(same(&told, &truth.collect(), false).map_err(|e| format!("{path}: {e}")))
    }

    fn status(&mut self) -> Result<Result> {
        let answer = self.tool("git_status", &json!({}))??;
        let (branch, told) = repository::told(&answer);
        let (real, truth) = repository::status(self.place)?;
        if branch != real {
            return Ok(Err(format!("on branch {branch:?} instead of {real:?}")));
        }
        let rest = truth.len() > CHANGED;
        Ok(same(&told, &truth, rest))
    }

    /// The memory of the server and the directories that it watches.
    fn memory(&mut self) -> Result<String> {
        let process = PathBuf::from(format!("/proc/{}", self.servers.floyd.process().id()));
        let status = fs::read_to_string(process.join("status")).map_err(said)?;
        let lines = status.lines().filter(|l| l.starts_with("VmRSS") || l.starts_with("RssAnon"));
        let memory: Vec<String> = lines.map(|line| line.split_whitespace().collect()).collect();
        let watches = fs::read_dir(process.join("fdinfo")).map_err(said)?.flatten();
        let watches = watches.filter_map(|entry| fs::read_to_string(entry.path()).ok());
        let watches: usize = watches.map(|text| text.matches("inotify wd:").count()).sum();
        Ok(format!("{}, {watches} directories watched", memory.join(" ")))
    }
}

/// What a program does to an old and a new path.
fn script(old: &Path, new: &Path, text: &str, dice: &mut Dice) -> String {
    let mut new = new.to_owned();
    new.set_extension(old.extension().unwrap_or_default());
    let (old, new) = (old.display().to_string(), new.display().to_string());
    let dir = new.rsplit_once('/').map_or(".", |(dir, _)| dir).to_owned();
    let text = text.replace('\'', "_");
    match dice.below(6) {
        0 => format!("mkdir -p '{dir}' && printf '%s' '{text}' > '{new}'"),
        1 => format!("mkdir -p '{dir}' && mv '{old}' '{new}'"),
        2 => format!("mkdir -p '{dir}' && cp '{old}' '{new}' && rm '{old}'"),
        3 => format!("sed -i 's/sym_1/sym_2/' '{old}'"),
        4 => format!("rm -f '{old}'"),
        _ => "true".to_owned(),
    }
}

/// The file and line of each entry whose name, if it has one, is this.
fn places(entries: &Value, name: &str) -> code::Places {
    let all = entries.as_array().into_iter().flatten();
    let named = all.filter(|e| e["name"].is_null() || e["name"] == name);
    named
        .map(|e| {
            (e["file"].as_str().unwrap_or_default().to_owned(), e["line"].as_u64().unwrap_or(0))
        })
        .collect()
}

fn strings(values: &Value) -> BTreeSet<String> {
    let all = values.as_array().into_iter().flatten();
    all.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Whether both are the same; with `rest`, whether all that was told is true.
fn same<T: Ord + Debug>(told: &BTreeSet<T>, truth: &BTreeSet<T>, rest: bool) -> Result {
    let excess: Vec<&T> = told.difference(truth).take(3).collect();
    let missing: Vec<&T> = truth.difference(told).take(3).collect();
    if excess.is_empty() && (rest || missing.is_empty()) {
        return Ok(());
    }
    Err(format!(
        "{} told, {} are; too many {excess:?}, missing {missing:?}",
        told.len(),
        truth.len()
    ))
}
