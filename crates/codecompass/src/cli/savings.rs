//! `codecompass savings`: what answers have spared their readers, added up.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Map, Value, json};

use super::{
    NOTHING, Settings,
    asking::{self, Place},
    paint::count,
};

/// Show how many tokens the answers about a repository have saved
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    place: Place,
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let workspace = arguments.place.workspace(settings)?;
    let totals = workspace.store().savings()?;
    let total = |name: &str| totals.iter().find(|(known, _)| known == name).map_or(0.0, |(_, value)| *value);
    if arguments.json {
        let totals = totals.iter().map(|(name, value)| (name.clone(), json!(value)));
        asking::print_json(&Value::Object(totals.collect::<Map<_, _>>()))?;
    } else if total("answers") == 0.0 {
        println!("no answers yet");
    } else {
        println!("{} answers", count(total("answers") as u64));
        println!("{} tokens of source that nobody had to read", count(total("tokens_saved") as u64));
        println!("{:.2} US dollars, at the price of CODECOMPASS_PRICE_PER_MILLION_TOKENS", total("cost_avoided"));
    }
    Ok(if total("answers") == 0.0 { NOTHING } else { ExitCode::SUCCESS })
}
