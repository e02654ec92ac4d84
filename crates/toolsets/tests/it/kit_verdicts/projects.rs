//! Small projects of the kind that people have, one a language.

pub(super) type Files = &'static [(&'static str, &'static str)];

pub(super) const RUST: Files = &[
    (
        "src/lib.rs",
        "//! A shop.\n\npub mod basket;\npub mod stock;\n\npub use stock::Stock;\n\npub const MOST_ITEMS: usize = 10;\n",
    ),
    (
        "src/stock.rs",
        "use std::collections::HashMap;\n\n/// What there is.\n#[derive(Default)]\npub struct Stock {\n    items: HashMap<String, u32>,\n}\n\nimpl Stock {\n    pub fn len(&self) -> usize {\n        self.items.len()\n    }\n\n    pub fn put_back(&mut self, name: &str, count: u32) {\n        *self.items.entry(name.to_owned()).or_default() += count;\n    }\n\n    pub fn take(&mut self, name: &str) -> Option<u32> {\n        let left = self.items.get_mut(name)?;\n        *left = left.checked_sub(1)?;\n        Some(*left)\n    }\n\n    fn unused_helper(&self) -> bool {\n        true\n    }\n}\n\npub fn normal_name(name: &str) -> String {\n    name.trim().to_lowercase()\n}\n",
    ),
    (
        "src/basket.rs",
        "use crate::stock::{Stock, normal_name};\nuse crate::MOST_ITEMS;\n\npub struct Basket {\n    names: Vec<String>,\n}\n\nimpl Basket {\n    pub fn fill(&mut self, stock: &mut Stock, name: &str) -> bool {\n        let name = normal_name(name);\n        if self.names.len() >= MOST_ITEMS || stock.take(&name).is_none() {\n            return false;\n        }\n        self.names.push(name);\n        true\n    }\n\n    pub fn empty(&mut self, stock: &mut Stock) {\n        for name in self.names.drain(..) {\n            stock.put_back(&name, 1);\n        }\n    }\n}\n",
    ),
    (
        "tests/shop.rs",
        "use shop::Stock;\n\n#[test]\nfn what_is_put_back_can_be_taken() {\n    let mut stock = Stock::default();\n    stock.put_back(\"pear\", 1);\n    assert_eq!(stock.take(\"pear\"), Some(0));\n    assert_eq!(vec![1].len(), 1);\n}\n",
    ),
];

pub(super) const PYTHON: Files = &[
    ("shop/__init__.py", "from shop.stock import Stock\n"),
    (
        "shop/stock.py",
        "from os.path import join\n\nLIMIT = 10\n\n\nclass Stock:\n    \"\"\"What there is; join() is not meant.\"\"\"\n\n    def __init__(self, items=None):\n        self.items = dict(items or {})\n\n    def take(self, name):\n        if self.items.get(name, 0) <= 0:\n            raise KeyError(name)\n        self.items[name] -= 1\n        return self.items[name]\n\n    def put_back(self, name, count=1):\n        self.items[name] = self.items.get(name, 0) + count\n\n    def get(self, name):\n        return self.items[name]\n\n\ndef load_stock(path):\n    with open(join(path, 'stock.txt')) as lines:\n        return Stock({line.strip(): 1 for line in lines})\n\n\ndef parse(line):\n    return line.split(',')\n\n\ndef old_report(stock):\n    return str(stock)\n",
    ),
    (
        "shop/basket.py",
        "import json\n\nfrom shop.stock import LIMIT, Stock, load_stock\n\n\nclass Basket:\n    def __init__(self, path):\n        self.stock = load_stock(path)\n        self.names = []\n\n    def fill(self, name):\n        if len(self.names) >= LIMIT:\n            return False\n        self.stock.take(name)\n        self.names.append(name)\n        return True\n\n    def empty(self):\n        while self.names:\n            self.stock.put_back(self.names.pop())\n\n    def show(self, settings):\n        return json.dumps({'names': self.names, 'at': settings.get('at')})\n",
    ),
    (
        "tests/test_stock.py",
        "from shop.stock import Stock\n\n\ndef test_take():\n    stock = Stock({'pear': 1})\n    assert stock.take('pear') == 0\n",
    ),
    (
        "tools/report.py",
        "import argparse\n\n\ndef parse(words):\n    parser = argparse.ArgumentParser()\n    return parser.parse_args(words)\n\n\nprint(parse([]))\n",
    ),
];

