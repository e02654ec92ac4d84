//! The verdict of kit `edit`: what an edit broke is told, and what it did not break is not.

mod concerned;
mod edits;
mod names;
mod projects;
mod snippets;

use toolkit::serde_json::{Value, json};
use toolkit::testing::run;
use toolkit::{Done, Policy};

use self::concerned::CONCERNED;
use self::edits::{EDITS, Edit};
use self::names::{CASES, Case};
use self::snippets::SNIPPETS;
use crate::{open, place};

/// What is said beside what was done.
fn verdict(done: &Done) -> Vec<String> {
    let text = done.body.to_text();
    let marks = ["syntax error", "not checked: ", "error: "];
    let is_told = |line: &&str| {
        let parts = ["still used: ", " imports `"];
        marks.iter().any(|mark| line.starts_with(mark)) || parts.iter().any(|p| line.contains(p))
    };
    text.lines().filter(is_told).map(str::to_owned).collect()
}

#[test]
fn sixty_edits_are_judged_as_they_are() {
    let (mut broken, mut found, mut whole, mut blamed) = (0_usize, 0, 0_usize, 0);
    let (mut wrong, mut walls, mut unsure) = (Vec::new(), Vec::new(), 0_usize);
    for Edit { about, project, call, says } in EDITS {
        let place = place(project, |_| {});
        let session = open(&place, "kit", Policy::Trust);
        let input: Value = toolkit::serde_json::from_str(call).expect(about);
        let done = run(&session, "edit", input);
        assert!(done.error.is_none(), "{about}: {:?}", done.body);
        walls.push(done.wall);
        let mut told = verdict(&done);
        let all = told.len();
        told.retain(|line| !line.contains("whose type is not said"));
        unsure += usize::from(says.is_empty() && told.len() < all);
        if says.is_empty() {
            whole += 1;
            if !told.is_empty() {
                blamed += 1;
                wrong.push(format!("{about}: blamed: {told:?}"));
            }
        } else {
            broken += 1;
            match told.iter().any(|line| line.starts_with(says)) {
                true => found += 1,
                false => wrong.push(format!("{about}: not found: {}", done.body.to_text())),
            }
            let other = told.iter().filter(|line| !line.starts_with(says)).count();
            if other > 0 && !says.starts_with("syntax error") {
                wrong.push(format!("{about}: also: {told:?}"));
            }
        }
    }
    println!("{found} of {broken} breaking edits found, {blamed} of {whole} harmless ones blamed");
    println!("{unsure} harmless ones with a note of values whose type is not said");
    walls.sort_unstable();
    println!(
        "an edit with its verdict: half within {:?}, all in {:?}",
        walls[walls.len() / 2],
        walls[walls.len() - 1]
    );
    println!("{}", wrong.join("\n"));
    assert!(broken + whole >= 60 && broken.abs_diff(whole) <= 6, "{broken} and {whole}");
    assert!(found * 100 >= broken * 95, "{}", wrong.join("\n"));
    assert!(blamed * 100 <= whole * 2, "{}", wrong.join("\n"));
    assert!(unsure * 100 <= whole * 5, "{unsure} of {whole}");
}

/// What one edit of these files is told beside what it did.
fn told(files: &[(&str, &str)], input: Value) -> Vec<String> {
    let place = place(files, |_| {});
    let session = open(&place, "kit", Policy::Trust);
    run(&session, "read", json!({"path": input["path"]}));
    let done = run(&session, "edit", input);
    assert!(done.error.is_none(), "{:?}", done.body);
    verdict(&done)
}

#[test]
fn a_name_is_judged_by_where_it_is_brought_in_from() {
    let store = ("store.py", "def keep():\n    pass\n\n\ndef render_page():\n    pass\n");
    let gone = json!({"path": "store.py", "lines": "5-6", "new": ""});
    let user =
        ("u.py", "import store\nfrom jinja import render_page\n\nrender_page(store.keep())\n");
    assert_eq!(told(&[store, user], gone.clone()), [""; 0]);
    let user =
        ("u.py", "from store import (\n    keep,\n    render_page,\n)\n\nrender_page(keep())\n");
    let uses = "`render_page` is gone and still used: u.py:3, u.py:6";
    assert_eq!(told(&[store, user], gone), [uses]);
    let module = ("store.ts", "export function keep() {}\nexport function renderPage() {}\n");
    let gone = json!({"path": "store.ts", "lines": "2", "new": ""});
    let user = "import { keep } from \"./store\";\nimport { renderPage } from \"jinja\";\nrenderPage(keep());\n";
    assert_eq!(told(&[module, ("u.ts", user)], gone), [""; 0]);
}

