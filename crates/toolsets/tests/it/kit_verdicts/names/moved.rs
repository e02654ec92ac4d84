//! Files that were moved, and headers that are not brought in any more.

use super::{Case, case};

pub(super) const CASES: &[Case] = &[
    case(
        "ts moved file own imports",
        &[
            ("src/a.ts", "import { b } from './b';\n\nexport const a = b;\n"),
            ("src/b.ts", "export const b = 1;\n"),
        ],
        &[("src/a.ts", Some("->src/inner/a.ts"))],
        "src/inner/a.ts:1 imports `./b`, which is not there; it was src/b.ts",
    ),
    case(
        "ts moved file, imports elsewhere",
        &[("src/a.ts", "export const a = 1;\n"), ("src/b.ts", "import { a } from './a';\na;\n")],
        &[("src/a.ts", Some("->src/inner/a.ts"))],
        "`src/a.ts` is gone and still used: src/b.ts:1",
    ),
    case(
        "py moved file own imports",
        &[
            ("pkg/__init__.py", ""),
            ("pkg/a.py", "from .b import b\nfrom . import c\n\nb()\nc\n"),
            ("pkg/b.py", "def b():\n    pass\n"),
            ("pkg/c.py", "x = 1\n"),
            ("pkg/in/__init__.py", ""),
        ],
        &[("pkg/a.py", Some("->pkg/in/a.py"))],
        "pkg/in/a.py:1 imports `.b`, which is not there; it was pkg/b.py; pkg/in/a.py:2 imports `.c`, which is not there; it was pkg/c.py",
    ),
    case(
        "c moved file own include",
        &[
            ("src/a.c", "#include \"x.h\"\n\nint f(void)\n{\n    return x;\n}\n"),
            ("src/x.h", "extern int x;\n"),
        ],
        &[("src/a.c", Some("->src/in/a.c"))],
        "src/in/a.c:1 imports `x.h`, which is not there; it was src/x.h",
    ),
    case(
        "rs moved file super",
        &[
            ("src/lib.rs", "mod a;\nmod b;\n"),
            ("src/a.rs", "use super::b::bee;\n\nfn f() {\n    bee();\n}\n"),
            ("src/b.rs", "pub fn bee() {}\n"),
        ],
        &[("src/a.rs", Some("->src/in/a.rs"))],
        "`src/a.rs` is gone and still used: src/lib.rs:1; src/in/a.rs:1 imports `super::b`, which is not there; it was src/b.rs",
    ),
    case(
        "ruby moved",
        &[("lib/a.rb", "require_relative 'b'\n"), ("lib/b.rb", "B = 1\n")],
        &[("lib/a.rb", Some("->lib/in/a.rb"))],
        "lib/in/a.rb:1 imports `./b`, which is not there; it was lib/b.rb",
    ),
    case(
        "js require moved",
        &[("src/a.js", "const b = require('./b');\n"), ("src/b.js", "module.exports = 1;\n")],
        &[("src/a.js", Some("->src/in/a.js"))],
        "src/in/a.js:1 imports `./b`, which is not there; it was src/b.js",
    ),
    case(
        "js moved with its directory",
        &[("src/a.js", "const b = require('./b');\n"), ("src/b.js", "module.exports = 1;\n")],
        &[("src", Some("->lib"))],
        "",
    ),
    case(
        "js moved with its directory, out",
        &[("src/a.js", "const b = require('../b');\n"), ("b.js", "module.exports = 1;\n")],
        &[("src", Some("->lib/in"))],
        "lib/in/a.js:1 imports `../b`, which is not there; it was b.js",
    ),
    case(
        "js moved, image",
        &[("src/a.js", "import './b.css';\nimport x from './gen';\n"), ("src/b.css", ".a { }\n")],
        &[("src/a.js", Some("->src/in/a.js"))],
        "src/in/a.js:1 imports `./b.css`, which is not there; it was src/b.css",
    ),
    case(
        "c include lost",
        &[
            ("x.h", "int take_one(int n);\nstruct box { int a; };\n"),
            (
                "a.c",
                "#include \"x.h\"\n\nint f(void)\n{\n    struct box b;\n    return take_one(1);\n}\n",
            ),
        ],
        &[("a.c", Some("int f(void)\n{\n    struct box b;\n    return take_one(1);\n}\n"))],
        "`x.h` is no longer imported and still used: a.c:3, a.c:4",
    ),
    case(
        "c include lost, another includes it",
        &[
            ("x.h", "int take_one(int n);\n"),
            ("y.h", "#include \"x.h\"\n"),
            (
                "a.c",
                "#include \"x.h\"\n#include \"y.h\"\n\nint f(void)\n{\n    return take_one(1);\n}\n",
            ),
        ],
        &[("a.c", Some("#include \"y.h\"\n\nint f(void)\n{\n    return take_one(1);\n}\n"))],
        "",
    ),
    case(
        "c include lost, unused",
        &[
            ("x.h", "int take_one(int n);\n"),
            ("a.c", "#include \"x.h\"\n\nint f(void)\n{\n    return 1;\n}\n"),
        ],
        &[("a.c", Some("int f(void)\n{\n    return 1;\n}\n"))],
        "",
    ),
    case(
        "c include lost, macro",
        &[
            ("x.h", "#define MOST_ITEMS 10\n"),
            ("a.c", "#include \"x.h\"\n\nint f(void)\n{\n    return MOST_ITEMS;\n}\n"),
        ],
        &[("a.c", Some("int f(void)\n{\n    return MOST_ITEMS;\n}\n"))],
        "`x.h` is no longer imported and still used: a.c:3",
    ),
];
