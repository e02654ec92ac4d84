//! Which texts are dates.

use super::super::date::check;

#[test]
fn dates_that_git_reads_are_taken() {
    for good in [
        "2026-01-31",
        "2026-01-31 12:30",
        "2026-01-31T12:30:00",
        "2026-01-31T12:30:00Z",
        "2026-01-31T12:30:00.123+02:00",
        "2024-02-29",
        "1 week ago",
        "2.weeks.ago",
        "three days ago",
        "yesterday",
        "last friday",
        "yesterday noon",
        "3pm yesterday",
        "Thu, 07 Apr 2005 22:13:13 +0200",
        "Apr 7 2005",
        "07/04/2005",
        "@1700000000",
        "@1700000000 +0000",
        "1700000000",
        "now",
        "january",
        "20260131T120000Z",
    ] {
        assert_eq!(check("since", good), Ok(()), "{good}");
    }
}

#[test]
fn texts_that_git_would_take_for_now_are_refused() {
    for bad in [
        "",
        " ",
        "banana",
        "last banana",
        "a week ago",
        "weeks ago",
        "ago",
        "soon",
        "2026-13-01",
        "2026-02-30",
        "2025-02-29",
        "2026-01-31 25:00",
        "2026-01-31T12:61:00Z",
        "5",
        "-1",
        "--output=x",
        "@x",
        "demain",
        "2026-01-31 or so",
    ] {
        let error = check("since", bad).unwrap_err();
        assert_eq!(error.code, fault::Code::InvalidDateRange, "{bad}");
        assert!(error.message.starts_with("since: "), "{error}");
    }
}
