//! What is exported and brought in, and what is not any more.

use super::{AREA_USE, Case, case};

const TS_EXPORTS: &str = "export function one() {}\nexport function two() {}\nexport const three = 1;\nexport class Four {}\nexport interface Five {}\n";
const TS_USE: &str =
    "import { one, two } from './m';\nimport type { Five } from './m';\ntwo(one());\n";
const TS_EXPORTS_LESS: &str = "export function one() {}\nfunction two() {}\nexport const three = 1;\nexport class Four {}\nexport interface Five {}\n";
const JS_EXPORTS: &str = "function one() {}\nfunction two() {}\nmodule.exports = { one, two };\n";

pub(super) const CASES: &[Case] = &[
    case(
        "py taken from __all__, star",
        &[
            (
                "m.py",
                "__all__ = ['one', 'two']\n\n\ndef one():\n    pass\n\n\ndef two():\n    pass\n",
            ),
            ("u.py", "from m import *\none()\ntwo()\n"),
            ("v.py", "from m import two\ntwo()\n"),
        ],
        &[(
            "m.py",
            Some("__all__ = ['one']\n\n\ndef one():\n    pass\n\n\ndef two():\n    pass\n"),
        )],
        "`two` is no longer exported and still used: u.py:3",
    ),
    case(
        "ts export dropped",
        &[("m.ts", TS_EXPORTS), ("u.ts", TS_USE)],
        &[("m.ts", Some(TS_EXPORTS_LESS))],
        "`two` is no longer exported and still used: u.ts:1, u.ts:3",
    ),
    case(
        "ts export dropped of an interface",
        &[("m.ts", TS_EXPORTS), ("u.ts", TS_USE)],
        &[(
            "m.ts",
            Some(
                "export function one() {}\nexport function two() {}\nexport const three = 1;\nexport class Four {}\ninterface Five {}\n",
            ),
        )],
        "`Five` is no longer exported and still used: u.ts:2",
    ),
    case(
        "ts exported by a clause instead",
        &[("m.ts", TS_EXPORTS), ("u.ts", TS_USE)],
        &[(
            "m.ts",
            Some(
                "export function one() {}\nfunction two() {}\nexport const three = 1;\nexport class Four {}\nexport interface Five {}\nexport { two };\n",
            ),
        )],
        "",
    ),
    case(
        "ts exported under another name",
        &[("m.ts", TS_EXPORTS), ("u.ts", TS_USE)],
        &[(
            "m.ts",
            Some(
                "export function one() {}\nfunction two() {}\nexport const three = 1;\nexport class Four {}\nexport interface Five {}\nexport { two as zwei };\n",
            ),
        )],
        "`two` is no longer exported and still used: u.ts:1, u.ts:3",
    ),
    case(
        "ts export dropped, namespace",
        &[("m.ts", TS_EXPORTS), ("u.ts", "import * as m from './m';\nm.two();\n")],
        &[("m.ts", Some(TS_EXPORTS_LESS))],
        "`two` is no longer exported and still used: u.ts:2",
    ),
    case(
        "ts export dropped, nobody",
        &[
            (
                "m.ts",
                "export function one() {}\nexport function two() {}\nexport const three = 1;\nexport class Four {}\nexport interface Five {}\ntwo();\n",
            ),
            ("u.ts", "import { one } from './m';\none();\n"),
        ],
        &[(
            "m.ts",
            Some(
                "export function one() {}\nfunction two() {}\nexport const three = 1;\nexport class Four {}\nexport interface Five {}\ntwo();\n",
            ),
        )],
        "",
    ),
    case(
        "js module.exports member dropped",
        &[
            ("m.js", JS_EXPORTS),
            ("u.js", "const { one, two } = require('./m');\none(two());\n"),
            ("v.js", "const m = require('./m');\nm.two();\n"),
        ],
        &[("m.js", Some("function one() {}\nfunction two() {}\nmodule.exports = { one };\n"))],
        "`two` is no longer exported and still used: u.js:1, u.js:2, v.js:2",
    ),
    case(
        "js exports.x dropped",
        &[
            (
                "m.js",
                "function one() {}\nfunction two() {}\nexports.one = one;\nexports.two = two;\n",
            ),
            ("u.js", "const { one, two } = require('./m');\none(two());\n"),
        ],
        &[("m.js", Some("function one() {}\nfunction two() {}\nexports.one = one;\n"))],
        "`two` is no longer exported and still used: u.js:1, u.js:2",
    ),
    case(
        "js exports spread",
        &[("m.js", JS_EXPORTS), ("u.js", "const { one, two } = require('./m');\none(two());\n")],
        &[(
            "m.js",
            Some(
                "function one() {}\nfunction two() {}\nconst all = { one, two };\nmodule.exports = { ...all };\n",
            ),
        )],
        "",
    ),
    case(
        "ts barrel name dropped",
        &[
            ("m.ts", TS_EXPORTS),
            ("index.ts", "export { one, two } from './m';\n"),
            ("u.ts", "import { one, two } from '.';\ntwo(one());\n"),
        ],
        &[("index.ts", Some("export { one } from './m';\n"))],
        "`two` is no longer exported and still used: u.ts:1, u.ts:2",
    ),
    case(
        "rs pub dropped",
        &[
            ("Cargo.toml", "[package]\nname = \"shop\"\n"),
            ("src/lib.rs", "pub mod area;\npub mod u;\n"),
            ("src/area.rs", "pub fn total_of() -> u8 {\n    1\n}\n\npub fn keep() {}\n"),
            ("src/u.rs", AREA_USE),
        ],
        &[("src/area.rs", Some("fn total_of() -> u8 {\n    1\n}\n\npub fn keep() {}\n"))],
        "`total_of` is no longer exported and still used: src/u.rs:1, src/u.rs:4",
    ),
    case(
        "rs pub(crate) in place of pub",
        &[
            ("Cargo.toml", "[package]\nname = \"shop\"\n"),
            ("src/lib.rs", "pub mod area;\npub mod u;\n"),
            ("src/area.rs", "pub fn total_of() -> u8 {\n    1\n}\n\npub fn keep() {}\n"),
            ("src/u.rs", AREA_USE),
        ],
        &[(
            "src/area.rs",
            Some("pub(crate) fn total_of() -> u8 {\n    1\n}\n\npub fn keep() {}\n"),
        )],
        "",
    ),
    case(
        "rs pub dropped, used by a child",
        &[
            ("Cargo.toml", "[package]\nname = \"shop\"\n"),
            ("src/lib.rs", "pub mod area;\npub mod u;\n"),
            (
                "src/area.rs",
                "pub mod tests;\npub fn total_of() -> u8 {\n    1\n}\n\npub fn keep() {}\n",
            ),
            ("src/u.rs", ""),
            ("src/area/tests.rs", "use super::total_of;\n"),
        ],
        &[(
            "src/area.rs",
            Some("pub mod tests;\nfn total_of() -> u8 {\n    1\n}\n\npub fn keep() {}\n"),
        )],
        "",
    ),
    case(
        "rs pub use removed",
        &[
            ("Cargo.toml", "[package]\nname = \"shop\"\n"),
            ("src/lib.rs", "pub mod area;\npub mod u;\npub use area::total_of;\n"),
            ("src/area.rs", "pub fn total_of() -> u8 {\n    1\n}\n\npub fn keep() {}\n"),
            ("src/u.rs", "use crate::total_of;\n\npub fn f() -> u8 {\n    total_of()\n}\n"),
        ],
        &[("src/lib.rs", Some("pub mod area;\npub mod u;\n"))],
        "`total_of` is no longer exported and still used: src/u.rs:1, src/u.rs:4",
    ),
    case(
        "rs pub mod removed",
        &[
            ("Cargo.toml", "[package]\nname = \"shop\"\n"),
            ("src/lib.rs", "pub mod area;\npub mod u;\n"),
            ("src/area.rs", "pub fn total_of() -> u8 {\n    1\n}\n\npub fn keep() {}\n"),
            ("src/u.rs", AREA_USE),
        ],
        &[("src/lib.rs", Some("pub mod u;\n"))],
        "`area` is gone and still used: src/u.rs:1",
    ),
    case(
        "rs mod removed, by path",
        &[
            ("Cargo.toml", "[package]\nname = \"shop\"\n"),
            ("src/lib.rs", "pub mod area;\npub mod u;\n"),
            ("src/area.rs", "pub fn total_of() -> u8 {\n    1\n}\n\npub fn keep() {}\n"),
            ("src/u.rs", "pub fn f() -> u8 {\n    crate::area::total_of()\n}\n"),
        ],
        &[("src/lib.rs", Some("pub mod u;\n"))],
        "`area` is gone and still used: src/u.rs:2",
    ),
    case(
        "go lower-cased",
        &[
            ("go.mod", "module shop\n"),
            ("a/a.go", "package a\n\nfunc OpenAll() {}\n\nfunc keep() {}\n"),
            ("main.go", "package main\n\nimport \"shop/a\"\n\nfunc main() {\n\ta.OpenAll()\n}\n"),
        ],
        &[("a/a.go", Some("package a\n\nfunc openAll() {}\n\nfunc keep() {}\n"))],
        "`OpenAll` is gone (now `openAll`?) and still used: main.go:6",
    ),
    case(
        "py import of what is not there",
        &[("app/__init__.py", ""), ("app/util.py", "def one():\n    pass\n"), ("m.py", "x = 1\n")],
        &[("m.py", Some("from app.util import nope, one\none(nope)\n"))],
        "m.py:1 imports `nope`, which app/util.py does not define",
    ),
    case(
        "py import of a new name",
        &[("app/__init__.py", ""), ("app/util.py", "def one():\n    pass\n"), ("m.py", "x = 1\n")],
        &[
            ("m.py", Some("from app.util import nope, one\none(nope)\n")),
            ("app/util.py", Some("def one():\n    pass\n\n\ndef nope():\n    pass\n")),
        ],
        "",
    ),
    case(
        "py import of a submodule",
        &[
            ("app/__init__.py", ""),
            ("app/util.py", "x = 1\n"),
            ("app/sub/x.py", ""),
            ("m.py", "x = 1\n"),
        ],
        &[("m.py", Some("from app import util, sub\nutil(sub)\n"))],
        "",
    ),
    case(
        "py import of what is not in the package",
        &[("app/__init__.py", ""), ("app/util.py", "x = 1\n"), ("m.py", "x = 1\n")],
        &[("m.py", Some("from app import nope\nnope()\n"))],
        "m.py:1 imports `nope`, which app/__init__.py does not define",
    ),
    case(
        "py optional import",
        &[("app/__init__.py", ""), ("app/util.py", "x = 1\n"), ("m.py", "x = 1\n")],
        &[(
            "m.py",
            Some("try:\n    from app.util import nope\nexcept ImportError:\n    nope = None\n"),
        )],
        "",
    ),
    case(
        "py import from a dynamic module",
        &[
            ("app/__init__.py", ""),
            ("app/util.py", "def __getattr__(name):\n    return 1\n"),
            ("m.py", "x = 1\n"),
        ],
        &[("m.py", Some("from app.util import nope\nnope()\n"))],
        "",
    ),
    case(
        "py import from a module with a star",
        &[("app/__init__.py", ""), ("app/util.py", "from lib import *\n"), ("m.py", "x = 1\n")],
        &[("m.py", Some("from app.util import nope\nnope()\n"))],
        "",
    ),
    case(
        "py old wrong import",
        &[
            ("app/__init__.py", ""),
            ("app/util.py", "x = 1\n"),
            ("m.py", "from app.util import nope\n"),
        ],
        &[("m.py", Some("from app.util import nope\nx = 2\n"))],
        "",
    ),
    case(
        "py relative import",
        &[("app/__init__.py", ""), ("app/util.py", "x = 1\n"), ("app/m.py", "x = 1\n")],
        &[("app/m.py", Some("from .util import nope as n\nn()\n"))],
        "app/m.py:1 imports `nope`, which app/util.py does not define",
    ),
    case(
        "ts import of what is not there",
        &[("util.ts", "export const one = 1;\nconst nope = 2;\n"), ("m.ts", "export {};\n")],
        &[("m.ts", Some("import { nope, one } from './util';\none(nope);\n"))],
        "m.ts:1 imports `nope`, which util.ts does not define",
    ),
    case(
        "ts import of default that is not there",
        &[("util.ts", "export const one = 1;\n"), ("m.ts", "export {};\n")],
        &[("m.ts", Some("import util from './util';\nutil();\n"))],
        "m.ts:1 imports `default`, which util.ts does not define",
    ),
    case(
        "ts import through a star",
        &[("util.ts", "export * from 'lib';\n"), ("m.ts", "export {};\n")],
        &[("m.ts", Some("import { nope } from './util';\nnope();\n"))],
        "",
    ),
    case(
        "ts import of all sorts",
        &[
            (
                "util.ts",
                "export const [a, { b, c: d }] = f();\nexport enum E {}\nexport declare function g(): void;\nexport abstract class H {}\nexport type I = 1;\nexport namespace J {}\nexport { x as k, y as default };\nexport * as l from 'l';\nexport async function m() {}\nexport let n, o = 1;\nexport import p = q.r;\nexport function* s() {}\nexport { z } from 'z';\nexport const enum T {}\n",
            ),
            ("m.ts", "export {};\n"),
        ],
        &[(
            "m.ts",
            Some(
                "import u, { a, b, d, E, g, H, I, J, k, l, m, n, o, p, s, z, T } from './util';\n",
            ),
        )],
        "",
    ),
    case(
        "rs use of what is not there",
        &[
            ("Cargo.toml", "[package]\nname = \"shop\"\n"),
            ("src/lib.rs", "mod util;\nmod m;\n"),
            ("src/util.rs", "pub fn one() {}\n"),
            ("src/m.rs", "fn f() {}\n"),
        ],
        &[("src/m.rs", Some("use crate::util::{nope, one};\n\nfn f() {\n    one(nope);\n}\n"))],
        "src/m.rs:1 imports `nope`, which src/util.rs does not define",
    ),
    case(
        "rs use of what a macro makes",
        &[
            ("Cargo.toml", "[package]\nname = \"shop\"\n"),
            ("src/lib.rs", "mod util;\nmod m;\n"),
            ("src/util.rs", "make_all!();\n"),
            ("src/m.rs", "fn f() {}\n"),
        ],
        &[("src/m.rs", Some("use crate::util::nope;\n\nfn f() {\n    nope();\n}\n"))],
        "",
    ),
    case(
        "rs use of a module in the file",
        &[
            ("Cargo.toml", "[package]\nname = \"shop\"\n"),
            ("src/lib.rs", "mod util {\n    pub fn nope() {}\n}\nmod m;\n"),
            ("src/m.rs", "fn f() {}\n"),
        ],
        &[("src/m.rs", Some("use crate::util::nope;\n\nfn f() {\n    nope();\n}\n"))],
        "",
    ),
];
