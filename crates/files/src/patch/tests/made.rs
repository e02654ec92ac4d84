//! Diffs as models and people make them, good and bad, against git's answer to them.

use fault::Code::{
    BinaryFile, FileExists, FileNotFound, NoValidDiff, NotADirectory, PatchFailed,
    PathOutsideWorkspace, ProtectedPath,
};

use super::*;

const F: &str = "--- a/f\n+++ b/f\n";

fn f(hunks: &str) -> String {
    format!("{F}{hunks}")
}

#[test]
fn a_hunk_is_found_at_an_offset_and_says_so() {
    let text = numbers(1, 40);
    let far = f("@@ -5,3 +5,3 @@\n 29\n-30\n+thirty\n 31\n");
    let changes = same(&[("f", &text)], &far);
    assert_eq!((changes[0].hunks[0].line, changes[0].hunks[0].offset), (29, 24));
    let back = f("@@ -35,3 +35,3 @@\n 9\n-10\n+ten\n 11\n");
    assert_eq!(same(&[("f", &text)], &back)[0].hunks[0].offset, -26);
}

#[test]
fn the_nearest_of_several_places_is_taken() {
    let text = "x\na\ny\n1\n2\nx\na\ny\n3\n4\nx\na\ny\n5\n";
    for (start, line) in [(2, 1), (6, 6), (7, 6), (9, 11), (13, 11), (99, 11)] {
        let diff = f(&format!("@@ -{start},3 +{start},3 @@\n x\n-a\n+b\n y\n"));
        assert_eq!(same(&[("f", text)], &diff)[0].hunks[0].line, line, "{start}");
    }
}

#[test]
fn far_away_too_the_nearest_place_is_taken() {
    let block = "x\na\nx\na\ny\n";
    let text =
        [numbers(1, 1000), block.into(), numbers(1, 3000), block.into(), numbers(1, 900)].concat();
    let hunk = |start: usize| f(&format!("@@ -{start},4 +{start},4 @@\n x\n a\n x\n-a\n+b\n y\n"));
    for (start, line) in [(2, 1001), (1500, 1001), (2503, 1001), (2504, 4006), (4800, 4006)] {
        assert_eq!(same(&[("f", &text)], &hunk(start).replace(",4", ",5"))[0].hunks[0].line, line);
    }
}

#[test]
fn later_hunks_count_with_what_earlier_ones_brought() {
    let text = numbers(1, 30);
    let diff = f("@@ -2,3 +2,6 @@\n 2\n 3\n+a\n+b\n+c\n 4\n@@ -20,3 +23,3 @@\n 20\n-21\n+x\n 22\n");
    let changes = same(&[("f", &text)], &diff);
    assert!(changes[0].hunks.iter().all(|h| h.offset == 0), "{changes:?}");
}

#[test]
fn hunks_may_stand_in_any_order_but_not_overlap() {
    let text = numbers(1, 30);
    same(
        &[("f", &text)],
        &f("@@ -20,3 +20,3 @@\n 20\n-21\n+x\n 22\n@@ -2,3 +2,3 @@\n 2\n-3\n+y\n 4\n"),
    );
    refused(
        &[("f", &text)],
        &f("@@ -2,3 +2,3 @@\n 2\n-3\n+y\n 4\n@@ -4,3 +4,3 @@\n 4\n-5\n+x\n 6\n"),
        PatchFailed,
        &["f: hunk 2 of 2 (line 8 of the diff)", "belong to a hunk before it"],
    );
}

#[test]
fn a_hunk_that_fits_nowhere_shows_the_nearest_place() {
    let message = refused(
        &[("f", "fn a() {\n    one();\n    two();\n}\n")],
        &f("@@ -1,4 +1,4 @@\n fn a() {\n     one();\n-    tow();\n+    three();\n }\n"),
        PatchFailed,
        &["hunk 1 of 1", "nearest is at line 1", "-    tow();\n+    two();"],
    );
    assert!(message.contains("line 3 of the diff"), "{message}");
    refused(&[("f", "")], &f("@@ -1,2 +1,2 @@\n a\n-b\n+c\n"), PatchFailed, &["the file is empty"]);
    let other = &[("f", "lorem ipsum\ndolor\n")];
    let diff = f("@@ -1,2 +1,2 @@\n 12345\n-b\n+c\n");
    refused(other, &diff, PatchFailed, &["and nothing similar is"]);
}