pub(super) const TYPESCRIPT: Files = &[
    (
        "src/stock.ts",
        "import { readFileSync } from 'fs';\n\nexport interface Item {\n  name: string;\n  count: number;\n}\n\nexport const MAX_ITEMS = 10;\n\nexport class Stock {\n  private items = new Map<string, number>();\n\n  has(name: string): boolean {\n    return (this.items.get(name) ?? 0) > 0;\n  }\n\n  takeOne(name: string): number {\n    const left = (this.items.get(name) ?? 0) - 1;\n    this.items.set(name, left);\n    return left;\n  }\n\n  get(name: string): number {\n    return this.items.get(name) ?? 0;\n  }\n}\n\nexport function loadStock(path: string): Item[] {\n  return JSON.parse(readFileSync(path, 'utf8'));\n}\n\nexport const format = (item: Item) => `${item.name}: ${item.count}`;\n\nfunction once() {\n  return 1;\n}\n",
    ),
    (
        "src/basket.ts",
        "import { Stock, Item, MAX_ITEMS, format } from './stock';\n\nexport class Basket {\n  names: string[] = [];\n\n  constructor(private stock: Stock) {}\n\n  fill(item: Item): boolean {\n    if (this.names.length >= MAX_ITEMS || !this.stock.has(item.name)) {\n      return false;\n    }\n    this.stock.takeOne(item.name);\n    this.names.push(format(item));\n    return true;\n  }\n}\n",
    ),
    (
        "src/main.ts",
        "import { loadStock } from './stock';\n\nconst cache = new Map<string, string>();\nconst items = loadStock('stock.json');\nconsole.log(items.length, cache.get('a'), cache.has('b'));\n",
    ),
    (
        "src/dates.ts",
        "import { format } from 'date-fns';\n\nexport const today = () => format(new Date(), 'yyyy');\n",
    ),
    (
        "test/stock.test.ts",
        "import { Stock } from '../src/stock';\n\ntest('takeOne', () => {\n  expect(new Stock().takeOne('pear')).toBe(-1);\n});\n",
    ),
];

pub(super) const GO: Files = &[
    (
        "stock/stock.go",
        "package stock\n\nimport \"errors\"\n\n// MostItems is the bound of a basket.\nconst MostItems = 10\n\n// Stock is what there is.\ntype Stock struct {\n\titems map[string]int\n}\n\n// New makes one.\nfunc New() *Stock {\n\treturn &Stock{items: map[string]int{}}\n}\n\n// TakeOne takes one of them.\nfunc (s *Stock) TakeOne(name string) (int, error) {\n\tif s.items[name] <= 0 {\n\t\treturn 0, errors.New(\"none left\")\n\t}\n\ts.items[name]--\n\treturn s.items[name], nil\n}\n\n// PutBack is the inverse.\nfunc (s *Stock) PutBack(name string) {\n\ts.items[name]++\n}\n\n// String shows it.\nfunc (s *Stock) String() string {\n\treturn \"stock\"\n}\n\nfunc normalName(name string) string {\n\treturn name\n}\n",
    ),
    (
        "stock/names.go",
        "package stock\n\n// Known tells whether there is such a thing.\nfunc (s *Stock) Known(name string) bool {\n\t_, known := s.items[normalName(name)]\n\treturn known\n}\n",
    ),
    (
        "main.go",
        "package main\n\nimport (\n\t\"fmt\"\n\t\"strings\"\n\n\t\"shop/stock\"\n)\n\nfunc main() {\n\ts := stock.New()\n\ts.PutBack(\"pear\")\n\tleft, err := s.TakeOne(\"pear\")\n\tvar b strings.Builder\n\tfmt.Println(left, err, stock.MostItems, b.String())\n}\n",
    ),
    (
        "stock/stock_test.go",
        "package stock\n\nimport \"testing\"\n\nfunc TestTakeOne(t *testing.T) {\n\tif _, err := New().TakeOne(\"pear\"); err == nil {\n\t\tt.Fatal(\"took one\")\n\t}\n}\n",
    ),
];

