//! What is read of a repository is what git's own plumbing says.

use std::os::unix::ffi::OsStringExt as _;

use super::*;

/// Compares all that can be read in the root, or the directory given, with the plumbing.
#[track_caller]
fn agrees(place: &Place, dir: &str) {
    let repository = place.open_in(dir).unwrap();
    let status = repository.status().unwrap();
    let form = ["status", "--porcelain=v2", "-z", "-uall", "--ignore-submodules=dirty"];
    let raw = place.git_in(dir, &form);
    let (mut lines, mut plain) = (parts(&raw), Vec::new());
    while let Some(line) = lines.next() {
        let fields = match line[0] {
            b'1' => 8,
            b'2' => 9,
            b'u' => 10,
            _ => 1,
        };
        let path = shown(line.splitn(fields + 1, |b| *b == b' ').nth(fields).unwrap());
        let from = (line[0] == b'2').then(|| shown(lines.next().unwrap()));
        let letters =
            if line[0] == b'?' { "??".into() } else { text(&line[2..4]).replace('.', "") };
        plain.push((letters, path, from));
    }
    let ours: Vec<_> =
        status.changes.iter().map(|c| (c.letters(), c.path.clone(), c.from.clone())).collect();
    assert_eq!(ours, plain);
    let head = place.try_git(dir, &["rev-parse", "-q", "--verify", "HEAD"]);
    let head = head.status.success().then(|| text(&head.stdout).trim().to_owned());
    assert_eq!(status.head.commit(), head.as_deref());
    assert_eq!(repository.head().unwrap(), status.head);
    let name = place.try_git(dir, &["symbolic-ref", "-q", "--short", "HEAD"]);
    let name = name.status.success().then(|| text(&name.stdout).trim().to_owned());
    assert_eq!(status.head.branch(), name.as_deref());
    diffs_agree(place, &repository, dir);
    history_agrees(place, &repository, dir);
}

#[track_caller]
fn diffs_agree(place: &Place, repository: &Repository<'_>, dir: &str) {
    for staged in [false, true] {
        let diff = repository.diff(&[], staged).unwrap();
        let mut form = vec!["diff", "--numstat", "-z", "--no-renames", "--ignore-submodules=dirty"];
        form.extend(staged.then_some("--cached"));
        let raw = place.git_in(dir, &form);
        let mut plain: Vec<(String, u64, u64)> = Vec::new();
        for line in parts(&raw) {
            let mut fields = line.splitn(3, |b| *b == b'\t');
            let mut number = || text(fields.next().unwrap()).parse().unwrap_or(0);
            let (added, removed) = (number(), number());
            plain.push((shown(fields.next().unwrap()), added, removed));
        }
        plain.retain(|(_, added, removed)| added + removed > 0);
        plain.dedup();
        let count = |file: &FileDiff, sign: char| {
            let lines = file.chunks.iter().flat_map(|c| c.content.lines());
            lines.filter(|line| line.starts_with(sign)).count() as u64
        };
        for file in diff.files.iter().filter(|f| f.kind != Kind::Renamed && !f.conflict) {
            let (added, removed) = (count(file, '+'), count(file, '-'));
            if added + removed > 0 {
                assert!(plain.contains(&(file.path.clone(), added, removed)), "{file:?} {plain:?}");
            }
            for chunk in &file.chunks {
                let lines = chunk.content.lines().filter(|l| !l.starts_with('\\'));
                let old = lines.clone().filter(|l| !l.starts_with('+')).count() as u64;
                let new = lines.filter(|l| !l.starts_with('-')).count() as u64;
                assert_eq!((chunk.old_lines, chunk.new_lines), (old, new), "{chunk:?}");
            }
        }
        let touched = |path: &str| {
            let same = |f: &FileDiff| f.path == path || f.from.as_deref() == Some(path);
            diff.files.iter().any(same)
        };
        assert!(plain.iter().all(|(path, ..)| touched(path)), "{plain:?} {:?}", diff.files);
    }
}

