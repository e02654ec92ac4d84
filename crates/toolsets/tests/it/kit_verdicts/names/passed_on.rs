//! Names that a package, a barrel or a crate passes on, and does not any more.

use super::{Case, case};

pub(super) const CASES: &[Case] = &[
    case(
        "py re-export leaves",
        &[
            ("pkg/__init__.py", "from .stock import Stock, load_stock\n"),
            ("pkg/stock.py", "class Stock:\n    pass\n\n\ndef load_stock():\n    pass\n"),
            ("u.py", "from pkg import Stock\n\nStock()\n"),
            ("v.py", "import pkg\n\npkg.load_stock()\n"),
        ],
        &[("pkg/__init__.py", Some("from .stock import load_stock\n"))],
        "`Stock` is no longer exported and still used: u.py:1, u.py:3",
    ),
    case(
        "py re-export leaves, by the package",
        &[
            ("pkg/__init__.py", "from .stock import Stock, load_stock\n"),
            ("pkg/stock.py", "class Stock:\n    pass\n\n\ndef load_stock():\n    pass\n"),
            ("u.py", "from pkg import Stock\n\nStock()\n"),
            ("v.py", "import pkg\n\npkg.load_stock()\n"),
        ],
        &[("pkg/__init__.py", Some("from .stock import Stock\n"))],
        "`load_stock` is no longer exported and still used: v.py:3",
    ),
    case(
        "py emptied",
        &[
            ("pkg/__init__.py", "from .stock import Stock, load_stock\n"),
            ("pkg/stock.py", "class Stock:\n    pass\n\n\ndef load_stock():\n    pass\n"),
            ("u.py", "from pkg import Stock\n\nStock()\n"),
            ("v.py", "import pkg\n\npkg.load_stock()\n"),
        ],
        &[("pkg/__init__.py", Some(""))],
        "`Stock` is no longer exported and still used: u.py:1, u.py:3; `load_stock` is no longer exported and still used: v.py:3",
    ),
    case(
        "py deleted",
        &[
            ("pkg/__init__.py", "from .stock import Stock, load_stock\n"),
            ("pkg/stock.py", "class Stock:\n    pass\n\n\ndef load_stock():\n    pass\n"),
            ("u.py", "from pkg import Stock\n\nStock()\n"),
            ("v.py", "import pkg\n\npkg.load_stock()\n"),
        ],
        &[("pkg/__init__.py", None)],
        "`Stock` is no longer exported and still used: u.py:1, u.py:3; `load_stock` is no longer exported and still used: v.py:3",
    ),
    case(
        "py __all__ only for stars",
        &[
            (
                "pkg/__init__.py",
                "from .stock import Stock, load_stock\n\n__all__ = ['Stock', 'load_stock']\n",
            ),
            ("pkg/stock.py", "class Stock:\n    pass\n\n\ndef load_stock():\n    pass\n"),
            ("u.py", "from pkg import Stock\n\nStock()\n"),
            ("v.py", "import pkg\n\npkg.load_stock()\n"),
        ],
        &[(
            "pkg/__init__.py",
            Some("from .stock import Stock, load_stock\n\n__all__ = ['Stock']\n"),
        )],
        "",
    ),
    case(
        "py star in package leaves",
        &[
            ("pkg/__init__.py", "from .stock import *\n"),
            ("pkg/stock.py", "class Stock:\n    pass\n\n\ndef load_stock():\n    pass\n"),
            ("u.py", "from pkg import Stock\n\nStock()\n"),
            ("v.py", "import pkg\n\npkg.load_stock()\n"),
        ],
        &[("pkg/__init__.py", Some("\"\"\"A shop.\"\"\"\n"))],
        "`Stock` is no longer exported and still used: u.py:1, u.py:3; `load_stock` is no longer exported and still used: v.py:3",
    ),
    case(
        "py re-export moves to another file",
        &[
            ("pkg/__init__.py", "from .stock import Stock, load_stock\n"),
            ("pkg/stock.py", "class Stock:\n    pass\n\n\ndef load_stock():\n    pass\n"),
            ("u.py", "from pkg import Stock\n\nStock()\n"),
            ("v.py", "import pkg\n\npkg.load_stock()\n"),
            ("pkg/new.py", "class Stock:\n    pass\n"),
        ],
        &[("pkg/__init__.py", Some("from .new import Stock\nfrom .stock import load_stock\n"))],
        "",
    ),
    case(
        "py lazy package",
        &[
            ("pkg/__init__.py", "from .stock import Stock, load_stock\n"),
            ("pkg/stock.py", "class Stock:\n    pass\n\n\ndef load_stock():\n    pass\n"),
            ("u.py", "from pkg import Stock\n\nStock()\n"),
            ("v.py", "import pkg\n\npkg.load_stock()\n"),
        ],
        &[("pkg/__init__.py", Some("def __getattr__(name):\n    return 1\n"))],
        "",
    ),
    case(
        "py import of a plain module that passes on, nobody",
        &[
            ("pkg/__init__.py", "from .stock import Stock, load_stock\n"),
            ("pkg/stock.py", "class Stock:\n    pass\n\n\ndef load_stock():\n    pass\n"),
            ("u.py", "from pkg import Stock\n\nStock()\n"),
            ("v.py", "import pkg\n\npkg.load_stock()\n"),
        ],
        &[("v.py", Some("import pkg\n"))],
        "",
    ),
    case(
        "py module of the name stays",
        &[
            ("pkg/__init__.py", "from . import stock\n"),
            ("pkg/stock.py", "x = 1\n"),
            ("u.py", "from pkg import stock\n\nstock.x\n"),
        ],
        &[("pkg/__init__.py", Some(""))],
        "",
    ),
    case(
        "ts index name leaves",
        &[
            ("src/index.ts", "export { takeOne, Stock } from './stock';\n"),
            ("src/stock.ts", "export function takeOne() {}\nexport class Stock {}\n"),
            ("app.ts", "import { takeOne } from './src';\n\ntakeOne();\n"),
        ],
        &[("src/index.ts", Some("export { Stock } from './stock';\n"))],
        "`takeOne` is no longer exported and still used: app.ts:1, app.ts:3",
    ),
    case(
        "ts index emptied",
        &[
            ("src/index.ts", "export { takeOne, Stock } from './stock';\n"),
            ("src/stock.ts", "export function takeOne() {}\nexport class Stock {}\n"),
            ("app.ts", "import { takeOne } from './src';\n\ntakeOne();\n"),
        ],
        &[("src/index.ts", Some(""))],
        "`takeOne` is no longer exported and still used: app.ts:1, app.ts:3",
    ),
    case(
        "ts index deleted",
        &[
            ("src/index.ts", "export { takeOne, Stock } from './stock';\n"),
            ("src/stock.ts", "export function takeOne() {}\nexport class Stock {}\n"),
            ("app.ts", "import { takeOne } from './src';\n\ntakeOne();\n"),
        ],
        &[("src/index.ts", None)],
        "`src/index.ts` is gone and still used: app.ts:1",
    ),
    case(
        "ts star leaves",
        &[
            ("src/index.ts", "export * from './stock';\nexport * from './more';\n"),
            ("src/stock.ts", "export function takeOne() {}\nexport class Stock {}\n"),
            ("app.ts", "import { takeOne } from './src';\n\ntakeOne();\n"),
            ("src/more.ts", "export const a = 1;\n"),
        ],
        &[("src/index.ts", Some("export * from './more';\n"))],
        "`takeOne` is no longer exported and still used: app.ts:1, app.ts:3",
    ),
    case(
        "js star leaves",
        &[
            ("src/index.js", "export * from './stock.js';\n"),
            ("src/stock.js", "export function takeOne() {}\n"),
            ("app.js", "import { takeOne } from './src/index.js';\n\ntakeOne();\n"),
        ],
        &[("src/index.js", Some("export const a = 1;\n"))],
        "`takeOne` is no longer exported and still used: app.js:1, app.js:3",
    ),
    case(
        "rs pub use leaves",
        &[
            ("Cargo.toml", "[package]\nname = \"shop\"\n"),
            ("src/lib.rs", "mod stock;\n\npub use stock::{Stock, take_one};\n"),
            ("src/stock.rs", "pub struct Stock;\n\npub fn take_one() {}\n"),
            ("tests/a.rs", "use shop::take_one;\n\n#[test]\nfn a() {\n    take_one();\n}\n"),
        ],
        &[("src/lib.rs", Some("mod stock;\n\npub use stock::Stock;\n"))],
        "`take_one` is no longer exported and still used: tests/a.rs:1, tests/a.rs:5",
    ),
    case(
        "rs pub use star leaves",
        &[
            ("Cargo.toml", "[package]\nname = \"shop\"\n"),
            ("src/lib.rs", "mod stock;\n\npub use stock::*;\n"),
            ("src/stock.rs", "pub struct Stock;\n\npub fn take_one() {}\n"),
            ("tests/a.rs", "use shop::take_one;\n\n#[test]\nfn a() {\n    take_one();\n}\n"),
        ],
        &[("src/lib.rs", Some("mod stock;\n"))],
        "`take_one` is no longer exported and still used: tests/a.rs:1, tests/a.rs:5",
    ),
];
