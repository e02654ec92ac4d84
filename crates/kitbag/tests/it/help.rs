//! What the command line says of itself: the help of a tool, completions, the doctor, its words.

use serde_json::Value;

use crate::place::{Place, Ran, skipped};

#[test]
fn a_tool_is_described_with_its_parameters_and_examples() {
    let place = Place::new();
    let page = place.ok(&["tools", "insert_at", "--toolset", "floyd"]);
    for part in ["insert_at: ", "Needs permission: ", "lineNumber", "integer from 0, required"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(page.contains("$ kitbag call insert_at '{"), "{page}");
    let called = place.ok(&["call", "insert_at", "--help", "--toolset", "floyd"]);
    assert_eq!(called, page);
    assert!(place.ok(&["call", "--help"]).contains("Usage: kitbag call [OPTIONS] <TOOL>"));
    let one: Value =
        serde_json::from_str(&place.ok(&["tools", "read", "--format", "json"])).unwrap();
    assert_eq!((one.as_array().unwrap().len(), &one[0]["name"]), (1, &Value::from("read")));
    let ran = place.run(&["tools", "raed"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.err.contains("did you mean read"), "{ran:?}");
    assert!(place.ok(&["tools"]).contains("= minimal: "));
}

#[test]
fn files_are_found_by_letters_of_their_paths() {
    let place = Place::new();
    for path in ["src/journal/undo.rs", "src/journal/redo.rs", "notes.md"] {
        place.write(path, "");
    }
    assert_eq!(place.ok(&["find", "notmd"]), "notes.md\n");
    // The letters of both, the better one first.
    assert_eq!(place.ok(&["find", "jundo"]), "src/journal/undo.rs\nsrc/journal/redo.rs\n");
    let found: Value =
        serde_json::from_str(&place.ok(&["find", "--json", "--max", "1", "rs"])).unwrap();
    assert_eq!((found["paths"].as_array().unwrap().len(), &found["total"]), (1, &Value::from(2)));
    let ran = place.run(&["find", "nothing", "such"]);
    assert_eq!((ran.code, &*ran.out), (Some(1), ""), "{ran:?}");
}

/// The lines of a help text below a heading.
fn below<'h>(help: &'h str, heading: &str) -> Vec<&'h str> {
    let after = help.split_once(&format!("\n{heading}:\n")).map_or("", |(_, after)| after);
    let inside = |line: &&str| line.is_empty() || line.starts_with(' ');
    after.lines().take_while(inside).map(str::trim_start).collect()
}

#[test]
fn each_flag_of_the_help_is_below_its_heading() {
    let place = Place::new();
    let list = place.ok(&["help"]);
    let commands = list.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let mut looked = 0;
    for command in commands.filter(|name| !name.is_empty() && !name.starts_with('-')) {
        let help = place.ok(&["help", command]);
        // What commands share can be set in the environment.
        for heading in ["Project", "Policy", "Programs", "Web", "Browser", "Model"] {
            let shared = below(&help, heading);
            let flags = shared.iter().filter(|line| line.starts_with("--")).count();
            let settable = shared.iter().filter(|line| line.contains("[env:")).count();
            assert_eq!(flags, settable, "{command}, {heading}: {help}");
            looked += flags;
        }
    }
    assert!(looked > 60, "{looked}");
    let undo = place.ok(&["undo", "--help"]);
    let own = below(&undo, "Options");
    for flag in ["--force", "--session", "--to", "--dry-run", "--json", "-h, --help"] {
        assert!(own.iter().any(|line| line.starts_with(flag)), "{flag}: {undo}");
    }
}

/// What bash offers for the last of these words.
fn completed(place: &Place, words: &str) -> String {
    let script = place.dir.path().join("completions");
    std::fs::write(&script, place.ok(&["completions", "bash"])).unwrap();
    let (before, last) = words.rsplit_once(' ').unwrap();
    let previous = before.rsplit(' ').next().unwrap();
    let line = format!(
        "source {}; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
         _kitbag kitbag {last} {previous}; echo ${{COMPREPLY[@]}}",
        script.display()
    );
    let ran = Ran::of(std::process::Command::new("bash").args(["-c", &line]).output().unwrap());
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{words}");
    ran.out.trim().to_owned()
}