pub(super) const JAVA: Files = &[
    (
        "src/shop/Stock.java",
        "package shop;\n\nimport java.util.HashMap;\nimport java.util.Map;\n\npublic class Stock {\n    public static final int MOST_ITEMS = 10;\n    private final Map<String, Integer> items = new HashMap<>();\n\n    public int takeOne(String name) {\n        int left = items.getOrDefault(name, 0) - 1;\n        items.put(name, left);\n        return left;\n    }\n\n    public void putBack(String name) {\n        items.merge(name, 1, Integer::sum);\n    }\n\n    public int size() {\n        return items.size();\n    }\n\n    private String plainName(String name) {\n        return name.trim();\n    }\n}\n",
    ),
    (
        "src/shop/Basket.java",
        "package shop;\n\nimport java.util.ArrayList;\nimport java.util.List;\n\npublic class Basket {\n    private final List<String> names = new ArrayList<>();\n    private final Stock stock;\n\n    public Basket(Stock stock) {\n        this.stock = stock;\n    }\n\n    public boolean fill(String name) {\n        if (names.size() >= Stock.MOST_ITEMS) {\n            return false;\n        }\n        stock.takeOne(name);\n        return names.add(name);\n    }\n\n    public void empty() {\n        names.forEach(stock::putBack);\n        names.clear();\n    }\n}\n",
    ),
    (
        "src/shop/Checker.java",
        "package shop;\n\npublic interface Checker {\n    boolean check(Stock stock);\n}\n",
    ),
    (
        "src/shop/Full.java",
        "package shop;\n\npublic class Full implements Checker {\n    public boolean check(Stock stock) {\n        return true;\n    }\n}\n",
    ),
    (
        "test/shop/StockTest.java",
        "package shop;\n\nclass StockTest {\n    void takes() {\n        assert new Stock().takeOne(\"pear\") == -1;\n    }\n}\n",
    ),
];

pub(super) const C: Files = &[
    (
        "stock.h",
        "#ifndef STOCK_H\n#define STOCK_H\n\n#define MOST_ITEMS 10\n\nstruct stock {\n    int count;\n};\n\nint stock_take(struct stock *s, int n);\nvoid stock_put_back(struct stock *s, int n);\n\n#endif\n",
    ),
    (
        "stock.c",
        "#include \"stock.h\"\n\nstatic int clamp(int n)\n{\n    return n < 0 ? 0 : n;\n}\n\nint stock_take(struct stock *s, int n)\n{\n    s->count = clamp(s->count - n);\n    return s->count;\n}\n\nvoid stock_put_back(struct stock *s, int n)\n{\n    s->count += n;\n}\n",
    ),
    (
        "main.c",
        "#include <stdio.h>\n#include \"stock.h\"\n\nint main(void)\n{\n    struct stock s = { MOST_ITEMS };\n    stock_put_back(&s, 1);\n    printf(\"%d\\n\", stock_take(&s, 2));\n    return 0;\n}\n",
    ),
    (
        "colors.c",
        "static int mix(int clamp)\n{\n    return clamp + 1;\n}\n\nint colors(void)\n{\n    return mix(2);\n}\n",
    ),
    (
        "tests/test_stock.c",
        "#include <assert.h>\n#include \"../stock.h\"\n\nint main(void)\n{\n    struct stock s = { 3 };\n    assert(stock_take(&s, 2) == 1);\n    return 0;\n}\n",
    ),
];

pub(super) const RUBY: Files = &[
    (
        "lib/stock.rb",
        "class Stock\n  MOST_ITEMS = 10\n\n  attr_reader :items\n\n  def initialize(items = {})\n    @items = items\n  end\n\n  def take_one(name)\n    raise KeyError, name if @items.fetch(name, 0) <= 0\n\n    @items[name] -= 1\n  end\n\n  def put_back(name)\n    @items[name] = @items.fetch(name, 0) + 1\n  end\n\n  def size\n    @items.size\n  end\n\n  private\n\n  def plain_name(name)\n    name.strip\n  end\nend\n\nmodule Loading\n  def self.load_stock(path)\n    Stock.new(File.readlines(path).to_h { |line| [line.strip, 1] })\n  end\nend\n",
    ),
    (
        "lib/basket.rb",
        "require_relative 'stock'\n\nclass Basket\n  def initialize(path)\n    @stock = Loading.load_stock(path)\n    @names = []\n  end\n\n  def fill(name)\n    return false if @names.size >= Stock::MOST_ITEMS\n\n    @stock.take_one(name)\n    @names << name\n    true\n  end\n\n  def empty\n    @names.each { |name| @stock.put_back(name) }\n    @names.clear\n  end\nend\n",
    ),
    (
        "spec/stock_spec.rb",
        "require_relative '../lib/stock'\n\ndescribe Stock do\n  it 'takes one' do\n    expect(Stock.new('pear' => 1).take_one('pear')).to eq(0)\n  end\nend\n",
    ),
];
