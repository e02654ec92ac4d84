//! Laws over random trees, random changes and random damage.

use proptest::prelude::*;
use similar::TextDiff;

use super::*;

/// What is at a path of a generated tree.
#[derive(Clone, Debug, PartialEq)]
enum Thing {
    Text { lines: Vec<String>, ending: &'static str, ended: bool, runs: bool },
    Binary(Vec<u8>),
    Link(&'static str),
}

type Things = BTreeMap<&'static str, Thing>;

const NAMES: &[&str] = &[
    "a.txt",
    "b.txt",
    "dir/a.txt",
    "dir/b c.txt",
    "dir/sub/x",
    "d\u{e9}j\u{e0}",
    "q\"uote",
    "new\nline",
    "-dash",
    "dir2",
    "dir2/file",
    "tab\t",
    " space ",
    "x/y/z",
];

fn line() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "",
        "a",
        "b",
        "}",
        "    return x;",
        "-- sql",
        "++ plus",
        "@@ -1 +1 @@",
        "diff --git a/x b/x",
        "--- a/x",
        "+++ b/x",
        "\\ No newline at end of file",
        "-- ",
        "```",
        "\t",
        "caf\u{e9}",
        "trailing ",
    ])
    .prop_map(str::to_owned)
}

fn thing() -> impl Strategy<Value = Thing> {
    let lines = prop::collection::vec(prop_oneof![4 => line(), 1 => "[a-d]{1,3}"], 0..25);
    let ending = prop::sample::select(vec!["\n", "\n", "\r\n"]);
    let text = (lines, ending, any::<bool>(), prop::bool::weighted(0.2))
        .prop_map(|(lines, ending, ended, runs)| Thing::Text { lines, ending, ended, runs });
    let binary = prop::collection::vec(any::<u8>(), 1..300).prop_map(|mut bytes| {
        bytes[0] = 0;
        Thing::Binary(bytes)
    });
    let link = prop::sample::select(vec!["a.txt", "nowhere", "dir"]).prop_map(Thing::Link);
    prop_oneof![8 => text, 1 => binary, 1 => link]
}

/// What happens to a path.
#[derive(Clone, Debug)]
enum Fate {
    Stays,
    Goes,
    Becomes(Thing),
    MovesTo(&'static str),
    Edits(Vec<(prop::sample::Index, Option<String>)>),
}

fn fate() -> impl Strategy<Value = Fate> {
    let edit = (any::<prop::sample::Index>(), prop::option::of(line()));
    prop_oneof![
        2 => Just(Fate::Stays),
        1 => Just(Fate::Goes),
        1 => thing().prop_map(Fate::Becomes),
        2 => prop::sample::select(NAMES).prop_map(Fate::MovesTo),
        4 => prop::collection::vec(edit, 1..6).prop_map(Fate::Edits),
    ]
}

/// Without what would stand in a file.
fn consistent(things: Things) -> Things {
    let names: Vec<&str> = things.keys().copied().collect();
    let inside =
        |name: &str| names.iter().any(|n| name.strip_prefix(n).is_some_and(|r| r.starts_with('/')));
    things.into_iter().filter(|(name, _)| !inside(name)).collect()
}

fn things() -> impl Strategy<Value = Things> {
    prop::collection::btree_map(prop::sample::select(NAMES), thing(), 1..7).prop_map(consistent)
}

fn change(base: &Things, fates: &[Fate]) -> Things {
    let mut after = base.clone();
    for ((name, thing), fate) in base.iter().zip(fates) {
        match fate {
            Fate::Stays => {}
            Fate::Goes => drop(after.remove(name)),
            Fate::Becomes(new) => drop(after.insert(name, new.clone())),
            Fate::MovesTo(other) => {
                after.remove(name);
                after.insert(other, thing.clone());
            }
            Fate::Edits(edits) => {
                if let Some(Thing::Text { lines, .. }) = after.get_mut(name) {
                    for (at, text) in edits {
                        let at = at.index(lines.len() + 1);
                        match text {
                            Some(text) => lines.insert(at, text.clone()),
                            None if at < lines.len() => drop(lines.remove(at)),
                            None => {}
                        }
                    }
                }
            }
        }
    }
    consistent(after)
}

fn text(lines: &[String], ending: &str, ended: bool) -> String {
    let text = lines.join(ending);
    if ended && !lines.is_empty() { text + ending } else { text }
}

fn lay(root: &Path, things: &Things) {
    for entry in fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with(".git") {
            continue;
        }
        fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path)).unwrap();
    }
    for (name, thing) in things {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match thing {
            Thing::Text { lines, ending, ended, runs } => {
                fs::write(&path, text(lines, ending, *ended)).unwrap();
                let mode = if *runs { 0o755 } else { 0o644 };
                fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            }
            Thing::Binary(bytes) => fs::write(&path, bytes).unwrap(),
            Thing::Link(target) => symlink(target, &path).unwrap(),
        }
    }
}

/// The diff that git makes between two trees.
fn diff(base: &Things, after: &Things, options: &[&str]) -> Vec<u8> {
    let made = place();
    git(&made.root, &["init", "-q"], b"").unwrap();
    lay(&made.root, base);
    git(&made.root, &["add", "-A"], b"").unwrap();
    let tree = String::from_utf8(git(&made.root, &["write-tree"], b"").unwrap()).unwrap();
    lay(&made.root, after);
    git(&made.root, &["add", "-A"], b"").unwrap();
    let args = [&["diff", "--cached", "--binary"], options, &[tree.trim()]].concat();
    git(&made.root, &args, b"").unwrap()
}

