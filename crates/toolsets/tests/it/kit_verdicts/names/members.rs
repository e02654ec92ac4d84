//! Members that are used through heirs, literals and values of all kinds.

use super::{Case, case};

pub(super) const CASES: &[Case] = &[
    case(
        "ts through extends",
        &[
            ("m.ts", "export class Base {\n  takeOne() {}\n}\n"),
            ("n.ts", "import { Base } from './m';\n\nexport class Heir extends Base {}\n"),
            (
                "u.ts",
                "import { Heir } from './n';\nimport { Base } from './m';\n\nnew Heir().takeOne();\nconst heir = new Heir();\nheir.takeOne();\nnew Base().takeOne();\n",
            ),
        ],
        &[("m.ts", Some("export class Base {\n  putOne() {}\n}\n"))],
        "`Base.takeOne` is gone (now `putOne`?) and still used: u.ts:4, u.ts:6, u.ts:7",
    ),
    case(
        "ts interface field",
        &[
            ("m.ts", "export interface User {\n  name: string;\n  age: number;\n}\n"),
            (
                "u.ts",
                "import { User } from './m';\n\nexport const f = (u: User) => u.name;\nexport function g(list: User[]) {\n  return list.map((u) => u.name);\n}\nconst h: User = { name: 'a', age: 1 };\n",
            ),
        ],
        &[("m.ts", Some("export interface User {\n  title: string;\n  age: number;\n}\n"))],
        "`User.name` is gone (now `title`?) and still used: u.ts:3, u.ts:5, u.ts:7",
    ),
    case(
        "py self.x renamed",
        &[
            (
                "m.py",
                "class Conf:\n    def __init__(self):\n        self.retries = 3\n\n    def f(self):\n        return self.retries\n",
            ),
            (
                "u.py",
                "from m import Conf\n\nconf = Conf()\nprint(conf.retries)\n\n\ndef g(conf):\n    return conf.retries\n",
            ),
        ],
        &[(
            "m.py",
            Some(
                "class Conf:\n    def __init__(self):\n        self.tries = 3\n\n    def f(self):\n        return self.retries\n",
            ),
        )],
        "`Conf.retries` is gone (now `tries`?) and still used: m.py:6, u.py:4; not checked: `.retries` of values whose type is not said: u.py:8",
    ),
    case(
        "py self.x renamed, not known",
        &[
            ("m.py", "class Conf:\n    def __init__(self):\n        self.retries = 3\n"),
            ("u.py", "from m import make\n\n\ndef g(conf):\n    return conf.retries\n"),
            ("v.py", "def g(conf):\n    return conf.retries\n"),
        ],
        &[("m.py", Some("class Conf:\n    def __init__(self):\n        self.tries = 3\n"))],
        "not checked: `.retries` of values whose type is not said: u.py:5",
    ),
    case(
        "rs enum variant",
        &[
            ("src/m.rs", "pub enum Kind {\n    Alpha,\n    Beta,\n}\n"),
            (
                "src/lib.rs",
                "mod m;\nuse m::Kind;\n\npub fn f(kind: Kind) -> bool {\n    match kind {\n        Kind::Alpha => true,\n        _ => false,\n    }\n}\n\npub fn g() -> m::Kind {\n    m::Kind::Alpha\n}\n",
            ),
            (
                "src/n.rs",
                "use crate::m::Kind::{self, Alpha};\n\npub fn f() -> Kind {\n    Alpha\n}\n",
            ),
        ],
        &[("src/m.rs", Some("pub enum Kind {\n    Gamma,\n    Beta,\n}\n"))],
        "`Kind.Alpha` is gone (now `Gamma`?) and still used: src/lib.rs:6, src/lib.rs:12, src/n.rs:1, src/n.rs:4",
    ),
    case(
        "rs pub dropped off a method",
        &[
            ("src/m.rs", "pub struct Kind;\n\nimpl Kind {\n    pub fn take_one(&self) {}\n}\n"),
            (
                "src/lib.rs",
                "mod m;\nuse m::Kind;\n\npub fn f(kind: Kind) {\n    kind.take_one();\n}\n",
            ),
        ],
        &[("src/m.rs", Some("pub struct Kind;\n\nimpl Kind {\n    fn take_one(&self) {}\n}\n"))],
        "`Kind.take_one` is no longer exported and still used: src/lib.rs:5",
    ),
    case(
        "rs pub dropped off a field",
        &[
            ("src/m.rs", "pub struct Kind {\n    pub size: u8,\n}\n"),
            (
                "src/lib.rs",
                "mod m;\nuse m::Kind;\n\npub fn f(kind: Kind) -> u8 {\n    kind.size\n}\n",
            ),
        ],
        &[("src/m.rs", Some("pub struct Kind {\n    size: u8,\n}\n"))],
        "`Kind.size` is no longer exported and still used: src/lib.rs:5",
    ),
    case(
        "js class field",
        &[
            ("m.js", "export class Conf {\n  retries = 3;\n}\n"),
            (
                "u.js",
                "import { Conf } from './m.js';\n\nconst conf = new Conf();\nconf.retries;\nexport function f(c) {\n  return c.retries;\n}\n",
            ),
        ],
        &[("m.js", Some("export class Conf {\n  tries = 3;\n}\n"))],
        "`Conf.retries` is gone (now `tries`?) and still used: u.js:4; not checked: `.retries` of values whose type is not said: u.js:6",
    ),
    case(
        "go field",
        &[
            ("go.mod", "module s\n"),
            (
                "kind/kind.go",
                "package kind\n\ntype Kind struct {\n\tSize int\n\tName string\n}\n\nfunc New() *Kind { return &Kind{Size: 1} }\n",
            ),
            (
                "main.go",
                "package main\n\nimport \"s/kind\"\n\nfunc main() {\n\tk := kind.New()\n\tprintln(k.Size)\n\tl := kind.Kind{Size: 2}\n\tprintln(l.Size)\n}\n",
            ),
        ],
        &[(
            "kind/kind.go",
            Some(
                "package kind\n\ntype Kind struct {\n\tLength int\n\tName string\n}\n\nfunc New() *Kind { return &Kind{Length: 1} }\n",
            ),
        )],
        "`Kind.Size` is gone (now `Length`?) and still used: main.go:8, main.go:9; not checked: `.Size` of values whose type is not said: main.go:7",
    ),
    case(
        "go interface method",
        &[
            ("go.mod", "module s\n"),
            ("kind/kind.go", "package kind\n\ntype Store interface {\n\tTakeOne()\n}\n"),
            ("mem/mem.go", "package mem\n\ntype Mem struct{}\n\nfunc (m *Mem) TakeOne() {}\n"),
            (
                "main.go",
                "package main\n\nimport \"s/kind\"\n\nfunc run(s kind.Store) {\n\ts.TakeOne()\n}\n",
            ),
        ],
        &[("kind/kind.go", Some("package kind\n\ntype Store interface {\n\tPutOne()\n}\n"))],
        "`Store.TakeOne` is gone (now `PutOne`?) and still used: main.go:6",
    ),
    case(
        "java field",
        &[
            (
                "src/shop/Conf.java",
                "package shop;\n\npublic class Conf {\n    public int retries = 1;\n}\n",
            ),
            (
                "src/shop/User.java",
                "package shop;\n\nclass User {\n    int f(Conf conf) {\n        return conf.retries;\n    }\n\n    int g() {\n        return Maker.make().retries;\n    }\n\n    int h() {\n        var conf = Maker.make();\n        return conf.retries;\n    }\n}\n",
            ),
        ],
        &[(
            "src/shop/Conf.java",
            Some("package shop;\n\npublic class Conf {\n    public int tries = 1;\n}\n"),
        )],
        "`Conf.retries` is gone (now `tries`?) and still used: src/shop/User.java:5; not checked: `.retries` of values whose type is not said: src/shop/User.java:14, src/shop/User.java:9",
    ),
    case(
        "java method through a field",
        &[
            (
                "src/shop/Conf.java",
                "package shop;\n\npublic class Conf {\n    public int count() {\n        return 1;\n    }\n}\n",
            ),
            (
                "src/shop/User.java",
                "package shop;\n\nclass User {\n    private final Conf conf = new Conf();\n\n    int f() {\n        return this.conf.count() + conf.count();\n    }\n}\n",
            ),
            (
                "src/web/Page.java",
                "package web;\n\nimport shop.Conf;\n\nclass Page {\n    int g(Conf c) {\n        return c.count();\n    }\n}\n",
            ),
        ],
        &[(
            "src/shop/Conf.java",
            Some(
                "package shop;\n\npublic class Conf {\n    public int total() {\n        return 1;\n    }\n}\n",
            ),
        )],
        "`Conf.count` is gone (now `total`?) and still used: src/shop/User.java:7, src/web/Page.java:7",
    ),
    case(
        "py method, unknown values in several",
        &[
            ("m.py", "class Conf:\n    def load_all(self):\n        return 1\n"),
            ("u.py", "from m import Conf\n\n\ndef f(x: Conf):\n    x.load_all()\n"),
            ("v.py", "def g(x):\n    x.load_all()\n"),
            ("w.py", "class Other:\n    def load_all(self):\n        pass\n"),
        ],
        &[("m.py", Some("class Conf:\n    def read_all(self):\n        return 1\n"))],
        "`Conf.load_all` is gone (now `read_all`?) and still used: u.py:5; not checked: `.load_all` of values whose type is not said: v.py:2",
    ),
    case(
        "c field",
        &[
            ("m.h", "struct conf {\n    int retries;\n};\nstruct conf *make(void);\n"),
            (
                "u.c",
                "#include \"m.h\"\n\nint f(struct conf *c)\n{\n    return c->retries + make()->retries;\n}\n\nint g(void)\n{\n    struct conf d = { .retries = 1 };\n    return d.retries;\n}\n",
            ),
        ],
        &[("m.h", Some("struct conf {\n    int tries;\n};\nstruct conf *make(void);\n"))],
        "`conf.retries` is gone (now `tries`?) and still used: u.c:5, u.c:10, u.c:11",
    ),
];
