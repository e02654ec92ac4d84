//! Files that programs leave beside the root, and what is said of them.

use serde_json::json;

use crate::place::{Place, skipped};

fn program(place: &Place, words: &[&str]) -> std::process::Command {
    let home = place.dir.path().join("home");
    std::fs::create_dir_all(home.join(".config/pip")).unwrap();
    std::fs::write(home.join(".config/pip/pip.conf"), "[global]\n").unwrap();
    std::fs::write(home.join(".gitconfig"), "[user]\n\tname = A\n").unwrap();
    let mut program = place.program(words);
    program.env("HOME", home);
    program
}

const REMOVED: &str = "removed when this session ends: ";

#[test]
fn files_in_the_home_of_programs_are_named_once_as_not_lasting() {
    let place = Place::new();
    let home = place.dir.path().join("home");
    let command = program(&place, &["serve", "--toolset", "fiz", "--policy", "trust"]);
    let mut fiz = crate::client::Server::start(command, false);
    let mut bash = |script: &str| fiz.call("bash", &json!({"command": script})).ok().to_owned();
    let looked =
        bash("echo x > a; cat ~/.gitconfig; cp a /tmp/a; mkdir -p ~/.cache/x; cp a ~/.cache/x");
    if !looked.contains("name = \"A\"") {
        return skipped("programs have no home of their own here");
    }
    assert!(!looked.contains(REMOVED), "{looked}");
    let said =
        bash("mkdir -p ~/.local/bin; for i in 1 2 3 4 5; do echo x > ~/.local/bin/tool$i; done");
    let home = home.canonicalize().unwrap();
    let named = format!(
        "{REMOVED}{0}/.local/bin/tool1, {0}/.local/bin/tool2, {0}/.local/bin/tool3 and 2 more; ",
        home.display()
    );
    assert!(said.contains(&named) && said.contains("--expose DIR"), "{said}");
    let said = bash("ls ~/.local/bin /tmp");
    assert!(said.contains("tool1") && said.contains("\na\n") && !said.contains(REMOVED), "{said}");
    let said = bash("git config --global user.email a@example.org");
    assert!(said.contains(&format!("{REMOVED}{}/.gitconfig; ", home.display())), "{said}");
}

#[test]
fn a_single_call_names_what_it_left_in_its_tmp() {
    let place = Place::new();
    let script = "command=echo x > a; cp a /tmp/out; rm -f ~/none";
    let ran = program(&place, &["call", "bash", script, "--policy", "trust"]).output().unwrap();
    let told = String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned();
    if std::path::Path::new("/tmp/out").exists() {
        return skipped("programs have no /tmp of their own here");
    }
    assert!(told.contains(&format!("{REMOVED}/tmp/out; ")), "{told}");
    let script = "command=mktemp -d > a; rmdir $(cat a)";
    let ran = program(&place, &["call", "bash", script, "--policy", "trust"]).output().unwrap();
    let told = String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned();
    assert!(!told.contains(REMOVED), "{told}");
}
