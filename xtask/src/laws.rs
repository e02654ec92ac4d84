//! The invariants of ARCHITECTURE.md that a program can check, each as a test.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{docs, output, root};

/// Which of our crates use which; no row names a crate that is not used.
const EDGES: &[(&str, &[&str])] = &[
    ("fault", &[]),
    ("files", &["fault", "postings"]),
    ("programs", &["fault", "files"]),
    ("postings", &[]),
    ("syntax", &[]),
    ("index", &["fault", "files", "syntax"]),
    ("isolate", &[]),
    ("web", &["isolate"]),
    ("browser", &["fault", "files", "programs", "web"]),
    ("toolkit", &["browser", "fault", "files", "index", "programs", "web"]),
    (
        "toolsets",
        &["browser", "fault", "files", "index", "isolate", "programs", "syntax", "toolkit", "web"],
    ),
    ("mcp", &["toolkit"]),
    ("agent", &["fault", "files", "toolkit", "web"]),
    ("kitbag", &["agent", "fault", "files", "mcp", "programs", "toolkit", "toolsets", "web"]),
    ("test-client", &[]),
    ("torture", &["test-client"]),
    ("xtask", &["agent", "index", "syntax", "test-client", "toolkit", "toolsets", "torture"]),
];

/// Who may touch what the world is made of, beside tests. `clippy.toml` says the same of std.
const DOORS: &[(&str, &[&str])] = &[
    (
        "rustix::fs",
        &[
            "crates/files/src/workspace",
            "crates/files/src/journal",
            "crates/files/src/tree",
            "crates/files/src/search/walk.rs", // how long the ignore files are, which its library reads
            "crates/files/src/state.rs",
            "crates/programs/src/process",
        ],
    ),
    // What writes without a step.
    ("OwnFiles", &["crates/files/src/own.rs", "crates/toolsets/src/cache"]),
    (
        "Command::new",
        &["crates/programs/src/process", "crates/kitbag/src/cmd/demo", "crates/torture/", "xtask/"],
    ),
    ("env::var", &["crates/kitbag/src/config.rs", "crates/syntax/build.rs", "xtask/"]),
    ("env::current_dir", &["crates/kitbag/src/config.rs"]),
    ("std::net::", &["crates/web/src", "crates/browser/src/bridge", "xtask/src/bench/browser.rs"]),
    ("tokio::net", &["crates/web/src"]),
    ("reqwest::", &["crates/web/src"]),
];

/// Which sources may waive `disallowed_methods`, beside tests, and why; each must still do so.
const WAIVERS: &[(&str, &[&str])] = &[
    ("the door to the files of a project", &["crates/files/src/workspace.rs"]),
    (
        "files of Kitbag's own in the state directory",
        &[
            "crates/files/src/journal/blobs.rs",
            "crates/files/src/journal/layer.rs",
            "crates/files/src/journal/prune.rs",
            "crates/files/src/journal/recover.rs",
            "crates/files/src/journal/store.rs",
            "crates/files/src/partial.rs",
            "crates/files/src/state.rs",
            "crates/files/src/tree/kept.rs",
            "crates/programs/src/process/output.rs",
            "crates/programs/src/process/passing.rs",
            "crates/programs/src/process/scratch.rs",
            "crates/programs/src/process/spill.rs",
        ],
    ),
    (
        "what git keeps for itself, looked at and never changed",
        &[
            "crates/files/src/journal/layer/ignores.rs",
            "crates/files/src/journal/layer/repository.rs",
            "crates/programs/src/git/vetted.rs",
        ],
    ),
    (
        "the host outside of every root: what a view mounts, /proc, control groups",
        &[
            "crates/isolate/src/lib.rs",
            "crates/programs/src/process/cgroup.rs",
            "crates/programs/src/process/denied.rs",
            "crates/programs/src/process/find.rs",
            "crates/programs/src/process/home.rs",
            "crates/programs/src/process/host.rs",
            "crates/programs/src/process/landlock.rs",
            "crates/programs/src/process/port.rs",
            "crates/programs/src/process/view.rs",
            "crates/programs/src/process/view/ops.rs",
            "crates/programs/src/process/watch.rs",
        ],
    ),
    (
        "the door to programs",
        &["crates/programs/src/process/not_started.rs", "crates/programs/src/process/spawn.rs"],
    ),
    ("the door to the network", &["crates/web/src/proxy.rs"]),
    ("the bridge to extensions", &["crates/browser/src/bridge/socket.rs"]),
    ("the terminal of the person", &["crates/kitbag/src/terminal.rs"]),
    ("the settings", &["crates/kitbag/src/config.rs", "crates/kitbag/src/config/layers.rs"]),
    (
        "files that a person asked the command line for",
        &["crates/kitbag/src/cmd/demo.rs", "crates/kitbag/src/cmd/pages.rs"],
    ),
    (
        "no part of the program, or not when it runs",
        &[
            "crates/syntax/build.rs",
            "crates/toolkit/src/lib.rs",
            "crates/toolkit/src/testing.rs",
            "crates/torture/src/lib.rs",
            "xtask/src/main.rs",
        ],
    ),
];

