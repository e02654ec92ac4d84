//! The calls that do the tasks with the tools of Claude Code and of Codex.

use super::Step;

/// A task, and its calls in Claude Code and in Codex; none where it cannot be done.
type Row = (&'static str, [&'static [Step]; 2]);

/// All of them.
pub(super) const ALL: &[Row] = &[
    (
        "find code by what it does",
        [
            &[(
                "Grep",
                r#"{"pattern": "word boundary", "-i": true, "path": "src", "output_mode": "content"}"#,
                "src/lib.rs",
            )],
            &[("exec_command", r#"{"cmd": "grep -rni 'word boundary' src"}"#, "src/lib.rs")],
        ],
    ),
    (
        "read one function, wherever it is",
        [
            &[(
                "Grep",
                r#"{"pattern": "fn capitalize", "path": "src", "output_mode": "content", "-A": 11}"#,
                "char_indices.next()",
            )],
            &[(
                "exec_command",
                r#"{"cmd": "grep -rhA11 'fn capitalize' src"}"#,
                "char_indices.next()",
            )],
        ],
    ),
    (
        "explain: the README, the files, two definitions",
        [
            &[
                ("Read", r#"{"file_path": "/repo/README.md"}"#, "heck"),
                ("Glob", r#"{"pattern": "src/*"}"#, "snake.rs"),
                (
                    "Grep",
                    r#"{"pattern": "fn transform|struct AsSnakeCase", "path": "src", "output_mode": "content"}"#,
                    "src/lib.rs:69",
                ),
                (
                    "Read",
                    r#"{"file_path": "/repo/src/lib.rs", "offset": 69, "limit": 83}"#,
                    "WordMode",
                ),
            ],
            &[(
                "exec_command",
                r#"{"cmd": "cat README.md; ls src; sed -n '/^fn transform/,/^}/p' src/lib.rs; grep -rh 'struct AsSnakeCase' src"}"#,
                "WordMode",
            )],
        ],
    ),
    (
        "who uses a function",
        [
            &[(
                "Grep",
                r#"{"pattern": "\\btransform\\b", "path": "src", "output_mode": "content"}"#,
                "src/upper_camel.rs",
            )],
            &[("exec_command", r#"{"cmd": "grep -rnw transform src"}"#, "src/upper_camel.rs")],
        ],
    ),
    (
        "how often a word is used, by file",
        [
            &[(
                "Grep",
                r#"{"pattern": "fmt::Result", "path": "src", "output_mode": "count"}"#,
                "src/lib.rs:",
            )],
            &[("exec_command", r#"{"cmd": "grep -c fmt::Result src/*"}"#, "src/lib.rs:")],
        ],
    ),
    (
        "a file by a part of its name",
        [
            &[("Glob", r#"{"pattern": "**/*shouty*snake*"}"#, "src/shouty_snake.rs")],
            &[(
                "exec_command",
                r#"{"cmd": "find . -name '*shouty*snake*'"}"#,
                "src/shouty_snake.rs",
            )],
        ],
    ),
    (
        "fix what a failing test shows",
        [
            &[
                (
                    "Bash",
                    r#"{"command": "cargo test --offline --lib 2>&1 | grep -A4 -E '^----|^test result'"}"#,
                    "src/kebab.rs",
                ),
                (
                    "Grep",
                    r#"{"pattern": "fn lowercase", "path": "src", "output_mode": "content"}"#,
                    "src/lib.rs:161",
                ),
                (
                    "Read",
                    r#"{"file_path": "/repo/src/lib.rs", "offset": 161, "limit": 12}"#,
                    r#""σ""#,
                ),
                (
                    "Edit",
                    r#"{"file_path": "/repo/src/lib.rs", "old_string": "f, \"σ\"", "new_string": "f, \"ς\""}"#,
                    "updated",
                ),
                ("Bash", r#"{"command": "cargo test --offline --lib 2>&1 | tail -3"}"#, " passed"),
            ],
            &[
                (
                    "exec_command",
                    r#"{"cmd": "cargo test --offline --lib 2>&1 | grep -A4 -E '^----|^test result'"}"#,
                    "src/kebab.rs",
                ),
                ("exec_command", r#"{"cmd": "grep -A12 'fn lowercase' src/lib.rs"}"#, r#""σ""#),
                (
                    "apply_patch",
                    "*** Begin Patch\n*** Update File: src/lib.rs\n@@\n-            write!(f, \"σ\")?;\n+            write!(f, \"ς\")?;\n*** End Patch\n",
                    "M src/lib.rs",
                ),
                (
                    "exec_command",
                    r#"{"cmd": "cargo test --offline --lib 2>&1 | tail -3"}"#,
                    " passed",
                ),
            ],
        ],
    ),
    (
        "add a test and run it",
        [
            &[
                (
                    "Read",
                    r#"{"file_path": "/repo/src/snake.rs", "offset": 99, "limit": 1}"#,
                    "a_bc_de",
                ),
                (
                    "Edit",
                    r#"{"file_path": "/repo/src/snake.rs", "old_string": "=> \"a_bc_de\");", "new_string": "=> \"a_bc_de\");\n    t!(test26: \"HTML5Page\" => \"html5_page\");"}"#,
                    "updated",
                ),
                (
                    "Bash",
                    r#"{"command": "cargo test --offline --lib snake::tests::test26 2>&1 | tail -3"}"#,
                    "passed",
                ),
            ],
            &[
                (
                    "apply_patch",
                    "*** Begin Patch\n*** Update File: src/snake.rs\n@@\n     t!(test25: \"ABcDE\" => \"a_bc_de\");\n+    t!(test26: \"HTML5Page\" => \"html5_page\");\n*** End Patch\n",
                    "M src/snake.rs",
                ),
                (
                    "exec_command",
                    r#"{"cmd": "cargo test --offline --lib snake::tests::test26 2>&1 | tail -3"}"#,
                    "passed",
                ),
            ],
        ],
    ),
    (
        "rename a function over nine files, checked",
        [
            &[(
                "Bash",
                r#"{"command": "sed -i 's/\\btransform\\b/convert/g' src/*.rs && cargo check --offline"}"#,
                "Finished",
            )],
            &[(
                "exec_command",
                r#"{"cmd": "sed -i 's/\\btransform\\b/convert/g' src/*.rs && cargo check --offline"}"#,
                "Finished",
            )],
        ],
    ),
    (
        "change three files, all or none",
        [
            &[
                (
                    "Read",
                    r#"{"file_path": "/repo/src/kebab.rs", "offset": 9, "limit": 1}"#,
                    "hyphens",
                ),
                (
                    "Edit",
                    r#"{"file_path": "/repo/src/kebab.rs", "old_string": "by hyphens.", "new_string": "by hyphens (-)."}"#,
                    "updated",
                ),
                (
                    "Read",
                    r#"{"file_path": "/repo/src/snake.rs", "offset": 11, "limit": 1}"#,
                    "underscores",
                ),
                (
                    "Edit",
                    r#"{"file_path": "/repo/src/snake.rs", "old_string": "by underscores.", "new_string": "by underscores (_)."}"#,
                    "updated",
                ),
                (
                    "Read",
                    r#"{"file_path": "/repo/src/title.rs", "offset": 12, "limit": 1}"#,
                    "spaces",
                ),
                (
                    "Edit",
                    r#"{"file_path": "/repo/src/title.rs", "old_string": "by spaces", "new_string": "by blanks"}"#,
                    "updated",
                ),
            ],
            &[(
                "apply_patch",
                "*** Begin Patch\n*** Update File: src/kebab.rs\n@@\n-/// In kebab-case, word boundaries are indicated by hyphens.\n+/// In kebab-case, word boundaries are indicated by hyphens (-).\n*** Update File: src/snake.rs\n@@\n-/// In snake_case, word boundaries are indicated by underscores.\n+/// In snake_case, word boundaries are indicated by underscores (_).\n*** Update File: src/title.rs\n@@\n-/// In Title Case, word boundaries are indicated by spaces, and every word is\n+/// In Title Case, word boundaries are indicated by blanks, and every word is\n*** End Patch\n",
                "M src/title.rs",
            )],
        ],
    ),
    (
        "a change that breaks a file, seen and mended",
        [
            &[
                (
                    "Read",
                    r#"{"file_path": "/repo/src/kebab.rs", "offset": 26, "limit": 1}"#,
                    "AsKebabCase",
                ),
                (
                    "Edit",
                    r#"{"file_path": "/repo/src/kebab.rs", "old_string": "AsKebabCase(self).to_string()\n    }", "new_string": "AsKebabCase(self).to_string()"}"#,
                    "updated",
                ),
                ("Bash", r#"{"command": "cargo check --offline 2>&1 | head -20"}"#, "unclosed"),
                (
                    "Edit",
                    r#"{"file_path": "/repo/src/kebab.rs", "old_string": "AsKebabCase(self).to_string()", "new_string": "AsKebabCase(self).to_string()\n    }"}"#,
                    "updated",
                ),
            ],
            &[
                (
                    "apply_patch",
                    "*** Begin Patch\n*** Update File: src/kebab.rs\n@@\n         AsKebabCase(self).to_string()\n-    }\n*** End Patch\n",
                    "M src/kebab.rs",
                ),
                ("exec_command", r#"{"cmd": "cargo check --offline 2>&1 | head -20"}"#, "unclosed"),
                (
                    "apply_patch",
                    "*** Begin Patch\n*** Update File: src/kebab.rs\n@@\n         AsKebabCase(self).to_string()\n+    }\n*** End Patch\n",
                    "M src/kebab.rs",
                ),
            ],
        ],
    ),
    ("take back what a command deleted", [&[], &[]]),
    (
        "look at a picture",
        [
            &[("Read", r#"{"file_path": "/repo/logo.png"}"#, "(picture)")],
            &[("view_image", r#"{"path": "logo.png"}"#, "(picture)")],
        ],
    ),
    (
        "find the reason in a long output",
        [
            &[
                (
                    "Bash",
                    r#"{"command": "sh noisy.sh > /tmp/out; tail -20 /tmp/out"}"#,
                    "unit 4000",
                ),
                ("Bash", r#"{"command": "grep -nE 'warn|error' /tmp/out"}"#, "2001:warning"),
            ],
            &[
                (
                    "exec_command",
                    r#"{"cmd": "sh noisy.sh > /tmp/out; tail -20 /tmp/out"}"#,
                    "unit 4000",
                ),
                ("exec_command", r#"{"cmd": "grep -nE 'warn|error' /tmp/out"}"#, "2001:warning"),
            ],
        ],
    ),
    (
        "what a second run prints otherwise",
        [
            &[
                ("Bash", r#"{"command": "sh noisy.sh | tail -3 | tee /tmp/a"}"#, "4000"),
                ("Bash", r#"{"command": "sh noisy.sh | tail -3 | tee /tmp/b"}"#, "4000"),
                ("Bash", r#"{"command": "diff /tmp/a /tmp/b"}"#, "< "),
            ],
            &[
                ("exec_command", r#"{"cmd": "sh noisy.sh | tail -3 | tee /tmp/a"}"#, "4000"),
                ("exec_command", r#"{"cmd": "sh noisy.sh | tail -3 | tee /tmp/b"}"#, "4000"),
                ("exec_command", r#"{"cmd": "diff /tmp/a /tmp/b"}"#, "< "),
            ],
        ],
    ),
    (
        "a server: start, ask, read its log, in one line",
        [
            &[(
                "Bash",
                r#"{"command": "python3 -u -m http.server 47611 > /tmp/log 2>&1 & sleep 1; python3 -c \"import urllib.request as u; print(u.urlopen('http://127.0.0.1:47611/CHANGELOG.md').read().decode())\"; grep GET /tmp/log"}"#,
                "GET /CHANGELOG.md",
            )],
            &[(
                "exec_command",
                r#"{"cmd": "python3 -u -m http.server 47611 > /tmp/log 2>&1 & sleep 1; python3 -c \"import urllib.request as u; print(u.urlopen('http://127.0.0.1:47611/CHANGELOG.md').read().decode())\"; grep GET /tmp/log"}"#,
                "GET /CHANGELOG.md",
            )],
        ],
    ),
    (
        "the same, call by call, with a change between",
        [
            &[
                (
                    "Bash",
                    r#"{"command": "python3 -u -m http.server 47611", "run_in_background": true}"#,
                    "b1",
                ),
                ("Bash", r#"{"command": "curl -s 127.0.0.1:47611/README.md"}"#, "heck"),
                ("Read", r#"{"file_path": "/repo/README.md", "limit": 1}"#, "**heck**"),
                (
                    "Edit",
                    r##"{"file_path": "/repo/README.md", "old_string": "# **heck**", "new_string": "# **HECK**"}"##,
                    "updated",
                ),
                ("Bash", r#"{"command": "curl -s 127.0.0.1:47611/README.md"}"#, "HECK"),
                ("Bash", r#"{"command": "grep GET /tmp/b1.output"}"#, "200"),
                ("TaskStop", r#"{"task_id": "b1"}"#, "Stopped"),
            ],
            &[
                (
                    "exec_command",
                    r#"{"cmd": "python3 -u -m http.server 47611", "yield_time_ms": 1000}"#,
                    "session ID 1",
                ),
                ("exec_command", r#"{"cmd": "curl -s 127.0.0.1:47611/README.md"}"#, "heck"),
                (
                    "apply_patch",
                    "*** Begin Patch\n*** Update File: README.md\n@@\n-# **heck** is a case conversion library\n+# **HECK** is a case conversion library\n*** End Patch\n",
                    "M README.md",
                ),
                ("exec_command", r#"{"cmd": "curl -s 127.0.0.1:47611/README.md"}"#, "HECK"),
                ("write_stdin", r#"{"session_id": 1, "chars": ""}"#, "200"),
                ("write_stdin", r#"{"session_id": 1, "chars": "\u0003"}"#, "130"),
            ],
        ],
    ),
    (
        "read a file again that did not change",
        [
            &[
                ("Read", r#"{"file_path": "/repo/src/snake.rs"}"#, "ToSnekCase"),
                ("Read", r#"{"file_path": "/repo/src/snake.rs"}"#, ""),
            ],
            &[
                ("exec_command", r#"{"cmd": "cat src/snake.rs"}"#, "ToSnekCase"),
                ("exec_command", r#"{"cmd": "cat src/snake.rs"}"#, "ToSnekCase"),
            ],
        ],
    ),
    (
        "replace two lines",
        [
            &[("Bash", r#"{"command": "sed -i '1,2c # Changes\\n' CHANGELOG.md"}"#, "no output")],
            &[("exec_command", r#"{"cmd": "sed -i '1,2c # Changes\\n' CHANGELOG.md"}"#, "code 0")],
        ],
    ),
    (
        "keep a note, and have it again",
        [
            &[
                (
                    "Write",
                    r#"{"file_path": "/repo/NOTES.md", "content": "style: tests are made with t!\n"}"#,
                    "NOTES.md",
                ),
                (
                    "Grep",
                    r#"{"pattern": "tests", "path": "NOTES.md", "output_mode": "content"}"#,
                    "t!",
                ),
            ],
            &[
                (
                    "exec_command",
                    r#"{"cmd": "echo 'style: tests are made with t!' >> NOTES.md"}"#,
                    "code 0",
                ),
                ("exec_command", r#"{"cmd": "grep tests NOTES.md"}"#, "t!"),
            ],
        ],
    ),
    (
        "move a file",
        [
            &[("Bash", r#"{"command": "mkdir docs && mv CHANGELOG.md docs/"}"#, "no output")],
            &[("exec_command", r#"{"cmd": "mkdir docs && mv CHANGELOG.md docs/"}"#, "code 0")],
        ],
    ),
];