#[test]
fn a_hunk_that_was_applied_already_says_so() {
    refused(
        &[("f", &numbers(1, 9).replace("5\n", "five\n"))],
        &f("@@ -4,3 +4,3 @@\n 4\n-5\n+five\n 6\n"),
        PatchFailed,
        &["there already, at line 4"],
    );
}

#[test]
fn a_hunk_that_names_the_first_line_must_stand_there() {
    refused(
        &[("f", &numbers(1, 20))],
        &f("@@ -1,3 +1,3 @@\n 9\n-10\n+ten\n 11\n"),
        PatchFailed,
        &["names the first line", "at line 9", "@@ -9"],
    );
}

#[test]
fn a_hunk_that_ends_without_context_is_at_the_end_of_the_file_or_where_its_lines_are_alone() {
    let text = numbers(1, 20);
    let diff = f("@@ -8,3 +8,4 @@\n 8\n 9\n 10\n+new\n");
    let now = text.replace("10\n", "10\nnew\n");
    more_than_git(&[("f", &text)], &diff, &[("f", &now)]);
    refused(&[("f", &now)], &diff, PatchFailed, &["its new lines are there already, at line 8"]);
    let twice = format!("{text}0\n{text}0\n");
    let words = ["no context follows its last change", "in 2 places, at lines 8, 29"];
    refused(&[("f", &twice)], &diff, PatchFailed, &words);
    same(&[("f", &text)], &f("@@ -18,3 +18,4 @@\n 18\n 19\n 20\n+new\n"));
    let changes = same(&[("f", &text)], &f("@@ -8,3 +8,4 @@\n 18\n 19\n 20\n+new\n"));
    assert_eq!(changes[0].hunks[0].offset, 10);
}

#[test]
fn a_hunk_without_context_is_refused_unless_it_is_the_whole_file() {
    let text = numbers(1, 9);
    // Git puts the new line at the end, whatever line is named.
    refused_by_us(
        &[("f", &text)],
        &f("@@ -3,0 +4 @@\n+new\n"),
        PatchFailed,
        &["no lines of context"],
    );
    refused(&[("f", &text)], &f("@@ -3 +3 @@\n-3\n+x\n"), PatchFailed, &["at line 3"]);
    same(&[("f", "one\n")], &f("@@ -1 +1 @@\n-one\n+two\n"));
    same(&[("f", "")], &f("@@ -0,0 +1 @@\n+new\n"));
    same(&[("f", &text)], &f("@@ -9 +9 @@\n-9\n+nine\n"));
}

#[test]
fn a_file_that_is_not_there_begins_with_a_hunk_that_has_nothing_before() {
    assert_eq!(same(&[], &f("@@ -0,0 +1,2 @@\n+a\n+b\n"))[0].what, super::super::What::Created);
    refused(&[], &f("@@ -1,2 +1,2 @@\n a\n-b\n+c\n"), FileNotFound, &["f: no such file"]);
}

#[test]
fn a_file_emptied_without_being_deleted_stays() {
    same(&[("f", "x\n")], &f("@@ -1 +0,0 @@\n-x\n"));
}

#[test]
fn wrong_counts_are_counted_anew() {
    let text = numbers(1, 9);
    let wanted = text.replace("3\n", "three\n3b\n");
    for counts in ["2,3 +2,3", "2,9 +2,9", "2 +2", "2,0 +2,0", "2,1 +2,7", "2,3 +2,5"] {
        let diff = f(&format!("@@ -{counts} @@\n 2\n-3\n+three\n+3b\n 4\n"));
        let changes = more_than_git(&[("f", &text)], &diff, &[("f", &wanted)]);
        assert!(changes[0].hunks[0].recounted, "{counts}");
    }
}