/// The dialects by their directory, and which other one each may import.
const DIALECTS: &[(&str, &[&str])] = &[
    ("fiz", &[]),
    ("floyd", &[]),
    ("floyd_0_1_0", &["floyd"]), // what both documents state alike
    ("kit", &[]),
    ("local", &[]),
    ("stack", &[]),
];

/// Words that say nothing about what a thing is.
const EMPTY_NAMES: &[&str] = &[
    "core", "common", "util", "utils", "helper", "helpers", "manager", "service", "handler", "misc",
];

fn sources() -> Vec<(String, String)> {
    let listed =
        output("git", &["ls-files", "--cached", "--others", "--exclude-standard", "*.rs"]).unwrap();
    let read = |path: &str| {
        let text = std::fs::read_to_string(root().join(path)).ok()?;
        Some((path.to_owned(), text))
    };
    let all: Vec<_> = listed.lines().filter_map(read).collect();
    assert!(all.len() > 20, "git lists only {} sources", all.len());
    all
}

fn is_test(path: &str) -> bool {
    path.contains("/tests/")
        || path.ends_with("/tests.rs")
        || path.ends_with("laws.rs")
        || path.contains("/examples/")
}

/// Whether a source has a tool, be it one that only chooses a command of the project.
fn is_tool(text: &str) -> bool {
    ["impl Tool for", "impl OfProject for"].iter().any(|says| text.contains(says))
}

/// The short name of a package: that of its library and of its directory.
fn short(package: &Value) -> &str {
    let name = package["name"].as_str().unwrap();
    name.strip_prefix("kitbag-").unwrap_or(name)
}

/// What a package depends on when it is built for use.
fn dependencies(package: &Value) -> impl Iterator<Item = &Value> {
    package["dependencies"].as_array().unwrap().iter().filter(|one| one["kind"] != "dev")
}

