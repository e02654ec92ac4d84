//! Rust, Go, Java, C and Ruby.

use super::{Case, case};

const STOCK_RUST: &str = "pub struct Stock { pub count: u8 }\n\nimpl Stock {\n    pub fn open_it() -> Self { Stock { count: 1 } }\n    pub fn close_it(&self) {}\n}\n\npub enum Color { RedOne, BlueOne }\n\npub const MOST: u8 = 1;\n\npub fn total() -> u8 { 1 }\n\nmacro_rules! shout { () => {}; }\n";
const STOCK_JAVA: &str = "package shop;\n\npublic class Stock {\n    public enum Kind { ONE }\n    public static final int MOST_ITEMS = 1;\n    public void takeOne() {}\n}\n";
const TOTAL_RUST: &str = "pub fn total(x: u8) -> u8 { x }\npub fn keep() {}\n";

pub(super) const CASES: &[Case] = &[
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
            ("src/stock.rs", TOTAL_RUST),
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
            ("src/stock.rs", TOTAL_RUST),
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
            ("src/stock.rs", TOTAL_RUST),
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
            ("src/stock.rs", TOTAL_RUST),
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
            ("src/stock.rs", TOTAL_RUST),
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
        "rs assoc fn of other",
        &[
            ("Cargo.toml", "[package]\nname = \"a\"\n"),
            ("src/lib.rs", "pub mod stock;\npub mod u;\n"),
            ("src/stock.rs", STOCK_RUST),
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
            ("src/stock.rs", STOCK_RUST),
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
            ("src/stock.rs", STOCK_RUST),
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
            ("src/stock.rs", STOCK_RUST),
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
            ("src/stock.rs", STOCK_RUST),
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
            ("src/stock.rs", STOCK_RUST),
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
            ("shop/Stock.java", STOCK_JAVA),
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
            ("shop/Stock.java", STOCK_JAVA),
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
            ("shop/Stock.java", STOCK_JAVA),
            ("app/U.java", "package app;\n\nimport other.Stock;\n\nclass U { Stock a; }\n"),
            ("app/V.java", "package app;\n\nimport shop.Stock;\n\nclass V { Stock a; }\n"),
        ],
        &[("shop/Stock.java", None)],
        "`shop/Stock.java` is gone and still used: app/V.java:3; `Stock` is gone and still used: app/V.java:3, app/V.java:5",
    ),
    case(
        "java lambda parameter",
        &[
            ("shop/Stock.java", STOCK_JAVA),
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
            ("shop/Stock.java", STOCK_JAVA),
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
