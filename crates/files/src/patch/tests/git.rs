//! Diffs that git makes of every kind of change, applied by git and by us.

use super::*;

/// A tree with one of everything.
fn fixture(root: &Path) {
    let text = numbers(1, 60);
    let crlf = numbers(1, 30).replace('\n', "\r\n");
    let files: &[(&str, &str)] = &[
        ("text.txt", &text),
        ("crlf.txt", &crlf),
        ("mixed.txt", "a\r\nb\nc\r\nd\ne\n"),
        ("no-break.txt", "a\nb\nc"),
        ("one.txt", "one\n"),
        ("empty", ""),
        ("run.sh!", "#!/bin/sh\necho hi\n"),
        ("with space.txt", "a\nb\nc\n"),
        ("quo\"te\\.txt", "a\nb\nc\n"),
        ("\u{fc}n\u{ef} \u{1f980}.txt", "a\nb\nc\n"),
        ("new\nline.txt", "a\nb\nc\n"),
        ("tab\tname.txt", "a\nb\nc\n"),
        (" leading and trailing ", "a\nb\nc\n"),
        ("link", "-> text.txt"),
        ("dir/a", "a\n"),
        ("dir/b", "b\n"),
        ("deep/er/x", "x\n"),
        ("a/b/c.txt", "a\nb\nc\n"),
    ];
    write(root, files);
    let noise: Vec<u8> =
        (0_u32..6000).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    fs::write(root.join("noise.dat"), noise).unwrap();
}

/// Makes a repository of what is there.
fn commit_base(root: &Path) {
    git(root, &["init", "-q"], b"").unwrap();
    git(root, &["add", "-A"], b"").unwrap();
    git(root, &["commit", "-qm", "base"], b"").unwrap();
}

/// Changes the fixture, lets git make the diff, and applies it to the fixture by git and by us.
#[track_caller]
fn check(options: &[&str], change: impl Fn(&Path)) -> Vec<FileChange> {
    let (made, theirs, ours) = (place(), place(), place());
    for place in [&made, &theirs, &ours] {
        fixture(&place.root);
    }
    commit_base(&made.root);
    change(&made.root);
    git(&made.root, &["add", "-A"], b"").unwrap();
    let args = [&["diff", "--cached", "--binary"], options].concat();
    let diff = git(&made.root, &args, b"").unwrap();
    let said = git(&theirs.root, &["apply", "-"], &diff);
    let shown = String::from_utf8_lossy(&diff).into_owned();
    let changes = apply(&ours, &diff).unwrap_or_else(|e| panic!("{e}\n{shown}"));
    // Some of its own diffs git does not take: a link that becomes a directory.
    if said.is_ok() {
        assert_eq!(tree(&ours.root), tree(&theirs.root), "{shown}");
    }
    // What git does not track is an empty directory; git apply leaves none behind either.
    assert_eq!(tree(&ours.root), tree(&made.root), "{shown}");
    changes
}

fn replace(root: &Path, name: &str, from: &str, to: &str) {
    let text = fs::read_to_string(root.join(name)).unwrap();
    assert!(text.contains(from), "{name}");
    fs::write(root.join(name), text.replace(from, to)).unwrap();
}

#[test]
fn edits_in_several_hunks() {
    let changes = check(&[], |root| {
        replace(root, "text.txt", "\n5\n", "\nfive\nand more\n");
        replace(root, "text.txt", "\n30\n31\n", "\n");
        replace(root, "text.txt", "\n60\n", "\n60\n61\n");
        replace(root, "text.txt", "1\n2\n", "0\n1\n2\n");
    });
    let [change] = &changes[..] else { panic!("{changes:?}") };
    assert_eq!((change.path.as_str(), change.hunks.len()), ("text.txt", 3));
    assert_eq!((change.added, change.removed), (4, 3));
    assert!(change.hunks.iter().all(|h| h.offset == 0 && !h.recounted && !h.endings));
}

#[test]
fn a_file_is_made_empty_and_an_empty_one_filled() {
    check(&[], |root| write(root, &[("one.txt", ""), ("empty", "now\nfull\n")]));
}

#[test]
fn files_are_created_in_new_folders() {
    let changes = check(&[], |root| {
        write(root, &[("new/directory/x.txt", "x\n"), ("new/empty", ""), ("tool!", "#!/bin/sh\n")]);
        write(root, &[("no-end", "no break")]);
    });
    assert_eq!(changes.iter().filter(|c| c.executable == Some(true)).count(), 1);
}

#[test]
fn files_are_deleted_and_folders_left_empty_go() {
    check(&[], |root| {
        fs::remove_file(root.join("one.txt")).unwrap();
        fs::remove_file(root.join("empty")).unwrap();
        fs::remove_dir_all(root.join("deep")).unwrap();
        fs::remove_file(root.join("dir/a")).unwrap();
    });
}

