//! Code that a grammar misreads, and macros that hide what is invalid.

use super::{Case, case};

pub(super) const CASES: &[Case] = &[
    case(
        "c prose in #if 0",
        &[],
        &[(
            "a.c",
            Some("int a;\n#if 0\nThis isn't code (it's prose: that's \"all.\n#endif\nint b;\n"),
        )],
        "",
    ),
    case(
        "c prose in #if 0, nested, else",
        &[],
        &[(
            "a.c",
            Some(
                "int a;\n#if 0\nIt's { not\n#ifdef X\n don't (\n#endif\n more'\n#else\nint c;\n#endif\nint b;\n",
            ),
        )],
        "",
    ),
    case(
        "c if in two branches",
        &[],
        &[(
            "a.c",
            Some(
                "int f(int a)\n{\n#ifdef X\n    if (a > 1) {\n#else\n    if (a > 2) {\n#endif\n        return 1;\n    }\n    return 0;\n}\n",
            ),
        )],
        "",
    ),
    case(
        "c head in two branches",
        &[],
        &[(
            "a.c",
            Some("#ifdef X\nint f(int a) {\n#else\nint f(long a) {\n#endif\n    return 0;\n}\n"),
        )],
        "",
    ),
    case(
        "c else if in a branch",
        &[],
        &[(
            "a.c",
            Some(
                "int f(int a)\n{\n    if (a) {\n        return 1;\n#ifdef X\n    } else if (a > 2) {\n        return 2;\n#endif\n    }\n    return 0;\n}\n",
            ),
        )],
        "",
    ),
    case(
        "c error between branches",
        &[],
        &[(
            "a.c",
            Some(
                "int f(int a)\n{\n#ifdef X\n    if (a > 1) {\n#else\n    if (a > 2) {\n#endif\n        return 1 +;\n    }\n    return 0;\n}\n",
            ),
        )],
        "syntax error: a.c:8: return 1 +; (`identifier` is missing)",
    ),
    case(
        "c bit fields",
        &[],
        &[(
            "a.c",
            Some("struct a {\n    unsigned b : 3, c : 2;\n    unsigned : 0;\n    int d : 1;\n};\n"),
        )],
        "",
    ),
    case(
        "c label before a declaration",
        &[],
        &[(
            "a.c",
            Some("int f(void)\n{\nagain:\n    int x = 1;\n    if (x) goto again;\nend:\n}\n"),
        )],
        "",
    ),
    case(
        "c case before a declaration",
        &[],
        &[(
            "a.c",
            Some(
                "int f(int a)\n{\n    switch (a) {\n    case 1:\n        int x = 1;\n        return x;\n    default:\n    }\n    return 0;\n}\n",
            ),
        )],
        "",
    ),
    case(
        "c old style",
        &[],
        &[(
            "a.c",
            Some(
                "int f(a, b)\n    int a;\n    char *b;\n{\n    return a;\n}\n\nmain(argc, argv)\nint argc;\nchar **argv;\n{\n    return 0;\n}\n",
            ),
        )],
        "",
    ),
    case(
        "rb lambda with a local",
        &[],
        &[(
            "a.rb",
            Some("f = ->(x; y) { y = x }\ng = -> (x, z; y) do y end\nh = lambda { |x; y| y }\n"),
        )],
        "",
    ),
    case(
        "ts using",
        &[],
        &[(
            "a.ts",
            Some(
                "for (using x of y) {}\nfor (await using z of w) {}\nfor await (using z of w) {}\nfor await (await using z of w) {}\n{ using a = b(); await using c = d(); }\n",
            ),
        )],
        "",
    ),
    case(
        "js using",
        &[],
        &[(
            "a.js",
            Some(
                "for (using x of y) {}\nfor (await using z of w) {}\n{ using a = b(); await using c = d(); }\n",
            ),
        )],
        "",
    ),
    case(
        "c loud word elsewhere",
        &[],
        &[(
            "a.c",
            Some(
                "#include <stdio.h>\n#define MOST 3\n\nint f(void)\n{\n    return MOST;\n}\n\nint g(void)\n{\n    int b c;\n    return 0;\n}\n",
            ),
        )],
        "syntax error: a.c:11: int b c;",
    ),
    case(
        "c NULL",
        &[],
        &[(
            "a.c",
            Some(
                "int g(char *a)\n{\n    if (a == NULL {\n        return 0;\n    }\n    return 1\n}\n",
            ),
        )],
        "syntax error: a.c:3: if (a == NULL { (`)` is missing); syntax error: a.c:6: return 1 (`;` is missing)",
    ),
    case(
        "c semicolon lost after a constant",
        &[],
        &[("a.c", Some("#define MOST 3\nint g(void)\n{\n    int a = MOST\n    return a;\n}\n"))],
        "syntax error: a.c:4: int a = MOST (`;` is missing)",
    ),
    case(
        "cpp loud word elsewhere",
        &[],
        &[(
            "a.cpp",
            Some(
                "#include <vector>\nconstexpr int MOST = 3;\n\nint g()\n{\n    int b c;\n    return MOST;\n}\n",
            ),
        )],
        "syntax error: a.cpp:6: int b c;",
    ),
    case(
        "cpp macros of classes",
        &[],
        &[(
            "a.cpp",
            Some(
                "class MY_API Shop final : public Base {\n    Q_OBJECT\n    Q_PROPERTY(int a READ a WRITE b)\npublic slots:\n    void f() OVERRIDE;\nsignals:\n    void g();\n};\nTEST_F(Shop, Opens) {\n    EXPECT_EQ(1, 1) << 2;\n}\nBEGIN_NAMESPACE\nint a;\nEND_NAMESPACE\n",
            ),
        )],
        "",
    ),
    case(
        "c macros of the kernel",
        &[],
        &[(
            "a.c",
            Some(
                "static int __init f(void)\n{\n    list_for_each_entry(a, b, c)\n        g(a);\n    return 0;\n}\nmodule_init(f);\nMODULE_LICENSE(\"GPL\");\nEXPORT_SYMBOL(f)\nstatic DEFINE_MUTEX(lock);\nstruct a { int b; } __packed;\n",
            ),
        )],
        "",
    ),
];
