//! Members of values, imports that are lost, and names that another has.

use super::{Case, case};

pub(super) const CASES: &[Case] = &[
    case(
        "py field renamed, behind a variable",
        &[
            (
                "conf.py",
                "class Config:\n    def __init__(self, path):\n        self.path = path\n        self.debug = False\n\n    def get(self, name):\n        return name\n",
            ),
            (
                "u.py",
                "from conf import Config\n\ncfg = Config('x')\nif cfg.debug:\n    print(cfg.path)\n",
            ),
        ],
        &[(
            "conf.py",
            Some(
                "class Config:\n    def __init__(self, path):\n        self.path = path\n        self.verbose = False\n\n    def get(self, name):\n        return name\n",
            ),
        )],
        "`Config.debug` is gone (now `verbose`?) and still used: u.py:4",
    ),
    case(
        "py method removed, behind a variable",
        &[
            (
                "conf.py",
                "class Config:\n    def __init__(self, path):\n        self.path = path\n        self.debug = False\n\n    def get(self, name):\n        return name\n",
            ),
            ("u.py", "from conf import Config\n\ncfg = Config('x')\nprint(cfg.get('a'))\n"),
        ],
        &[(
            "conf.py",
            Some(
                "class Config:\n    def __init__(self, path):\n        self.path = path\n        self.debug = False\n",
            ),
        )],
        "`Config.get` is gone and still used: u.py:4",
    ),
    case(
        "py field removed, in the class",
        &[(
            "conf.py",
            "class Config:\n    def __init__(self, path):\n        self.path = path\n        self.debug = False\n\n    def get(self, name):\n        return name\n\n    def show(self):\n        return self.debug\n",
        )],
        &[(
            "conf.py",
            Some(
                "class Config:\n    def __init__(self, path):\n        self.path = path\n\n    def get(self, name):\n        return name\n\n    def show(self):\n        return self.debug\n",
            ),
        )],
        "`Config.debug` is gone and still used: conf.py:9",
    ),
    case(
        "py method removed, type unknown",
        &[
            (
                "conf.py",
                "class Config:\n    def __init__(self, path):\n        self.path = path\n        self.debug = False\n\n    def get(self, name):\n        return name\n",
            ),
            (
                "u.py",
                "from conf import Config\n\n\ndef f(cfg):\n    return cfg.get('a'), {}.get('b')\n",
            ),
        ],
        &[(
            "conf.py",
            Some(
                "class Config:\n    def __init__(self, path):\n        self.path = path\n        self.debug = False\n",
            ),
        )],
        "not checked: `.get` of values whose type is not said: u.py:5",
    ),
    case(
        "ts field removed",
        &[
            ("conf.ts", "export class Config {\n  debug = false;\n  path = '';\n}\n"),
            (
                "u.ts",
                "import { Config } from './conf';\nconst cfg = new Config();\nconsole.log(cfg.debug);\nexport function f(c: Config) {\n  return c.debug;\n}\n",
            ),
        ],
        &[("conf.ts", Some("export class Config {\n  path = '';\n}\n"))],
        "`Config.debug` is gone and still used: u.ts:3, u.ts:5",
    ),
    case(
        "rs field removed",
        &[
            ("Cargo.toml", "[package]\nname = \"shop\"\n"),
            ("src/lib.rs", "pub mod area;\npub mod u;\n"),
            (
                "src/area.rs",
                "pub struct Config {\n    pub debug: bool,\n    pub path: String,\n}\n",
            ),
            (
                "src/u.rs",
                "use crate::area::Config;\n\npub fn f(cfg: &Config) -> bool {\n    cfg.debug\n}\n",
            ),
        ],
        &[("src/area.rs", Some("pub struct Config {\n    pub path: String,\n}\n"))],
        "`Config.debug` is gone and still used: src/u.rs:4",
    ),
    case(
        "c field removed",
        &[
            ("s.h", "struct stock {\n    int count;\n    int most;\n};\n"),
            (
                "m.c",
                "#include \"s.h\"\n\nint f(struct stock *s)\n{\n    return s->count;\n}\n\nint g(void)\n{\n    struct stock t = {0};\n    return t.count;\n}\n",
            ),
        ],
        &[("s.h", Some("struct stock {\n    int most;\n};\n"))],
        "`stock.count` is gone and still used: m.c:5, m.c:11",
    ),
    case(
        "c field of a typedef removed",
        &[
            ("s.h", "typedef struct stock {\n    int count;\n    int most;\n} stock_t;\n"),
            (
                "m.c",
                "#include \"s.h\"\n\nint f(stock_t *s)\n{\n    return s->count;\n}\n\nint g(struct other *o)\n{\n    return o->count;\n}\n",
            ),
        ],
        &[("s.h", Some("typedef struct stock {\n    int most;\n} stock_t;\n"))],
        "`stock.count` is gone and still used: m.c:5",
    ),
    case(
        "go field removed",
        &[
            ("go.mod", "module shop\n"),
            ("a/a.go", "package a\n\ntype Config struct {\n\tDebug bool\n\tPath  string\n}\n"),
            (
                "main.go",
                "package main\n\nimport \"shop/a\"\n\nfunc main() {\n\tcfg := a.Config{}\n\tprintln(cfg.Debug)\n}\n\nfunc f(c *a.Config) bool {\n\treturn c.Debug\n}\n",
            ),
        ],
        &[("a/a.go", Some("package a\n\ntype Config struct {\n\tPath string\n}\n"))],
        "`Config.Debug` is gone and still used: main.go:7, main.go:11",
    ),
    case(
        "java field removed",
        &[
            (
                "a/Config.java",
                "package a;\n\npublic class Config {\n    public boolean debug;\n    public String path;\n}\n",
            ),
            (
                "a/Use.java",
                "package a;\n\nclass Use {\n    boolean f(Config cfg) {\n        return cfg.debug;\n    }\n}\n",
            ),
        ],
        &[(
            "a/Config.java",
            Some("package a;\n\npublic class Config {\n    public String path;\n}\n"),
        )],
        "`Config.debug` is gone and still used: a/Use.java:5",
    ),
    case(
        "rs use std::fmt",
        &[(
            "src/lib.rs",
            "use std::fmt;\n\nstruct A;\n\nimpl fmt::Display for A {\n    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {\n        Ok(())\n    }\n}\n",
        )],
        &[(
            "src/lib.rs",
            Some(
                "struct A;\n\nimpl fmt::Display for A {\n    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {\n        Ok(())\n    }\n}\n",
            ),
        )],
        "`fmt` is no longer imported and still used: src/lib.rs:3, src/lib.rs:4",
    ),
    case(
        "rs use super::*",
        &[(
            "src/lib.rs",
            "pub fn one() {}\n\nmod tests {\n    use super::*;\n\n    fn t() {\n        one();\n    }\n}\n",
        )],
        &[(
            "src/lib.rs",
            Some("pub fn one() {}\n\nmod tests {\n    fn t() {\n        one();\n    }\n}\n"),
        )],
        "`super::*` is no longer imported and still used: src/lib.rs:5",
    ),
    case(
        "rs import lost beside tests with super::*",
        &[(
            "src/lib.rs",
            "use std::collections::HashMap;\n\npub fn one() -> HashMap<u8, u8> {\n    HashMap::new()\n}\n\nmod tests {\n    use super::*;\n\n    fn t() {\n        one();\n    }\n}\n",
        )],
        &[(
            "src/lib.rs",
            Some(
                "pub fn one() -> HashMap<u8, u8> {\n    HashMap::new()\n}\n\nmod tests {\n    use super::*;\n\n    fn t() {\n        one();\n    }\n}\n",
            ),
        )],
        "`HashMap` is no longer imported and still used: src/lib.rs:1, src/lib.rs:2",
    ),
    case(
        "py import os",
        &[
            ("a.py", "import os\nfrom m import *\n\n\ndef f(os_name):\n    return os.getcwd()\n"),
            ("m.py", "x = 1\n"),
        ],
        &[("a.py", Some("from m import *\n\n\ndef f(os_name):\n    return os.getcwd()\n"))],
        "`os` is no longer imported and still used: a.py:5",
    ),
    case(
        "py star removed",
        &[("a.py", "from m import *\n\nx()\n"), ("m.py", "def x():\n    pass\n")],
        &[("a.py", Some("x()\n"))],
        "`m.*` is no longer imported and still used: a.py:1",
    ),
    case(
        "py import under a name that shadows",
        &[
            ("m.py", "def compute(x):\n    return x\n\n\ndef keep():\n    pass\n"),
            ("u.py", "from m import keep\nfrom lib import other as compute\ncompute(keep())\n"),
        ],
        &[("m.py", Some("def keep():\n    pass\n"))],
        "",
    ),
    case(
        "py import as, local name",
        &[
            ("m.py", "def compute(x):\n    return x\n\n\ndef keep():\n    pass\n"),
            ("u.py", "from m import keep as compute\ncompute()\n"),
        ],
        &[("m.py", Some("def keep():\n    pass\n"))],
        "",
    ),
    case(
        "py the module itself takes another for the name",
        &[
            ("m.py", "def compute(x):\n    return x\n"),
            ("u.py", "from m import compute\ncompute()\n"),
        ],
        &[("m.py", Some("from lib import other as compute\n"))],
        "",
    ),
    case(
        "py moved into a class of the file",
        &[
            ("m.py", "class A:\n    def draw_all(self):\n        pass\n\n\nclass B:\n    pass\n"),
            ("u.py", "from m import A\na = A()\na.draw_all()\n"),
        ],
        &[(
            "m.py",
            Some("class A:\n    pass\n\n\nclass B:\n    def draw_all(self):\n        pass\n"),
        )],
        "not checked: `.draw_all` of values whose type is not said: u.py:3",
    ),
    case(
        "py moved down in the file",
        &[
            ("m.py", "def one():\n    pass\n\n\ndef two():\n    pass\n"),
            ("u.py", "from m import one\none()\n"),
        ],
        &[("m.py", Some("def two():\n    pass\n\n\nif True:\n    def one():\n        pass\n"))],
        "",
    ),
];
