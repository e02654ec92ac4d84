//! What tasks cost in each toolset, and with the tools that two hosts have: a script of calls for
//! each, as somebody makes them who knows the tools, run on a published crate. `docs/economy.md` has
//! the table; it is rewritten where calls differ from it, or bytes by more than a tenth.

mod hosts;
mod hosts_calls;
mod tasks;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use toolkit::Policy;
use toolkit::serde_json::{self, Value, json};
use toolkit::testing::run;

use crate::{open, place};

use self::hosts::Host;

/// The crate that the tasks are about: it is built with the command line.
const CRATE: &str = "heck";

/// The toolsets that are compared, then the hosts whose tools are.
const COLUMNS: [&str; 5] = ["kit", "fiz", "floyd", "Claude Code", "Codex"];
const TOOLSETS: usize = 3;

/// The tasks whose answer is a text of the project, which every tool has to send.
const TEXTS: [&str; 4] = [
    "read one function, wherever it is",
    "explain: the README, the files, two definitions",
    "a server: start, ask, read its log, in one line",
    "read a file again that did not change",
];

/// What is above the table, and below it.
const HEAD: &str = "\
# What tasks cost

Made by the test `economy` of the crate `toolsets`, which runs every call of the scripts in
`crates/toolsets/tests/it/economy` on the published crate `heck` and holds this page to what they
cost. Each script is what somebody calls who knows the tools and knows where to look; the answers
must say what was wanted. A cell is calls, bytes sent (name and arguments) and bytes received (text;
pictures are not counted). Where a task cannot be done there is a dash. Bold is fewest bytes.

Claude Code and Codex are not here. Their columns are models of what is published of their tools:
stand-ins (`hosts.rs` beside the scripts) with the same parameters, which run real programs and answer
in the same shape, without the reminders and descriptions that those hosts add. Claude Code edits
nothing that was not read before, so its scripts read one line of such a file; kit changes no line by
its number that was not read, so its script reads these two.

";
const NOTES: &str = "\
One shell line can do what several calls do, in kit as in the others; where that is the better way
all have the same line. Codex has little else, so its scripts use more of them: that is shortest where
the answer is a text, which `cat` shows without the numbers of its lines. Fetching by Claude Code is
answered by another model and is not modelled: its script uses curl.
";

/// One task, and the calls that do it in each toolset, in the order of [`COLUMNS`]; none where it
/// cannot be done. Those of the hosts are beside.
struct Task {
    name: &'static str,
    /// Changes of the crate before: file, text, its replacement. An empty text is a new file.
    before: &'static [(&'static str, &'static str, &'static str)],
    calls: [&'static [Step]; TOOLSETS],
    /// What a file must hold afterwards.
    after: &'static [(&'static str, &'static str)],
}

