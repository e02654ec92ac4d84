//! The toolset kit through the real server and the command line.

use serde_json::json;

use crate::place::Place;

const SHOP: &[(&str, &str)] = &[
    ("stock.py", "def take(count):\n    return count\n"),
    ("shop.py", "from stock import take\n\nprint(take(2))\n"),
];

#[test]
fn a_session_reads_edits_is_told_what_broke_and_takes_it_back() {
    let place = Place::with(SHOP);
    let mut kit = place.serve("kit", "trust");
    let read = kit.call("read", &json!({"paths": ["stock.py#take", "shop.py:3"]}));
    assert_eq!(
        read.ok(),
        "== stock.py\n1\tdef take(count):\n2\t    return count\n== shop.py\n3\tprint(take(2))\n"
    );
    let edit = json!({"file_path": "stock.py", "old_string": "take", "new_string": "grab"});
    let told = kit.call("edit", &edit);
    assert_eq!(
        told.ok(),
        "line 1 changed\n`take` is gone (now `grab`?) and still used: shop.py:1, shop.py:3"
    );
    let undone = kit.call("undo", &json!({}));
    assert_eq!(undone.ok(), "took back call 1 (edit)\nstock.py: as it was before");
    assert_eq!(place.read("stock.py"), SHOP[0].1);
    place.write("a.png", b"\x89PNG\r\n\x1a\n....");
    let picture = kit.call("read", &json!({"path": "a.png"}));
    assert_eq!(picture.ok(), "image/png\n");
    let read = kit.call("read", &json!({"path": "nowhere.py"}));
    assert!(read.fails("FileNotFound").starts_with("error: nowhere.py: "), "{read:?}");
}

#[test]
fn single_tools_are_chosen_by_flags_and_files() {
    let place = Place::with(SHOP);
    let names = |words: &[&str]| -> Vec<String> {
        let all = [&["tools", "--format", "json"], words].concat();
        let listed: serde_json::Value = serde_json::from_str(&place.ok(&all)).unwrap();
        let tools = listed.as_array().or_else(|| listed["tools"].as_array()).unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let look = ["--toolset", "kit", "--preset", "look"];
    assert_eq!(names(&look), ["read", "search"]);
    assert_eq!(names(&[&look[..], &["--with", "undo"]].concat()), ["read", "search", "undo"]);
    assert_eq!(names(&[&look[..], &["--without", "search"]].concat()), ["read"]);
    let both = ["--without", "read", "--without", "edit,undo", "--toolset", "fiz"];
    let ran = place.run(&[&["tools"], &both[..]].concat());
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.err.contains("--without: ") && ran.err.contains("undo"), "{ran:?}");
    assert!(!names(&["--without", "bash,write"]).contains(&"bash".to_owned()));
    for (words, says) in [
        (&["--with", "raed"][..], "did you mean read?"),
        (&["--with", "read", "--without", "read"], "give one of them"),
        (&["--without", "bash,edit,find,grep,ls,patch,read,task,write"], "no tool is left"),
    ] {
        let ran = place.run(&[&["call", "read", "path=shop.py"], words].concat());
        assert!(ran.code == Some(2) && ran.err.contains(says), "{words:?}: {ran:?}");
    }
    let ran = place.run(&["call", "edit", "path=shop.py", "--toolset", "kit", "--preset", "look"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    place.write("kitbag.toml", "toolset = \"kit\"\npreset = \"look\"\nwith = [\"undo\"]\n");
    assert_eq!(names(&[]), ["read", "search", "undo"]);
    let shown = place.ok(&["config"]);
    let line = shown.lines().find(|line| line.starts_with("with ")).unwrap();
    assert!(line.contains("undo") && line.contains("kitbag.toml:3"), "{shown}");
    // What was chosen of one toolset is not looked for in another.
    assert!(names(&["--toolset", "local"]).contains(&"read_file".to_owned()));
}