fn packages() -> Vec<Value> {
    let metadata =
        output("cargo", &["metadata", "--format-version", "1", "--no-deps", "--locked"]).unwrap();
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

#[test]
fn crates_use_what_they_may_and_no_more() {
    let packages = packages();
    let ours = |package| dependencies(package).filter(|d| d["path"].is_string()).map(short);
    let found = packages.iter().map(|package| (short(package), ours(package).collect()));
    let edges = EDGES.iter().map(|(name, uses)| (*name, uses.iter().copied().collect()));
    assert_eq!(
        found.collect::<BTreeMap<_, BTreeSet<_>>>(),
        edges.collect::<BTreeMap<_, BTreeSet<_>>>()
    );
}

#[test]
fn what_knows_no_wire_cannot_be_serialized() {
    let below = ["fault", "files", "index", "programs"];
    for package in packages().iter().filter(|package| below.contains(&short(package))) {
        for one in dependencies(package) {
            let wire = ["rmcp", "schemars", "serde", "tokio"].contains(&short(one));
            assert!(!wire, "{} uses {}", short(package), short(one));
        }
    }
}

#[test]
fn only_the_doors_touch_the_world() {
    for (path, text) in sources().iter().filter(|(path, _)| !is_test(path)) {
        let code: String = text
            .lines()
            .filter(|l| !l.trim_start().starts_with("//"))
            .collect::<Vec<_>>()
            .join("\n");
        for (word, doors) in DOORS {
            let door = doors.iter().any(|door| path.starts_with(door));
            assert!(door || !code.contains(word), "{path} uses {word}; its doors are {doors:?}");
        }
    }
}

#[test]
fn only_what_is_listed_waives_the_doors() {
    let lint = concat!("clippy::disallowed", "_methods");
    let found = sources().into_iter().filter(|(path, text)| !is_test(path) && text.contains(lint));
    let found: BTreeSet<_> = found.map(|(path, _)| path).collect();
    let listed = WAIVERS.iter().flat_map(|(_, paths)| *paths).map(|path| (*path).to_owned());
    let differ: Vec<_> = found.symmetric_difference(&listed.collect()).cloned().collect();
    assert_eq!(differ, [""; 0], "these waive and are not listed, or are listed and do not waive");
}

#[test]
fn dialects_do_not_import_each_other() {
    let folder = "crates/toolsets/src/";
    let found: BTreeSet<_> = toolsets::NAMES.iter().map(|n| n.replace(['-', '.'], "_")).collect();
    assert_eq!(found, DIALECTS.iter().map(|(name, _)| (*name).to_owned()).collect());
    for (path, text) in sources() {
        let Some(inside) = path.strip_prefix(folder).filter(|path| *path != "lib.rs") else {
            continue;
        };
        let own = inside.split('/').next().unwrap_or_default();
        let may = DIALECTS.iter().find(|(name, _)| *name == own).map_or(&[][..], |row| row.1);
        assert!(!text.contains("crate::{"), "{path}: a path in a group is not seen here");
        for (other, _) in DIALECTS.iter().filter(|(other, _)| *other != own && !may.contains(other))
        {
            let named = |from: &str| {
                let path = format!("{from}::{other}");
                text.split(&path)
                    .skip(1)
                    .any(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
            };
            assert!(!named("crate") && !named("super"), "{path} imports the dialect {other}");
        }
    }
}

#[test]
fn files_and_functions_keep_their_size() {
    for (path, text) in sources() {
        let lines = text.lines().count();
        let most = if is_tool(&text) { 200 } else { 400 };
        assert!(is_test(&path) || lines <= most, "{path} has {lines} lines; is there a seam?");
    }
}

#[test]
fn every_module_says_what_it_is_for() {
    for (path, text) in sources().iter().filter(|(path, _)| !is_test(path)) {
        assert!(text.starts_with("//! "), "{path} does not begin with //!");
    }
}

#[test]
fn no_module_is_called_by_an_empty_name() {
    for (path, _) in sources() {
        let stem = Path::new(&path).file_stem().unwrap().to_str().unwrap();
        assert!(!EMPTY_NAMES.contains(&stem), "{path}");
    }
}

#[test]
fn nothing_is_left_unfinished() {
    for (path, text) in sources() {
        for word in [
            concat!("todo", "!("),
            concat!("unimpl", "emented!("),
            concat!("#[ig", "nore"),
            concat!("FIX", "ME"),
            concat!("#[all", "ow("),
        ] {
            let doctest = path == "crates/toolkit/src/lib.rs";
            assert!(!text.contains(word) || doctest, "{path} has {word}");
        }
    }
}

#[test]
fn every_tool_file_is_in_its_index() {
    for name in toolsets::NAMES {
        let module = name.replace(['-', '.'], "_");
        let folder = root().join("crates/toolsets/src").join(module);
        let toolset = toolsets::toolset(name).unwrap();
        let tools: Vec<&str> = toolset.entries().iter().map(|e| e.spec.name).collect();
        for file in std::fs::read_dir(&folder).unwrap() {
            let path = file.unwrap().path();
            if path.is_dir() {
                continue;
            }
            let stem = path.file_stem().unwrap().to_str().unwrap();
            let is_tool = is_tool(&std::fs::read_to_string(&path).unwrap());
            assert!(!is_tool || tools.contains(&stem), "{} is not listed", path.display());
        }
        let file = |tool: &str| format!("{tool}.rs");
        let shared = root().join("crates/toolsets/src/floyd");
        for tool in tools {
            let own = folder.join(file(tool)).exists();
            let of_family = name.starts_with("floyd") && shared.join(file(tool)).exists();
            assert!(own || of_family, "{name} {tool} has no file of its name");
        }
    }
}

/// Who names a language, beside its row and tests: one for each reason.
const NAME_LANGUAGES: &[&str] = &[
    "crates/syntax/src/detect.rs",     // names that several languages use
    "crates/syntax/src/broken.rs",     // whose preprocessor leaves parts out
    "crates/syntax/src/declarator.rs", // what C says of names that other files define
    "crates/syntax/src/doubled.rs",    // what a language has only once
    "crates/syntax/src/newer.rs",      // what a grammar does not know yet
    "crates/syntax/src/strict.rs",     // what a grammar takes though its language does not
    "crates/syntax/src/uses.rs",       // from where on a variable is known
    "crates/index/src/verdict/absent.rs", // how names are brought in
    "crates/index/src/verdict/made.rs", // what makes names while it runs
    "crates/index/src/verdict/means.rs", // what is within reach without an import
    "crates/index/src/verdict/members.rs", // how the type of a value is written
    "crates/index/src/verdict/broken.rs", // where macros may change what is valid
    "crates/index/src/verdict/exports.rs", // what others may bring in or use
    "crates/index/src/verdict/plain.rs", // annotations and traits that are known
    "crates/index/src/verdict/gone.rs", // what a class says it is built upon
    "crates/index/src/verdict/lost.rs", // names that are known without an import
    "crates/index/src/verdict/sources.rs", // the file that an import means
    "crates/index/src/verdict/uses.rs", // what a path in code means
    "crates/toolsets/src/floyd/list_symbols.rs", // words of Floyd's for some symbols of Rust
    "xtask/src/quality/sentences.rs",  // where comments stand
];

#[test]
fn a_language_is_a_row() {
    let row = "crates/syntax/src/languages.rs";
    for (path, text) in sources().iter().filter(|(path, _)| !is_test(path) && path != row) {
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let code = code.collect::<Vec<_>>().join("\n");
        let mut all = syntax::Language::ALL.iter();
        let names = all.any(|one| code.contains(&format!("Language::{one:?}")));
        assert_eq!(names, NAME_LANGUAGES.contains(&path.as_str()), "{path}");
    }
}

/// Wordings that `docs/style.md` replaces by plain ones.
const OLD_WORDS: &[&str] = &[
    "by leave of",
    "obey by themselves",
    "obey it by themselves",
    "for ever ",
    "stands there",
    "stands here",
    "that is none",
    "that there is not",
    "` is none;",
    " folder",
    "subfolder",
];

/// Sentences for people and models: pages, descriptions and messages. Code has other names.
#[test]
fn words_are_those_of_the_style_page() {
    let listed =
        output("git", &["ls-files", "*.md", "crates/toolsets/tests/golden/*.json"]).unwrap();
    let pages = listed.lines().filter(|p| *p != "docs/style.md").filter_map(|path| {
        Some((path.to_owned(), std::fs::read_to_string(root().join(path)).ok()?))
    });
    let messages = sources().into_iter().filter(|(path, _)| path.starts_with("crates/fault/"));
    let mut looked = 0;
    for (path, text) in pages.chain(messages) {
        looked += 1;
        for (at, line) in text.lines().enumerate() {
            let old = OLD_WORDS.iter().find(|word| line.contains(**word));
            assert!(old.is_none(), "{path}:{}: `{}`, see docs/style.md", at + 1, old.unwrap());
        }
    }
    assert!(looked > 20, "only {looked} files were looked at");
}

/// The page says where things are: each path in backquotes is there, and what a row of the table
/// says begins in a file does.
#[test]
fn places_of_the_contributing_page_are_as_it_says() {
    let page = std::fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let prose: String = page.split("```").step_by(2).collect();
    let quoted = |text: &str| -> Vec<String> {
        text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let made_by_a_command = "crates/toolsets/src/fiz/foo.rs";
    for path in quoted(&prose)
        .iter()
        .filter(|word| word.starts_with("crates/") || word.starts_with("docs/"))
    {
        let is_there = root().join(path).exists();
        assert!(is_there != (path == made_by_a_command), "{path}");
    }
    let rows = page.lines().filter(|line| line.starts_with("| ") && line.contains(".rs`"));
    let mut looked = 0;
    for row in rows {
        let words = quoted(row.rsplit('|').nth(2).unwrap());
        let file = std::fs::read_to_string(root().join(&words[0])).unwrap();
        let name = &quoted(row.rsplit('|').nth(1).unwrap())[0];
        let begins = ["fn", "struct", "enum", "const"]
            .iter()
            .flat_map(|kind| ["(", "<", ":", " {"].map(|end| format!("{kind} {name}{end}")))
            .any(|item| file.contains(&item));
        assert!(begins, "{name} does not begin in {}", words[0]);
        looked += 1;
    }
    assert!(looked >= 10, "{looked}");
}

#[test]
fn generated_pages_are_fresh() {
    let mut pages: Vec<(PathBuf, String)> = docs::pages().unwrap();
    pages.push(docs::command_line().unwrap());
    let mut stale = Vec::new();
    for (path, text) in pages {
        if std::fs::read_to_string(&path).unwrap_or_default() != text {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            stale.push(path);
        }
    }
    assert!(stale.is_empty(), "rewritten, look at the difference and run again: {stale:?}");
}

#[test]
fn the_repository_names_no_machine_and_no_registry() {
    let listed =
        output("git", &["ls-files", "--cached", "--others", "--exclude-standard"]).unwrap();
    for path in listed.lines().filter(|p| *p != "Cargo.lock") {
        let Ok(text) = std::fs::read_to_string(root().join(path)) else { continue };
        for word in [
            concat!("/wo", "rk/"),
            concat!("/ro", "ot/"),
            concat!("index.crates", ".io"),
            concat!("pypi", ".org"),
        ] {
            // `/proc/self/root/` is no directory of this machine.
            let alone = |at: usize| !text[..at].ends_with(|c: char| c.is_alphanumeric());
            let named = text.match_indices(word).any(|(at, _)| alone(at));
            assert!(!named, "{path} names {word}");
        }
    }
}
