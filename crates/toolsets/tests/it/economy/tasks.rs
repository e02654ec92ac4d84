//! The tasks, and the calls that do them.

use super::Task;

/// A picture of one pixel.
pub(super) const PICTURE: &[u8] = &[
    0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, b'I', b'H', b'D', b'R', 0, 0, 0,
    1, 0, 0, 0, 1, 8, 6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 0x0d, b'I', b'D', b'A', b'T',
    0x78, 0x9c, 0x63, 0x60, 0x60, 0x60, 0x60, 0, 0, 0, 5, 0, 1, 0xa5, 0xf6, 0x45, 0x40, 0, 0, 0, 0,
    b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82,
];

/// The last letter of a Greek word is written otherwise.
const GREEK: (&str, &str, &str) = ("src/lib.rs", "\"ς\"", "\"σ\"");

/// A program that prints much, with one line that matters.
const NOISY: (&str, &str, &str) = (
    "noisy.sh",
    "",
    "seq 1 2000 | sed 's/^/compiling unit /'; echo 'warning: unit 2000 is empty'; seq 2001 4000 | sed 's/^/compiling unit /'; date +%N\n",
);

/// All of them.
pub(super) const ALL: &[Task] = &[
    Task {
        name: "find code by what it does",
        before: &[],
        calls: [
            &[(
                "search",
                r#"{"query": "where is it decided that a new word begins", "mode": "meaning", "limit": 3}"#,
                "src/lib.rs",
            )],
            &[("grep", r#"{"pattern": "(?i)word boundary", "dir": "src"}"#, "src/lib.rs")],
            &[(
                "search_codebase",
                r#"{"query": "where is it decided that a new word begins"}"#,
                "src/lib.rs",
            )],
        ],
        after: &[],
    },
    Task {
        name: "read one function, wherever it is",
        before: &[],
        calls: [
            &[("read", r##"{"path": "#capitalize"}"##, "char_indices.next()")],
            &[
                ("grep", r#"{"pattern": "fn capitalize", "dir": "src"}"#, "src/lib.rs:182"),
                (
                    "read",
                    r#"{"path": "src/lib.rs", "offset": 181, "limit": 11}"#,
                    "char_indices.next()",
                ),
            ],
            &[
                ("find_symbol", r#"{"symbol": "capitalize"}"#, "src/lib.rs"),
                (
                    "read_file",
                    r#"{"filePath": "src/lib.rs", "offset": 181, "limit": 11}"#,
                    "char_indices.next()",
                ),
            ],
        ],
        after: &[],
    },
    Task {
        name: "explain: the README, the files, two definitions",
        before: &[],
        calls: [
            &[(
                "read",
                r#"{"paths": ["README.md", "src", "src/lib.rs#transform", "src/snake.rs#AsSnakeCase"]}"#,
                "WordMode",
            )],
            &[
                ("read", r#"{"path": "README.md"}"#, "heck"),
                ("ls", r#"{"path": "src"}"#, "snake.rs"),
                (
                    "grep",
                    r#"{"pattern": "fn transform|struct AsSnakeCase", "dir": "src"}"#,
                    "src/lib.rs:69",
                ),
                ("read", r#"{"path": "src/lib.rs", "offset": 68, "limit": 83}"#, "WordMode"),
                ("read", r#"{"path": "src/snake.rs", "offset": 54, "limit": 1}"#, "AsSnakeCase"),
            ],
            &[
                ("read_file", r#"{"filePath": "README.md"}"#, "heck"),
                ("list_directory", r#"{"path": "src"}"#, "snake.rs"),
                ("find_symbol", r#"{"symbol": "transform"}"#, "src/lib.rs"),
                (
                    "read_file",
                    r#"{"filePath": "src/lib.rs", "offset": 68, "limit": 83}"#,
                    "WordMode",
                ),
                ("find_symbol", r#"{"symbol": "AsSnakeCase"}"#, "src/snake.rs"),
            ],
        ],
        after: &[],
    },
    Task {
        name: "who uses a function",
        before: &[],
        calls: [
            &[("search", r#"{"query": "transform", "mode": "refs"}"#, "src/upper_camel.rs")],
            &[("grep", r#"{"pattern": "\\btransform\\b", "dir": "src"}"#, "src/upper_camel.rs")],
            &[("find_references", r#"{"symbol": "transform"}"#, "src/upper_camel.rs")],
        ],
        after: &[],
    },
    Task {
        name: "how often a word is used, by file",
        before: &[],
        calls: [
            &[(
                "search",
                r#"{"query": "fmt::Result", "case": true, "count": true}"#,
                "src/lib.rs: ",
            )],
            &[("bash", r#"{"command": "grep -c fmt::Result src/*"}"#, "src/lib.rs:")],
            &[("run", r#"{"command": "grep -c fmt::Result src/*"}"#, "src/lib.rs:")],
        ],
        after: &[],
    },
    Task {
        name: "a file by a part of its name",
        before: &[],
        calls: [
            &[("search", r#"{"query": "shoutsnake", "mode": "files"}"#, "src/shouty_snake.rs")],
            &[("find", r#"{"pattern": "**/*shouty*snake*"}"#, "src/shouty_snake.rs")],
            &[("search_files", r#"{"pattern": "**/*shouty*snake*"}"#, "src/shouty_snake.rs")],
        ],
        after: &[],
    },
    Task {
        name: "fix what a failing test shows",
        before: &[GREEK],
        calls: [
            &[
                (
                    "run",
                    r#"{"command": "cargo test --offline --lib"}"#,
                    "FAIL kebab::tests::test9 at src/kebab.rs",
                ),
                ("read", r##"{"path": "src/lib.rs#lowercase"}"##, "\"σ\""),
                (
                    "edit",
                    r#"{"path": "src/lib.rs", "old": "f, \"σ\"", "new": "f, \"ς\""}"#,
                    "changed",
                ),
                ("run", r#"{"command": "cargo test --offline --lib"}"#, " passed"),
            ],
            &[
                (
                    "bash",
                    r#"{"command": "cargo test --offline --lib 2>&1 | grep -A4 -E '^----|^test result'"}"#,
                    "src/kebab.rs",
                ),
                ("bash", r#"{"command": "grep -n -A12 'fn lowercase' src/lib.rs"}"#, "\"σ\""),
                (
                    "edit",
                    r#"{"path": "src/lib.rs", "old_string": "f, \"σ\"", "new_string": "f, \"ς\""}"#,
                    "src/lib.rs",
                ),
                ("bash", r#"{"command": "cargo test --offline --lib 2>&1 | tail -3"}"#, " passed"),
            ],
            &[
                (
                    "run_tests",
                    r#"{"command": "cargo test --offline --lib"}"#,
                    "kebab::tests::test9",
                ),
                ("find_symbol", r#"{"symbol": "lowercase"}"#, "src/lib.rs"),
                ("read_file", r#"{"filePath": "src/lib.rs", "offset": 160, "limit": 12}"#, "σ"),
                (
                    "edit_file",
                    r#"{"filePath": "src/lib.rs", "oldStr": "f, \"σ\"", "newStr": "f, \"ς\""}"#,
                    "true",
                ),
                ("run_tests", r#"{"command": "cargo test --offline --lib"}"#, "passed"),
            ],
        ],
        after: &[("src/lib.rs", "\"ς\"")],
    },
    Task {
        name: "add a test and run it",
        before: &[],
        calls: [
            &[
                (
                    "edit",
                    r#"{"path": "src/snake.rs", "old": "=> \"a_bc_de\");", "new": "=> \"a_bc_de\");\n    t!(test26: \"HTML5Page\" => \"html5_page\");"}"#,
                    "line 100",
                ),
                (
                    "run",
                    r#"{"command": "cargo test --offline --lib snake::tests::test26"}"#,
                    "passed",
                ),
            ],
            &[
                (
                    "edit",
                    r#"{"path": "src/snake.rs", "old_string": "=> \"a_bc_de\");", "new_string": "=> \"a_bc_de\");\n    t!(test26: \"HTML5Page\" => \"html5_page\");"}"#,
                    "src/snake.rs",
                ),
                (
                    "bash",
                    r#"{"command": "cargo test --offline --lib snake::tests::test26 2>&1 | tail -3"}"#,
                    "passed",
                ),
            ],
            &[
                (
                    "edit_file",
                    r#"{"filePath": "src/snake.rs", "oldStr": "=> \"a_bc_de\");", "newStr": "=> \"a_bc_de\");\n    t!(test26: \"HTML5Page\" => \"html5_page\");"}"#,
                    "true",
                ),
                (
                    "run_tests",
                    r#"{"command": "cargo test --offline --lib snake::tests::test26"}"#,
                    "passed",
                ),
            ],
        ],
        after: &[("src/snake.rs", "test26")],
    },
    Task {
        name: "rename a function over nine files, checked",
        before: &[],
        calls: [
            &[(
                "run",
                r#"{"command": "sed -i 's/\\btransform\\b/convert/g' src/*.rs && cargo check --offline"}"#,
                "Finished",
            )],
            &[(
                "bash",
                r#"{"command": "sed -i 's/\\btransform\\b/convert/g' src/*.rs && cargo check --offline"}"#,
                "Exit code: 0",
            )],
            &[(
                "run",
                r#"{"command": "sed -i 's/\\btransform\\b/convert/g' src/*.rs && cargo check --offline"}"#,
                "true",
            )],
        ],
        after: &[("src/title.rs", "convert(")],
    },
    Task {
        name: "change three files, all or none",
        before: &[],
        calls: [
            &[(
                "edit",
                r#"{"changes": [{"path": "src/kebab.rs", "old": "by hyphens.", "new": "by hyphens (-)."}, {"path": "src/snake.rs", "old": "by underscores.", "new": "by underscores (_)."}, {"path": "src/title.rs", "old": "by spaces", "new": "by blanks"}]}"#,
                "src/title.rs",
            )],
            &[
                (
                    "edit",
                    r#"{"path": "src/kebab.rs", "old_string": "by hyphens.", "new_string": "by hyphens (-)."}"#,
                    "src/kebab.rs",
                ),
                (
                    "edit",
                    r#"{"path": "src/snake.rs", "old_string": "by underscores.", "new_string": "by underscores (_)."}"#,
                    "src/snake.rs",
                ),
                (
                    "edit",
                    r#"{"path": "src/title.rs", "old_string": "by spaces", "new_string": "by blanks"}"#,
                    "src/title.rs",
                ),
            ],
            &[
                (
                    "edit_file",
                    r#"{"filePath": "src/kebab.rs", "oldStr": "by hyphens.", "newStr": "by hyphens (-)."}"#,
                    "true",
                ),
                (
                    "edit_file",
                    r#"{"filePath": "src/snake.rs", "oldStr": "by underscores.", "newStr": "by underscores (_)."}"#,
                    "true",
                ),
                (
                    "edit_file",
                    r#"{"filePath": "src/title.rs", "oldStr": "by spaces", "newStr": "by blanks"}"#,
                    "true",
                ),
            ],
        ],
        after: &[("src/kebab.rs", "(-)"), ("src/title.rs", "blanks")],
    },
    Task {
        name: "a change that breaks a file, seen and mended",
        before: &[],
        calls: [
            &[
                (
                    "edit",
                    r#"{"path": "src/kebab.rs", "old": "AsKebabCase(self).to_string()\n    }", "new": "AsKebabCase(self).to_string()"}"#,
                    "syntax",
                ),
                ("undo", "{}", "src/kebab.rs"),
            ],
            &[
                (
                    "edit",
                    r#"{"path": "src/kebab.rs", "old_string": "AsKebabCase(self).to_string()\n    }", "new_string": "AsKebabCase(self).to_string()"}"#,
                    "src/kebab.rs",
                ),
                ("bash", r#"{"command": "cargo check --offline 2>&1 | head -20"}"#, "unclosed"),
                (
                    "edit",
                    r#"{"path": "src/kebab.rs", "old_string": "AsKebabCase(self).to_string()", "new_string": "AsKebabCase(self).to_string()\n    }"}"#,
                    "src/kebab.rs",
                ),
            ],
            &[
                (
                    "edit_file",
                    r#"{"filePath": "src/kebab.rs", "oldStr": "AsKebabCase(self).to_string()\n    }", "newStr": "AsKebabCase(self).to_string()"}"#,
                    "true",
                ),
                ("run", r#"{"command": "cargo check --offline 2>&1 | head -20"}"#, "unclosed"),
                (
                    "edit_file",
                    r#"{"filePath": "src/kebab.rs", "oldStr": "AsKebabCase(self).to_string()", "newStr": "AsKebabCase(self).to_string()\n    }"}"#,
                    "true",
                ),
            ],
        ],
        after: &[("src/kebab.rs", "AsKebabCase(self).to_string()\n    }")],
    },
    Task {
        name: "take back what a command deleted",
        before: &[],
        calls: [
            &[
                ("run", r#"{"command": "rm -r src"}"#, "exit 0"),
                ("undo", "{}", "src: brought back"),
            ],
            &[],
            &[],
        ],
        after: &[("src/title.rs", "AsTitleCase")],
    },
    Task {
        name: "look at a picture",
        before: &[],
        calls: [&[("read", r#"{"path": "logo.png"}"#, "(picture)")], &[], &[]],
        after: &[],
    },
    Task {
        name: "find the reason in a long output",
        before: &[NOISY],
        calls: [
            &[
                ("run", r#"{"command": "sh noisy.sh"}"#, "unit 4000"),
                ("run", r#"{"grep": "warn|error"}"#, "2001: warning"),
            ],
            &[
                (
                    "bash",
                    r#"{"command": "sh noisy.sh > /tmp/out; tail -20 /tmp/out"}"#,
                    "unit 4000",
                ),
                ("bash", r#"{"command": "grep -nE 'warn|error' /tmp/out"}"#, "2001:warning"),
            ],
            &[
                ("run", r#"{"command": "sh noisy.sh > /tmp/out; tail -20 /tmp/out"}"#, "unit 4000"),
                ("run", r#"{"command": "grep -nE 'warn|error' /tmp/out"}"#, "2001:warning"),
            ],
        ],
        after: &[],
    },
    Task {
        name: "what a second run prints otherwise",
        before: &[NOISY],
        calls: [
            &[
                ("run", r#"{"command": "sh noisy.sh | tail -3"}"#, "4000"),
                ("run", r#"{"command": "sh noisy.sh | tail -3"}"#, "4000"),
                ("run", r#"{"diff": true}"#, "\n-"),
            ],
            &[
                ("bash", r#"{"command": "sh noisy.sh | tail -3 | tee /tmp/a"}"#, "4000"),
                ("bash", r#"{"command": "sh noisy.sh | tail -3 | tee /tmp/b"}"#, "4000"),
                ("bash", r#"{"command": "diff /tmp/a /tmp/b"}"#, "< "),
            ],
            &[
                ("run", r#"{"command": "sh noisy.sh | tail -3 | tee /tmp/a"}"#, "4000"),
                ("run", r#"{"command": "sh noisy.sh | tail -3 | tee /tmp/b"}"#, "4000"),
                ("run", r#"{"command": "diff /tmp/a /tmp/b"}"#, "< "),
            ],
        ],
        after: &[],
    },
    Task {
        name: "a server: start, ask, read its log, in one line",
        before: &[],
        calls: [
            &[(
                "run",
                r#"{"command": "python3 -u -m http.server 47611 > /tmp/log 2>&1 & sleep 1; python3 -c \"import urllib.request as u; print(u.urlopen('http://127.0.0.1:47611/CHANGELOG.md').read().decode())\"; grep GET /tmp/log"}"#,
                "GET /CHANGELOG.md",
            )],
            &[(
                "bash",
                r#"{"command": "python3 -u -m http.server 47611 > /tmp/log 2>&1 & sleep 1; python3 -c \"import urllib.request as u; print(u.urlopen('http://127.0.0.1:47611/CHANGELOG.md').read().decode())\"; grep GET /tmp/log"}"#,
                "GET /CHANGELOG.md",
            )],
            &[(
                "run",
                r#"{"command": "python3 -u -m http.server 47611 > /tmp/log 2>&1 & sleep 1; python3 -c \"import urllib.request as u; print(u.urlopen('http://127.0.0.1:47611/CHANGELOG.md').read().decode())\"; grep GET /tmp/log"}"#,
                "GET /CHANGELOG.md",
            )],
        ],
        after: &[],
    },
    Task {
        name: "the same, call by call, with a change between",
        before: &[],
        calls: [
            &[
                (
                    "run",
                    r#"{"command": "python3 -u -m http.server 47611", "port": 47611}"#,
                    "listening on port 47611",
                ),
                ("web", r#"{"url": "http://127.0.0.1:47611/README.md"}"#, "heck"),
                (
                    "edit",
                    r##"{"path": "README.md", "old": "# **heck**", "new": "# **HECK**"}"##,
                    "changed",
                ),
                ("web", r#"{"url": "http://127.0.0.1:47611/README.md"}"#, "HECK"),
                ("run", r#"{"id": 1, "grep": "GET"}"#, "200"),
                ("run", r#"{"id": 1, "stop": true}"#, "stopped"),
            ],
            &[],
            &[],
        ],
        after: &[],
    },
    Task {
        name: "read a file again that did not change",
        before: &[],
        calls: [
            &[
                ("read", r#"{"path": "src/snake.rs"}"#, "ToSnekCase"),
                ("read", r#"{"path": "src/snake.rs"}"#, ""),
            ],
            &[
                ("read", r#"{"path": "src/snake.rs"}"#, "ToSnekCase"),
                ("read", r#"{"path": "src/snake.rs"}"#, "ToSnekCase"),
            ],
            &[
                ("read_file", r#"{"filePath": "src/snake.rs"}"#, "ToSnekCase"),
                ("read_file", r#"{"filePath": "src/snake.rs"}"#, "ToSnekCase"),
            ],
        ],
        after: &[],
    },
    Task {
        name: "replace two lines",
        before: &[],
        calls: [
            &[
                ("read", r#"{"path": "CHANGELOG.md:1-2"}"#, "unreleased"),
                (
                    "edit",
                    r##"{"path": "CHANGELOG.md", "lines": "1-2", "new": "# Changes\n\n"}"##,
                    "changed",
                ),
            ],
            &[(
                "bash",
                r#"{"command": "sed -i '1,2c # Changes\\n' CHANGELOG.md"}"#,
                "Exit code: 0",
            )],
            &[(
                "edit_range",
                r##"{"filePath": "CHANGELOG.md", "startLine": 0, "endLine": 1, "content": "# Changes\n\n"}"##,
                "true",
            )],
        ],
        after: &[("CHANGELOG.md", "# Changes\n")],
    },
    Task {
        name: "keep a note, and have it again",
        before: &[],
        calls: [
            &[
                ("remember", r#"{"key": "style", "value": "tests are made with t!"}"#, "style"),
                ("remember", r#"{"find": "tests"}"#, "t!"),
            ],
            &[
                (
                    "write",
                    r#"{"path": "NOTES.md", "content": "style: tests are made with t!\n"}"#,
                    "NOTES.md",
                ),
                ("grep", r#"{"pattern": "tests", "glob": "NOTES.md"}"#, "t!"),
            ],
            &[
                ("cache_store", r#"{"key": "style", "value": "tests are made with t!"}"#, "true"),
                ("cache_retrieve", r#"{"key": "style"}"#, "t!"),
            ],
        ],
        after: &[],
    },
    Task {
        name: "move a file",
        before: &[],
        calls: [
            &[("edit", r#"{"path": "CHANGELOG.md", "move_to": "docs/CHANGELOG.md"}"#, "moved")],
            &[("bash", r#"{"command": "mkdir docs && mv CHANGELOG.md docs/"}"#, "Exit code: 0")],
            &[("run", r#"{"command": "mkdir docs && mv CHANGELOG.md docs/"}"#, "true")],
        ],
        after: &[("docs/CHANGELOG.md", "0.5.0")],
    },
];
