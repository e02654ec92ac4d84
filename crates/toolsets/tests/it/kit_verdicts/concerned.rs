//! Edits and the tests that concern them.

use super::projects::Files;

/// What it is about, the files, the path that gets a new text, and the line of tests.
type Case = (&'static str, Files, (&'static str, &'static str), &'static str);

pub(super) const CONCERNED: &[Case] = &[
    (
        "tests: only main is shared",
        &[
            ("app/cli.py", "def main():\n    return 1\n"),
            ("tests/test_other.py", "def main():\n    pass\n\n\nmain()\n"),
            ("tests/test_cli.py", "from app import cli\n\n\ndef test_it():\n    assert cli\n"),
        ],
        ("app/cli.py", "def main():\n    return 2\n"),
        "tests: tests/test_cli.py",
    ),
    (
        "tests: imports of the module",
        &[
            ("app/main.py", "def run():\n    return 1\n"),
            ("tests/test_x.py", "from app.main import app\n"),
            ("tests/test_run.py", "import other\nother.run()\n"),
        ],
        ("app/main.py", "def run():\n    return 2\n"),
        "tests: tests/test_x.py",
    ),
    (
        "tests: through a package",
        &[
            ("app/__init__.py", "from .impl import go_on\n"),
            ("app/impl.py", "def go_on():\n    return 1\n"),
            ("tests/test_a.py", "from app import go_on\ngo_on()\n"),
            ("tests/test_b.py", "from app import b\n"),
        ],
        ("app/impl.py", "def go_on():\n    return 2\n"),
        "tests: tests/test_a.py",
    ),
    (
        "tests: of what uses it, where none brings it in",
        &[
            ("app/__init__.py", ""),
            ("app/price.py", "def net_price(x):\n    return x\n"),
            (
                "app/bill.py",
                "from app.price import net_price\n\n\ndef bill(x):\n    return net_price(x)\n",
            ),
            ("app/other.py", "from app import price\n\nprice.load()\n"),
            ("tests/test_bill.py", "from app.bill import bill\n\nassert bill(1)\n"),
            ("tests/test_other.py", "from app import other\n"),
        ],
        ("app/price.py", "def net_price(x):\n    return x + 1\n"),
        "tests: tests/test_bill.py",
    ),
    (
        "tests: of what uses it, ts",
        &[
            ("src/price.ts", "export const netPrice = (x: number) => x;\n"),
            (
                "src/bill.ts",
                "import { netPrice } from './price';\n\nexport const bill = netPrice;\n",
            ),
            ("test/bill.test.ts", "import { bill } from '../src/bill';\n\nbill(1);\n"),
        ],
        ("src/price.ts", "export const netPrice = (x: number) => x + 1;\n"),
        "tests: test/bill.test.ts",
    ),
    (
        "tests: ts",
        &[
            ("src/main.ts", "export function run() { return 1; }\n"),
            ("test/other.test.ts", "import { run } from 'lib';\nrun();\n"),
            ("test/it.test.ts", "import * as it from '../src/main';\nit;\n"),
        ],
        ("src/main.ts", "export function run() { return 2; }\n"),
        "tests: test/it.test.ts",
    ),
    (
        "tests: go beside",
        &[
            ("go.mod", "module s\n"),
            ("a/a.go", "package a\n\nfunc Run() int { return 1 }\n"),
            ("a/a_test.go", "package a\n\nfunc TestRun(t *testing.T) { Run() }\n"),
            ("b/b_test.go", "package b\n\nfunc TestRun(t *testing.T) { Run() }\n"),
        ],
        ("a/a.go", "package a\n\nfunc Run() int { return 2 }\n"),
        "tests: a/a_test.go",
    ),
    (
        "tests: through an index",
        &[
            ("index.ts", "export * from './store.ts';\n"),
            ("store.ts", "export const keep = (x: number) => x;\n"),
            ("store.test.ts", "import { keep } from './index.ts';\nkeep(1);\n"),
            ("other.test.ts", "import { keep } from 'lib';\nkeep(1);\n"),
        ],
        ("store.ts", "export const keep = (x: number) => x + 1;\n"),
        "tests: store.test.ts",
    ),
    (
        "tests: through a module that is brought in whole",
        &[
            ("lib/__init__.py", "from . import shapes\n"),
            ("lib/shapes.py", "def area(x):\n    return x\n"),
            ("tests/test_lib.py", "import lib\n\nassert lib.shapes.area(1) == 1\n"),
        ],
        ("lib/shapes.py", "def area(x):\n    return x + 1\n"),
        "tests: tests/test_lib.py",
    ),
    (
        "tests: in files of Rust, and by the type of a method",
        &[
            ("Cargo.toml", "[package]\nname = \"x\"\n"),
            (
                "src/lib.rs",
                "pub mod queue;\npub use queue::Queue;\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn t() { Queue::new().push(1); }\n}\n",
            ),
            (
                "src/queue.rs",
                "pub struct Queue;\nimpl Queue {\n    pub fn new() -> Self { Queue }\n    pub fn push(&mut self, x: u8) {}\n}\n",
            ),
            (
                "src/other.rs",
                "#[cfg(test)]\nmod tests {\n    #[test]\n    fn t() { vec![].push(1); }\n}\n",
            ),
            ("tests/it.rs", "use x::Queue;\n#[test]\nfn t() { Queue::new(); }\n"),
        ],
        (
            "src/queue.rs",
            "pub struct Queue;\nimpl Queue {\n    pub fn new() -> Self { Queue }\n    pub fn push(&mut self, x: u8) { drop(x) }\n}\n",
        ),
        "tests: src/lib.rs, tests/it.rs",
    ),
    (
        "tests: in the file itself",
        &[(
            "src/lib.rs",
            "pub fn plus(a: u8) -> u8 { a }\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn t() { plus(1); }\n}\n",
        )],
        (
            "src/lib.rs",
            "pub fn plus(a: u8) -> u8 { a + 1 }\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn t() { plus(1); }\n}\n",
        ),
        "tests: src/lib.rs",
    ),
];
