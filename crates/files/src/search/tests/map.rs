//! Trees that are drawn: what is left out is counted, and names cannot pretend.

use super::*;

fn check(tree: &Tree, depth: usize, expect: Expect) {
    let map = super::super::map(&tree.workspace, ".", depth, &Cancel::default()).unwrap();
    let name = tree.workspace.root().file_name().unwrap().to_str().unwrap();
    let note = map.note.map(|note| format!("({note})\n")).unwrap_or_default();
    expect.assert_eq(&(map.tree.replace(name, "ROOT") + &note));
}

#[test]
fn a_tree_has_levels_and_counts_what_is_below_them() {
    let tree = Tree::new(&[
        ("src/main.rs", b""),
        ("src/deep/a.rs", b""),
        ("src/deep/er/b.rs", b""),
        ("src-2/c.rs", b""),
        ("README.md", b""),
        (".env.example", b""),
    ]);
    fs::create_dir(tree.dir.path().join("empty")).unwrap();
    symlink("README.md", tree.dir.path().join("link")).unwrap();
    check(
        &tree,
        1,
        expect![[r#"
        ROOT/
        |-- .env.example
        |-- README.md
        |-- empty/
        |-- link@
        |-- src/  (3 files, 2 directories)
        `-- src-2/  (1 file)
    "#]],
    );
    check(
        &tree,
        2,
        expect![[r#"
        ROOT/
        |-- .env.example
        |-- README.md
        |-- empty/
        |-- link@
        |-- src/
        |   |-- deep/  (2 files, 1 directory)
        |   `-- main.rs
        `-- src-2/
            `-- c.rs
    "#]],
    );
    check(
        &tree,
        9,
        expect![[r#"
        ROOT/
        |-- .env.example
        |-- README.md
        |-- empty/
        |-- link@
        |-- src/
        |   |-- deep/
        |   |   |-- a.rs
        |   |   `-- er/
        |   |       `-- b.rs
        |   `-- main.rs
        `-- src-2/
            `-- c.rs
    "#]],
    );
}

#[test]
fn what_is_ignored_is_named_where_it_stands() {
    let tree = Tree::new(&[
        (".gitignore", b"target\n*.log\n"),
        ("target/debug/a", b""),
        ("node_modules/b/c", b""),
        ("src/.gitignore", b"made*\n"),
        ("src/a.rs", b""),
        ("src/made1", b""),
        ("src/made2", b""),
        ("src/made3", b""),
        ("src/made4", b""),
        ("src/made5", b""),
        ("src/made6", b""),
        ("src/made7", b""),
        ("src/made8", b""),
        ("x.log", b""),
    ]);
    fs::create_dir(tree.dir.path().join(".git")).unwrap();
    check(
        &tree,
        3,
        expect![[r#"
            ROOT/  [ignored: .git/, node_modules/, target/, x.log]
            |-- .gitignore
            `-- src/  [ignored: made1, made2, made3, made4, made5, made6 and 2 more]
                |-- .gitignore
                `-- a.rs
            (skipped 1 directory (node_modules; name one to look into it))
        "#]],
    );
}

#[test]
fn names_are_made_visible() {
    let tree = Tree::new(&[("a\n`-- fake", b""), ("b\u{1b}[31m/c\u{202e}d", b"")]);
    check(
        &tree,
        3,
        expect![[r#"
        ROOT/
        |-- "a\n`-- fake"
        `-- "b\033[31m"/
            `-- "c\342\200\256d"
    "#]],
    );
}

#[test]
fn a_folder_with_very_many_entries_is_cut_and_says_so() {
    let tree = Tree::new(&[("z/last", b"")]);
    for n in 0..1500 {
        fs::write(tree.dir.path().join(format!("f{n:04}")), "").unwrap();
    }
    let map = super::super::map(&tree.workspace, ".", 3, &Cancel::default()).unwrap();
    assert!(
        map.tree.contains("\n|-- f0199\n`-- ... 1300 files, 1 directory more\n"),
        "{}",
        map.tree
    );
    assert_eq!(map.tree.lines().count(), 202);
}

#[test]
fn levels_that_do_not_fit_are_left_out_and_that_is_said() {
    let tree = Tree::new(&[]);
    for a in 0..60 {
        let folder = tree.dir.path().join(format!("directory{a:02}/inner"));
        fs::create_dir_all(&folder).unwrap();
        for b in 0..60 {
            fs::write(folder.join(format!("file{b}")), "").unwrap();
        }
    }
    let map = super::super::map(&tree.workspace, ".", 5, &Cancel::default()).unwrap();
    assert_eq!(map.depth, 2);
    assert_eq!(map.note.unwrap(), "2 of 5 levels are shown, more would not fit");
    assert!(map.tree.contains("|-- directory07/\n|   `-- inner/  (60 files)\n"), "{}", map.tree);
}

#[test]
fn an_empty_folder_is_a_tree_and_a_missing_one_is_not() {
    let tree = Tree::new(&[("file", b"")]);
    fs::create_dir(tree.dir.path().join("empty")).unwrap();
    let of = |dir| super::super::map(&tree.workspace, dir, 3, &Cancel::default());
    assert_eq!(of("empty").unwrap().tree, "empty/\n");
    assert_eq!(of("gone").unwrap_err().code, Code::DirectoryNotFound);
    assert_eq!(of("file").unwrap_err().code, Code::NotADirectory);
    let cancel = Cancel::default();
    cancel.cancel();
    let error = super::super::map(&tree.workspace, ".", 3, &cancel).unwrap_err();
    assert_eq!(error.code, Code::Cancelled);
}
