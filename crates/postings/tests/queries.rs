//! No text with a match is ever missed, whatever the pattern, and few are named without one.

#![expect(clippy::unwrap_used, reason = "tests stop where something is missing")]

use std::io::Write as _;

use postings::{Builder, Query, Segment, Set, Text};
use proptest::prelude::*;

fn segment(texts: &[Vec<u8>]) -> Segment {
    opened(&built(texts, |_| true))
}

/// The bytes of a segment of those of the texts that are wanted, by their numbers.
fn built(texts: &[Vec<u8>], wanted: impl Fn(usize) -> bool) -> Vec<u8> {
    let mut builder = Builder::default();
    for (number, content) in texts.iter().enumerate().filter(|(number, _)| wanted(*number)) {
        let name = format!("{number:03}");
        let body = &b"body"[..number.min(4)];
        let text = Text { name: name.as_bytes(), state: [number as u64, 2, 3], kind: 7, body };
        builder.add(&text, content);
    }
    builder.finish()
}

fn opened(bytes: &[u8]) -> Segment {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    Segment::open(&file).unwrap()
}

fn named(segment: &Segment, pattern: &str, ignore_case: bool) -> Option<Vec<usize>> {
    Some(Query::new(pattern, false, ignore_case)?.texts(segment).iter().collect())
}

fn few(texts: &[&str]) -> Segment {
    segment(&texts.iter().map(|t| t.as_bytes().to_vec()).collect::<Vec<_>>())
}

#[test]
fn a_query_names_the_texts_that_hold_its_words() {
    let texts = few(&[
        "fn mutex_lock(a: &Mutex) -> Guard",
        "let guard = mutex_lock_nested(a);",
        "MUTEX_LOCK in capitals != the others",
        "nothing of it",
        "GuardRail->post",
    ]);
    let named = |pattern| named(&texts, pattern, false);
    assert_eq!(named("mutex_lock"), Some(vec![0, 1]));
    assert_eq!(named(r"mutex_lock\("), Some(vec![0]), "the word ends where a mark follows");
    assert_eq!(named("x_lo"), Some(vec![0, 1]), "a part of a word");
    assert_eq!(named("Guard"), Some(vec![0, 4]));
    assert_eq!(named(r"&Mutex\)"), Some(vec![0]), "between marks stands a whole word");
    assert_eq!(named("!="), Some(vec![2]));
    assert_eq!(named("(?i)mutex_lock"), Some(vec![0, 1, 2]));
    assert_eq!(named("[A-Z]+_LOCK"), Some(vec![2]));
    assert_eq!(named("nowhere|capitals"), Some(vec![2]));
    assert_eq!(named("colou?r"), Some(vec![]));
    assert_eq!(named("(?:nothing|capitals).*(?:of|in)"), Some(vec![2, 3]));
    assert_eq!(named("absent_word"), Some(vec![]));
    assert_eq!(named(r"\w+"), None, "nothing to look for");
    assert_eq!(named("a"), None);
    assert_eq!(named("x*"), None);
    assert_eq!(named("("), None, "no pattern");
    let word = |word| Some(Query::word(word)?.texts(&texts).iter().collect::<Vec<_>>());
    assert_eq!(word("mutex_lock"), Some(vec![0]));
    assert_eq!(word("a"), Some(vec![0, 1]), "also a short one");
    assert_eq!(word("Mutex)"), None);
    assert_eq!(word(""), None);
}

#[test]
fn a_stem_begins_parts_of_words() {
    let texts = few(&[
        "pick_next_task(rq)",
        "struct TaskNext { doPick: bool }",
        "MULTITASK unpicked context",
        "nextTask nexttask",
    ]);
    let with = |stem: &str| texts.texts_with(&texts.stem(stem)).iter().collect::<Vec<_>>();
    assert_eq!(with("task"), [0, 1, 3]);
    assert_eq!(with("next"), [0, 1, 3]);
    assert_eq!(with("pick"), [0, 1]);
    assert_eq!(with("text"), [0; 0]);
    assert_eq!(with("ta"), [0; 0], "too short");
    let [task, next, pick] = ["task", "next", "pick"].map(|stem| texts.stem(stem));
    let best = texts.best_words(&[(&task, 1.0), (&next, 2.0), (&pick, 4.0)]);
    assert_eq!(best, [7.0, 3.0, 0.0, 3.0], "of two stems at least");
}

#[test]
fn parts_of_words_without_end_are_found() {
    let long = "ab".repeat(5000) + "needle_in_the_middle" + &"cd".repeat(5000);
    let texts = few(&["short", &long, &"é".repeat(200)]);
    assert_eq!(named(&texts, "needle_in_the_middle", false), Some(vec![1]));
    assert_eq!(named(&texts, &"ab".repeat(100), false), Some(vec![1]));
    assert_eq!(named(&texts, "éééééé", false), Some(vec![2]));
}

#[test]
fn texts_come_back_as_they_were_given() {
    let texts = few(&["a", "b", "c"]);
    let all: Vec<_> = texts.texts().collect();
    assert_eq!(all.len(), 3);
    assert_eq!(all[1], Text { name: b"001", state: [1, 2, 3], kind: 7, body: b"b" });
    texts.rest();
    assert_eq!([texts.body(0), texts.body(2), texts.body(3)], [&b""[..], b"bo", b""]);
}

