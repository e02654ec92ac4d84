//! Names that a trait, an annotation, a guard, a library or a generator gives.

use super::{Case, case};

pub(super) const CASES: &[Case] = &[
    case(
        "rs derive from elsewhere: Parser makes parse",
        &[
            (
                "src/cli.rs",
                "use clap::Parser;\n\n#[derive(Parser)]\npub struct Cli {\n    pub path: String,\n}\n\nimpl Cli {\n    pub fn parse() -> Self {\n        Self { path: String::new() }\n    }\n}\n",
            ),
            (
                "src/main.rs",
                "mod cli;\nuse cli::Cli;\n\nfn main() {\n    let cli = Cli::parse();\n}\n",
            ),
        ],
        &[(
            "src/cli.rs",
            Some(
                "use clap::Parser;\n\n#[derive(Parser)]\npub struct Cli {\n    pub path: String,\n}\n",
            ),
        )],
        "",
    ),
    case(
        "rs attribute macro makes a method",
        &[
            (
                "src/shape.rs",
                "#[contract]\npub struct Shape {\n    pub size: u8,\n}\n\nimpl Shape {\n    pub fn with_name(self) -> Self {\n        self\n    }\n}\n",
            ),
            (
                "src/lib.rs",
                "pub mod shape;\nuse shape::Shape;\n\nfn f(shape: Shape) {\n    shape.with_name();\n    Shape::with_name(shape);\n}\n",
            ),
        ],
        &[("src/shape.rs", Some("#[contract]\npub struct Shape {\n    pub size: u8,\n}\n"))],
        "",
    ),
    case(
        "rs Display makes to_string",
        &[
            (
                "src/name.rs",
                "pub struct Name(String);\n\nimpl Name {\n    pub fn to_string(&self) -> String {\n        self.0.clone()\n    }\n}\n",
            ),
            (
                "src/lib.rs",
                "pub mod name;\nuse name::Name;\n\nfn f(name: Name) -> String {\n    name.to_string()\n}\n",
            ),
        ],
        &[(
            "src/name.rs",
            Some(
                "use std::fmt;\n\npub struct Name(String);\n\nimpl fmt::Display for Name {\n    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {\n        f.write_str(&self.0)\n    }\n}\n",
            ),
        )],
        "",
    ),
    case(
        "rs derive Clone makes clone",
        &[
            (
                "src/name.rs",
                "pub struct Name(String);\n\nimpl Name {\n    pub fn clone(&self) -> Name {\n        Name(self.0.clone())\n    }\n}\n",
            ),
            (
                "src/lib.rs",
                "pub mod name;\nuse name::Name;\n\nfn f(name: Name) -> Name {\n    name.clone()\n}\n",
            ),
        ],
        &[("src/name.rs", Some("#[derive(Clone)]\npub struct Name(String);\n"))],
        "",
    ),
    case(
        "rs Iterator brings methods",
        &[
            (
                "src/steps.rs",
                "pub struct Steps(u8);\n\nimpl Steps {\n    pub fn take_while(&mut self) -> u8 {\n        1\n    }\n\n    pub fn size_hint(&self) -> u8 {\n        1\n    }\n}\n",
            ),
            (
                "src/lib.rs",
                "pub mod steps;\nuse steps::Steps;\n\nfn f(mut steps: Steps) {\n    steps.take_while(|step| *step > 1);\n}\n",
            ),
        ],
        &[(
            "src/steps.rs",
            Some(
                "pub struct Steps(u8);\n\nimpl Iterator for Steps {\n    type Item = u8;\n\n    fn next(&mut self) -> Option<u8> {\n        None\n    }\n}\n",
            ),
        )],
        "",
    ),
    case(
        "rs into with From",
        &[
            (
                "src/name.rs",
                "pub struct Name(String);\n\nimpl Name {\n    pub fn into(self) -> String {\n        self.0\n    }\n}\n",
            ),
            (
                "src/lib.rs",
                "pub mod name;\nuse name::Name;\n\nfn f(name: Name) -> String {\n    name.into()\n}\n",
            ),
        ],
        &[(
            "src/name.rs",
            Some(
                "pub struct Name(String);\n\nimpl From<Name> for String {\n    fn from(name: Name) -> String {\n        name.0\n    }\n}\n",
            ),
        )],
        "",
    ),
    case(
        "rs trait of elsewhere implemented brings a method",
        &[
            (
                "src/store.rs",
                "pub struct Store;\n\nimpl Store {\n    pub fn read_to_string(&mut self) -> String {\n        String::new()\n    }\n}\n",
            ),
            (
                "src/lib.rs",
                "pub mod store;\nuse std::io::Read;\nuse store::Store;\n\nfn f(mut store: Store) {\n    let mut text = String::new();\n    store.read_to_string(&mut text);\n}\n",
            ),
        ],
        &[(
            "src/store.rs",
            Some(
                "pub struct Store;\n\nimpl std::io::Read for Store {\n    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {\n        Ok(0)\n    }\n}\n",
            ),
        )],
        "",
    ),
    case(
        "rs blanket impl of an own trait",
        &[
            (
                "src/store.rs",
                "pub struct Store;\n\nimpl Store {\n    pub fn save_all(&self) {}\n}\n",
            ),
            (
                "src/ext.rs",
                "pub trait SaveExt {\n    fn save_all(&self) {}\n}\n\nimpl<T> SaveExt for T {}\n",
            ),
            (
                "src/lib.rs",
                "pub mod ext;\npub mod store;\nuse ext::SaveExt;\nuse store::Store;\n\nfn f(store: Store) {\n    store.save_all();\n}\n",
            ),
        ],
        &[("src/store.rs", Some("pub struct Store;\n"))],
        "",
    ),
    case(
        "rs test attribute is no maker; still told",
        &[
            (
                "src/name.rs",
                "#[derive(Debug, Clone)]\npub struct Name(String);\n\nimpl Name {\n    #[inline]\n    pub fn as_upper(&self) -> String {\n        self.0.to_uppercase()\n    }\n}\n",
            ),
            (
                "src/lib.rs",
                "pub mod name;\nuse name::Name;\n\nfn f(name: Name) -> String {\n    name.as_upper()\n}\n",
            ),
        ],
        &[(
            "src/name.rs",
            Some(
                "#[derive(Debug, Clone)]\npub struct Name(String);\n\nimpl Name {\n    #[inline]\n    #[must_use]\n    pub fn as_lower(&self) -> String {\n        self.0.to_lowercase()\n    }\n}\n",
            ),
        )],
        "`Name.as_upper` is gone (now `as_lower`?) and still used: src/lib.rs:5",
    ),
    case(
        "rs async_trait of another type of the file is told",
        &[
            (
                "src/name.rs",
                "#[async_trait]\npub trait Job {\n    async fn run(&self);\n}\n\npub struct Name(String);\n\nimpl Name {\n    pub fn as_upper(&self) -> String {\n        self.0.to_uppercase()\n    }\n}\n",
            ),
            (
                "src/lib.rs",
                "pub mod name;\nuse name::Name;\n\nfn f(name: Name) -> String {\n    name.as_upper()\n}\n",
            ),
        ],
        &[(
            "src/name.rs",
            Some(
                "#[async_trait]\npub trait Job {\n    async fn run(&self);\n}\n\npub struct Name(String);\n",
            ),
        )],
        "`Name.as_upper` is gone and still used: src/lib.rs:5",
    ),
    case(
        "rs tokio::main of a function that goes",
        &[
            ("src/lib.rs", "pub mod a;\nuse a::start_it;\n\nfn f() {\n    start_it();\n}\n"),
            ("src/a.rs", "#[tokio::main]\npub async fn start_it() {}\n\npub fn other() {}\n"),
        ],
        &[("src/a.rs", Some("pub fn other() {}\n"))],
        "`start_it` is gone and still used: src/lib.rs:2, src/lib.rs:5",
    ),
    case(
        "py setattr in a loop",
        &[
            ("m.py", "class Conf:\n    def read_all(self):\n        return 1\n"),
            ("u.py", "from m import Conf\n\nconf = Conf()\nconf.read_all()\n"),
        ],
        &[(
            "m.py",
            Some(
                "class Conf:\n    pass\n\n\nfor name in ('read_all', 'write_all'):\n    setattr(Conf, name, lambda self: 1)\n",
            ),
        )],
        "",
    ),
    case(
        "py setattr in a loop over a variable",
        &[
            ("m.py", "class Conf:\n    def read_all(self):\n        return 1\n"),
            ("u.py", "from m import Conf\n\nconf = Conf()\nconf.read_all()\n"),
        ],
        &[(
            "m.py",
            Some(
                "from names import NAMES\n\n\nclass Conf:\n    pass\n\n\nfor name in NAMES:\n    setattr(Conf, name, lambda self: 1)\n",
            ),
        )],
        "",
    ),
    case(
        "py class decorator attrs.define",
        &[
            (
                "m.py",
                "import attrs\n\n\n@attrs.define\nclass Conf:\n    path: str\n\n    def to_dict(self):\n        return {}\n",
            ),
            ("u.py", "from m import Conf\n\nconf = Conf()\nconf.to_dict()\n"),
        ],
        &[("m.py", Some("import attrs\n\n\n@attrs.define\nclass Conf:\n    path: str\n"))],
        "",
    ),
    case(
        "py total_ordering",
        &[
            (
                "m.py",
                "class Conf:\n    def __lt__(self, other):\n        return True\n\n    def to_json(self):\n        return 1\n",
            ),
            ("u.py", "from m import Conf\n\nconf = Conf()\nconf.to_json()\n"),
        ],
        &[(
            "m.py",
            Some(
                "from dataclasses_json import dataclass_json\n\n\n@dataclass_json\nclass Conf:\n    def __lt__(self, other):\n        return True\n",
            ),
        )],
        "",
    ),
    case(
        "py dataclass alone makes no method: told",
        &[
            (
                "m.py",
                "from dataclasses import dataclass\n\n\n@dataclass\nclass Conf:\n    path: str\n\n    def read_all(self):\n        return 1\n",
            ),
            ("u.py", "from m import Conf\n\nconf = Conf(\"a\")\nconf.read_all()\n"),
        ],
        &[(
            "m.py",
            Some("from dataclasses import dataclass\n\n\n@dataclass\nclass Conf:\n    path: str\n"),
        )],
        "`Conf.read_all` is gone and still used: u.py:4",
    ),
    case(
        "py hasattr guard",
        &[
            ("m.py", "class Conf:\n    def read_all(self):\n        return 1\n"),
            (
                "u.py",
                "from m import Conf\n\nconf = Conf()\nif hasattr(conf, 'read_all'):\n    conf.read_all()\n",
            ),
        ],
        &[("m.py", Some("class Conf:\n    pass\n"))],
        "",
    ),
    case(
        "py getattr guard, module",
        &[
            ("m.py", "def read_all():\n    return 1\n"),
            ("u.py", "import m\n\nread = m.read_all if hasattr(m, 'read_all') else None\n"),
        ],
        &[("m.py", Some("x = 1\n"))],
        "",
    ),
    case(
        "py try AttributeError",
        &[
            ("m.py", "def read_all():\n    return 1\n"),
            ("u.py", "import m\n\ntry:\n    m.read_all()\nexcept AttributeError:\n    pass\n"),
        ],
        &[("m.py", Some("x = 1\n"))],
        "",
    ),
    case(
        "py try ImportError",
        &[
            ("m.py", "def read_all():\n    return 1\n"),
            (
                "u.py",
                "try:\n    from m import read_all\nexcept ImportError:\n    read_all = None\n",
            ),
        ],
        &[("m.py", Some("x = 1\n"))],
        "",
    ),
    case(
        "ts index signature",
        &[
            ("m.ts", "export interface Conf {\n  retries: number;\n}\n"),
            (
                "u.ts",
                "import { Conf } from './m';\n\nfunction f(conf: Conf) {\n  return conf.retries;\n}\n",
            ),
        ],
        &[("m.ts", Some("export interface Conf {\n  [name: string]: number;\n}\n"))],
        "",
    ),
    case(
        "ts Record",
        &[
            ("m.ts", "export interface Conf {\n  retries: number;\n}\n"),
            (
                "u.ts",
                "import { Conf } from './m';\n\nfunction f(conf: Conf) {\n  return conf.retries;\n}\n",
            ),
        ],
        &[("m.ts", Some("export type Conf = Record<string, number>;\n"))],
        "",
    ),
    case(
        "ts extends Record",
        &[
            ("m.ts", "export interface Conf {\n  retries: number;\n}\n"),
            (
                "u.ts",
                "import { Conf } from './m';\n\nfunction f(conf: Conf) {\n  return conf.retries;\n}\n",
            ),
        ],
        &[(
            "m.ts",
            Some("export interface Conf extends Record<string, number> {\n  a: number;\n}\n"),
        )],
        "",
    ),
    case(
        "ts declaration merging elsewhere",
        &[
            ("m.ts", "export class Conf {\n  readAll() {}\n}\n"),
            (
                "aug.ts",
                "import { Conf } from './m';\n\ndeclare module './m' {\n  interface Conf {\n    readAll(): void;\n  }\n}\nConf.prototype.readAll = function () {};\n",
            ),
            (
                "u.ts",
                "import { Conf } from './m';\n\nfunction f(conf: Conf) {\n  return conf.readAll();\n}\n",
            ),
        ],
        &[("m.ts", Some("export class Conf {\n}\n"))],
        "",
    ),
    case(
        "ts declaration merging at home",
        &[
            ("m.ts", "export class Conf {\n  readAll() {}\n}\n"),
            (
                "u.ts",
                "import { Conf } from './m';\n\nfunction f(conf: Conf) {\n  return conf.readAll();\n}\n",
            ),
        ],
        &[(
            "m.ts",
            Some(
                "import { Mixin } from 'lib';\n\nexport interface Conf extends Mixin {}\nexport class Conf {\n}\n",
            ),
        )],
        "",
    ),
    case(
        "ts decorator of a class: no member",
        &[
            (
                "m.ts",
                "import { Entity } from \"orm\";\n\n@Entity()\nexport class Conf {\n  readAll() {}\n}\n",
            ),
            (
                "u.ts",
                "import { Conf } from './m';\n\nfunction f(conf: Conf) {\n  return conf.readAll();\n}\n",
            ),
        ],
        &[("m.ts", Some("import { Entity } from \"orm\";\n\n@Entity()\nexport class Conf {\n}\n"))],
        "`Conf.readAll` is gone and still used: u.ts:4",
    ),
    case(
        "go stringer",
        &[
            ("go.mod", "module s\n"),
            (
                "kind/kind.go",
                "package kind\n\ntype Kind int\n\nfunc (k Kind) String() string {\n\treturn \"a\"\n}\n",
            ),
            (
                "main.go",
                "package main\n\nimport \"s/kind\"\n\nfunc main() {\n\tvar k kind.Kind\n\tprintln(k.String())\n}\n",
            ),
        ],
        &[(
            "kind/kind.go",
            Some("package kind\n\n//go:generate stringer -type=Kind\n\ntype Kind int\n"),
        )],
        "",
    ),
    case(
        "go mockgen",
        &[
            ("go.mod", "module s\n"),
            (
                "kind/kind.go",
                "package kind\n\ntype Store interface {\n\tTakeOne()\n}\n\ntype MockStore struct{}\n",
            ),
            (
                "main.go",
                "package main\n\nimport \"s/kind\"\n\nfunc main() {\n\tvar k kind.MockStore\n\t_ = k\n}\n",
            ),
        ],
        &[(
            "kind/kind.go",
            Some(
                "package kind\n\n//go:generate mockgen -source=kind.go -destination=mock.go -package=kind\n\ntype Store interface {\n\tTakeOne()\n}\n",
            ),
        )],
        "",
    ),
    case(
        "c strdup of libc",
        &[
            (
                "str.h",
                "#ifndef S\n#define S\nchar *strdup(const char *s);\nint asprintf(char **to, const char *format, ...);\n#endif\n",
            ),
            (
                "str.c",
                "#include \"str.h\"\n\nchar *strdup(const char *s)\n{\n    return 0;\n}\n\nint asprintf(char **to, const char *format, ...)\n{\n    return 0;\n}\n",
            ),
            (
                "main.c",
                "#include <string.h>\n#include \"str.h\"\n\nint main(void)\n{\n    char *a = strdup(\"a\");\n    return asprintf(&a, \"b\");\n}\n",
            ),
        ],
        &[
            ("str.h", Some("#ifndef S\n#define S\n#endif\n")),
            ("str.c", Some("#include \"str.h\"\n")),
        ],
        "",
    ),
    case(
        "java annotation unknown",
        &[
            (
                "src/shop/Conf.java",
                "package shop;\n\nimport org.immutables.value.Value;\n\n@Value.Immutable\npublic class Conf {\n    public int getRetries() {\n        return 1;\n    }\n}\n",
            ),
            (
                "src/shop/User.java",
                "package shop;\n\nclass User {\n    int f(Conf conf) {\n        return conf.getRetries();\n    }\n}\n",
            ),
        ],
        &[(
            "src/shop/Conf.java",
            Some(
                "package shop;\n\nimport org.immutables.value.Value;\n\n@Value.Immutable\npublic class Conf {\n}\n",
            ),
        )],
        "",
    ),
    case(
        "java annotation of java.lang: told",
        &[
            (
                "src/shop/Conf.java",
                "package shop;\n\n@Deprecated\npublic class Conf {\n    public int getRetries() {\n        return 1;\n    }\n}\n",
            ),
            (
                "src/shop/User.java",
                "package shop;\n\nclass User {\n    int f(Conf conf) {\n        return conf.getRetries();\n    }\n}\n",
            ),
        ],
        &[("src/shop/Conf.java", Some("package shop;\n\n@Deprecated\npublic class Conf {\n}\n"))],
        "`Conf.getRetries` is gone and still used: src/shop/User.java:5",
    ),
    case(
        "go stringer, named beside",
        &[
            ("go.mod", "module s\n"),
            ("kind/doc.go", "package kind\n\n//go:generate stringer -type=Kind\n"),
            (
                "kind/kind.go",
                "package kind\n\ntype Kind int\n\nfunc (k Kind) String() string {\n\treturn \"a\"\n}\n\nfunc (k Kind) Long() string {\n\treturn \"a\"\n}\n",
            ),
            (
                "main.go",
                "package main\n\nimport \"s/kind\"\n\nfunc main() {\n\tvar k kind.Kind\n\tprintln(k.String())\n\tprintln(k.Long())\n}\n",
            ),
        ],
        &[("kind/kind.go", Some("package kind\n\ntype Kind int\n"))],
        "`Kind.Long` is gone and still used: main.go:8",
    ),
    case(
        "ts private, used by who says that the type does not matter",
        &[
            ("a.ts", "export class Box {\n  openLid(): void {}\n}\n"),
            ("b.ts", "import { Box } from './a';\n\n(new Box() as any).openLid();\n"),
        ],
        &[("a.ts", Some("export class Box {\n  private openLid(): void {}\n}\n"))],
        "",
    ),
    case(
        "py an import of a module that is taken whole",
        &[
            ("kit.py", "import json\n\n\ndef keep():\n    pass\n"),
            ("u.py", "from kit import *\n\njson.dumps(keep())\n"),
            ("v.py", "import json\nfrom kit import keep\n\njson.dumps(keep())\n"),
        ],
        &[("kit.py", Some("def keep():\n    pass\n"))],
        "`json` is no longer exported and still used: u.py:3",
    ),
    case(
        "c include lost, declared in a function",
        &[
            ("ring.h", "int ring(void);\n"),
            ("main.c", "#include \"ring.h\"\n\nint main(void)\n{\n    return ring();\n}\n"),
        ],
        &[("main.c", Some("int main(void)\n{\n    int ring(void);\n    return ring();\n}\n"))],
        "",
    ),
];
