//! What tasks cost in each toolset: a script of calls for each, as somebody makes them who knows the
//! tools, run on a published crate. `docs/economy.md` has the table; it is rewritten where calls
//! differ from it, or bytes by more than a tenth.

mod tasks;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use toolkit::Policy;
use toolkit::serde_json::{self, Value, json};
use toolkit::testing::run;

use crate::{open, place};

/// The crate that the tasks are about: it is built with the command line.
const CRATE: &str = "heck";

/// The toolsets that are compared.
const TOOLSETS: [&str; 3] = ["kit", "fiz", "floyd"];

/// One task, and the calls that do it in each toolset, in the order of [`TOOLSETS`]; none where it
/// cannot be done.
struct Task {
    name: &'static str,
    /// Changes of the crate before: file, text, its replacement. An empty text is a new file.
    before: &'static [(&'static str, &'static str, &'static str)],
    calls: [&'static [Step]; 3],
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
        let costs = [0, 1, 2].map(|nth| match task.calls[nth] {
            [] => None,
            steps => Some(cost(&source, task, TOOLSETS[nth], steps).unwrap_or_else(|problem| {
                wrong.push(format!("{} in {}: {problem}", task.name, TOOLSETS[nth]));
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

fn cost(source: &Path, task: &Task, toolset: &str, steps: &[Step]) -> Result<Cost, String> {
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
    let session = open(&place, toolset, Policy::Trust);
    let mut cost = Cost::default();
    for (tool, arguments, says) in steps {
        let input: Value =
            serde_json::from_str(arguments).map_err(|e| format!("{arguments}: {e}"))?;
        cost.sent += tool.len() + input.to_string().len();
        let done = run(&session, tool, input);
        let text = done.body.to_text();
        let pictured = *says == "(picture)" && !done.pictures.is_empty();
        if !text.contains(says) && !pictured {
            return Err(format!("{tool} {arguments} does not say {says:?}: {text}"));
        }
        cost.calls += 1;
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

fn page(rows: &[(&str, [Option<Cost>; 3])]) -> String {
    let mut text = format!(
        "# What tasks cost\n\n\
         Made by the test `economy` of the crate `toolsets`, which runs every call of the script \
         in\n`crates/toolsets/tests/it/economy/tasks.rs` on the published crate `{CRATE}` and holds \
         this page to what\nthey cost. Each script is what somebody calls who knows the tools and \
         knows where to look; the answers\nmust say what was wanted. A cell is calls, bytes sent \
         (name and arguments) and bytes received (text;\npictures are not counted). Where a toolset \
         cannot do a task there is a dash. Bold is\nfewest bytes.\n\n\
         | task | kit | fiz | floyd |\n|---|---|---|---|\n"
    );
    let (mut sums, mut best, mut lost) = ([Cost::default(); 3], [0; 3], Vec::new());
    for (name, costs) in rows {
        let all = costs.iter().flatten().map(|cost| cost.sent + cost.received).min();
        let _ = write!(text, "| {name} |");
        for (nth, cost) in costs.iter().enumerate() {
            let cell = match cost {
                None => "–".to_owned(),
                Some(cost) => {
                    let is_best = Some(cost.sent + cost.received) == all;
                    if nth == 0 && !is_best {
                        lost.push(*name);
                    }
                    best[nth] += usize::from(is_best);
                    let mark = if is_best { "**" } else { "" };
                    format!("{mark}{}, {}, {}{mark}", cost.calls, cost.sent, cost.received)
                }
            };
            let _ = write!(text, " {cell} |");
        }
        text.push('\n');
        if let [Some(kit), Some(fiz), Some(floyd)] = costs {
            for (sum, cost) in sums.iter_mut().zip([kit, fiz, floyd]) {
                sum.calls += cost.calls;
                sum.sent += cost.sent;
                sum.received += cost.received;
            }
        }
    }
    let sum = |of: Cost| format!("{}, {}, {}", of.calls, of.sent, of.received);
    let [kit, fiz, floyd] = sums.map(sum);
    let _ = writeln!(text, "| sum of what all can do | {kit} | {fiz} | {floyd} |");
    let [kit, fiz, floyd] = TOOLSETS.map(definitions);
    let _ = writeln!(text, "| definitions, bytes, once a session | {kit} | {fiz} | {floyd} |");
    let [kit, fiz, floyd] = best;
    let _ = writeln!(
        text,
        "\nFewest bytes: kit in {kit} of {} tasks, fiz in {fiz}, floyd in {floyd}.\n\n\
         What kit loses: {}.\n\n\
         One shell line can do what several calls do, in kit as in fiz; where that is the better way \
         all three\nhave the same line. A long output is shown by its last 40 lines, where `tail -20` \
         asks for fewer.",
        rows.len(),
        lost.join("; ")
    );
    text
}

/// Bytes of the definitions as models get them.
fn definitions(toolset: &str) -> usize {
    let toolset = toolsets::toolset(toolset).unwrap();
    let one = |entry: &toolkit::Entry| {
        let definition = entry.definition();
        let input = Value::Object(definition.input.clone()).to_string();
        entry.spec.name.len() + definition.description.len() + input.len()
    };
    toolset.entries().iter().map(one).sum()
}

/// Whether two pages say the same, but for numbers of bytes that differ by less than a tenth: times
/// and paths of temporary directories are in them.
fn near(old: &str, new: &str) -> bool {
    let words = |page: &str| -> Vec<String> {
        page.split([' ', '*', ',', '\n']).filter(|w| !w.is_empty()).map(str::to_owned).collect()
    };
    let (old, new) = (words(old), words(new));
    let same = |(old, new): (&String, &String)| match (old.parse::<f64>(), new.parse::<f64>()) {
        (Ok(old), Ok(new)) => (old - new).abs() <= new.abs() / 10.0 && (new > 50.0 || old == new),
        _ => old == new,
    };
    old.len() == new.len() && old.iter().zip(&new).all(same)
}
