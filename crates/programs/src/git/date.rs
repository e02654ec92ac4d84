//! Dates as git reads them. What it cannot read it silently takes for now, so that a search by a
//! misspelt date finds nothing, or all; here every word must be one that git knows.

use fault::{Error, Result};

/// Units, which may stand in the plural.
const UNITS: &[&str] =
    &["second", "sec", "minute", "min", "hour", "day", "week", "fortnight", "month", "year"];

/// Months and days, which may be cut to three letters.
const NAMES: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

/// Words that are a date or a time by themselves.
const TIMES: &[&str] = &["now", "today", "yesterday", "midnight", "noon", "tea", "never"];

/// Numbers in words.
const NUMBERS: &[&str] =
    &["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "last"];

/// Words that mean nothing without others.
const JOINTS: &[&str] = &["ago", "at", "am", "pm", "t", "z", "utc", "gmt", "th", "st", "nd", "rd"];

/// Whether git can read `value` as a date.
///
/// # Errors
/// `InvalidDateRange` that says what is wrong.
pub(super) fn check(field: &str, value: &str) -> Result<()> {
    let wrong = |why: &str| Err(Error::invalid_date(field, value, why));
    let low = value.trim().to_lowercase();
    if low.len() > 100 || low.starts_with('-') {
        return wrong("is no date");
    }
    if let Some(seconds) = low.strip_prefix('@') {
        let seconds = seconds.split(' ').next().unwrap_or_default();
        return if seconds.parse::<u64>().is_ok() { Ok(()) } else { wrong("is no time") };
    }
    let (mut digits, mut meaning, mut unit) = (false, false, false);
    for word in low.split(|c: char| !c.is_alphanumeric()).flat_map(split_number) {
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            digits = true;
        } else if is_unit(word) {
            unit = true;
        } else if TIMES.contains(&word) || is_name(word) {
            meaning = true;
        } else if NUMBERS.contains(&word) {
            digits = true;
        } else if !word.is_empty() && !JOINTS.contains(&word) {
            return wrong(&format!("is no date (`{word}` means nothing to git)"));
        }
    }
    if unit && !digits {
        return wrong("is no date (how many?)");
    }
    let shaped = low.contains(['-', '/', ':', '.']) || low.len() >= 8;
    let says_when = meaning || unit || digits && shaped;
    if !says_when {
        return wrong("is no date");
    }
    match calendar(&low) {
        Some(false) => wrong("is not in the calendar"),
        _ => Ok(()),
    }
}

/// `5am` is `5` and `am`; `2026` is one word.
fn split_number(word: &str) -> [&str; 2] {
    let at = word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len());
    let (number, rest) = word.split_at(at);
    match (number.is_empty(), rest.find(|c: char| c.is_ascii_digit())) {
        // `31t12` of 2026-01-31T12:00.
        (false, Some(next)) if &rest[..next] == "t" => [number, &rest[next..]],
        _ => [number, rest],
    }
}

fn is_unit(word: &str) -> bool {
    UNITS.iter().any(|unit| word.strip_prefix(unit).is_some_and(|rest| matches!(rest, "" | "s")))
}

fn is_name(word: &str) -> bool {
    word.len() >= 3 && NAMES.iter().any(|name| name.starts_with(word))
}

/// Whether a date that begins as `2026-01-31` exists, with its time; none if it is no such date.
fn calendar(text: &str) -> Option<bool> {
    let (date, time) = text.split_at_checked(10)?;
    let mut fields = date.split(['-', '/', '.']).map(str::parse::<u32>);
    let (year, month, day) = (fields.next()?.ok()?, fields.next()?.ok()?, fields.next()?.ok()?);
    if date.split(['-', '/', '.']).next()?.len() != 4 {
        return None;
    }
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(leap),
        _ => 0,
    };
    let mut clock = time.trim_start_matches(['t', ' ']).split([':', '+', '-', 'z', '.', ' ']);
    let mut within = |most: u32| {
        let field = clock.next().unwrap_or_default();
        field.parse::<u32>().map_or(true, |n| n <= most)
    };
    let in_day = !time.contains(':') || within(23) && within(59) && within(60);
    Some((1..=days).contains(&day) && in_day)
}