#[track_caller]
fn history_agrees(place: &Place, repository: &Repository<'_>, dir: &str) {
    let (entries, omitted) = repository.log(&Wanted { count: 1000, ..Wanted::default() }).unwrap();
    let hashes: Vec<String> = entries.iter().map(|e| e.hash.clone()).collect();
    let listed = place.try_git(dir, &["rev-list", "HEAD"]);
    let listed: Vec<String> = text(&listed.stdout).lines().map(str::to_owned).collect();
    assert_eq!((hashes, omitted), (if listed == ["HEAD"] { Vec::new() } else { listed }, 0));
    let branches: Vec<_> =
        repository.branches().unwrap().into_iter().map(|b| (b.name, b.commit)).collect();
    let form = ["for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", "refs/heads"];
    let listed = text(&place.git_in(dir, &form));
    let listed: Vec<_> = listed
        .lines()
        .map(|l| l.split_once(' ').unwrap())
        .map(|(a, b)| (a.into(), b.into()))
        .collect();
    assert_eq!(branches, listed);
}

#[test]
fn an_empty_repository() {
    let place = Place::new(Sandbox::Auto, Limits::default());
    place.git(&["init", "-q"]);
    agrees(&place, ".");
    place.write("new", "x\n");
    place.git(&["add", "new"]);
    agrees(&place, ".");
    let status = place.open().status().unwrap();
    assert_eq!(status.head, Head::Unborn("trunk".to_owned()));
    assert_eq!(letters(&status), [("A".to_owned(), "new".to_owned())]);
    assert_eq!(place.open().diff(&[], true).unwrap().files[0].kind, Kind::Added);
}

#[test]
fn a_file_that_is_staged_and_changed_again() {
    let place = place();
    agrees(&place, ".");
    place.write("a", "one\n2\nthree\n");
    place.git(&["add", "a"]);
    place.write("a", "one\n2\n3\n");
    fs::remove_file(place.at("sub/b")).unwrap();
    place.write("sub/new", "n");
    agrees(&place, ".");
    let status = place.open().status().unwrap();
    let wanted = [("MM", "a"), ("D", "sub/b"), ("??", "sub/new")];
    assert_eq!(letters(&status), wanted.map(|(l, p)| (l.to_owned(), p.to_owned())));
    assert_eq!(
        status.changes.iter().map(Change::is_staged).collect::<Vec<_>>(),
        [true, false, false]
    );
    let files = |staged| place.open().diff(&["a".to_owned()], staged).unwrap().files;
    assert_eq!(files(true)[0].chunks[0].content, " one\n-two\n+2\n three\n");
    assert_eq!(files(false)[0].chunks[0].content, " one\n 2\n-three\n+3\n");
    let gone = place.open().diff(&["sub/b".to_owned()], false).unwrap();
    assert_eq!((gone.files.len(), gone.files[0].kind), (1, Kind::Deleted));
}

#[test]
fn renames_modes_binaries_and_files_without_a_last_line_feed() {
    let place = place();
    place.git(&["mv", "sub/b", "sub/c d"]);
    make_executable(&place.at("a"));
    fs::write(place.at("binary"), [0, 1, 2, 255]).unwrap();
    fs::write(place.at("empty"), "").unwrap();
    place.git(&["add", "-A"]);
    agrees(&place, ".");
    place.write("a", "one\ntwo");
    agrees(&place, ".");
    let diff = place.open().diff(&[], true).unwrap();
    let found: Vec<_> = diff
        .files
        .iter()
        .map(|f| (f.path.as_str(), f.from.as_deref(), f.kind, f.binary, f.chunks.len()))
        .collect();
    assert_eq!(
        found,
        [
            ("a", None, Kind::Modified, false, 0),
            ("binary", None, Kind::Added, true, 0),
            ("empty", None, Kind::Added, false, 0),
            ("sub/c d", Some("sub/b"), Kind::Renamed, false, 0),
        ]
    );
    let changed = place.open().diff(&[], false).unwrap();
    assert!(changed.files[0].chunks[0].content.ends_with("+two\n\\ No newline at end of file\n"));
}

