//! Python.

use super::{Case, case};

const UTIL: &str = "def compute(x):\n    return x\n\n\ndef keep():\n    pass\n";
const MODEL: &str = "def compute(x):\n    return x\n\n\nLIMIT = 3\n\n\nclass Shape:\n    def draw_all(self):\n        pass\n\n\ndef keep():\n    pass\n";
const MODEL_WITHOUT_COMPUTE: &str = "LIMIT = 3\n\n\nclass Shape:\n    def draw_all(self):\n        pass\n\n\ndef keep():\n    pass\n";

pub(super) const CASES: &[Case] = &[
    case(
        "py parameter",
        &[
            ("util.py", UTIL),
            ("use.py", "from util import keep\n\ndef f(compute):\n    return compute(keep())\n"),
        ],
        &[("util.py", Some("def keep():\n    pass\n"))],
        "",
    ),
    case(
        "py lambda",
        &[
            ("util.py", UTIL),
            ("use.py", "import util\nf = lambda compute: compute + 1\nutil.keep()\n"),
        ],
        &[("util.py", Some("def keep():\n    pass\n"))],
        "",
    ),
    case(
        "py loop variable in function",
        &[
            ("util.py", UTIL),
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
            ("util.py", UTIL),
            ("use.py", "from util import keep\nxs = [compute() for compute in keep()]\n"),
        ],
        &[("util.py", Some("def keep():\n    pass\n"))],
        "",
    ),
    case(
        "py with as",
        &[
            ("util.py", UTIL),
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
            ("util.py", UTIL),
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
            ("util.py", UTIL),
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
        &[("util.py", UTIL), ("use.py", "from util import keep\nkeep(compute=1)\n")],
        &[("util.py", Some("def keep():\n    pass\n"))],
        "",
    ),
    case(
        "py walrus",
        &[
            ("util.py", UTIL),
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
            ("util.py", UTIL),
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
            ("util.py", UTIL),
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
        &[("util.py", UTIL), ("use.py", "from util import *\ncompute(1)\n")],
        &[("util.py", Some("def keep():\n    pass\n"))],
        "`compute` is gone and still used: use.py:2",
    ),
    case(
        "py package import of other util",
        &[
            ("util.py", UTIL),
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
            ("a/util.py", UTIL),
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
            ("a/util.py", UTIL),
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
            ("util.py", UTIL),
            ("venv/lib/python3.12/site-packages/q.py", "from util import compute\n"),
            ("node_modules/x.py", "from util import compute\n"),
        ],
        &[("util.py", Some("def keep():\n    pass\n"))],
        "",
    ),
    case(
        "py const attr",
        &[
            ("util.py", MODEL),
            ("use.py", "import util\nprint(util.LIMIT)\nclass A:\n    LIMIT = 4\nprint(A.LIMIT)\n"),
        ],
        &[(
            "util.py",
            Some(
                "def compute(x):\n    return x\n\n\nclass Shape:\n    def draw_all(self):\n        pass\n\n\ndef keep():\n    pass\n",
            ),
        )],
        "`LIMIT` is gone and still used: use.py:2",
    ),
    case(
        "py const in other class attr",
        &[
            ("util.py", MODEL),
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
            ("util.py", MODEL),
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
            ("util.py", MODEL),
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
            ("util.py", MODEL),
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
            ("util.py", MODEL),
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
            ("util.py", MODEL),
            (
                "use.py",
                "from util import keep\ndef f():\n    def compute(): pass\n    compute()\n    keep()\n",
            ),
        ],
        &[("util.py", Some(MODEL_WITHOUT_COMPUTE))],
        "",
    ),
    case(
        "py class attribute same",
        &[
            ("util.py", MODEL),
            (
                "use.py",
                "from util import keep\nclass C:\n    compute = keep\n    def f(self): return self.compute()\n",
            ),
        ],
        &[("util.py", Some(MODEL_WITHOUT_COMPUTE))],
        "",
    ),
    case(
        "py decorator",
        &[("util.py", MODEL), ("use.py", "from util import compute\n@compute\ndef f(): pass\n")],
        &[("util.py", Some(MODEL_WITHOUT_COMPUTE))],
        "`compute` is gone and still used: use.py:1, use.py:2",
    ),
    case(
        "py patch string",
        &[
            ("util.py", MODEL),
            (
                "use.py",
                "from unittest import mock\nimport util\nwith mock.patch('util.compute'): util.keep()\n",
            ),
        ],
        &[("util.py", Some(MODEL_WITHOUT_COMPUTE))],
        "",
    ),
    case(
        "py local import in function",
        &[
            ("util.py", MODEL),
            ("use.py", "def f():\n    from util import compute\n    return compute(1)\n"),
        ],
        &[("util.py", Some(MODEL_WITHOUT_COMPUTE))],
        "`compute` is gone and still used: use.py:2, use.py:3",
    ),
    case(
        "py tests dir",
        &[
            ("src/pkg/__init__.py", ""),
            ("src/pkg/util.py", MODEL),
            (
                "tests/test_u.py",
                "from pkg.util import compute\nfrom pkg import util\nassert util.compute(1)\n",
            ),
        ],
        &[("src/pkg/util.py", Some(MODEL_WITHOUT_COMPUTE))],
        "`compute` is gone and still used: tests/test_u.py:1, tests/test_u.py:3",
    ),
    case(
        "py moved but re-imported",
        &[
            ("pkg/__init__.py", ""),
            ("pkg/util.py", MODEL),
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
];
