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
];