#[test]
fn last_lines_with_and_without_a_break() {
    check(&[], |root| {
        replace(root, "no-break.txt", "c", "c\n");
        replace(root, "one.txt", "one\n", "one");
    });
    check(&[], |root| replace(root, "no-break.txt", "a\n", "A\n"));
    check(&[], |root| replace(root, "no-break.txt", "c", "c\nd"));
    check(&[], |root| replace(root, "no-break.txt", "b\nc", "b"));
}

#[test]
fn line_endings_change_and_stay() {
    check(&[], |root| replace(root, "crlf.txt", "\r\n5\r\n", "\r\nfive\r\nmore\r\n"));
    check(&[], |root| replace(root, "crlf.txt", "\r\n", "\n"));
    check(&[], |root| replace(root, "text.txt", "\n", "\r\n"));
    check(&[], |root| replace(root, "mixed.txt", "b\nc\r\n", "b\r\nc\n"));
}

#[test]
fn files_are_renamed_with_and_without_changes() {
    let changes = check(&["-M"], |root| {
        fs::rename(root.join("text.txt"), root.join("renamed.txt")).unwrap();
        fs::create_dir(root.join("sub")).unwrap();
        fs::rename(root.join("crlf.txt"), root.join("sub/crlf 2.txt")).unwrap();
        replace(root, "sub/crlf 2.txt", "\r\n9\r\n", "\r\nnine\r\n");
    });
    assert_eq!(changes.iter().filter(|c| c.from.is_some()).count(), 2);
}

#[test]
fn two_files_swap_their_names() {
    check(&["-M", "-B"], |root| {
        fs::rename(root.join("text.txt"), root.join("t")).unwrap();
        fs::rename(root.join("crlf.txt"), root.join("text.txt")).unwrap();
        fs::rename(root.join("t"), root.join("crlf.txt")).unwrap();
    });
}

#[test]
fn a_rename_makes_room_for_another_one() {
    check(&["-M", "-B"], |root| {
        fs::rename(root.join("text.txt"), root.join("b.txt")).unwrap();
        fs::rename(root.join("crlf.txt"), root.join("text.txt")).unwrap();
    });
}

#[test]
fn files_are_copied_from_what_was_there_before() {
    let changes = check(&["-C", "-C"], |root| {
        fs::copy(root.join("text.txt"), root.join("copy.txt")).unwrap();
        replace(root, "copy.txt", "\n7\n", "\nseven\n");
        replace(root, "text.txt", "\n40\n", "\nforty\n");
        fs::copy(root.join("crlf.txt"), root.join("same.txt")).unwrap();
    });
    assert_eq!(changes.iter().filter(|c| c.what == super::super::What::Copied).count(), 2);
}

