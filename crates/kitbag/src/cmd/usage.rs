//! `kitbag usage`: what the recorded sessions took.

use std::fmt::Write as _;

use agent::Usage;
use fault::{Error, Result};
use jiff::{Span, Timestamp, Zoned, civil::Date, tz::TimeZone};
use toolkit::escape;
use toolkit::serde_json::json;

use crate::config::Place;
use crate::exit::Exit;
use crate::screen::cost;
use crate::terminal;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Start of the period: today, a number of hours, days or weeks as in 12h, 7d and 2w, or a date as in
    /// 2026-01-31
    #[arg(long, default_value = "30d", value_name = "WHEN")]
    since: String,
    /// JSON, for programs
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Place,
}

pub(super) fn run(args: &Args) -> Result<Exit> {
    let since = moment(&args.since)?;
    let all = agent::record::spent(&args.place.state()?, since)?;
    if args.json {
        terminal::print(&format!("{:#}\n", json!({"since": since.to_string(), "models": all})))?;
        return Ok(Exit::Success);
    }
    let mut text = format!("since {}\n", super::journal::local(since));
    for (model, spent) in &all {
        let usage = spent.usage.unwrap_or_default();
        let _ = writeln!(text, "{}\n{}", escape(model), row(spent.requests, usage, spent.usd));
    }
    let spent = all.values();
    let sum = |usage: Usage, one: &agent::Spent| usage.and(one.usage.unwrap_or_default());
    if let Some(first) = spent.clone().next().filter(|_| all.len() > 1) {
        let usage = spent.clone().skip(1).fold(first.usage.unwrap_or_default(), sum);
        let usd = spent.clone().map(|one| one.usd).sum();
        let _ = writeln!(text, "all\n{}", row(spent.map(|one| one.requests).sum(), usage, usd));
    }
    terminal::print(&text)?;
    Ok(Exit::Success)
}

fn row(requests: u32, usage: Usage, usd: Option<f64>) -> String {
    let shown = |tokens: Option<u64>| tokens.map_or("unknown".to_owned(), |n| n.to_string());
    format!(
        "    requests: {requests}, in: {}, from the cache: {}, to the cache: {}, out: {}, cost: {}",
        shown(usage.input),
        shown(usage.cache_read),
        shown(usage.cache_write),
        shown(usage.output),
        cost(usd)
    )
}

fn moment(text: &str) -> Result<Timestamp> {
    let wrong = |_| {
        let problem = format!("`{text}` is not a time; use today, 12h, 7d, 2w or a date");
        Error::invalid_input("--since", problem)
    };
    let midnight = |date: Date| Ok(date.to_zoned(TimeZone::system()).map_err(wrong)?.timestamp());
    if text == "today" {
        return midnight(Zoned::now().date());
    }
    let split = text.len().saturating_sub(1);
    let count = text.get(..split).and_then(|digits| digits.parse::<u32>().ok());
    let span = match (count, text.get(split..)) {
        (Some(hours), Some("h")) => Span::new().try_hours(hours).map_err(wrong)?,
        (Some(days), Some("d")) => Span::new().try_days(days).map_err(wrong)?,
        (Some(weeks), Some("w")) => Span::new().try_weeks(weeks).map_err(wrong)?,
        _ => return midnight(text.parse().map_err(wrong)?),
    };
    Ok(Zoned::now().checked_sub(span).map_err(wrong)?.timestamp())
}