/// A tool, its arguments, and what its answer must say.
type Step = (&'static str, &'static str, &'static str);

/// What a task cost.
#[derive(Clone, Copy, Default)]
struct Cost {
    calls: usize,
    sent: usize,
    received: usize,
}

#[test]
fn the_table_of_the_page_is_what_the_calls_cost() {
    let source = source();
    let mut rows = Vec::new();
    let mut wrong = Vec::new();
    for task in tasks::ALL {
        let hosts = hosts_calls::ALL.iter().find(|(name, _)| *name == task.name);
        let calls = [&task.calls[..], &hosts.expect(task.name).1].concat();
        let costs = std::array::from_fn(|nth| match calls[nth] {
            [] => None,
            steps => Some(cost(&source, task, COLUMNS[nth], steps).unwrap_or_else(|problem| {
                wrong.push(format!("{} in {}: {problem}", task.name, COLUMNS[nth]));
                Cost::default()
            })),
        });
        rows.push((task.name, costs));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    let page = page(&rows);
    let path = Path::new("../../docs/economy.md");
    let old = fs::read_to_string(path).unwrap_or_default();
    if !near(&old, &page) {
        fs::write(path, page).unwrap();
        panic!("docs/economy.md is rewritten: look at the difference and run again");
    }
}

/// Where the sources of the crate are.
fn source() -> PathBuf {
    let cargo = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline"])
        .output()
        .unwrap();
    let all: Value = serde_json::from_slice(&cargo.stdout).unwrap();
    let packages = all["packages"].as_array().unwrap();
    let found = packages.iter().find(|package| package["name"] == CRATE).unwrap();
    Path::new(found["manifest_path"].as_str().unwrap()).parent().unwrap().to_owned()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (from, to) = (entry.as_ref().unwrap().path(), to.join(entry.unwrap().file_name()));
        match from.is_dir() {
            true => copy(&from, &to),
            false => fs::write(&to, fs::read(&from).unwrap()).unwrap(),
        }
    }
}

fn cost(source: &Path, task: &Task, column: &str, steps: &[Step]) -> Result<Cost, String> {
    let place = place(&[], |settings| settings.web.allow = vec!["127.0.0.1".to_owned()]);
    copy(source, &place.root());
    place.write(".gitignore", "/target\n");
    fs::write(place.path("logo.png"), tasks::PICTURE).unwrap();
    for (file, old, new) in task.before {
        let text = if old.is_empty() { String::new() } else { place.read(file) };
        assert!(text.contains(old), "{}: {file} has no {old}", task.name);
        place.write(file, &if old.is_empty() { (*new).to_owned() } else { text.replace(old, new) });
    }
    // As in a session that has been at work: the grammar is known.
    let earlier = open(&place, "kit", Policy::Trust);
    run(&earlier, "search", json!({"query": "transform", "mode": "refs"}));
    let is_ours = toolsets::toolset(column).is_some();
    let session = open(&place, if is_ours { column } else { "kit" }, Policy::Trust);
    let mut host = (!is_ours).then(|| Host::new(&place, session.clone()));
    let mut cost = Cost::default();
    for (tool, arguments, says) in steps {
        let (sent, (text, pictured)) = match &mut host {
            Some(host) => {
                // A patch is sent as it is; else without the spaces that the script has.
                let input = serde_json::from_str::<Value>(arguments);
                let sent = input.map_or(arguments.len(), |input| input.to_string().len());
                (sent, host.call(tool, arguments))
            }
            None => {
                let input: Value =
                    serde_json::from_str(arguments).map_err(|e| format!("{arguments}: {e}"))?;
                let (sent, done) = (input.to_string().len(), run(&session, tool, input));
                (sent, (done.body.to_text(), !done.pictures.is_empty()))
            }
        };
        let shown = pictured && *says == "(picture)";
        if !shown && !text.contains(says) {
            return Err(format!("{tool} {arguments} does not say {says:?}: {text}"));
        }
        cost.calls += 1;
        cost.sent += tool.len() + sent;
        cost.received += text.len();
    }
    for (file, holds) in task.after {
        let text = place.read(file);
        if !text.contains(holds) {
            return Err(format!("{file} does not hold {holds:?}: {text}"));
        }
    }
    Ok(cost)
}

type Row<'a> = (&'a str, [Option<Cost>; COLUMNS.len()]);