#[test]
fn a_function_is_told_from_a_method_of_its_name() {
    let stock =
        "class Stock:\n    def take(self):\n        return 1\n\n\ndef take():\n    return 2\n";
    let test = ("test_shop.py", "from shop.stock import Stock, take\n\nStock().take()\ntake()\n");
    let files = [("shop/stock.py", stock), test];
    let gone = json!({"path": "shop/stock.py", "lines": "6-7", "new": ""});
    let uses = "`take` is gone and still used: test_shop.py:1, test_shop.py:4";
    assert_eq!(told(&files, gone), [uses]);
    let all = told(&files, json!({"path": "shop", "remove": true}));
    let has = |what: &str| all.iter().any(|line| line.starts_with(what));
    assert!(has("`Stock` is gone") && has("`take` is gone"), "{all:?}");
}

#[test]
fn an_own_method_is_not_that_of_another_class() {
    let store = ("store.py", "class Store:\n    def render_page(self):\n        pass\n");
    let gone = json!({"path": "store.py", "old": "render_page", "new": "show_page"});
    let body = "(Base):\n    def run(self, store: Store):\n        self.render_page()\n";
    let other = format!("from lib import Base\nfrom store import Store\n\nclass View{body}");
    assert_eq!(told(&[store, ("v.py", &other)], gone.clone()), [""; 0]);
    let heir = "from store import Store\n\nclass Shop(Store):\n    def run(self):\n        self.render_page()\n";
    let uses = "`Store.render_page` is gone (now `show_page`?) and still used: v.py:5";
    assert_eq!(told(&[store, ("v.py", heir)], gone), [uses]);
}

#[test]
fn a_syntax_error_is_told_where_the_edit_made_it() {
    let price = "RATES = {'de': 19}\n\n\ndef net(price):\n    return price\n\n\ndef gross(price):\n    return round(price, 2)\n\n\nprint(gross(1))\n";
    let files = [("price.py", price)];
    let colon = json!({"path": "price.py", "old": "def net(price):", "new": "def net(price)"});
    assert_eq!(told(&files, colon), ["syntax error: price.py:4: def net(price)"]);
    let paren = json!({"path": "price.py", "old": "round(price, 2)", "new": "round(price, 2"});
    assert_eq!(told(&files, paren), ["syntax error: price.py:9: return round(price, 2"]);
    let feed = json!({"path": "a.py", "new": "a = 1\n\n\u{c}class A:\n    pass\n"});
    assert_eq!(told(&[], feed), [""; 0]);
}

