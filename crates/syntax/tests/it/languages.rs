//! Which language a file is in.

use syntax::Language;

#[test]
fn names_first_lines_and_contents_tell_the_language() {
    let cases: &[(&str, &str, Option<&str>)] = &[
        ("src/main.rs", "", Some("Rust")),
        ("C:\\code\\App.TSX", "", Some("TSX")),
        ("types.d.ts", "", Some("TypeScript")),
        ("a.mts", "", Some("TypeScript")),
        ("lib/x.mjs", "", Some("JavaScript")),
        ("Rakefile", "", Some("Ruby")),
        (".bashrc", "", Some("Bash")),
        ("run", "#!/bin/sh\n", Some("Bash")),
        ("run", "#!/usr/bin/env -S LANG=C python3.12 -u\r\n", Some("Python")),
        ("run", "\u{feff}#! /usr/bin/node", Some("JavaScript")),
        ("run.old", "#!/usr/bin/ruby2.7\n", Some("Ruby")),
        ("run", "#!/usr/bin/perl\n", None),
        ("run", "", None),
        ("list.h", "int a;\n", Some("C")),
        ("list.h", "/* list */\n  namespace list {\n", Some("C++")),
        ("list.h", "// Lists -*- C++ -*-\n", Some("C++")),
        ("list.C", "", Some("C++")),
        ("page.inc", "<?php\n", Some("PHP")),
        ("page.inc", "mov ax, bx\n", None),
        ("notes.md", "# Notes\n", None),
        ("", "", None),
    ];
    for (path, head, expected) in cases {
        let found = Language::of(path, head.as_bytes()).map(Language::name);
        assert_eq!(found, *expected, "{path} {head:?}");
    }
}
