//! Edits after which a name means something else than it seems, and those that only look harmless.

/// An edit: the files before it, what becomes of some of them, and what is told.
pub(super) struct Case {
    pub(super) about: &'static str,
    pub(super) files: &'static [(&'static str, &'static str)],
    /// The new text; `None` where the file goes.
    pub(super) change: &'static [(&'static str, Option<&'static str>)],
    /// All that is told; empty if nothing is.
    pub(super) says: &'static str,
}

const fn case(
    about: &'static str,
    files: &'static [(&'static str, &'static str)],
    change: &'static [(&'static str, Option<&'static str>)],
    says: &'static str,
) -> Case {
    Case { about, files, change, says }
}

pub(super) const CASES: &[Case] = &[
    case(
        "py parameter",
        &[
            ("util.py", "def compute(x):\n    return x\n\n\ndef keep():\n    pass\n"),
            ("use.py", "from util import keep\n\ndef f(compute):\n    return compute(keep())\n"),
        ],
        &[("util.py", Some("def keep():\n    pass\n"))],
        "",
    ),
    case(
        "py lambda",
        &[
            ("util.py", "def compute(x):\n    return x\n\n\ndef keep():\n    pass\n"),
            ("use.py", "import util\nf = lambda compute: compute + 1\nutil.keep()\n"),
        ],
        &[("util.py", Some("def keep():\n    pass\n"))],
        "",
    ),
    case(
        "py loop variable in function",
        &[
            ("util.py", "def compute(x):\n    return x\n\n\ndef keep():\n    pass\n"),
            (
                "use.py",
                "from util import keep\ndef f(xs):\n    for compute in xs:\n        compute()\n    keep()\n",
            ),
        ],
        &[("util.py", Some("def keep():\n    pass\n"))],
        "",
    ),
    case(
        "py comprehension",
        &[
            ("util.py", "def compute(x):\n    return x\n\n\ndef keep():\n    pass\n"),
            ("use.py", "from util import keep\nxs = [compute() for compute in keep()]\n"),
        ],
        &[("util.py", Some("def keep():\n    pass\n"))],
        "",
    ),
    case(
        "py with as",
        &[
            ("util.py", "def compute(x):\n    return x\n\n\ndef keep():\n    pass\n"),
            (
                "use.py",
                "from util import keep\ndef f():\n    with keep() as compute:\n        compute()\n",
            ),
        ],
        &[("util.py", Some("def keep():\n    pass\n"))],
        "",
    ),
    case(
        "py except as",
        &[
            ("util.py", "def compute(x):\n    return x\n\n\ndef keep():\n    pass\n"),
            (
                "use.py",
                "from util import keep\ndef f():\n    try:\n        keep()\n    except Exception as compute:\n        print(compute)\n",
            ),
        ],
        &[("util.py", Some("def keep():\n    pass\n"))],
        "",
    ),
    case(
        "py match binding",
        &[
            ("util.py", "def compute(x):\n    return x\n\n\ndef keep():\n    pass\n"),
            (
                "use.py",
                "from util import keep\ndef f(x):\n    match x:\n        case [compute, _]:\n            return compute\n        case {'a': compute}:\n            return compute\n    keep()\n",
            ),
        ],
        &[("util.py", Some("def keep():\n    pass\n"))],
        "",
    ),
    case(
        "py keyword argument",
        &[
            ("util.py", "def compute(x):\n    return x\n\n\ndef keep():\n    pass\n"),
            ("use.py", "from util import keep\nkeep(compute=1)\n"),
        ],
        &[("util.py", Some("def keep():\n    pass\n"))],
        "",
    ),
    case(
        "py walrus",
        &[
            ("util.py", "def compute(x):\n    return x\n\n\ndef keep():\n    pass\n"),
            (
                "use.py",
                "from util import keep\ndef f():\n    if (compute := keep()):\n        return compute\n",
            ),
        ],
        &[("util.py", Some("def keep():\n    pass\n"))],
        "",
    ),
    case(
        "py other scope still used",
        &[
            ("util.py", "def compute(x):\n    return x\n\n\ndef keep():\n    pass\n"),
            (
                "use.py",
                "from util import compute\ndef f(compute):\n    return compute\n\ndef g():\n    return compute(1)\n",
            ),
        ],
        &[("util.py", Some("def keep():\n    pass\n"))],
        "`compute` is gone and still used: use.py:1, use.py:6",
    ),
    case(
        "py attribute of another object",
        &[
            ("util.py", "def compute(x):\n    return x\n\n\ndef keep():\n    pass\n"),
            (
                "use.py",
                "from util import keep\nimport numpy as np\nnp.compute(keep())\nkeep().compute()\n",
            ),
        ],
        &[("util.py", Some("def keep():\n    pass\n"))],
        "",
    ),
    case(
        "py star import",
        &[
            ("util.py", "def compute(x):\n    return x\n\n\ndef keep():\n    pass\n"),
            ("use.py", "from util import *\ncompute(1)\n"),
        ],
        &[("util.py", Some("def keep():\n    pass\n"))],
        "`compute` is gone and still used: use.py:2",
    ),
    case(
        "py package import of other util",
        &[
            ("util.py", "def compute(x):\n    return x\n\n\ndef keep():\n    pass\n"),
            ("use.py", "import b.util\nb.util.compute(1)\n"),
            ("b/util.py", "compute = len\n"),
            ("b/__init__.py", ""),
        ],
        &[("util.py", Some("def keep():\n    pass\n"))],
        "",
    ),
    case(
        "py b.util is not a.util",
        &[
            ("a/__init__.py", ""),
            ("a/util.py", "def compute(x):\n    return x\n\n\ndef keep():\n    pass\n"),
            ("b/__init__.py", ""),
            ("b/util.py", "from c import *\n"),
            (
                "use.py",
                "import b.util\nfrom b.util import compute\nb.util.compute(1)\ncompute(2)\n",
            ),
        ],
        &[("a/util.py", Some("def keep():\n    pass\n"))],
        "",
    ),
    case(
        "py a.util by path",
        &[
            ("a/__init__.py", ""),
            ("a/util.py", "def compute(x):\n    return x\n\n\ndef keep():\n    pass\n"),
            ("use.py", "import a.util\na.util.compute(1)\n"),
        ],
        &[("a/util.py", Some("def keep():\n    pass\n"))],
        "`compute` is gone and still used: use.py:2",
    ),
    case(
        "py alias of module",
        &[
            ("pkg/__init__.py", ""),
            ("pkg/mod.py", "def two():\n    pass\n\ndef one():\n    pass\n"),
            ("use.py", "import pkg.mod as sm\nsm.two()\n"),
        ],
        &[("pkg/mod.py", Some("def one():\n    pass\n"))],
        "`two` is gone and still used: use.py:2",
    ),
    case(
        "py from pkg import mod as m",
        &[
            ("pkg/__init__.py", ""),
            ("pkg/mod.py", "def two():\n    pass\n\ndef one():\n    pass\n"),
            ("use.py", "from pkg import mod as m\nm.two()\n"),
        ],
        &[("pkg/mod.py", Some("def one():\n    pass\n"))],
        "`two` is gone and still used: use.py:2",
    ),
    case(
        "py relative",
        &[
            ("pkg/__init__.py", ""),
            ("pkg/mod.py", "def two():\n    pass\n\ndef one():\n    pass\n"),
            ("pkg/sub/use.py", "from ..mod import two as t\nfrom .. import mod\nt()\nmod.two()\n"),
        ],
        &[("pkg/mod.py", Some("def one():\n    pass\n"))],
        "`two` is gone and still used: pkg/sub/use.py:1, pkg/sub/use.py:4",
    ),
    case(
        "py passed on by package",
        &[
            ("pkg/__init__.py", "from .mod import *\n"),
            ("pkg/mod.py", "def two():\n    pass\n\ndef one():\n    pass\n"),
            ("use.py", "from pkg import two\ntwo()\n"),
        ],
        &[("pkg/mod.py", Some("def one():\n    pass\n"))],
        "`two` is gone and still used: use.py:1, use.py:2",
    ),
    case(
        "ts index.ts, other source",
        &[
            ("src/index.ts", "export function renderPage() {}\nexport function keep() {}\n"),
            (
                "src/use.ts",
                "import { renderPage } from './pages';\nimport { keep } from './index';\nrenderPage(keep());\n",
            ),
            ("src/pages.ts", "export { renderPage } from 'lib';\n"),
        ],
        &[("src/index.ts", Some("export function keep() {}\n"))],
        "",
    ),
    case(
        "ts lib.ts",
        &[
            ("src/lib.ts", "export function renderPage() {}\nexport function keep() {}\n"),
            (
                "src/use.ts",
                "import { renderPage } from '../other/lib';\nimport { keep } from './lib';\nrenderPage(keep());\n",
            ),
            ("other/lib.ts", "export * from 'react-lib';\n"),
        ],
        &[("src/lib.ts", Some("export function keep() {}\n"))],
        "",
    ),
    case(
        "ts suffix",
        &[
            ("src/age.ts", "export function renderPage() {}\nexport function keep() {}\n"),
            (
                "src/use.ts",
                "import { renderPage } from './page';\nimport { keep } from './age';\nrenderPage(keep());\n",
            ),
            ("src/page.ts", "export * from 'x';\n"),
        ],
        &[("src/age.ts", Some("export function keep() {}\n"))],
        "",
    ),
    case(
        "ts index by directory",
        &[
            ("src/ui/index.ts", "export function renderPage() {}\nexport function keep() {}\n"),
            ("src/use.ts", "import { renderPage } from './ui';\nrenderPage();\n"),
        ],
        &[("src/ui/index.ts", Some("export function keep() {}\n"))],
        "`renderPage` is gone and still used: src/use.ts:1, src/use.ts:2",
    ),
    case(
        "ts by .js",
        &[
            ("src/ui.ts", "export function renderPage() {}\nexport function keep() {}\n"),
            ("src/use.ts", "import { renderPage } from './ui.js';\nrenderPage();\n"),
        ],
        &[("src/ui.ts", Some("export function keep() {}\n"))],
        "`renderPage` is gone and still used: src/use.ts:1, src/use.ts:2",
    ),
    case(
        "ts barrel",
        &[
            ("src/ui.ts", "export function renderPage() {}\nexport function keep() {}\n"),
            ("src/use.ts", "import { renderPage } from '.';\nrenderPage();\n"),
            ("src/index.ts", "export * from './ui';\n"),
        ],
        &[("src/ui.ts", Some("export function keep() {}\n"))],
        "`renderPage` is gone and still used: src/use.ts:1, src/use.ts:2",
    ),
    case(
        "ts namespace",
        &[
            ("src/ui.ts", "export function renderPage() {}\nexport function keep() {}\n"),
            ("src/use.ts", "import * as sm from './ui';\nsm.renderPage();\n"),
        ],
        &[("src/ui.ts", Some("export function keep() {}\n"))],
        "`renderPage` is gone and still used: src/use.ts:2",
    ),
    case(
        "ts namespace of other",
        &[
            ("src/ui.ts", "export function renderPage() {}\nexport function keep() {}\n"),
            (
                "src/use.ts",
                "import * as sm from './vi';\nimport { keep } from './ui';\nsm.renderPage(keep());\n",
            ),
            ("src/vi.ts", "export * from 'q';\n"),
        ],
        &[("src/ui.ts", Some("export function keep() {}\n"))],
        "",
    ),
    case(
        "ts destructured parameter",
        &[
            ("src/ui.ts", "export function renderPage() {}\nexport function keep() {}\n"),
            (
                "src/use.ts",
                "import { keep } from './ui';\nexport function f({ renderPage, a = keep }: P) {\n  renderPage(a());\n}\nexport const g = ([renderPage]) => renderPage(keep);\n",
            ),
        ],
        &[("src/ui.ts", Some("export function keep() {}\n"))],
        "",
    ),
    case(
        "ts catch and loop",
        &[
            ("src/ui.ts", "export function renderPage() {}\nexport function keep() {}\n"),
            (
                "src/use.ts",
                "import { keep } from './ui';\nexport function f(xs) {\n  for (const renderPage of xs) renderPage(keep);\n  try { keep(); } catch (renderPage) { throw renderPage; }\n}\n",
            ),
        ],
        &[("src/ui.ts", Some("export function keep() {}\n"))],
        "",
    ),
    case(
        "ts object key",
        &[
            ("src/ui.ts", "export function renderPage() {}\nexport function keep() {}\n"),
            (
                "src/use.ts",
                "import { keep } from './ui';\nexport const o = { renderPage: keep };\no.renderPage();\n",
            ),
        ],
        &[("src/ui.ts", Some("export function keep() {}\n"))],
        "",
    ),
    case(
        "ts alias path",
        &[
            ("src/ui.ts", "export function renderPage() {}\nexport function keep() {}\n"),
            ("app/use.ts", "import { renderPage } from '@/ui';\nrenderPage();\n"),
        ],
        &[("src/ui.ts", Some("export function keep() {}\n"))],
        "`renderPage` is gone and still used: app/use.ts:1, app/use.ts:2",
    ),
    case(
        "ts require destructured",
        &[
            (
                "src/ui.js",
                "function renderPage() {}\nfunction keep() {}\nmodule.exports = { renderPage, keep };\n",
            ),
            ("src/use.js", "const { renderPage } = require('./ui');\nrenderPage();\n"),
        ],
        &[("src/ui.js", Some("function keep() {}\nmodule.exports = { keep };\n"))],
        "`renderPage` is gone and still used: src/use.js:1, src/use.js:2",
    ),
    case(
        "ts a.ts moved",
        &[
            ("src/a.ts", "export const x1 = 1;\n"),
            ("src/u.ts", "import { x1 } from './a';\nx1;\n"),
            ("other/a.ts", "export const x1 = 2;\n"),
            ("other/u.ts", "import { x1 } from './a';\nx1;\n"),
        ],
        &[("src/a.ts", None), ("src/b.ts", Some("export const x1 = 1;\n"))],
        "`src/a.ts` is gone and still used: src/u.ts:1",
    ),
    case(
        "ts index moved",
        &[
            ("src/ui/index.ts", "export const x1 = 1;\n"),
            ("src/u.ts", "import { x1 } from './ui';\nx1;\n"),
        ],
        &[("src/ui/index.ts", None), ("src/ui/main.ts", Some("export const x1 = 1;\n"))],
        "`src/ui/index.ts` is gone and still used: src/u.ts:1",
    ),
    case(
        "ts ui.ts to ui/index.ts",
        &[
            ("src/ui.ts", "export const x1 = 1;\n"),
            ("src/u.ts", "import { x1 } from './ui';\nx1;\n"),
        ],
        &[("src/ui.ts", None), ("src/ui/index.ts", Some("export const x1 = 1;\n"))],
        "",
    ),
    case(
        "py module moved",
        &[
            ("pkg/__init__.py", ""),
            ("pkg/io.py", "x = 1\n"),
            ("use.py", "from pkg import io\nfrom pkg.io import x\n"),
            ("o.py", "import io\n"),
        ],
        &[("pkg/io.py", None), ("pkg/files.py", Some("x = 1\n"))],
        "`pkg/io.py` is gone and still used: use.py:1, use.py:2",
    ),
    case(
        "c header moved",
        &[
            ("inc/s.h", "int a;\n"),
            ("m.c", "#include \"inc/s.h\"\n#include \"b/s.h\"\n"),
            ("b/s.h", "int b;\n"),
        ],
        &[("inc/s.h", None), ("inc/t.h", Some("int a;\n"))],
        "`inc/s.h` is gone and still used: m.c:1",
    ),
    case(
        "rs module moved",
        &[
            ("src/lib.rs", "mod stock;\npub use stock::Stock;\n"),
            ("src/stock.rs", "pub struct Stock;\n"),
        ],
        &[("src/stock.rs", None), ("src/store.rs", Some("pub struct Stock;\n"))],
        "`src/stock.rs` is gone and still used: src/lib.rs:1, src/lib.rs:2",
    ),
    case(
        "go file moved",
        &[
            ("go.mod", "module shop\n"),
            ("stock/stock.go", "package stock\n\nfunc New() int { return 1 }\n"),
            ("main.go", "package main\n\nimport \"shop/stock\"\n\nfunc main() { stock.New() }\n"),
        ],
        &[
            ("stock/stock.go", None),
            ("stock/store.go", Some("package stock\n\nfunc New() int { return 1 }\n")),
        ],
        "",
    ),
    case(
        "java Other.runIt",
        &[
            (
                "shop/Stock.java",
                "package shop;\n\npublic class Stock {\n    public static void runIt() {}\n    public void keep() {}\n}\n",
            ),
            (
                "shop/Use.java",
                "package shop;\n\nimport lib.Other;\n\nclass Use {\n    void f(Stock stock) {\n        Other.runIt();\n        new Other().runIt();\n        stock.keep();\n    }\n}\n",
            ),
        ],
        &[(
            "shop/Stock.java",
            Some("package shop;\n\npublic class Stock {\n    public void keep() {}\n}\n"),
        )],
        "",
    ),
    case(
        "java Stock.runIt",
        &[
            (
                "shop/Stock.java",
                "package shop;\n\npublic class Stock {\n    public static void runIt() {}\n    public void keep() {}\n}\n",
            ),
            (
                "shop/Use.java",
                "package shop;\n\nclass Use {\n    void f() {\n        Stock.runIt();\n    }\n}\n",
            ),
        ],
        &[(
            "shop/Stock.java",
            Some("package shop;\n\npublic class Stock {\n    public void keep() {}\n}\n"),
        )],
        "`Stock.runIt` is gone and still used: shop/Use.java:5",
    ),
    case(
        "java typed variable",
        &[
            (
                "shop/Stock.java",
                "package shop;\n\npublic class Stock {\n    public static void runIt() {}\n    public void keep() {}\n}\n",
            ),
            (
                "shop/Use.java",
                "package shop;\n\nclass Use {\n    void f(Other other, Stock stock) {\n        other.runIt();\n    }\n}\n",
            ),
        ],
        &[(
            "shop/Stock.java",
            Some("package shop;\n\npublic class Stock {\n    public void keep() {}\n}\n"),
        )],
        "",
    ),
    case(
        "java import removed",
        &[(
            "shop/A.java",
            "package shop;\n\nimport java.util.List;\nimport java.util.Map;\n\nclass A {\n    List<String> a;\n    Map<String, String> b;\n}\n",
        )],
        &[(
            "shop/A.java",
            Some(
                "package shop;\n\nimport java.util.List;\n\nclass A {\n    List<String> a;\n    Map<String, String> b;\n}\n",
            ),
        )],
        "`Map` is no longer imported and still used: shop/A.java:7",
    ),
    case(
        "java class parameter shadows nothing",
        &[(
            "shop/Stock.java",
            "package shop;\n\npublic class Stock {\n    int runIt() { return 1; }\n    int f(int runIt) { return runIt + runIt; }\n}\n",
        )],
        &[(
            "shop/Stock.java",
            Some(
                "package shop;\n\npublic class Stock {\n    int f(int runIt) { return runIt + runIt; }\n}\n",
            ),
        )],
        "",
    ),
    case(
        "java method of own used",
        &[(
            "shop/Stock.java",
            "package shop;\n\npublic class Stock {\n    int runIt() { return 1; }\n    int f() { int runIt = runIt(); return runIt; }\n}\n",
        )],
        &[(
            "shop/Stock.java",
            Some(
                "package shop;\n\npublic class Stock {\n    int f() { int runIt = runIt(); return runIt; }\n}\n",
            ),
        )],
        "`Stock.runIt` is gone and still used: shop/Stock.java:4",
    ),
    case(
        "go alias",
        &[
            ("go.mod", "module shop\n"),
            (
                "stock/stock.go",
                "package stock\n\nfunc Total() int { return 1 }\n\nfunc Keep() int { return 1 }\n",
            ),
            ("main.go", "package main\n\nimport sm \"shop/stock\"\n\nfunc main() { sm.Total() }\n"),
        ],
        &[("stock/stock.go", Some("package stock\n\nfunc Keep() int { return 1 }\n"))],
        "`Total` is gone and still used: main.go:5",
    ),
    case(
        "go other package of the name",
        &[
            ("go.mod", "module shop\n"),
            (
                "stock/stock.go",
                "package stock\n\nfunc Total() int { return 1 }\n\nfunc Keep() int { return 1 }\n",
            ),
            (
                "main.go",
                "package main\n\nimport \"other.org/stock\"\n\nfunc main() { stock.Total() }\n",
            ),
        ],
        &[("stock/stock.go", Some("package stock\n\nfunc Keep() int { return 1 }\n"))],
        "",
    ),
    case(
        "go shadow by short var",
        &[
            ("go.mod", "module shop\n"),
            (
                "stock/stock.go",
                "package stock\n\nfunc total() int { return 1 }\n\nfunc Keep() int { return 1 }\n",
            ),
            (
                "stock/b.go",
                "package stock\n\nfunc f() int {\n\ttotal := total()\n\treturn total\n}\n",
            ),
        ],
        &[("stock/stock.go", Some("package stock\n\nfunc Keep() int { return 1 }\n"))],
        "`total` is gone and still used: stock/b.go:4",
    ),
    case(
        "go parameter",
        &[
            ("go.mod", "module shop\n"),
            (
                "stock/stock.go",
                "package stock\n\nfunc total() int { return 1 }\n\nfunc Keep() int { return 1 }\n",
            ),
            (
                "stock/b.go",
                "package stock\n\nfunc f(total int) int {\n\treturn total\n}\n\ntype T struct{ n int }\n\nfunc g() T { return T{n: 1} }\n",
            ),
        ],
        &[("stock/stock.go", Some("package stock\n\nfunc Keep() int { return 1 }\n"))],
        "",
    ),
    case(
        "go import removed",
        &[(
            "main.go",
            "package main\n\nimport (\n\t\"fmt\"\n\t\"strings\"\n)\n\nfunc main() { fmt.Println(strings.ToUpper(\"a\")) }\n",
        )],
        &[(
            "main.go",
            Some(
                "package main\n\nimport (\n\t\"fmt\"\n)\n\nfunc main() { fmt.Println(strings.ToUpper(\"a\")) }\n",
            ),
        )],
        "`strings` is no longer imported and still used: main.go:7",
    ),
    case(
        "rs alias",
        &[
            ("Cargo.toml", "[package]\nname = \"my-shop\"\n"),
            ("src/lib.rs", "pub mod stock;\npub mod a;\n"),
            ("src/stock.rs", "pub fn total(x: u8) -> u8 { x }\npub fn keep() {}\n"),
            (
                "src/a.rs",
                "use crate::stock as c;\nuse crate::stock::total as t;\nfn f() -> u8 { c::total(t(1)) }\n",
            ),
        ],
        &[("src/stock.rs", Some("pub fn keep() {}\n"))],
        "`total` is gone and still used: src/a.rs:2, src/a.rs:3",
    ),
    case(
        "rs pattern",
        &[
            ("Cargo.toml", "[package]\nname = \"my-shop\"\n"),
            ("src/lib.rs", "pub mod stock;\npub mod a;\n"),
            ("src/stock.rs", "pub fn total(x: u8) -> u8 { x }\npub fn keep() {}\n"),
            (
                "src/a.rs",
                "use crate::stock::keep;\nfn f(x: Option<u8>, total: u8) -> u8 {\n    keep();\n    total\n}\nfn g(x: Option<u8>) -> u8 { match x { Some(total) => total, None => 0 } }\nfn h(x: Option<u8>) -> u8 { if let Some(total) = x { total } else { 0 } }\nfn i(xs: &[u8]) { for total in xs { print(total); } xs.iter().map(|total| total + 1); }\n",
            ),
        ],
        &[("src/stock.rs", Some("pub fn keep() {}\n"))],
        "",
    ),
    case(
        "rs let shadows call",
        &[
            ("Cargo.toml", "[package]\nname = \"my-shop\"\n"),
            ("src/lib.rs", "pub mod stock;\npub mod a;\n"),
            ("src/stock.rs", "pub fn total(x: u8) -> u8 { x }\npub fn keep() {}\n"),
            (
                "src/a.rs",
                "use crate::stock::total;\nfn f() -> u8 {\n    let total = total(1);\n    total\n}\n",
            ),
        ],
        &[("src/stock.rs", Some("pub fn keep() {}\n"))],
        "`total` is gone and still used: src/a.rs:1, src/a.rs:3",
    ),
    case(
        "rs other crate of the name",
        &[
            ("Cargo.toml", "[package]\nname = \"my-shop\"\n"),
            ("src/lib.rs", "pub mod stock;\npub mod a;\n"),
            ("src/stock.rs", "pub fn total(x: u8) -> u8 { x }\npub fn keep() {}\n"),
            (
                "src/a.rs",
                "use other::stock::total;\nuse crate::stock::keep;\nfn f() -> u8 { keep(); total(1) }\n",
            ),
        ],
        &[("src/stock.rs", Some("pub fn keep() {}\n"))],
        "",
    ),
    case(
        "rs glob and super",
        &[
            ("Cargo.toml", "[package]\nname = \"my-shop\"\n"),
            ("src/lib.rs", "pub mod stock;\npub mod a;\n"),
            ("src/stock.rs", "pub fn total(x: u8) -> u8 { x }\npub fn keep() {}\nmod tests;\n"),
            ("src/stock/tests.rs", "use super::*;\n#[test]\nfn t() { assert_eq!(total(1), 1); }\n"),
        ],
        &[("src/stock.rs", Some("pub fn keep() {}\nmod tests;\n"))],
        "`total` is gone and still used: src/stock/tests.rs:3",
    ),
    case(
        "rs from tests by package",
        &[
            ("Cargo.toml", "[package]\nname = \"my-shop\"\n"),
            ("src/lib.rs", "pub mod stock;\npub mod a;\n"),
            ("src/stock.rs", "pub fn total(x: u8) -> u8 { x }\npub fn keep() {}\n"),
            (
                "tests/t.rs",
                "use my_shop::stock::{self, total};\n#[test]\nfn t() { total(stock::total(1)); }\n",
            ),
        ],
        &[("src/stock.rs", Some("pub fn keep() {}\n"))],
        "`total` is gone and still used: tests/t.rs:1, tests/t.rs:3",
    ),
    case(
        "rs import removed",
        &[(
            "src/lib.rs",
            "use std::collections::HashMap;\nuse std::fmt;\n\npub fn f() -> HashMap<u8, u8> { HashMap::new() }\n",
        )],
        &[(
            "src/lib.rs",
            Some("use std::fmt;\n\npub fn f() -> HashMap<u8, u8> { HashMap::new() }\n"),
        )],
        "`HashMap` is no longer imported and still used: src/lib.rs:3",
    ),
    case(
        "py import removed",
        &[("a.py", "import os\nimport json\nprint(os.path.join('a'), json)\n")],
        &[("a.py", Some("import json\nprint(os.path.join('a'), json)\n"))],
        "`os` is no longer imported and still used: a.py:2",
    ),
    case(
        "py import removed, submodule stays",
        &[("a.py", "import os\nimport os.path\nprint(os.path.join('a'))\n")],
        &[("a.py", Some("import os.path\nprint(os.path.join('a'))\n"))],
        "",
    ),
    case(
        "py import replaced",
        &[("a.py", "from a1 import json\nprint(json)\n")],
        &[(
            "a.py",
            Some(
                "try:\n    import ujson as json\nexcept ImportError:\n    json = None\nprint(json)\n",
            ),
        )],
        "",
    ),
    case(
        "py import moved into function",
        &[("a.py", "import json\ndef f():\n    return json.dumps(1)\n")],
        &[("a.py", Some("def f():\n    import json\n    return json.dumps(1)\n"))],
        "",
    ),
    case(
        "py import of a parameter",
        &[("a.py", "from x import data\ndef f(data):\n    return data\n")],
        &[("a.py", Some("def f(data):\n    return data\n"))],
        "",
    ),
    case(
        "ts import removed",
        &[(
            "a.ts",
            "import { join } from 'path';\nimport { readFile } from 'fs';\nreadFile(join('a'));\n",
        )],
        &[("a.ts", Some("import { readFile } from 'fs';\nreadFile(join('a'));\n"))],
        "`join` is no longer imported and still used: a.ts:2",
    ),
    case(
        "ts type import removed",
        &[(
            "a.tsx",
            "import { Props } from './p';\nimport { Box } from './b';\nexport const A = (p: Props) => <Box a={p} />;\n",
        )],
        &[(
            "a.tsx",
            Some("import { Box } from './b';\nexport const A = (p: Props) => <Box a={p} />;\n"),
        )],
        "`Props` is no longer imported and still used: a.tsx:2",
    ),
    case(
        "tsx component import removed",
        &[(
            "a.tsx",
            "import { Box } from './b';\nimport { x } from './p';\nexport const A = () => <Box a={x} />;\n",
        )],
        &[("a.tsx", Some("import { x } from './p';\nexport const A = () => <Box a={x} />;\n"))],
        "`Box` is no longer imported and still used: a.tsx:2",
    ),
    case(
        "js global import removed",
        &[(
            "a.js",
            "import { URL } from 'url';\nimport a from 'a';\na(new URL('x'), { url: 1 });\n",
        )],
        &[("a.js", Some("import a from 'a';\na(new URL('x'), { url: 1 });\n"))],
        "",
    ),
    case(
        "ruby parameter and call",
        &[
            ("lib/s.rb", "class Stock\n  def put_back(n)\n    n\n  end\nend\n"),
            (
                "lib/u.rb",
                "require_relative 's'\nclass U\n  def f(put_back)\n    put_back + 1\n  end\n\n  def g(other)\n    Other.new.put_back(1)\n    other.each { |put_back| put_back }\n    Stock.new\n  end\nend\n",
            ),
        ],
        &[("lib/s.rb", Some("class Stock\nend\n"))],
        "",
    ),
    case(
        "py self of other class at home",
        &[(
            "s.py",
            "class A:\n    def run_all(self):\n        pass\n\n\nclass B(Base):\n    def go(self):\n        self.run_all()\n",
        )],
        &[(
            "s.py",
            Some(
                "class A:\n    pass\n\n\nclass B(Base):\n    def go(self):\n        self.run_all()\n",
            ),
        )],
        "",
    ),
    case(
        "py method renamed at home",
        &[(
            "s.py",
            "class A(Base):\n    def _run_all(self):\n        pass\n\n    def go(self):\n        self._run_all()\n",
        )],
        &[(
            "s.py",
            Some(
                "class A(Base):\n    def _run_each(self):\n        pass\n\n    def go(self):\n        self._run_all()\n",
            ),
        )],
        "`A._run_all` is gone (now `_run_each`?) and still used: s.py:6",
    ),
    case(
        "py override removed",
        &[(
            "s.py",
            "from django import View\n\nclass A(View):\n    def get_queryset(self):\n        pass\n\n    def go(self):\n        self.get_queryset()\n",
        )],
        &[(
            "s.py",
            Some(
                "from django import View\n\nclass A(View):\n    def go(self):\n        self.get_queryset()\n",
            ),
        )],
        "",
    ),
    case(
        "vendored user is not told",
        &[
            ("util.py", "def compute(x):\n    return x\n\n\ndef keep():\n    pass\n"),
            ("venv/lib/python3.12/site-packages/q.py", "from util import compute\n"),
            ("node_modules/x.py", "from util import compute\n"),
        ],
        &[("util.py", Some("def keep():\n    pass\n"))],
        "",
    ),
    case(
        "py const attr",
        &[
            (
                "util.py",
                "def compute(x):\n    return x\n\n\nLIMIT = 3\n\n\nclass Shape:\n    def draw_all(self):\n        pass\n\n\ndef keep():\n    pass\n",
            ),
            ("use.py", "import util\nprint(util.LIMIT)\nclass A:\n    LIMIT = 4\nprint(A.LIMIT)\n"),
        ],
        &[(
            "util.py",
            Some(
                "def compute(x):\n    return x\n\n\nclass Shape:\n    def draw_all(self):\n        pass\n\n\ndef keep():\n    pass\n",
            ),
        )],
        "",
    ),
    case(
        "py const in other class attr",
        &[
            (
                "util.py",
                "def compute(x):\n    return x\n\n\nLIMIT = 3\n\n\nclass Shape:\n    def draw_all(self):\n        pass\n\n\ndef keep():\n    pass\n",
            ),
            ("use.py", "import util\nimport other\nprint(other.LIMIT, util.keep())\n"),
        ],
        &[(
            "util.py",
            Some(
                "def compute(x):\n    return x\n\n\nclass Shape:\n    def draw_all(self):\n        pass\n\n\ndef keep():\n    pass\n",
            ),
        )],
        "",
    ),
    case(
        "py class type hint",
        &[
            (
                "util.py",
                "def compute(x):\n    return x\n\n\nLIMIT = 3\n\n\nclass Shape:\n    def draw_all(self):\n        pass\n\n\ndef keep():\n    pass\n",
            ),
            ("use.py", "from util import Shape\ndef f(s: Shape, Shape2=1) -> Shape: ...\n"),
        ],
        &[(
            "util.py",
            Some("def compute(x):\n    return x\n\n\nLIMIT = 3\n\n\ndef keep():\n    pass\n"),
        )],
        "`Shape` is gone and still used: use.py:1, use.py:2",
    ),
    case(
        "py typing block",
        &[
            (
                "util.py",
                "def compute(x):\n    return x\n\n\nLIMIT = 3\n\n\nclass Shape:\n    def draw_all(self):\n        pass\n\n\ndef keep():\n    pass\n",
            ),
            (
                "use.py",
                "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from util import Shape\ndef f(s: 'Shape'): ...\n",
            ),
        ],
        &[(
            "util.py",
            Some("def compute(x):\n    return x\n\n\nLIMIT = 3\n\n\ndef keep():\n    pass\n"),
        )],
        "`Shape` is gone and still used: use.py:3",
    ),
    case(
        "py method on typed",
        &[
            (
                "util.py",
                "def compute(x):\n    return x\n\n\nLIMIT = 3\n\n\nclass Shape:\n    def draw_all(self):\n        pass\n\n\ndef keep():\n    pass\n",
            ),
            ("use.py", "from util import Shape\ndef f(s: Shape):\n    s.draw_all()\n"),
        ],
        &[(
            "util.py",
            Some(
                "def compute(x):\n    return x\n\n\nLIMIT = 3\n\n\nclass Shape:\n    pass\n\n\ndef keep():\n    pass\n",
            ),
        )],
        "`Shape.draw_all` is gone and still used: use.py:3",
    ),
    case(
        "py method on other typed",
        &[
            (
                "util.py",
                "def compute(x):\n    return x\n\n\nLIMIT = 3\n\n\nclass Shape:\n    def draw_all(self):\n        pass\n\n\ndef keep():\n    pass\n",
            ),
            (
                "use.py",
                "from util import Shape\nfrom q import Board\ndef f(b: Board, s: Shape):\n    b.draw_all()\n",
            ),
        ],
        &[(
            "util.py",
            Some(
                "def compute(x):\n    return x\n\n\nLIMIT = 3\n\n\nclass Shape:\n    pass\n\n\ndef keep():\n    pass\n",
            ),
        )],
        "",
    ),
    case(
        "py nested def shadows",
        &[
            (
                "util.py",
                "def compute(x):\n    return x\n\n\nLIMIT = 3\n\n\nclass Shape:\n    def draw_all(self):\n        pass\n\n\ndef keep():\n    pass\n",
            ),
            (
                "use.py",
                "from util import keep\ndef f():\n    def compute(): pass\n    compute()\n    keep()\n",
            ),
        ],
        &[(
            "util.py",
            Some(
                "LIMIT = 3\n\n\nclass Shape:\n    def draw_all(self):\n        pass\n\n\ndef keep():\n    pass\n",
            ),
        )],
        "",
    ),
    case(
        "py class attribute same",
        &[
            (
                "util.py",
                "def compute(x):\n    return x\n\n\nLIMIT = 3\n\n\nclass Shape:\n    def draw_all(self):\n        pass\n\n\ndef keep():\n    pass\n",
            ),
            (
                "use.py",
                "from util import keep\nclass C:\n    compute = keep\n    def f(self): return self.compute()\n",
            ),
        ],
        &[(
            "util.py",
            Some(
                "LIMIT = 3\n\n\nclass Shape:\n    def draw_all(self):\n        pass\n\n\ndef keep():\n    pass\n",
            ),
        )],
        "",
    ),
    case(
        "py decorator",
        &[
            (
                "util.py",
                "def compute(x):\n    return x\n\n\nLIMIT = 3\n\n\nclass Shape:\n    def draw_all(self):\n        pass\n\n\ndef keep():\n    pass\n",
            ),
            ("use.py", "from util import compute\n@compute\ndef f(): pass\n"),
        ],
        &[(
            "util.py",
            Some(
                "LIMIT = 3\n\n\nclass Shape:\n    def draw_all(self):\n        pass\n\n\ndef keep():\n    pass\n",
            ),
        )],
        "`compute` is gone and still used: use.py:1, use.py:2",
    ),
    case(
        "py patch string",
        &[
            (
                "util.py",
                "def compute(x):\n    return x\n\n\nLIMIT = 3\n\n\nclass Shape:\n    def draw_all(self):\n        pass\n\n\ndef keep():\n    pass\n",
            ),
            (
                "use.py",
                "from unittest import mock\nimport util\nwith mock.patch('util.compute'): util.keep()\n",
            ),
        ],
        &[(
            "util.py",
            Some(
                "LIMIT = 3\n\n\nclass Shape:\n    def draw_all(self):\n        pass\n\n\ndef keep():\n    pass\n",
            ),
        )],
        "",
    ),
    case(
        "py local import in function",
        &[
            (
                "util.py",
                "def compute(x):\n    return x\n\n\nLIMIT = 3\n\n\nclass Shape:\n    def draw_all(self):\n        pass\n\n\ndef keep():\n    pass\n",
            ),
            ("use.py", "def f():\n    from util import compute\n    return compute(1)\n"),
        ],
        &[(
            "util.py",
            Some(
                "LIMIT = 3\n\n\nclass Shape:\n    def draw_all(self):\n        pass\n\n\ndef keep():\n    pass\n",
            ),
        )],
        "`compute` is gone and still used: use.py:2, use.py:3",
    ),
    case(
        "py tests dir",
        &[
            ("src/pkg/__init__.py", ""),
            (
                "src/pkg/util.py",
                "def compute(x):\n    return x\n\n\nLIMIT = 3\n\n\nclass Shape:\n    def draw_all(self):\n        pass\n\n\ndef keep():\n    pass\n",
            ),
            (
                "tests/test_u.py",
                "from pkg.util import compute\nfrom pkg import util\nassert util.compute(1)\n",
            ),
        ],
        &[(
            "src/pkg/util.py",
            Some(
                "LIMIT = 3\n\n\nclass Shape:\n    def draw_all(self):\n        pass\n\n\ndef keep():\n    pass\n",
            ),
        )],
        "`compute` is gone and still used: tests/test_u.py:1, tests/test_u.py:3",
    ),
    case(
        "py moved but re-imported",
        &[
            ("pkg/__init__.py", ""),
            (
                "pkg/util.py",
                "def compute(x):\n    return x\n\n\nLIMIT = 3\n\n\nclass Shape:\n    def draw_all(self):\n        pass\n\n\ndef keep():\n    pass\n",
            ),
            ("use.py", "from pkg.util import compute\ncompute(1)\n"),
        ],
        &[
            (
                "pkg/util.py",
                Some(
                    "from pkg.m import compute\nLIMIT = 3\n\n\nclass Shape:\n    def draw_all(self):\n        pass\n\n\ndef keep():\n    pass\n",
                ),
            ),
            ("pkg/m.py", Some("def compute(x):\n    return x\n")),
        ],
        "",
    ),
    case(
        "ts default import other name",
        &[
            (
                "src/u.ts",
                "export function compute(x: number) {\n  return x;\n}\nexport interface Item { a: string }\nexport class Shape {\n  drawAll() {}\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
            ("src/m.ts", "import compute from './u';\ncompute();\n"),
        ],
        &[(
            "src/u.ts",
            Some(
                "export interface Item { a: string }\nexport class Shape {\n  drawAll() {}\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
        )],
        "",
    ),
    case(
        "ts renamed import",
        &[
            (
                "src/u.ts",
                "export function compute(x: number) {\n  return x;\n}\nexport interface Item { a: string }\nexport class Shape {\n  drawAll() {}\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
            (
                "src/m.ts",
                "import { compute as c } from './u';\nc(1);\nconst compute = 2;\nf(compute);\n",
            ),
        ],
        &[(
            "src/u.ts",
            Some(
                "export interface Item { a: string }\nexport class Shape {\n  drawAll() {}\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
        )],
        "",
    ),
    case(
        "ts renamed import 2",
        &[
            (
                "src/u.ts",
                "export function compute(x: number) {\n  return x;\n}\nexport interface Item { a: string }\nexport class Shape {\n  drawAll() {}\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
            ("src/m.ts", "import { compute as c } from './u';\nc(1);\n"),
        ],
        &[(
            "src/u.ts",
            Some(
                "export interface Item { a: string }\nexport class Shape {\n  drawAll() {}\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
        )],
        "`compute` is gone and still used: src/m.ts:1",
    ),
    case(
        "ts type only",
        &[
            (
                "src/u.ts",
                "export function compute(x: number) {\n  return x;\n}\nexport interface Item { a: string }\nexport class Shape {\n  drawAll() {}\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
            (
                "src/m.ts",
                "import type { Item } from './u';\nlet a: Item[] = [];\ntype X<Item2> = Item;\n",
            ),
        ],
        &[(
            "src/u.ts",
            Some(
                "export function compute(x: number) {\n  return x;\n}\nexport class Shape {\n  drawAll() {}\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
        )],
        "`Item` is gone and still used: src/m.ts:1, src/m.ts:2, src/m.ts:3",
    ),
    case(
        "ts type parameter",
        &[
            (
                "src/u.ts",
                "export function compute(x: number) {\n  return x;\n}\nexport interface Item { a: string }\nexport class Shape {\n  drawAll() {}\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
            (
                "src/m.ts",
                "import { LIMIT } from './u';\nfunction f<Item>(x: Item): Item { return x; }\nf(LIMIT);\n",
            ),
        ],
        &[(
            "src/u.ts",
            Some(
                "export function compute(x: number) {\n  return x;\n}\nexport class Shape {\n  drawAll() {}\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
        )],
        "",
    ),
    case(
        "ts other interface method",
        &[
            (
                "src/u.ts",
                "export function compute(x: number) {\n  return x;\n}\nexport interface Item { a: string }\nexport class Shape {\n  drawAll() {}\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
            (
                "src/m.ts",
                "import { Shape } from './u';\nimport { Board } from 'b';\nexport function f(b: Board, s: Shape) { b.drawAll(); }\n",
            ),
        ],
        &[(
            "src/u.ts",
            Some(
                "export function compute(x: number) {\n  return x;\n}\nexport interface Item { a: string }\nexport class Shape {\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
        )],
        "",
    ),
    case(
        "ts this in object",
        &[
            (
                "src/u.ts",
                "export function compute(x: number) {\n  return x;\n}\nexport interface Item { a: string }\nexport class Shape {\n  drawAll() {}\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
            (
                "src/m.ts",
                "import { Shape } from './u';\nexport class V extends Other { f(s: Shape) { this.drawAll(); } }\n",
            ),
        ],
        &[(
            "src/u.ts",
            Some(
                "export function compute(x: number) {\n  return x;\n}\nexport interface Item { a: string }\nexport class Shape {\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
        )],
        "",
    ),
    case(
        "ts subclass",
        &[
            (
                "src/u.ts",
                "export function compute(x: number) {\n  return x;\n}\nexport interface Item { a: string }\nexport class Shape {\n  drawAll() {}\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
            (
                "src/m.ts",
                "import { Shape } from './u';\nexport class V extends Shape { f() { this.drawAll(); } }\n",
            ),
        ],
        &[(
            "src/u.ts",
            Some(
                "export function compute(x: number) {\n  return x;\n}\nexport interface Item { a: string }\nexport class Shape {\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
        )],
        "`Shape.drawAll` is gone and still used: src/m.ts:2",
    ),
    case(
        "ts new chain",
        &[
            (
                "src/u.ts",
                "export function compute(x: number) {\n  return x;\n}\nexport interface Item { a: string }\nexport class Shape {\n  drawAll() {}\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
            (
                "src/m.ts",
                "import { Shape } from './u';\nnew Shape().drawAll();\nnew Shape()\n  .drawAll();\n",
            ),
        ],
        &[(
            "src/u.ts",
            Some(
                "export function compute(x: number) {\n  return x;\n}\nexport interface Item { a: string }\nexport class Shape {\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
        )],
        "`Shape.drawAll` is gone and still used: src/m.ts:2, src/m.ts:4",
    ),
    case(
        "ts barrel named",
        &[
            (
                "src/u.ts",
                "export function compute(x: number) {\n  return x;\n}\nexport interface Item { a: string }\nexport class Shape {\n  drawAll() {}\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
            ("src/index.ts", "export { compute } from './u';\n"),
            ("app/m.ts", "import { compute } from '../src';\ncompute(1);\n"),
        ],
        &[(
            "src/u.ts",
            Some(
                "export interface Item { a: string }\nexport class Shape {\n  drawAll() {}\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
        )],
        "`compute` is gone and still used: app/m.ts:1, app/m.ts:2, src/index.ts:1",
    ),
    case(
        "ts package of the name",
        &[
            (
                "src/u.ts",
                "export function compute(x: number) {\n  return x;\n}\nexport interface Item { a: string }\nexport class Shape {\n  drawAll() {}\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
            (
                "src/m.ts",
                "import { compute } from 'u';\nimport { LIMIT } from './u';\ncompute(LIMIT);\n",
            ),
        ],
        &[(
            "src/u.ts",
            Some(
                "export interface Item { a: string }\nexport class Shape {\n  drawAll() {}\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
        )],
        "",
    ),
    case(
        "ts var hoisted local",
        &[
            (
                "src/u.ts",
                "export function compute(x: number) {\n  return x;\n}\nexport interface Item { a: string }\nexport class Shape {\n  drawAll() {}\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
            (
                "src/m.ts",
                "import { LIMIT } from './u';\nfunction f() { compute = 1; var compute; return compute + LIMIT; }\n",
            ),
        ],
        &[(
            "src/u.ts",
            Some(
                "export interface Item { a: string }\nexport class Shape {\n  drawAll() {}\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
        )],
        "",
    ),
    case(
        "ts object shorthand",
        &[
            (
                "src/u.ts",
                "export function compute(x: number) {\n  return x;\n}\nexport interface Item { a: string }\nexport class Shape {\n  drawAll() {}\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
            ("src/m.ts", "import { compute } from './u';\nexport default { compute };\n"),
        ],
        &[(
            "src/u.ts",
            Some(
                "export interface Item { a: string }\nexport class Shape {\n  drawAll() {}\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
        )],
        "`compute` is gone and still used: src/m.ts:1, src/m.ts:2",
    ),
    case(
        "ts import lost but global declared",
        &[
            (
                "src/m.ts",
                "import { Item } from './u';\nimport { b } from './v';\nlet a: Item = b;\n",
            ),
            (
                "src/u.ts",
                "export function compute(x: number) {\n  return x;\n}\nexport interface Item { a: string }\nexport class Shape {\n  drawAll() {}\n}\nexport default function main() {}\nexport const LIMIT = 1;\n",
            ),
        ],
        &[(
            "src/m.ts",
            Some("import { b } from './v';\ndeclare const Item: any;\nlet a: Item = b;\n"),
        )],
        "",
    ),
    case(
        "ts import lost, member only",
        &[(
            "src/m.ts",
            "import { join } from 'path';\nimport { a } from './v';\na.join(',');\nconst x = { join: 1 };\n",
        )],
        &[("src/m.ts", Some("import { a } from './v';\na.join(',');\nconst x = { join: 1 };\n"))],
        "",
    ),
    case(
        "ts import lost, default kept",
        &[("src/m.ts", "import React, { useState } from 'react';\nconst a = useState(React.x);\n")],
        &[("src/m.ts", Some("import React from 'react';\nconst a = useState(React.x);\n"))],
        "`useState` is no longer imported and still used: src/m.ts:2",
    ),
    case(
        "rs assoc fn of other",
        &[
            ("Cargo.toml", "[package]\nname = \"a\"\n"),
            ("src/lib.rs", "pub mod stock;\npub mod u;\n"),
            (
                "src/stock.rs",
                "pub struct Stock { pub count: u8 }\n\nimpl Stock {\n    pub fn open_it() -> Self { Stock { count: 1 } }\n    pub fn close_it(&self) {}\n}\n\npub enum Color { RedOne, BlueOne }\n\npub const MOST: u8 = 1;\n\npub fn total() -> u8 { 1 }\n\nmacro_rules! shout { () => {}; }\n",
            ),
            (
                "src/u.rs",
                "use crate::stock::Stock;\nuse other::Shop;\nfn f(s: &Stock) { Shop::open_it(); s.close_it(); }\n",
            ),
        ],
        &[(
            "src/stock.rs",
            Some(
                "pub struct Stock { pub count: u8 }\n\nimpl Stock {\n    pub fn close_it(&self) {}\n}\n\npub enum Color { RedOne, BlueOne }\n\npub const MOST: u8 = 1;\n\npub fn total() -> u8 { 1 }\n\nmacro_rules! shout { () => {}; }\n",
            ),
        )],
        "",
    ),
    case(
        "rs assoc fn",
        &[
            ("Cargo.toml", "[package]\nname = \"a\"\n"),
            ("src/lib.rs", "pub mod stock;\npub mod u;\n"),
            (
                "src/stock.rs",
                "pub struct Stock { pub count: u8 }\n\nimpl Stock {\n    pub fn open_it() -> Self { Stock { count: 1 } }\n    pub fn close_it(&self) {}\n}\n\npub enum Color { RedOne, BlueOne }\n\npub const MOST: u8 = 1;\n\npub fn total() -> u8 { 1 }\n\nmacro_rules! shout { () => {}; }\n",
            ),
            (
                "src/u.rs",
                "use crate::stock::Stock;\nfn f() { Stock::open_it(); crate::stock::Stock::open_it(); }\n",
            ),
        ],
        &[(
            "src/stock.rs",
            Some(
                "pub struct Stock { pub count: u8 }\n\nimpl Stock {\n    pub fn close_it(&self) {}\n}\n\npub enum Color { RedOne, BlueOne }\n\npub const MOST: u8 = 1;\n\npub fn total() -> u8 { 1 }\n\nmacro_rules! shout { () => {}; }\n",
            ),
        )],
        "`Stock.open_it` is gone and still used: src/u.rs:2",
    ),
    case(
        "rs variant",
        &[
            ("Cargo.toml", "[package]\nname = \"a\"\n"),
            ("src/lib.rs", "pub mod stock;\npub mod u;\n"),
            (
                "src/stock.rs",
                "pub struct Stock { pub count: u8 }\n\nimpl Stock {\n    pub fn open_it() -> Self { Stock { count: 1 } }\n    pub fn close_it(&self) {}\n}\n\npub enum Color { RedOne, BlueOne }\n\npub const MOST: u8 = 1;\n\npub fn total() -> u8 { 1 }\n\nmacro_rules! shout { () => {}; }\n",
            ),
            (
                "src/u.rs",
                "use crate::stock::Color;\nuse q::Shade;\nfn f(c: Color) { match c { Color::RedOne => {} _ => {} } let _ = Shade::RedOne; }\n",
            ),
        ],
        &[(
            "src/stock.rs",
            Some(
                "pub struct Stock { pub count: u8 }\n\nimpl Stock {\n    pub fn open_it() -> Self { Stock { count: 1 } }\n    pub fn close_it(&self) {}\n}\n\npub enum Color { BlueOne }\n\npub const MOST: u8 = 1;\n\npub fn total() -> u8 { 1 }\n\nmacro_rules! shout { () => {}; }\n",
            ),
        )],
        "`Color.RedOne` is gone and still used: src/u.rs:3",
    ),
    case(
        "rs const full path",
        &[
            ("Cargo.toml", "[package]\nname = \"a\"\n"),
            ("src/lib.rs", "pub mod stock;\npub mod u;\n"),
            (
                "src/stock.rs",
                "pub struct Stock { pub count: u8 }\n\nimpl Stock {\n    pub fn open_it() -> Self { Stock { count: 1 } }\n    pub fn close_it(&self) {}\n}\n\npub enum Color { RedOne, BlueOne }\n\npub const MOST: u8 = 1;\n\npub fn total() -> u8 { 1 }\n\nmacro_rules! shout { () => {}; }\n",
            ),
            ("src/u.rs", "fn f() -> u8 { crate::stock::MOST + super::stock::MOST + q::MOST }\n"),
        ],
        &[(
            "src/stock.rs",
            Some(
                "pub struct Stock { pub count: u8 }\n\nimpl Stock {\n    pub fn open_it() -> Self { Stock { count: 1 } }\n    pub fn close_it(&self) {}\n}\n\npub enum Color { RedOne, BlueOne }\n\npub fn total() -> u8 { 1 }\n\nmacro_rules! shout { () => {}; }\n",
            ),
        )],
        "`MOST` is gone and still used: src/u.rs:1",
    ),
    case(
        "rs closure arg and field",
        &[
            ("Cargo.toml", "[package]\nname = \"a\"\n"),
            ("src/lib.rs", "pub mod stock;\npub mod u;\n"),
            (
                "src/stock.rs",
                "pub struct Stock { pub count: u8 }\n\nimpl Stock {\n    pub fn open_it() -> Self { Stock { count: 1 } }\n    pub fn close_it(&self) {}\n}\n\npub enum Color { RedOne, BlueOne }\n\npub const MOST: u8 = 1;\n\npub fn total() -> u8 { 1 }\n\nmacro_rules! shout { () => {}; }\n",
            ),
            (
                "src/u.rs",
                "use crate::stock::MOST;\nstruct A { total: u8 }\nfn f(a: A) -> A { let g = |total: u8| total + MOST; A { total: g(a.total) } }\n",
            ),
        ],
        &[(
            "src/stock.rs",
            Some(
                "pub struct Stock { pub count: u8 }\n\nimpl Stock {\n    pub fn open_it() -> Self { Stock { count: 1 } }\n    pub fn close_it(&self) {}\n}\n\npub enum Color { RedOne, BlueOne }\n\npub const MOST: u8 = 1;\n\nmacro_rules! shout { () => {}; }\n",
            ),
        )],
        "",
    ),
    case(
        "rs method on other type",
        &[
            ("Cargo.toml", "[package]\nname = \"a\"\n"),
            ("src/lib.rs", "pub mod stock;\npub mod u;\n"),
            (
                "src/stock.rs",
                "pub struct Stock { pub count: u8 }\n\nimpl Stock {\n    pub fn open_it() -> Self { Stock { count: 1 } }\n    pub fn close_it(&self) {}\n}\n\npub enum Color { RedOne, BlueOne }\n\npub const MOST: u8 = 1;\n\npub fn total() -> u8 { 1 }\n\nmacro_rules! shout { () => {}; }\n",
            ),
            ("src/u.rs", "use crate::stock::Stock;\nfn f(d: Door, _s: Stock) { d.close_it(); }\n"),
        ],
        &[(
            "src/stock.rs",
            Some(
                "pub struct Stock { pub count: u8 }\n\nimpl Stock {\n    pub fn open_it() -> Self { Stock { count: 1 } }\n}\n\npub enum Color { RedOne, BlueOne }\n\npub const MOST: u8 = 1;\n\npub fn total() -> u8 { 1 }\n\nmacro_rules! shout { () => {}; }\n",
            ),
        )],
        "",
    ),
    case(
        "rs trait import lost",
        &[(
            "src/lib.rs",
            "use std::io::Read;\nuse std::fs::File;\n\nfn f(mut a: File) { a.read(&mut []).ok(); }\n",
        )],
        &[(
            "src/lib.rs",
            Some("use std::fs::File;\n\nfn f(mut a: File) { a.read(&mut []).ok(); }\n"),
        )],
        "",
    ),
    case(
        "rs import lost but inner mod has it",
        &[(
            "src/lib.rs",
            "use std::fs::File;\n\nfn f(a: u8) {}\n\nmod b {\n    use std::fs::File;\n    fn g(a: File) {}\n}\n",
        )],
        &[(
            "src/lib.rs",
            Some("fn f(a: u8) {}\n\nmod b {\n    use std::fs::File;\n    fn g(a: File) {}\n}\n"),
        )],
        "",
    ),
    case(
        "go method on other type",
        &[
            ("go.mod", "module shop\n"),
            (
                "stock/s.go",
                "package stock\n\ntype Stock struct{ Count int }\n\nfunc (s *Stock) TakeOne() {}\n\nconst Most = 1\n",
            ),
            (
                "main.go",
                "package main\n\nimport \"shop/stock\"\n\ntype Door struct{ Shut }\n\nfunc f(d *Door, s *stock.Stock) { d.TakeOne() }\n",
            ),
        ],
        &[(
            "stock/s.go",
            Some("package stock\n\ntype Stock struct{ Count int }\n\nconst Most = 1\n"),
        )],
        "",
    ),
    case(
        "go method",
        &[
            ("go.mod", "module shop\n"),
            (
                "stock/s.go",
                "package stock\n\ntype Stock struct{ Count int }\n\nfunc (s *Stock) TakeOne() {}\n\nconst Most = 1\n",
            ),
            (
                "main.go",
                "package main\n\nimport \"shop/stock\"\n\nfunc f(s *stock.Stock) { s.TakeOne() }\n",
            ),
        ],
        &[(
            "stock/s.go",
            Some("package stock\n\ntype Stock struct{ Count int }\n\nconst Most = 1\n"),
        )],
        "`Stock.TakeOne` is gone and still used: main.go:5",
    ),
    case(
        "go const of other package",
        &[
            ("go.mod", "module shop\n"),
            (
                "stock/s.go",
                "package stock\n\ntype Stock struct{ Count int }\n\nfunc (s *Stock) TakeOne() {}\n\nconst Most = 1\n",
            ),
            (
                "main.go",
                "package main\n\nimport (\n\t\"shop/stock\"\n\t\"x/limits\"\n)\n\nvar a = limits.Most\nvar b stock.Stock\n",
            ),
        ],
        &[(
            "stock/s.go",
            Some(
                "package stock\n\ntype Stock struct{ Count int }\n\nfunc (s *Stock) TakeOne() {}\n\n",
            ),
        )],
        "",
    ),
    case(
        "go other dir same package",
        &[
            ("go.mod", "module shop\n"),
            ("a/s.go", "package main\n\nfunc helper() {}\n\nfunc keep() {}\n"),
            ("b/m.go", "package main\n\nfunc main() { helper() }\n"),
        ],
        &[("a/s.go", Some("package main\n\nfunc keep() {}\n"))],
        "",
    ),
    case(
        "go import swapped version",
        &[("m.go", "package m\n\nimport \"math/rand\"\n\nvar a = rand.Int()\n")],
        &[("m.go", Some("package m\n\nimport \"math/rand/v2\"\n\nvar a = rand.Int()\n"))],
        "",
    ),
    case(
        "go local var named as lost package",
        &[(
            "m.go",
            "package m\n\nimport \"net/url\"\n\nfunc f(url string) string { return url + x(url) }\n\nvar _ url.URL\n",
        )],
        &[("m.go", Some("package m\n\nfunc f(url string) string { return url + x(url) }\n"))],
        "",
    ),
    case(
        "java const of other",
        &[
            (
                "shop/Stock.java",
                "package shop;\n\npublic class Stock {\n    public enum Kind { ONE }\n    public static final int MOST_ITEMS = 1;\n    public void takeOne() {}\n}\n",
            ),
            (
                "shop/U.java",
                "package shop;\n\nimport x.Limits;\n\nclass U { int a = Limits.MOST_ITEMS; Stock s; }\n",
            ),
        ],
        &[(
            "shop/Stock.java",
            Some(
                "package shop;\n\npublic class Stock {\n    public enum Kind { ONE }\n    public void takeOne() {}\n}\n",
            ),
        )],
        "",
    ),
    case(
        "java static import",
        &[
            (
                "shop/Stock.java",
                "package shop;\n\npublic class Stock {\n    public enum Kind { ONE }\n    public static final int MOST_ITEMS = 1;\n    public void takeOne() {}\n}\n",
            ),
            (
                "app/U.java",
                "package app;\n\nimport static shop.Stock.MOST_ITEMS;\n\nclass U { int a = MOST_ITEMS; }\n",
            ),
        ],
        &[(
            "shop/Stock.java",
            Some(
                "package shop;\n\npublic class Stock {\n    public enum Kind { ONE }\n    public void takeOne() {}\n}\n",
            ),
        )],
        "`Stock.MOST_ITEMS` is gone and still used: app/U.java:3, app/U.java:5",
    ),
    case(
        "java class of other package",
        &[
            (
                "shop/Stock.java",
                "package shop;\n\npublic class Stock {\n    public enum Kind { ONE }\n    public static final int MOST_ITEMS = 1;\n    public void takeOne() {}\n}\n",
            ),
            ("app/U.java", "package app;\n\nimport other.Stock;\n\nclass U { Stock a; }\n"),
            ("app/V.java", "package app;\n\nimport shop.Stock;\n\nclass V { Stock a; }\n"),
        ],
        &[("shop/Stock.java", None)],
        "`shop/Stock.java` is gone and still used: app/V.java:3; `Stock` is gone and still used: app/V.java:3, app/V.java:5",
    ),
    case(
        "java lambda parameter",
        &[
            (
                "shop/Stock.java",
                "package shop;\n\npublic class Stock {\n    public enum Kind { ONE }\n    public static final int MOST_ITEMS = 1;\n    public void takeOne() {}\n}\n",
            ),
            (
                "shop/U.java",
                "package shop;\n\nclass U { void f(Stock s) { g(takeOne -> takeOne + 1); for (var takeOne : x) h(takeOne); } }\n",
            ),
        ],
        &[(
            "shop/Stock.java",
            Some(
                "package shop;\n\npublic class Stock {\n    public enum Kind { ONE }\n    public static final int MOST_ITEMS = 1;\n}\n",
            ),
        )],
        "",
    ),
    case(
        "java same package import lost",
        &[
            (
                "shop/Stock.java",
                "package shop;\n\npublic class Stock {\n    public enum Kind { ONE }\n    public static final int MOST_ITEMS = 1;\n    public void takeOne() {}\n}\n",
            ),
            ("shop/U.java", "package shop;\n\nimport shop.Stock;\n\nclass U { Stock s; }\n"),
        ],
        &[("shop/U.java", Some("package shop;\n\nclass U { Stock s; }\n"))],
        "",
    ),
    case(
        "c param and struct member",
        &[
            ("s.h", "int total_of(int a);\nint keep(void);\n"),
            (
                "u.c",
                "#include \"s.h\"\nstruct a { int total_of; };\nint f(struct a *x, int total_of) { return x->total_of + total_of + keep(); }\n",
            ),
        ],
        &[("s.h", Some("int keep(void);\n"))],
        "",
    ),
    case(
        "ruby block param",
        &[
            ("lib/s.rb", "module Tools\n  def self.total_of(a)\n    a\n  end\nend\n"),
            (
                "lib/u.rb",
                "require_relative 's'\nx.each { |total_of| puts total_of }\nOther.total_of(1)\nTools.total_of(2)\ny = { total_of: 1 }\n",
            ),
        ],
        &[("lib/s.rb", Some("module Tools\nend\n"))],
        "`Tools.total_of` is gone and still used: lib/u.rb:4",
    ),
    case(
        "ruby require moved",
        &[
            ("lib/shop/stock.rb", "class Stock\nend\n"),
            ("lib/u.rb", "require 'shop/stock'\nrequire 'stock'\nrequire_relative 'shop/stock'\n"),
        ],
        &[("lib/shop/stock.rb", None), ("lib/shop/store.rb", Some("class Stock\nend\n"))],
        "`lib/shop/stock.rb` is gone and still used: lib/u.rb:1, lib/u.rb:3",
    ),
    case(
        "py: a definition becomes an import",
        &[
            ("a.py", "def take():\n    pass\n\n\ndef keep():\n    pass\n"),
            ("b.py", "from a import take\ntake()\n"),
            ("c.py", "def take():\n    pass\n\n\ndef fetch():\n    pass\n"),
        ],
        &[("a.py", Some("from c import take\n\n\ndef keep():\n    pass\n"))],
        "",
    ),
    case(
        "py: a definition becomes an import under its name",
        &[
            ("a.py", "def take():\n    pass\n\n\ndef keep():\n    pass\n"),
            ("b.py", "from a import take\ntake()\n"),
            ("c.py", "def take():\n    pass\n\n\ndef fetch():\n    pass\n"),
        ],
        &[("a.py", Some("from c import fetch as take\n\n\ndef keep():\n    pass\n"))],
        "",
    ),
    case(
        "py: a definition becomes all of a module",
        &[
            ("a.py", "def take():\n    pass\n\n\ndef keep():\n    pass\n"),
            ("b.py", "from a import take\ntake()\n"),
            ("c.py", "def take():\n    pass\n\n\ndef fetch():\n    pass\n"),
        ],
        &[("a.py", Some("from c import *\n\n\ndef keep():\n    pass\n"))],
        "",
    ),
    case(
        "ts: a definition becomes a re-export",
        &[
            ("a.ts", "export function take() {}\nexport function keep() {}\n"),
            ("b.ts", "import { take } from \"./a\";\ntake();\n"),
            ("c.ts", "export function take() {}\nexport function get2() {}\n"),
        ],
        &[("a.ts", Some("export { take } from \"./c\";\nexport function keep() {}\n"))],
        "",
    ),
    case(
        "ts: a definition becomes a re-export under its name",
        &[
            ("a.ts", "export function take() {}\nexport function keep() {}\n"),
            ("b.ts", "import { take } from \"./a\";\ntake();\n"),
            ("c.ts", "export function take() {}\nexport function get2() {}\n"),
        ],
        &[("a.ts", Some("export { get2 as take } from \"./c\";\nexport function keep() {}\n"))],
        "",
    ),
    case(
        "ts: a definition becomes all of a module",
        &[
            ("a.ts", "export function take() {}\nexport function keep() {}\n"),
            ("b.ts", "import { take } from \"./a\";\ntake();\n"),
            ("c.ts", "export function take() {}\nexport function get2() {}\n"),
        ],
        &[("a.ts", Some("export * from \"./c\";\nexport function keep() {}\n"))],
        "",
    ),
    case(
        "ts: a definition is exported under its name",
        &[
            ("a.ts", "export function take() {}\nexport function keep() {}\n"),
            ("b.ts", "import { take } from \"./a\";\ntake();\n"),
            ("c.ts", "export function take() {}\nexport function get2() {}\n"),
        ],
        &[(
            "a.ts",
            Some("const q = () => {};\nexport { q as take };\nexport function keep() {}\n"),
        )],
        "",
    ),
    case(
        "rs: a definition becomes a re-export",
        &[
            ("Cargo.toml", "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2024\"\n"),
            ("src/lib.rs", "pub mod a;\npub mod b;\npub mod c;\n"),
            ("src/a.rs", "pub fn take() {}\n\npub fn keep() {}\n"),
            ("src/b.rs", "use crate::a::take;\n\npub fn go() {\n    take();\n}\n"),
            ("src/c.rs", "pub fn take() {}\n\npub fn fetch() {}\n"),
        ],
        &[("src/a.rs", Some("pub use crate::c::take;\n\npub fn keep() {}\n"))],
        "",
    ),
    case(
        "rs: a definition becomes a re-export under its name",
        &[
            ("Cargo.toml", "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2024\"\n"),
            ("src/lib.rs", "pub mod a;\npub mod b;\npub mod c;\n"),
            ("src/a.rs", "pub fn take() {}\n\npub fn keep() {}\n"),
            ("src/b.rs", "use crate::a::take;\n\npub fn go() {\n    take();\n}\n"),
            ("src/c.rs", "pub fn take() {}\n\npub fn fetch() {}\n"),
        ],
        &[("src/a.rs", Some("pub use crate::c::fetch as take;\n\npub fn keep() {}\n"))],
        "",
    ),
];