fn page(rows: &[Row<'_>]) -> String {
    let rule = "---|".repeat(COLUMNS.len());
    let mut text = format!("{HEAD}| task | {} |\n|---|{rule}\n", COLUMNS.join(" | "));
    let (mut sums, mut best) = ([Cost::default(); COLUMNS.len()], [0; COLUMNS.len()]);
    let mut texts = sums;
    let mut lost = Vec::new();
    for (name, costs) in rows {
        let all = costs.iter().flatten().map(Cost::bytes).min();
        let _ = write!(text, "| {name} |");
        for (nth, cost) in costs.iter().enumerate() {
            let is_best = cost.is_some_and(|cost| Some(cost.bytes()) == all);
            best[nth] += usize::from(is_best);
            if nth == 0 && !is_best {
                lost.push(*name);
            }
            let mark = if is_best { "**" } else { "" };
            let cell = cost.map_or("–".to_owned(), |cost| cost.cell());
            let _ = write!(text, " {mark}{cell}{mark} |");
        }
        text.push('\n');
        if costs.iter().all(Option::is_some) {
            sums.iter_mut().zip(costs.iter().flatten()).for_each(|(sum, cost)| sum.add(cost));
            if TEXTS.contains(name) {
                texts.iter_mut().zip(costs.iter().flatten()).for_each(|(sum, cost)| sum.add(cost));
            }
        }
    }
    let row = |name: &str, cells: Vec<String>| format!("| {name} | {} |\n", cells.join(" | "));
    text += &row("sum of what all can do", sums.iter().map(Cost::cell).collect());
    let ratio = |sum: &Cost| format!("{:.2}", sums[0].bytes() as f64 / sum.bytes() as f64);
    text += &row("kit is of that", sums.iter().map(ratio).collect());
    let definitions = |name: &&str| definitions(name).map_or("–".to_owned(), |n| n.to_string());
    text += &row("definitions, bytes, once a session", COLUMNS.iter().map(definitions).collect());
    let [kit, fiz] = [0, 1].map(|nth| sums[nth].bytes() as f64);
    let [kit_texts, fiz_texts] = [0, 1].map(|nth| texts[nth].bytes() as f64);
    let half = (fiz / 2.0).round();
    assert!(half < kit_texts, "the page says otherwise");
    let best: Vec<_> = COLUMNS.iter().zip(best).map(|(name, n)| format!("{name} in {n}")).collect();
    let _ = write!(
        text,
        "\nFewest bytes, of {} tasks: {}.\n\nWhat kit loses: {}.\n\nThe answer to {} of the tasks \
         is a text of the project, which every tool has to send: {kit_texts} of the {kit}\nbytes of \
         kit. There kit is {:.2} of fiz, in the other tasks {:.2}. Half of fiz in the sum, {half} \
         bytes,\nis less than those texts take with the numbers of their lines.\n\n{NOTES}",
        rows.len(),
        best.join(", "),
        lost.join("; "),
        TEXTS.len(),
        kit_texts / fiz_texts,
        (kit - kit_texts) / (fiz - fiz_texts)
    );
    text
}

impl Cost {
    fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.sent += other.sent;
        self.received += other.received;
    }

    fn bytes(&self) -> usize {
        self.sent + self.received
    }

    fn cell(&self) -> String {
        format!("{}, {}, {}", self.calls, self.sent, self.received)
    }
}

/// Bytes of the definitions as models get them, of a toolset of ours.
fn definitions(column: &str) -> Option<usize> {
    let toolset = toolsets::toolset(column)?;
    let one = |entry: &toolkit::Entry| {
        let definition = entry.definition();
        let input = Value::Object(definition.input.clone()).to_string();
        entry.spec.name.len() + definition.description.len() + input.len()
    };
    Some(toolset.entries().iter().map(one).sum())
}

/// Whether two pages say the same, but for numbers of bytes that differ by less than a tenth: times
/// and paths of temporary directories are in them.
fn near(old: &str, new: &str) -> bool {
    let words = |page: &str| -> Vec<String> {
        page.split([' ', '*', ',', '\n']).filter(|w| !w.is_empty()).map(str::to_owned).collect()
    };
    let (old, new) = (words(old), words(new));
    let same = |(old, new): (&String, &String)| match (old.parse::<f64>(), new.parse::<f64>()) {
        (Ok(old), Ok(new)) => {
            let may_differ = new > 50.0 || new.fract() != 0.0;
            old == new || may_differ && (old - new).abs() <= new.abs() / 10.0
        }
        _ => old == new,
    };
    old.len() == new.len() && old.iter().zip(&new).all(same)
}
