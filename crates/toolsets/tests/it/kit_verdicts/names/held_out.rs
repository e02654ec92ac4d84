//! Edits that were written without a look at what is told of them.

use super::{Case, case};

pub(super) const CASES: &[Case] = &[
    case(
        "py dataclass field removed, told by the type of a parameter",
        &[
            (
                "conf.py",
                "from dataclasses import dataclass\n\n\n@dataclass\nclass Conf:\n    path: str\n    retries: int = 3\n",
            ),
            (
                "run.py",
                "from conf import Conf\n\n\ndef run(conf: Conf):\n    for at in range(conf.retries):\n        print(conf.path)\n",
            ),
        ],
        &[(
            "conf.py",
            Some("from dataclasses import dataclass\n\n\n@dataclass\nclass Conf:\n    path: str\n"),
        )],
        "`Conf.retries` is gone and still used: run.py:5",
    ),
    case(
        "py property in place of an attribute",
        &[
            ("conf.py", "class Conf:\n    def __init__(self):\n        self.retries = 3\n"),
            ("run.py", "from conf import Conf\n\nconf = Conf()\nprint(conf.retries)\n"),
        ],
        &[(
            "conf.py",
            Some(
                "class Conf:\n    def __init__(self):\n        self._n = 3\n\n    @property\n    def retries(self):\n        return self._n\n",
            ),
        )],
        "",
    ),
    case(
        "py function becomes a partial",
        &[
            (
                "m.py",
                "def send(a, b):\n    return a\n\n\ndef send_fast(a):\n    return send(a, 1)\n",
            ),
            ("u.py", "from m import send_fast\nsend_fast(1)\n"),
        ],
        &[(
            "m.py",
            Some(
                "from functools import partial\n\n\ndef send(a, b):\n    return a\n\n\nsend_fast = partial(send, b=1)\n",
            ),
        )],
        "",
    ),
    case(
        "py constant moves into if/else",
        &[
            ("m.py", "DEFAULT_SIZE = 3\n"),
            ("u.py", "from m import DEFAULT_SIZE\nprint(DEFAULT_SIZE)\n"),
        ],
        &[(
            "m.py",
            Some(
                "import sys\n\nif sys.platform == 'win32':\n    DEFAULT_SIZE = 1\nelse:\n    DEFAULT_SIZE = 2\n",
            ),
        )],
        "",
    ),
    case(
        "py try with a fallback",
        &[
            ("m.py", "def parse_fast(x):\n    return x\n"),
            ("u.py", "from m import parse_fast\nparse_fast(1)\n"),
        ],
        &[(
            "m.py",
            Some(
                "try:\n    from _speed import parse_fast\nexcept ImportError:\n    parse_fast = None\n",
            ),
        )],
        "",
    ),
    case(
        "py enum value removed",
        &[
            (
                "m.py",
                "from enum import Enum\n\n\nclass Color(Enum):\n    RED = 1\n    DARK_BLUE = 2\n",
            ),
            ("u.py", "from m import Color\nprint(Color.DARK_BLUE, Color.RED)\n"),
        ],
        &[("m.py", Some("from enum import Enum\n\n\nclass Color(Enum):\n    RED = 1\n"))],
        "`Color.DARK_BLUE` is gone and still used: u.py:2",
    ),
    case(
        "py typo in a new import",
        &[
            ("shop/__init__.py", ""),
            ("shop/stock.py", "def load_stock():\n    pass\n"),
            ("shop/basket.py", "x = 1\n"),
        ],
        &[("shop/basket.py", Some("from shop.stock import load_stok\n\nload_stok()\n"))],
        "shop/basket.py:1 imports `load_stok`, which shop/stock.py does not define",
    ),
    case(
        "py class renamed, used in isinstance and as a base",
        &[
            ("m.py", "class OldNode:\n    pass\n"),
            (
                "u.py",
                "import m\n\n\nclass Leaf(m.OldNode):\n    def f(self, x):\n        return isinstance(x, m.OldNode)\n",
            ),
        ],
        &[("m.py", Some("class NewNode:\n    pass\n"))],
        "`OldNode` is gone (now `NewNode`?) and still used: u.py:4, u.py:6",
    ),
    case(
        "py another object has the attribute",
        &[
            (
                "m.py",
                "class Job:\n    def __init__(self):\n        self.state = 1\n        self.kind = 2\n",
            ),
            (
                "u.py",
                "from m import Job\nimport requests\n\njob = Job()\nresponse = requests.get('x')\nprint(response.state, job.kind)\n",
            ),
        ],
        &[("m.py", Some("class Job:\n    def __init__(self):\n        self.kind = 2\n"))],
        "not checked: `.state` of values whose type is not said: u.py:6",
    ),
    case(
        "ts method removed, a variable of a list",
        &[
            ("s.ts", "export class Stock {\n  size() { return 1; }\n  open() {}\n}\n"),
            (
                "u.ts",
                "import { Stock } from './s';\nconst all: Stock[] = [];\nconst map = new Map<string, Stock>();\nconsole.log(map.size, all.length);\nnew Stock().open();\n",
            ),
        ],
        &[("s.ts", Some("export class Stock {\n  open() {}\n}\n"))],
        "",
    ),
    case(
        "ts interface property removed",
        &[
            ("t.ts", "export interface User {\n  name: string;\n  nickName: string;\n}\n"),
            (
                "u.ts",
                "import { User } from './t';\nexport const show = (user: User) => user.nickName + user.name;\n",
            ),
        ],
        &[("t.ts", Some("export interface User {\n  name: string;\n}\n"))],
        "`User.nickName` is gone and still used: u.ts:2",
    ),
    case(
        "ts enum value removed",
        &[
            ("t.ts", "export enum Mode {\n  Fast,\n  VerySlow,\n}\n"),
            ("u.ts", "import { Mode } from './t';\nconsole.log(Mode.VerySlow);\n"),
        ],
        &[("t.ts", Some("export enum Mode {\n  Fast,\n}\n"))],
        "`Mode.VerySlow` is gone and still used: u.ts:2",
    ),
    case(
        "tsx component export dropped",
        &[
            ("a.tsx", "export const Button = () => <b />;\nexport const Link = () => <a />;\n"),
            ("b.tsx", "import { Button } from './a';\nexport const Page = () => <Button />;\n"),
        ],
        &[("a.tsx", Some("const Button = () => <b />;\nexport const Link = () => <a />;\n"))],
        "`Button` is no longer exported and still used: b.tsx:1, b.tsx:2",
    ),
    case(
        "ts default and named changed places",
        &[
            ("a.ts", "export default function load() {}\nexport function keep() {}\n"),
            ("b.ts", "import { load } from './c';\nload();\n"),
            ("c.ts", "export { default as load } from './a';\n"),
        ],
        &[(
            "a.ts",
            Some("function load() {}\nexport { load as default };\nexport function keep() {}\n"),
        )],
        "",
    ),
    case(
        "js a class mixes in its methods",
        &[
            ("a.js", "class Shop {\n  openDoor() {}\n}\nmodule.exports = Shop;\n"),
            ("b.js", "const Shop = require('./a');\nconst shop = new Shop();\nshop.openDoor();\n"),
        ],
        &[(
            "a.js",
            Some(
                "class Shop {\n}\nObject.assign(Shop.prototype, require('./doors'));\nmodule.exports = Shop;\n",
            ),
        )],
        "",
    ),
    case(
        "ts type import of what is only a value elsewhere",
        &[("a.ts", "export type Size = 1;\n"), ("b.ts", "export {};\n")],
        &[("b.ts", Some("import type { Size, Colour } from './a';\nlet a: Size;\n"))],
        "b.ts:1 imports `Colour`, which a.ts does not define",
    ),
    case(
        "rs field used in a literal and by a value",
        &[
            ("Cargo.toml", "[package]\nname = \"shop\"\n"),
            ("src/lib.rs", "pub mod conf;\npub mod run;\n"),
            ("src/conf.rs", "pub struct Conf {\n    pub path: String,\n    pub retries: u8,\n}\n"),
            (
                "src/run.rs",
                "use crate::conf::Conf;\n\npub fn make() -> Conf {\n    let conf = Conf { path: String::new(), retries: 1 };\n    conf\n}\n\npub fn show(conf: &Conf) -> u8 {\n    conf.retries\n}\n",
            ),
        ],
        &[("src/conf.rs", Some("pub struct Conf {\n    pub path: String,\n}\n"))],
        "`Conf.retries` is gone and still used: src/run.rs:4, src/run.rs:9",
    ),
    case(
        "rs trait method renamed",
        &[
            ("Cargo.toml", "[package]\nname = \"shop\"\n"),
            ("src/lib.rs", "pub mod draw;\npub mod run;\n"),
            ("src/draw.rs", "pub trait Draw {\n    fn draw_it(&self);\n}\n"),
            (
                "src/run.rs",
                "use crate::draw::Draw;\n\npub fn all(items: &[Box<dyn Draw>]) {\n    for item in items {\n        item.draw_it();\n    }\n}\n",
            ),
        ],
        &[("src/draw.rs", Some("pub trait Draw {\n    fn paint_it(&self);\n}\n"))],
        "`Draw.draw_it` is gone (now `paint_it`?) and still used: src/run.rs:5",
    ),
    case(
        "rs bitflags take the place of constants",
        &[
            ("Cargo.toml", "[package]\nname = \"shop\"\n"),
            ("src/lib.rs", "pub mod flags;\npub mod run;\n"),
            (
                "src/flags.rs",
                "pub struct Flags;\n\nimpl Flags {\n    pub const READ_ALL: u8 = 1;\n}\n",
            ),
            (
                "src/run.rs",
                "use crate::flags::Flags;\n\npub fn f() {\n    let _ = Flags::READ_ALL;\n}\n",
            ),
        ],
        &[(
            "src/flags.rs",
            Some(
                "bitflags::bitflags! {\n    pub struct Flags: u8 {\n        const READ_ALL = 1;\n    }\n}\n",
            ),
        )],
        "",
    ),
    case(
        "rs use lost of a derive",
        &[("src/lib.rs", "use serde::Serialize;\n\n#[derive(Serialize)]\nstruct A;\n")],
        &[("src/lib.rs", Some("#[derive(Serialize)]\nstruct A;\n"))],
        "`Serialize` is no longer imported and still used: src/lib.rs:1",
    ),
    case(
        "rs function becomes a method of the file",
        &[
            ("Cargo.toml", "[package]\nname = \"shop\"\n"),
            ("src/lib.rs", "pub mod a1;\npub mod u1;\n"),
            ("src/a1.rs", "pub struct A;\n\npub fn make_all() {}\n"),
            ("src/u1.rs", "use crate::a1;\n\npub fn f() {\n    a1::make_all();\n}\n"),
        ],
        &[("src/a1.rs", Some("pub struct A;\n\nimpl A {\n    pub fn make_all() {}\n}\n"))],
        "`make_all` is gone and still used: src/u1.rs:4",
    ),
    case(
        "go method removed from an interface's type",
        &[
            ("go.mod", "module shop\n"),
            (
                "s/s.go",
                "package s\n\ntype Store struct{}\n\nfunc (s *Store) Load() {}\n\nfunc (s *Store) Save() {}\n",
            ),
            (
                "main.go",
                "package main\n\nimport \"shop/s\"\n\nfunc main() {\n\tvar st s.Store\n\tst.Load()\n\tst.Save()\n}\n",
            ),
        ],
        &[("s/s.go", Some("package s\n\ntype Store struct{}\n\nfunc (s *Store) Load() {}\n"))],
        "`Store.Save` is gone and still used: main.go:8",
    ),
    case(
        "go field in a literal",
        &[
            ("go.mod", "module shop\n"),
            ("s/s.go", "package s\n\ntype Conf struct {\n\tPath    string\n\tRetries int\n}\n"),
            (
                "main.go",
                "package main\n\nimport \"shop/s\"\n\nfunc main() {\n\tprintln(s.Conf{Path: \"a\", Retries: 1}.Path)\n}\n",
            ),
        ],
        &[("s/s.go", Some("package s\n\ntype Conf struct {\n\tPath string\n}\n"))],
        "`Conf.Retries` is gone and still used: main.go:6",
    ),
    case(
        "go moved to a file of the package",
        &[
            ("go.mod", "module shop\n"),
            ("a.go", "package shop\n\nfunc loadAll() {}\n"),
            ("b.go", "package shop\n\nfunc f() { loadAll() }\n"),
        ],
        &[("a.go", Some("package shop\n")), ("c.go", Some("package shop\n\nfunc loadAll() {}\n"))],
        "",
    ),
    case(
        "go variable of another type with the method",
        &[
            ("go.mod", "module shop\n"),
            ("s/s.go", "package s\n\ntype Store struct{}\n\nfunc (s *Store) CloseAll() {}\n"),
            (
                "main.go",
                "package main\n\nimport (\n\t\"net\"\n\n\t\"shop/s\"\n)\n\nfunc f(l *net.Pool, st *s.Store) {\n\tl.CloseAll()\n\tprintln(st)\n}\n",
            ),
        ],
        &[("s/s.go", Some("package s\n\ntype Store struct{}\n"))],
        "",
    ),
    case(
        "java constant removed from an interface",
        &[
            (
                "a/Sizes.java",
                "package a;\n\npublic interface Sizes {\n    int SMALL = 1;\n    int VERY_LARGE = 2;\n}\n",
            ),
            (
                "a/Use.java",
                "package a;\n\nclass Use {\n    int f() {\n        return Sizes.VERY_LARGE + Sizes.SMALL;\n    }\n}\n",
            ),
        ],
        &[(
            "a/Sizes.java",
            Some("package a;\n\npublic interface Sizes {\n    int SMALL = 1;\n}\n"),
        )],
        "`Sizes.VERY_LARGE` is gone and still used: a/Use.java:5",
    ),
    case(
        "java a local of another type",
        &[
            (
                "a/Shop.java",
                "package a;\n\npublic class Shop {\n    public void closeAll() {}\n}\n",
            ),
            (
                "a/Use.java",
                "package a;\n\nclass Use {\n    void f(Door door, Shop shop) {\n        door.closeAll();\n        shop.hashCode();\n    }\n}\n",
            ),
        ],
        &[("a/Shop.java", Some("package a;\n\npublic class Shop {\n}\n"))],
        "",
    ),
    case(
        "java setter by lombok at the field",
        &[
            (
                "a/Shop.java",
                "package a;\n\npublic class Shop {\n    private String name;\n\n    public void setName(String name) {\n        this.name = name;\n    }\n}\n",
            ),
            (
                "a/Use.java",
                "package a;\n\nclass Use {\n    void f(Shop shop) {\n        shop.setName(\"a\");\n    }\n}\n",
            ),
        ],
        &[(
            "a/Shop.java",
            Some("package a;\n\npublic class Shop {\n    @lombok.Setter private String name;\n}\n"),
        )],
        "",
    ),
    case(
        "c enum value removed",
        &[
            ("m.h", "enum mode {\n    MODE_FAST,\n    MODE_SLOW,\n};\n"),
            ("m.c", "#include \"m.h\"\n\nint f(void)\n{\n    return MODE_SLOW;\n}\n"),
        ],
        &[("m.h", Some("enum mode {\n    MODE_FAST,\n};\n"))],
        "`mode.MODE_SLOW` is gone and still used: m.c:5",
    ),
    case(
        "c function becomes a macro",
        &[
            ("m.h", "int max_of(int a, int b);\n"),
            (
                "m.c",
                "#include \"m.h\"\n\nint max_of(int a, int b)\n{\n    return a > b ? a : b;\n}\n",
            ),
            ("u.c", "#include \"m.h\"\n\nint f(void)\n{\n    return max_of(1, 2);\n}\n"),
        ],
        &[
            ("m.h", Some("#define max_of(a, b) ((a) > (b) ? (a) : (b))\n")),
            ("m.c", Some("#include \"m.h\"\n")),
        ],
        "",
    ),
    case(
        "c a semicolon is lost before a macro",
        &[],
        &[(
            "n.c",
            Some(
                "#include \"n.h\"\n\nint f(int a)\n{\n    a = a + 1\n    LOG(a);\n    return a;\n}\n",
            ),
        )],
        "syntax error: n.c:5: a = a + 1",
    ),
    case(
        "c broken brace in one branch",
        &[],
        &[(
            "n.c",
            Some(
                "int f(int a)\n{\n#ifdef X\n    if (a) {\n        return 1;\n#endif\n    return 0;\n}\n",
            ),
        )],
        "syntax error: n.c:8: } (`}` is missing)",
    ),
    case(
        "cpp new file with attributes and concepts",
        &[],
        &[(
            "n.cpp",
            Some(
                "#include <vector>\n\ntemplate <typename T>\nconcept Small = sizeof(T) < 4;\n\n[[nodiscard]] auto f(Small auto x) -> int\n{\n    if (auto y = x; y > 1) [[likely]] {\n        return 1;\n    }\n    return 0;\n}\n\nenum class Color : unsigned { RED, BLUE };\n",
            ),
        )],
        "",
    ),
    case(
        "cpp a method's paren lost",
        &[],
        &[(
            "n.cpp",
            Some(
                "class Shop {\npublic:\n    int size() const { return n_; }\n    void add(int a { n_ += a; }\n\nprivate:\n    int n_ = 0;\n};\n",
            ),
        )],
        "syntax error: n.cpp:4: void add(int a { n_ += a; } (`)` is missing)",
    ),
    case(
        "ruby method becomes an alias",
        &[
            (
                "s.rb",
                "class Shop\n  def size_of\n    1\n  end\n\n  def count_of\n    1\n  end\nend\n",
            ),
            ("u.rb", "require_relative 's'\nshop = Shop.new\nshop.count_of\n"),
        ],
        &[(
            "s.rb",
            Some("class Shop\n  def size_of\n    1\n  end\n  alias count_of size_of\nend\n"),
        )],
        "",
    ),
    case(
        "ruby class method removed",
        &[
            (
                "s.rb",
                "class Shop\n  def self.load_all(path)\n    path\n  end\n\n  def keep\n  end\nend\n",
            ),
            ("u.rb", "require_relative 's'\nShop.load_all('x')\n"),
        ],
        &[("s.rb", Some("class Shop\n  def keep\n  end\nend\n"))],
        "`Shop.load_all` is gone and still used: u.rb:2",
    ),
    case(
        "ruby new syntax is valid",
        &[],
        &[(
            "n.rb",
            Some(
                "def sq(x) = x * x\n\ncase {a: 1}\nin {a: Integer => n} if n > 0\n  puts n\nend\n\nData.define(:a) do\n  def b = a\nend\n[1].each { puts it }\nf(&)\n",
            ),
        )],
        "",
    ),
    case(
        "ruby an end is lost",
        &[],
        &[("n.rb", Some("class A\n  def b\n    if c\n      d\n  end\nend\n"))],
        "syntax error: n.rb:1: class A",
    ),
];
