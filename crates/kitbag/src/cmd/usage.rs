//! `kitbag usage`: what the recorded sessions took.

use std::fmt::Write as _;

use agent::Total;
use fault::{Error, Result};
use jiff::{Span, Timestamp, Zoned, civil::Date, tz::TimeZone};
use toolkit::escape;
use toolkit::serde_json::{Map, Value, json};

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
    let (models, all, problems) = agent::record::spent(&args.place.state()?, since)?;
    if args.json {
        let models: Map<String, Value> = models.iter().map(|(m, t)| (m.clone(), json(t))).collect();
        let sum = json!({"since": since.to_string(), "models": models, "all": json(&all)});
        terminal::print(&format!("{sum:#}\n"))?;
    } else {
        let mut text = format!("since {}\n", super::journal::local(since));
        for (model, total) in &models {
            let _ = writeln!(text, "{}\n{}", escape(model), row(total));
        }
        if models.len() > 1 {
            let _ = writeln!(text, "all\n{}", row(&all));
        }
        terminal::print(&text)?;
    }
    terminal::left_out(&problems);
    Ok(Exit::Success)
}

fn json(total: &Total) -> Value {
    let Total { spent, sessions, unpriced } = total;
    json!({
        "sessions": sessions,
        "requests": spent.requests,
        "usage": spent.usage,
        "usd": spent.usd(),
        "usd_known": spent.usd_known,
        "sessions_of_unknown_cost": unpriced,
    })
}

fn row(Total { spent, unpriced, .. }: &Total) -> String {
    let usage = spent.usage.unwrap_or_default();
    let shown = |tokens: Option<u64>| tokens.map_or("unknown".to_owned(), |n| n.to_string());
    let cost = match spent.usd() {
        None if spent.usd_known > 0.0 => {
            let (least, unknown) = (cost(Some(spent.usd_known)), *unpriced as usize);
            format!("at least {least}; {} of unknown cost", fault::count(unknown, "session"))
        }
        usd => cost(usd),
    };
    format!(
        "    requests: {}, in: {}, from the cache: {}, to the cache: {}, out: {}, cost: {cost}",
        spent.requests,
        shown(usage.input),
        shown(usage.cache_read),
        shown(usage.cache_write),
        shown(usage.output),
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