#[test]
fn all_seven_kinds_of_conflict() {
    let place = place();
    // Each entry: the stages of the index that a conflict of this kind has.
    let kinds = [
        ("DD", "1"),
        ("AU", "2"),
        ("UD", "12"),
        ("UA", "3"),
        ("DU", "13"),
        ("AA", "23"),
        ("UU", "123"),
    ];
    let mut info = String::new();
    for (kind, stages) in kinds {
        for stage in stages.chars() {
            place.write("side", &format!("{kind} {stage}\n"));
            let hash = place.line(&["hash-object", "-w", "side"]);
            info += &format!("100644 {hash} {stage}\t{kind}\n");
        }
        place.write(kind, "worked on\n");
    }
    fs::remove_file(place.at("side")).unwrap();
    let mut child = Command::new("git")
        .args(["update-index", "--index-info"])
        .current_dir(place.at(""))
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(child.stdin.as_mut().unwrap(), info.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    agrees(&place, ".");
    let status = place.open().status().unwrap();
    let mut found: Vec<_> = status
        .changes
        .iter()
        .filter(|c| c.conflict)
        .map(|c| (c.letters(), c.path.clone()))
        .collect();
    let mut wanted: Vec<_> =
        kinds.iter().map(|(k, _)| ((*k).to_owned(), (*k).to_owned())).collect();
    found.sort();
    wanted.sort();
    assert_eq!(found, wanted);
    let diff = place.open().diff(&[], false).unwrap();
    let both = diff.files.iter().find(|f| f.path == "UU" && !f.chunks.is_empty()).unwrap();
    assert!(both.conflict && both.chunks[0].content.contains("+worked on"), "{both:?}");
}

#[test]
fn a_merge_with_a_conflict() {
    let place = place();
    place.git(&["switch", "-qc", "other"]);
    place.write("a", "one\nother\nthree\n");
    place.git(&["commit", "-qam", "Other"]);
    place.git(&["switch", "-q", "trunk"]);
    place.write("a", "one\ntrunk\nthree\n");
    place.git(&["commit", "-qam", "Trunk"]);
    assert!(!place.try_git("", &["merge", "other"]).status.success());
    agrees(&place, ".");
    let diff = place.open().diff(&[], false).unwrap();
    let chunk = &diff.files[0].chunks[0];
    assert!(diff.files[0].conflict && chunk.content.contains("++<<<<<<< HEAD"), "{diff:?}");
    assert_eq!((chunk.old_start, chunk.new_start), (1, 1));
}

#[test]
fn names_with_everything_that_a_name_can_hold() {
    let place = place();
    let names: [&[u8]; 8] = [
        b"with space",
        b"tail ",
        b"quo\"te",
        b"back\\slash",
        b"line\nfeed\tand\x07bell",
        b"latin\xff\xfe1",
        "größe 文".as_bytes(),
        b":(glob)*",
    ];
    let names: Vec<OsString> = names.iter().map(|n| OsString::from_vec(n.to_vec())).collect();
    for name in &names {
        place.write(name, "old\n");
    }
    place.write("-dash", "old\n");
    agrees(&place, ".");
    let untracked = place.open().status().unwrap();
    assert_eq!(untracked.changes.len(), 9);
    // The names of the answer are good as parameters.
    for change in &untracked.changes {
        let (staged, _) = place.open().stage(std::slice::from_ref(&change.path)).unwrap();
        assert_eq!(staged, [change.path.as_str()]);
    }
    place.git(&["commit", "-qm", "Names"]);
    for name in names {
        place.write(name, "new\n");
    }
    place.write("-dash", "new\n");
    agrees(&place, ".");
    for change in place.open().status().unwrap().changes {
        let diff = place.open().diff(std::slice::from_ref(&change.path), false).unwrap();
        assert_eq!(diff.files.len(), 1, "{change:?}");
        assert_eq!(diff.files[0].path, change.path);
        let wanted = Wanted { count: 9, file: Some(&change.path), ..Wanted::default() };
        assert_eq!(place.open().log(&wanted).unwrap().0.len(), 1);
    }
}

#[test]
fn a_detached_head() {
    let place = place();
    place.write("a", "more\n");
    place.git(&["commit", "-qam", "Second"]);
    place.git(&["switch", "-q", "--detach", "HEAD~1"]);
    place.write("a", "other\n");
    agrees(&place, ".");
    let head = place.open().head().unwrap();
    assert_eq!(head, Head::Detached(place.line(&["rev-parse", "HEAD"])));
    assert_eq!(head.branch(), None);
}

#[test]
fn a_submodule_at_another_commit_and_one_with_changes_inside() {
    let place = place();
    place.git(&["init", "-q", "../source"]);
    let source = "../source";
    place.git_in(source, &["commit", "-q", "--allow-empty", "-m", "One"]);
    place.git(&["submodule", "--quiet", "add", "../source", "module"]);
    place.git(&["commit", "-qm", "Module"]);
    agrees(&place, ".");
    agrees(&place, "module");
    place.write("module/inside", "x");
    agrees(&place, ".");
    agrees(&place, "module");
    assert!(place.open().status().unwrap().changes.is_empty());
    place.git_in("module", &["commit", "-q", "--allow-empty", "-m", "Two"]);
    agrees(&place, ".");
    assert_eq!(letters(&place.open().status().unwrap()), [("M".to_owned(), "module".to_owned())]);
    let diff = place.open().diff(&[], false).unwrap();
    assert!(diff.files[0].chunks[0].content.contains("-Subproject commit "), "{diff:?}");
    // A workspace that is the submodule alone: its history lies outside, and leads back.
    let inner = Workspace::open(&place.at("module"), &[], Limits::default()).unwrap();
    let repository =
        Repository::open(&place.runner, &inner, &place.cancel, None, &place.vetted(), ".").unwrap();
    assert_eq!(letters(&repository.status().unwrap()), [("??".to_owned(), "inside".to_owned())]);
}

#[test]
fn a_linked_worktree_inside_and_one_that_is_the_workspace() {
    let place = place();
    place.git(&["worktree", "add", "-q", "linked", "-b", "side"]);
    place.write("linked/a", "changed\n");
    agrees(&place, "linked");
    let outside = place.at("../outside");
    place.git(&["worktree", "add", "-q", "../outside", "-b", "far"]);
    fs::write(outside.join("a"), "far\n").unwrap();
    let alone = Workspace::open(&outside, &[], Limits::default()).unwrap();
    let repository =
        Repository::open(&place.runner, &alone, &place.cancel, None, &place.vetted(), ".").unwrap();
    assert_eq!(letters(&repository.status().unwrap()), [("M".to_owned(), "a".to_owned())]);
    assert_eq!(repository.head().unwrap().branch(), Some("far"));
    repository.stage(&[]).unwrap();
    let commit = Commit { message: "Far", ..Commit::default() };
    let hash = repository.commit(&commit).unwrap().hash;
    assert_eq!(place.line(&["rev-parse", "far"]), hash);
}

#[test]
fn a_bare_repository_has_history_and_no_files() {
    let place = place();
    place.git(&["clone", "-q", "--bare", ".", "bare.git"]);
    let repository = place.open_in("bare.git").unwrap();
    history_agrees(&place, &repository, "bare.git");
    assert_eq!(repository.head().unwrap().branch(), Some("trunk"));
    let error = repository.status().unwrap_err();
    assert_eq!(error.code, Code::NotAGitRepository);
    assert!(error.message.starts_with("bare.git: no work tree here"), "{error}");
    assert_eq!(
        place.open_in(".git").unwrap().diff(&[], false).unwrap_err().code,
        Code::NotAGitRepository
    );
}

#[test]
fn ahead_of_a_remote_and_behind_it() {
    let place = place();
    place.git(&["clone", "-q", "--bare", ".", "../far.git"]);
    place.git(&["remote", "add", "origin", "../far.git"]);
    place.git(&["push", "-qu", "origin", "trunk"]);
    for message in ["Two", "Three"] {
        place.git(&["commit", "-q", "--allow-empty", "-m", message]);
    }
    place.git(&["push", "-q"]);
    place.git(&["reset", "-q", "--hard", "HEAD~2"]);
    place.git(&["commit", "-q", "--allow-empty", "-m", "Mine"]);
    agrees(&place, ".");
    let upstream = place.open().status().unwrap().upstream.unwrap();
    assert_eq!(upstream, Upstream { name: "origin/trunk".to_owned(), apart: Some((1, 2)) });
    let counts = place.line(&["rev-list", "--left-right", "--count", "HEAD...@{upstream}"]);
    assert_eq!(counts, "1\t2");
    assert_eq!(place.open().branches().unwrap()[0].upstream.as_deref(), Some("origin/trunk"));
    place.git(&["update-ref", "-d", "refs/remotes/origin/trunk"]);
    assert_eq!(place.open().status().unwrap().upstream.unwrap().apart, None);
}

#[test]
fn a_folder_of_a_repository_is_its_repository() {
    let place = place();
    place.write("a", "changed\n");
    agrees(&place, "sub");
    let repository = place.open_in("sub").unwrap();
    assert_eq!((repository.top().as_str(), repository.note()), (".", None));
    assert_eq!(letters(&repository.status().unwrap())[0].1, "a");
    assert_eq!(repository.diff(&["a".to_owned()], false).unwrap().files.len(), 1);
    let full = place.at("a").display().to_string();
    assert_eq!(repository.diff(&[full], false).unwrap().files.len(), 1);
    assert_eq!(repository.diff(&["sub/../a".to_owned()], false).unwrap().files.len(), 1);
}

#[test]
fn the_log_has_every_field_and_keeps_to_what_is_wanted() {
    let place = place();
    place.git(&["config", "i18n.commitEncoding", "ISO-8859-1"]);
    fs::write(place.at("../message"), b"\xdcber\n\nzwei\nZeilen\n").unwrap();
    place.git(&["commit", "-q", "--allow-empty", "-F", "../message"]);
    place.write("sub/b", "changed\n");
    place.git(&[
        "commit",
        "-qam",
        "B",
        "--author=Bo (Q) <bo+x@example.org>",
        "--date=2020-01-02T03:04:05+0600",
    ]);
    let log = |wanted: Wanted<'_>| place.open().log(&wanted).unwrap().0;
    let all = Wanted { count: 20, ..Wanted::default() };
    let entries = log(all.clone());
    assert_eq!(entries.len(), 3);
    assert_eq!(entries[0].date, "2020-01-02T03:04:05+06:00");
    assert_eq!(
        (entries[0].author.as_str(), entries[0].email.as_str()),
        ("Bo (Q)", "bo+x@example.org")
    );
    assert_eq!(entries[1].message, "Über\n\nzwei\nZeilen");
    assert_eq!(entries[0].parents, [entries[1].hash.clone()]);
    assert_eq!(log(Wanted { count: 1, ..all.clone() }).len(), 1);
    assert_eq!(log(Wanted { file: Some("sub/b"), ..all.clone() }).len(), 2);
    assert_eq!(log(Wanted { file: Some("sub"), ..all.clone() }).len(), 2);
    assert_eq!(log(Wanted { author: Some("bo+x@"), ..all.clone() }).len(), 1);
    assert_eq!(log(Wanted { author: Some("(Q)"), ..all.clone() }).len(), 1);
    assert_eq!(log(Wanted { since: Some("yesterday"), ..all.clone() }).len(), 3);
    assert_eq!(log(Wanted { until: Some("2 days ago"), ..all.clone() }).len(), 0);
    let refused = |wanted: Wanted<'_>| place.open().log(&wanted).unwrap_err();
    let error = refused(Wanted { since: Some("banana"), ..all.clone() });
    assert_eq!(error.code, Code::InvalidDateRange);
    let error =
        refused(Wanted { since: Some("yesterday"), until: Some("2 days ago"), ..all.clone() });
    assert_eq!(error.code, Code::InvalidDateRange);
    assert_eq!(refused(Wanted { file: Some("nowhere"), ..all.clone() }).code, Code::FileNotFound);
    place.git(&["rm", "-q", "a"]);
    place.git(&["commit", "-qm", "Gone"]);
    assert_eq!(log(Wanted { file: Some("a"), ..all }).len(), 2);
}

#[test]
fn what_is_too_long_is_cut_and_said() {
    let limits = Limits { git_bytes: 2000, ..Limits::default() };
    let place = Place::new(Sandbox::Auto, limits);
    place.git(&["init", "-q"]);
    for i in 0..200 {
        place.write(format!("file number {i}"), "line\n");
    }
    let status = place.open().status().unwrap();
    assert!(status.omitted_bytes > 1000 && status.changes.len() > 50, "{status:?}");
    assert!(status.changes.iter().all(|c| c.path.starts_with("file number ")));
    place.git(&["add", "-A"]);
    let diff = place.open().diff(&[], true).unwrap();
    assert!(diff.omitted_bytes > 10_000 && diff.raw.len() == 2000 && diff.files.len() > 5);
    place.git(&["commit", "-qm", "x"]);
    for i in 0..50 {
        place.git(&["commit", "-q", "--allow-empty", "-m", &format!("message {i}")]);
    }
    let (entries, omitted) = place.open().log(&Wanted { count: 50, ..Wanted::default() }).unwrap();
    assert!(omitted > 1000 && entries.len() > 5, "{omitted} {}", entries.len());
    assert!(entries.iter().all(|e| e.message.starts_with("message ") && e.hash.len() == 40));
}

#[test]
fn nothing_of_a_look_is_written() {
    let place = place();
    let index = place.at(".git/index");
    let before = (fs::read(&index).unwrap(), fs::metadata(&index).unwrap().modified().unwrap());
    place.write("a", "one\ntwo\nthree\n"); // the same content, so git would refresh its index
    place.open().status().unwrap();
    place.open().diff(&[], false).unwrap();
    assert_eq!(
        (fs::read(&index).unwrap(), fs::metadata(&index).unwrap().modified().unwrap()),
        before
    );
}