#[test]
fn the_right_to_run_comes_and_goes() {
    let mode = |root: &Path, name: &str, mode| {
        fs::set_permissions(root.join(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    check(&[], |root| {
        mode(root, "run.sh", 0o644);
        mode(root, "one.txt", 0o755);
        mode(root, "dir/a", 0o755);
        replace(root, "dir/a", "a\n", "b\n");
    });
    check(&["-M"], |root| {
        fs::rename(root.join("run.sh"), root.join("ran.sh")).unwrap();
        mode(root, "ran.sh", 0o644);
    });
}

#[test]
fn names_that_need_quotes() {
    let names = ["with space.txt", "quo\"te\\.txt", "new\nline.txt", "tab\tname.txt"];
    let more = ["\u{fc}n\u{ef} \u{1f980}.txt", " leading and trailing "];
    check(&[], |root| {
        for name in names.into_iter().chain(more) {
            replace(root, name, "b\n", "B\n");
        }
    });
    check(&[], |root| {
        for name in names.into_iter().chain(more) {
            fs::remove_file(root.join(name)).unwrap();
            write(root, &[(&format!("new {name}"), "x\n"), (&format!("empty {name}"), "")]);
        }
    });
    check(&["-M"], |root| {
        for name in names.into_iter().chain(more) {
            fs::rename(root.join(name), root.join(format!("sub {name}"))).unwrap();
        }
    });
    check(&[], |root| {
        for name in names.into_iter().chain(more) {
            fs::set_permissions(root.join(name), fs::Permissions::from_mode(0o755)).unwrap();
        }
    });
}

#[test]
fn a_name_that_is_not_utf_8() {
    check(&[], |root| fs::write(root.join(OsStr::from_bytes(b"\xff\xfe.txt")), "x\n").unwrap());
}

#[test]
fn links_come_change_and_go() {
    check(&[], |root| write(root, &[("new-link", "-> dir/a"), ("dir/up", "-> ../one.txt")]));
    check(&[], |root| write(root, &[("link", "-> one.txt")]));
    check(&[], |root| fs::remove_file(root.join("link")).unwrap());
    check(&["-M"], |root| fs::rename(root.join("link"), root.join("moved")).unwrap());
}

#[test]
fn a_file_becomes_a_link_and_a_link_a_file() {
    check(&[], |root| write(root, &[("one.txt", "-> text.txt"), ("link", "a file\n")]));
}

#[test]
fn a_file_becomes_a_folder_and_a_folder_a_file() {
    check(&[], |root| {
        fs::remove_file(root.join("one.txt")).unwrap();
        fs::remove_dir_all(root.join("dir")).unwrap();
        fs::remove_dir_all(root.join("deep")).unwrap();
        fs::remove_file(root.join("link")).unwrap();
        write(root, &[("one.txt/inside", "x\n"), ("dir", "file\n"), ("link/x/y", "y\n")]);
        write(root, &[("deep", "-> text.txt")]);
    });
}

#[test]
fn binary_files_whole_and_as_deltas() {
    let noise = |seed: u32, count: u32| -> Vec<u8> {
        (0..count).map(|n| ((n + seed).wrapping_mul(2_246_822_519) >> 11) as u8).collect()
    };
    check(&[], |root| fs::write(root.join("new.dat"), noise(7, 3000)).unwrap());
    check(&[], |root| fs::remove_file(root.join("noise.dat")).unwrap());
    check(&[], |root| fs::write(root.join("noise.dat"), noise(9, 70_000)).unwrap());
    check(&[], |root| {
        let mut bytes = fs::read(root.join("noise.dat")).unwrap();
        bytes.splice(100..120, *b"\0some\0other\0bytes");
        bytes.extend_from_slice(b"\0at the end");
        fs::write(root.join("noise.dat"), bytes).unwrap();
    });
    let changes = check(&["-M"], |root| {
        let mut bytes = fs::read(root.join("noise.dat")).unwrap();
        bytes[4000] ^= 1;
        fs::write(root.join("renamed.dat"), bytes).unwrap();
        fs::remove_file(root.join("noise.dat")).unwrap();
    });
    assert!(changes[0].binary && changes[0].from.as_deref() == Some("noise.dat"), "{changes:?}");
    check(&[], |root| write(root, &[("noise.dat", "text now\n"), ("one.txt", "a\0b")]));
}

#[test]
fn diffs_with_other_prefixes_and_without() {
    for option in ["--no-prefix", "--src-prefix=i/", "--full-index", "--patience", "-U1", "-U9"] {
        let (made, ours) = (place(), place());
        fixture(&made.root);
        fixture(&ours.root);
        git(&made.root, &["init", "-q"], b"").unwrap();
        git(&made.root, &["add", "-A"], b"").unwrap();
        replace(&made.root, "dir/a", "a\n", "b\n");
        replace(&made.root, "text.txt", "\n5\n", "\nfive\n");
        fs::remove_file(made.root.join("a/b/c.txt")).unwrap();
        let diff = git(&made.root, &["diff", "--binary", option], b"").unwrap();
        apply(&ours, &diff).unwrap();
        // Nothing is left in `a`, which git does not know as a directory.
        fs::remove_dir_all(made.root.join("a")).unwrap();
        assert_eq!(tree(&ours.root), tree(&made.root), "{option}");
    }
}

#[test]
fn a_mail_of_format_patch() {
    let (made, theirs, ours) = (place(), place(), place());
    for place in [&made, &theirs, &ours] {
        fixture(&place.root);
    }
    commit_base(&made.root);
    for (name, text) in [("one.txt", "two\n"), ("dir/a", "- list\n+ list\n")] {
        write(&made.root, &[(name, text)]);
        git(&made.root, &["commit", "-qam", "a change\n\n- of a file\n--- a\n"], b"").unwrap();
    }
    let mails = git(&made.root, &["format-patch", "--stdout", "-2"], b"").unwrap();
    git(&theirs.root, &["apply", "-"], &mails).unwrap();
    assert_eq!(apply(&ours, &mails).unwrap().len(), 2);
    assert_eq!(tree(&ours.root), tree(&theirs.root));
    assert_eq!(tree(&ours.root), tree(&made.root));
}

#[test]
fn everything_at_once() {
    let changes = check(&["-M", "-C"], |root| {
        replace(root, "text.txt", "\n5\n", "\nfive\n");
        replace(root, "mixed.txt", "c\r\n", "c\r\nc2\r\n");
        fs::rename(root.join("crlf.txt"), root.join("windows.txt")).unwrap();
        fs::remove_dir_all(root.join("dir")).unwrap();
        write(root, &[("dir", "-> a"), ("new/x", "x"), ("link", "-> one.txt"), ("e", "")]);
        fs::write(root.join("noise.dat"), b"\0\x01\x02").unwrap();
        fs::set_permissions(root.join("one.txt"), fs::Permissions::from_mode(0o755)).unwrap();
    });
    assert_eq!(changes.len(), 11, "{changes:?}");
}