#[test]
fn a_damaged_segment_is_refused_or_answers_something() {
    let mut builder = Builder::default();
    builder.add(
        &Text { name: b"x", state: [0; 3], kind: 0, body: b"kept" },
        b"some words to be kept -> here",
    );
    let whole = builder.finish();
    for cut in 0..whole.len() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&whole[..cut]).unwrap();
        if let Ok(segment) = Segment::open(&file) {
            let _ = Query::new("words", false, false).unwrap().texts(&segment);
        }
    }
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0xff;
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&bytes).unwrap();
        if let Ok(segment) = Segment::open(&file) {
            for pattern in ["words", "->", "some words to be"] {
                let _ = Query::new(pattern, false, false).unwrap().texts(&segment);
            }
            assert!(segment.texts().count() <= 2);
            assert!(segment.body(0).len() <= whole.len());
        }
    }
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-cA-C_k]{1,9}",
        "[a-c(\\-> ]{1,6}",
        Just("é".to_owned()),
        Just("K".to_owned()), // the sign of kelvin, which is a k to whoever ignores case
        Just(" ".to_owned()),
        Just("\n".to_owned()),
        "[ab]{60,140}",
    ]
}

fn pattern() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "[a-cA-C_k]{1,6}",
        "[a-c]{1,3} [a-c]{1,3}",
        Just(r"\(".to_owned()),
        Just("->".to_owned()),
        Just("[a-c]".to_owned()),
        Just(r"\w".to_owned()),
        Just(r"\b".to_owned()),
        Just(".".to_owned()),
        Just("é".to_owned()),
        Just("^".to_owned()),
        "[ab]{15,70}",
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
            prop::collection::vec(inner.clone(), 1..4)
                .prop_map(|parts| format!("(?:{})", parts.join("|"))),
            inner.clone().prop_map(|sub| format!("(?:{sub})?")),
            inner.clone().prop_map(|sub| format!("(?:{sub})+")),
            inner.clone().prop_map(|sub| format!("(?:{sub}){{2,3}}")),
            inner.prop_map(|sub| format!("(?i:{sub})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn a_stem_is_in_the_texts_with_a_word_that_has_a_part_of_it(
        texts in prop::collection::vec("([abAB_1]{1,9} ){1,12}", 1..8),
        stem in "[ab]{3,4}|[ab1]{3}|1{3}",
    ) {
        let begins = |text: &str| (0..text.len()).any(|at| {
            let rest = text.as_bytes().get(at..at + stem.len());
            let here = text.as_bytes()[at];
            rest.is_some_and(|rest| rest.eq_ignore_ascii_case(stem.as_bytes()))
                && text.as_bytes()[..at].last().is_none_or(|before| {
                    !before.is_ascii_alphabetic()
                        || before.is_ascii_lowercase() && here.is_ascii_uppercase()
                })
        });
        let all = few(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let found: Vec<_> = all.texts_with(&all.stem(&stem)).iter().collect();
        let expected: Vec<_> = (0..texts.len()).filter(|at| begins(&texts[*at])).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn merged_segments_are_the_one_that_would_have_been_built(
        texts in prop::collection::vec(
            (prop::collection::vec(piece(), 0..8), 0..4_u8, any::<bool>()), 0..16
        ),
    ) {
        let contents: Vec<_> = texts.iter().map(|(text, ..)| text.concat().into_bytes()).collect();
        let parts: Vec<_> = (0..4)
            .map(|part| {
                let segment = opened(&built(&contents, |number| texts[number].1 == part));
                let mut kept = Set::empty(segment.len());
                let own = texts.iter().filter(|(_, own, _)| *own == part);
                let own = own.enumerate().filter(|(_, (.., is_kept))| *is_kept);
                own.for_each(|(number, _)| kept.insert(number as u32));
                (segment, kept)
            })
            .collect();
        let parts: Vec<_> = parts.iter().map(|(segment, kept)| (segment, kept)).collect();
        let expected = built(&contents, |number| texts[number].2);
        prop_assert_eq!(postings::merge(&parts, &|| false), Some(expected));
        let has_words = contents.iter().flatten().any(|byte| byte.is_ascii_alphabetic());
        prop_assert!(!has_words || postings::merge(&parts, &|| true).is_none());
    }

    #[test]
    fn no_text_with_a_match_is_missed(
        texts in prop::collection::vec(prop::collection::vec(piece(), 0..12), 1..8),
        pattern in pattern(),
        ignore_case in any::<bool>(),
    ) {
        let texts: Vec<String> = texts.into_iter().map(|pieces| pieces.concat()).collect();
        let regex = regex::RegexBuilder::new(&pattern).multi_line(true).crlf(true)
            .case_insensitive(ignore_case).build().unwrap();
        let segment = segment(&texts.iter().map(|t| t.clone().into_bytes()).collect::<Vec<_>>());
        if let Some(named) = named(&segment, &pattern, ignore_case) {
            for (number, text) in texts.iter().enumerate() {
                // Lines are searched one by one.
                let matches = text.lines().any(|line| regex.is_match(line));
                prop_assert!(!matches || named.contains(&number), "{pattern:?} in {text:?}");
            }
        }
    }
}
