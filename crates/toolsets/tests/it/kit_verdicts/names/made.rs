//! Names that a file makes without a definition of its own.

use super::{AREA_USE, Case, case};

const CART_PY: &str = "class Cart:\n    def __init__(self, items):\n        self.items = items\n\n    def total_price(self):\n        return sum(self.items)\n";
const CART_PY_USE: &str = "from cart import Cart\ncart = Cart([])\nprint(cart.total_price)\n";
const CART_JAVA: &str = "package shop;\n\npublic class Cart {\n    private int total;\n\n    public int getTotal() {\n        return total;\n    }\n}\n";
const CART_JAVA_USE: &str = "package shop;\n\nclass Use {\n    int f(Cart cart) {\n        return cart.getTotal();\n    }\n}\n";
const SHOP_RUBY_USE: &str = "require_relative 'shop'\nshop = Shop.new\nputs shop.item_name\n";
const TOTAL_C: &str = "#include \"s.h\"\n\nint get_total(void)\n{\n    return 1;\n}\n";
const TOTAL_C_USE: &str = "#include \"s.h\"\n\nint main(void)\n{\n    return get_total();\n}\n";
const SHOP_JS: &str = "class Shop {\n  openAll() {}\n}\nmodule.exports = { Shop };\n";
const SHOP_JS_USE: &str =
    "const { Shop } = require('./m');\nconst shop = new Shop();\nshop.openAll();\n";