#[test]
fn a_name_is_that_which_its_file_binds_or_brings_in() {
    let (mut wrong, all) = (Vec::new(), CASES.concat());
    for Case { about, files, change, says } in &all {
        let change = change.iter().map(|(path, text)| match text {
            Some(text) if text.starts_with("->") => json!({"path": path, "move_to": text[2..]}),
            Some(text) => json!({"path": path, "new": text}),
            None => json!({"path": path, "remove": true}),
        });
        let told = told(files, json!({"changes": change.collect::<Vec<_>>()})).join("; ");
        if told != *says {
            wrong.push(format!("{about}: {told:?} and not {says:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
}

#[test]
fn a_file_that_is_moved_and_changed_is_judged_as_it_is_then() {
    let all: &[(projects::Files, &str, &str, &str)] = &[
        (
            &[
                ("shop/pricing.py", "def net(x):\n    return x\n"),
                ("shop/cart.py", "from .pricing import net\n\nnet(1)\n"),
            ],
            ".py",
            "from .pricing",
            "from ..pricing",
        ),
        (
            &[
                ("shop/pricing.ts", "export const net = 1;\n"),
                ("shop/cart.ts", "import { net } from './pricing';\nnet;\n"),
            ],
            ".ts",
            "'./pricing'",
            "'../pricing'",
        ),
        (
            &[
                ("shop/pricing.js", "export const net = 1;\n"),
                ("shop/cart.js", "import { net } from './pricing.js';\nnet;\n"),
            ],
            ".js",
            "'./pricing.js'",
            "'../pricing.js'",
        ),
        (
            &[
                ("shop/pricing.h", "int net(int x);\n"),
                ("shop/cart.c", "#include \"pricing.h\"\nint a = 1;\n"),
            ],
            ".c",
            "\"pricing.h\"",
            "\"../pricing.h\"",
        ),
    ];
    for (files, end, old, new) in all {
        let (from, to) = (format!("shop/cart{end}"), format!("shop/sub/cart{end}"));
        let moved = json!({"path": from, "move_to": to});
        let changes = json!([moved, {"path": to, "old": old, "new": new}]);
        assert_eq!(told(files, json!({"changes": changes})), [""; 0]);
        let other = if *end == ".c" { "int a" } else { "net" };
        let changes = json!([moved, {"path": to, "old": other, "new": "int  b", "all": true}]);
        let left = told(files, json!({"changes": changes})).join("; ");
        assert!(left.contains(", which is not there") || left.contains("syntax"), "{left}");
    }
    // Moved again by its directory, and removed.
    let files = &[("a/x.py", "def zap():\n    pass\n"), ("u.py", "from a.x import zap\n\nzap()\n")];
    let moved = json!({"path": "a/x.py", "move_to": "b/x.py"});
    let gone = told(files, json!({"changes": [moved, {"path": "b/x.py", "remove": true}]}));
    assert!(gone.join("; ").contains("u.py:1"), "{gone:?}");
    assert!(!gone.join("; ").contains("b/x.py"), "{gone:?}");
}

#[test]
fn a_snippet_is_valid_or_not_as_its_language_has_it() {
    let place = place(&[("README", "")], |_| {});
    let session = open(&place, "kit", Policy::Trust);
    let mut wrong = Vec::new();
    for (nth, (about, path, text, is_invalid)) in SNIPPETS.iter().enumerate() {
        let done = run(&session, "edit", json!({"path": format!("{nth}/{path}"), "new": text}));
        let told = verdict(&done);
        let is_told = told.iter().any(|line| line.starts_with("syntax error"));
        if done.error.is_some() || is_told != *is_invalid || told.len() > 3 {
            wrong.push(format!("{about}: {told:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_file_that_an_earlier_edit_broke_is_still_broken() {
    let place = place(&[("a.py", "def one():\n    pass\n\n\ndef two():\n    pass\n")], |_| {});
    let session = open(&place, "kit", Policy::Trust);
    let edit = |old: &str, new: &str| {
        let done = run(&session, "edit", json!({"path": "a.py", "old": old, "new": new}));
        verdict(&done)
    };
    assert_eq!(edit("def one():", "def one()"), ["syntax error: a.py:1: def one()"]);
    assert_eq!(edit("def two():", "def four():"), ["syntax error as before: a.py:1: def one()"]);
    assert_eq!(edit("def one()", "def one():"), [""; 0]);
    assert_eq!(edit("def four():", "def five():"), [""; 0]);
}

#[test]
fn a_file_of_data_that_cannot_be_read_any_more_is_told() {
    let package = ("package.json", "{\n  \"name\": \"a\",\n  \"version\": \"1\"\n}\n");
    let comma = json!({"path": "package.json", "old": "\"1\"", "new": "\"1\","});
    assert_eq!(told(&[package], comma), ["syntax error: package.json:4: } (trailing comma)"]);
    let config = ("tsconfig.json", "{\n  \"a\": 1\n}\n");
    assert_eq!(
        told(&[config], json!({"path": "tsconfig.json", "old": "1", "new": "1, // b"})),
        [""; 0]
    );
    let toml = ("Cargo.toml", "[package]\nname = \"a\"\n");
    let twice =
        json!({"path": "Cargo.toml", "old": "name = \"a\"", "new": "name = \"a\"\nname = \"b\""});
    assert_eq!(told(&[toml], twice), ["syntax error: Cargo.toml:3: name = \"b\" (duplicate key)"]);
    assert_eq!(
        told(&[toml], json!({"path": "Cargo.toml", "old": "\"a\"", "new": "\"b\""})),
        [""; 0]
    );
}

#[test]
fn json_that_can_be_read_is_not_blamed_for_what_is_in_it() {
    let globs = "{\n  \"files\": [\"dist/**/*\", \"a\\\"//b\"],\n  \"version\": \"1\"\n}\n";
    let edit = |new: &str| {
        let edit = json!({"path": "package.json", "old": "\"1\"", "new": new});
        told(&[("package.json", globs)], edit)
    };
    assert_eq!(edit("\"1\","), ["syntax error: package.json:4: } (trailing comma)"]);
    let url = "syntax error: package.json:3: \"version\": \"https://x (";
    assert!(edit("\"https://x")[0].starts_with(url), "{:?}", edit("\"https://x"));
    let deep = format!("{}1e999{}", "[".repeat(300), "]".repeat(300));
    for valid in ["1e999", "\"\\ud800\"", &deep, "1 // b", "/* b */ 1"] {
        assert_eq!(edit(valid), [""; 0], "{valid}");
    }
    let broken = edit(&format!("{deep},"));
    assert!(broken[0].starts_with("syntax error: package.json:4: } ("), "{broken:?}");
    let toml = ("a.toml", "a = 1\n");
    let deep = format!("a = {}1{}", "[".repeat(300), "]".repeat(300));
    assert_eq!(told(&[toml], json!({"path": "a.toml", "old": "a = 1", "new": deep})), [""; 0]);
}

#[test]
fn what_python_2_took_is_told_only_where_python_3_was() {
    let print = json!({"path": "a.py", "old": "x = 1", "new": "print \"x\""});
    let told_in = |text: &str| told(&[("a.py", text)], print.clone());
    assert_eq!(told_in("x = 1\n"), ["syntax error: a.py:1: print \"x\""]);
    assert_eq!(told_in("print \"y\"\nx = 1\n"), [""; 0]);
}

#[test]
fn a_macro_of_c_is_no_syntax_error() {
    let driver = ("d.c", "struct a {\n    int b;\n};\n");
    let edit = |new: &str| told(&[driver], json!({"path": "d.c", "old": "int b;", "new": new}));
    assert_eq!(edit("void __iomem *base;\n    int b;"), [""; 0]);
    assert_eq!(edit("int b c;"), ["syntax error: d.c:2: int b c;"]);
    let create = |body: &str| {
        let text = format!("void f(void) {{\n    {body}\n        g();\n}}\n");
        told(&[], json!({"path": "n.c", "new": text}))
    };
    assert_eq!(create("FOR(int i = 0;;)"), [""; 0]);
    assert_eq!(create("int b c;"), ["syntax error: n.c:2: int b c;"]);
    assert_eq!(
        create("FOR(int i = 0;;"),
        ["syntax error: n.c:2: FOR(int i = 0;; (`)` is missing)"]
    );
}

#[test]
fn files_that_bring_a_name_in_are_looked_at_before_those_that_have_it() {
    let mut files = vec![("a.js".to_owned(), "export function zap() {}\n".to_owned())];
    files.extend((0..60).map(|at| (format!("b{at}.js"), "const s = \"zap\";\n".to_owned())));
    files.extend((0..60).map(|at| (format!("c{at}.md"), "zap\n".to_owned())));
    let user = "import {\n  zap,\n} from \"./a\";\nzap();\n";
    files.push(("z99.js".to_owned(), user.to_owned()));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let edit = json!({"path": "a.js", "old": "zap", "new": "zip"});
    let uses = "`zap` is gone (now `zip`?) and still used: z99.js:2, z99.js:4";
    let left = "not checked: uses in 11 further files";
    assert_eq!(told(&files, edit.clone()), [uses, left]);
    // What is no code is not counted.
    let few: Vec<(&str, &str)> =
        files.iter().copied().filter(|(path, _)| !path.starts_with("b")).collect();
    assert_eq!(told(&few, edit), [uses]);
}

#[test]
fn code_of_any_depth_is_judged() {
    let nest = |open: &str, close: &str| (open.repeat(30_000), close.repeat(30_000));
    let ((uses, ends), (lists, closes)) = (nest("a::{\n", "}"), nest("[\n", "]"));
    let rust = format!("use {uses}zap{ends};\n");
    let script = format!("import {{ zap }} from \"./d\";\nzap();\nconst {lists}a{closes} = x;\n");
    let files = [("d.js", "export function zap() {}\n"), ("e.js", &*script), ("g.rs", &*rust)];
    let told = told(&files, json!({"path": "d.js", "old": "zap", "new": "zip"}));
    let uses = "`zap` is gone (now `zip`?) and still used: e.js:1, e.js:2";
    assert!(told == [uses] || told == ["not checked: uses, which took too long"], "{told:?}");
}

#[test]
fn tests_of_others_are_not_named() {
    let stock = ("stock.py", "def take():\n    return 1\n");
    let test = "from stock import take\n\ndef test_take():\n    assert take() == 1\n";
    let paths = [
        "tests/test_stock.py",
        "venv/lib/test_stock.py",
        "vendor/tests/test_stock.py",
        "x/node_modules/a/test_stock.py",
    ];
    let files: Vec<(&str, &str)> =
        paths.map(|path| (path, test)).into_iter().chain([stock]).collect();
    let place = place(&files, |_| {});
    let session = open(&place, "kit", Policy::Trust);
    let done =
        run(&session, "edit", json!({"path": "stock.py", "old": "return 1", "new": "return 2"}));
    assert_eq!(done.body.to_text(), "line 2 changed\ntests: tests/test_stock.py");
}

#[test]
fn tests_that_bring_in_what_changed_come_before_those_with_its_names() {
    for (about, files, (path, new), says) in CONCERNED {
        let place = place(files, |_| {});
        let edit = json!({"path": path, "new": new});
        let done = run(&open(&place, "kit", Policy::Trust), "edit", edit);
        let text = done.body.to_text();
        assert_eq!(text.lines().find(|line| line.starts_with("tests: ")), Some(*says), "{about}");
    }
}