/// One way to spoil a diff.
#[derive(Clone, Debug)]
enum Damage {
    Cut(prop::sample::Index),
    Lose(prop::sample::Index, usize),
    Double(prop::sample::Index),
    Swap(prop::sample::Index),
    Byte(prop::sample::Index, u8),
    Number(prop::sample::Index, u32),
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        at().prop_map(Damage::Cut),
        (at(), 1_usize..4).prop_map(|(at, count)| Damage::Lose(at, count)),
        at().prop_map(Damage::Double),
        at().prop_map(Damage::Swap),
        (at(), prop::sample::select(b" +-\\@\n\r\"/.\t`0aG\xff\0".to_vec()))
            .prop_map(|(at, b)| Damage::Byte(at, b)),
        (at(), any::<u32>()).prop_map(|(at, n)| Damage::Number(at, n)),
    ]
}

fn spoil(diff: &[u8], damages: &[Damage]) -> Vec<u8> {
    let mut bytes = diff.to_vec();
    for damage in damages {
        let mut lines: Vec<Vec<u8>> =
            bytes.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
        if lines.is_empty() {
            return bytes;
        }
        match damage {
            Damage::Cut(at) => {
                bytes.truncate(at.index(bytes.len()));
                continue;
            }
            Damage::Byte(at, byte) => {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
                continue;
            }
            Damage::Lose(at, count) => {
                let at = at.index(lines.len());
                lines.drain(at..(at + count).min(lines.len()));
            }
            Damage::Double(at) => {
                let at = at.index(lines.len());
                lines.insert(at, lines[at].clone());
            }
            Damage::Swap(at) => {
                let at = at.index(lines.len());
                let other = (at + 1) % lines.len();
                lines.swap(at, other);
            }
            Damage::Number(at, number) => {
                let heads: Vec<usize> =
                    (0..lines.len()).filter(|at| lines[*at].starts_with(b"@@ -")).collect();
                if let Some(at) = heads.get(at.index(heads.len().max(1))) {
                    lines[*at] =
                        format!("@@ -{},{} +{} @@\n", number % 30, number % 7, number % 31)
                            .into_bytes();
                }
            }
        }
        bytes = lines.concat();
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_diff_of_git_makes_the_tree_that_it_was_made_from(
        base in things(),
        fates in prop::collection::vec(fate(), 7),
        more in things(),
        options in prop::sample::select(vec![&["-M"][..], &[], &["-M", "-C", "-C"], &["-U1"], &["-U9"]]),
    ) {
        let mut after = change(&base, &fates);
        after.extend(more.into_iter().take(2));
        let after = consistent(after);
        let diff = diff(&base, &after, options);
        let ours = place();
        lay(&ours.root, &base);
        if diff.is_empty() {
            return Ok(());
        }
        let shown = String::from_utf8_lossy(&diff).into_owned();
        apply(&ours, &diff).unwrap_or_else(|e| panic!("{e}\n{shown}"));
        let wanted = place();
        lay(&wanted.root, &after);
        prop_assert_eq!(tree(&ours.root), tree(&wanted.root), "{}", shown);
    }

    #[test]
    fn a_spoilt_diff_changes_all_or_nothing(
        base in things(),
        fates in prop::collection::vec(fate(), 7),
        damages in prop::collection::vec(damage(), 1..4),
    ) {
        let diff = diff(&base, &change(&base, &fates), &["-M"]);
        let diff = spoil(&diff, &damages);
        let ours = place();
        lay(&ours.root, &base);
        // The trees before, after a failure and after undoing are compared inside.
        if let Err(error) = apply(&ours, &diff) {
            prop_assert!(error.code != Code::Internal && error.code != Code::Io, "{}", error);
            prop_assert!(!error.message.is_empty());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes_are_a_diff_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        if let Err(error) = parse(&bytes) {
            prop_assert_eq!(error.code, Code::NoValidDiff);
        }
    }

    #[test]
    fn hunks_fit_the_text_they_were_made_from_wherever_it_moved(
        old in prop::collection::vec(line(), 0..30),
        new in prop::collection::vec(line(), 0..30),
        ended in any::<(bool, bool)>(),
        context in 1_usize..5,
        crlf in any::<bool>(),
        head in prop::collection::vec("[x-z]{6}", 0..5),
    ) {
        let (old, new) = (text(&old, "\n", ended.0), text(&new, "\n", ended.1));
        let diff = TextDiff::from_lines(&old, &new).unified_diff().context_radius(context).header("f", "f").to_string();
        if diff.is_empty() {
            return Ok(());
        }
        let set = parse(&diff).unwrap_or_else(|e| panic!("{e}\n{diff}"));
        let super::super::Body::Hunks(hunks) = &set.files[0].body else { panic!("{diff}") };
        let fit = |bytes: &[u8]| super::super::fit::fit(bytes, hunks);
        prop_assert_eq!(String::from_utf8(fit(old.as_bytes()).unwrap().0).unwrap(), new.clone());
        if crlf && old.contains('\n') {
            let dos = |text: &str| text.replace('\n', "\r\n");
            let (bytes, _) = fit(dos(&old).as_bytes()).unwrap();
            prop_assert_eq!(String::from_utf8(bytes).unwrap(), dos(&new));
        }
        // Lines that are new at the top move all hunks that do not name the first line.
        if hunks.iter().all(|hunk| hunk.old_start > 1) {
            let head: String = head.iter().map(|line| format!("{line}\n")).collect();
            let (bytes, placed) = fit(format!("{head}{old}").as_bytes()).unwrap();
            prop_assert_eq!(String::from_utf8(bytes).unwrap(), format!("{head}{new}"));
            let lines = head.lines().count() as isize;
            prop_assert!(placed.iter().all(|p| p.offset <= lines));
        }
    }
}