pub(super) const CASES: &[Case] = &[
    case(
        "what a removed name shadowed is there again",
        &[
            ("a.go", "package a\n\nfunc min(a, b int) int {\n\treturn a\n}\n"),
            ("b.go", "package a\n\nfunc use() int {\n\treturn min(1, 2)\n}\n"),
            ("m.py", "def print(text):\n    pass\n\n\nprint('x')\n"),
            ("t.ts", "export function fetch(url: string) {\n  return url;\n}\n\nfetch('a');\n"),
            ("r.rb", "def puts(text)\nend\n\nputs 'x'\n"),
        ],
        &[
            ("a.go", Some("package a\n")),
            ("m.py", Some("print('x')\n")),
            ("t.ts", Some("fetch('a');\n")),
            ("r.rb", Some("puts 'x'\n")),
        ],
        "",
    ),
    case(
        "a removed name of the language that is brought in",
        &[
            ("m.py", "def print(text):\n    pass\n"),
            ("u.py", "from m import print\n\nprint('x')\n"),
        ],
        &[("m.py", Some("x = 1\n"))],
        "`print` is gone and still used: u.py:1, u.py:3",
    ),
    case(
        "py attribute in place of a method",
        &[("cart.py", CART_PY), ("u.py", CART_PY_USE)],
        &[(
            "cart.py",
            Some(
                "class Cart:\n    def __init__(self, items):\n        self.items = items\n        self.total_price = sum(items)\n",
            ),
        )],
        "",
    ),
    case(
        "py attribute with a type in a tuple",
        &[("cart.py", CART_PY), ("u.py", CART_PY_USE)],
        &[(
            "cart.py",
            Some(
                "class Cart:\n    def load(self, items):\n        self.items, self.total_price = items, sum(items)\n",
            ),
        )],
        "",
    ),
    case(
        "py class with __getattr__",
        &[
            ("cart.py", CART_PY),
            ("u.py", "from cart import Cart\ncart = Cart([])\nprint(cart.total_price())\n"),
        ],
        &[(
            "cart.py",
            Some(
                "class Cart:\n    def __init__(self, items):\n        self.items = items\n\n    def __getattr__(self, name):\n        return getattr(self.items, name)\n",
            ),
        )],
        "",
    ),
    case(
        "py function removed beside a class with __getattr__",
        &[
            (
                "cart.py",
                "class Cart:\n    def __init__(self, items):\n        self.items = items\n\n    def total_price(self):\n        return sum(self.items)\n\n\ndef load_cart():\n    pass\n",
            ),
            ("u.py", "from cart import load_cart\nload_cart()\n"),
        ],
        &[(
            "cart.py",
            Some(
                "class Cart:\n    def __init__(self, items):\n        self.items = items\n\n    def total_price(self):\n        return sum(self.items)\n\n    def __getattr__(self, name):\n        return 1\n",
            ),
        )],
        "`load_cart` is gone and still used: u.py:1, u.py:2",
    ),
    case(
        "py globals()",
        &[
            ("m.py", "def load_one():\n    pass\n\n\ndef keep():\n    pass\n"),
            ("u.py", "from m import load_one\nload_one()\n"),
        ],
        &[(
            "m.py",
            Some(
                "for kind in ('one', 'two'):\n    globals()[f'load_{kind}'] = print\n\n\ndef keep():\n    pass\n",
            ),
        )],
        "",
    ),
    case(
        "py module __getattr__",
        &[
            ("m.py", "def load_one():\n    pass\n\n\ndef keep():\n    pass\n"),
            ("u.py", "from m import load_one\nload_one()\n"),
        ],
        &[("m.py", Some("def __getattr__(name):\n    return print\n\n\ndef keep():\n    pass\n"))],
        "",
    ),
    case(
        "py sys.modules",
        &[
            ("m.py", "def load_one():\n    pass\n\n\ndef keep():\n    pass\n"),
            ("u.py", "from m import load_one\nload_one()\n"),
        ],
        &[(
            "m.py",
            Some(
                "import sys\nsetattr(sys.modules[__name__], 'load_' + 'one', print)\n\n\ndef keep():\n    pass\n",
            ),
        )],
        "",
    ),
    case(
        "py namedtuple",
        &[
            ("m.py", "class Point:\n    def left_edge(self):\n        pass\n"),
            ("u.py", "from m import Point\npoint = Point()\npoint.left_edge\n"),
        ],
        &[(
            "m.py",
            Some(
                "from collections import namedtuple\nPoint = namedtuple('Point', 'left_edge top_edge')\n",
            ),
        )],
        "",
    ),
    case(
        "py name bound by a loop in the module",
        &[
            ("m.py", "def load_one():\n    pass\n\n\ndef keep():\n    pass\n"),
            ("u.py", "from m import load_one\nload_one()\n"),
        ],
        &[("m.py", Some("for load_one in ():\n    pass\n\n\ndef keep():\n    pass\n"))],
        "",
    ),
    case(
        "py name bound by with",
        &[
            ("m.py", "def load_one():\n    pass\n\n\ndef keep():\n    pass\n"),
            ("u.py", "from m import load_one\nload_one()\n"),
        ],
        &[("m.py", Some("with open('x') as load_one:\n    pass\n\n\ndef keep():\n    pass\n"))],
        "",
    ),
    case(
        "py override of a base of a library removed",
        &[
            (
                "v.py",
                "from django import View\n\n\nclass Page(View):\n    def render_page(self):\n        pass\n",
            ),
            ("u.py", "from v import Page\npage = Page()\npage.render_page()\n"),
        ],
        &[("v.py", Some("from django import View\n\n\nclass Page(View):\n    pass\n"))],
        "",
    ),
    case(
        "java lombok @Getter",
        &[("shop/Cart.java", CART_JAVA), ("shop/Use.java", CART_JAVA_USE)],
        &[(
            "shop/Cart.java",
            Some(
                "package shop;\n\nimport lombok.*;\n\n@Getter\npublic class Cart {\n    private int total;\n}\n",
            ),
        )],
        "",
    ),
    case(
        "java lombok @Data",
        &[("shop/Cart.java", CART_JAVA), ("shop/Use.java", CART_JAVA_USE)],
        &[(
            "shop/Cart.java",
            Some(
                "package shop;\n\nimport lombok.*;\n\n@Data\npublic class Cart {\n    private int total;\n}\n",
            ),
        )],
        "",
    ),
    case(
        "java lombok @Value",
        &[("shop/Cart.java", CART_JAVA), ("shop/Use.java", CART_JAVA_USE)],
        &[(
            "shop/Cart.java",
            Some(
                "package shop;\n\nimport lombok.*;\n\n@Value\npublic class Cart {\n    private int total;\n}\n",
            ),
        )],
        "",
    ),
    case(
        "java lombok generates nothing of the kind",
        &[
            (
                "shop/Cart.java",
                "package shop;\n\npublic class Cart {\n    private int total;\n\n    public int sumUp() {\n        return total;\n    }\n}\n",
            ),
            (
                "shop/Use.java",
                "package shop;\n\nclass Use {\n    int f(Cart cart) {\n        return cart.sumUp();\n    }\n}\n",
            ),
        ],
        &[(
            "shop/Cart.java",
            Some(
                "package shop;\n\nimport lombok.Data;\n\n@Data\npublic class Cart {\n    private int total;\n}\n",
            ),
        )],
        "`Cart.sumUp` is gone and still used: shop/Use.java:5",
    ),
    case(
        "java record",
        &[
            (
                "shop/Cart.java",
                "package shop;\n\npublic class Cart {\n    private int total;\n\n    public int allTotal() {\n        return total;\n    }\n}\n",
            ),
            (
                "shop/Use.java",
                "package shop;\n\nclass Use {\n    int f(Cart cart) {\n        return cart.allTotal();\n    }\n}\n",
            ),
        ],
        &[("shop/Cart.java", Some("package shop;\n\npublic record Cart(int allTotal) {}\n"))],
        "",
    ),
    case(
        "java builder",
        &[
            (
                "shop/Cart.java",
                "package shop;\n\npublic class Cart {\n    private int total;\n\n    public static Cart toBuilder() {\n        return total;\n    }\n}\n",
            ),
            (
                "shop/Use.java",
                "package shop;\n\nclass Use {\n    int f(Cart cart) {\n        return cart.toBuilder();\n    }\n}\n",
            ),
        ],
        &[(
            "shop/Cart.java",
            Some(
                "package shop;\n\nimport lombok.Builder;\n\n@Builder(toBuilder = true)\npublic class Cart {\n    private int total;\n}\n",
            ),
        )],
        "",
    ),
    case(
        "ruby Struct.new",
        &[
            ("shop.rb", "class Shop\n  def item_name\n    @n\n  end\nend\n"),
            ("u.rb", SHOP_RUBY_USE),
        ],
        &[("shop.rb", Some("Shop = Struct.new(:item_name)\n"))],
        "",
    ),
    case(
        "ruby Struct.new with a body",
        &[
            ("shop.rb", "class Shop\n  def item_name\n    @n\n  end\nend\n"),
            ("u.rb", SHOP_RUBY_USE),
        ],
        &[("shop.rb", Some("class Shop < Struct.new(:item_name)\nend\n"))],
        "",
    ),
    case(
        "ruby def_delegators",
        &[
            ("shop.rb", "class Shop\n  def item_name\n    @n\n  end\nend\n"),
            ("u.rb", SHOP_RUBY_USE),
        ],
        &[(
            "shop.rb",
            Some(
                "require 'forwardable'\nclass Shop\n  extend Forwardable\n  def_delegators :@item, :item_name\nend\n",
            ),
        )],
        "",
    ),
    case(
        "ruby attr_reader",
        &[
            ("shop.rb", "class Shop\n  def item_name\n    @n\n  end\nend\n"),
            ("u.rb", SHOP_RUBY_USE),
        ],
        &[("shop.rb", Some("class Shop\n  attr_reader :item_name\nend\n"))],
        "",
    ),
    case(
        "ruby define_method in a loop",
        &[
            ("shop.rb", "class Shop\n  def item_name\n    @n\n  end\nend\n"),
            ("u.rb", SHOP_RUBY_USE),
        ],
        &[(
            "shop.rb",
            Some(
                "class Shop\n  %w[name price].each do |part|\n    define_method(\"item_#{part}\") { @n }\n  end\nend\n",
            ),
        )],
        "",
    ),
    case(
        "ruby method_missing",
        &[
            ("shop.rb", "class Shop\n  def item_name\n    @n\n  end\nend\n"),
            ("u.rb", SHOP_RUBY_USE),
        ],
        &[("shop.rb", Some("class Shop\n  def method_missing(name)\n    1\n  end\nend\n"))],
        "",
    ),
    case(
        "ruby delegate with prefix",
        &[
            ("shop.rb", "class Shop\n  def item_name\n    @n\n  end\nend\n"),
            ("u.rb", SHOP_RUBY_USE),
        ],
        &[("shop.rb", Some("class Shop\n  delegate :name, to: :item, prefix: true\nend\n"))],
        "",
    ),
    case(
        "ruby a mixin",
        &[
            ("shop.rb", "class Shop\n  def item_name\n    @n\n  end\nend\n"),
            ("u.rb", SHOP_RUBY_USE),
        ],
        &[("shop.rb", Some("class Shop\n  include Naming\nend\n"))],
        "",
    ),
    case(
        "ruby class_eval",
        &[
            ("shop.rb", "class Shop\n  def item_name\n    @n\n  end\nend\n"),
            ("u.rb", SHOP_RUBY_USE),
        ],
        &[("shop.rb", Some("class Shop\nend\nShop.class_eval(TEXT)\n"))],
        "",
    ),
    case(
        "ruby Data.define",
        &[
            ("shop.rb", "class Shop\n  def item_name\n    @n\n  end\nend\n"),
            ("u.rb", SHOP_RUBY_USE),
        ],
        &[("shop.rb", Some("Shop = Data.define(:item_name)\n"))],
        "",
    ),
    case(
        "ruby own macro",
        &[
            ("shop.rb", "class Shop\n  def item_name\n    @n\n  end\nend\n"),
            ("u.rb", SHOP_RUBY_USE),
        ],
        &[("shop.rb", Some("class Shop\n  field :item\nend\n"))],
        "",
    ),
    case(
        "ruby attribute of another name",
        &[
            (
                "shop.rb",
                "class Shop\n  def item_name\n    @n\n  end\n\n  attr_reader :price\nend\n",
            ),
            ("u.rb", SHOP_RUBY_USE),
        ],
        &[("shop.rb", Some("class Shop\n  attr_reader :price\nend\n"))],
        "`Shop.item_name` is gone and still used: u.rb:3",
    ),
    case(
        "rs macro of the file makes it",
        &[
            ("Cargo.toml", "[package]\nname = \"shop\"\n"),
            ("src/lib.rs", "pub mod area;\npub mod u;\n"),
            ("src/area.rs", "pub fn total_of() -> u8 {\n    1\n}\n\npub fn keep() {}\n"),
            ("src/u.rs", AREA_USE),
        ],
        &[(
            "src/area.rs",
            Some(
                "macro_rules! make {\n    ($name:ident) => {\n        pub fn $name() -> u8 {\n            1\n        }\n    };\n}\n\nmake!(total_of);\n\npub fn keep() {}\n",
            ),
        )],
        "",
    ),
    case(
        "rs macro of the crate makes it",
        &[
            ("Cargo.toml", "[package]\nname = \"shop\"\n"),
            ("src/lib.rs", "pub mod area;\npub mod u;\n"),
            ("src/area.rs", "pub fn total_of() -> u8 {\n    1\n}\n\npub fn keep() {}\n"),
            ("src/u.rs", AREA_USE),
            (
                "src/macros.rs",
                "macro_rules! make {\n    () => {\n        pub fn total_of() -> u8 {\n            1\n        }\n    };\n}\n",
            ),
        ],
        &[("src/area.rs", Some("make!();\n\npub fn keep() {}\n"))],
        "",
    ),
    case(
        "rs paste",
        &[
            ("Cargo.toml", "[package]\nname = \"shop\"\n"),
            ("src/lib.rs", "pub mod area;\npub mod u;\n"),
            ("src/area.rs", "pub fn total_of() -> u8 {\n    1\n}\n\npub fn keep() {}\n"),
            ("src/u.rs", AREA_USE),
        ],
        &[(
            "src/area.rs",
            Some(
                "paste::paste! {\n    pub fn [<total _ of>]() -> u8 {\n        1\n    }\n}\n\npub fn keep() {}\n",
            ),
        )],
        "",
    ),
    case(
        "rs include",
        &[
            ("Cargo.toml", "[package]\nname = \"shop\"\n"),
            ("src/lib.rs", "pub mod area;\npub mod u;\n"),
            ("src/area.rs", "pub fn total_of() -> u8 {\n    1\n}\n\npub fn keep() {}\n"),
            ("src/u.rs", AREA_USE),
        ],
        &[(
            "src/area.rs",
            Some("include!(concat!(env!(\"OUT_DIR\"), \"/a.rs\"));\n\npub fn keep() {}\n"),
        )],
        "",
    ),
    case(
        "rs static becomes lazy",
        &[
            ("Cargo.toml", "[package]\nname = \"shop\"\n"),
            ("src/lib.rs", "pub mod area;\npub mod u;\n"),
            ("src/area.rs", "pub static TOTAL_OF: u8 = 1;\n"),
            ("src/u.rs", "use crate::area::TOTAL_OF;\n\npub fn f() -> u8 {\n    *TOTAL_OF\n}\n"),
        ],
        &[(
            "src/area.rs",
            Some("lazy_static::lazy_static! {\n    pub static ref TOTAL_OF: u8 = 1;\n}\n"),
        )],
        "",
    ),
    case(
        "rs a macro call in a function makes nothing",
        &[
            ("Cargo.toml", "[package]\nname = \"shop\"\n"),
            ("src/lib.rs", "pub mod area;\npub mod u;\n"),
            ("src/area.rs", "pub fn total_of() -> u8 {\n    1\n}\n\npub fn keep() {}\n"),
            ("src/u.rs", AREA_USE),
        ],
        &[("src/area.rs", Some("pub fn keep() {\n    println!(\"total_of\");\n}\n"))],
        "`total_of` is gone and still used: src/u.rs:1, src/u.rs:4",
    ),
    case(
        "rs derive makes a method",
        &[
            ("Cargo.toml", "[package]\nname = \"shop\"\n"),
            ("src/lib.rs", "pub mod area;\npub mod u;\n"),
            (
                "src/area.rs",
                "pub struct Shop {\n    total: u8,\n}\n\nimpl Shop {\n    pub fn set_total(&mut self, total: u8) {\n        self.total = total;\n    }\n}\n",
            ),
            (
                "src/u.rs",
                "use crate::area::Shop;\n\npub fn f(shop: &mut Shop) {\n    shop.set_total(1);\n}\n",
            ),
        ],
        &[(
            "src/area.rs",
            Some("#[derive(derive_setters::Setters)]\npub struct Shop {\n    total: u8,\n}\n"),
        )],
        "",
    ),
    case(
        "rs Deref",
        &[
            ("Cargo.toml", "[package]\nname = \"shop\"\n"),
            ("src/lib.rs", "pub mod area;\npub mod u;\n"),
            (
                "src/area.rs",
                "pub struct Shop(Vec<u8>);\n\nimpl Shop {\n    pub fn all_of(&self) -> u8 {\n        1\n    }\n}\n",
            ),
            (
                "src/u.rs",
                "use crate::area::Shop;\n\npub fn f(shop: &Shop) {\n    shop.all_of();\n}\n",
            ),
        ],
        &[(
            "src/area.rs",
            Some(
                "pub struct Shop(Inner);\n\nimpl std::ops::Deref for Shop {\n    type Target = Inner;\n    fn deref(&self) -> &Inner {\n        &self.0\n    }\n}\n",
            ),
        )],
        "",
    ),
    case(
        "c pasting",
        &[
            ("s.h", "#define GETTER(name) int get_##name(void) { return 1; }\n"),
            ("s.c", TOTAL_C),
            ("m.c", TOTAL_C_USE),
        ],
        &[("s.c", Some("#include \"s.h\"\n\nGETTER(total)\n"))],
        "",
    ),
    case(
        "c moved into .inc",
        &[("s.h", ""), ("s.c", TOTAL_C), ("m.c", TOTAL_C_USE)],
        &[
            ("s.c", Some("#include \"s.h\"\n#include \"total.inc\"\n")),
            ("total.inc", Some("int get_total(void)\n{\n    return 1;\n}\n")),
        ],
        "",
    ),
    case(
        "c in a .def",
        &[
            ("s.h", ""),
            ("s.c", TOTAL_C),
            ("m.c", TOTAL_C_USE),
            ("total.def", "GETTER(get_total)\n"),
        ],
        &[(
            "s.c",
            Some(
                "#include \"s.h\"\n#define GETTER(n) int n(void) { return 1; }\n#include \"total.def\"\n",
            ),
        )],
        "",
    ),
    case(
        "c gone in truth",
        &[("s.h", ""), ("s.c", TOTAL_C), ("m.c", TOTAL_C_USE)],
        &[("s.c", Some("#include \"s.h\"\n"))],
        "`get_total` is gone and still used: m.c:5",
    ),
    case(
        "go other file by build tag",
        &[
            ("go.mod", "module shop\n"),
            ("a_unix.go", "package shop\n\nfunc openAll() {}\n\nfunc keep() {}\n"),
            ("a_windows.go", "//go:build windows\n\npackage shop\n\nfunc openAll() {}\n"),
            ("b.go", "package shop\n\nfunc use() {\n\topenAll()\n}\n"),
        ],
        &[("a_unix.go", Some("package shop\n\nfunc keep() {}\n"))],
        "",
    ),
    case(
        "go other package has the name",
        &[
            ("go.mod", "module shop\n"),
            ("a.go", "package shop\n\nfunc openAll() {}\n\nfunc keep() {}\n"),
            ("o/a.go", "package o\n\nfunc openAll() {}\n"),
            ("b.go", "package shop\n\nfunc use() {\n\topenAll()\n}\n"),
        ],
        &[("a.go", Some("package shop\n\nfunc keep() {}\n"))],
        "`openAll` is gone and still used: b.go:4",
    ),
    case(
        "go embedded",
        &[
            ("go.mod", "module shop\n"),
            (
                "a.go",
                "package shop\n\ntype Shop struct {\n\tlib.Base\n}\n\nfunc (s *Shop) OpenAll() {}\n",
            ),
            ("b.go", "package shop\n\nfunc use(shop *Shop) {\n\tshop.OpenAll()\n}\n"),
        ],
        &[("a.go", Some("package shop\n\ntype Shop struct {\n\tlib.Base\n}\n"))],
        "",
    ),
    case(
        "js defineProperty",
        &[("m.js", SHOP_JS), ("u.js", SHOP_JS_USE)],
        &[(
            "m.js",
            Some(
                "class Shop {\n}\nObject.defineProperty(Shop.prototype, 'openAll', { value() {} });\nmodule.exports = { Shop };\n",
            ),
        )],
        "",
    ),
    case(
        "js this.x",
        &[("m.js", SHOP_JS), ("u.js", SHOP_JS_USE)],
        &[(
            "m.js",
            Some(
                "class Shop {\n  constructor(f) {\n    this.openAll = f.bind(this);\n  }\n}\nmodule.exports = { Shop };\n",
            ),
        )],
        "",
    ),
    case(
        "js exports.x of a value",
        &[
            ("m.js", "function openAll() {}\nexports.openAll = openAll;\n"),
            ("u.js", "const { openAll } = require('./m');\nopenAll();\n"),
        ],
        &[("m.js", Some("exports.openAll = make();\n"))],
        "",
    ),
];