#[test]
fn bash_completes_toolsets_tools_and_policies() {
    let place = Place::new();
    for (words, offered) in [
        ("kitbag serve --toolset st", "stack"),
        ("kitbag serve --policy au", "auto"),
        ("kitbag call rem", "remember"),
        ("kitbag call grep_s", ""),
        ("kitbag tools apply_u", ""),
        ("kitbag call --toolset floyd grep", "grep_search"),
        ("kitbag call --toolset = stack grep", "grep"),
        ("kitbag tools --toolset floyd-0.1.0 grep", "grep"),
        ("kitbag tools --toolset floyd apply_u", "apply_unified_diff"),
    ] {
        assert_eq!(completed(&place, words), offered, "{words}");
    }
    for shell in ["zsh", "fish"] {
        let script = place.ok(&["completions", shell]);
        for name in ["stack", "read-only", "remember"] {
            assert!(script.contains(name), "{shell}: {name}");
        }
    }
}

#[test]
fn fish_and_zsh_complete_the_tools_of_the_toolset() {
    let place = Place::new();
    let script = place.dir.path().join("completions");
    let offered = |shell: &str, line: &str| {
        std::fs::write(&script, place.ok(&["completions", shell])).unwrap();
        let source = script.display();
        let line = match shell {
            "fish" => format!("source {source}; complete -C '{line}'"),
            // The names are all that is asked for.
            _ => format!(
                "compdef() {{ }}; source {source}; compadd() {{ shift; echo $@ }}; words=({line}); \
                 _kitbag_tools"
            ),
        };
        match std::process::Command::new(shell).args(["-c", &line]).output() {
            Ok(done) => Some(Ran::of(done)),
            Err(_) => {
                skipped(&format!("no {shell}"));
                None
            }
        }
    };
    for (line, has, has_not) in [
        ("kitbag call ", "remember", "grep_search"),
        ("kitbag call --toolset floyd ", "grep_search", "remember"),
        ("kitbag tools --toolset=stack ", "memory_save", "grep_search"),
    ] {
        for shell in ["fish", "zsh"] {
            let Some(ran) = offered(shell, line) else { continue };
            let words: Vec<_> = ran.out.split_whitespace().collect();
            assert!(words.contains(&has) && !words.contains(&has_not), "{shell} {line}: {ran:?}");
        }
    }
}

#[test]
fn failures_speak_of_flags_to_a_person_and_of_the_server_to_a_model() {
    let place = Place::new();
    for words in [
        &["call", "bash", "command=true"][..],
        &["call", "write", "path=a", "content=x", "--policy", "read-only"],
        &["call", "read", "path=../out"],
        &["call", "write", "path=.envrc", "content=x"],
    ] {
        let ran = place.run(words);
        assert!(ran.err.contains("use --") && !ran.err.contains("server"), "{words:?}: {ran:?}");
    }
    let mut fiz = place.serve("fiz", "read-only");
    let shown = fiz.call("write", &serde_json::json!({"path": "a", "content": "x"}));
    assert!(shown.text().contains("start Kitbag with --policy"), "{shown:?}");
}

#[test]
fn the_doctor_names_what_is_missing_and_what_is_too_wide() {
    let place = Place::new();
    let look = |words: &[&str], what: &str| {
        let words = [&["doctor", "--json"][..], words].concat();
        let found: Vec<Value> = serde_json::from_str(&place.run(&words).out).unwrap();
        let one = found.iter().find(|f| f["what"] == what);
        let one = one.unwrap_or_else(|| panic!("{what}: {found:?}"));
        let text = |key: &str| one[key].as_str().unwrap().to_owned();
        (text("health"), text("says"))
    };
    let (health, says) = look(&[], "web search");
    assert!(health == "weaker" && says.contains("--web-search"), "{says}");
    let (health, _) = look(&["--web-search", "duckduckgo"], "web search");
    assert_eq!(health, "works");
    let (health, says) = look(&["--sandbox", "off"], "sandbox");
    assert!(health == "weaker" && says.contains("switched off"), "{says}");
    let (_, says) = look(&["--layer", "off"], "sandbox");
    assert!(!says.contains("in a layer"), "{says}");
    let (health, says) = look(&["--root", "/", "--sandbox", "off"], "root");
    assert!(health == "weaker" && says.contains("the whole file system"), "{says}");
    for what in ["memory", "browser", "index", "cache", "git"] {
        assert!(!look(&[], what).1.is_empty());
    }
}
