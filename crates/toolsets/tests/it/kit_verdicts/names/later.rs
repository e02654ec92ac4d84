//! Edits that were written before any of them was tried.

use super::{Case, case};

pub(super) const CASES: &[Case] = &[
    case(
        "py package drops a name of its facade, used under an alias",
        &[
            ("shop/__init__.py", "from shop.price import gross, net\n"),
            ("shop/price.py", "def gross(x):\n    return x\n\n\ndef net(x):\n    return x\n"),
            ("bill.py", "import shop as s\n\nprint(s.gross(1), s.net(2))\n"),
        ],
        &[("shop/__init__.py", Some("from shop.price import net\n"))],
        "`gross` is no longer exported and still used: bill.py:3",
    ),
    case(
        "py facade imports the name from elsewhere now",
        &[
            ("shop/__init__.py", "from shop.price import gross\n"),
            ("shop/price.py", "def gross(x):\n    return x\n"),
            ("shop/tax.py", "def gross(x):\n    return x\n"),
            ("bill.py", "from shop import gross\n\ngross(1)\n"),
        ],
        &[("shop/__init__.py", Some("from shop.tax import gross\n"))],
        "",
    ),
    case(
        "py a class gets its methods by a mixin",
        &[
            ("m.py", "class Job:\n    def run_later(self):\n        return 1\n"),
            ("mix.py", "class Later:\n    def run_later(self):\n        return 2\n"),
            ("u.py", "from m import Job\n\nJob().run_later()\n"),
        ],
        &[("m.py", Some("from mix import Later\n\n\nclass Job(Later):\n    pass\n"))],
        "",
    ),
    case(
        "py guarded by getattr with a default",
        &[
            ("plug.py", "def on_start():\n    pass\n\n\ndef on_stop():\n    pass\n"),
            ("host.py", "import plug\n\nstop = getattr(plug, 'on_stop', None)\nplug.on_start()\n"),
        ],
        &[("plug.py", Some("def on_start():\n    pass\n"))],
        "",
    ),
    case(
        "py file moved below, its sibling import stays behind",
        &[
            ("app/__init__.py", ""),
            ("app/core.py", "from .names import NAMES\n\n\ndef f():\n    return NAMES\n"),
            ("app/names.py", "NAMES = []\n"),
            ("app/sub/__init__.py", ""),
        ],
        &[("app/core.py", Some("->app/sub/core.py"))],
        "app/sub/core.py:1 imports `.names`, which is not there; it was app/names.py",
    ),
    case(
        "py return slips out of its function",
        &[("m.py", "def f(a):\n    if a:\n        b = 1\n    return b\n")],
        &[("m.py", Some("def f(a):\n    if a:\n        b = 1\nreturn b\n"))],
        "syntax error: m.py:4: return b",
    ),
    case(
        "py keyword given twice",
        &[("m.py", "f(a=1, b=2)\n")],
        &[("m.py", Some("f(a=1, b=2, a=3)\n"))],
        "syntax error: m.py:1: f(a=1, b=2, a=3)",
    ),
    case(
        "ts star of a barrel becomes a list that lacks one",
        &[
            ("lib/index.ts", "export * from './dates';\n"),
            ("lib/dates.ts", "export const today = () => 1;\nexport const later = () => 2;\n"),
            ("app.ts", "import { today, later } from './lib';\n\ntoday();\nlater();\n"),
        ],
        &[("lib/index.ts", Some("export { today } from './dates';\n"))],
        "`later` is no longer exported and still used: app.ts:1, app.ts:4",
    ),
    case(
        "ts star of a barrel becomes a whole list",
        &[
            ("lib/index.ts", "export * from './dates';\n"),
            ("lib/dates.ts", "export const today = () => 1;\nexport const later = () => 2;\n"),
            ("app.ts", "import { today, later } from './lib';\n\ntoday();\nlater();\n"),
        ],
        &[("lib/index.ts", Some("export { today, later } from './dates';\n"))],
        "",
    ),
    case(
        "ts method becomes private",
        &[
            (
                "a.ts",
                "export class Box {\n  openLid(): void {}\n  shut(): void {\n    this.openLid();\n  }\n}\n",
            ),
            ("b.ts", "import { Box } from './a';\n\nconst box = new Box();\nbox.openLid();\n"),
        ],
        &[(
            "a.ts",
            Some(
                "export class Box {\n  private openLid(): void {}\n  shut(): void {\n    this.openLid();\n  }\n}\n",
            ),
        )],
        "`Box.openLid` is no longer exported and still used: b.ts:4",
    ),
    case(
        "ts mapped type in place of an interface",
        &[
            ("a.ts", "export interface Flags {\n  fast: boolean;\n}\n"),
            (
                "b.ts",
                "import { Flags } from './a';\n\nexport const f = (flags: Flags) => flags.fast;\n",
            ),
        ],
        &[(
            "a.ts",
            Some(
                "type Names = 'fast' | 'safe';\n\nexport type Flags = { [K in Names]: boolean };\n",
            ),
        )],
        "",
    ),
    case(
        "js double comma in a call",
        &[("a.js", "f(a, b);\n")],
        &[("a.js", Some("f(a,, b);\n"))],
        "syntax error: a.js:1: f(a,, b);",
    ),
    case(
        "js hole in an array is valid",
        &[("a.js", "const a = [1, 2];\n")],
        &[("a.js", Some("const [, b] = [1, , 2];\n"))],
        "",
    ),
    case(
        "js await in a function that lost its async",
        &[("a.js", "async function f() {\n  await g();\n}\n")],
        &[("a.js", Some("function f() {\n  await g();\n}\n"))],
        "syntax error: a.js:2: await g();",
    ),
    case(
        "js moved test, require of its subject",
        &[
            ("src/cart.js", "module.exports = 1;\n"),
            ("src/cart.test.js", "const cart = require('./cart');\ncart;\n"),
        ],
        &[("src/cart.test.js", Some("->test/cart.test.js"))],
        "test/cart.test.js:1 imports `./cart`, which is not there; it was src/cart.js",
    ),
    case(
        "rs method hidden, used by a module below",
        &[
            ("src/lib.rs", "mod pool;\nmod user;\n"),
            (
                "src/pool.rs",
                "mod inner;\n\npub struct Pool;\n\nimpl Pool {\n    pub fn take_slot(&self) {}\n}\n",
            ),
            (
                "src/pool/inner.rs",
                "use super::Pool;\n\nfn f(pool: &Pool) {\n    pool.take_slot();\n}\n",
            ),
            (
                "src/user.rs",
                "use crate::pool::Pool;\n\nfn g(pool: &Pool) {\n    pool.take_slot();\n}\n",
            ),
        ],
        &[(
            "src/pool.rs",
            Some("mod inner;\n\npub struct Pool;\n\nimpl Pool {\n    fn take_slot(&self) {}\n}\n"),
        )],
        "`Pool.take_slot` is no longer exported and still used: src/user.rs:4",
    ),
    case(
        "rs FromStr takes the place of parse",
        &[
            (
                "src/lib.rs",
                "pub mod size;\nuse size::Size;\n\nfn f() -> Size {\n    Size::from_str(\"1\")\n}\n",
            ),
            (
                "src/size.rs",
                "pub struct Size;\n\nimpl Size {\n    pub fn from_str(_: &str) -> Size {\n        Size\n    }\n}\n",
            ),
        ],
        &[(
            "src/size.rs",
            Some(
                "pub struct Size;\n\nimpl std::str::FromStr for Size {\n    type Err = ();\n\n    fn from_str(_: &str) -> Result<Size, ()> {\n        Ok(Size)\n    }\n}\n",
            ),
        )],
        "",
    ),
    case(
        "rs derive builder",
        &[
            (
                "src/lib.rs",
                "pub mod conf;\nuse conf::{Conf, ConfBuilder};\n\nfn f() -> ConfBuilder {\n    Conf::builder()\n}\n",
            ),
            (
                "src/conf.rs",
                "pub struct Conf {\n    pub path: String,\n}\n\npub struct ConfBuilder;\n\nimpl Conf {\n    pub fn builder() -> ConfBuilder {\n        ConfBuilder\n    }\n}\n",
            ),
        ],
        &[(
            "src/conf.rs",
            Some(
                "use derive_builder::Builder;\n\n#[derive(Builder)]\npub struct Conf {\n    pub path: String,\n}\n",
            ),
        )],
        "",
    ),
    case(
        "rs a glob of a facade goes",
        &[
            ("Cargo.toml", "[package]\nname = \"kit\"\n"),
            ("src/lib.rs", "mod shapes;\n\npub use shapes::*;\n"),
            ("src/shapes.rs", "pub struct Circle;\npub struct Square;\n"),
            ("examples/a.rs", "use kit::Circle;\n\nfn main() {\n    let _ = Circle;\n}\n"),
        ],
        &[("src/lib.rs", Some("mod shapes;\n\npub use shapes::Square;\n"))],
        "`Circle` is no longer exported and still used: examples/a.rs:1, examples/a.rs:4",
    ),
    case(
        "rs a match arm with a single arrow",
        &[(
            "src/lib.rs",
            "fn f(a: u8) -> u8 {\n    match a {\n        1 => 2,\n        _ => 3,\n    }\n}\n",
        )],
        &[(
            "src/lib.rs",
            Some(
                "fn f(a: u8) -> u8 {\n    match a {\n        1 -> 2,\n        _ => 3,\n    }\n}\n",
            ),
        )],
        "syntax error: src/lib.rs:3: 1 -> 2,",
    ),
    case(
        "go a generated String",
        &[
            ("go.mod", "module m\n"),
            (
                "color/color.go",
                "package color\n\ntype Color int\n\nfunc (c Color) String() string { return \"\" }\n",
            ),
            (
                "main.go",
                "package main\n\nimport \"m/color\"\n\nfunc main() {\n\tvar c color.Color\n\tprintln(c.String())\n}\n",
            ),
        ],
        &[(
            "color/color.go",
            Some(
                "package color\n\n//go:generate go run golang.org/x/tools/cmd/stringer -type=Color\n\ntype Color int\n",
            ),
        )],
        "",
    ),
    case(
        "go a brace on its own line",
        &[("a.go", "package a\n\nfunc f(b bool) {\n\tif b {\n\t}\n}\n")],
        &[("a.go", Some("package a\n\nfunc f(b bool) {\n\tif b\n\t{\n\t}\n}\n"))],
        "syntax error: a.go:5: {",
    ),
    case(
        "go a method moves to an embedded struct",
        &[
            ("go.mod", "module m\n"),
            (
                "p/p.go",
                "package p\n\ntype Base struct{}\n\ntype Box struct{}\n\nfunc (b *Box) OpenLid() {}\n",
            ),
            (
                "main.go",
                "package main\n\nimport \"m/p\"\n\nfunc main() {\n\tvar b p.Box\n\tb.OpenLid()\n}\n",
            ),
        ],
        &[(
            "p/p.go",
            Some(
                "package p\n\ntype Base struct{}\n\ntype Box struct{ Base }\n\nfunc (b *Base) OpenLid() {}\n",
            ),
        )],
        "",
    ),
    case(
        "java a method becomes private",
        &[
            (
                "src/a/Box.java",
                "package a;\n\npublic class Box {\n    public void openLid() { }\n}\n",
            ),
            (
                "src/a/User.java",
                "package a;\n\nclass User {\n    void f(Box box) {\n        box.openLid();\n    }\n}\n",
            ),
        ],
        &[(
            "src/a/Box.java",
            Some("package a;\n\npublic class Box {\n    private void openLid() { }\n}\n"),
        )],
        "`Box.openLid` is no longer exported and still used: src/a/User.java:5",
    ),
    case(
        "java immutables make the getters",
        &[
            (
                "src/a/Box.java",
                "package a;\n\nimport org.immutables.value.Value;\n\n@Value.Immutable\npublic abstract class Box {\n    public abstract int size();\n\n    public Box withSize(int size) {\n        return null;\n    }\n}\n",
            ),
            (
                "src/a/User.java",
                "package a;\n\nclass User {\n    Box f(Box box) {\n        return box.withSize(1);\n    }\n}\n",
            ),
        ],
        &[(
            "src/a/Box.java",
            Some(
                "package a;\n\nimport org.immutables.value.Value;\n\n@Value.Immutable\npublic abstract class Box {\n    public abstract int size();\n}\n",
            ),
        )],
        "",
    ),
    case(
        "java a second default",
        &[(
            "A.java",
            "class A {\n    int f(int a) {\n        switch (a) {\n            case 1: return 1;\n            default: return 2;\n        }\n    }\n}\n",
        )],
        &[(
            "A.java",
            Some(
                "class A {\n    int f(int a) {\n        switch (a) {\n            default: return 1;\n            default: return 2;\n        }\n    }\n}\n",
            ),
        )],
        "syntax error: A.java:5: default: return 2;",
    ),
    case(
        "c own header lost, its struct still used",
        &[
            (
                "ring.h",
                "struct ring {\n    int head;\n};\nvoid ring_push(struct ring *r, int v);\n",
            ),
            (
                "main.c",
                "#include <stdio.h>\n#include \"ring.h\"\n\nint main(void)\n{\n    struct ring r = { 0 };\n    ring_push(&r, 1);\n    return 0;\n}\n",
            ),
        ],
        &[(
            "main.c",
            Some(
                "#include <stdio.h>\n\nint main(void)\n{\n    struct ring r = { 0 };\n    ring_push(&r, 1);\n    return 0;\n}\n",
            ),
        )],
        "`ring.h` is no longer imported and still used: main.c:5, main.c:6",
    ),
    case(
        "c own basename removed, that of libc stays",
        &[
            ("path.h", "char *basename(char *path);\n"),
            (
                "path.c",
                "#include \"path.h\"\n\nchar *basename(char *path)\n{\n    return path;\n}\n",
            ),
            (
                "main.c",
                "#include <libgen.h>\n#include \"path.h\"\n\nint main(void)\n{\n    return basename(\"a\")[0];\n}\n",
            ),
        ],
        &[
            ("path.h", Some("/* nothing */\n")),
            ("path.c", Some("#include \"path.h\"\n\nint unused;\n")),
        ],
        "",
    ),
    case(
        "rb asked by respond_to?",
        &[
            ("a.rb", "class Box\n  def open_lid\n  end\nend\n"),
            (
                "b.rb",
                "require_relative 'a'\n\nbox = Box.new\nbox.open_lid if box.respond_to?(:open_lid)\n",
            ),
        ],
        &[("a.rb", Some("class Box\nend\n"))],
        "",
    ),
    case(
        "rb a class that another file opens again",
        &[
            ("a.rb", "class Box\n  def open_lid\n  end\nend\n"),
            ("c.rb", "require_relative 'a'\n\nclass Box\n  def open_lid\n  end\nend\n"),
            ("b.rb", "require_relative 'c'\n\nBox.new.open_lid\n"),
        ],
        &[("a.rb", Some("class Box\nend\n"))],
        "",
    ),
    case(
        "rb moved file, require_relative",
        &[("lib/a.rb", "require_relative 'b/c'\n"), ("lib/b/c.rb", "C = 1\n")],
        &[("lib/a.rb", Some("->lib/b/a.rb"))],
        "lib/b/a.rb:1 imports `./b/c`, which is not there; it was lib/b/c.rb",
    ),
];
