//! `codecompass config`: each effective value and where it comes from.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Map, Value, json};

use super::{Settings, session};
use super::{paint::Paint, session::Place};

/// Show each setting, its value and where it comes from
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    place: Place,
    /// Also what each setting does, and its environment variable
    #[arg(long)]
    about: bool,
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let config = arguments.place.config(settings)?;
    if arguments.json {
        let entries = config.entries().map(|(key, value, origin)| {
            (
                key.path(),
                json!({ "value": plain(value), "origin": origin.to_string() }),
            )
        });
        session::print_json(&Value::Object(entries.collect::<Map<_, _>>()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let paint = Paint::stdout();
    for (key, value, origin) in config.entries() {
        println!(
            "{} = {value}  {}",
            paint.name(&key.path()),
            paint.kind(&format!("# {origin}"))
        );
        if arguments.about {
            println!("    {}; {}", key.about, key.variable());
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn plain(value: &crate::config::Value) -> Value {
    match value {
        crate::config::Value::Text(text) => json!(text),
        crate::config::Value::Bool(value) => json!(value),
        crate::config::Value::Number(number) => json!(number),
    }
}
