//! Names that other types have too, short ones, what has another name for those who bring it in, and what is
//! in another file than its name says.

use super::{Case, case};

pub(super) const CASES: &[Case] = &[
    case(
        "py: a method that another class has too",
        &[
            (
                "cart.py",
                "class Line:\n    def amount(self):\n        return 1\n\n\nclass Cart:\n    def amount(self):\n        return 2\n\n    def show(self):\n        return self.amount()\n",
            ),
            (
                "m.py",
                "from cart import Cart, Line\n\nCart().amount()\nLine().amount()\nx.amount()\n",
            ),
        ],
        &[(
            "cart.py",
            Some(
                "class Line:\n    def amount(self):\n        return 1\n\n\nclass Cart:\n    def total(self):\n        return 2\n\n    def show(self):\n        return self.amount()\n",
            ),
        )],
        "`Cart.amount` is gone and still used: cart.py:11, m.py:3; not checked: `.amount` of values whose type is not said: m.py:5",
    ),
    case(
        "py: a method that goes to the base",
        &[(
            "cart.py",
            "class Base:\n    def tax(self):\n        return 1\n\n\nclass Cart(Base):\n    def amount(self):\n        return 2\n\n    def show(self):\n        return self.amount()\n",
        )],
        &[(
            "cart.py",
            Some(
                "class Base:\n    def amount(self):\n        return 1\n\n\nclass Cart(Base):\n    def show(self):\n        return self.amount()\n",
            ),
        )],
        "",
    ),
    case(
        "py: a method that goes to another class",
        &[(
            "cart.py",
            "class Cart:\n    def amount(self):\n        return 1\n\n\nclass Line:\n    def show(self):\n        return self.amount()\n",
        )],
        &[(
            "cart.py",
            Some(
                "class Cart:\n    pass\n\n\nclass Line:\n    def amount(self):\n        return 1\n\n    def show(self):\n        return self.amount()\n",
            ),
        )],
        "",
    ),
    case(
        "py: a class and its method have another name",
        &[(
            "cart.py",
            "class Line:\n    def amount(self):\n        return 1\n\n\nclass Cart:\n    def amount(self):\n        return 2\n\n    def show(self):\n        return self.amount()\n",
        )],
        &[(
            "cart.py",
            Some(
                "class Line:\n    def amount(self):\n        return 1\n\n\nclass Basket:\n    def total(self):\n        return 2\n\n    def show(self):\n        return self.total()\n",
            ),
        )],
        "",
    ),
    case(
        "ts: a method that another class has too",
        &[(
            "cart.ts",
            "class Line {\n  amount() { return 1; }\n}\n\nexport class Cart {\n  amount() { return 2; }\n  show() { return this.amount(); }\n}\n",
        )],
        &[(
            "cart.ts",
            Some(
                "class Line {\n  amount() { return 1; }\n}\n\nexport class Cart {\n  total() { return 2; }\n  show() { return this.amount(); }\n}\n",
            ),
        )],
        "`Cart.amount` is gone and still used: cart.ts:7",
    ),
    case(
        "rs: a method that another type has too",
        &[(
            "src/cart.rs",
            "pub struct Line;\nimpl Line {\n    pub fn amount(&self) -> u8 { 1 }\n}\npub struct Cart;\nimpl Cart {\n    pub fn amount(&self) -> u8 { 2 }\n    pub fn show(&self) -> u8 { self.amount() }\n}\n",
        )],
        &[(
            "src/cart.rs",
            Some(
                "pub struct Line;\nimpl Line {\n    pub fn amount(&self) -> u8 { 1 }\n}\npub struct Cart;\nimpl Cart {\n    pub fn total(&self) -> u8 { 2 }\n    pub fn show(&self) -> u8 { self.amount() }\n}\n",
            ),
        )],
        "`Cart.amount` is gone and still used: src/cart.rs:8",
    ),
    case(
        "rs: a method that goes to a trait",
        &[(
            "src/cart.rs",
            "pub struct Cart;\nimpl Cart {\n    pub fn amount(&self) -> u8 { 2 }\n    pub fn show(&self) -> u8 { self.amount() }\n}\n",
        )],
        &[(
            "src/cart.rs",
            Some(
                "pub trait Amount {\n    fn amount(&self) -> u8 { 2 }\n}\npub struct Cart;\nimpl Amount for Cart {}\nimpl Cart {\n    pub fn show(&self) -> u8 { self.amount() }\n}\n",
            ),
        )],
        "",
    ),
    case(
        "py: `__all__` alone brings nothing in",
        &[
            (
                "shop/__init__.py",
                "from .cart import Cart\nfrom .price import discount\n\n__all__ = [\"Cart\", \"discount\"]\n",
            ),
            ("shop/cart.py", "class Cart:\n    pass\n"),
            ("shop/price.py", "def discount():\n    pass\n"),
            ("m.py", "from shop import discount\n\ndiscount()\n"),
        ],
        &[(
            "shop/__init__.py",
            Some("from .cart import Cart\n\n__all__ = [\"Cart\", \"discount\"]\n"),
        )],
        "`discount` is no longer exported and still used: m.py:1, m.py:3",
    ),
    case(
        "py: a name of `__all__` from another module",
        &[
            (
                "shop/__init__.py",
                "from .cart import Cart\nfrom .price import discount\n\n__all__ = [\"Cart\", \"discount\"]\n",
            ),
            ("shop/cart.py", "class Cart:\n    pass\n"),
            ("shop/price.py", "def discount():\n    pass\n"),
            ("m.py", "from shop import discount\n\ndiscount()\n"),
        ],
        &[
            (
                "shop/__init__.py",
                Some(
                    "from .cart import Cart\nfrom .rebate import discount\n\n__all__ = [\"Cart\", \"discount\"]\n",
                ),
            ),
            ("shop/price.py", Some("->shop/rebate.py")),
        ],
        "",
    ),
    case(
        "ts: a default that goes",
        &[
            ("go.ts", "export default function go() { return 1; }\n"),
            ("m.ts", "import go from './go';\ngo();\n"),
            ("n.ts", "import go from 'go';\ngo();\n"),
            ("i.ts", "export { default as run } from './go';\n"),
        ],
        &[("go.ts", Some("export function go() { return 1; }\n"))],
        "`default of go.ts` is no longer exported and still used: i.ts:1, m.ts:1",
    ),
    case(
        "ts: a default in other words",
        &[
            ("go.ts", "export default function go() { return 1; }\n"),
            ("m.ts", "import go from './go';\ngo();\n"),
        ],
        &[("go.ts", Some("function go() { return 1; }\nexport { go as default };\n"))],
        "",
    ),
    case(
        "js: a default of CommonJS",
        &[
            ("go.js", "export default function go() { return 1; }\n"),
            ("m.js", "import go from './go.js';\ngo();\n"),
        ],
        &[("go.js", Some("function go() { return 1; }\nmodule.exports = go;\n"))],
        "",
    ),
    case(
        "ts: a short name of a class",
        &[
            ("p.ts", "export class Point {\n  static of(x: number) { return new Point(); }\n}\n"),
            (
                "m.ts",
                "import { of } from 'rxjs';\nimport { Point } from './p';\nPoint.of(1);\nof(2);\nlist.of(3);\n",
            ),
        ],
        &[(
            "p.ts",
            Some("export class Point {\n  static at(x: number) { return new Point(); }\n}\n"),
        )],
        "`Point.of` is gone (now `at`?) and still used: m.ts:3; not checked: `.of` of values whose type is not said: m.ts:5",
    ),
    case(
        "py: a short function",
        &[
            ("p.py", "def ok(x):\n    return x\n"),
            ("m.py", "from p import ok\n\nok(1)\n"),
            ("n.py", "from q import ok\n\nok(1)\n"),
        ],
        &[("p.py", Some("def no(x):\n    return x\n"))],
        "`ok` is gone (now `no`?) and still used: m.py:1, m.py:3",
    ),
    case(
        "js: a name of a module that another exports as a whole",
        &[
            ("math.js", "export function add(a) { return a; }\n"),
            ("index.js", "export * as math from './math.js';\n"),
            ("m.js", "import { math } from './index.js';\nmath.add(1);\n"),
            ("n.js", "import { math } from 'lib';\nmath.add(1);\n"),
        ],
        &[("math.js", Some("export function plus(a) { return a; }\n"))],
        "`add` is gone (now `plus`?) and still used: m.js:2",
    ),
    case(
        "rs: a macro of another name",
        &[
            ("Cargo.toml", "[package]\nname = \"x\"\n"),
            ("src/lib.rs", "mod sums;\nmod other;\n"),
            (
                "src/sums.rs",
                "#[macro_export]\nmacro_rules! square {\n    ($x:expr) => { $x * $x };\n}\n",
            ),
            ("src/other.rs", "pub fn f() -> u8 {\n    square!(2)\n}\n"),
        ],
        &[(
            "src/sums.rs",
            Some("#[macro_export]\nmacro_rules! second {\n    ($x:expr) => { $x * $x };\n}\n"),
        )],
        "`square` is gone (now `second`?) and still used: src/other.rs:2",
    ),
    case(
        "ts: a namespace that is an object now",
        &[
            (
                "a.ts",
                "export namespace colors {\n  export const red = 1;\n  export const mix = (a: number) => a;\n}\n",
            ),
            ("b.ts", "import { colors } from './a';\nconsole.log(colors.red, colors.mix(1));\n"),
        ],
        &[("a.ts", Some("export const colors = {\n  red: 1,\n  mix: (a: number) => a,\n};\n"))],
        "",
    ),
    case(
        "ts: an object without a name of the namespace",
        &[
            (
                "a.ts",
                "export namespace colors {\n  export const red = 1;\n  export const mix = (a: number) => a;\n}\n",
            ),
            ("b.ts", "import { colors } from './a';\nconsole.log(colors.red, colors.mix(1));\n"),
        ],
        &[("a.ts", Some("export const colors = {\n  red: 1,\n};\n"))],
        "`colors.mix` is gone and still used: b.ts:2",
    ),
    case(
        "rs: a module in another file",
        &[
            ("Cargo.toml", "[package]\nname = \"x\"\n"),
            ("src/lib.rs", "mod queue;\npub use queue::Queue;\n"),
            ("src/queue.rs", "pub struct Queue;\n"),
        ],
        &[
            ("src/lib.rs", Some("#[path = \"q.rs\"]\nmod queue;\npub use queue::Queue;\n")),
            ("src/queue.rs", Some("->src/q.rs")),
        ],
        "",
    ),
    case(
        "py: a method that another class has too, of values of no type",
        &[
            (
                "cart.py",
                "class Line:\n    def amount(self):\n        return 1\n\n\nclass Cart:\n    def amount(self):\n        return 2\n",
            ),
            ("m.py", "from cart import Cart\n\n\ndef pay(x):\n    return x.amount()\n"),
        ],
        &[(
            "cart.py",
            Some(
                "class Line:\n    def amount(self):\n        return 1\n\n\nclass Cart:\n    def total(self):\n        return 2\n",
            ),
        )],
        "not checked: `.amount` of values whose type is not said: m.py:5",
    ),
    case(
        "rs: a file that `#[path]` names",
        &[
            ("Cargo.toml", "[package]\nname = \"x\"\n"),
            ("src/lib.rs", "#[path = \"q.rs\"]\nmod queue;\npub use queue::Queue;\n"),
            ("src/q.rs", "pub struct Queue;\n"),
        ],
        &[("src/q.rs", Some("->src/w.rs"))],
        "`src/q.rs` is gone and still used: src/lib.rs:1",
    ),
];