#[test]
fn wrong_counts_end_at_the_next_file_hunk_fence_or_signature() {
    let text = numbers(1, 20);
    let wanted = text.replace("\n3\n", "\nthree\n");
    let hunk = "@@ -2,7 +2,7 @@\n 2\n-3\n+three\n 4\n";
    for end in ["```\n", "~~~\n\nThat is all.\n", "-- \n2.47.3\n", "\n\n", "\n-- \n2.1\n\n"] {
        more_than_git(&[("f", &text)], &f(&format!("{hunk}{end}")), &[("f", &wanted)]);
    }
    let both = wanted.replace("\n10\n", "\nten\n");
    let second = "@@ -9,1 +9,1 @@\n 9\n-10\n+ten\n 11\n";
    more_than_git(&[("f", &text)], &f(&format!("{hunk}{second}")), &[("f", &both)]);
    let other = f(&format!("{hunk}--- a/g\n+++ b/g\n@@ -1,8 +1,8 @@\n-x\n+y\n"));
    more_than_git(&[("f", &text), ("g", "x\n")], &other, &[("f", &wanted), ("g", "y\n")]);
    let other = f(&format!(
        "{hunk}diff --git a/g b/g\ndeleted file mode 100644\n--- a/g\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    ));
    more_than_git(&[("f", &text), ("g", "x\n")], &other, &[("f", &wanted)]);
}

#[test]
fn lines_that_look_like_headers_belong_to_their_hunk() {
    let sql = "a\n-- comment\n++ plus\nb\n";
    same(
        &[("f", sql)],
        &f("@@ -1,4 +1,4 @@\n a\n--- comment\n-++ plus\n+-- other\n+++ more\n b\n"),
    );
    same(&[("f", "a\n- \nb\n")], &f("@@ -1,3 +1,2 @@\n a\n-- \n b\n"));
    same(&[("f", "a\n@@ -1 +1 @@\nb\n")], &f("@@ -1,3 +1,3 @@\n a\n-@@ -1 +1 @@\n+@@ @@\n b\n"));
}

#[test]
fn a_line_too_many_is_never_left_out_in_silence() {
    // Git takes the hunk as complete and ignores the last line.
    let diff = f("@@ -1,2 +1,2 @@\n-1\n+one\n 2\n+lost?\n");
    let now = numbers(1, 9).replace("1\n2\n", "one\n2\nlost?\n");
    more_than_git(&[("f", &numbers(1, 9))], &diff, &[("f", &now)]);
}

#[test]
fn empty_lines_that_lost_their_space_are_context() {
    let text = "a\n\nb\n\nc\n";
    same(&[("f", text)], &f("@@ -1,5 +1,5 @@\n a\n\n-b\n+B\n\n c\n"));
    let wrong = f("@@ -1,7 +1,7 @@\n a\n\n-b\n+B\n\n c\n");
    more_than_git(&[("f", text)], &wrong, &[("f", "a\n\nB\n\nc\n")]);
}

#[test]
fn the_last_line_of_the_diff_may_lack_its_break() {
    let text = numbers(1, 3);
    more_than_git(
        &[("f", &text)],
        &f("@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3"),
        &[("f", "1\ntwo\n3\n")],
    );
}

#[test]
fn marks_for_missing_line_breaks_are_taken_at_their_word() {
    let hint = "write `\\ No newline";
    refused(&[("f", "a\nb")], &f("@@ -1,2 +1,3 @@\n a\n b\n+c\n"), PatchFailed, &[hint]);
    let mark = "\\ No newline at end of file\n";
    same(&[("f", "a\nb")], &f(&format!("@@ -1,2 +1,3 @@\n a\n-b\n{mark}+b\n+c\n")));
    let diff = f(&format!("@@ -1,2 +1,2 @@\n-a\n+A\n b\n{mark}"));
    // Git takes the line break away, and joins the lines `b` and `c`.
    refused_by_us(&[("f", "a\nb\n")], &diff, PatchFailed, &["ends with a line break"]);
    refused_by_us(&[("f", "a\nb\nc\n")], &diff, PatchFailed, &["ends with a line break"]);
    let inside = f(&format!("@@ -1,2 +1,2 @@\n-a\n+A\n{mark} b\n"));
    refused_by_us(&[("f", "a\nb\n")], &inside, NoValidDiff, &["followed by others"]);
}

#[test]
fn a_diff_with_lf_keeps_the_crlf_of_the_file() {
    let text = numbers(1, 9).replace('\n', "\r\n");
    let diff = f("@@ -4,3 +4,4 @@\n 4\n-5\n+five\n+and\n 6\n");
    let wanted = text.replace("5\r\n", "five\r\nand\r\n");
    let changes = more_than_git(&[("f", &text)], &diff, &[("f", &wanted)]);
    assert!(changes[0].hunks[0].endings);
    let mixed = "1\n2\r\n3\n4\r\n5\n";
    more_than_git(
        &[("f", mixed)],
        &f("@@ -1,5 +1,6 @@\n 1\n-2\n-3\n+two\n+three\n+more\n 4\n 5\n"),
        &[("f", "1\ntwo\r\nthree\nmore\n4\r\n5\n")],
    );
}

#[test]
fn a_diff_sent_with_crlf_throughout_fits_either_file() {
    let diff = f("@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n").replace('\n', "\r\n");
    more_than_git(&[("f", "a\nb\nc\n")], &diff, &[("f", "a\nB\nc\n")]);
    same(&[("f", "a\r\nb\r\nc\r\n")], &diff);
}

#[test]
fn a_diff_made_for_crlf_does_not_fit_a_file_with_lf() {
    let diff = f("@@ -1,3 +1,3 @@\n a\r\n-b\r\n+B\r\n c\r\n");
    refused(&[("f", "a\nb\nc\n")], &diff, PatchFailed, &["hunk 1 of 1"]);
    same(&[("f", "a\r\nb\r\nc\r\n")], &diff);
}

#[test]
fn plain_diffs_with_dates() {
    let hunk = "@@ -1 +1 @@\n-x\n+y\n";
    let tab = "--- f\t2026-11-21 10:00:00.123456789 +0100\n+++ f\t2026-11-21 11:00:00 +0100\n";
    same(&[("f", "x\n")], &format!("{tab}{hunk}"));
    let space = "--- a/f 2026-11-21 10:00:00.123456789 +0100\n+++ b/f 2026-11-21 11:00:00 +0100\n";
    same(&[("f", "x\n")], &format!("{space}{hunk}"));
    same(&[("f", "x\n")], &format!("--- f.orig\n+++ f\n{hunk}"));
    same(&[("a b", "x\n")], &format!("--- a b\n+++ a b\n{hunk}"));
}

#[test]
fn a_side_dated_to_the_epoch_is_absent() {
    let now = "2026-11-21 10:00:00 +0000";
    let deleted =
        format!("--- f\t{now}\n+++ f\t1970-01-01 01:00:00.000000000 +0100\n@@ -1 +0,0 @@\n-x\n");
    assert_eq!(same(&[("f", "x\n")], &deleted)[0].what, super::super::What::Deleted);
    let west = format!("--- d/f\t1969-12-31 16:00:00 -0800\n+++ d/f\t{now}\n@@ -0,0 +1 @@\n+x\n");
    more_than_git(&[], &west, &[("d/f", "x\n")]);
    let not_epoch = format!("--- f\t{now}\n+++ f\t1970-01-01 01:00:00 +0000\n@@ -1 +0,0 @@\n-x\n");
    same(&[("f", "x\n")], &not_epoch);
}

#[test]
fn a_new_file_must_not_be_there_and_a_deleted_one_must() {
    let new = "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+x\n";
    refused(&[("f", "y\n")], new, FileExists, &["f: already exists"]);
    refused(&[("f", "x\n")], new, FileExists, &["f: already exists"]);
    refused(&[("d/f", "y\n")], &new.replace("b/f", "b/d"), Code::IsDirectory, &["d: a directory"]);
    let gone = "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
    refused(&[], gone, FileNotFound, &["f: no such file"]);
    refused(&[("f", "x\ny\n")], gone, PatchFailed, &["hunk 1 of 1"]);
    refused(&[("f", "z\n")], gone, PatchFailed, &["hunk 1 of 1"]);
    let header = "diff --git a/f b/f\ndeleted file mode 100644\nindex 587be6b..0000000\n";
    refused(&[("f", "x\n")], header, PatchFailed, &["does not have all its lines"]);
}

#[test]
fn a_new_file_may_stand_where_an_empty_folder_was() {
    let (theirs, ours) = both(&[]);
    let diff = b"--- /dev/null\n+++ b/d\n@@ -0,0 +1 @@\n+x\n";
    fs::create_dir(theirs.root.join("d")).unwrap();
    fs::create_dir(ours.root.join("d")).unwrap();
    git(&theirs.root, &["apply", "-"], diff).unwrap();
    // Git throws the directory away; a directory that is not named is not ours to take.
    assert_eq!(apply(&ours, diff).unwrap_err().code, Code::IsDirectory);
}

#[test]
fn contradictions_are_no_diff() {
    let new = "--- /dev/null\n+++ b/f\n@@ -1,1 +1,2 @@\n x\n+y\n";
    refused(&[], new, NoValidDiff, &["line 3", "a new file that has lines already"]);
    let gone = "--- a/f\n+++ /dev/null\n@@ -1,2 +1,1 @@\n x\n-y\n";
    refused(&[("f", "x\ny\n")], gone, NoValidDiff, &["deleted file that still has lines"]);
    // Git makes a file `dev/null`.
    let neither = "--- /dev/null\n+++ /dev/null\n@@ -0,0 +1 @@\n+x\n";
    refused_by_us(&[], neither, NoValidDiff, &["both sides"]);
    refused(&[("f", "x\n")], &f("@@ -1 +1 @@\n x\n"), NoValidDiff, &["changes nothing"]);
}

#[test]
fn what_is_no_diff_says_what_was_expected() {
    let none: &[(&str, &str)] = &[("f", "x\n")];
    refused(none, "", NoValidDiff, &["no file is named", "unified diff"]);
    refused(none, "please change x to y\n", NoValidDiff, &["no file is named"]);
    refused(none, "@@ -1 +1 @@\n-x\n+y\n", NoValidDiff, &["line 1", "a hunk of no file"]);
    refused(none, "--- a/f\n+++ b/f\n", NoValidDiff, &["line 3", "the file has no hunk"]);
    refused(none, "--- a/f\n+++ b/f\n@@ -1,1 +1,2 @@", NoValidDiff, &["line 3", "changes nothing"]);
    refused(
        none,
        "--- a/f\n+++ b/f\n@@ -a,1 +1 @@\n-x\n+y\n",
        NoValidDiff,
        &["line 3", "or `@@` alone"],
    );
    refused(
        none,
        "diff --git a/f b/f\nindex 587be6b..975fbec\n",
        NoValidDiff,
        &["changes nothing"],
    );
    let prose = f("@@ -1,5 +1,5 @@\n-x\n+y\nno sign here\n");
    refused(none, &prose, NoValidDiff, &["line 6", "begins with a space, + or -"]);
}

#[test]
fn a_hunk_without_numbers_is_where_its_lines_are_if_that_is_one_place() {
    let text = "def a():\n    return 1\n\ndef b():\n    return 2\n\ndef c():\n    return 1\n";
    let after = text.replace("return 2", "return 22");
    for head in ["@@", "@@ @@", "@@ ... @@", "@@ def b():"] {
        for hunk in [
            " def b():\n-    return 2\n+    return 22\n",
            "-    return 2\n+    return 22\n",
            " def b():\n-    return 2\n+    return 22\n\n def c():\n",
        ] {
            let diff = f(&format!("{head}\n{hunk}"));
            let changes = more_than_git(&[("f", text)], &diff, &[("f", &after)]);
            assert_eq!((changes[0].hunks[0].offset, changes[0].hunks[0].recounted), (0, false));
            let (crlf, wanted) = (text.replace('\n', "\r\n"), after.replace('\n', "\r\n"));
            more_than_git(&[("f", &crlf)], &diff, &[("f", &wanted)]);
            more_than_git(&[("f", text)], &diff.replace('\n', "\r\n"), &[("f", &after)]);
        }
    }
    let two = "@@\n def a():\n-    return 1\n+    return 11\n@@\n def c():\n-    return 1\n+    return 13\n";
    let after = text
        .replacen("return 1", "return 11", 1)
        .replace("c():\n    return 1", "c():\n    return 13");
    more_than_git(&[("f", text)], &f(two), &[("f", &after)]);
    more_than_git(&[], "--- /dev/null\n+++ b/f\n@@\n+x\n", &[("f", "x\n")]);
    more_than_git(&[("f", "")], &f("@@\n+x\n"), &[("f", "x\n")]);
    for (hunk, words) in [
        ("-    return 1\n+    return 3\n", ["in 2 places, at lines 2, 8;", "`@@ -2,…`"]),
        ("+import os\n", ["no lines of context", "add the lines around it"]),
        (" def b():\n-    return 3\n+    return 4\n", ["nearest is at line 4", "+    return 2"]),
        (" def b():\n-    return 3\n+    return 2\n", ["there already, at line 4", "leave it out"]),
    ] {
        refused(&[("f", text)], &f(&format!("@@\n{hunk}")), PatchFailed, &words);
    }
    let mixed = "x = 1\r\ny = 1\nx = 1\n";
    refused(&[("f", mixed)], &f("@@\n-x = 1\n+x = 2\n"), PatchFailed, &["at lines 1, 3"]);
    let twice = f("@@\n-    return 2\n+    return 3\n@@\n-    return 2\n+    return 4\n");
    refused(&[("f", text)], &twice, PatchFailed, &["hunk 2 of 2", "a hunk before it"]);
}

#[test]
fn several_files_are_changed_or_none() {
    let files = &[("a.txt", "a\n"), ("b.txt", "b\n"), ("c.txt", "c\n")];
    let edit =
        |name: &str, old: &str| format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-{old}\n+new\n");
    same(files, &[edit("a.txt", "a"), edit("b.txt", "b")].concat());
    let diff = [edit("a.txt", "a"), edit("b.txt", "wrong"), edit("d.txt", "d")].concat();
    let message =
        refused(files, &diff, PatchFailed, &["b.txt: hunk 1 of 1", "d.txt: no such file"]);
    assert!(!message.contains("a.txt"), "{message}");
}

#[test]
fn the_parts_of_a_diff_build_on_each_other() {
    let text = numbers(1, 9);
    let first = f("@@ -1,2 +1,2 @@\n-1\n+one\n 2\n");
    let second = f("@@ -1,2 +1,2 @@\n-one\n+uno\n 2\n");
    same(&[("f", &text)], &format!("{first}{second}"));
    let new = "--- /dev/null\n+++ b/d/n\n@@ -0,0 +1 @@\n+x\n";
    let more = "--- a/d/n\n+++ b/d/n\n@@ -1 +1,2 @@\n x\n+y\n";
    same(&[], &format!("{new}{more}"));
    let gone = "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
    same(&[("f", "x\n")], &format!("{gone}{}", new.replace("d/n", "f")));
    refused(
        &[("f", "x\n")],
        &format!("{gone}{gone}"),
        PatchFailed,
        &["removed or renamed by an earlier"],
    );
    // Of these git makes what nobody meant.
    refused_by_us(&[], &format!("{new}{new}"), FileExists, &["d/n"]);
    let edit = f("@@ -1 +1 @@\n-x\n+y\n");
    let gone = gone.replace("-x", "-y");
    refused_by_us(&[("f", "x\n")], &format!("{edit}{gone}"), PatchFailed, &["make two diffs"]);
    let rename = "diff --git a/f b/g\nrename from f\nrename to g\n";
    refused_by_us(&[("f", "x\n")], &format!("{edit}{rename}"), PatchFailed, &["make two diffs"]);
}

#[test]
fn renames_by_hand() {
    let rename = |from: &str, to: &str| {
        format!(
            "diff --git a/{from} b/{to}\nsimilarity index 100%\nrename from {from}\nrename to {to}\n"
        )
    };
    let files = &[("a", "1\n"), ("b", "2\n")];
    same(files, &[rename("a", "b"), rename("b", "a")].concat());
    same(files, &[rename("a", "c"), rename("b", "a")].concat());
    same(files, &[rename("a", "t"), rename("b", "a")].concat());
    let three = &[("a", "1\n"), ("b", "2\n"), ("c", "3\n")];
    same(three, &[rename("a", "b"), rename("b", "c"), rename("c", "a")].concat());
    let edit = "--- a/b\n+++ b/b\n@@ -1 +1 @@\n-2\n+two\n";
    same(files, &[edit, &rename("a", "d/e/f")].concat());
    // Git takes the names for those of the rename and says that they do not fit.
    let wanted = &[("d/e/f", "1\n"), ("b", "two\n")];
    more_than_git(files, &[&rename("a", "d/e/f"), edit].concat(), wanted);
    refused(files, &rename("a", "b"), FileExists, &["b: already exists"]);
    refused(files, &rename("x", "y"), FileNotFound, &["x: no such file"]);
    refused(
        files,
        &[rename("a", "c"), rename("a", "d")]
            .concat()
            .replace("rename from a\nrename to d", "rename from z\nrename to d"),
        FileNotFound,
        &["z"],
    );
}

#[test]
fn no_path_leads_out() {
    let files = &[("f", "x\n"), ("d/link", "-> .."), ("abs", "-> /etc"), ("in", "-> d")];
    let edit = |name: &str| format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-x\n+y\n");
    let new = |name: &str| format!("--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+x\n");
    for name in ["../../x", "d/../../x", "../f", "d/../f"] {
        refused(files, &edit(name), PathOutsideWorkspace, &[name, "outside the workspace"]);
        refused(files, &new(name), PathOutsideWorkspace, &[name]);
        let to = format!("diff --git a/f b/{name}\nrename from f\nrename to {name}\n");
        refused(files, &to, PathOutsideWorkspace, &[name]);
    }
    for name in ["d/link/f", "abs/passwd", "in/x", "d/link/d/new"] {
        refused(files, &new(name), PatchFailed, &[name, "leads through a link"]);
    }
    refused(files, &edit("d/link/f"), PatchFailed, &["leads through a link"]);
    refused(files, &new("f/x"), NotADirectory, &["f: not a directory"]);
    // Git reads an absolute path as one inside the directory.
    let absolute = new("x").replace("b/x", "/tmp/x");
    refused_by_us(files, &absolute, PathOutsideWorkspace, &["/tmp/x"]);
    refused(files, &new(".git/config"), ProtectedPath, &[".git/config"]);
    refused_by_us(files, &new(".envrc"), ProtectedPath, &[".envrc"]);
}

#[test]
fn an_absolute_path_inside_is_one_of_ours() {
    let place = place();
    write(&place.root, &[("d/f", "x\n")]);
    let name = place.root.join("d/f").display().to_string();
    apply(&place, format!("--- {name}\n+++ {name}\n@@ -1 +1 @@\n-x\n+y\n").as_bytes()).unwrap();
    assert_eq!(fs::read_to_string(place.root.join("d/f")).unwrap(), "y\n");
}

#[test]
fn paths_without_prefixes_are_found() {
    let edit = |old: &str, new: &str| format!("--- {old}\n+++ {new}\n@@ -1 +1 @@\n-x\n+y\n");
    more_than_git(&[("src/f", "x\n")], &edit("src/f", "src/f"), &[("src/f", "y\n")]);
    more_than_git(
        &[("src/f", "x\n"), ("f", "x\n")],
        &edit("src/f", "src/f"),
        &[("src/f", "y\n"), ("f", "x\n")],
    );
    same(&[("f", "x\n")], &edit("a/f", "a/f"));
    more_than_git(&[("f", "x\n")], &edit("a//f", "b/./f"), &[("f", "y\n")]);
    same(&[("src/f", "x\n")], &edit("old/src/f", "new/src/f"));
    same(&[("f", "x\n")], &edit("f", "f"));
    let new = "--- /dev/null\n+++ src/new/f\n@@ -0,0 +1 @@\n+x\n";
    more_than_git(&[], new, &[("src/new/f", "x\n")]);
    same(&[("a/f", "x\n")], &edit("a/a/f", "b/a/f"));
}

#[test]
fn a_diff_in_a_fence_with_prose_around_it() {
    let fence = format!(
        "Here is the change:\n\n- it is small\n+ it is good\n\n```diff\n{}```\n\nThat is all.\n- one\n",
        f("@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n")
    );
    same(&[("f", &numbers(1, 5))], &fence);
    let markdown = f("@@ -1,4 +1,5 @@\n # Title\n ```sh\n-ls\n+ls -l\n+pwd\n ```\n");
    same(&[("f", "# Title\n```sh\nls\n```\n")], &markdown);
}

#[test]
fn git_headers_without_all_their_lines() {
    let hunk = "@@ -1 +1 @@\n-x\n+y\n";
    more_than_git(&[("f", "x\n")], &format!("diff --git a/f b/f\n{hunk}"), &[("f", "y\n")]);
    more_than_git(
        &[],
        "diff --git a/d/f b/d/f\n--- /dev/null\n+++ b/d/f\n@@ -0,0 +1 @@\n+x\n",
        &[("d/f", "x\n")],
    );
    more_than_git(
        &[("f", "x\n")],
        "diff --git a/f b/f\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
        &[],
    );
    same(&[], "diff --git a/e b/e\nnew file mode 100644\n--- /dev/null\n+++ b/e\n");
    let unnamed = format!("diff --git a/f b/g\n{hunk}");
    refused(&[("f", "x\n")], &unnamed, NoValidDiff, &["the file is not named"]);
}

#[test]
fn kinds_of_files_are_not_mixed_up() {
    let link = "diff --git a/l b/l\nindex 1..2 120000\n--- a/l\n+++ b/l\n@@ -1 +1 @@\n-f\n\\ No newline at end of file\n+g\n\\ No newline at end of file\n";
    same(&[("l", "-> f"), ("f", ""), ("g", "")], link);
    refused(&[("l", "f")], link, PatchFailed, &["expects a link, and it is a file"]);
    let file = "diff --git a/l b/l\nindex 1..2 100644\n--- a/l\n+++ b/l\n@@ -1 +1 @@\n-f\n+g\n";
    refused(&[("l", "-> f")], file, PatchFailed, &["expects a file, and it is a link"]);
    let turn = "diff --git a/f b/f\nold mode 100644\nnew mode 120000\n";
    refused(&[("f", "x")], turn, PatchFailed, &["in one part"]);
    let module = "diff --git a/m b/m\nnew file mode 160000\nindex 0000000..1111111\n--- /dev/null\n+++ b/m\n@@ -0,0 +1 @@\n+Subproject commit 1111111111111111111111111111111111111111\n";
    refused_by_us(&[], module, PatchFailed, &["a submodule"]);
}

#[test]
fn links_lead_to_places_inside_only() {
    let new = |at: &str, target: &str| {
        format!(
            "diff --git a/{at} b/{at}\nnew file mode 120000\n--- /dev/null\n+++ b/{at}\n@@ -0,0 +1 @@\n+{target}\n\\ No newline at end of file\n"
        )
    };
    let files = &[("d/e/f", "x\n")];
    for (at, target) in [("l", "d/e/f"), ("l", "nowhere"), ("d/l", "../d"), ("d/e/l", "../../x")] {
        same(files, &new(at, target));
    }
    for (at, target) in
        [("l", "/etc/passwd"), ("l", "../x"), ("d/l", "../../x"), ("l", "d/../../x")]
    {
        refused_by_us(files, &new(at, target), PatchFailed, &[at, "leads out of the workspace"]);
    }
    // A file through a link that the same diff makes.
    let through = format!("{}--- /dev/null\n+++ b/l/n\n@@ -0,0 +1 @@\n+x\n", new("l", "d"));
    refused(files, &through, PatchFailed, &["l/n: leads through a link"]);
}

#[test]
fn binary_changes_without_their_data_are_refused() {
    let git = "diff --git a/b.png b/b.png\nindex 1111111..2222222 100644\nBinary files a/b.png and b/b.png differ\n";
    refused(&[("b.png", "\0")], git, BinaryFile, &["b.png", "--binary"]);
    let other = f("@@ -1 +1 @@\n-x\n+y\n");
    // Git leaves this out without a word.
    let plain = format!("{other}Binary files a/b.png and b/b.png differ\n");
    refused_by_us(&[("f", "x\n"), ("b.png", "\0")], &plain, BinaryFile, &["b.png"]);
    let no_index = "diff --git a/b b/b\nnew file mode 100644\nGIT binary patch\nliteral 3\nKcmZQzWdHyG0RRF3000\n\n";
    refused(&[], no_index, NoValidDiff, &["damaged"]);
}

#[test]
fn a_binary_change_of_another_content_is_refused() {
    let (made, ours) = (place(), place());
    fs::write(made.root.join("b"), b"\0\x01\x02 some content that is long enough for a delta\0")
        .unwrap();
    git(&made.root, &["init", "-q"], b"").unwrap();
    git(&made.root, &["add", "-A"], b"").unwrap();
    fs::write(made.root.join("b"), b"\0\x01\x03 some content that is long enough for a delta\0")
        .unwrap();
    let diff = git(&made.root, &["diff", "--binary"], b"").unwrap();
    fs::write(ours.root.join("b"), b"\0\x01\x02 same content that is long enough for a delta\0")
        .unwrap();
    let error = apply(&ours, &diff).unwrap_err();
    assert!(error.message.contains("not the one that the diff was made from"), "{error}");
    let text = String::from_utf8(diff).unwrap();
    let short = text.replacen("index ", "index 00", 1);
    let error = apply(&ours, short.as_bytes()).unwrap_err();
    assert!(error.message.contains("no full hashes"), "{error}");
}
